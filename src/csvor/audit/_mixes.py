"""How much do csvor's models and trees count where they judge together?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._mixture.mixture import fit_mixture
from csvor._mixture.objective import rows_to_fit
from csvor._parts.engine import each, take
from csvor.audit._findings import (
    NO_WEIGHT,
    View,
    likelihood_weights,
    probability_wrong,
    weighted,
)
from csvor.audit._held_out import AuditData
from csvor.audit._margins import margins_of_probabilities
from csvor.audit._trees import tree_probabilities

Array = NDArray[np.float64]

MODELS = ("csvor", "boosting", "extra trees")
# Shares of these in the margins; few, since each is fitted, and the best of many is best by chance.
_MIXES = (
    (0.75, 0.25, 0.0), (0.5, 0.5, 0.0), (0.25, 0.75, 0.0), (0.75, 0.0, 0.25), (0.5, 0.0, 0.5),
    (0.25, 0.0, 0.75), (1 / 3, 1 / 3, 1 / 3), (0.0, 0.5, 0.5),
)  # fmt: skip
# A class that trees have not seen near a row is not impossible there.
_FLOOR = 1e-3


def with_trees(
    rows: AuditData,
    estimator: Any,
    views: Sequence[View],
    best: View,
    report: Callable[[], None],
) -> list[View]:
    """The views, and those of mixes of the best one's margins with margins of trees.

    Margins are brought to one spread before they are mixed. The likelihood weighs all views.
    """
    K = rows.classes.size
    wrong = probability_wrong(views, rows.labelling, K)
    trees = tree_probabilities(rows, estimator, wrong, report)
    if not trees:
        return list(views)
    margins = [best.margins, *(each(_margins, float, P, width=K - 1) for P in trees)]
    to_fit = take(rows_to_fit(len(rows)), *margins)
    spreads = np.array([part.mean(axis=1).std() or 1.0 for part in to_fit])
    mixes = [partial(_mixed, np.array(shares) / spreads) for shares in _MIXES]
    mixtures = [fit_mixture(mix(*to_fit), *rows.fit_labels) for mix in mixes]
    losses = [mixture.loss for mixture in (*(view.mixture for view in views), *mixtures)]
    counted = likelihood_weights(losses)[len(views) :] >= NO_WEIGHT
    # Margins of all rows are made for those alone that count.
    return [
        *views,
        *(
            View(mixture, each(mix, float, *margins, width=K - 1), mix(*to_fit), shares)
            for mix, mixture, shares in compress(zip(mixes, mixtures, _MIXES, strict=True), counted)
        ),
    ]


def shares_of_models(views: Sequence[View], first: str) -> dict[str, float]:
    """How much each of `MODELS` counts in the margins of views, in shares of their sum.

    The first of them may have another name.
    """
    counted, weights = weighted(views)
    return dict(
        zip(
            (first, *MODELS[1:]),
            (weights @ [view.shares for view in counted]).tolist(),
            strict=True,
        )
    )


def _mixed(factors: Array, *margins: Array) -> Array:
    """The sum of margins, each with its factor."""
    return np.asarray(sum(f * m for f, m in zip(factors, margins, strict=True)))


def _margins(probabilities: Array) -> Array:
    """Of class probabilities of trees."""
    floored = np.maximum(probabilities, _FLOOR)
    return margins_of_probabilities(floored / floored.sum(axis=1, keepdims=True))
