"""Where the columns of an array lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csvor._utils.compile import compiled
from csvor._utils.threads import RowThreads

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spans:
    """Least and largest value, mean and standard deviation of each column."""

    low: Array
    high: Array
    mean: Array
    spread: Array


def spans_of(X: Array, weights: Array) -> Spans:
    """One pass over X that keeps nothing of it; mean and deviation count the weights."""
    n, d = X.shape
    share = weights / weights.sum()
    # Squares are taken from about the middle, or a large mean would swallow them.
    some = X[:: max(n // 1000, 1)].astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.median(some, axis=0)

    def span(rows: slice) -> Array:
        found = np.array([[np.inf], [-np.inf], [0.0], [0.0]]) * np.ones(d)
        _add_spans(X[rows], share[rows], middle, *found)
        return found

    with np.errstate(over="ignore", invalid="ignore"):
        found = np.array(RowThreads(n, d).map(span))
        offset, squares = found[:, 2].sum(axis=0), found[:, 3].sum(axis=0)
        spread = np.sqrt(np.maximum(squares - offset**2, 0.0))
    return Spans(found[:, 0].min(axis=0), found[:, 1].max(axis=0), middle + offset, spread)


@compiled()
def _add_spans(X, weights, middle, low, high, sums, squares):
    """Lower ``low``, raise ``high``, add weighted sums and squares of ``X - middle``."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            value = X[i, j]
            low[j] = min(low[j], value)
            high[j] = max(high[j], value)
            off = value - middle[j]
            sums[j] += weights[i] * off
            squares[j] += weights[i] * off * off
