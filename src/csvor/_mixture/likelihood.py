"""How likely is a label that may be wrong, given margins?

A row's true class t has ordered logits of its margins m, held to fall in k,
``G_k = P(t > k) = logistic(a_k m_k + c_k)``. Its label is t, or with probability eta any of the K
classes, or with probability nu one that depends on t, with the chances of a channel N:

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


def class_masses(slopes: Array, shifts: Array, margins: Array) -> Array:
    """``P(t)`` of each class, shape (n, n_classes)."""
    z = np.clip(slopes * margins + shifts, -700.0, 700.0)
    falling = np.minimum.accumulate(1.0 / (1.0 + np.exp(-z)), axis=1)
    ends = np.ones((margins.shape[0], 1))
    return -np.diff(np.hstack([ends, falling, 0.0 * ends]), axis=1)


@compiled(fastmath=FAST)
def label_likelihood(
    margins, codes, weights, confirmed, original, slopes, shifts, eta, nu, table, reach, gradient
):
    """The weighted log-likelihood; ``gradient`` gets its derivatives by a, c, eta and nu.

    ``table`` is ``N(k | t)``, and 0 where k and t are more than ``reach`` apart. Where a label is
    confirmed the true class is known, and the label that it had tells of errors: the row has the
    likelihood ``P(original | t) P(t)`` at t, its code.
    """
    q = slopes.size
    K = q + 1
    gradient[:] = 0.0
    # Of G up to the last that is needed, and of the margin that holds it down.
    falling, source = np.empty(q), np.empty(q, dtype=np.int64)
    total = 0.0
    for i in range(codes.size):
        y = codes[i]
        first, last = max(y - reach, 0), min(y + reach, q)
        lowest, at = 2.0, 0
        for k in range(min(last + 1, q)):
            value = 1.0 / (1.0 + math.exp(-(slopes[k] * margins[i, k] + shifts[k])))
            if value < lowest:
                lowest, at = value, k
            falling[k], source[k] = lowest, at
        mass = _mass(falling, y, q)
        if confirmed[i]:
            stays, v, had = 1.0, 0.0, original[i]
            same = 1.0 if had == y else 0.0
            passed = max((1.0 - eta - nu) * same + eta / K + nu * table[had, y], LEAST)
            likelihood = max(mass, LEAST)
            total += weights[i] * math.log(passed)
            gradient[2 * q] += weights[i] * (1.0 / K - same) / passed
            gradient[2 * q + 1] += weights[i] * (table[had, y] - same) / passed
        else:
            stays, v = 1.0 - eta - nu, nu
            astray = 0.0
            for t in range(first, last + 1):
                astray += table[y, t] * _mass(falling, t, q)
            likelihood = max(stays * mass + eta / K + v * astray, LEAST)
            gradient[2 * q] += weights[i] / likelihood * (1.0 / K - mass)
            gradient[2 * q + 1] += weights[i] / likelihood * (astray - mass)
        total += weights[i] * math.log(likelihood)
        pull = weights[i] / likelihood
        for k in range(max(first - 1, 0), min(last + 1, q)):
            # G_k is lost to the class k and won by the class k + 1.
            by = v * (table[y, k + 1] - table[y, k])
            if k + 1 == y:
                by += stays
            elif k == y:
                by -= stays
            j = source[k]
            slope = pull * by * falling[k] * (1.0 - falling[k])
            gradient[j] += slope * margins[i, j]
            gradient[q + j] += slope
    return total


@compiled(fastmath=FAST)
def _mass(falling, t, q):
    upper = 1.0 if t == 0 else falling[t - 1]
    return upper - (0.0 if t == q else falling[t])
