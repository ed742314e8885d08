"""Which policy minimises an objective: re-weighting, smoothing, or multipliers?"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from csvor._loss.capped import CappedPower
from csvor._loss.stages import Schedule
from csvor._objective.kinked import KinkedObjective
from csvor._objective.near_kinks import NearKinks, NearModel
from csvor._objective.ordinal import OrdinalObjective
from csvor._solvers.augmented import augment
from csvor._solvers.refine import SHARE, DampedTrust, ShareTrust, refine
from csvor._solvers.reweight import reweight
from csvor._solvers.sample import SIZE, reweight_from_sample
from csvor._solvers.smoothing import follow_smoothing
from csvor._solvers.solution import Solution, SolverStatus

# Measured (`benchmarks/wide.py`): from so many columns on, and up to so many rows for a column
# squared, multipliers are faster. With more rows kinks are a matter of their density.
_COLUMNS, _ROWS = 64, 2
# Of so many rows at most a convex problem is certified: of more re-weighting ends near enough.
_FEW = 5_000
# Multipliers of all pairs of so many rows at most: of more they would take more memory than X.
_CERTIFIED = 100_000
# How much finer the few are solved that have room.
_FINER = 0.1
# How near to its end a loss is brought that is not trimmed yet.
_OPEN = 1e-2
# A sample of slacks is of this share of the rows at most, and its end this near; and the width of
# slacks that are not rounded.
_OF_SLACKS, _ROUGH, _SHARP = 0.2, 1e-4, 1e-12
# How near to its end a run over the near slacks is brought, in units of tol, where the bound tells
# that it was not near enough.
_NEARER = 1.0, 0.1, 0.01


def minimise_capped(
    problem: OrdinalObjective, schedule: Schedule, *, solver: str = "newton", **options: Any
) -> Solution:
    """Minimise the capped power of the rows' residuals."""
    if solver == "alternating":
        return reweight(problem, problem.origin, schedule, bound=True, **options)
    if has_kinks(problem, schedule, in_all_shapes=solver == "multipliers"):
        solution = augment(KinkedObjective(problem), schedule.kinked, **options)
        return replace(solution, loss=schedule.final.with_cap(solution.loss))
    is_refined = problem.is_hinge and problem.rows.tells_kinks
    go_on = _refine_near_kinks if is_refined else partial(reweight, warm=True)
    return reweight_from_sample(problem, problem.origin, schedule, go_on, **options)


def _refine_near_kinks(
    problem: OrdinalObjective, theta: Any, schedule: Schedule, *, cap: float, **options: Any
) -> Solution:
    near, loss = NearKinks(problem), schedule.final
    # Few rows cost little.
    of_few: dict[str, Any] = {
        **options,
        "report": None,
        "tol": options["tol"] * (_FINER if near.is_few else 1.0),
    }

    def solve(model: NearModel) -> Solution:
        trimmed, at = replace(schedule, trim=model.trim), model.at
        return reweight(
            model.objective, at.theta, trimmed, warm=True, cap=float(at.cap[1]),
            widths=model.widths, **of_few,
        )  # fmt: skip

    trust = DampedTrust(near.most) if near.is_few else ShareTrust(near.most, near.wanted)
    if near.is_scant and loss.trim > 0.0:
        # What is cut depends on where trimming begins, of which so small a part says little.
        of_open = {**options, "report": None, "tol": max(options["tol"], _OPEN)}
        full, of_all = replace(loss, trim=0.0), DampedTrust(near.most)
        theta = refine(near, theta, full, solve, of_all, cap=np.inf, **of_open).point
    solution = refine(near, theta, loss, solve, trust, cap=cap, **options)
    if near.most < 1.0 and solution.status is SolverStatus.NO_DESCENT:
        # The few that can be near do not tell the way, which all rows do.
        start, cap = solution.point, solution.loss.cap
        return solution.followed_by(
            reweight(problem, start, schedule, warm=True, cap=cap, **options)
        )
    return solution


