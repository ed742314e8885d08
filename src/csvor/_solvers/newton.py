"""Newton's method for a convex problem whose last coordinates are >= 0."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.optimize import nnls

from csvor import _loops

Array = NDArray[np.float64]

# A step that promises less than this share of the value cannot be told from rounding.
_ROUNDING = 1e-15
# Up to this size a call of LAPACK takes longer than its work.
_SMALL = 40
# What a diagonal of ones is lifted by, in turn, where rounding has made a matrix indefinite.
_LIFTS = 10.0 ** np.arange(-14, -5)


class IndefiniteError(FloatingPointError):
    """A model without a minimum."""


class ConvexProblem(Protocol):
    """What Newton asks of a problem. A point has ``theta``."""

    n_bounded: int
    damping: float

    def value(self, point: Any) -> float: ...
    def gradient(self, point: Any) -> Array: ...
    def hessian(self, point: Any, damping: float) -> Array: ...
    def along(self, point: Any, direction: Array) -> Any: ...
    def same_piece(self, one: Any, other: Any) -> bool: ...


def minimise_newton(
    problem: ConvexProblem, point: Any, *, tol: float = 1e-12, max_iter: int = 100
) -> tuple[Any, int]:
    """The point where ``problem.value`` is least, found from ``point``, and the steps taken.

    Each step minimises the quadratic model at hand over the bounds, then the problem itself
    along that direction. The model is the Hessian, plus ``damping`` times that of a parabola
    above the problem where the problem asks for it (a hinge has no curvature on most pairs):
    less of it after full steps, more after short ones. The end is reached by a step that
    promises less than ``tol`` of the value, or by a full step that stays on its quadratic piece.
    """
    damping = problem.damping
    for n_steps in range(max_iter):
        gradient = problem.gradient(point)
        hessian = problem.hessian(point, damping)
        step = bounded_step(hessian, gradient, point.theta, problem.n_bounded)
        promised = -0.5 * float(gradient @ step)
        if promised <= max(tol, _ROUNDING) * abs(problem.value(point)):
            return point, n_steps
        line = problem.along(point, step)
        t = least_on_line(line.slope)
        last, point = point, line.move(t)
        if damping == 0.0 and t == 1.0 and problem.same_piece(last, point):
            return point, n_steps + 1
        damping = 0.1 * damping if t > 0.9 else min(4.0 * damping, 1.0)
    return point, max_iter


def bounded_step(hessian: Array, gradient: Array, theta: Array, n_bounded: int) -> Array:
    """Minimise ``1/2 s'Hs + g's`` over s with the last ``n_bounded`` of theta + s >= 0.

    With H = L L' the bounded coordinates stand alone in the last block of L, so what is left
    after the free ones are eliminated is a non-negative least-squares problem of that size.
    """
    if not (np.isfinite(hessian).all() and np.isfinite(gradient).all()):
        raise FloatingPointError(
            "The problem left the range of numbers: scale the features, or use a smaller C."
        )
    free = theta.size - n_bounded
    if theta.size <= _SMALL:
        step = np.empty(theta.size)
        if _loops.bounded_step(hessian, gradient, theta, n_bounded, step):
            return step
    scale = hessian.diagonal().copy()
    scale[scale <= 0.0] = 1.0  # a coordinate that nothing pulls at keeps its place
    scale **= -0.5
    lower = _cholesky(hessian * scale * scale[:, None])
    step = -dpotrs(lower, gradient * scale, lower=True)[0]
    bounded = theta[free:] / scale[free:]
    if (step[free:] + bounded >= 0.0).all():
        return step * scale
    reduced = _solve(lower, gradient * scale)
    corner = lower[free:, free:].T
    target, _ = nnls(corner, corner @ bounded - reduced[free:])
    step[free:] = target - bounded
    rest = reduced[:free] + lower[free:, :free].T @ step[free:]
    step[:free] = -_solve(lower[:free, :free], rest, transposed=True)
    step *= scale
    # Exactly on the bound, not nearly: the next step must find theta feasible.
    step[free:][target == 0.0] = -theta[free:][target == 0.0]
    return step


def _solve(lower: Array, right: Array, transposed: bool = False) -> Array:
    if transposed:
        return solve_triangular(lower, right, lower=True, trans="T", check_finite=False)
    return solve_triangular(lower, right, lower=True, check_finite=False)


def _cholesky(scaled: Array) -> Array:
    """Factor a positive semi-definite matrix of unit diagonal, lifted by rounding if need be."""
    for jitter in (0.0, *_LIFTS):
        np.fill_diagonal(scaled, 1.0 + jitter)
        lower, failed = dpotrf(scaled, lower=True, clean=True)
        if not failed:
            return lower
    raise IndefiniteError("The Hessian is not positive semi-definite.")


def least_on_line(slope: Any) -> float:
    """The step in (0, 1] where a convex function on a line is least.

    ``slope(t)`` gives its first and second derivative.
    """
    line = _loops.LINE.copy()
    while not _loops.look_along(line, *slope(float(line[2]))):
        pass
    return float(line[2])
