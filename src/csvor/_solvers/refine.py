"""How is a run over many rows one over the few that are near a kink?

The losses of the others bend little. A quadratic model stands for them, so that an iteration is
over the few alone; where it ends, all rows are looked at. What the objective fell by, beside what
was promised, tells whether the model was good.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.iterate import NOTHING, ROUNDING
from csvor._solvers.solution import Solution, Status

Array = NDArray[np.float64]

# Rows that are near, and by how many more there are after a model that was no good.
SHARE, _MORE = 0.1, 2.0
# Where there can be no more, all found by trial: the most that a step may promise, as a share of
# the objective, and the last one, in units of tol; how much a step is held after one that kept less
# than the first of these shares of its promise; by how much more or, where it kept the other, less
# later; and up to where that tells of a step that is not held, or is done at all.
_PROMISE, _LAST = 0.1, 10.0
_LET_GO, _HELD, _KEPT, _FACTOR, _TELLS, _MOST = 0.6, 0.1, (0.25, 0.7), 4.0, 10.0, 1e4


class Model(Protocol):
    def held(self, by: float) -> Model: ...
    def reach(self, theta: Array) -> float: ...


class Problem(Protocol):
    @property
    def most(self) -> float: ...
    def place(self, theta: Array, loss: Any, cap: float) -> Any: ...
    def near(self, at: Any, loss: Any, share: float, reach: float | None) -> Model: ...


def refine(
    problem: Problem,
    theta: Array,
    loss: Any,
    solve: Callable[[Any], Solution],
    way: Widening | Holding,
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
    loss : CappedPower
    solve : callable (model)
        Its minimum, from its place.
    way : Widening or Holding
        What to do about a model that was no good.
    cap : float
        About where a trimmed loss is cut.
    tol : float
        The run ends where the objective falls by at most ``tol`` times itself (less what the rows
        add that are cut), or by what was promised to within that.
    max_iter : int
        Limit of rounds.
    report : callable (round, objective), optional
    """
    at, model = problem.place(theta, loss, cap), None
    history: list[float] = []
    status = Status.MAX_ITER
    while status is Status.MAX_ITER and len(history) < max_iter:
        least = max(max(tol, ROUNDING) * at.moving, NOTHING * at.value)
        if model is None:
            model = problem.near(at, loss, way.share, way.reach)
        found = solve(model.held(way.held))
        promised = at.value - found.objective
        if way.exceeds_trust(promised, at.moving):
            continue
        if not way.keeps:
            model = None  # its rows, while all are asked
        to = problem.place(found.point, loss, float(at.cap[1]))
        fall = at.value - to.value
        stalled = way.stalled(fall, promised, least)
        if found.status.converged and way.is_end(fall, promised, least):
            status = Status.CONVERGED
        elif stalled and way.then is None:
            status = Status.NO_DESCENT
        if stalled and way.then is not None:
            way, model = way.then, None
        else:
            model = way.go_on(model, found.point, fall, promised)
        at = to if fall > 0.0 else at
        history.append(at.value)
        if report is not None:
            report(len(history), at.value)
    end = loss.under(float(at.cap[1]))
    return Solution(at.theta, end, at.value, history, 0, status, len(history), at.constant)


class Widening:
    """After a model that was no good more rows are near."""

    reach: float | None = 0.0
    held, keeps = 0.0, False

    def __init__(self, most: float) -> None:
        self._most, self.share = most, min(SHARE, most)
        self.then = Holding(most) if most < 1.0 else None

    def exceeds_trust(self, promised: float, moving: float) -> bool:
        return False

    def is_end(self, fall: float, promised: float, least: float) -> bool:
        return min(abs(fall), abs(fall - promised)) <= least

    def stalled(self, fall: float, promised: float, least: float) -> bool:
        return fall <= 0.0 and self.share >= self._most

    def go_on(
        self, model: Model | None, point: Array, fall: float, promised: float
    ) -> Model | None:
        """What is left to go on with; None where another model is needed."""
        self.share = self.share if fall > 0.0 else min(_MORE * self.share, self._most)
        return None


class Holding:
    """No more rows can be near: after a model that was no good the step is held back.

    Kinks of the others are spread over what the last step says of the next one's ``reach``.
    """

    reach: float | None = None
    then, keeps = None, True

    def __init__(self, most: float) -> None:
        self.share, self.held, self._tries = min(SHARE, most), 0.0, 0

    def exceeds_trust(self, promised: float, moving: float) -> bool:
        """Whether it does, and is held back."""
        too_far = promised > _PROMISE * moving and self.held < _MOST
        if too_far:
            self._hold()
        return too_far

    def is_end(self, fall: float, promised: float, least: float) -> bool:
        """By what the step would have promised, had it not been held."""
        times = 1.0 + max(self.held, 0.0)
        is_near = times * promised <= (_LAST if self.held <= 0.0 else 1.0) * least
        return is_near and self.held <= _TELLS and times * abs(fall - promised) <= least

    def stalled(self, fall: float, promised: float, least: float) -> bool:
        is_small = fall <= least and promised <= least
        return self.held >= _MOST or (is_small and self.held > _TELLS)

    def go_on(
        self, model: Model | None, point: Array, fall: float, promised: float
    ) -> Model | None:
        """What is left to go on with; None where another model is needed."""
        assert model is not None
        little, much = _KEPT
        if fall > 0.0 and fall >= little * promised:
            self.reach = model.reach(point)
            if self.held <= 0.0:
                # The curvature that would have told the fall.
                bend = (1.0 + self.held) * max(2.0 - fall / promised, 0.0)
                self.held = min(max(bend, 1.0 - _LET_GO), 1.0) - 1.0
            elif fall > much * promised and self._tries == 0:
                self.held = self.held / _FACTOR if self.held > _HELD else 0.0
        else:
            self._hold()
        self._tries = 0 if fall > 0.0 else self._tries + 1
        return None if fall > 0.0 else model

    def _hold(self) -> None:
        self.held = max(_FACTOR * self.held, _HELD)
