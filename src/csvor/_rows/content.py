"""Which order of rows follows from what they hold, wherever they stand?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.blocks import float64_blocks
from csvor._rows.csr import is_sparse

Numbers = NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def scattered(numbers: Numbers) -> Numbers:
    """Numbers scattered by the steps of splitmix64."""
    z = numbers * _ODD
    for shift, factor in _STEPS:
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return z ^ (z >> np.uint64(31))


def order_by_content(X: Any, *columns: NDArray[Any], by_column: bool = True) -> NDArray[np.intp]:
    """Rows, array or CSR, and columns of numbers beside them, in an order that looks random.

    It is the same of the same rows in any order, dense or sparse. ``by_column`` says whether it
    matters in which column a number stands: in a kernel of all rows it doesn't.
    """
    return np.lexsort((*columns, _hashes(X, by_column)))


def _hashes(X: Any, by_column: bool) -> Numbers:
    if is_sparse(X):
        of_numbers = _of_numbers(X.data, X.indices if by_column else 0)
        sums = np.append(np.uint64(0), np.cumsum(of_numbers, dtype=np.uint64))
        return np.asarray(sums[X.indptr[1:]] - sums[X.indptr[:-1]])
    places = np.arange(X.shape[1]) if by_column else 0
    hashes = np.empty(X.shape[0], dtype=np.uint64)
    for rows, block in float64_blocks(X):
        hashes[rows] = _of_numbers(block, places).sum(axis=1, dtype=np.uint64)
    return hashes


def _of_numbers(values: NDArray[Any], places: Any) -> Numbers:
    """Of each number and its column; 0 of 0, which sparse rows do not hold."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    hashes = scattered(bits ^ scattered(np.asarray(places, dtype=np.uint64)))
    return np.where(values == 0.0, np.uint64(0), hashes)
