"""The objective by whole arrays, from its definition: what the compiled passes are held to.

Nothing of csvor is used. ``theta = [w; b_1; gaps]`` with ``b_k = b_1 + gap_2 + ... + gap_k``. The
excess of a pair of row and threshold is ``u = 1 - side * (f - b)``, one less its margin; a row's
losses are ``g``, the sum over the pairs that it meets, and cost ``min(g^(p/2), epsilon)``.
"""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

# The g over which the kink at 0 is spread in Newton's model, and the share of a cap of its corner.
WIDTHS = 3e-3, 0.1


def standardised(X, weights):
    """X with mean 0 and deviation 1, and the ridge of ``1/2 |w|^2`` in the units of X."""
    mean = np.average(X, axis=0, weights=weights)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    return (X - mean) / deviation, deviation**-2.0


# What a pair costs, by its excess.


class Hinge:
    """``max(0, u)^2``."""

    def value(self, u):
        return np.maximum(u, 0.0) ** 2

    def slope(self, u):
        return 2.0 * np.maximum(u, 0.0)

    def curvature(self, u):
        return np.where(u > 0.0, 2.0, 0.0)

    def parabola(self, u):
        """Curvature of a parabola that touches the loss at u and lies above it."""
        return np.full_like(u, 2.0)


@dataclass(frozen=True)
class Rounded:
    """``max(0, u)``, but ``u^2 / (2 width)`` up to the width and half of it less beyond."""

    width: float

    def value(self, u):
        u = np.maximum(u, 0.0)
        return np.where(u < self.width, 0.5 * u**2 / self.width, u - 0.5 * self.width)

    def slope(self, u):
        return np.clip(u / self.width, 0.0, 1.0)

    def curvature(self, u):
        return ((u > 0.0) & (u < self.width)) / self.width

    def parabola(self, u):
        return (u > 0.0) / np.maximum(u, self.width)


class Logistic:
    """``log(1 + exp(u - 1))``."""

    def value(self, u):
        return np.logaddexp(0.0, u - 1.0)

    def slope(self, u):
        return expit(u - 1.0)

    def curvature(self, u):
        return expit(u - 1.0) * expit(1.0 - u)


class Exponential:
    """``exp(u - 1)``, level from 300 on."""

    def value(self, u):
        return np.exp(np.minimum(u - 1.0, 300.0))

    slope = curvature = value


def trimmed_sum(g, costs, share, p):
    """``sum c v`` less ``c max(v - 1, 0)`` over the worst ``share`` of the weight, v = g^(p/2).

    The last of these rows is cut in part.
    """
    v = g ** (0.5 * p)
    total, left = costs @ v, share * costs.sum()
    for row in np.argsort(-v):
        taken = min(costs[row], left)
        total -= taken * max(v[row] - 1.0, 0.0)
        left -= taken
    return total


@dataclass(frozen=True)
class Power:
    """What a row costs: ``g^(p/2)``, or ``each`` where it is cut, by a cap or as a share."""

    p: float
    epsilon: float = np.inf
    delta: float = 0.0
    trim: float = 0.0

    @property
    def cap(self):
        return self.epsilon ** (2.0 / self.p)

    @property
    def each(self):
        return 1.0 if self.trim else self.epsilon

    def value(self, g):
        return g ** (0.5 * self.p)

    def smoothed(self, g):
        return (g + self.delta) ** (0.5 * self.p) - self.delta ** (0.5 * self.p)

    def slope(self, g, delta=None):
        """That of ``smoothed``; a supergradient of the value, at 0 the one that pulls nowhere."""
        at = np.asarray(g) + (self.delta if delta is None else delta)
        return 0.5 * self.p * np.where(at > 0.0, at, np.inf) ** (0.5 * self.p - 1.0)

    def kept(self, g, costs):
        """The share of each row that counts; equal losses are cut to equal shares."""
        if not self.trim:
            return (g <= self.cap).astype(float)
        values, place = np.unique(g, return_inverse=True)
        weight = np.bincount(place, costs)
        above = weight[::-1].cumsum()[::-1] - weight
        cut = (self.trim * costs.sum() - above) / np.where(weight > 0.0, weight, np.inf)
        return 1.0 - np.where(values > 1.0, np.clip(cut, 0.0, 1.0), 0.0)[place]


Model = namedtuple("Model", "moving smooth constant gradient hessian")


