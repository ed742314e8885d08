"""A start near the end, from a part of the samples."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.reweight import Problem, Schedule, reweight
from csvor._solvers.solution import Solution

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# Samples of the part: at most so many, whose optimum is within a percent of that of all, and at
# most this share of all of them. Fewer than LEAST are not worth a part.
SIZE = 20_000
SHARE = 0.2
LEAST = 10_000
# The part needs no more precision than it has.
_TOL = 1e-5


class PartedProblem(Problem, Protocol):
    """A problem that can be stated for a part of its samples, which stands for all of them."""

    n_samples: int
    descend: Any

    def sampled(self, size: int) -> tuple[Rows, Array]: ...
    def part(self, rows: Rows, share: Array) -> Any: ...


class PartedSchedule(Schedule, Protocol):
    def for_many(self, tol: float) -> Any: ...
    def part(self, share: Array) -> Any: ...
    def resumed(self, loss: Any) -> Any: ...


def reweight_from_sample(
    problem: PartedProblem, theta: Array, schedule: PartedSchedule, **options: Any
) -> Solution:
    """`reweight`, begun where a part of many samples ends; with few the same as `reweight`.

    The part is the same in every run.
    """
    if problem.n_samples < LEAST:
        return reweight(problem, theta, schedule, iterations=problem.descend, **options)
    tol = options["tol"]
    schedule = schedule.for_many(tol)
    rows, share = problem.sampled(min(SIZE, int(SHARE * problem.n_samples)))
    part = problem.part(rows, share)
    of_part = {**options, "report": None, "tol": max(tol, _TOL)}
    near = reweight(part, theta, schedule.part(share), iterations=part.descend, **of_part)
    # What tol is a share of, for one sample of weight 1.
    loss = part.at(near.point, near.loss, 1.0).moving / part.importance.sum()
    schedule = schedule.for_many(tol * min(loss, 1.0))
    return reweight(problem, near.point, schedule.resumed(near.loss), near=True, **options)
