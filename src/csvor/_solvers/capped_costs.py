"""What does a problem answer that multipliers minimise, and what do its samples count for?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Less than this share of the objective cannot be told from the rest of it.
_LEAST_SCALE = 1e-10


@dataclass(frozen=True, eq=False)
class CappedCosts:
    """What samples count for under a loss at some point.

    ``costs`` multiply phi (of `_solvers/augmented.py`) in the convex problem at hand; ``active``
    is the objective less ``constant``, what samples that are cut add; ``cap`` is what cuts them.
    Where the loss is ``concave`` below the cap, costs are its slopes at the point.
    """

    costs: Array
    active: float
    constant: float
    cap: float
    concave: bool

    @property
    def value(self) -> float:
        return self.active + self.constant

    @property
    def scale(self) -> float:
        """What shares are of: where next to nothing moves, it cannot be told from rounding."""
        return max(self.active, _LEAST_SCALE * self.value)


class SupportProblem(Protocol):
    """The last ``n_bounded`` coordinates of theta are not negative; x has a column a sample."""

    n_bounded: int
    steps_by_products: bool

    @property
    def start(self) -> Array: ...
    @property
    def sigmas(self) -> tuple[float, float]: ...
    def slack_args(self, theta: Array) -> Array: ...
    def directional_change(self, step: Array) -> Array: ...
    def costs_at(self, theta: Array, x: Array, stage: Any) -> CappedCosts: ...
    def losses(self, x: Array) -> Array: ...
    def nearest(self, u: Array, costs: Array) -> Array: ...
    def gradient(self, theta: Array, multipliers: Array) -> Array: ...
    def newton(
        self, theta: Array, gradient: Array, u: Array, costs: Array, rate: Array, rough: bool
    ) -> Array: ...
    def penalty_on_line(self, theta: Array, step: Array) -> tuple[float, float]: ...
    def gap(self, theta: Array, x: Array, multipliers: Array, costs: Array) -> float: ...
    def centred(self, theta: Array, cap: float) -> Array: ...
