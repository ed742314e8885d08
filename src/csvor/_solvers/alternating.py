"""One pass of the paper's alternating scheme (its Algorithm 2, errata mended)."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.newton import bounded_step

Array = NDArray[np.float64]


class Majorized(Protocol):
    """What the scheme asks of a problem. A point has ``theta``."""

    n_bounded: int

    def at(self, theta: Array) -> Any: ...
    def gradient(self, point: Any) -> Array: ...
    def majorizer(self, point: Any) -> Array: ...


def alternate_once(problem: Majorized, point: Any) -> Any:
    """b by its quadratic program with w eliminated, then w, then M, each once.

    With the slack matrix ``M = max(0, -(1 - margin))`` held fixed, the hinge
    ``max(0, u)^2 = min_{M >= 0} (u + M)^2`` is the square of ``u + M``: a quadratic in (w, b) that
    touches the surrogate at ``point`` and lies above it. Eliminating w and solving for b is its
    joint minimum over ordered thresholds; M at the new point is implied.
    """
    step = bounded_step(
        problem.majorizer(point), problem.gradient(point), point.theta, problem.n_bounded
    )
    return problem.at(point.theta + step)
