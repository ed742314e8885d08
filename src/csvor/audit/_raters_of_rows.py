"""How does each rater label, where each row has one label?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from csvor._mixture.likelihood import survivals
from csvor._mixture.mixture import Mixture
from csvor._mixture.rater_shifts import RaterFigures
from csvor._parts.engine import each, sums
from csvor._utils.sampling import random_rows
from csvor.audit._labelling import Labelling
from csvor.audit._rater_agreement import moments, one_label, turned_round
from csvor.audit._rater_table import MIDDLE, RaterTable

Array = NDArray[np.float64]

# Shifts are means over so many rows.
_ROWS = 500
_ENDS = np.array([0.0, -1.96, 1.96])


def raters_of_rows(
    fits: Sequence[tuple[Mixture, Array]],
    weight: Array,
    labels: Labelling,
    probability: Any,
    before: Any,
    shares: tuple[float, float, float],
) -> RaterTable | None:
    """The mean of what mixtures say of raters; None where none are known.

    Parameters
    ----------
    fits : sequence of (mixture, margins that it was fitted to)
    weight : ndarray of shape (n_fits,)
        Their shares of 1.
    labels : Labelling of all rows
    probability : array of shape (n,)
        That each label is wrong.
    before : array of shape (n, n_classes)
        The probability of each class, whatever the label.
    shares : tuple of float
        The share of wrong labels, before any was set right, and its ends: how careless all are is
        no surer.
    """
    panel = labels.panel
    if panel is None:
        return None
    n_raters = len(panel.names)
    columns = labels.columns
    original = columns.get("original", labels.codes)
    if "confirmed" in columns:
        probability = each(
            _known_wrong, float, probability, labels.confirmed, original, labels.codes
        )
    weights = [columns[name] for name in ("weights",) if name in columns]
    counts = partial(_counts, n_raters)
    wrong, moments_of = map(
        np.asarray, sums(counts, labels.raters, probability, original, before, *weights)
    )
    said = [vars(_of_mixture(*fit, n_raters, panel.reference)) for fit in fits]
    mean = {name: np.tensordot(weight, [one[name] for one in said], 1) for name in said[0]}
    mean["careless_interval"] = _as_unsure(mean, np.array(shares))
    n = moments_of[0, 0]
    return RaterTable(
        names=np.array(panel.names),
        n=n.astype(np.int64),
        agreement=1.0 - wrong / np.where(n, n, np.nan),
        reference=MIDDLE if panel.reference is None else str(panel.names[panel.reference]),
        turned=turned_round(moments_of),
        single=one_label(moments_of),
        **mean,
    )


def _counts(
    n_raters: int, raters: NDArray[np.int64], wrong: Array, codes: Any, before: Array,
    weights: Array | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """How many labels of each are wrong, and moments of labels and what the features expect.

    Rows of weight 0 do not count.
    """
    expected = before @ np.arange(before.shape[1])
    if weights is not None:
        kept = weights > 0.0
        raters, wrong, codes, expected = raters[kept], wrong[kept], codes[kept], expected[kept]
    return np.bincount(raters, wrong, n_raters), moments(n_raters, raters, expected, codes)


def _known_wrong(probability: Array, confirmed: Any, original: Any, codes: Any) -> Array:
    return np.where(confirmed, original != codes, probability)


def _of_mixture(
    mixture: Mixture, margins: Array, n_raters: int, reference: int | None
) -> RaterFigures:
    effects, errors = mixture.effects_of(n_raters)
    margins = margins[random_rows(margins.shape[0], _ROWS)]
    logits = mixture.slopes * margins + mixture.shifts
    middle = _mean_class(logits)
    shift, careless = np.empty((2, 3, n_raters))
    for i, sign in enumerate(_ENDS):
        moves = effects.shifts + sign * errors[0]
        scales = np.exp(effects.log_scales)
        for r in range(n_raters):
            shift[i, r] = _mean_class(scales[r] * logits + moves[r]) - middle
        odds = effects._replace(log_odds=effects.log_odds + sign * errors[2])
        careless[i] = odds.etas(float(logit(mixture.eta)), mixture.nu)
    if reference is not None:
        # A rater is as high as before where both he and the reference are higher.
        ends = shift[1:] - shift[0]
        shift[1:] = shift[0] + [[-1.0], [1.0]] * np.hypot(ends, ends[::-1, [reference]])
        shift[1:, reference] = shift[0, reference]
    return RaterFigures(
        shift[0], shift[1:].T, careless[0], careless[1:].T, np.exp(-effects.log_scales)
    )


def _as_unsure(figures: Mapping[str, Array], shares: Array) -> Array:
    """Ends of careless shares whose logits are as far away, squared, as those of the share too."""
    centre = logit(figures["careless"])[:, None]
    all_ends = logit(np.clip(shares[1:], 0.0, 1.0)) - logit(np.clip(shares[0], 1e-9, 1.0 - 1e-9))
    far = np.hypot(logit(figures["careless_interval"]) - centre, all_ends)
    return np.asarray(expit(centre + [-1.0, 1.0] * far))


def _mean_class(logits: Array) -> float:
    """The class that a label has in the mean, by the survival of each class."""
    return float(survivals(logits)[:, 1:].sum(axis=1).mean())
