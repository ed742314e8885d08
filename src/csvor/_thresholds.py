"""Pairs of (sample, threshold): which count, on which side, and how predictions are counted.

A model with K classes has K - 1 thresholds ``b_1 <= ... <= b_{K-1}`` on one score ``f``. A sample
of class y belongs above the thresholds below its class and below the others. ``codes`` are the
classes as 0..K-1; threshold k (0-based) parts the codes ``<= k`` from the codes ``> k``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A slack of this size, in units of the margin, is what a solver leaves of none.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs that a formulation counts.

    Attributes
    ----------
    side : ndarray of shape (n_samples, n_thresholds)
        +1 where the sample belongs above the threshold, -1 where it belongs below.
    counted : ndarray of shape (n_samples, n_thresholds)
        1.0 for the pairs that count, 0.0 for the others.
    """

    side: Array
    counted: Array

    def excess(self, scores: Array, thresholds: Array) -> Array:
        """``1 - side * (f - b)``: the slack where positive, the spare margin where negative."""
        return 1.0 - self.side * (scores[:, None] - thresholds)

    def sums(self, pair_values: Array) -> Array:
        """Sum over each sample's counted pairs."""
        return np.einsum("ij,ij->i", pair_values, self.counted)

    def worst_excess(self, excess: Array) -> Array:
        """The largest excess of each sample: positive where it has a slack."""
        return np.where(self.counted > 0, excess, -np.inf).max(axis=1)

    def lean(self, excess: Array) -> Array:
        """Squared slacks of thresholds to pass minus those of thresholds to stay below.

        Positive where the score asks for a lower class than the sample's, negative for a higher.
        """
        return np.sum(self.side * self.counted * np.maximum(excess, 0.0) ** 2, axis=1)


def explicit_pairs(codes: NDArray[np.integer], n_classes: int) -> Pairs:
    """Each sample meets the threshold below and the threshold above its own class."""
    threshold = np.arange(n_classes - 1)
    codes = codes[:, None]
    side = np.where(codes > threshold, 1.0, -1.0)
    counted = (codes == threshold) | (codes == threshold + 1)
    return Pairs(side, counted.astype(np.float64))


def implicit_pairs(codes: NDArray[np.integer], n_classes: int) -> Pairs:
    """Each sample meets every threshold."""
    side = np.where(codes[:, None] > np.arange(n_classes - 1), 1.0, -1.0)
    return Pairs(side, np.ones_like(side))


PAIRS = {"explicit": explicit_pairs, "implicit": implicit_pairs}


def rooms(
    scores: Array, codes: NDArray[np.integer], n_classes: int, *, implicit: bool
) -> tuple[Array, Array]:
    """Where each threshold costs these rows nothing: from ``low`` to ``high``, empty or not."""
    highest, lowest = np.full(n_classes, -np.inf), np.full(n_classes, np.inf)
    np.maximum.at(highest, codes, scores)
    np.minimum.at(lowest, codes, scores)
    if implicit:
        highest = np.maximum.accumulate(highest)
        lowest = np.minimum.accumulate(lowest[::-1])[::-1]
    return highest[:-1] + 1.0, lowest[1:] - 1.0


def settle(thresholds: Array, low: Array, high: Array) -> Array:
    """Thresholds with room in its middle; where it is open on one side, at its other end."""
    free = (low <= thresholds + _ROUNDING) & (thresholds <= high + _ROUNDING)
    free &= np.isfinite(low) | np.isfinite(high)
    if not free.any():
        return thresholds
    low, high = np.where(np.isinf(low), high, low), np.where(np.isinf(high), low, high)
    moved = thresholds.copy()
    moved[free] = 0.5 * (low[free] + high[free])
    moved = np.maximum.accumulate(moved)
    return thresholds if np.any(moved[~free] != thresholds[~free]) else moved


def row_losses(
    value: Callable[[Array], Array],
    scores: Array,
    codes: NDArray[np.integer],
    thresholds: Array,
    constraints: str,
) -> Array:
    """Each sample's sum of ``value(excess)`` over its pairs, without an array of all pairs."""
    if constraints == "explicit":
        edges = np.concatenate([[-np.inf], thresholds, [np.inf]])
        return value(1.0 - scores + edges[codes]) + value(1.0 + scores - edges[codes + 1])
    total = np.zeros_like(scores)
    for k, threshold in enumerate(thresholds):
        over = scores - threshold
        total += value(1.0 - np.where(codes > k, over, -over))
    return total


def count_passed(scores: Array, thresholds: Array) -> NDArray[np.intp]:
    """Predicted codes, ``#{k : f - b_k >= 0}``."""
    return np.searchsorted(thresholds, scores, side="right")


def spread_over_classes(
    thresholds: Array, present: NDArray[np.bool_], lowest: float, highest: float
) -> Array:
    """Thresholds of all classes from those between the classes that have rows.

    Any place that costs the fitted rows nothing is optimal for the missing ones. An inner class
    without rows gets the empty interval that the order leaves it. Classes below (above) all rows
    begin one margin below the ``lowest`` (above the ``highest``) score of the rows, each two
    margins wide, the narrowest interval in which a row could have no slack.
    """
    # Where all rows of an outer class were cut away, its threshold lies beyond the rows left.
    lowest = min(lowest, thresholds[0] + 1.0)
    highest = max(highest, thresholds[-1] - 1.0)
    passed = np.cumsum(present)[:-1]
    steps = np.arange(passed.size)
    first, last = np.argmax(present), present.size - 1 - np.argmax(present[::-1])
    placed = np.concatenate([[np.nan], thresholds, [np.nan]])[passed]
    below, above = passed == 0, passed == thresholds.size + 1
    placed[below] = lowest - 1.0 - 2.0 * (first - 1 - steps[below])
    placed[above] = highest + 1.0 + 2.0 * (steps[above] - last)
    return placed
