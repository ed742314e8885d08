"""How much do csvor's models and trees count where they judge together?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._mixture.mixture import Mixture
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
from csvor.audit._ranking import expected_distance
from csvor.audit._trees import held_out_trees

Array = NDArray[np.float64]

MODELS = ("csvor", "boosting", "extra trees")
# Shares of these in the margins; few, since each is fitted, and the best of many is best by chance.
_MIXES = (
    (0.75, 0.25, 0.0), (0.5, 0.5, 0.0), (0.25, 0.75, 0.0), (0.75, 0.0, 0.25), (0.5, 0.0, 0.5),
    (0.25, 0.0, 0.75), (1 / 3, 1 / 3, 1 / 3), (0.0, 0.5, 0.5),
)  # fmt: skip
# A class that trees have not seen near a row is not impossible there.
_FLOOR = 1e-3
# Logits are divided by powers of the spread that trees expect (trees shrink it), where that gains
# so much log-likelihood a row. (Noise by the sign or the exponential of a column: .07 to .3; twelve
# sets: at most .016; wrong labels where a column is high: up to .03. Case N84.)
_POWERS, _GAIN = (1.0, 2.0, 3.0), 0.04
# In classes: what is added to distances of labels before their logarithm.
_NEAR = 0.1


def with_trees(
    rows: AuditData,
    estimator: Any,
    views: Sequence[View],
    best: View,
    report: Callable[[], None],
) -> list[View]:
    """The views, and those of mixes of the best one's margins with margins of trees.

    Margins are brought to one spread before they are mixed. The likelihood weighs all views. Where
    features tell which rows are noisy, there is one more, whose margins these rows have nearer 0.
    """
    K = rows.classes.size
    wrong = probability_wrong(views, rows.labelling, K)
    distance = each(partial(_distance, best.mixture), float, best.margins, rows.labelling.codes)
    trees = held_out_trees(rows, estimator, wrong, distance, report)
    if trees is None:
        return list(views)
    P = trees.probabilities
    margins = [best.margins, *(each(_margins, float, of_model, width=K - 1) for of_model in P)]
    to_fit = take(rows.rows_to_fit, *margins)
    spreads = np.array([part.mean(axis=1).std() or 1.0 for part in to_fit])
    mixes = [partial(_mixed, np.array(shares) / spreads) for shares in _MIXES]
    known = rows.n_independent, len(rows)
    mixtures = [rows.fit_labels.mixture(mix(*to_fit), *known) for mix in mixes]
    losses = [mixture.loss for mixture in (*(view.mixture for view in views), *mixtures)]
    counted = likelihood_weights(losses)[len(views) :] >= NO_WEIGHT
    # Margins of all rows are made for those alone that count.
    views = [
        *views,
        *(
            View(mixture, each(mix, float, *margins, width=K - 1), mix(*to_fit), shares)
            for mix, mixture, shares in compress(zip(mixes, mixtures, _MIXES, strict=True), counted)
        ),
    ]
    return [*views, *_by_spread(rows, views, trees.distance)]


def _by_spread(rows: AuditData, views: Sequence[View], distance: Any) -> list[View]:
    """The likeliest view with its logits divided by the spread of each row, if that is likelier."""
    base = min(views, key=lambda view: view.mixture.loss)
    (to_fit,) = take(rows.rows_to_fit, distance)
    best, scale = base.mixture, None
    for power in _POWERS:
        scaled = partial(_scaled, base.mixture, power, float(to_fit.mean()))
        mixture = rows.fit_labels.mixture(
            scaled(base.fit_margins, to_fit), rows.n_independent, len(rows)
        )
        if mixture.loss < best.loss:
            best, scale = mixture, scaled
    if scale is None or base.mixture.loss - best.loss < _GAIN * rows.fit_labels.total:
        return []
    margins = each(scale, float, base.margins, distance, width=rows.classes.size - 1)
    return [View(best, margins, scale(base.fit_margins, to_fit), base.shares)]


def _distance(mixture: Mixture, margins: Array, codes: NDArray[np.integer]) -> Array:
    """Of each label from the class that is expected, in logarithms."""
    distance = expected_distance(mixture.class_probabilities(margins), codes)
    return np.asarray(np.log(distance + _NEAR))


def _scaled(
    mixture: Mixture, power: float, centre: float, margins: Array, distance: Array
) -> Array:
    """Logits of a mixture, nearer to 0 where labels are expected to lie far away."""
    logits = np.minimum.accumulate(mixture.slopes * margins + mixture.shifts, axis=1)
    return np.asarray(logits * np.exp(-power * (distance - centre))[:, None])


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
