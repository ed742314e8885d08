"""What the objective needs of the rows, in one pass.

Rows are worked on in blocks whose columns fit into the cache, each step of the formula as a loop
that the compiler turns into vector instructions.
"""

import numpy as np

from csvor._utils.compile import FAST, compiled

# Rows of a block.
_BLOCK = 128
# From this many columns on, rows without a weight are taken out of a block first.
_PACKED_FROM = 16


@compiled(fastmath=FAST)
def add_rows(
    X,
    center,
    factor,
    codes,
    costs,
    w,
    b,
    implicit,
    p,
    cap,
    delta,
    bend,
    edge,
    width,
    sums,
    curvature,
):
    """Add the terms of all rows of X to objective, gradient and Hessian.

    Parameters
    ----------
    X : ndarray of shape (n, d); ``(X - center) * factor`` are the features of w
    codes, costs : ndarrays of shape (n,)
    w, b : ndarrays of shape (d,) and (m,)
    implicit : bool
    p, cap, delta : float
        The cap is one on g.
    bend, edge, width : float
        Of the curvature: ``bend`` is the share of the loss's curvature in g that counts; its
        corner at the cap is spread over ``edge`` on either side, and left out where that is 0;
        ``width`` stands for delta.
    sums : ndarray of shape (d + m + 3,)
        Gradient by w and by b, the losses of the rows that are not cut, the same of the smoothed
        loss, and the costs of the rows that are cut.
    curvature : ndarray of shape (d + m, d + m)
        Upper triangle.
    """
    n_rows, d = X.shape
    m = b.size
    even_d, even_m = d + d % 2, m + m % 2
    z, share = np.zeros((even_d, _BLOCK)), np.zeros((even_m, _BLOCK))
    pair, slopes = np.empty((m, _BLOCK)), np.zeros(even_d)
    products = np.zeros((even_d, even_d + even_m))
    f, y, cost, g = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    weight, firm, bent = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    pull, whole = np.empty(_BLOCK), np.empty(_BLOCK)
    for start in range(0, n_rows, _BLOCK):
        n = min(_BLOCK, n_rows - start)
        rows, labels = X[start : start + n], codes[start : start + n]
        given = costs[start : start + n]
        for r in range(n):
            f[r] = 0.0
        for j in range(d):
            for r in range(n):
                z[j, r] = (rows[r, j] - center[j]) * factor[j]
            for r in range(n):
                f[r] += w[j] * z[j, r]
        for r in range(n):
            y[r], cost[r] = labels[r], given[r]
        _meet_thresholds(n, f, y, b, implicit, g, pair, pull)
        _weigh(n, g, cost, p, cap, delta, weight, sums[d + m :])
        _firm_up(n, g, cost, p, cap, delta, bend, edge, width, weight, firm, bent)
        _share_out(
            n, weight, firm, bent, pair, pull, implicit, share, whole, sums[d:], curvature[d:, d:]
        )
        if d >= _PACKED_FROM:
            n = _pack(n, pull, whole, share, z)
        _add_products(n, z, pull, whole, share, slopes, products)
    for i in range(d):
        sums[i] += slopes[i]
        for j in range(i, d):
            curvature[i, j] += products[i, j]
        for k in range(m):
            curvature[i, d + k] -= products[i, even_d + k]


@compiled(fastmath=FAST)
def _meet_thresholds(n, f, y, b, implicit, g, pair, pull):
    """Slacks times side of each pair, their sum, and the sum of their squares."""
    for r in range(n):
        g[r] = pull[r] = 0.0
    for k in range(b.size):
        for r in range(n):
            above, off = y[r] > k, y[r] - k
            over = f[r] - b[k]
            slack = max(1.0 - over, 0.0) if above else max(1.0 + over, 0.0)
            if not implicit:
                slack = slack if (off == 0.0) or (off == 1.0) else 0.0
            g[r] += slack * slack
            pair[k, r] = slack if above else -slack
            pull[r] += pair[k, r]


@compiled(fastmath=FAST)
def _weigh(n, g, cost, p, cap, delta, weight, totals):
    """Twice the weight of each row's squared slacks."""
    half = 0.5 * p
    least = delta**half if delta > 0.0 else 0.0
    value, smooth, cut = 0.0, 0.0, 0.0
    if p == 2.0:
        for r in range(n):
            weight[r] = 2.0 * cost[r]
            value += cost[r] * g[r] if g[r] <= cap else 0.0
        smooth = value
    elif p == 1.0:
        for r in range(n):
            root = np.sqrt(g[r] + delta)
            weight[r] = cost[r] / root if root > 0.0 else 0.0
            value += cost[r] * np.sqrt(g[r]) if g[r] <= cap else 0.0
            smooth += cost[r] * (root - least) if g[r] <= cap else 0.0
    else:
        for r in range(n):
            weight[r] = 0.0
            if g[r] > 0.0:
                power = (g[r] + delta) ** half
                weight[r] = cost[r] * p * power / (g[r] + delta)
                if g[r] <= cap:
                    value += cost[r] * (power if delta < 1e-17 * g[r] else g[r] ** half)
                    smooth += cost[r] * (power - least)
    if cap < np.inf:
        for r in range(n):
            out = g[r] > cap
            weight[r] = 0.0 if out else weight[r]
            cut += cost[r] if out else 0.0
    totals[-3] += value
    totals[-2] += smooth
    totals[-1] += cut


