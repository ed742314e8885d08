"""Where the columns of an array lie, or of a CSR matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.csr import find_spans, is_sparse, parts_of
from csvor._utils.compile import compiled
from csvor._utils.threads import RowThreads

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spans:
    """Least and largest value, mean and standard deviation of each column, and the share stored."""

    low: Array
    high: Array
    mean: Array
    spread: Array
    stored: Array


def merged(parts: list[Spans], weights: list[float], counts: list[int]) -> Spans:
    """The spans of all rows from those of parts, of so much weight and so many rows."""
    low, high, means, spreads, stored = (
        np.stack([getattr(part, name) for part in parts])
        for name in ("low", "high", "mean", "spread", "stored")
    )
    share = np.array(weights) / np.sum(weights)
    mean = share @ means
    spread = np.sqrt(share @ (spreads**2 + (means - mean) ** 2))
    of_rows = np.array(counts) / np.sum(counts)
    return Spans(low.min(axis=0), high.max(axis=0), mean, spread, of_rows @ stored)


def spans_of(X: Any, weights: Array) -> Spans:
    """One pass over X that keeps nothing of it; mean and deviation count the weights."""
    n, d = X.shape
    share = weights / weights.sum()
    if is_sparse(X):
        low, high, mean, spread, counts = np.zeros((5, d))
        low += np.inf
        high -= np.inf
        with np.errstate(over="ignore", invalid="ignore"):
            find_spans(parts_of(X), n, share, low, high, mean, spread, counts)
        return Spans(low, high, mean, spread, counts / n)
    # Squares are taken from about the middle, or a large mean would swallow them.
    some = X[:: max(n // 100, 1)].astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.median(some, axis=0)

    def span(rows: slice) -> Array:
        of_chunk = np.array([[np.inf], [-np.inf], [0.0], [0.0]]) * np.ones(d)
        _add_spans(X[rows], share[rows], middle, *of_chunk)
        return of_chunk

    with np.errstate(over="ignore", invalid="ignore"):
        of_chunks = np.array(RowThreads(n, d).map(span))
        offset, squares = of_chunks[:, 2].sum(axis=0), of_chunks[:, 3].sum(axis=0)
        spread = np.sqrt(np.maximum(squares - offset**2, 0.0))
    low, high = of_chunks[:, 0].min(axis=0), of_chunks[:, 1].max(axis=0)
    return Spans(low, high, middle + offset, spread, np.ones(d))


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
