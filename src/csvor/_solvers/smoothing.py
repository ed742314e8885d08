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
    widths: Sequence[float] = (1.0, 1e-2, 1e-4, 1e-6, 1e-8),
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
        A width is done when a step promises less than ``tol`` of the value; the run is done
        when a sharper width changes the objective by at most ``tol`` of itself.
    max_iter : int
        Limit of Newton steps over all widths.
    widths : sequence of float
        Falling.
    report : callable (steps so far, objective), optional
    """
    best, lowest = start, objective(start)
    point, steps, history = start, 0, []
    status = Status.CONVERGED
    for width in widths:
        limit = max_iter - steps
        # Promises scale with the square of the distance, so the last width asks for more.
        point, taken = minimise_newton(smoothed(width), point, tol=1e-3 * tol, max_iter=limit)
        steps += taken
        reached = objective(point)
        fall = lowest - reached
        if reached < lowest:
            best, lowest = point, reached
        history.append(lowest)
        if report is not None:
            report(steps, lowest)
        if taken == limit:
            status = Status.MAX_ITER
            break
        if 0.0 <= fall <= tol * lowest:
            break
    return Solution(best, None, lowest, history, 0, status, steps)
