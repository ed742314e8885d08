"""General re-weighting (Algorithm 1 of the paper): minimise ``h(x) + sum_i c_i v(g_i(x))``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.newton import IndefiniteError, bounded_step, least_on_line
from csvor._solvers.solution import Solution, Status

Array = NDArray[np.float64]

# Less than this share of the objective cannot be told from rounding.
_ROUNDING = 1e-14
# Less than this share is nothing even where all that is left is the samples that are cut away.
_NOTHING = 1e-20
# While the cap is found, the next one is taken where an iteration lowers the objective by less
# than this share (found by trial: finer is slower, coarser cuts more rows than asked for).
_EARLY = 1e-2
# But no later than after so many iterations.
_PATIENCE = 20


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
    """The loss v of each iteration; equal losses mean that it is fixed, unless it is reopened.

    ``losses`` gives the g_i, for those that need them.
    """

    def loss_at(self, iteration: int, losses: Callable[[], Array], last: Any) -> Any: ...
    def steady(self, iteration: int) -> bool: ...
    def reopened(self, losses: Callable[[], Array], last: Any) -> Any: ...
    def settled(self, iteration: int, losses: Callable[[], Array], last: Any) -> Any: ...


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


def reweight(
    problem: Problem,
    theta: Array,
    schedule: Schedule,
    *,
    tol: float,
    max_iter: int,
    bound: bool = False,
    near: bool = False,
    report: Callable[[int, float], None] | None = None,
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
        The loss ``v`` of each iteration. While it changes, the run is not judged.
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
    """
    loss = schedule.loss_at(0, lambda: problem.losses(theta), None)
    damping = Damping(0.0, 0.0, 0.0) if near else Damping()
    point = best = problem.at(theta, loss, damping.share)
    history: list[float] = []
    fixed_from, status, fixed = 0, Status.MAX_ITER, near
    stage, waited = int(near), 0
    for _ in range(max_iter):
        trial, promised = _advance(problem, point, loss, damping, fixed and not bound, bound)
        fall = point.fall_to(trial)
        lowered = point.smooth_fall_to(trial) >= -_ROUNDING * point.moving
        if lowered:
            point = trial
            best = point if best.fall_to(point) > 0.0 else best
        history.append(best.value)
        if report is not None:
            report(len(history), best.value)

        losses = _once(problem, point.theta)
        nothing = _NOTHING * point.value
        least = max(max(tol, _ROUNDING) * (point.value if bound else point.moving), nothing)
        early, waited = max(_EARLY * point.moving, nothing), waited + 1
        advance = bound or schedule.steady(stage) or fall <= early or waited >= _PATIENCE
        stage, waited = (stage + 1, 0) if advance else (stage, waited)
        upcoming = schedule.loss_at(stage, losses, loss)
        fixed = upcoming == loss and schedule.steady(stage)
        slack = 3.0 if near else 1.0  # Newton's next step would promise a small part of this one
        ended = fall <= least and (promised <= slack * least or bound)
        if fixed and (ended or not lowered):
            point = best = best if near else _settle(problem, best, loss)
            history[-1] = min(history[-1], best.value)
            upcoming = schedule.reopened(_once(problem, point.theta), loss)
            if upcoming == loss:
                status = Status.CONVERGED if lowered else Status.NO_DESCENT
                break
        if upcoming != loss:
            loss, fixed_from = upcoming, len(history)
            damping.share = 1.0
            point = best = problem.at(point.theta, loss, damping.share)
    objective, theta = best.value, best.theta
    if status is Status.MAX_ITER:
        last = loss
        loss = schedule.settled(max_iter, _once(problem, theta), loss)
        objective = problem.at(theta, loss, 1.0).value
        fixed_from = fixed_from if loss == last else len(history)
    return Solution(theta, loss, objective, history, fixed_from, status, len(history))


def _advance(
    problem: Problem, point: Model, loss: Any, damping: Damping, bending: bool, bound: bool
) -> tuple[Model, float]:
    """The next point, and the fall that the slope of the whole step promised."""
    try:
        step = bounded_step(point.hessian, point.gradient, point.theta, problem.n_bounded)
    except IndefiniteError:
        point = problem.at(point.theta, loss, 1e-6)
        step = bounded_step(point.hessian, point.gradient, point.theta, problem.n_bounded)
    slope = float(point.gradient @ step)
    share = damping.after_full_step(bending)
    trial = problem.at(point.theta + step, loss, share)
    if bound or point.smooth_fall_to(trial) >= -1e-4 * slope:
        damping.share = share
        return trial, -slope
    t = least_on_line(problem.line(point.theta, step, loss))
    damping.share = 1.0
    if t < 1.0:
        trial = problem.at(point.theta + t * step, loss, 1.0)
    return trial, -slope


def _settle(problem: Problem, point: Model, loss: Any) -> Model:
    """The point with undetermined coordinates where they do not depend on the way taken."""
    moved = problem.settled(point.theta, loss)
    if moved is point.theta:
        return point
    trial = problem.at(moved, loss, 1.0)
    return trial if point.smooth_fall_to(trial) >= -_ROUNDING * point.moving else point


def _once(problem: Problem, theta: Array) -> Callable[[], Array]:
    found: list[Array] = []

    def losses() -> Array:
        if not found:
            found.append(problem.losses(theta))
        return found[0]

    return losses
