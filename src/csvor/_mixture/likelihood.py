"""How likely is a label that may be wrong, given margins?

A row's true class t has ordered logits of its margins m, held to fall in k,
``G_k = P(t > k) = logistic(a_k m_k + c_k)``. Its label is t, or with probability eta any of the K
classes, or with probability nu a class beside t:

    P(y = k | t) = (1 - eta - nu) [k = t] + eta / K + nu N(k | t)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from csvor._utils.compile import FAST, compiled

Array = NDArray[np.float64]

# A likelihood of less is rounding.
LEAST = 1e-12


def neighbour_channel(n_classes: int) -> Array:
    """``N(k | t)``: half to each class beside t, all to the only one at an end."""
    N = np.zeros((n_classes, n_classes))
    for t in range(n_classes):
        sides = [k for k in (t - 1, t + 1) if 0 <= k < n_classes]
        N[sides, t] = 1.0 / len(sides)
    return N


def channel(eta: float, nu: float, n_classes: int) -> Array:
    """``P(y = k | t)``, a column for each true class."""
    same = (1.0 - eta - nu) * np.eye(n_classes)
    return same + eta / n_classes + nu * neighbour_channel(n_classes)


def class_masses(slopes: Array, shifts: Array, margins: Array) -> Array:
    """``P(t)`` of each class, shape (n, n_classes)."""
    z = np.clip(slopes * margins + shifts, -700.0, 700.0)
    falling = np.minimum.accumulate(1.0 / (1.0 + np.exp(-z)), axis=1)
    ends = np.ones((margins.shape[0], 1))
    return -np.diff(np.hstack([ends, falling, 0.0 * ends]), axis=1)


@compiled(fastmath=FAST)
def label_likelihood(
    margins, codes, weights, confirmed, original, slopes, shifts, eta, nu, gradient
):
    """The weighted log-likelihood; ``gradient`` gets its derivatives by a, c, eta and nu.

    Where a label is confirmed the true class is known, and the label that it had tells of errors:
    the row has the likelihood ``P(original | t) P(t)`` at t, its code.
    """
    q = slopes.size
    K = q + 1
    gradient[:] = 0.0
    # Of G from two below the label to one above, and of the margin that holds it down.
    falling, source = np.empty(q), np.empty(q, dtype=np.int64)
    total = 0.0
    for i in range(codes.size):
        y = codes[i]
        lowest, at = 2.0, 0
        for k in range(min(y + 2, q)):
            value = 1.0 / (1.0 + math.exp(-(slopes[k] * margins[i, k] + shifts[k])))
            if value < lowest:
                lowest, at = value, k
            falling[k], source[k] = lowest, at
        mass = _mass(falling, y, q)
        below = _mass(falling, y - 1, q) if y > 0 else 0.0
        above = _mass(falling, y + 1, q) if y < q else 0.0
        # An end has one class beside it, which gets all that it loses.
        from_below = 1.0 if y == 1 else 0.5
        from_above = 1.0 if y == q - 1 else 0.5
        besides = from_below * below + from_above * above
        if confirmed[i]:
            stays, v, had = 1.0, 0.0, original[i]
            same = 1.0 if had == y else 0.0
            near = 0.0
            if abs(had - y) == 1:
                near = 1.0 if y == 0 or y == q else 0.5
            passed = max((1.0 - eta - nu) * same + eta / K + nu * near, LEAST)
            likelihood = max(mass, LEAST)
            total += weights[i] * math.log(passed)
            gradient[2 * q] += weights[i] * (1.0 / K - same) / passed
            gradient[2 * q + 1] += weights[i] * (near - same) / passed
        else:
            stays, v = 1.0 - eta - nu, nu
            likelihood = max(stays * mass + eta / K + v * besides, LEAST)
            gradient[2 * q] += weights[i] / likelihood * (1.0 / K - mass)
            gradient[2 * q + 1] += weights[i] / likelihood * (besides - mass)
        total += weights[i] * math.log(likelihood)
        pull = weights[i] / likelihood
        for k in range(max(y - 2, 0), min(y + 2, q)):
            # G_k is lost to the class k and won by the class k + 1.
            by = _factor(k + 1, y, stays, v, from_below, from_above)
            by -= _factor(k, y, stays, v, from_below, from_above)
            j = source[k]
            slope = pull * by * falling[k] * (1.0 - falling[k])
            gradient[j] += slope * margins[i, j]
            gradient[q + j] += slope
    return total


@compiled(fastmath=FAST)
def _mass(falling, t, q):
    upper = 1.0 if t == 0 else falling[t - 1]
    return upper - (0.0 if t == q else falling[t])


@compiled(fastmath=FAST)
def _factor(t, y, stays, v, from_below, from_above):
    """What the likelihood of label y gains by the mass of class t, beside what all classes give."""
    if t == y:
        return stays
    if t == y - 1:
        return v * from_below
    return v * from_above if t == y + 1 else 0.0
