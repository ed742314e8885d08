"""Pairs of row and threshold: what each row's pairs cost at given scores, and where thresholds lie.

A model with K classes has K - 1 thresholds ``b_1 <= ... <= b_{K-1}`` on one score ``f``. ``codes``
are the classes as 0..K-1; threshold k (0-based) parts the codes ``<= k`` from the codes ``> k``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.margins import BLOCK, pair_losses
from csvor._utils.compile import FAST, compiled

Array = NDArray[np.float64]
Codes = NDArray[np.integer]

# A slack of this size, in units of the margin, is what a solver leaves of none.
_ROUNDING = 1e-6


def losses_of(scores: Array, codes: Codes, b: Array, pair: Any) -> Array:
    """The g of each row."""
    losses = np.empty(scores.size)
    # In the one type that loops are compiled for.
    losses_at(scores, codes.astype(np.int32, copy=False), b, pair, losses)
    return losses


@compiled(fastmath=FAST)
def losses_at(scores, codes, b, pair, losses):
    """Set ``losses`` to the g of each row."""
    slope, curve = np.empty((b.size, BLOCK)), np.empty((b.size, BLOCK))
    y, pull = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, scores.size, BLOCK):
        n = min(BLOCK, scores.size - start)
        f, g = scores[start : start + n], losses[start : start + n]
        for r in range(n):
            y[r] = codes[start + r]
        pair_losses(n, f, y, b, pair, g, slope, curve, pull)


def count_passed(scores: Array, thresholds: Array) -> NDArray[np.intp]:
    """Predicted codes, ``#{k : f - b_k >= 0}``."""
    return np.searchsorted(thresholds, scores, side="right")


def free_intervals(
    scores: Array, codes: Codes, n_classes: int, *, implicit: bool
) -> tuple[Array, Array]:
    """Where each threshold costs these rows nothing: from ``low`` to ``high``, empty or not."""
    highest, lowest = np.full(n_classes, -np.inf), np.full(n_classes, np.inf)
    np.maximum.at(highest, codes, scores)
    np.minimum.at(lowest, codes, scores)
    if implicit:
        highest = np.maximum.accumulate(highest)
        lowest = np.minimum.accumulate(lowest[::-1])[::-1]
    return highest[:-1] + 1.0, lowest[1:] - 1.0


def centred_thresholds(thresholds: Array, low: Array, high: Array) -> Array:
    """Thresholds in the middle of their free intervals; of an open one, at its other end."""
    free = (low <= thresholds + _ROUNDING) & (thresholds <= high + _ROUNDING)
    free &= np.isfinite(low) | np.isfinite(high)
    if not free.any():
        return thresholds
    low, high = np.where(np.isinf(low), high, low), np.where(np.isinf(high), low, high)
    moved = thresholds.copy()
    moved[free] = 0.5 * (low[free] + high[free])
    moved = np.maximum.accumulate(moved)
    return thresholds if np.any(moved[~free] != thresholds[~free]) else moved


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