class Reference:
    """Penalty plus losses over rows of features Z, their codes 0..K-1 and costs."""

    def __init__(
        self, Z, ridge, codes, n_classes, costs, constraints, margin, threshold_ridge=0.0,
        *, bounded=False, majorant=0.0,
    ):  # fmt: skip
        n, d, m = *Z.shape, n_classes - 1
        k = np.arange(m)
        above = codes[:, None] > k
        self.side = np.where(above, 1.0, -1.0)
        beside = (codes[:, None] == k) | (codes[:, None] == k + 1)
        self.met = beside | (constraints == "implicit")
        # theta -> (w, b), and (w, b) -> b_k - f_i.
        self.to_wb = np.eye(d + m)
        self.to_wb[d:, d:] = np.tri(m)
        self.apart = np.concatenate(
            [np.repeat(-Z[:, None], m, axis=1), np.repeat(np.eye(m)[None], n, axis=0)], axis=2
        )
        self.penalty = np.zeros((d + m, d + m))
        self.penalty[:d, :d] = np.diag(ridge)
        self.penalty[d:, d:] = threshold_ridge * (np.eye(m) - 1.0 / m)
        self.costs, self.margin = costs, margin
        self.bounded, self.majorant = bounded, majorant

    def excess(self, theta):
        return 1.0 + self.side * (self.apart @ (self.to_wb @ theta))

    def losses(self, theta):
        return (self.met * self.margin.value(self.excess(theta))).sum(axis=1)

    def penalty_at(self, theta):
        wb = self.to_wb @ theta
        return 0.5 * wb @ self.penalty @ wb

    def trimmed(self, theta, p, share):
        """The trimmed objective."""
        return self.penalty_at(theta) + trimmed_sum(self.losses(theta), self.costs, share, p)

    def at(self, theta, power, share=1.0, near=False):
        """The objective in its parts, and the model with ``share`` of v's curvature left out."""
        g, u = self.losses(theta), self.excess(theta)
        kept = self.costs * power.kept(g, self.costs)
        cut = self.costs.sum() - kept.sum() if power.each < np.inf else 0.0
        penalty, constant, lost = self.penalty_at(theta), 0.0, 0.0
        if power.each < np.inf:
            constant = cut * power.each
            lost = cut * power.smoothed(power.each ** (2.0 / power.p)) - constant
        concave, edge, width = self.bends(power, share, near)
        # Slopes by b_k - f_i, and the model's Hessian firm diag(own) - bent towards towards'.
        towards = self.met * self.side * self.margin.slope(u)
        firm = kept * power.slope(g, width)
        bent = 0.5 * concave * firm / np.where(g + width > 0.0, g + width, np.inf)
        if edge > 0.0:
            corner = 0.5 * power.slope(power.cap, width) / edge
            bent += corner * self.costs * (abs(g - power.cap) < edge)
        pulls = np.einsum("ik,ikj->ij", towards, self.apart)
        gradient = self.penalty @ self.to_wb @ theta + (kept * power.slope(g)) @ pulls
        own = firm[:, None] * self.curvature(u)
        hessian = np.einsum("ik,ikj,ikl->jl", own, self.apart, self.apart, optimize=True)
        hessian += self.penalty - pulls.T @ (bent[:, None] * pulls)
        return Model(
            penalty + kept @ power.value(g), penalty + kept @ power.smoothed(g) + lost, constant,
            self.to_wb.T @ gradient, self.to_wb.T @ hessian @ self.to_wb,
        )  # fmt: skip

    def curvature(self, u):
        of_pairs = self.margin.parabola(u) if self.bounded else self.margin.curvature(u)
        if self.majorant:
            of_pairs = of_pairs + self.majorant * self.margin.parabola(u)
        return self.met * of_pairs

    def bends(self, power, share, near):
        """What of v's curvature is in: concave part (in units of p = 1), corner, and width of 0."""
        if share > 0.0 or not near:
            return min((1.0 - share) * (2.0 - power.p), 1.0), 0.0, power.delta
        # Newton's model: with the corner of a fixed cap, and the kink at 0, as wide as is given.
        kink, corner = WIDTHS
        edge = corner * power.cap if power.epsilon < np.inf and not power.trim else 0.0
        return 2.0 - power.p, edge, max(kink, power.delta)

    def slopes(self, theta, step, power, t):
        """First and second derivative at t on a line of the surrogate that touches at theta."""
        g, u = self.losses(theta), self.excess(theta)
        weights = (self.costs * power.kept(g, self.costs) * power.slope(g))[:, None]
        wb, dwb = self.to_wb @ theta, self.to_wb @ step
        du = self.side * (self.apart @ dwb)
        first = (wb + t * dwb) @ self.penalty @ dwb
        first += (weights * self.met * self.margin.slope(u + t * du) * du).sum()
        second = dwb @ self.penalty @ dwb + (weights * self.curvature(u + t * du) * du**2).sum()
        return first, second