def minimise_slacks(problem: OrdinalObjective, **options: Any) -> Solution:
    """Minimise a sum of slacks, without a cap. Of very many rows no bound is told."""
    rows, wide = problem.rows, is_wide(problem)
    if not wide and (not rows.has_products or problem.n_samples > _CERTIFIED):
        is_refined = rows.tells_kinks and not rows.has_products
        minimise = _refine_slacks if is_refined else follow_smoothing
        return replace(minimise(problem, problem.origin, **options), gap=math.nan)
    kinked = KinkedObjective(problem, sums=True)
    by_multipliers = partial(augment, kinked, Schedule(1.0).kinked, **options)
    if wide:
        return replace(by_multipliers(), loss=None)
    smooth = follow_smoothing(problem, problem.origin, certify=kinked.gap_at, **options)
    if smooth.status is not SolverStatus.INEXACT:
        return smooth
    # Multipliers tell a bound where slopes of smoothed slacks are too stiff to do so.
    return _lower_of(replace(by_multipliers(), loss=None), smooth, options["tol"])


def _lower_of(certified: Solution, other: Solution, tol: float) -> Solution:
    """The lower end of two runs on one problem, by the bound of the first."""
    if certified.objective <= other.objective:
        return certified
    bound = (1.0 - certified.gap) * certified.objective
    gap = max(1.0 - bound / other.objective, 0.0)
    status = SolverStatus.OPTIMAL if gap <= tol else SolverStatus.INEXACT
    return replace(other, status=status, gap=gap)


def _refine_slacks(problem: OrdinalObjective, origin: Any, **options: Any) -> Solution:
    """By the slacks near their kinks; the others, linear but for these, bound it from below."""
    tol, of_few = options["tol"], {**options, "report": None}
    size = min(SIZE, int(_OF_SLACKS * problem.n_samples))
    of_part = {**of_few, "tol": max(tol, _ROUGH)}
    start = follow_smoothing(problem.sample(size), origin, **of_part).point
    near, loss = NearKinks(problem.rounded(_SHARP)), CappedPower(2.0)
    of_few["tol"] = _FINER * tol

    def solve(model: NearModel) -> Solution:
        theta = model.at.theta
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return follow_smoothing(model.objective, theta, **of_few)
        except FloatingPointError:  # lines alone may have no minimum
            return Solution(theta, None, -np.inf, [], 0, SolverStatus.INEXACT, 0)

    solution = Solution(start, None, np.inf, [], 0, SolverStatus.CONVERGED, 0)
    history: list[float] = []
    for times in _NEARER:
        rest = {**options, "tol": times * tol, "max_iter": options["max_iter"] - len(history)}
        trust = DampedTrust(near.most)
        solution = refine(near, solution.point, loss, solve, trust, cap=np.inf, **rest)
        at = near.evaluate(solution.point, loss, np.inf)
        below = solve(near.reduced_model(at, loss, min(SHARE, near.most), 0.0))
        is_bound = below.status.converged and below.objective > 0.0
        to = near.evaluate(below.point, loss, np.inf) if is_bound else at
        is_lower = to.value < at.value  # the way was held back more than it needed
        at = to if is_lower else at
        history += [*solution.history[:-1], at.value]
        bound = (1.0 - below.gap) * below.objective if is_bound else -np.inf
        gap = max(1.0 - bound / at.value, 0.0)
        status, n_iter = solution.status, len(history)
        solution = Solution(at.theta, None, at.value, history, 0, status, n_iter, gap=gap)
        if gap <= tol:
            return replace(solution, status=SolverStatus.OPTIMAL)
        if len(history) >= options["max_iter"]:
            return replace(solution, status=SolverStatus.MAX_ITER)
        if solution.status is SolverStatus.NO_DESCENT and not is_lower:
            break
    # The few that can be near do not tell the way, which all rows do.
    return solution.followed_by(follow_smoothing(problem, solution.point, **options))


def has_kinks(
    problem: OrdinalObjective, schedule: Schedule, *, in_all_shapes: bool = False
) -> bool:
    """Whether so many rows will lie on a kink that multipliers are the way, or whether they can.

    Of few rows without a cap also because they certify the end: re-weighting ends where the
    objective falls no more, up to 2e-4 above the optimum (N87).
    """
    if not problem.is_hinge or schedule.p > 1.0:
        return False
    is_convex = schedule.p == 1.0 and schedule.trim == 0.0 and schedule.epsilon == np.inf
    is_small = in_all_shapes or (is_convex and problem.n_samples <= _FEW)
    return is_wide(problem) or bool(problem.rows.has_products and is_small)


def is_wide(problem: OrdinalObjective) -> bool:
    """Whether the basis has many columns, and not so many rows that kinks are lost among them.

    Multipliers need products with all rows.
    """
    d, is_wide = problem.ridge.size, problem.rows.has_products
    return is_wide and d >= _COLUMNS and problem.n_samples <= _ROWS * d**2
