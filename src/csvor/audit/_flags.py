"""Which rows are flagged, and how many labels of these should be wrong?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from csvor._parts.engine import total
from csvor._utils.lazy import is_lazy

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Of rows in partitions so many are ranked.
LISTED = 1_000
# A cut is found to 1e-9, by rounds of so many counts.
_BINS, _ROUNDS = 1_000, 3


class Totals(NamedTuple):
    """Of all rows, the most suspect first, those that are flagged.

    Attributes
    ----------
    order : ndarray
    named : int
    expected : float
        How many of them should be wrong.
    named_share : float
        Their share of the weight of labels that are not known to be right.
    weighted : bool
        Whether these differ in weight.
    counted : int
        How many they are where weights are counts, not all 1; else 0.
    """

    order: NDArray[np.intp]
    named: int
    expected: float
    named_share: float
    weighted: bool
    counted: int


def fdr_cut(probability: Any, fdr: float) -> float:
    """Above it lie the most rows of which the expected share of right labels is at most ``fdr``.

    That share rises with each row that is added, the most probably wrong ones first.
    """
    return _cut(lambda weight, right: right <= fdr * weight, probability)


def share_cut(probability: Any, weights: Any, most: float) -> float:
    """Above it lie the most rows whose weight is at most so much."""
    return _cut(lambda weight, right: weight <= most, probability, weights)


def _cut(allowed: Callable[[Array, Array], Mask], probability: Any, *weights: Any) -> float:
    """Above it lie the most rows that are allowed by their weight and that of right labels."""
    low, high, above = -1e-9, 1.0, np.zeros(2)
    for _ in range(_ROUNDS):
        edges = np.linspace(low, high, _BINS + 1)
        (sums,), _ = total(_in_bins, probability, *weights, shared=(edges,))
        weight, right = np.cumsum(sums[:, ::-1], axis=1) + above[:, None]
        kept = int(np.count_nonzero(allowed(weight, right)))
        if kept == _BINS:
            return low
        high = edges[_BINS - kept]
        low = edges[_BINS - kept - 1]
        if kept:
            above = np.array([weight[kept - 1], right[kept - 1]])
    return float(high)


def _in_bins(start: int, probability: Array, *columns: Array) -> tuple[tuple[Array], tuple[()]]:
    """In each bin, ends of which belong to the one below, the weight of rows and right labels."""
    *weights, edges = columns
    weight = weights[0] if weights else np.ones_like(probability)
    bins = np.searchsorted(edges, probability, side="left") - 1
    inside = (bins >= 0) & (bins < edges.size - 1)
    bins, weight, right = bins[inside], weight[inside], (weight * (1.0 - probability))[inside]
    return (np.array([np.bincount(bins, w, edges.size - 1) for w in (weight, right)]),), ()


def totals(ranks: Any, probability: Any, flagged: Any, weights: Any, *, are_counts: bool) -> Totals:
    """Rows by their ranks; how many are flagged, and expected to be wrong.

    Weights are 0 of what is not judged.
    """
    most = LISTED if is_lazy(probability) else None
    columns = ranks, probability, flagged, weights
    (sums,), (rows, values) = total(_totals_of_part, *columns, shared=(most,))
    named, expected, of_named, judged, weight, squares = sums.tolist()
    order = rows[np.argsort(-values, kind="stable")[:most]]
    weighted = judged * squares > weight**2 * (1.0 + 1e-9)
    counted = int(weight) if are_counts and weight != judged else 0
    of_named = of_named / weight if weight else 0.0
    return Totals(order, int(named), expected, of_named, weighted, counted)


def _totals_of_part(
    start: int, ranks: Array, probability: Array, flagged: Mask, weights: Array, most: int | None
) -> tuple[tuple[Array], tuple[NDArray[np.intp], Array]]:
    rows = np.arange(ranks.size)
    if most is not None:
        rows = np.sort(np.argsort(-ranks, kind="stable")[:most])
    of_named = flagged.sum(), probability[flagged].sum(), weights[flagged].sum()
    of_all = np.count_nonzero(weights), weights.sum(), (weights**2).sum()
    return (np.array([*of_named, *of_all], dtype=float),), (start + rows, ranks[rows])
