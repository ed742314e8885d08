"""Sums of convex pair losses: the objective of the uncapped family, its surrogates and lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csvor._margins import MarginLoss
from csvor._matrix import DenseMatrix
from csvor._objective._packing import Packing
from csvor._thresholds import Pairs

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Point:
    """theta with what is costly to get from it.

    ``excess`` holds ``1 - margin`` of every pair, ``penalty`` the quadratic penalty.
    """

    theta: Array
    scores: Array
    excess: Array
    penalty: float


class OrdinalObjective:
    """The penalty plus a sum of pair losses, b ordered."""

    def __init__(self, matrix: DenseMatrix, pairs: Pairs, threshold_ridge: float = 0.0) -> None:
        self.matrix = matrix
        self.pairs = pairs
        self.packing = Packing(matrix.ridge, pairs.side.shape[1], threshold_ridge)
        self.n_bounded = self.packing.n_bounded
        self.split = self.packing.split

    def origin(self) -> Point:
        return self.at(self.packing.origin)

    def at(self, theta: Array, scores: Array | None = None) -> Point:
        coef, thresholds = self.split(theta)
        if scores is None:
            scores = self.matrix.matvec(coef)
        excess = self.pairs.excess(scores, thresholds)
        return Point(theta, scores, excess, self.packing.penalty(theta))

    def weighted(self, loss: MarginLoss, weights: Array) -> Surrogate:
        """The penalty plus ``sum weights * loss(excess)`` over the counted pairs.

        ``weights`` has one entry a sample, shape (n_samples,), or one a pair.
        """
        pair_weights = weights[:, None] if weights.ndim == 1 else weights
        return Surrogate(self, loss, pair_weights * self.pairs.counted)

    def gradient(self, theta: Array, pair_pulls: Array) -> Array:
        """The gradient in theta; ``pair_pulls`` are ``side`` times the slopes of the pairs."""
        by_coef = -self.matrix.rmatvec(pair_pulls.sum(axis=1))
        return self.packing.gradient(theta, by_coef, pair_pulls.sum(axis=0))

    def hessian(self, pair_curvature: Array) -> Array:
        """The Hessian in theta from the second derivative of each pair's loss."""
        return self.packing.hessian(
            self.matrix.gram(pair_curvature.sum(axis=1)),
            -self.matrix.rmatvec(pair_curvature),
            np.diag(pair_curvature.sum(axis=0)),
        )


class Surrogate:
    """The penalty plus a weighted sum of convex pair losses: what the inner solvers minimise."""

    def __init__(self, objective: OrdinalObjective, loss: MarginLoss, pair_weights: Array) -> None:
        self.objective = objective
        self.loss = loss
        self.pair_weights = pair_weights
        self.at = objective.at
        self.n_bounded = objective.n_bounded
        self.damping = loss.damping

    def value(self, point: Point) -> float:
        return point.penalty + float(np.vdot(self.pair_weights, self.loss.value(point.excess)))

    def gradient(self, point: Point) -> Array:
        pairs = self.objective.pairs
        pulls = self.pair_weights * pairs.side * self.loss.slope(point.excess)
        return self.objective.gradient(point.theta, pulls)

    def hessian(self, point: Point, damping: float = 0.0) -> Array:
        """Second derivative, plus ``damping`` times that of the parabolas above."""
        curvature = self.loss.curvature(point.excess)
        if damping > 0.0:
            curvature = curvature + damping * self.loss.bound(point.excess)
        return self.objective.hessian(self.pair_weights * curvature)

    def same_piece(self, one: Point, other: Point) -> bool:
        """Whether one quadratic holds both points, for losses that are piecewise quadratic."""
        piece, other_piece = self.loss.piece(one.excess), self.loss.piece(other.excess)
        if piece is None or other_piece is None:
            return False
        counted = self.pair_weights > 0.0
        return np.array_equal(piece[counted], other_piece[counted])

    def along(self, point: Point, direction: Array) -> Line:
        return Line(self, point, direction)


class Line:
    """The surrogate on ``point + t * direction``, with scores moved by t times ``X direction``."""

    def __init__(self, surrogate: Surrogate, point: Point, direction: Array) -> None:
        objective = surrogate.objective
        self._surrogate = surrogate
        self._point = point
        self._direction = direction
        coef_step, threshold_step = objective.split(direction)
        self._score_step = objective.matrix.matvec(coef_step)
        self._excess_step = -objective.pairs.side * (self._score_step[:, None] - threshold_step)
        self._penalty_slope = objective.packing.penalty_product(point.theta, direction)
        self._penalty_curvature = objective.packing.penalty_product(direction, direction)

    def slope(self, t: float) -> tuple[float, float]:
        """First and second derivative at t."""
        loss = self._surrogate.loss
        excess = self._point.excess + t * self._excess_step
        weighted_step = self._surrogate.pair_weights * self._excess_step
        return (
            self._penalty_slope
            + t * self._penalty_curvature
            + float(np.vdot(weighted_step, loss.slope(excess))),
            self._penalty_curvature
            + float(np.vdot(weighted_step * self._excess_step, loss.curvature(excess))),
        )

    def move(self, t: float) -> Point:
        theta = self._point.theta + t * self._direction
        return self._surrogate.at(theta, self._point.scores + t * self._score_step)
