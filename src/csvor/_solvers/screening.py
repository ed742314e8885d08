"""A sum of very many maxima, by way of one of fewer.

A maximum is nowhere lower than one of its pieces. With that piece in place of each maximum in
which it is the highest by far, few maxima are left, and the objective is nowhere higher: what
bounds it from below bounds the whole one, and where it ends the whole one tells how far that is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from csvor._solvers import interior
from csvor._solvers.interior import minimise_maxima
from csvor._solvers.solution import Solution, SolverStatus

Array = NDArray[np.float64]
Samples = NDArray[np.bool_]

# Found by trial. Fewer samples are not worth a part of them; a part has so many, and its optimum
# is found to this, no better than it is.
LEAST, SIZE, _TOL = 30_000, 10_000, 1e-4
# The share of samples whose maxima are left at first, and by how much it grows where they are too
# few to hold the objective.
_SHARE, _MORE = 0.2, 2.0


class ScreenedProblem(interior.PiecewiseProblem, Protocol):
    """``screen(theta, active)`` has maxima in active samples alone, and what others are at theta.

    ``near`` are a share of them, or all, with a maximum that is nearest to another piece;
    ``changed_piece`` those in which another piece is the highest at another point.
    """

    @property
    def n_samples(self) -> int: ...
    def value(self, theta: Array) -> float: ...
    def sample(self, size: int) -> Self: ...
    def near(self, theta: Array, share: float) -> Samples: ...
    def changed_piece(self, theta: Array, to: Array) -> Samples: ...
    def screen(self, theta: Array, active: Samples) -> Self: ...


def minimise_many_maxima(
    problem: ScreenedProblem,
    *,
    tol: float,
    max_iter: int,
    report: Callable[[int, float], None] | None = None,
) -> Solution:
    """`minimise_maxima`, which few samples are left to; of many the history is by rounds."""
    if problem.n_samples < LEAST:
        return minimise_maxima(problem, tol=tol, max_iter=max_iter, report=report)
    start = minimise_maxima(problem.sample(SIZE), tol=max(tol, _TOL), max_iter=max_iter).point
    best, bound = (
        Solution(start, None, problem.value(start), [], 0, SolverStatus.MAX_ITER, 0),
        -np.inf,
    )
    share, active = _SHARE, problem.near(start, _SHARE)
    while True:
        solution = minimise_maxima(problem.screen(start, active), tol=0.5 * tol, max_iter=max_iter)
        bound = max(bound, solution.objective - solution.gap * abs(solution.objective))
        best = _noted(best, problem, solution.point, bound)
        if report is not None:
            report(best.n_iter, best.objective)
        if best.objective - bound <= tol * interior.scale_of(best.objective, problem.total):
            return replace(best, status=SolverStatus.OPTIMAL)
        if active.all():
            return replace(best, status=solution.status)
        if not solution.status.converged:  # too few to hold it
            share *= _MORE
            active = active | problem.near(start, share)
        elif (changed := problem.changed_piece(start, solution.point) & ~active).any():
            active = active | changed
        else:
            active = np.ones_like(active)


def _noted(best: Solution, problem: ScreenedProblem, point: Array, bound: float) -> Solution:
    """The lower of the best point so far and another, with one more round done."""
    value = problem.value(point)
    if value < best.objective:
        best = replace(best, point=point, objective=value)
    gap = (best.objective - bound) / best.objective if best.objective > bound else 0.0
    history = [*best.history, best.objective]
    return replace(best, history=history, n_iter=len(history), gap=gap)
