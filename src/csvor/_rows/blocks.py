"""How are rows of any precision read as float64, some at a time?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Numbers in a block: with what is made of them they fit into the cache.
_AT_ONCE = 65_536


def row_blocks(n_rows: int, n_columns: int, at_once: int = _AT_ONCE) -> Iterator[slice]:
    """All rows, in blocks of about so many numbers."""
    step = max(at_once // max(n_columns, 1), 1)
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def float64_blocks(X: NDArray[Any]) -> Iterator[tuple[slice, Array]]:
    """Where each block of rows lies, and its values; of a float64 array no copies."""
    for rows in row_blocks(*X.shape):
        yield rows, X[rows].astype(np.float64, copy=False)


def product(X: NDArray[Any], w: Array) -> Array:
    """``X w``, summed in float64."""
    if X.dtype == np.float64:
        scores: Array = X @ w
        return scores
    scores = np.empty(X.shape[0])
    for rows, block in float64_blocks(X):
        scores[rows] = block @ w
    return scores
