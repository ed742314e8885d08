"""From a row's slopes and weights to what it adds to gradient and Hessian, or to a line's slope."""

from __future__ import annotations

import numpy as np

from csvor._loss.capped import row_weights
from csvor._loss.margins import BLOCK, pair_losses
from csvor._utils.compile import FAST, compiled


@compiled(fastmath=FAST)
def add_hessian_terms(
    n, weight, curvature, concavity, slope, curve, pull, implicit, hess_fb, hess_ff, grad_b, hess_bb
):
    """Split the model of n rows into what multiplies their features and what does not.

    With the losses g of a row, their slopes ``s_k`` and curvatures ``c_k``, the model's Hessian in
    the scores of the pairs is ``curvature diag(c) - concavity s s'``. Sets ``hess_fb`` (by pair,
    with the score), ``hess_ff`` (their sum, by the score twice) and ``pull`` (slope by the
    score); adds to ``grad_b`` and the upper triangle of ``hess_bb``, gradient and Hessian by the
    thresholds.
    """
    m = slope.shape[0]
    for r in range(n):
        hess_ff[r] = 0.0
    for k in range(m):
        s, c, fb_k = slope[k], curve[k], hess_fb[k]
        total, square = 0.0, 0.0
        for r in range(n):
            total += weight[r] * s[r]
            bound = curvature[r] * c[r]
            fb_k[r] = bound - concavity[r] * s[r] * pull[r]
            square += bound - concavity[r] * s[r] * s[r]
            hess_ff[r] += fb_k[r]
        grad_b[k] += total
        hess_bb[k, k] += square
        for j in range(k + 1, m if implicit else min(k + 2, m)):
            other, both = slope[j], 0.0
            for r in range(n):
                both += concavity[r] * s[r] * other[r]
            hess_bb[k, j] -= both
    for r in range(n):
        pull[r] *= weight[r]


@compiled(fastmath=FAST)
def add_slopes(line, codes, b, db, t, pair, slopes):
    """Add first and second derivative at t of the surrogate on a line of scores.

    ``line`` holds the scores at its start, their changes, and weights. The surrogate is the one at
    t = 0: the weights of its rows are those there.
    """
    scores, changes, weights = line
    m = b.size
    slope, curve = np.empty((m, BLOCK)), np.empty((m, BLOCK))
    moved = np.empty(m)
    for k in range(m):
        moved[k] = b[k] + t * db[k]
    f, y, g, pull = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    first, second = 0.0, 0.0
    for start in range(0, scores.size, BLOCK):
        n = min(BLOCK, scores.size - start)
        df, weight = changes[start : start + n], weights[start : start + n]
        f_0, labels = scores[start : start + n], codes[start : start + n]
        for r in range(n):
            f[r], y[r] = f_0[r] + t * df[r], labels[r]
        pair_losses(n, f, y, moved, pair, g, slope, curve, pull)
        for k in range(m):
            s, c, db_k = slope[k], curve[k], db[k]
            for r in range(n):
                change = weight[r] * (df[r] - db_k)
                first -= s[r] * change
                second += c[r] * change * (df[r] - db_k)
    slopes[0] += first
    slopes[1] += second


@compiled(fastmath=FAST)
def terms_at(scores, codes, costs, b, pair, loss, losses, pull, hess_ff, hess_fb, sums_b, hess_bb):
    """The terms of rows in gradient and Hessian, before the features come in.

    Sets losses, ``pull``, ``hess_ff`` and ``hess_fb`` of all rows; ``sums_b`` gains the gradient by
    b and the totals of `row_weights`, ``hess_bb`` the upper triangle of the Hessian by b.
    """
    m = b.size
    implicit = pair[0].implicit == 1
    slope, curve, block_fb = np.empty((m, BLOCK)), np.empty((m, BLOCK)), np.empty((m, BLOCK))
    y, weight = np.empty(BLOCK), np.empty(BLOCK)
    curved, concavity = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, scores.size, BLOCK):
        n = min(BLOCK, scores.size - start)
        f, g, cost = scores[start : start + n], losses[start : start + n], costs[start : start + n]
        block_pull, block_ff = pull[start : start + n], hess_ff[start : start + n]
        for r in range(n):
            y[r] = codes[start + r]
        pair_losses(n, f, y, b, pair, g, slope, curve, block_pull)
        row_weights(n, g, cost, loss, weight, curved, concavity, sums_b[m:])
        add_hessian_terms(
            n, weight, curved, concavity, slope, curve, block_pull, implicit, block_fb, block_ff,
            sums_b, hess_bb,
        )  # fmt: skip
        for k in range(m):
            for r in range(n):
                hess_fb[k, start + r] = block_fb[k, r]


@compiled(fastmath=FAST)
def weights_at(scores, codes, costs, b, pair, loss, weights):
    """Set the weight of each row, the slope of its capped loss by g."""
    m = b.size
    slope, curve = np.empty((m, BLOCK)), np.empty((m, BLOCK))
    y, g, pull = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    curved, concavity, unused = np.empty(BLOCK), np.empty(BLOCK), np.zeros(3)
    for start in range(0, scores.size, BLOCK):
        n = min(BLOCK, scores.size - start)
        for r in range(n):
            y[r] = codes[start + r]
        pair_losses(n, scores[start : start + n], y, b, pair, g, slope, curve, pull)
        block_weights = weights[start : start + n]
        row_weights(n, g, costs[start : start + n], loss, block_weights, curved, concavity, unused)
