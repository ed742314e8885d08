"""A sum of maxima of linear pieces, by an interior-point method.

``1/2 theta' diag(ridge) theta + linear . theta + constant + sum_i c_i sum_g max_j x_igj(theta)``.
Pieces have multipliers and distances, and coordinates that are not negative have a multiplier of
their own: all stay positive, and their products go to 0 together. Each iteration takes two steps of
Newton's method from one factor: straight to 0, and on what that tells (Mehrotra) to a common value.
Multipliers bound the objective from below, so the way is known to have come to an end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrs

from csvor._solvers.interior_pass import dual_directions, hessian_terms, reduced_rhs, value_and_gap
from csvor._solvers.solution import Solution, SolverStatus
from csvor._solvers.step import IndefiniteError, cholesky

Array = NDArray[np.float64]

# The way to the nearest bound is gone to this share.
_SHARE = 0.9995
# Of what pulls a coordinate without a ridge, less than this share is rounding.
_BALANCED = 1e-9
# An objective below this share of the costs' sum is not found as exactly; so many iterations that
# do not close the gap are the end.
_LEAST_SCALE, _PATIENCE = 1e-3, 10


class PiecewiseProblem(Protocol):
    """``ridge`` is that of the first coordinates of theta; the last ``n_bounded`` are not negative.

    Views have a row each. What is minimised is not negative anywhere, or it is a part of what is
    not, which is of no use where it falls below 0: it may have no end. ``total`` is what the costs
    of all samples add up to, those included of which ``linear`` and ``constant`` are made.
    """

    n_bounded: int
    slopes: Array
    offsets: Array
    costs: Array
    ridge: Array
    linear: Array
    constant: float
    total: float

    @property
    def start(self) -> Array: ...
    def views(self, theta: Array) -> Array: ...
    def transpose_matvec(self, by_views: Array) -> Array: ...
    def sandwich(self, by_views: Array) -> Array: ...


def minimise_maxima(
    problem: PiecewiseProblem,
    *,
    tol: float,
    max_iter: int,
    report: Callable[[int, float], None] | None = None,
) -> Solution:
    """Minimise a sum of maxima.

    Parameters
    ----------
    problem : PiecewiseProblem
        Its ``start`` has bounded coordinates above 0, and its costs are positive.
    tol : float
        The run ends when the objective is certified to lie within this share of its least value,
        or of a thousandth of the sum of all costs where that is more.
    max_iter : int
    report : callable (iteration, objective), optional
    """
    run = _InteriorRun(problem)
    history: list[float] = []
    least, waited = np.inf, 0
    status = SolverStatus.OPTIMAL
    while not run.gap <= tol * run.scale:
        waited = 0 if run.gap < 0.9 * least or least == np.inf else waited + 1
        least = min(least, run.gap)
        if len(history) == max_iter:
            status = SolverStatus.MAX_ITER
            break
        if waited > _PATIENCE or run.value < 0.0 or not run.advance():
            status = SolverStatus.INEXACT
            break
        run.evaluate()
        history.append(run.value)
        if report is not None:
            report(len(history), run.value)
    gap = run.gap / abs(run.value) if run.gap > 0.0 else 0.0
    return Solution(run.best, None, run.value, history, 0, status, len(history), gap=gap)


class _InteriorRun:
    """Where the method stands; the lowest point and the highest bound so far."""

    def __init__(self, problem: PiecewiseProblem) -> None:
        self.problem, self.bounded = problem, slice(problem.start.size - problem.n_bounded, None)
        self.theta = self.best = problem.start
        views = problem.views(self.theta)
        slopes, offsets, costs = problem.slopes, problem.offsets, problem.costs
        pieces = np.ascontiguousarray(np.moveaxis(slopes @ views + offsets[..., None], 2, 0))
        self.distances = 1.0 + pieces.max(axis=2, keepdims=True) - pieces
        shape = pieces.shape
        self.multipliers = np.empty(shape)
        self.multipliers[...] = (costs / shape[2])[:, None, None]
        self.d_multipliers, self.d_distances, self.correction = np.empty((3, *shape))
        self.by_views = np.empty(views.shape)
        self.curvature = np.empty((*views.shape[:1], *views.shape))
        product = float(np.vdot(self.multipliers, self.distances)) / self.distances.size
        # What holds a bounded coordinate is at least of the size of what pulls at it.
        pull = problem.linear[self.bounded]
        self.pulls = np.maximum(product / self.theta[self.bounded], pull)
        self.total = problem.total
        self.value, self.bound = np.inf, -np.inf
        self.evaluate()

    @property
    def gap(self) -> float:
        return self.value - self.bound

    @property
    def scale(self) -> float:
        return scale_of(self.value, self.total)

    def evaluate(self) -> None:
        """Value and bound here, and the gradient of the Lagrangian."""
        problem, theta, d = self.problem, self.theta, self.problem.ridge.size
        cost, apart = value_and_gap(
            problem.slopes, problem.offsets, self.multipliers, problem.costs,
            problem.views(theta), self.by_views,
        )  # fmt: skip
        pull = problem.ridge * theta[:d]
        value = cost + float(0.5 * pull @ theta[:d] + problem.linear @ theta) + problem.constant
        _check_range(value)
        if value < self.value:
            self.value, self.best = value, theta
        self.left = problem.linear + problem.transpose_matvec(self.by_views)
        self.left[:d] += pull
        apart += 0.5 * float(self.left[:d] @ (self.left[:d] / problem.ridge))
        # A bounded coordinate may be pulled down; what else is not 0 can be but rounding.
        free, pulls = self.left[d : self.bounded.start], self.left[self.bounded]
        down = np.maximum(pulls, 0.0)
        off = float(np.abs(free).sum() + (down - pulls).sum())
        if off <= _BALANCED * self.total:
            # As if coordinates might lie as far again, or 1 away.
            reach = 1.0 + float(np.abs(theta[d:]).max())
            apart += float(down @ theta[self.bounded]) + off * reach
            self.bound = max(self.bound, value - apart)
        pulls -= self.pulls

    def advance(self) -> bool:
        """Go one iteration; whether there was a way."""
        problem, bounded, d = self.problem, self.theta[self.bounded], self.problem.ridge.size
        hessian_terms(problem.slopes, self.multipliers, self.distances, self.curvature)
        hessian = problem.sandwich(self.curvature)
        diagonal = hessian.reshape(-1)[:: self.theta.size + 1]
        diagonal[:d] += problem.ridge
        diagonal[self.bounded] += self.pulls / bounded
        _check_range(float(diagonal.sum()))
        scale = diagonal**-0.5
        try:
            factor = cholesky(hessian * scale * scale[:, None]), scale
        except IndefiniteError:
            return False
        now = float(np.vdot(self.multipliers, self.distances) + self.pulls @ bounded)
        count = self.multipliers.size + bounded.size
        self.correction.fill(0.0)
        step, d_pulls, inverse, bends = self.direction(factor, 0.0, np.zeros(bounded.size))
        t = 1.0 / max(inverse, 1.0)
        then = (1.0 - t) * now + t**2 * bends
        np.multiply(self.d_multipliers, self.d_distances, out=self.correction)
        step, d_pulls, inverse, _ = self.direction(
            factor, (then / now) ** 3 * now / count, d_pulls * step[self.bounded]
        )
        t = _SHARE / max(inverse, _SHARE)
        self.theta = self.theta + t * step
        self.pulls = self.pulls + t * d_pulls
        self.multipliers += t * self.d_multipliers
        self.distances += t * self.d_distances
        return True

    def direction(
        self, factor: tuple[Array, Array], aim: float, of_bounds: Array
    ) -> tuple[Array, Array, float, float]:
        """The step to products ``aim`` less what bends; distances and multipliers follow.

        Returns the step, that of the pulls of bounds, 1 / how far one can go, and the sum of the
        products of changes.
        """
        problem, bounded, (lower, scale) = self.problem, self.theta[self.bounded], factor
        state = problem.slopes, self.multipliers, self.distances, aim, self.correction
        reduced_rhs(*state, self.by_views)
        right = -self.left - problem.transpose_matvec(self.by_views)
        wanted = (aim - of_bounds) / bounded - self.pulls
        right[self.bounded] += wanted
        step = scale * dpotrs(lower, scale * right, lower=True)[0]
        inverse, bends = dual_directions(
            *state, problem.views(step), self.d_multipliers, self.d_distances
        )
        along = step[self.bounded]
        d_pulls = wanted - self.pulls * along / bounded
        inverse = max(
            inverse, -float((along / bounded).min()), -float((d_pulls / self.pulls).min())
        )
        return step, d_pulls, inverse, bends + float(d_pulls @ along)


def scale_of(value: float, total: float) -> float:
    """What shares of an objective are of, given the sum of all costs."""
    return max(value, _LEAST_SCALE * total)


def _check_range(number: float) -> None:
    if not np.isfinite(number):
        raise FloatingPointError("A step is no number.")
