"""How likely is a label that may be wrong, given margins and who gave it?

A row's true class t has ordered logits of its margins m, held to fall in k,
``G_k = P(t > k) = logistic(a_k m_k + c_k)``. Its rater r sees the same value at cuts of his own,
``S_k = logistic(s_r (a_k m_k + c_k) + d_r)``, in a class u. He gives u, or with probability eta_r
any of the K classes, or with probability nu one that depends on u, with the chances of a channel N:

    P(y = k | u) = (1 - eta_r - nu) [k = u] + eta_r / K + nu N(k | u)

Without raters u is t. ``P(t, u)`` is what the intervals ``[G_{t+1}, G_t]`` and ``[S_{u+1}, S_u]``
have in common.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from csvor._utils.compile import FAST, compiled

Array = NDArray[np.float64]

# The largest eta, as a share of 1 - nu.
MOST_CARELESS = 0.9975
# A likelihood of less is rounding.
LEAST = 1e-12


class RaterEffects(NamedTuple):
    """What sets each rater apart, arrays of shape (n_raters,).

    Attributes
    ----------
    shifts : ndarray
        Added to all logits: above 0 for who gives higher classes.
    log_scales : ndarray
        The logarithm of what logits are multiplied by: above 0 for who tells classes apart well.
    log_odds : ndarray
        Added to the logit of eta: above 0 for who is careless.
    """

    shifts: Array
    log_scales: Array
    log_odds: Array

    @classmethod
    def none(cls, n_raters: int = 1) -> RaterEffects:
        """Of raters who are all alike."""
        return cls(*np.zeros((3, n_raters)))

    def etas(self, logit_eta: float, nu: float) -> Array:
        """The probability of a careless label, by each, where that of the channel is ``nu``."""
        return np.minimum(expit(logit_eta + self.log_odds), MOST_CARELESS * (1.0 - nu))


def class_masses(slopes: Array, shifts: Array, margins: Array) -> Array:
    """``P(t)`` of each class, shape (n, n_classes)."""
    return -np.diff(survivals(slopes * margins + shifts), axis=1)


def survivals(logits: Array) -> Array:
    """``P(t > k)`` with 1 before the first and 0 behind the last, shape (n, n_classes + 1)."""
    z = np.clip(logits, -700.0, 700.0)
    falling = np.minimum.accumulate(1.0 / (1.0 + np.exp(-z)), axis=1)
    ends = np.ones((logits.shape[0], 1))
    return np.hstack([ends, falling, 0.0 * ends])


@compiled(fastmath=FAST)
def label_likelihood(
    margins, codes, weights, confirmed, original, raters,
    slopes, shifts, moves, scales, etas, nu, table, reach, gradient, of_raters,
):  # fmt: skip
    """The weighted log-likelihood; ``gradient`` gets its derivatives by a, c and nu.

    ``table`` is ``N(k | u)``, and 0 where k and u are more than ``reach`` apart. Where a label is
    confirmed the true class is known, and the label that it had tells of errors: the row has the
    likelihood ``P(original, t)`` at t, its code. ``of_raters`` gets in its rows the derivatives by
    d, log s and eta of each rater, and the log-likelihood of his labels.
    """
    q = slopes.size
    gradient[:] = 0.0
    of_raters[:] = 0.0
    seen, seen_by, true, true_by = (np.empty(q), np.empty(q, dtype=np.int64),
                                    np.empty(q), np.empty(q, dtype=np.int64))  # fmt: skip
    pull_seen, pull_true = np.empty(q), np.empty(q)
    total = 0.0
    for i in range(codes.size):
        r = raters[i]
        s, d, eta = scales[r], moves[r], etas[r]
        if confirmed[i]:
            _falling(margins[i], slopes, shifts, s, d, q, seen, seen_by)
            _falling(margins[i], slopes, shifts, 1.0, 0.0, q, true, true_by)
            likelihood, by_eta, by_nu = _of_known(
                seen, true, codes[i], original[i], eta, nu, table, pull_seen, pull_true
            )
            first, last = 0, q
        else:
            y = codes[i]
            first, last = max(y - reach, 0), min(y + reach, q)
            _falling(margins[i], slopes, shifts, s, d, min(last + 1, q), seen, seen_by)
            likelihood, by_eta, by_nu = _of_label(seen, y, first, last, eta, nu, table, pull_seen)
        pull = weights[i] / likelihood
        of_raters[2, r] += pull * by_eta
        gradient[2 * q] += pull * by_nu
        for k in range(max(first - 1, 0), min(last + 1, q)):
            j = seen_by[k]
            slope = pull * pull_seen[k] * seen[k] * (1.0 - seen[k])
            gradient[j] += slope * s * margins[i, j]
            gradient[q + j] += slope * s
            of_raters[0, r] += slope
            of_raters[1, r] += slope * s * (slopes[j] * margins[i, j] + shifts[j])
            if confirmed[i]:
                j = true_by[k]
                slope = pull * pull_true[k] * true[k] * (1.0 - true[k])
                gradient[j] += slope * margins[i, j]
                gradient[q + j] += slope
        value = weights[i] * math.log(likelihood)
        of_raters[3, r] += value
        total += value
    return total


@compiled(fastmath=FAST)
def _falling(margins, slopes, shifts, scale, move, stop, falling, source):
    """``P(u > k)`` up to the last that is needed, and of which k is the logit that holds it."""
    lowest, at = 2.0, 0
    for k in range(stop):
        z = scale * (slopes[k] * margins[k] + shifts[k]) + move
        value = 1.0 / (1.0 + math.exp(-z))
        if value < lowest:
            lowest, at = value, k
        falling[k], source[k] = lowest, at


@compiled(fastmath=FAST)
def _of_label(seen, y, first, last, eta, nu, table, pull):
    """``P(y)``, its derivatives by eta and nu, and in ``pull`` those by ``P(u > k)``."""
    q = seen.size
    mass, stays = _mass(seen, y, q), 1.0 - eta - nu
    astray = 0.0
    for u in range(first, last + 1):
        astray += table[y, u] * _mass(seen, u, q)
    for k in range(max(first - 1, 0), min(last + 1, q)):
        # P(u > k) is lost to the class k and won by the class k + 1.
        by = nu * (table[y, k + 1] - table[y, k])
        if k + 1 == y:
            by += stays
        elif k == y:
            by -= stays
        pull[k] = by
    likelihood = max(stays * mass + eta / (q + 1) + nu * astray, LEAST)
    return likelihood, 1.0 / (q + 1) - mass, astray - mass


@compiled(fastmath=FAST)
def _of_known(seen, true, t, y, eta, nu, table, pull_seen, pull_true):
    """The same of ``P(y, t)``, with derivatives by ``P(t > k)`` in ``pull_true``."""
    q = seen.size
    pull_seen[:] = 0.0
    pull_true[:] = 0.0
    upper, lower = 1.0 if t == 0 else true[t - 1], 0.0 if t == q else true[t]
    likelihood, by_eta, by_nu = 0.0, 0.0, 0.0
    for u in range(q + 1):
        high, low = 1.0 if u == 0 else seen[u - 1], 0.0 if u == q else seen[u]
        common = min(high, upper) - max(low, lower)
        if common <= 0.0:
            continue
        same = 1.0 if u == y else 0.0
        passed = (1.0 - eta - nu) * same + eta / (q + 1) + nu * table[y, u]
        likelihood += common * passed
        by_eta += common * (1.0 / (q + 1) - same)
        by_nu += common * (table[y, u] - same)
        if high <= upper:
            if u > 0:
                pull_seen[u - 1] += passed
        elif t > 0:
            pull_true[t - 1] += passed
        if low >= lower:
            if u < q:
                pull_seen[u] -= passed
        elif t < q:
            pull_true[t] -= passed
    return max(likelihood, LEAST), by_eta, by_nu


@compiled(fastmath=FAST)
def _mass(falling, t, q):
    upper = 1.0 if t == 0 else falling[t - 1]
    return upper - (0.0 if t == q else falling[t])
