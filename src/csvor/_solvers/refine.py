"""How is a run over many rows one over the few that are near a kink?

The losses of the others bend little. A quadratic model stands for them, so that an iteration is
over the few alone; where it ends, all rows are looked at. What the objective fell by, beside what
was promised, tells whether the model was good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.iterate import NOTHING, ROUNDING
from csvor._solvers.reweight import reweight
from csvor._solvers.solution import Solution, Status

Array = NDArray[np.float64]

# Rows that are near, and by how many more there are after a model that was no good. Where there can
# be no more, the way that it went is cut short, to this part at least.
SHARE, _MORE, _LEAST = 0.1, 2.0, 2.0**-6


class Problem(Protocol):
    @property
    def most(self) -> float: ...

    def place(self, theta: Array, loss: Any, cap: float) -> Any: ...
    def near(self, at: Any, loss: Any, share: float) -> tuple[Any, float]: ...
    def widths(self, at: Any, loss: Any) -> tuple[float, float]: ...


def refine(
    problem: Problem,
    theta: Array,
    schedule: Any,
    *,
    cap: float,
    tol: float,
    max_iter: int,
    report: Callable[[int, float], None] | None = None,
) -> Solution:
    """Minimise ``h + sum_i c_i v(g_i)`` from a theta near the end.

    Parameters
    ----------
    problem : Problem
    theta : ndarray
    schedule : Schedule
        Whose loss is final from the first stage on, but for delta.
    cap : float
        About where a trimmed loss is cut.
    tol : float
        The run ends where the objective falls by at most ``tol`` times itself (less what the rows
        add that are cut), or by what was promised to within that.
    max_iter : int
        Limit of rounds, and of iterations in each.
    report : callable (round, objective), optional
    """
    loss, share, most = schedule.final, min(SHARE, problem.most), problem.most
    at = problem.place(theta, loss, cap)
    history: list[float] = []
    status = Status.MAX_ITER
    while status is Status.MAX_ITER and len(history) < max_iter:
        near, trim = problem.near(at, loss, share)
        found = reweight(
            near, at.theta, replace(schedule, trim=trim), tol=tol, max_iter=max_iter, warm=True,
            cap=float(at.cap[1]), widths=problem.widths(at, loss),
        )  # fmt: skip
        to = problem.place(found.point, loss, float(at.cap[1]))
        fall, promised = at.value - to.value, at.value - found.objective
        least, t = max(max(tol, ROUNDING) * at.moving, NOTHING * at.value), 1.0
        while fall < -least and most <= share < 1.0 and t > _LEAST:
            t *= 0.5
            point = (1.0 - t) * at.theta + t * found.point
            to = problem.place(point, loss, float(at.cap[1]))
            fall = at.value - to.value
        is_told = t == 1.0 and found.status.converged
        if is_told and min(abs(fall), abs(fall - promised)) <= least:
            status = Status.CONVERGED
        elif fall <= 0.0 and share >= most:
            status = Status.NO_DESCENT
        share = share if fall > 0.0 else min(_MORE * share, most)
        at = to if fall > 0.0 else at
        history.append(at.value)
        if report is not None:
            report(len(history), at.value)
    end = loss.under(float(at.cap[1]))
    return Solution(at.theta, end, at.value, history, 0, status, len(history), at.constant)
