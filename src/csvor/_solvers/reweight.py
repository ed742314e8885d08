"""A run of re-weighting from its start to a `Solution` (Algorithm 1 of the paper).

The weights are set by the rows each time the problem is evaluated: `_loss/capped.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.solution import Solution, SolverStatus
from csvor._solvers.state import ACTIVE, CAP, CUT_COST, ENDED, ROUNDING, SMOOTHED, State, make_state

Array = NDArray[np.float64]
Report = Callable[[int, float], None] | None


class CappedProblem(Protocol):
    """``h + sum_i c_i v(g_i)``, with the last coordinates of theta not negative."""

    @property
    def is_hinge(self) -> bool:
        """Whether the model may hold the curvature of v, and whether losses have kinks."""

    @property
    def holds_hessian(self) -> bool:
        """Whether points hold a Hessian, or steps are found without."""

    def go_on(self, policy: str, state: State, report: Report = None) -> None: ...
    def evaluate(self, state: State, theta: Array) -> None: ...
    def centred(self, theta: Array, cap: float) -> Array: ...


def reweight(
    problem: CappedProblem,
    theta: Array,
    schedule: Any,
    *,
    tol: float,
    max_iter: int,
    bound: bool = False,
    warm: bool = False,
    cap: float = np.inf,
    widths: tuple[float, float] = (0.0, 0.0),
    report: Report = None,
) -> Solution:
    """Minimise ``h(x) + sum_i c_i v(g_i(x))`` by `iterate`.

    Parameters
    ----------
    problem : CappedProblem
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
    warm : bool, default=False
        The start is near the end, and the samples are many: Newton's model is good from the first
        step on, and no coordinate is left to chance.
    cap : float, default=inf
        About where a trimmed loss is cut at the start.
    widths : tuple of float
        Of a warm run: the g over which the kink at 0 is spread in Newton's model, and the share of
        a fixed cap over which its corner is.
    report : callable (iteration, objective), optional
    """
    state = _first_state(problem, theta, schedule, tol, max_iter, bound, warm, widths)
    state.at.parts[CAP : CAP + 2] = cap
    run, best = state.run, state.best
    problem.go_on("reweight", state, report)
    n_iter = int(run["n"][0])
    history = state.history[:n_iter].tolist()
    fixed_from = int(run["fixed_from"][0])
    if run["ended"][0] == ENDED:
        status = SolverStatus.CONVERGED if run["lowered"][0] else SolverStatus.NO_DESCENT
        if not warm and problem.is_hinge:
            _centre(problem, state)
            history[-1] = min(history[-1], _value(best))
        objective = history[-1]
    else:
        status = SolverStatus.MAX_ITER
        if _skips_to(schedule.final, problem, state):
            fixed_from = n_iter
        objective = _value(best)
    loss = schedule.final.with_cap(best.parts[CAP + 1])
    constant = float(best.parts[CUT_COST])
    return Solution(best.theta, loss, objective, history, fixed_from, status, n_iter, constant)


def _first_state(
    problem: CappedProblem, theta: Array, schedule: Any, tol: float, max_iter: int, bound: bool,
    warm: bool, widths: tuple[float, float],
) -> State:  # fmt: skip
    names = ("p", "level", "epsilon", "delta", "trim")
    first = dict(zip(names, schedule.stages[0, :5].tolist(), strict=True))
    first_damping = 0.0 if warm and problem.is_hinge else 1.0
    return make_state(
        theta,
        schedule.stages,
        max_iter,
        problem.holds_hessian,
        **first,
        damping=first_damping,
        first_damping=first_damping,
        damping_factor=0.5 if problem.is_hinge else 1.0,
        least_damping=1e-6,
        tol=tol,
        until=max_iter,
        warmup=schedule.last_warmup,
        fixed=warm and schedule.last_warmup < 0,
        bound=bound,
        warm=warm,
        kink=widths[0],
        corner=widths[1],
    )


def _skips_to(final: Any, problem: CappedProblem, state: State) -> bool:
    """Judge the best point by the loss that counts; whether another one was in force."""
    run, best = state.run, state.best
    in_force = [float(run[name][0]) for name in ("p", "epsilon", "trim")]
    for name in ("p", "epsilon", "delta", "trim"):
        run[name] = getattr(final, name)
    problem.evaluate(state, best.theta)
    best.parts[:] = state.to.parts
    return in_force != [final.p, final.epsilon, final.trim]


def _value(point: Any) -> float:
    return float(point.parts[ACTIVE] + point.parts[CUT_COST])


def _centre(problem: CappedProblem, state: State) -> None:
    """Put undetermined thresholds of the best point where they do not depend on the way taken."""
    best, to, run = state.best, state.to, state.run
    moved = problem.centred(best.theta, best.parts[CAP + 1])
    if np.array_equal(moved, best.theta):
        return
    run["damping"] = 1.0
    problem.evaluate(state, best.theta)
    before = to.parts.copy()
    problem.evaluate(state, moved)
    actual_decrease = (before[SMOOTHED] - to.parts[SMOOTHED]) + (
        before[CUT_COST] - to.parts[CUT_COST]
    )
    if actual_decrease >= -ROUNDING * before[ACTIVE]:
        best.theta[:] = moved
        best.parts[:] = to.parts
