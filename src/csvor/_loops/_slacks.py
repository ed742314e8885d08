"""Newton's method for a sum of slacks on few rows, as `_solvers.minimise_newton` states it."""

from __future__ import annotations

import numpy as np

from csvor._loops._steps import LINE, bounded_step, look_along, to_theta
from csvor._utils.compile import FAST, compiled


@compiled(fastmath=FAST)
def _project(X, center, factor, w, f):
    for i in range(X.shape[0]):
        f[i] = 0.0
        for j in range(w.size):
            f[i] += w[j] * ((X[i, j] - center[j]) * factor[j])


@compiled()
def _ridge_on_thresholds(ridge, b, sums, curvature):
    """Add ``ridge/2 ||b - mean(b)||^2``; its value."""
    m = b.size
    d = sums.size - m
    middle, value = 0.0, 0.0
    for k in range(m):
        middle += b[k] / m
    for k in range(m):
        value += 0.5 * ridge * (b[k] - middle) ** 2
        sums[d + k] += ridge * (b[k] - middle)
        curvature[d + k, d + k] += ridge
        for other in range(k, m):
            curvature[d + k, d + other] -= ridge / m
    return value


@compiled(fastmath=FAST)
def _add_pairs(rows, implicit, f, b, width, damping, sums, curvature):
    """Add slopes and curvature of all pairs with a slack; the value.

    The slack u is rounded: ``u^2 / (2 width)`` up to ``width``, ``u - width / 2`` beyond. Beyond, a
    share ``damping`` of the parabola above stands for the curvature that it has not.
    """
    X, center, factor, codes, costs = rows
    m, d = b.size, X.shape[1]
    z, share, value = np.empty(d), np.empty(m), 0.0
    for i in range(f.size):
        from_k = 0 if implicit else max(codes[i] - 1, 0)
        to_k = m if implicit else min(codes[i] + 1, m)
        pull, whole, met = 0.0, 0.0, False
        for k in range(from_k, to_k):
            side = 1.0 if codes[i] > k else -1.0
            u = 1.0 - side * (f[i] - b[k])
            share[k] = 0.0
            if u <= 0.0:
                continue
            met = True
            inside = u < width
            value += costs[i] * (0.5 * u * u / width if inside else u - 0.5 * width)
            slope = costs[i] * side * (u / width if inside else 1.0)
            share[k] = costs[i] * (damping / max(u, width) + (1.0 / width if inside else 0.0))
            pull += slope
            sums[d + k] += slope
            whole += share[k]
            curvature[d + k, d + k] += share[k]
        if not met:
            continue
        for j in range(d):
            z[j] = (X[i, j] - center[j]) * factor[j]
            sums[j] -= pull * z[j]
        if whole == 0.0:
            continue
        for j in range(d):
            scaled = whole * z[j]
            for other in range(j, d):
                curvature[j, other] += scaled * z[other]
            for k in range(from_k, to_k):
                curvature[j, d + k] -= share[k] * z[j]
    return value


@compiled(fastmath=FAST)
def _add_pair_slopes(rows, implicit, f, b, df, db, t, width, slopes):
    """Add the derivatives at t on a line; how many pairs are on another piece than at 0."""
    codes, costs = rows[3], rows[4]
    m, first, second, moved = b.size, 0.0, 0.0, 0
    for i in range(f.size):
        from_k = 0 if implicit else max(codes[i] - 1, 0)
        to_k = m if implicit else min(codes[i] + 1, m)
        for k in range(from_k, to_k):
            side = 1.0 if codes[i] > k else -1.0
            start = 1.0 - side * (f[i] - b[k])
            change = -side * (df[i] - db[k])
            u = start + t * change
            moved += (u > 0.0) != (start > 0.0) or (u >= width) != (start >= width)
            if u > 0.0:
                inside = u < width
                first += costs[i] * change * (u / width if inside else 1.0)
                second += costs[i] * change * change / width if inside else 0.0
    slopes[0] += first
    slopes[1] += second
    return moved


@compiled()
def _penalty_slopes(ridge, threshold_ridge, w, dw, b, db):
    """The penalty's derivative at 0 on a line, and its second one."""
    first, second, middle, step, m = 0.0, 0.0, 0.0, 0.0, b.size
    for j in range(w.size):
        first += ridge[j] * w[j] * dw[j]
        second += ridge[j] * dw[j] * dw[j]
    for k in range(m):
        middle += b[k] / m
        step += db[k] / m
    for k in range(m):
        first += threshold_ridge * (b[k] - middle) * db[k]
        second += threshold_ridge * (db[k] - step) * db[k]
    return first, second


@compiled()
def minimise_slacks(rows, implicit, ridge, threshold_ridge, theta, width, damping, limits):
    """Move theta to the least value: the steps taken, or -1 where one was not found.

    ``limits`` are tol, the share that is rounding, and the most steps.
    """
    X, center, factor = rows[0], rows[1], rows[2]
    d, size = ridge.size, theta.size
    tol, rounding, most = limits
    gradient, hessian = np.empty(size), np.empty((size, size))
    step, f, df = np.empty(size), np.empty(X.shape[0]), np.empty(X.shape[0])
    taken = 0
    while taken < most:
        b = np.cumsum(theta[d:])
        _project(X, center, factor, theta[:d], f)
        sums, curvature = np.zeros(size), np.zeros((size, size))
        value = _add_pairs(rows, implicit, f, b, width, damping, sums, curvature)
        if threshold_ridge > 0.0:
            value += _ridge_on_thresholds(threshold_ridge, b, sums, curvature)
        value += to_theta(theta, ridge, sums, curvature, gradient, hessian)
        if not bounded_step(hessian, gradient, theta, size - d - 1, step):
            return -1
        slope = 0.0
        for j in range(size):
            slope += gradient[j] * step[j]
        if -0.5 * slope <= max(tol, rounding) * abs(value):
            return taken
        db = np.cumsum(step[d:])
        _project(X, center, factor, step[:d], df)
        at_start, along = _penalty_slopes(ridge, threshold_ridge, theta[:d], step[:d], b, db)
        line, slopes = LINE.copy(), np.empty(2)
        while True:
            slopes[0], slopes[1] = at_start + line[2] * along, along
            moved = _add_pair_slopes(rows, implicit, f, b, df, db, line[2], width, slopes)
            if look_along(line, slopes[0], slopes[1]):
                break
        t = line[2]
        for j in range(size):
            theta[j] += t * step[j]
        taken += 1
        if damping == 0.0 and t == 1.0 and moved == 0:
            return taken
        damping = 0.1 * damping if t > 0.9 else min(4.0 * damping, 1.0)
    return taken
