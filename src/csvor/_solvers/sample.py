"""A start near the end, from a part of the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.reweight import reweight
from csvor._solvers.solution import Solution

Array = NDArray[np.float64]

# Samples of the part: at most so many, whose optimum is within a percent of that of all, and at
# most this share of all of them. Fewer than LEAST are not worth a part.
SIZE = 20_000
SHARE = 0.2
LEAST = 10_000
# The part needs no more precision than it has.
_TOL = 1e-5


def reweight_from_sample(problem: Any, theta: Array, schedule: Any, **options: Any) -> Solution:
    """`reweight`, begun where a part of many samples ends; with few the same as `reweight`.

    The part is the same in every run.
    """
    n = problem.n_samples
    if n < LEAST:
        return reweight(problem, theta, schedule, **options)
    tol = options["tol"]
    schedule = schedule.for_many(tol)
    part = problem.sample(min(SIZE, int(SHARE * n)))
    of_part = {**options, "report": None, "tol": max(tol, _TOL)}
    start = reweight(part, theta, schedule, **of_part)
    # What tol is a share of, for one sample of weight 1.
    loss = (start.objective - start.constant) / part.weight
    schedule = schedule.for_many(tol * min(loss, 1.0)).resumed()
    cap = start.loss.cap
    return reweight(problem, start.point, schedule, warm=True, cap=cap, **options)
