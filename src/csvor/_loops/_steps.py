"""From sums over the rows to a Newton step."""

from __future__ import annotations

import numpy as np

from csvor._utils.compile import FAST, compiled

# A pivot below this is rounding.
_PIVOT = 1e-14


@compiled()
def to_theta(theta, ridge, sums, curvature, gradient, hessian):
    """Set gradient and Hessian in theta = [w; b_1; gaps] from those of the losses in (w, b).

    Of ``curvature`` the upper triangle is read. Returns the penalty ``1/2 w' diag(ridge) w``.
    """
    d, size = ridge.size, theta.size
    penalty = 0.0
    for i in range(d):
        penalty += 0.5 * ridge[i] * theta[i] ** 2
        gradient[i] = sums[i] + ridge[i] * theta[i]
        for j in range(i, d):
            hessian[i, j] = hessian[j, i] = curvature[i, j]
        hessian[i, i] += ridge[i]
        total = 0.0
        for k in range(size - 1, d - 1, -1):  # a gap moves all thresholds from its own on
            total += curvature[i, k]
            hessian[i, k] = hessian[k, i] = total
    total = 0.0
    for k in range(size - 1, d - 1, -1):
        total += sums[k]
        gradient[k] = total
        from_k = 0.0
        for other in range(size - 1, d - 1, -1):
            from_k += curvature[min(k, other), max(k, other)]
            below = hessian[k + 1, other] if k + 1 < size else 0.0
            hessian[k, other] = from_k + below
    return penalty


@compiled()
def bounded_step(hessian, gradient, theta, n_bounded, step):
    """Set ``step`` to the least of ``1/2 s'Hs + g's`` with the last of theta + s not negative.

    The coordinates at their bound are guessed, and exchanged until their multipliers and the steps
    of the others have the right sign. Returns whether that was found.
    """
    size = gradient.size
    free = size - n_bounded
    held = np.zeros(size, dtype=np.bool_)
    lower = np.empty((size, size))
    for _ in range(3 * n_bounded + 1):
        if not _step_of_free(hessian, gradient, theta, held, lower, step):
            return False
        exchanged, worst, wrong = False, 0.0, -1
        for j in range(free, size):
            if not held[j] and step[j] < -theta[j]:
                held[j] = exchanged = True
            elif held[j]:
                pull = gradient[j]
                for k in range(size):
                    pull += hessian[j, k] * step[k]
                if pull < worst:
                    worst, wrong = pull, j
        if not exchanged and worst < -1e-10 * abs(gradient[wrong]):
            held[wrong], exchanged = False, True
        if not exchanged:
            return True
    return False


@compiled(fastmath=FAST)
def _step_of_free(hessian, gradient, theta, held, lower, step):
    """The step with the coordinates ``held`` moved to 0; whether H is positive definite.

    H is scaled to a diagonal of 1, and lifted by rounding where that has made it indefinite; a
    coordinate that nothing pulls at keeps its place.
    """
    size = gradient.size
    scale, right = np.empty(size), np.empty(size)
    for i in range(size):
        scale[i] = hessian[i, i] ** -0.5 if hessian[i, i] > 0.0 else 1.0
        right[i] = -theta[i] / scale[i] if held[i] else -gradient[i] * scale[i]
        if not held[i]:
            for k in range(size):
                right[i] += hessian[i, k] * theta[k] * scale[i] if held[k] else 0.0
    lift = 0.0
    while not _factor(hessian, scale, held, lift, lower):
        lift = max(10.0 * lift, _PIVOT)
        if lift > 1e-6:
            return False
    for i in range(size):
        left = right[i]
        for k in range(i):
            left -= lower[i, k] * right[k]
        right[i] = left / lower[i, i]
    for i in range(size - 1, -1, -1):
        left = right[i]
        for k in range(i + 1, size):
            left -= lower[k, i] * right[k]
        right[i] = left / lower[i, i]
        step[i] = -theta[i] if held[i] else right[i] * scale[i]
    return True


@compiled(fastmath=FAST)
def _factor(hessian, scale, held, lift, lower):
    """Set ``lower`` to the Cholesky factor of the scaled H, with 1 for the coordinates held."""
    for i in range(scale.size):
        for j in range(i + 1):
            left = hessian[i, j] * scale[i] * scale[j]
            if i == j:
                left = 1.0 + lift
            elif held[i] or held[j]:
                left = 0.0
            for k in range(j):
                left -= lower[i, k] * lower[j, k]
            if j < i:
                lower[i, j] = left / lower[j, j]
            elif left > _PIVOT:
                lower[i, i] = np.sqrt(left)
            else:
                return False
    return True


@compiled()
def weighted_quantile(values, level, weights):
    """The least value up to which ``level`` of the weight lies: a weight is a repetition.

    By selection: what lies on the wrong side of a pivot is not looked at again.
    """
    v, w = values.copy(), weights.copy()
    n = v.size
    total = 0.0
    for i in range(n):
        total += w[i]
    # A hair below, since 0.55 * 100 is 55.00000...01.
    wanted = level * total - 1e-9 * total / n
    low, high, before = 0, n, 0.0
    while high - low > 1:
        a, b, c = v[low], v[(low + high) // 2], v[high - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        less, at, more, reached, equal = low, low, high, before, 0.0
        while at < more:
            if v[at] < pivot:
                reached += w[at]
                v[at], v[less] = v[less], v[at]
                w[at], w[less] = w[less], w[at]
                less, at = less + 1, at + 1
            elif v[at] > pivot:
                more -= 1
                v[at], v[more] = v[more], v[at]
                w[at], w[more] = w[more], w[at]
            else:
                equal += w[at]
                at += 1
        if less > low and reached >= wanted:
            high = less
        elif reached + equal >= wanted or more == high:
            return pivot
        else:
            low, before = more, reached + equal
    return v[low]


@compiled()
def look_along(line, first, second):
    """Where on [0, 1] to look next for the least value of a convex function.

    ``line`` holds bounds, the place looked at and what is remembered; `LINE` is its start.
    ``first`` and ``second`` are the derivatives there. Returns whether that place is the end:
    Newton with a bracket, which on a piecewise quadratic ends after a few pieces.
    """
    line[3] += 1.0
    if line[3] == 1.0:
        line[4], line[5] = first, second
        if first > 0.0:
            line[2] = 0.0
        return first <= 0.0
    if line[3] == 2.0:
        line[2], line[6] = 1.0, abs(first)
        first, second = line[4], line[5]
    t = line[2]
    if abs(first) <= 1e-10 * line[6] or line[3] >= 52.0:
        return True
    if first < 0.0:
        line[0] = t
    else:
        line[1] = t
    t = t - first / second if second > 0.0 else line[0]
    line[2] = t if line[0] < t < line[1] else 0.5 * (line[0] + line[1])
    return False


# Bounds, place, looks, the slopes at 1, and the size of the slope at 0.
LINE = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
