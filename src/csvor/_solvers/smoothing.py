"""A sum of kinked convex losses, reached through ever sharper smooth ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.solution import Solution, SolverStatus
from csvor._solvers.state import ACTIVE, ENDED, make_state

# Most pairs with a slack have no curvature; a little of the parabolas above them keeps Newton's
# steps sane.
_DAMPING = 1e-2


def follow_smoothing(
    problem: Any,
    start: NDArray[np.float64],
    *,
    tol: float,
    max_iter: int,
    widths: Sequence[float] = (1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10),
    report: Callable[[int, float], None] | None = None,
    certify: Callable[[NDArray[np.float64]], float] | None = None,
) -> Solution:
    """Minimise a convex objective by smooth problems that approach it from below.

    Parameters
    ----------
    problem : OrdinalObjective
        ``problem.rounded(width)`` is the objective with its kinks rounded over ``width``, and
        ``problem.value(theta)`` that of width 0.
    start : ndarray
    tol : float
        The run is done when the objective lies within this share of its minimum: a smoothed
        problem lies below it, so its least value, found to ``tol / 1000`` by the estimate of
        Newton's model, is nearly a bound; ``certify`` then gives a true one.
    max_iter : int
        Limit of Newton steps over all widths.
    widths : sequence of float
        Falling.
    report : callable (steps so far, objective), optional
    certify : callable (theta) -> float, optional
        By how much the objective at theta can lie above its minimum at most.
    """
    best, lowest, bound, certain = start, problem.value(start), -np.inf, -np.inf
    point, steps = start, 0
    history: list[float] = []
    least = 1e-3 * tol
    status = SolverStatus.INEXACT  # unless a width shows that the end is near enough
    squared = np.array([[2.0, 1.0, np.inf, 0.0, 0.0]])
    for width in widths:
        limit = max_iter - steps
        state = make_state(
            point, squared, limit, problem.holds_hessian, p=2.0, epsilon=np.inf,
            damping=_DAMPING, tol=least, until=limit,
        )  # fmt: skip
        problem.rounded(width).go_on("newton", state)
        point, taken = state.best.theta, int(state.run["n"][0])
        if state.run["ended"][0] == ENDED:
            bound = max(bound, (1.0 - least) * state.best.parts[ACTIVE])
        reached = problem.value(point)
        if reached < lowest:
            best, lowest = point, reached
        is_near = lowest - bound <= tol * lowest
        if is_near and certify is not None:
            certain = max(certain, lowest - certify(best))
            is_near = lowest - certain <= tol * lowest
        steps += taken
        history.append(lowest)
        if report is not None:
            report(steps, lowest)
        if is_near:
            status = SolverStatus.OPTIMAL
            break
        if taken == limit:
            status = SolverStatus.MAX_ITER
            break
    if certify is not None and certain == -np.inf:
        certain = lowest - certify(best)
    apart = max(lowest - (bound if certify is None else certain), 0.0)
    gap = apart / lowest if lowest > 0.0 else 0.0
    return Solution(best, None, lowest, history, 0, status, steps, gap=gap)
