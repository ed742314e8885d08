"""Loops over the stored numbers of sparse rows; what is not stored is 0.

``X`` holds data, indices and row pointers; ``start`` and ``stop`` say which rows are meant. A row
whose weight is 0 is passed over.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from scipy import sparse

from csvor._utils.compile import FAST, compiled

Csr = namedtuple("Csr", "data indices starts")


def is_sparse(X: Any) -> bool:
    return bool(sparse.issparse(X))


def parts_of(X: Any) -> Csr:
    """Of a CSR matrix, as loops read them."""
    return Csr(X.data, X.indices, X.indptr)


@compiled(fastmath=FAST)
def csr_matvec(X, start, stop, w, shift, products):
    """Set ``products`` to ``X w - shift``."""
    for i in range(start, stop):
        data, columns = _row(X, i)
        total = -shift
        for at in range(data.size):
            total += data[at] * w[np.uintp(columns[at])]
        products[i] = total


@compiled(fastmath=FAST)
def add_transpose_matvec(X, start, stop, weights, sums):
    """Add ``X' weights``."""
    for i in range(start, stop):
        weight = weights[i]
        if weight != 0.0:
            data, columns = _row(X, i)
            for at in range(data.size):
                sums[np.uintp(columns[at])] += weight * data[at]


@compiled(fastmath=FAST)
def add_sandwich_matvec(X, start, stop, weights, w, shift, sums):
    """Add ``X' diag(weights) (X w - shift)``; returns the sum of what X' is applied to."""
    total = 0.0
    for i in range(start, stop):
        if weights[i] != 0.0:
            data, columns = _row(X, i)
            product = -shift
            for at in range(data.size):
                product += data[at] * w[np.uintp(columns[at])]
            product *= weights[i]
            total += product
            for at in range(data.size):
                sums[np.uintp(columns[at])] += product * data[at]
    return total


@compiled(fastmath=FAST)
def add_sandwich_diagonal(X, start, stop, weights, vectors, moments):
    """Add, for each column, its products with ``vectors``, the sum by weight and the squares.

    ``vectors`` and the weights are those of all rows; ``moments`` has a row for each column.
    """
    m = vectors.shape[0]
    for i in range(start, stop):
        weight, counts = weights[i], False
        for k in range(m):
            counts |= vectors[k, i] != 0.0
        if weight == 0.0 and not counts:
            continue
        data, columns = _row(X, i)
        for at in range(data.size):
            sums, value = moments[np.uintp(columns[at])], data[at]
            for k in range(m):
                sums[k] += vectors[k, i] * value
            sums[m] += weight * value
            sums[m + 1] += weight * value * value


@compiled(fastmath=FAST)
def add_sandwich(X, start, stop, weights, sandwich):
    """Add ``X' diag(weights) X``."""
    for i in range(start, stop):
        weight = weights[i]
        if weight != 0.0:
            data, columns = _row(X, i)
            for at in range(data.size):
                row, product = sandwich[np.uintp(columns[at])], weight * data[at]
                for other in range(data.size):
                    row[np.uintp(columns[other])] += product * data[other]


@compiled()
def _row(X, i):
    """Numbers and columns of a row.

    Where they are positions, say that they are not negative, or Numba looks.
    """
    start, stop = X.starts[i], X.starts[i + 1]
    return X.data[start:stop], X.indices[start:stop]


@compiled()
def find_spans(X, n, share, low, high, mean, spread, counts):
    """Set least and largest value of each column, mean and standard deviation by ``share``.

    ``counts`` gain the numbers stored; ``low`` and ``high`` come as inf and -inf, the others as 0.
    """
    d = low.size
    weight_of, offsets, squares = np.zeros(d), np.zeros(d), np.zeros(d)
    for i in range(n):
        for at in range(X.starts[i], X.starts[i + 1]):
            j, value = X.indices[at], X.data[at]
            low[j], high[j] = min(low[j], value), max(high[j], value)
            counts[j] += 1
            weight_of[j] += share[i]
            mean[j] += share[i] * value
    # Squares are taken from 0, or from the middle where most of a column is stored: a large mean
    # would swallow them.
    for j in range(d):
        mean[j] = mean[j] / weight_of[j] if weight_of[j] > 0.5 else 0.0
        if counts[j] < n:
            low[j], high[j] = min(low[j], 0.0), max(high[j], 0.0)
    for i in range(n):
        for at in range(X.starts[i], X.starts[i + 1]):
            off = X.data[at] - mean[X.indices[at]]
            offsets[X.indices[at]] += share[i] * off
            squares[X.indices[at]] += share[i] * off * off
    for j in range(d):
        middle = mean[j]
        rest = max(1.0 - weight_of[j], 0.0) if counts[j] < n else 0.0
        offset = offsets[j] - rest * middle
        mean[j] = middle + offset
        spread[j] = np.sqrt(max(squares[j] + rest * middle * middle - offset * offset, 0.0))