@compiled(fastmath=FAST)
def _firm_up(n, g, cost, p, cap, delta, bend, edge, width, weight, firm, bent):
    """Curvature of each row's squared slacks, and how much of it a slack takes back."""
    if width == delta or p == 2.0:
        for r in range(n):
            firm[r] = weight[r]
    elif p == 1.0:
        for r in range(n):
            firm[r] = cost[r] / np.sqrt(g[r] + width) if g[r] <= cap else 0.0
    else:
        for r in range(n):
            inside = 0.0 < g[r] <= cap
            firm[r] = cost[r] * p * (g[r] + width) ** (0.5 * p - 1.0) if inside else 0.0
    for r in range(n):
        bent[r] = bend * firm[r] / (g[r] + width) if bend * firm[r] > 0.0 else 0.0
    if edge > 0.0:
        corner = p * (cap + width) ** (0.5 * p - 1.0) / edge
        for r in range(n):
            bent[r] += corner * cost[r] if abs(g[r] - cap) < edge else 0.0


@compiled(fastmath=FAST)
def _share_out(n, weight, firm, bent, pair, pull, implicit, share, whole, slopes, own):
    """Curvature of each pair with the score, their sum, and what concerns thresholds alone."""
    m = pair.shape[0]
    for r in range(n):
        whole[r] = 0.0
    for k in range(m):
        slope, square = 0.0, 0.0
        for r in range(n):
            slope += weight[r] * pair[k, r]
            held = pair[k, r] != 0.0
            share[k, r] = firm[r] - bent[r] * pair[k, r] * pull[r] if held else 0.0
            square += firm[r] - bent[r] * pair[k, r] * pair[k, r] if held else 0.0
            whole[r] += share[k, r]
        slopes[k] += slope
        own[k, k] += square
        for other in range(k + 1, m if implicit else min(k + 2, m)):
            both = 0.0
            for r in range(n):
                both += bent[r] * pair[k, r] * pair[other, r]
            own[k, other] -= both
    for r in range(n):
        pull[r] *= weight[r]


@compiled()
def _pack(n, pull, whole, share, z):
    """Move the rows that have a slack and are not cut to the front; their number."""
    last = 0
    for r in range(n):
        if whole[r] == 0.0 and pull[r] == 0.0:
            continue
        pull[last], whole[last] = pull[r], whole[r]
        for k in range(share.shape[0]):
            share[k, last] = share[k, r]
        for j in range(z.shape[0]):
            z[j, last] = z[j, r]
        last += 1
    return last


@compiled(fastmath=FAST)
def _add_products(n, z, pull, whole, share, slopes, products):
    """Two by two, so that what is read is used twice; z and share have an even number of rows."""
    d = z.shape[0]
    one, two = np.empty(n), np.empty(n)
    for i in range(0, d, 2):
        slope, next_slope = 0.0, 0.0
        for r in range(n):
            slope += pull[r] * z[i, r]
            next_slope += pull[r] * z[i + 1, r]
            one[r] = whole[r] * z[i, r]
            two[r] = whole[r] * z[i + 1, r]
        slopes[i] -= slope
        slopes[i + 1] -= next_slope
        for j in range(i, d, 2):
            _add_four(n, one, two, z[j], z[j + 1], products, i, j)
        for k in range(0, share.shape[0], 2):
            _add_four(n, z[i], z[i + 1], share[k], share[k + 1], products, i, d + k)


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


@compiled(fastmath=FAST)
def add_slope(X, center, factor, codes, costs, w, b, dw, db, t, implicit, p, cap, delta, slopes):
    """Add first and second derivative at t of the surrogate on ``(w, b) + t (dw, db)``.

    The surrogate is the one at t = 0.
    """
    d, m = w.size, b.size
    first, second = 0.0, 0.0
    for i in range(X.shape[0]):
        f, step = 0.0, 0.0
        for j in range(d):
            z = (X[i, j] - center[j]) * factor[j]
            f += w[j] * z
            step += dw[j] * z
        from_k = 0 if implicit else max(codes[i] - 1, 0)
        to_k = m if implicit else min(codes[i] + 1, m)
        g, slope, own = 0.0, 0.0, 0.0
        for k in range(from_k, to_k):
            side = 1.0 if codes[i] > k else -1.0
            excess, change = 1.0 - side * (f - b[k]), -side * (step - db[k])
            if excess > 0.0:
                g += excess * excess
            if excess + t * change > 0.0:
                slope += (excess + t * change) * change
                own += change * change
        if g <= cap and own > 0.0 and (g + delta > 0.0 or p == 2.0):
            weight = costs[i] * (2.0 if p == 2.0 else p * (g + delta) ** (0.5 * p - 1.0))
            first += weight * slope
            second += weight * own
    slopes[0] += first
    slopes[1] += second


@compiled()
def squared_slacks(X, center, factor, codes, w, b, implicit, f, g):
    """Set f to the score and g to the sum of squared slacks of each row."""
    d, m = w.size, b.size
    for i in range(X.shape[0]):
        score = 0.0
        for j in range(d):
            score += w[j] * ((X[i, j] - center[j]) * factor[j])
        total = 0.0
        from_k = 0 if implicit else max(codes[i] - 1, 0)
        to_k = m if implicit else min(codes[i] + 1, m)
        for k in range(from_k, to_k):
            side = 1.0 if codes[i] > k else -1.0
            slack = max(1.0 - side * (score - b[k]), 0.0)
            total += slack * slack
        f[i], g[i] = score, total
