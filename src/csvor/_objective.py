"""The only room that knows how theta = [w; b_1; gaps] is packed.

``w`` are the coefficients of the scaled features, ``b_k = b_1 + gap_2 + ... + gap_k`` the
thresholds. The order of the thresholds is then ``gaps >= 0``: bounds on the last coordinates,
which is all that the solvers are told.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from csvor._matrix import DenseMatrix
from csvor._thresholds import Pairs

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Point:
    """theta with what is costly to get from it.

    ``penalty`` is ``1/2 ||w||^2``; ``g`` holds each sample's sum of squared slacks.
    """

    theta: Array
    scores: Array
    slacks: Array
    penalty: float

    @cached_property
    def g(self) -> Array:
        return np.einsum("ij,ij->i", self.slacks, self.slacks)


class OrdinalObjective:
    """``1/2 ||w||^2 + sum_i v_i(g_i(w, b))`` over ordered thresholds, the v_i left open."""

    def __init__(self, matrix: DenseMatrix, pairs: Pairs) -> None:
        self.matrix = matrix
        self.pairs = pairs
        self.n_features = matrix.n_features
        self.n_thresholds = pairs.side.shape[1]
        self.ridge = matrix.ridge

    @property
    def n_bounded(self) -> int:
        """How many of the last coordinates of theta must not be negative (the gaps)."""
        return self.n_thresholds - 1

    def split(self, theta: Array) -> tuple[Array, Array]:
        """Coefficients of the scaled features, and thresholds."""
        return theta[: self.n_features], np.cumsum(theta[self.n_features :])

    def origin(self) -> Point:
        return self.at(np.zeros(self.n_features + self.n_thresholds))

    def at(self, theta: Array, scores: Array | None = None) -> Point:
        coef, thresholds = self.split(theta)
        if scores is None:
            scores = self.matrix.matvec(coef)
        penalty = 0.5 * float(self.ridge @ coef**2)
        return Point(theta, scores, self.pairs.slacks(scores, thresholds), penalty)

    def surrogate(self, weights: Array) -> Surrogate:
        """``1/2 ||w||^2 + sum_i weights_i g_i(w, b)``."""
        return Surrogate(self, weights)


class Surrogate:
    """A weighted squared ordinal hinge: convex, piecewise quadratic, once differentiable."""

    def __init__(self, objective: OrdinalObjective, weights: Array) -> None:
        self.objective = objective
        self.weights = weights
        self.at = objective.at
        self.n_bounded = objective.n_bounded

    def value(self, point: Point) -> float:
        return point.penalty + float(self.weights @ point.g)

    def gradient(self, point: Point) -> Array:
        pull = 2.0 * self.weights[:, None] * self.objective.pairs.side * point.slacks
        coef, _ = self.objective.split(point.theta)
        by_coef = self.objective.ridge * coef - self.objective.matrix.rmatvec(pull.sum(axis=1))
        return np.concatenate([by_coef, _by_gaps(pull.sum(axis=0))])

    def hessian(self, point: Point) -> Array:
        """Of the quadratic piece that holds the point: pairs with a slack count."""
        return self._curvature(self.weights[:, None] * (point.slacks > 0))

    def majorizer(self) -> Array:
        """Of the quadratic that all counted pairs span: never below the surrogate.

        Where the spare margins (the paper's slack matrix M) are held fixed, this is what is
        left of the surrogate.
        """
        return self._curvature(self.weights[:, None] * self.objective.pairs.counted)

    def _curvature(self, pair_weights: Array) -> Array:
        objective, d = self.objective, self.objective.n_features
        H = np.empty((d + objective.n_thresholds,) * 2)
        H[:d, :d] = 2.0 * objective.matrix.gram(pair_weights.sum(axis=1))
        H[np.arange(d), np.arange(d)] += objective.ridge
        cross = -2.0 * objective.matrix.rmatvec(pair_weights)
        H[:d, d:] = _by_gaps(cross)
        H[d:, :d] = H[:d, d:].T
        H[d:, d:] = _by_gaps(_by_gaps(np.diag(2.0 * pair_weights.sum(axis=0))).T)
        return H

    def same_piece(self, one: Point, other: Point) -> bool:
        """Whether one quadratic holds both points: the same pairs have a slack."""
        return np.array_equal(one.slacks > 0, other.slacks > 0)

    def along(self, point: Point, direction: Array) -> Line:
        return Line(self, point, direction)


def _by_gaps(by_thresholds: Array) -> Array:
    """Chain rule from b to (b_1, gaps) on the last axis: sums over the thresholds from k on."""
    return np.cumsum(by_thresholds[..., ::-1], axis=-1)[..., ::-1]


class Line:
    """The surrogate on ``point + t * direction``, with scores moved by t times ``X direction``."""

    def __init__(self, surrogate: Surrogate, point: Point, direction: Array) -> None:
        objective = surrogate.objective
        self._at = objective.at
        self._weights = surrogate.weights[:, None] * objective.pairs.counted
        self._point = point
        self._direction = direction
        coef, thresholds = objective.split(point.theta)
        coef_step, threshold_step = objective.split(direction)
        self._score_step = objective.matrix.matvec(coef_step)
        self._excess = objective.pairs.excess(point.scores, thresholds)
        self._excess_step = objective.pairs.excess(self._score_step, threshold_step) - 1.0
        self._ridge_slope = float(objective.ridge @ (coef * coef_step))
        self._ridge_curvature = float(objective.ridge @ coef_step**2)

    def slope(self, t: float) -> tuple[float, float]:
        """First and second derivative at t."""
        excess = self._excess + t * self._excess_step
        active = self._weights * (excess > 0) * self._excess_step
        return (
            self._ridge_slope + t * self._ridge_curvature + 2.0 * float(np.vdot(active, excess)),
            self._ridge_curvature + 2.0 * float(np.vdot(active, self._excess_step)),
        )

    def move(self, t: float) -> Point:
        theta = self._point.theta + t * self._direction
        return self._at(theta, self._point.scores + t * self._score_step)
