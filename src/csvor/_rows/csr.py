"""Loops over the stored numbers of sparse rows; what is not stored is 0.

``X`` holds data, indices and row pointers; ``start`` and ``stop`` say which rows are meant. A row
whose weight is 0 is passed over.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from csvor._utils.compile import FAST, compiled

Csr = namedtuple("Csr", "data indices starts")


@compiled(fastmath=FAST)
def multiply(X, start, stop, w, shift, products):
    """Set ``products`` to ``X w - shift``."""
    for i in range(start, stop):
        total = -shift
        for at in range(X.starts[i], X.starts[i + 1]):
            total += X.data[at] * w[X.indices[at]]
        products[i] = total


@compiled(fastmath=FAST)
def add_pulled(X, start, stop, weights, sums):
    """Add ``X' weights``."""
    for i in range(start, stop):
        weight = weights[i]
        if weight != 0.0:
            for at in range(X.starts[i], X.starts[i + 1]):
                sums[X.indices[at]] += weight * X.data[at]


@compiled(fastmath=FAST)
def add_twice(X, start, stop, weights, w, shift, sums):
    """Add ``X' diag(weights) (X w - shift)``; returns the sum of what X' is applied to."""
    total = 0.0
    for i in range(start, stop):
        if weights[i] != 0.0:
            product = -shift
            for at in range(X.starts[i], X.starts[i + 1]):
                product += X.data[at] * w[X.indices[at]]
            product *= weights[i]
            total += product
            for at in range(X.starts[i], X.starts[i + 1]):
                sums[X.indices[at]] += product * X.data[at]
    return total


@compiled(fastmath=FAST)
def add_moments(X, start, stop, weights, sums, squares):
    """Add weighted sums and squares of each column."""
    for i in range(start, stop):
        weight = weights[i]
        if weight != 0.0:
            for at in range(X.starts[i], X.starts[i + 1]):
                j, value = X.indices[at], X.data[at]
                sums[j] += weight * value
                squares[j] += weight * value * value


@compiled(fastmath=FAST)
def add_curved(X, start, stop, weights, curved):
    """Add ``X' diag(weights) X``."""
    for i in range(start, stop):
        weight = weights[i]
        if weight != 0.0:
            for at in range(X.starts[i], X.starts[i + 1]):
                own, product = curved[X.indices[at]], weight * X.data[at]
                for other in range(X.starts[i], X.starts[i + 1]):
                    own[X.indices[other]] += product * X.data[other]


@compiled()
def find_spans(X, n, share, low, high, mean, spread, counts):
    """Set least and largest value of each column, mean and standard deviation by ``share``.

    ``counts`` gain the numbers stored; ``low`` and ``high`` come as inf and -inf, the others as 0.
    """
    d = low.size
    held, offsets, squares = np.zeros(d), np.zeros(d), np.zeros(d)
    for i in range(n):
        for at in range(X.starts[i], X.starts[i + 1]):
            j, value = X.indices[at], X.data[at]
            low[j], high[j] = min(low[j], value), max(high[j], value)
            counts[j] += 1
            held[j] += share[i]
            mean[j] += share[i] * value
    # Squares are taken from 0, or from the middle where most of a column is stored: a large mean
    # would swallow them.
    for j in range(d):
        mean[j] = mean[j] / held[j] if held[j] > 0.5 else 0.0
        if counts[j] < n:
            low[j], high[j] = min(low[j], 0.0), max(high[j], 0.0)
    for i in range(n):
        for at in range(X.starts[i], X.starts[i + 1]):
            off = X.data[at] - mean[X.indices[at]]
            offsets[X.indices[at]] += share[i] * off
            squares[X.indices[at]] += share[i] * off * off
    for j in range(d):
        middle = mean[j]
        rest = max(1.0 - held[j], 0.0) if counts[j] < n else 0.0
        offset = offsets[j] - rest * middle
        mean[j] = middle + offset
        spread[j] = np.sqrt(max(squares[j] + rest * middle * middle - offset * offset, 0.0))
