"""Losses of one pair, as functions of its excess ``u = 1 - margin``; none sees X or a threshold.

Each is convex. ``curvature`` is its second derivative; ``bound`` that of a parabola which has the
same slope at u and lies above (for the hinges: above on the slack side; for the exponential, which
no parabola bounds: for steps of up to about 1), the curvature of re-weighted least squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]


class MarginLoss(Protocol):
    """What the objective asks of a pair's loss."""

    # Whether the sum of a row's losses, under a concave loss of its own, has a convex model with
    # that loss's curvature in it.
    bends: bool
    # Share of ``bound`` that Newton adds to the curvature before it knows better.
    damping: float

    def value(self, u: Array) -> Array: ...
    def slope(self, u: Array) -> Array: ...
    def curvature(self, u: Array) -> Array: ...
    def bound(self, u: Array) -> Array: ...
    def piece(self, u: Array) -> NDArray[Any] | None: ...


class SquaredHinge:
    """``max(0, u)^2``, piecewise quadratic."""

    bends = True
    damping = 0.0

    def value(self, u: Array) -> Array:
        return np.maximum(u, 0.0) ** 2

    def slope(self, u: Array) -> Array:
        return 2.0 * np.maximum(u, 0.0)

    def curvature(self, u: Array) -> Array:
        return np.where(u > 0.0, 2.0, 0.0)

    def bound(self, u: Array) -> Array:
        return np.full_like(u, 2.0)

    def piece(self, u: Array) -> NDArray[Any]:
        return u > 0.0


@dataclass(frozen=True)
class SmoothHinge:
    """``max(0, u)`` with its kink rounded over ``0 < u < width``: at most ``width / 2`` below it.

    ``u^2 / (2 width)`` there, ``u - width / 2`` beyond: piecewise quadratic.
    """

    width: float
    bends = False
    # Most pairs with a slack have no curvature; a little of the bound keeps Newton's steps sane.
    damping = 1e-2

    def value(self, u: Array) -> Array:
        slack = np.maximum(u, 0.0)
        return np.where(slack < self.width, slack**2 / (2.0 * self.width), slack - 0.5 * self.width)

    def slope(self, u: Array) -> Array:
        return np.minimum(np.maximum(u, 0.0) / self.width, 1.0)

    def curvature(self, u: Array) -> Array:
        return ((u > 0.0) & (u < self.width)) / self.width

    def bound(self, u: Array) -> Array:
        return (u > 0.0) / np.maximum(u, self.width)

    def piece(self, u: Array) -> NDArray[Any]:
        return (u > 0.0).astype(np.int8) + (u >= self.width)


class Logistic:
    """``log(1 + exp(-margin))``."""

    bends = False
    damping = 0.0

    def value(self, u: Array) -> Array:
        return np.logaddexp(0.0, u - 1.0)

    def slope(self, u: Array) -> Array:
        return expit(u - 1.0)

    def curvature(self, u: Array) -> Array:
        share = expit(u - 1.0)
        return share * (1.0 - share)

    def bound(self, u: Array) -> Array:
        return np.full_like(u, 0.25)

    def piece(self, u: Array) -> None:
        return None


class Exponential:
    """``exp(-margin)``, level beyond a margin of -500 so that it stays a number."""

    bends = False
    damping = 0.0

    def value(self, u: Array) -> Array:
        return np.exp(np.minimum(u - 1.0, 500.0))

    slope = curvature = bound = value

    def piece(self, u: Array) -> None:
        return None


MARGIN_LOSSES: dict[str, MarginLoss] = {
    "hinge": SquaredHinge(),
    "logistic": Logistic(),
    "exponential": Exponential(),
}
