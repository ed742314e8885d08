"""A start near the end, from a part of the samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.reweight import reweight
from csvor._solvers.solution import Solution, SolverStatus

Array = NDArray[np.float64]

# Samples of the part: at most so many, whose optimum is within a percent of that of all, and at
# most this share of all of them; of very many this other share. A part of LEAST or more has a part
# of its own.
SIZE = 20_000
SHARE, OF_VERY_MANY = 0.2, 0.1
LEAST = 10_000
# The part needs no more precision than it has: least tol and delta.
_TOL, _DELTA = 1e-4, 1e-4
# Where no step leads on from the part's end, and all samples cost there so many times what the part
# said, that end is no start: some samples lie where none of the part do.
_FAR = 100.0


def part_size(n: int) -> int:
    """How many of n samples such a part has."""
    return max(min(SIZE, int(SHARE * n)), int(OF_VERY_MANY * n))


def reweight_from_sample(
    problem: Any, theta: Array, schedule: Any, go_on: Callable[..., Solution], **options: Any
) -> Solution:
    """`reweight` on a part of many samples, and on from its end; with few the same as `reweight`.

    The part is the same in every run. ``go_on(problem, point, schedule, cap=..., **options)`` is
    the run on from there.
    """
    n = problem.n_samples
    if n < LEAST:
        return reweight(problem, theta, schedule, **options)
    tol = options["tol"]
    part, rough = problem.sample(part_size(n)), schedule.smoothed(_DELTA)
    of_part = {**options, "report": None, "tol": max(tol, _TOL)}
    start = reweight_from_sample(part, theta, rough, go_on, **of_part)
    # What tol is a share of, for one sample of weight 1.
    loss = (start.objective - start.constant) / part.weight
    del part  # a copy of its rows
    resumed = schedule.for_many(tol * min(loss, 1.0)).resumed(_DELTA)
    solution = go_on(problem, start.point, resumed, cap=start.loss.cap, **options)
    if solution.status is SolverStatus.NO_DESCENT and solution.objective > _FAR * start.objective:
        anew = go_on(problem, theta, resumed, cap=np.inf, **options)
        if anew.objective < solution.objective:
            return solution.followed_by(anew)
    return solution
