"""General re-weighting (Algorithm 1 of the paper): minimise ``h(x) + sum_i c_i v(g_i(x))``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.newton import IndefiniteError, bounded_step, least_on_line
from csvor._solvers.solution import Solution, Status

Array = NDArray[np.float64]

# Less than this share of the objective cannot be told from rounding.
ROUNDING = 1e-14
# Less than this share is nothing even where all that is left is the samples that are cut away.
NOTHING = 1e-20
# While the cap is found, the next one is taken where an iteration lowers the objective by less
# than this share (found by trial: finer is slower, coarser cuts more rows than asked for).
EARLY = 1e-2
# But no later than after so many iterations.
PATIENCE = 20
# Shares of Newton's step to try near the end, where the objective has many small bends.
_SHORTER = (0.5, 0.25, 0.125)


class Model(Protocol):
    """The objective at theta and its model there."""

    theta: Array
    value: float
    moving: float  # value less the constant of the samples that are cut away
    gradient: Array
    hessian: Array

    def fall_to(self, other: Any) -> float: ...
    def smooth_fall_to(self, other: Any) -> float:
        """The fall of the smoothed objective, which gradient and Hessian belong to."""


class Problem(Protocol):
    """``h + sum_i c_i v(g_i)``, with the last coordinates of theta not negative."""

    n_bounded: int

    def at(self, theta: Array, loss: Any, damping: float) -> Model: ...
    def losses(self, theta: Array) -> Array: ...
    def line(
        self, theta: Array, step: Array, loss: Any
    ) -> Callable[[float], tuple[float, float]]: ...
    def settled(self, theta: Array, loss: Any) -> Array: ...


class Schedule(Protocol):
    """The loss v of each stage; equal losses mean that it is fixed, unless it is reopened.

    ``losses`` gives the g_i, for those that need them.
    """

    def loss_at(self, stage: int, losses: Callable[[], Array], last: Any) -> Any: ...
    def steady(self, stage: int) -> bool: ...
    def reopened(self, losses: Callable[[], Array], last: Any) -> Any: ...
    def settled(self, stage: int, losses: Callable[[], Array], last: Any) -> Any: ...


@dataclass
class Damping:
    """Share of the curvature of v that is left out of the model.

    1 is the surrogate. Less of it once the loss is fixed and full steps are good; all of it again
    where a step had to be cut.
    """

    share: float = 1.0
    factor: float = 0.5
    least: float = 1e-6

    def after_full_step(self, fixed: bool) -> float:
        return max(self.factor * self.share, self.least) if fixed else 1.0


@dataclass
class Run:
    """Where the iterations stand: ``best`` is the lowest point under the loss in force.

    ``bound`` and ``near`` are those of `reweight`; ``lowered`` says whether the last step lowered
    the objective.
    """

    point: Array
    best: Array
    loss: Any
    damping: Damping
    fixed: bool = False
    bound: bool = False
    near: bool = False
    stage: int = 0
    waited: int = 0
    fixed_from: int = 0
    lowered: bool = True
    history: list[float] = field(default_factory=list)

    def change(self, loss: Any) -> None:
        self.loss, self.fixed_from = loss, len(self.history)
        self.damping.share = 0.0 if self.near else 1.0


Report = Callable[[int, float], None] | None
Iterations = Callable[[Run, Any, float, int, Report], bool]


def descend(
    problem: Any,
    run: Run,
    schedule: Schedule,
    tol: float,
    max_iter: int,
    report: Report,
) -> bool:
    """Iterate on a Problem until the run ends under a loss that is fixed; whether it did."""
    loss, damping = run.loss, run.damping
    point = best = problem.at(run.point, loss, damping.share)
    if run.best is not run.point:
        best = problem.at(run.best, loss, damping.share)
    ended = False
    while len(run.history) < max_iter and not ended:
        share_of = point.value if run.bound else point.moving
        enough = max(tol, ROUNDING) * share_of if run.near and run.fixed else 0.0
        trial, promised = _advance(problem, point, run, enough)
        fall = point.fall_to(trial)
        run.lowered = point.smooth_fall_to(trial) >= -ROUNDING * point.moving
        if run.lowered:
            point = trial
            best = point if best.fall_to(point) > 0.0 else best
        run.history.append(best.value)
        if report is not None:
            report(len(run.history), best.value)

        nothing = NOTHING * point.value
        share_of = point.value if run.bound else point.moving
        least = max(max(tol, ROUNDING) * share_of, nothing)
        early = max(EARLY * point.moving, nothing)
        run.waited += 1
        steady = schedule.steady(run.stage)
        if run.bound or steady or fall <= early or run.waited >= PATIENCE:
            run.stage, run.waited = run.stage + 1, 0
        upcoming = schedule.loss_at(run.stage, _once(problem, point.theta), loss)
        run.fixed = upcoming == loss and schedule.steady(run.stage)
        slack = 3.0 if run.near else 1.0  # Newton's next step would promise a part of this one
        small = fall <= least and (promised <= slack * least or run.bound)
        ended = run.fixed and (small or not run.lowered)
        if upcoming != loss:
            run.change(upcoming)
            loss = upcoming
            point = best = problem.at(point.theta, loss, damping.share)
    run.point, run.best = point.theta, best.theta
    return ended


def reweight(
    problem: Problem,
    theta: Array,
    schedule: Schedule,
    *,
    tol: float,
    max_iter: int,
    bound: bool = False,
    near: bool = False,
    report: Report = None,
    iterations: Iterations | None = None,
) -> Solution:
    """Minimise ``h(x) + sum_i c_i v(g_i(x))`` by surrogates ``h(x) + sum_i c_i D_i g_i(x)``.

    ``D_i`` is a supergradient of the concave ``v`` at ``g_i``, so the surrogate touches the
    objective and lies above it: what lowers the one lowers the other. Each iteration takes one
    Newton step on the surrogate; once the loss is fixed, the curvature of v comes into the model
    as far as steps prove good. A step that does not lower the objective enough is cut to the least
    value of the surrogate on its line, which always does.

    Parameters
    ----------
    problem : Problem
    theta : ndarray
        The start.
    schedule : Schedule
        The loss ``v`` of each stage. While it changes, the run is not judged.
    tol : float
        The run ends when the objective falls by at most ``tol`` times itself, less what the
        samples that are cut away add to it (a constant, however large).
    max_iter : int
    bound : bool, default=False
        The model is a bound: whole steps, with nothing to check. They creep, so the constant is
        not taken out of the objective that ``tol`` is a share of.
    near : bool, default=False
        The start is near the end, and the samples are many: Newton's model is good from the first
        step on, and no coordinate is left to chance.
    report : callable (iteration, objective), optional
    iterations : callable, optional
        What does them, where not `descend`.
    """
    loss = schedule.loss_at(0, lambda: problem.losses(theta), None)
    damping = Damping(0.0, 0.0, 0.0) if near else Damping()
    fixed = near and schedule.steady(0)
    run = Run(theta, theta, loss, damping, fixed=fixed, bound=bound, near=near)
    status = Status.MAX_ITER
    iterations = iterations or partial(descend, problem)
    while iterations(run, schedule, tol, max_iter, report):
        if not near:
            _settle(problem, run)
        run.point = run.best
        upcoming = schedule.reopened(_once(problem, run.best), run.loss)
        if upcoming == run.loss:
            status = Status.CONVERGED if run.lowered else Status.NO_DESCENT
            break
        run.change(upcoming)
    objective = run.history[-1]
    if status is Status.MAX_ITER:
        loss = schedule.settled(run.stage, _once(problem, run.best), run.loss)
        if loss != run.loss:
            run.loss, run.fixed_from = loss, len(run.history)
            objective = problem.at(run.best, loss, 1.0).value
    n_iter = len(run.history)
    return Solution(run.best, run.loss, objective, run.history, run.fixed_from, status, n_iter)


def _advance(problem: Problem, point: Model, run: Run, enough: float) -> tuple[Model, float]:
    """The next point, and the fall that the slope of the whole step promised.

    It is the same point where that is not ``enough`` for a look at the samples.
    """
    loss, damping = run.loss, run.damping
    point, step = _model_step(problem, point, loss)
    slope = float(point.gradient @ step)
    if -slope <= enough:
        return point, -slope
    share = damping.after_full_step(run.fixed and not run.bound)
    trial = problem.at(point.theta + step, loss, share)
    if run.bound or point.smooth_fall_to(trial) >= -1e-4 * slope:
        damping.share = share
        return trial, -slope
    for t in _SHORTER if run.near else ():
        trial = problem.at(point.theta + t * step, loss, 0.0)
        if point.smooth_fall_to(trial) >= -0.1 * t * slope:
            damping.share = 0.0
            return trial, -slope
    t = least_on_line(problem.line(point.theta, step, loss))
    damping.share = 1.0
    if t < 1.0:
        trial = problem.at(point.theta + t * step, loss, 1.0)
    return trial, -slope


def _model_step(problem: Problem, point: Model, loss: Any) -> tuple[Model, Array]:
    """The step to the least value of the model, with more of the surrogate where it has none.

    Below p = 1 the curvature of rows near a kink is huge and cancels but for rounding.
    """
    for damping in (1e-6, 1.0):
        try:
            step = bounded_step(point.hessian, point.gradient, point.theta, problem.n_bounded)
        except IndefiniteError:
            point = problem.at(point.theta, loss, damping)
        else:
            return point, step
    return point, bounded_step(point.hessian, point.gradient, point.theta, problem.n_bounded)


def _settle(problem: Problem, run: Run) -> None:
    """Put undetermined coordinates of the best point where they do not depend on the way taken."""
    moved = problem.settled(run.best, run.loss)
    if moved is run.best:
        return
    point, trial = (problem.at(theta, run.loss, 1.0) for theta in (run.best, moved))
    if point.smooth_fall_to(trial) >= -ROUNDING * point.moving:
        run.best = moved
        run.history[-1] = min(run.history[-1], trial.value)


def _once(problem: Problem, theta: Array) -> Callable[[], Array]:
    found: list[Array] = []

    def losses() -> Array:
        if not found:
            found.append(problem.losses(theta))
        return found[0]

    return losses
