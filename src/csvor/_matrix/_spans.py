"""Where the columns of an array lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csvor import _loops
from csvor._chunks import in_chunks

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spans:
    """Least and largest value, mean and standard deviation of each column."""

    low: Array
    high: Array
    mean: Array
    spread: Array


def spans_of(X: Array, weights: Array) -> Spans:
    """Two passes over X that keep nothing of it; mean and deviation count the weights."""
    d = X.shape[1]
    share = weights / weights.sum()

    def span(rows: slice) -> Array:
        found = np.array([[np.inf], [-np.inf], [0.0]]) * np.ones(d)
        _loops.add_spans(X[rows], share[rows], *found)
        return found

    def squares(rows: slice) -> Array:
        found = np.zeros(d)
        _loops.add_squares(X[rows], share[rows], mean, found)
        return found

    found = np.array(in_chunks(span, *X.shape))
    mean = found[:, 2].sum(axis=0)
    with np.errstate(over="ignore"):
        spread = np.sqrt(np.sum(in_chunks(squares, *X.shape), axis=0))
    return Spans(found[:, 0].min(axis=0), found[:, 1].max(axis=0), mean, spread)
