"""What a row's losses g cost: the capped power ``v(g) = min(g^(p/2), epsilon)``, and its trim.

``g`` is the sum of a row's pair losses (squared slacks for the hinge) and ``r = sqrt(g)`` its
residual. v is concave in g, which is what re-weighting needs. ``delta`` keeps its slope finite at
``g = 0``: slopes are those of ``(g + delta)^(p/2) - delta^(p/2)``.

The trimmed loss cuts a share of the weight, the rows with the largest residuals: ``sum s v(g)``
less ``s (v(g) - 1)`` over them, so that a cut row costs what a row on its threshold costs. Under
the cap that parts them, it is the same loss but for that constant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csvor._utils.compile import FAST, compiled

Array = NDArray[np.float64]

# Residuals nearer to the cap than this share of it are on it.
TIE = 1e-9

# What a pass needs to know. Rows with g <= below count, those above the cap are cut, and of those
# between (on the cap, but for rounding) the share ``tied`` counts. Of the curvature: ``concave``
# is the share of v's own (negative) curvature that is in the model; its corner at the cap is
# spread over ``corner`` on either side, and left out where that is 0; ``kink`` stands for delta.
LOSS = np.dtype(
    [(name, "f8") for name in ("p", "below", "cap", "tied", "delta", "concave", "corner", "kink")]
)


@dataclass(frozen=True)
class CappedPower:
    """The loss in force: power, cap (on ``g^(p/2)``), smoothing, and the share that is trimmed.

    Where ``trim`` is positive, ``epsilon`` is the cap that cuts this share at the point at hand.
    """

    p: float
    epsilon: float = np.inf
    delta: float = 0.0
    trim: float = 0.0

    def with_cap(self, cap: float) -> CappedPower:
        """The loss with the cap on g that was found."""
        return replace(self, epsilon=cap ** (0.5 * self.p)) if self.trim else self

    def uncapped(self, g: Array) -> Array:
        """``r^p``."""
        return g ** (0.5 * self.p)

    def value(self, g: Array) -> Array:
        return np.minimum(self.uncapped(g), self.epsilon)

    @property
    def cap(self) -> float:
        """The cap as one on g, without bound where p is so small that no number holds it."""
        with np.errstate(over="ignore"):
            return float(np.float64(self.epsilon) ** (2.0 / self.p))

    def capped(self, g: Array) -> NDArray[np.bool_]:
        """True for the rows that are cut away, ``r^p > epsilon``."""
        return g > self.cap


def cap_of(loss: NDArray[np.void]) -> Array:
    """(below, cap, tied) of a loss as a pass reads it."""
    return np.array([loss[name][0] for name in ("below", "cap", "tied")])


def set_cap(loss: NDArray[np.void], cap: Array) -> None:
    loss["below"], loss["cap"], loss["tied"] = cap


@compiled(fastmath=FAST)
def counted_share(g, below, cap, tied):
    """How much of a row counts."""
    return 1.0 if g <= below else (tied if g <= cap else 0.0)


def counted_costs(g: Array, costs: Array, cap: Array) -> Array:
    """What of each row's cost is not cut under ``cap``, (below, cap, tied); as `counted_share`."""
    below, high, tied = cap
    return costs * np.where(g <= below, 1.0, np.where(g <= high, tied, 0.0))


@compiled()
def cut_cost(trim, epsilon):
    """What a row that is cut costs: epsilon, or under a trimmed loss as one on its threshold."""
    return 1.0 if trim > 0.0 else epsilon


@compiled()
def lift_cap(loss):
    """The same loss where no row is cut."""
    loss[0].below = loss[0].cap = np.inf


@compiled(fastmath=FAST)
def _power_below_1(x, e):
    """``(1 - x)^e``, by its series where x is small."""
    if x > 2e-3:
        return (1.0 - x) ** e
    total, term = 1.0, 1.0
    for k in range(5):
        term *= x * (k - e) / (k + 1.0)
        total += term
    return total


@compiled(fastmath=FAST)
def row_weights(n, g, cost, loss, weight, curvature, concavity, totals):
    """Set slope and curvature of v(g) for n rows; add up the losses.

    ``weight`` is the supergradient ``(p/2) (g + delta)^(p/2 - 1)`` times what of the row's cost is
    not cut, ``curvature`` the same with ``kink`` for delta, ``concavity`` the curvature of -v that
    is in the model. ``totals`` gain the losses of what is not cut, the same smoothed, and the cost
    of what is cut.
    """
    p, delta, kink = loss[0].p, loss[0].delta, loss[0].kink
    below, cap, tied = loss[0].below, loss[0].cap, loss[0].tied
    concave, spread = loss[0].concave, loss[0].corner
    half = 0.5 * p
    least = delta**half if delta > 0.0 else 0.0
    value, smooth, cut = 0.0, 0.0, 0.0
    if cap < np.inf:
        for r in range(n):
            curvature[r] = cost[r] * counted_share(g[r], below, cap, tied)
            cut += cost[r] - curvature[r] if g[r] > below else 0.0
    else:
        for r in range(n):
            curvature[r] = cost[r]
    if p == 2.0:
        for r in range(n):
            weight[r] = curvature[r]
            value += curvature[r] * g[r]
        smooth = value
    elif p == 1.0:
        for r in range(n):
            root = np.sqrt(g[r] + delta)
            weight[r] = 0.5 * curvature[r] / root if root > 0.0 else 0.0
            value += curvature[r] * np.sqrt(g[r])
            smooth += curvature[r] * (root - least)
            if kink != delta:
                curvature[r] = 0.5 * curvature[r] / np.sqrt(g[r] + kink)
            else:
                curvature[r] = weight[r]
    else:
        at_0 = half * least / delta if delta > 0.0 else 0.0
        bent_0 = half * kink ** (half - 1.0) if kink != delta else at_0
        for r in range(n):
            counted, weight[r] = curvature[r], at_0 * curvature[r]
            curvature[r] *= bent_0
            if g[r] > 0.0 and counted != 0.0:
                power = (g[r] + delta) ** half
                weight[r] = half * counted * power / (g[r] + delta)
                value += counted * power * _power_below_1(delta / (g[r] + delta), half)
                smooth += counted * (power - least)
                spread_out = (kink - delta) / (g[r] + kink)
                curvature[r] = weight[r] * _power_below_1(spread_out, 1.0 - half)
    totals[0] += value
    totals[1] += smooth
    totals[2] += cut
    for r in range(n):
        taken = 0.5 * concave * curvature[r]
        concavity[r] = taken / (g[r] + kink) if taken != 0.0 else 0.0
    if spread > 0.0:
        corner = 0.25 * p * (cap + kink) ** (half - 1.0) / spread
        for r in range(n):
            concavity[r] += corner * cost[r] if abs(g[r] - cap) < spread else 0.0
