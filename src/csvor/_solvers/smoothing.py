"""A sum of kinked convex losses, reached through ever sharper smooth ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from csvor._solvers.newton import ConvexProblem, minimise_newton
from csvor._solvers.solution import Solution, Status


def follow_smoothing(
    start: Any,
    smoothed: Callable[[float], ConvexProblem],
    objective: Callable[[Any], float],
    *,
    tol: float,
    max_iter: int,
    minimise: Callable[..., tuple[Any, int]] = minimise_newton,
    widths: Sequence[float] = (1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10),
    report: Callable[[int, float], None] | None = None,
) -> Solution:
    """Minimise a convex ``objective`` by smooth problems that approach it from below.

    Parameters
    ----------
    start : point
    smoothed : callable width -> problem
        The objective with its kinks rounded over ``width``.
    objective : callable point -> float
        The objective itself.
    tol : float
        The run is done when the objective lies within ``tol`` of its minimum: a smoothed
        problem lies below it, so its least value, found to ``tol / 1000`` by the estimate of
        Newton's model, bounds that of the objective.
    max_iter : int
        Limit of Newton steps over all widths.
    minimise : callable
        `minimise_newton`, or what does the same.
    widths : sequence of float
        Falling.
    report : callable (steps so far, objective), optional
    """
    best, lowest = start, objective(start)
    point, steps, history = start, 0, []
    status = Status.INEXACT  # unless a width shows that the end is near enough
    for width in widths:
        limit = max_iter - steps
        problem = smoothed(width)
        point, taken = minimise(problem, point, tol=1e-3 * tol, max_iter=limit)
        steps += taken
        reached = objective(point)
        if reached < lowest:
            best, lowest = point, reached
        history.append(lowest)
        if report is not None:
            report(steps, lowest)
        if lowest - problem.value(point) <= tol * lowest:
            status = Status.OPTIMAL
            break
        if taken == limit:
            status = Status.MAX_ITER
            break
    return Solution(best, None, lowest, history, 0, status, steps)
