"""A sum of losses with kinks, by multipliers: an augmented Lagrangian and Newton's steps.

The problem is ``h(theta) + sum_i c_i phi(x_i(theta))`` with x linear and phi the support function
of a set L. With multipliers ``l_i`` in ``c_i L``, sigma > 0 and rates ``s_i = sigma c_i`` (so that
a weight of 2 is two samples),
``h + sum_i max {u.x_i - |u - l_i|^2 / (2 s_i) : u in c_i L}`` is smooth. Its slopes by x_i are
``P(l_i + s_i x_i)``, P the nearest point of ``c_i L``: where Newton's steps end, they are the next
multipliers. Only samples on a kink or on a curved part of their loss have curvature, and
nothing grows stiff at a kink.

What samples count for, c, follows the loss of each stage between the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.capped_costs import CappedCosts, SupportProblem
from csvor._solvers.line import least_between
from csvor._solvers.solution import Solution, SolverStatus

Array = NDArray[np.float64]
Report = Callable[[int, float], None] | None

# All found by trial. Newton's steps under the same multipliers: at most so many, until one that
# promises no more than this share of what the multipliers have moved by.
_STEPS, _SHARE = 12, 0.3
# Where the bound is not near enough after these, they go on until it comes to this share of tol.
_ENOUGH = 0.5
# A step after one that promised more than this share of the objective may be rough.
_FAR = 1e-3
# What they have moved by counts as at least this share of tol.
_NOTHING = 1e-2
# The slope at which a line is searched no further, as a share of that at its start.
_FLAT = 0.1
# A stage of the loss ends when its convex problem is solved to this, and falls by no more.
_STAGE = 1e-2
# Sigma: it stays while an iteration of more than one step lowers the objective by more than this
# share, and grows by a factor, the larger the fewer steps the last one took; it falls where that
# took too many. A stage begins with this share of it.
_FALL = 3e-3
_FACTORS = ((2, 4.0), (6, 2.0), (_STEPS - 1, 1.5), (_STEPS, 0.5))
# A step by conjugate gradients takes the more products the larger sigma is.
_SLOWER = ((1, 1.5), (2, 1.2), (_STEPS - 1, 1.0), (_STEPS, 0.5))
_LEAST, _ANEW = 1e-2, 0.25
# Iterations without a better bound, all else done, after which a run is over.
_PATIENCE = 5
# Less than this share of the objective cannot be told from rounding.
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class _Snapshot:
    theta: Array
    x: Array
    capped: CappedCosts
    sigma: float


def augment(
    problem: SupportProblem,
    stages: Sequence[Any],
    *,
    tol: float,
    max_iter: int,
    report: Report = None,
) -> Solution:
    """Minimise ``h + sum_i c_i phi(x_i)``, c by the loss of each stage.

    Parameters
    ----------
    problem : SupportProblem
    stages : sequence
        The losses, as ``problem.costs_at`` reads them; the last one counts.
    tol : float
        The run ends when the convex problem of the costs at hand is certified to lie within this
        share of its least value. Where the last step has changed the costs, the gap shows it.
        Where the loss is concave they always change: there the run also ends when the objective
        falls by no more than this share.
    max_iter : int
        Limit of Newton steps.
    report : callable (step, objective), optional
    """
    return _MultiplierRun(problem, stages, tol, max_iter, report).solution()


class _MultiplierRun:
    def __init__(
        self,
        problem: SupportProblem,
        stages: Sequence[Any],
        tol: float,
        max_iter: int,
        report: Report,
    ) -> None:
        self.problem, self.stages, self.report = problem, stages, report
        self.tol, self.max_iter = max(tol, _ROUNDING), max_iter
        self.theta = problem.start
        self.x = problem.slack_args(self.theta)
        self.multipliers = np.zeros_like(self.x)
        (self.sigma, self.most), self.share = problem.sigmas, _SHARE
        self.stage = self.fixed_from = 0
        self.is_far = True
        self.capped = problem.costs_at(self.theta, self.x, stages[0])
        self.best = self.snapshot()
        self.history: list[float] = []
        self.gap = np.inf

    def solution(self) -> Solution:
        status = self.iterate()
        if status is not SolverStatus.MAX_ITER and not self.takes_best():
            status = self.iterate()  # what was passed by is lower: on from there
        settled = self.stage == len(self.stages) - 1
        if not settled:
            self.begin(len(self.stages) - 1)
        self.takes_best()
        self.centre()
        if status in (SolverStatus.OPTIMAL, SolverStatus.INEXACT):  # the end may have moved since
            status = SolverStatus.OPTIMAL if self.gap <= self.tol else SolverStatus.INEXACT
        at = self.capped
        objective = min(at.value, self.history[-1]) if settled else at.value
        self.history[-1] = objective
        return Solution(
            self.theta, at.cap, objective, self.history, self.fixed_from, status,
            len(self.history), at.constant, self.gap,
        )  # fmt: skip

    def iterate(self) -> SolverStatus:
        """Let multipliers, costs and sigma follow until the gap is closed."""
        first, last = self.problem.sigmas[0], len(self.stages) - 1
        factors = _SLOWER if self.problem.steps_by_products else _FACTORS
        least, waited = np.inf, 0
        while len(self.history) < self.max_iter:
            value, begin = self.capped.value, len(self.history)
            self.descend()
            took, fell = len(self.history) - begin, value - self.capped.value
            self.refresh_costs()
            left = self.left()
            if self.stage < last and left <= _STAGE and fell <= _STAGE * value:
                self.begin(self.stage + 1)
                continue
            is_solved = self.stage == last and left <= self.tol
            if is_solved:
                left = self.gap = self.certified()
                if self.gap <= self.tol:
                    return SolverStatus.OPTIMAL
                if self.capped.concave and abs(fell) <= self.tol * self.capped.scale:
                    return SolverStatus.CONVERGED
                self.share *= 1e-2  # only the steps are not exact enough
            elif took <= 1 or took >= _STEPS or fell <= _FALL * self.capped.scale:
                factor = next(factor for most, factor in factors if took <= most)
                self.sigma = min(max(factor * self.sigma, _LEAST * first), self.most)
            if is_solved or self.sigma == self.most:
                # Below p = 1 the bound goes up and down with the costs: the objective tells.
                concave = self.capped.concave
                reached, enough = (self.best.capped.value, self.tol) if concave else (left, 1e-2)
                waited = waited + 1 if reached >= (1.0 - enough) * least else 0
                least = min(least, reached)
                if waited > _PATIENCE:
                    # What is trimmed may change for ever among rows that are alike.
                    moves = concave or self.stages[last].trim > 0.0
                    return SolverStatus.NO_DESCENT if moves else SolverStatus.INEXACT
        return SolverStatus.MAX_ITER

    def begin(self, stage: int) -> None:
        """Another loss: its end may lie far off, so sigma begins lower."""
        self.stage, self.fixed_from = stage, len(self.history)
        self.sigma = max(_ANEW * self.sigma, self.problem.sigmas[0])
        self.refresh_costs()
        self.best = self.snapshot()

    def snapshot(self) -> _Snapshot:
        return _Snapshot(self.theta, self.x, self.capped, self.sigma)

    def refresh_costs(self) -> None:
        self.capped = self.problem.costs_at(self.theta, self.x, self.stages[self.stage])
        self.multipliers = self.problem.nearest(self.multipliers, self.capped.costs)

    def left(self) -> float:
        """What the multipliers leave of the losses, as a share of the objective."""
        losses = self.capped.costs @ self.problem.losses(self.x)
        return float((losses - np.vdot(self.multipliers, self.x)) / self.capped.scale)

    def certified(self) -> float:
        capped = self.capped
        gap = self.problem.gap(self.theta, self.x, self.multipliers, capped.costs)
        return gap / capped.scale

    def descend(self) -> None:
        """Newton's steps under the same multipliers and costs; their slopes are the next ones."""
        problem, costs = self.problem, self.capped.costs
        rate = self.sigma * costs
        doubled = 2.0 * np.where(costs > 0.0, rate, 1.0)
        least = _NOTHING * self.tol * self.capped.scale
        enough = _ENOUGH * self.tol * self.capped.scale
        begin, is_last = len(self.history), False
        while True:
            shifted = self.multipliers + rate * self.x
            slopes = problem.nearest(shifted, costs)
            taken = len(self.history) - begin
            if is_last or taken == _STEPS or len(self.history) == self.max_iter:
                break
            if self.share < _SHARE and problem.gap(self.theta, self.x, slopes, costs) <= enough:
                break
            gradient = problem.gradient(self.theta, slopes)
            step = problem.newton(self.theta, gradient, shifted, costs, rate, self.is_far)
            predicted_decrease = -float(gradient @ step)
            self.is_far = predicted_decrease > _FAR * self.capped.scale
            moved = slopes - self.multipliers
            far = max(float(np.sum(moved * moved / doubled)), least)
            is_last = 0.5 * predicted_decrease <= self.share * far
            change = problem.directional_change(step)
            t = self.least_along(step, change, shifted, costs, predicted_decrease)
            self.theta = self.theta + t * step
            bounded = self.theta[self.theta.size - problem.n_bounded :]
            np.maximum(bounded, 0.0, out=bounded)
            self.x = self.x + t * change
            self.note()
        self.multipliers = slopes

    def note(self) -> None:
        """Keep the lowest point of the loss in force, and tell."""
        self.capped = self.problem.costs_at(self.theta, self.x, self.stages[self.stage])
        if self.capped.value < self.best.capped.value:
            self.best = self.snapshot()
        self.history.append(self.best.capped.value)
        if self.report is not None:
            self.report(len(self.history), self.history[-1])

    def least_along(
        self, step: Array, change: Array, shifted: Array, costs: Array, predicted_decrease: float
    ) -> float:
        """About where on [0, 1] the smooth problem is least along a step."""
        rate = self.sigma * costs
        first, second = self.problem.penalty_on_line(self.theta, step)

        def slope(t: float) -> float:
            moved = self.problem.nearest(shifted + t * rate * change, costs)
            return first + t * second + float(np.vdot(moved, change))

        return least_between(slope, -predicted_decrease, _FLAT)

    def takes_best(self) -> bool:
        """Go to the lowest point seen; whether the multipliers at hand certify it too."""
        best, reached, left = self.best, self.gap, self.capped
        if best.capped.value >= left.value:
            return True
        same = np.array_equal(best.capped.costs, left.costs)  # then the bound of one is the other's
        bound = left.active - reached * left.scale if same and not left.concave else -np.inf
        self.theta, self.x, self.capped, self.sigma = best.theta, best.x, best.capped, best.sigma
        self.multipliers = self.problem.nearest(self.multipliers, self.capped.costs)
        self.gap = min(self.certified(), (best.capped.active - bound) / best.capped.scale)
        return self.gap <= max(self.tol, reached)

    def centre(self) -> None:
        """Put undetermined thresholds where they do not depend on the way taken."""
        problem, moved = self.problem, self.problem.centred(self.theta, self.capped.cap)
        x = problem.slack_args(moved)
        capped = problem.costs_at(moved, x, self.stages[-1])
        multipliers = problem.nearest(self.multipliers, capped.costs)
        gap = problem.gap(moved, x, multipliers, capped.costs) / capped.scale
        highest = self.capped.value + _ROUNDING * self.capped.scale
        if capped.value <= highest and gap <= max(self.tol, self.gap):
            self.theta, self.x, self.capped, self.gap = moved, x, capped, gap
