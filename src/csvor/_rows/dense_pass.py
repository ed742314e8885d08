"""One pass over dense rows, in blocks whose columns fit into the cache.

A block's scores go to `_loss`, which never sees X; what comes back is multiplied with the columns.
Each step is a loop that the compiler turns into vector instructions.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from csvor._loss.capped import row_weights
from csvor._loss.margins import BLOCK, pair_losses
from csvor._loss.pairs import losses_at
from csvor._loss.row_terms import add_hessian_terms, weights_at
from csvor._utils.compile import FAST, compiled

# From one column of a block to the next: at a power of 2 they would meet in the same cache lines.
_STRIDE = BLOCK + 8
# From this many columns on, rows without a weight are taken out of a block first.
_PACKED_FROM = 16

# ``(X - center) * factor`` are the features of the scaled coefficients; ``losses`` is where the g
# of each row are kept, of length 0 where they are not.
Rows = namedtuple("Rows", "X center factor codes costs losses")
Line = namedtuple("Line", "scores changes weights")


@compiled(fastmath=FAST)
def add_rows(rows, w, b, pair, loss, sums, curvature):
    """Add the terms of all rows to objective, gradient and Hessian.

    ``sums``, of shape (d + m + 3,), gains the gradient by w and by b, and `row_weights`' totals;
    ``curvature``, of shape (d + m, d + m), the upper triangle of the Hessian.
    """
    n_rows, d = rows.X.shape
    m = b.size
    implicit = pair[0].implicit == 1
    even_d, even_m = d + d % 2, m + m % 2
    z, hess_fb = np.zeros((even_d, _STRIDE)), np.zeros((even_m, _STRIDE))
    slope, curve, slopes = np.empty((m, _STRIDE)), np.empty((m, _STRIDE)), np.zeros(even_d)
    products = np.zeros((even_d, even_d + even_m))
    f, y, cost, g = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    weight, curved, concavity = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    pull, hess_ff = np.empty(BLOCK), np.empty(BLOCK)
    keeps = rows.losses.size > 0
    for start in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - start)
        X, codes, costs = _block(rows, start, n)
        _project(X, rows.center, rows.factor, w, z, f)
        for r in range(n):
            y[r], cost[r] = codes[r], costs[r]
        pair_losses(n, f, y, b, pair, g, slope, curve, pull)
        if keeps:
            kept = rows.losses[start : start + n]
            for r in range(n):
                kept[r] = g[r]
        row_weights(n, g, cost, loss, weight, curved, concavity, sums[d + m :])
        add_hessian_terms(
            n, weight, curved, concavity, slope, curve, pull, implicit, hess_fb, hess_ff, sums[d:],
            curvature[d:, d:],
        )  # fmt: skip
        if d >= _PACKED_FROM:
            n = _pack(n, pull, hess_ff, hess_fb, z)
        _add_products(n, z, pull, hess_ff, hess_fb, slopes, products)
    for i in range(d):
        sums[i] += slopes[i]
        for j in range(i, d):
            curvature[i, j] += products[i, j]
        for k in range(m):
            curvature[i, d + k] -= products[i, even_d + k]


@compiled(fastmath=FAST)
def begin_line(rows, w, b, dw, pair, loss, line):
    """Set scores, their change along a step of w, and weights: what `add_slopes` needs of rows."""
    n_rows, d = rows.X.shape
    z = np.zeros((d, _STRIDE))
    for start in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - start)
        X, f, df = _block(rows, start, n)[0], line.scores[start:], line.changes[start:]
        _project(X, rows.center, rows.factor, w, z, f)
        for r in range(n):
            df[r] = 0.0
        for j in range(d):
            column, slope_of = z[j], dw[j]
            for r in range(n):
                df[r] += slope_of * column[r]
    weights_at(line.scores, rows.codes, rows.costs, b, pair, loss, line.weights)


@compiled(fastmath=FAST)
def find_losses(rows, w, b, pair, f, g):
    """Set f to the score and g to the losses of each row."""
    n_rows, d = rows.X.shape
    z = np.zeros((d, _STRIDE))
    for start in range(0, n_rows, BLOCK):
        X = _block(rows, start, min(BLOCK, n_rows - start))[0]
        _project(X, rows.center, rows.factor, w, z, f[start:])
    losses_at(f, rows.codes, b, pair, g)


@compiled(fastmath=FAST)
def _project(X, center, factor, w, z, f):
    """Set z to the features of a block, a column a row, and f to its scores."""
    n = X.shape[0]
    for r in range(n):
        f[r] = 0.0
    for j in range(w.size):
        column, middle, scale, slope = z[j], center[j], factor[j], w[j]
        for r in range(n):
            column[r] = (X[r, j] - middle) * scale
        for r in range(n):
            f[r] += slope * column[r]


@compiled()
def _block(rows, start, n):
    stop = start + n
    return rows.X[start:stop], rows.codes[start:stop], rows.costs[start:stop]


@compiled()
def _pack(n, pull, hess_ff, hess_fb, z):
    """Move the rows that pull or bend to the front; their number."""
    last = 0
    for r in range(n):
        if hess_ff[r] == 0.0 and pull[r] == 0.0:
            continue
        pull[last], hess_ff[last] = pull[r], hess_ff[r]
        for k in range(hess_fb.shape[0]):
            hess_fb[k, last] = hess_fb[k, r]
        for j in range(z.shape[0]):
            z[j, last] = z[j, r]
        last += 1
    return last


@compiled(fastmath=FAST)
def _add_products(n, z, pull, hess_ff, hess_fb, slopes, products):
    """Two by two, so that what is read is used twice; z and hess_fb have an even number of rows."""
    d = z.shape[0]
    one, two = np.empty(n), np.empty(n)
    for i in range(0, d, 2):
        column, following = z[i], z[i + 1]
        slope, next_slope = 0.0, 0.0
        for r in range(n):
            slope += pull[r] * column[r]
            next_slope += pull[r] * following[r]
            one[r] = hess_ff[r] * column[r]
            two[r] = hess_ff[r] * following[r]
        slopes[i] -= slope
        slopes[i + 1] -= next_slope
        for j in range(i, d, 2):
            _add_four(n, one, two, z[j], z[j + 1], products, i, j)
        for k in range(0, hess_fb.shape[0], 2):
            _add_four(n, column, following, hess_fb[k], hess_fb[k + 1], products, i, d + k)


@compiled(fastmath=FAST)
def _add_four(n, a, b, c, e, products, i, j):
    ac, ae, bc, be = 0.0, 0.0, 0.0, 0.0
    for r in range(n):
        ac += a[r] * c[r]
        ae += a[r] * e[r]
        bc += b[r] * c[r]
        be += b[r] * e[r]
    products[i, j] += ac
    products[i, j + 1] += ae
    products[i + 1, j] += bc
    products[i + 1, j + 1] += be
