"""The capped objective ``h(theta) + sum_i c_i v(g_i)`` and the models that re-weighting asks for.

``g_i`` sums the losses of a sample's pairs. With the supergradient ``D_i`` of v at g_i, the
gradient is that of the surrogate ``h + sum c_i D_i g_i``; the Hessian of the smoothed loss is that
of the surrogate less ``-v''(g_i)`` times the outer product of the gradient of g_i. ``damping`` is
the share of that second part which is left away: 1 is the surrogate, a bound; near 0 Newton's model
as far as it is convex; 0 Newton's model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from csvor import _loops
from csvor._losses import CappedPower, CapSchedule
from csvor._margins import MarginLoss
from csvor._matrix import DenseMatrix
from csvor._objective._few import are_few, rows_of
from csvor._objective._iterations import iterate
from csvor._objective._packing import Packing
from csvor._objective._surrogate import OrdinalObjective
from csvor._solvers import Run, descend
from csvor._thresholds import PAIRS, rooms, settle

Array = NDArray[np.float64]
Codes = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class CappedPoint:
    """The objective at theta, and its model there.

    Attributes
    ----------
    theta : ndarray
    moving : float
        The objective less ``constant``, which can be so large that it hides the rest.
    smooth : float
        The same with the smoothed loss, which gradient and Hessian belong to.
    constant : float
        What the samples that are cut away add to the objective.
    gradient, hessian : ndarrays
    """

    theta: Array
    moving: float
    smooth: float
    constant: float
    gradient: Array
    hessian: Array

    @property
    def value(self) -> float:
        """The objective."""
        return self.moving + self.constant

    def fall_to(self, other: CappedPoint) -> float:
        return (self.moving - other.moving) + (self.constant - other.constant)

    def smooth_fall_to(self, other: CappedPoint) -> float:
        return (self.smooth - other.smooth) + (self.constant - other.constant)


class Bends(NamedTuple):
    """What of v's curvature is in the model.

    ``bend`` is the share of its smooth part, in units of that of p = 1: up to 1 the model of the
    hinge is convex, whatever p is. Without damping it is all there, but for p < 1, where it would
    bend down almost everywhere. Then the corner at the cap is there too, as if it were spread over
    ``edge`` on either side; and the kink at 0, a matter of the rows near it, is spread over the
    root of ``width`` in place of that of delta, so that some fifty rows for each parameter tell it.
    """

    bend: float
    edge: float
    width: float


class Capped(ABC):
    """What both forms have; ``importance`` are the c_i."""

    def __init__(
        self, matrix: DenseMatrix, codes: Codes, n_classes: int, importance: Array, constraints: str
    ) -> None:
        self.matrix = matrix
        self.codes = codes
        self.n_samples = codes.size
        self.n_classes = n_classes
        self.importance = importance
        self.implicit = constraints == "implicit"
        self.packing = Packing(matrix.ridge, n_classes - 1)
        self.n_bounded = self.packing.n_bounded

    @abstractmethod
    def at(self, theta: Array, loss: CappedPower, damping: float) -> CappedPoint:
        """The objective and its model."""

    @abstractmethod
    def losses(self, theta: Array) -> Array:
        """The g_i."""

    @abstractmethod
    def scores_and_losses(self, theta: Array) -> tuple[Array, Array]:
        """The scores and the g_i."""

    @abstractmethod
    def line(
        self, theta: Array, step: Array, loss: CappedPower
    ) -> Callable[[float], tuple[float, float]]:
        """First and second derivative of the surrogate at ``theta`` on ``theta + t step``."""

    def settled(self, theta: Array, loss: CappedPower) -> Array:
        """theta with each threshold that no row pulls at in the middle of its room.

        Such a threshold of a hinge costs the same anywhere between the rows that would begin to
        pull; where it came to rest is an accident of rounding, and a cap may depend on it.
        """
        thresholds = self.packing.split(theta)[1]
        scores, g = self.scores_and_losses(theta)
        left = (self.importance > 0) & ~loss.capped(g)
        scores, codes = scores[left], self.codes[left]
        low, high = rooms(scores, codes, self.n_classes, implicit=self.implicit)
        return self.packing.with_thresholds(theta, settle(thresholds, low, high))

    def sampled(self, size: int) -> tuple[NDArray[np.intp], Array]:
        """Rows of a part, which stand for all, and what share of the whole each of them counts.

        They are drawn by a fixed seed, as often as they weigh; each class is among them.
        """
        rng, total = np.random.default_rng(0), self.importance.sum()
        if self.importance.min() == self.importance.max():
            drawn = rng.integers(0, self.n_samples, size)
        else:
            drawn = rng.choice(self.n_samples, size, p=self.importance / total)
        counts = np.bincount(self.codes[drawn], minlength=self.n_classes)
        rare = [np.flatnonzero(self.codes == code)[:2] for code in np.flatnonzero(counts < 2)]
        added = np.concatenate([np.empty(0, dtype=np.intp), *rare])
        share = np.concatenate([np.full(size, 1.0 / size), self.importance[added] / total])
        return np.concatenate([drawn, added]), share / share.sum()

    def _bends(self, loss: CappedPower, damping: float) -> Bends:
        if damping > 0.0:
            return Bends(min((1.0 - damping) * (2.0 - loss.p), 1.0), 0.0, loss.delta)
        edge = 0.1 * loss.cap if loss.epsilon < np.inf else 0.0
        wanted = 50.0 * self.packing.origin.size / self.n_samples if loss.p >= 1.0 else np.inf
        return Bends(2.0 - loss.p, edge, max(min(wanted**2, 1e-2), loss.delta))


class CappedArrays(Capped):
    """Any pair loss, by whole arrays: the statement that the loops are held to.

    ``bounded`` takes the parabolas above the pairs for their curvature. For the squared hinge
    they span all counted pairs: what is left of the surrogate where the spare margins (the
    paper's slack matrix M) are held fixed.
    """

    def __init__(
        self,
        matrix: DenseMatrix,
        codes: Codes,
        n_classes: int,
        importance: Array,
        constraints: str,
        margin_loss: MarginLoss,
        *,
        bounded: bool = False,
    ) -> None:
        super().__init__(matrix, codes, n_classes, importance, constraints)
        self.objective = OrdinalObjective(matrix, PAIRS[constraints](codes, n_classes))
        self.margin_loss = margin_loss
        self.bounded = bounded

    def losses(self, theta: Array) -> Array:
        excess = self.objective.at(theta).excess
        return self.objective.pairs.sums(self.margin_loss.value(excess))

    def scores_and_losses(self, theta: Array) -> tuple[Array, Array]:
        return self.matrix.matvec(self.packing.split(theta)[0]), self.losses(theta)

    def line(
        self, theta: Array, step: Array, loss: CappedPower
    ) -> Callable[[float], tuple[float, float]]:
        weights = self.importance * loss.supergradient(self.losses(theta))
        surrogate = self.objective.weighted(self.margin_loss, weights)
        return surrogate.along(surrogate.at(theta), step).slope

    def settled(self, theta: Array, loss: CappedPower) -> Array:
        kinked = self.margin_loss.piece(np.zeros(1)) is not None
        return super().settled(theta, loss) if kinked else theta

    def at(self, theta: Array, loss: CappedPower, damping: float) -> CappedPoint:
        objective, pairs, margin = self.objective, self.objective.pairs, self.margin_loss
        excess = objective.at(theta).excess
        g = pairs.sums(margin.value(excess))
        weights = self.importance * loss.supergradient(g)
        left = ~loss.capped(g)
        kept = float(self.importance[left] @ loss.value(g[left]))
        cut = float(self.importance[~left].sum())
        smooth = float(self.importance[left] @ loss.smoothed(g[left])) + cut * loss.shortfall
        towards = pairs.side * pairs.counted * margin.slope(excess)
        curve = margin.bound(excess) if self.bounded else margin.curvature(excess)
        bends = self._bends(loss, damping) if margin.bends else Bends(0.0, 0.0, loss.delta)
        firm = self.importance * replace(loss, delta=bends.width).supergradient(g)
        own = firm[:, None] * pairs.counted * curve
        share, by_thresholds = own, np.diag(own.sum(axis=0))
        bent = np.zeros_like(g)
        if bends.bend > 0.0:
            bent = 0.5 * bends.bend * firm / (g + bends.width)
        if bends.edge > 0.0:
            near = np.abs(g - loss.cap) < bends.edge
            bent += (
                0.5 * self.importance * replace(loss, delta=bends.width).corner / bends.edge * near
            )
        if bent.any():
            share = own - (bent * towards.sum(axis=1))[:, None] * towards
            by_thresholds = by_thresholds - towards.T @ (bent[:, None] * towards)
        pulls = weights[:, None] * towards
        penalty = self.packing.penalty(theta)
        by_coef = -self.matrix.rmatvec(pulls.sum(axis=1))
        return CappedPoint(
            theta,
            penalty + kept,
            penalty + smooth,
            cut * loss.epsilon if cut else 0.0,
            self.packing.gradient(theta, by_coef, pulls.sum(axis=0)),
            self.packing.hessian(
                self.matrix.gram(share.sum(axis=1)), -self.matrix.rmatvec(share), by_thresholds
            ),
        )


class CappedHinge(Capped):
    """The squared hinge, by loops that pass over the rows once a point and keep nothing of them."""

    def part(self, rows: NDArray[np.intp], share: Array) -> CappedHinge:
        """The problem of these rows, which stand for all, each for its share."""
        importance = share * self.importance.sum()
        constraints = "implicit" if self.implicit else "explicit"
        part = self.matrix.part(rows)
        return CappedHinge(part, self.codes[rows], self.n_classes, importance, constraints)

    def losses(self, theta: Array) -> Array:
        return self.scores_and_losses(theta)[1]

    def scores_and_losses(self, theta: Array) -> tuple[Array, Array]:
        f, g = np.empty((2, self.codes.size))
        coef, thresholds = self.packing.split(theta)

        def fill(rows: slice) -> None:
            given = self._rows(rows)[:4]
            _loops.squared_slacks(*given, coef, thresholds, self.implicit, f[rows], g[rows])

        self.matrix.for_chunks(fill)
        return f, g

    def line(
        self, theta: Array, step: Array, loss: CappedPower
    ) -> Callable[[float], tuple[float, float]]:
        packing = self.packing
        ends = (*packing.split(theta), *packing.split(step))
        form = (self.implicit, loss.p, loss.cap, loss.delta)
        at_start = packing.penalty_product(theta, step)
        along = packing.penalty_product(step, step)

        def slope(t: float) -> tuple[float, float]:
            def add(rows: slice) -> Array:
                slopes = np.zeros(2)
                _loops.add_slope(*self._rows(rows), *ends, float(t), *form, slopes)
                return slopes

            first, second = self.matrix.sum_chunks(add).tolist()
            return at_start + t * along + first, along + second

        return slope

    def at(self, theta: Array, loss: CappedPower, damping: float) -> CappedPoint:
        coef, thresholds = self.packing.split(theta)
        d, m = coef.size, thresholds.size
        form = (self.implicit, loss.p, loss.cap, loss.delta, *self._bends(loss, damping))

        def add(rows: slice) -> Array:
            found = np.zeros((d + m + 1, max(d + m, d + m + 3)))
            sums, curvature = found[-1, : d + m + 3], found[: d + m, : d + m]
            _loops.add_rows(*self._rows(rows), coef, thresholds, *form, sums, curvature)
            return found

        found = self.matrix.sum_chunks(add)
        sums, curvature = found[-1], found[: d + m, : d + m]
        gradient, hessian = np.empty(d + m), np.empty((d + m, d + m))
        ridge = self.packing.ridge
        penalty = _loops.to_theta(theta, ridge, sums, curvature, gradient, hessian)
        kept, smooth, cut = sums[d + m : d + m + 3].tolist()
        return CappedPoint(
            theta,
            penalty + kept,
            penalty + smooth + cut * loss.shortfall,
            cut * loss.epsilon if cut else 0.0,
            gradient,
            hessian,
        )

    def descend(
        self,
        run: Run,
        schedule: CapSchedule,
        tol: float,
        max_iter: int,
        report: Callable[[int, float], None] | None,
    ) -> bool:
        """`_solvers.descend`, by compiled iterations where there are few numbers."""
        size = run.point.size
        if not are_few(self.matrix, size):
            return descend(self, run, schedule, tol, max_iter, report)
        rows = rows_of(self.matrix, self.codes, self.importance)
        # Some tenths of a second at a time, so that an interrupt is heard.
        at_once = 1 + 10_000_000 // (self.n_samples * size)
        outcome = _loops.GOING
        while outcome == _loops.GOING and len(run.history) < max_iter:
            n_most = min(at_once, max_iter - len(run.history))
            ridge = self.packing.ridge
            n_done = len(run.history)
            outcome = iterate(rows, self.implicit, ridge, schedule, run, tol, n_most)
            if report is not None:
                for i in range(n_done, len(run.history)):
                    report(i + 1, run.history[i])
        if outcome == _loops.STUCK:
            return descend(self, run, schedule, tol, max_iter, report)
        return outcome == _loops.ENDED

    def _rows(self, rows: slice) -> tuple[Array, Array, Array, Codes, Array]:
        matrix = self.matrix
        return (
            matrix.given[rows],
            matrix.center,
            matrix.factor,
            self.codes[rows],
            self.importance[rows],
        )
