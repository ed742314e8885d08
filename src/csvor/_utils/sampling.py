"""Which rows stand for all, the same in every run?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def random_rows(n: int, size: int) -> NDArray[np.intp]:
    """So many of n rows in random order, the same in every run; all in their order if n is less."""
    if n <= size:
        return np.arange(n)
    return np.random.default_rng(0).choice(n, size, replace=False)


def random_and_far_rows(X: Any, center: NDArray[Any], size: int, n_far: int) -> NDArray[np.intp]:
    """Random rows and, in memory, about `n_far` that are farthest from the center in a column."""
    n, d = X.shape
    rows = random_rows(n, size)
    if n <= size or not isinstance(X, np.ndarray):
        return rows
    each = max(n_far // d, 1)
    for j in range(d):
        rows = np.append(rows, np.argpartition(np.abs(X[:, j] - center[j]), -each)[-each:])
    return np.unique(rows)
