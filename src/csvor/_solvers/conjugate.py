"""A step to about the least value of a quadratic model that is told by its products alone.

The model is one of many coordinates v, whose matrix A nobody holds, and of few others, t, the last
of which are not negative. The few are eliminated: given v their best is a small system.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.step import IndefiniteError, exchange_bounds

Array = NDArray[np.float64]

# Eigenvalues of the few coordinates' own matrix below this share of the largest are rounding.
_RANK = 1e-12


@dataclass(frozen=True, eq=False)
class BorderedModel:
    """``1/2 s'Hs`` with ``H = [[A, B], [B', T]]``; ``diagonal`` is about that of A."""

    times: Callable[[Array], Array]
    diagonal: Array
    cross: Array
    border: Array


def find_conjugate_step(
    model: BorderedModel,
    gradient: Array,
    theta: Array,
    n_bounded: int,
    precision: float,
    max_iter: int,
) -> Array:
    """About the least of ``1/2 s'Hs + g's`` over s with the last ``n_bounded`` of theta + s >= 0.

    By conjugate gradients, until the residual, measured by the diagonal, has fallen to the share
    ``precision``. Coordinates that are held at their bound are guessed, and exchanged until their
    multipliers and the steps of the others have the right sign.
    """
    d = model.diagonal.size
    by_v, grad_t, theta_t = gradient[:d], gradient[d:], theta[d:]
    bounded = np.arange(theta_t.size) >= theta_t.size - n_bounded
    at_bound = bounded & (theta_t <= 0.0) & (grad_t > 0.0)
    v, t = np.zeros(d), np.zeros(theta_t.size)
    enough = precision * _size(by_v, model.diagonal)
    for _ in range(3 * n_bounded + 1):
        t = np.where(at_bound, -theta_t, 0.0)
        inverse = _inverse(model.border, ~at_bound)
        fixed = grad_t + model.border @ t
        right = by_v + model.cross @ (t - inverse @ fixed)
        v = _solve(model, inverse, right, v, enough, max_iter)
        pull = model.cross.T @ v + fixed
        t -= inverse @ pull
        pull = grad_t + model.cross.T @ v + model.border @ t
        if not exchange_bounds(at_bound, t, theta_t, pull, grad_t, theta_t.size - n_bounded):
            break
    np.maximum(t, np.where(bounded, -theta_t, -np.inf), out=t)
    return np.concatenate([v, t])


def _solve(
    model: BorderedModel, inverse: Array, right: Array, v: Array, enough: float, max_iter: int
) -> Array:
    """``(A - B inverse B') v = -right`` from the v given."""

    def times(p: Array) -> Array:
        return model.times(p) - model.cross @ (inverse @ (model.cross.T @ p))

    residual = -right - times(v) if v.any() else -right
    z = residual / model.diagonal
    p, rz = z, float(residual @ z)
    v = v.copy()
    for _ in range(max_iter):
        if rz <= enough**2:
            break
        bent = times(p)
        curvature = float(p @ bent)
        if not curvature > 0.0:
            raise IndefiniteError("The model bends down.")
        step = rz / curvature
        v += step * p
        residual -= step * bent
        z = residual / model.diagonal
        rz, before = float(residual @ z), rz
        p = z + (rz / before) * p
    return v


def _size(residual: Array, diagonal: Array) -> float:
    return float(np.sqrt(residual @ (residual / diagonal)))


def _inverse(border: Array, free: NDArray[np.bool_]) -> Array:
    """The inverse on the free coordinates, 0 elsewhere; what nothing pulls at keeps its place."""
    inverse = np.zeros_like(border)
    where = np.ix_(free, free)
    scale = border.diagonal()[free].copy()
    scale[scale <= 0.0] = 1.0
    scale **= -0.5
    scaled = border[where] * scale * scale[:, None]
    values, vectors = np.linalg.eigh(scaled)
    if values.size and values[0] < -1e-10 * max(values[-1], 1.0):
        raise IndefiniteError("The model bends down.")
    kept = values > _RANK * max(values[-1], 0.0) if values.size else values > 0.0
    vectors = vectors[:, kept] * values[kept] ** -0.5
    inverse[where] = vectors @ vectors.T * scale * scale[:, None]
    return inverse
