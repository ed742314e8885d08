"""Which policy minimises an objective: re-weighting, smoothing, or multipliers?"""

from __future__ import annotations

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
from csvor._solvers.refine import SHARE, Holding, Widening, refine
from csvor._solvers.reweight import reweight
from csvor._solvers.sample import SIZE, reweight_from_sample
from csvor._solvers.smoothing import follow_smoothing
from csvor._solvers.solution import Solution, Status

# Measured (`benchmarks/wide.py`): from so many columns on, and up to so many rows for a column
# squared, multipliers are faster. With more rows kinks are a matter of their density.
_COLUMNS, _ROWS = 64, 2
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
    problem: OrdinalObjective, schedule: Schedule, *, paper: bool = False, **options: Any
) -> Solution:
    """Minimise the capped power of the rows' residuals."""
    if paper:
        return reweight(problem, problem.origin, schedule, bound=True, **options)
    if has_kinks(problem, schedule.p):
        found = augment(KinkedObjective(problem), schedule.kinked, **options)
        return replace(found, loss=schedule.final.under(found.loss))
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

    way = Holding(near.most) if near.is_few else Widening(near.most)
    if near.is_scant and loss.trim > 0.0:
        # What is cut depends on where trimming begins, of which so small a part says little.
        of_open = {**options, "report": None, "tol": max(options["tol"], _OPEN)}
        whole = replace(loss, trim=0.0)
        opened = refine(near, theta, whole, solve, Holding(near.most), cap=np.inf, **of_open)
        theta = opened.point
    found = refine(near, theta, loss, solve, way, cap=cap, **options)
    if near.most < 1.0 and found.status is Status.NO_DESCENT:
        # The few that can be near do not tell the way, which all rows do.
        on = reweight(problem, found.point, schedule, warm=True, cap=found.loss.cap, **options)
        return found.followed_by(on)
    return found


def minimise_slacks(problem: OrdinalObjective, **options: Any) -> Solution:
    """Minimise a sum of slacks, without a cap."""
    if is_wide(problem):
        found = augment(KinkedObjective(problem, sums=True), Schedule(1.0).kinked, **options)
        return replace(found, loss=None)
    if problem.rows.tells_kinks and not problem.rows.has_products:
        return _refine_slacks(problem, **options)
    return follow_smoothing(problem, problem.origin, **options)


def _refine_slacks(problem: OrdinalObjective, **options: Any) -> Solution:
    """By the slacks near their kinks; the others, linear but for these, bound it from below."""
    tol, of_few = options["tol"], {**options, "report": None}
    size = min(SIZE, int(_OF_SLACKS * problem.n_samples))
    of_part = {**of_few, "tol": max(tol, _ROUGH)}
    start = follow_smoothing(problem.sample(size), problem.origin, **of_part).point
    near, loss = NearKinks(problem.rounded(_SHARP)), CappedPower(2.0)
    of_few["tol"] = _FINER * tol

    def solve(model: NearModel) -> Solution:
        theta = model.at.theta
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return follow_smoothing(model.objective, theta, **of_few)
        except FloatingPointError:  # lines alone may have no minimum
            return Solution(theta, None, -np.inf, [], 0, Status.INEXACT, 0)

    found = Solution(start, None, np.inf, [], 0, Status.CONVERGED, 0)
    history: list[float] = []
    for times in _NEARER:
        left = {**options, "tol": times * tol, "max_iter": options["max_iter"] - len(history)}
        found = refine(near, found.point, loss, solve, Holding(near.most), cap=np.inf, **left)
        at = near.place(found.point, loss, np.inf)
        below = solve(near.near(at, loss, min(SHARE, near.most), 0.0))
        is_bound = below.status.converged and below.objective > 0.0
        to = near.place(below.point, loss, np.inf) if is_bound else at
        is_lower = to.value < at.value  # the way was held back more than it needed
        at = to if is_lower else at
        history += [*found.history[:-1], at.value]
        bound = (1.0 - below.gap) * below.objective if is_bound else -np.inf
        gap = max(1.0 - bound / at.value, 0.0)
        found = Solution(at.theta, None, at.value, history, 0, found.status, len(history), gap=gap)
        if gap <= tol:
            return replace(found, status=Status.OPTIMAL)
        if len(history) >= options["max_iter"]:
            return replace(found, status=Status.MAX_ITER)
        if found.status is Status.NO_DESCENT and not is_lower:
            break
    # The few that can be near do not tell the way, which all rows do.
    return found.followed_by(follow_smoothing(problem, found.point, **options))


def has_kinks(problem: OrdinalObjective, p: float) -> bool:
    """Whether so many rows will lie on a kink that multipliers are the way."""
    return problem.is_hinge and p <= 1.0 and is_wide(problem)


def is_wide(problem: OrdinalObjective) -> bool:
    """Whether the basis has many columns, and not so many rows that kinks are lost among them.

    Multipliers need products with all rows.
    """
    d, is_wide = problem.ridge.size, problem.rows.has_products
    return is_wide and d >= _COLUMNS and problem.n_samples <= _ROWS * d**2
