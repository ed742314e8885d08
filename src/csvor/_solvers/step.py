"""A step to the least value of a quadratic model.

The last coordinates are not negative: all that a solver knows of ordered thresholds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.optimize import nnls

from csvor._utils.compile import FAST, compiled

Array = NDArray[np.float64]

# A pivot below this is rounding.
_PIVOT = 1e-14
# Up to this size a call of LAPACK takes longer than its work.
_SMALL = 40
# What a diagonal of ones is lifted by, in turn, where rounding has made a matrix indefinite.
_LIFTS = 10.0 ** np.arange(-14, -2)


class IndefiniteError(FloatingPointError):
    """A model without a minimum."""


def find_step(hessian: Array, gradient: Array, theta: Array, n_bounded: int) -> Array:
    """Minimise ``1/2 s'Hs + g's`` over s with the last ``n_bounded`` of theta + s >= 0.

    With H = L L' the bounded coordinates stand alone in the last block of L, so what is left
    after the free ones are eliminated is a non-negative least-squares problem of that size.
    """
    if not (np.isfinite(hessian).all() and np.isfinite(gradient).all()):
        raise FloatingPointError("A Hessian or gradient is no number.")
    free = theta.size - n_bounded
    if theta.size <= _SMALL:
        step = np.empty(theta.size)
        # In the one layout that it is compiled for.
        if bounded_step(np.ascontiguousarray(hessian), gradient, theta, n_bounded, step):
            return step
    scale = hessian.diagonal().copy()
    scale[scale <= 0.0] = 1.0  # a coordinate that nothing pulls at keeps its place
    scale **= -0.5
    lower = cholesky(hessian * scale * scale[:, None])
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


def cholesky(scaled: Array) -> Array:
    """Factor a positive semi-definite matrix of unit diagonal, lifted by rounding if need be."""
    for jitter in (0.0, *_LIFTS):
        np.fill_diagonal(scaled, 1.0 + jitter)
        lower, failed = dpotrf(scaled, lower=True, clean=True)
        if not failed:
            return lower
    raise IndefiniteError("The Hessian is not positive semi-definite.")


@compiled()
def bounded_step(hessian, gradient, theta, n_bounded, step):
    """Set ``step`` to the least of ``1/2 s'Hs + g's`` with the last of theta + s not negative.

    The coordinates at their bound are guessed, and exchanged until their multipliers and the steps
    of the others have the right sign. Returns whether that was found.
    """
    size = gradient.size
    free = size - n_bounded
    at_bound, pull = np.zeros(size, dtype=np.bool_), np.zeros(size)
    lower = np.empty((size, size))
    for _ in range(3 * n_bounded + 1):
        if not _step_of_free(hessian, gradient, theta, at_bound, lower, step):
            return False
        for j in range(free, size):
            if at_bound[j]:
                pull[j] = gradient[j]
                for k in range(size):
                    pull[j] += hessian[j, k] * step[k]
        if not exchange_bounds(at_bound, step, theta, pull, gradient, free):
            return True
    return False


@compiled()
def exchange_bounds(at_bound, step, theta, pull, gradient, free):
    """Correct the guess ``at_bound`` of the coordinates at their bound; whether it was wrong.

    Those, from ``free`` on, that the step takes below 0 join. Where none does, the one leaves whose
    multiplier, ``pull`` (the gradient at the end of the step), has the wrong sign most.
    """
    has_joined, worst, wrong = False, 0.0, -1
    for j in range(free, at_bound.size):
        if not at_bound[j] and step[j] < -theta[j]:
            at_bound[j] = has_joined = True
        elif at_bound[j] and pull[j] < worst and pull[j] < -1e-10 * abs(gradient[j]):
            worst, wrong = pull[j], j
    if not has_joined and wrong >= 0:
        at_bound[wrong] = False
    return has_joined or wrong >= 0


@compiled(fastmath=FAST)
def _step_of_free(hessian, gradient, theta, at_bound, lower, step):
    """The step with the coordinates ``at_bound`` moved to 0; whether H is positive definite.

    H is scaled to a diagonal of 1, and lifted by rounding where that has made it indefinite; a
    coordinate that nothing pulls at keeps its place.
    """
    size = gradient.size
    scale, right = np.empty(size), np.empty(size)
    for i in range(size):
        scale[i] = hessian[i, i] ** -0.5 if hessian[i, i] > 0.0 else 1.0
        right[i] = -theta[i] / scale[i] if at_bound[i] else -gradient[i] * scale[i]
        if not at_bound[i]:
            for k in range(size):
                right[i] += hessian[i, k] * theta[k] * scale[i] if at_bound[k] else 0.0
    lift = 0.0
    while not _factor(hessian, scale, at_bound, lift, lower):
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
        step[i] = -theta[i] if at_bound[i] else right[i] * scale[i]
    return True


@compiled(fastmath=FAST)
def _factor(hessian, scale, at_bound, lift, lower):
    """Set ``lower`` to the Cholesky factor of the scaled H, with 1 for the coordinates at_bound."""
    for i in range(scale.size):
        for j in range(i + 1):
            left = hessian[i, j] * scale[i] * scale[j]
            if i == j:
                left = 1.0 + lift
            elif at_bound[i] or at_bound[j]:
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
