"""The only room that knows how theta = [w; b_1; gaps] is packed.

``w`` are the coefficients of the scaled features, ``b_k = b_1 + gap_2 + ... + gap_k`` the
thresholds. The order of the thresholds is then ``gaps >= 0``: bounds on the last coordinates,
which is all that the solvers are told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csvor._margins import MarginLoss
from csvor._matrix import DenseMatrix
from csvor._thresholds import Pairs

Array = NDArray[np.float64]

# A slack of this size, in units of the margin, is none.
_ROUNDING = 1e-9


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
    """``1/2 ||w||^2 + threshold_ridge/2 ||b - mean(b)||^2 + sum of pair losses``, b ordered.

    A free bias added to the score with a ridge on its thresholds is the same as the ridge on
    the thresholds about their mean, which is how it stands here.
    """

    def __init__(self, matrix: DenseMatrix, pairs: Pairs, threshold_ridge: float = 0.0) -> None:
        self.matrix = matrix
        self.pairs = pairs
        self.n_features = matrix.n_features
        self.n_thresholds = pairs.side.shape[1]
        self.ridge = matrix.ridge
        self.threshold_ridge = threshold_ridge

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
        penalty = 0.5 * self.penalty_product(theta, theta)
        return Point(theta, scores, self.pairs.excess(scores, thresholds), penalty)

    def penalty_product(self, one: Array, other: Array) -> float:
        """``one' P other`` with the penalty ``1/2 theta' P theta``."""
        (v, a), (w, b) = self.split(one), self.split(other)
        return float((self.ridge * v) @ w) + self.threshold_ridge * float((a - a.mean()) @ b)

    def penalty_gradient(self, theta: Array) -> Array:
        coef, thresholds = self.split(theta)
        pull = self.threshold_ridge * (thresholds - thresholds.mean())
        return np.concatenate([self.ridge * coef, _by_gaps(pull)])

    def with_thresholds(self, point: Point, thresholds: Array) -> Point:
        theta = point.theta.copy()
        theta[self.n_features :] = np.diff(thresholds, prepend=0.0)
        return self.at(theta, point.scores)

    def weighted(self, loss: MarginLoss, weights: Array) -> Surrogate:
        """The penalty plus ``sum weights * loss(excess)`` over the counted pairs.

        ``weights`` has one entry a sample, shape (n_samples,), or one a pair.
        """
        pair_weights = weights[:, None] if weights.ndim == 1 else weights
        return Surrogate(self, loss, pair_weights * self.pairs.counted)

    def curvature(self, pair_curvature: Array) -> Array:
        """The Hessian in theta from the second derivative of each pair's loss."""
        d = self.n_features
        H = np.empty((d + self.n_thresholds,) * 2)
        H[:d, :d] = self.matrix.gram(pair_curvature.sum(axis=1))
        H[np.arange(d), np.arange(d)] += self.ridge
        H[:d, d:] = _by_gaps(-self.matrix.rmatvec(pair_curvature))
        H[d:, :d] = H[:d, d:].T
        by_thresholds = np.diag(pair_curvature.sum(axis=0) + self.threshold_ridge)
        by_thresholds -= self.threshold_ridge / self.n_thresholds
        H[d:, d:] = _by_gaps(_by_gaps(by_thresholds).T)
        return H


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
        objective = self.objective
        pull = self.pair_weights * objective.pairs.side * self.loss.slope(point.excess)
        by_coef = -objective.matrix.rmatvec(pull.sum(axis=1))
        by_loss = np.concatenate([by_coef, _by_gaps(pull.sum(axis=0))])
        return objective.penalty_gradient(point.theta) + by_loss

    def hessian(self, point: Point, damping: float = 0.0) -> Array:
        """Second derivative, plus ``damping`` times that of the parabolas above."""
        curvature = self.loss.curvature(point.excess)
        if damping > 0.0:
            curvature = curvature + damping * self.loss.bound(point.excess)
        return self.objective.curvature(self.pair_weights * curvature)

    def majorizer(self, point: Point) -> Array:
        """Second derivative of the parabolas alone.

        For the squared hinge they span all counted pairs: what is left of the surrogate where
        the spare margins (the paper's slack matrix M) are held fixed.
        """
        return self.objective.curvature(self.pair_weights * self.loss.bound(point.excess))

    def same_piece(self, one: Point, other: Point) -> bool:
        """Whether one quadratic holds both points, for losses that are piecewise quadratic."""
        piece, other_piece = self.loss.piece(one.excess), self.loss.piece(other.excess)
        if piece is None or other_piece is None:
            return False
        counted = self.pair_weights > 0.0
        return np.array_equal(piece[counted], other_piece[counted])

    def settled(self, point: Point) -> Point:
        """The point with each threshold that no row pulls at in the middle of its room.

        Such a threshold of a hinge costs the same anywhere between the rows that would begin to
        pull; where it came to rest is an accident of rounding, and a cap may depend on it.
        """
        if self.loss.piece(point.excess) is None:
            return point
        counted = self.pair_weights > 0.0
        free = ~np.any(counted & (point.excess > _ROUNDING), axis=0)
        if not free.any():
            return point
        scores, side = point.scores[:, None], self.objective.pairs.side
        low = np.where(counted & (side < 0), scores + 1.0, -np.inf).max(axis=0)
        high = np.where(counted & (side > 0), scores - 1.0, np.inf).min(axis=0)
        # Rows on one side only: as near to them as costs nothing. On neither: where it is.
        low, high = np.where(np.isinf(low), high, low), np.where(np.isinf(high), low, high)
        _, thresholds = self.objective.split(point.theta)
        moved = thresholds.copy()
        movable = free & np.isfinite(low)
        moved[movable] = 0.5 * (low[movable] + high[movable])
        moved = np.maximum.accumulate(moved)
        if np.any(moved[~free] != thresholds[~free]):
            return point
        return self.objective.with_thresholds(point, moved)

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
        self._penalty_slope = objective.penalty_product(point.theta, direction)
        self._penalty_curvature = objective.penalty_product(direction, direction)

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


def _by_gaps(by_thresholds: Array) -> Array:
    """Chain rule from b to (b_1, gaps) on the last axis: sums over the thresholds from k on."""
    return np.cumsum(by_thresholds[..., ::-1], axis=-1)[..., ::-1]
