"""How is a run over many rows one over the few that are near a kink?

The losses of the others bend little. A quadratic model stands for them, so that an iteration is
over the few alone; where it ends, all rows are looked at. What the objective fell by, beside what
was predicted, tells whether the model was good.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.solution import Solution, SolverStatus
from csvor._solvers.state import NOTHING, ROUNDING

Array = NDArray[np.float64]

# All found by trial. The share of the rows that are near at least, and the factor by which it grows
# after a poor model.
SHARE, _MORE = 0.1, 2.0
# Where it cannot grow the model is damped. The largest decrease that a step may predict, as a share
# of the objective, and the last step's, in units of tol.
_MAX_PREDICTED, _LAST = 0.1, 10.0
# Ratios of actual to predicted decrease below which damping grows and above which it falls, and the
# factor by which it does.
_RATIOS, _DAMPING_FACTOR = (0.25, 0.7), 4.0
# The least damping that is not 0, the largest, and up to where the predicted decrease tells that a
# run is at its end.
_MIN_DAMPING, _MAX_DAMPING, _END_DAMPING = 0.1, 1e4, 10.0
# The share of the other rows' curvature that is left out at most where they bend less.
_MAX_RELAXATION = 0.6


class ReducedModel(Protocol):
    def with_damping(self, damping: float) -> ReducedModel: ...
    def reach(self, theta: Array) -> float: ...


class NearKinksProblem(Protocol):
    @property
    def most(self) -> float: ...
    def evaluate(self, theta: Array, loss: Any, cap: float) -> Any: ...
    def reduced_model(
        self, at: Any, loss: Any, share: float, reach: float | None
    ) -> ReducedModel: ...


def refine(
    problem: NearKinksProblem,
    theta: Array,
    loss: Any,
    solve: Callable[[Any], Solution],
    trust: ShareTrust | DampedTrust,
    *,
    cap: float,
    tol: float,
    max_iter: int,
    report: Callable[[int, float], None] | None = None,
) -> Solution:
    """Minimise ``h + sum_i c_i v(g_i)`` from a theta near the end.

    Parameters
    ----------
    problem : NearKinksProblem
    theta : ndarray
    loss : CappedPower
    solve : callable (model)
        Its minimum, from its place.
    trust : ShareTrust or DampedTrust
        What to do about a model that was no good.
    cap : float
        About where a trimmed loss is cut.
    tol : float
        The run ends where the objective falls by at most ``tol`` times itself (less what the rows
        add that are cut), or by what was predicted to within that.
    max_iter : int
        Limit of rounds.
    report : callable (round, objective), optional
    """
    at, model = problem.evaluate(theta, loss, cap), None
    history: list[float] = []
    status = SolverStatus.MAX_ITER
    while status is SolverStatus.MAX_ITER and len(history) < max_iter:
        least = max(max(tol, ROUNDING) * at.active, NOTHING * at.value)
        if model is None:
            model = problem.reduced_model(at, loss, trust.share, trust.reach)
        solution = solve(model.with_damping(trust.damping))
        predicted_decrease = at.value - solution.objective
        if trust.exceeds_trust(predicted_decrease, at.active):
            continue
        if not trust.keeps_model:
            model = None  # its rows, while all are asked
        to = problem.evaluate(solution.point, loss, float(at.cap[1]))
        actual_decrease = at.value - to.value
        stalled = trust.stalled(actual_decrease, predicted_decrease, least)
        if solution.status.converged and trust.is_end(actual_decrease, predicted_decrease, least):
            status = SolverStatus.CONVERGED
        elif stalled and trust.fallback is None:
            status = SolverStatus.NO_DESCENT
        if stalled and trust.fallback is not None:
            trust, model = trust.fallback, None
        else:
            model = trust.update(model, solution.point, actual_decrease, predicted_decrease)
        at = to if actual_decrease > 0.0 else at
        history.append(at.value)
        if report is not None:
            report(len(history), at.value)
    end = loss.with_cap(float(at.cap[1]))
    return Solution(at.theta, end, at.value, history, 0, status, len(history), at.constant)


class ShareTrust:
    """After a model that was no good more rows are near."""

    reach: float | None = 0.0
    damping, keeps_model = 0.0, False

    def __init__(self, most: float, wanted: float) -> None:
        self._most, self.share = most, min(max(SHARE, wanted), most)
        self.fallback = DampedTrust(most) if most < 1.0 else None

    def exceeds_trust(self, predicted_decrease: float, active: float) -> bool:
        return False

    def is_end(self, actual_decrease: float, predicted_decrease: float, least: float) -> bool:
        return min(abs(actual_decrease), abs(actual_decrease - predicted_decrease)) <= least

    def stalled(self, actual_decrease: float, predicted_decrease: float, least: float) -> bool:
        return actual_decrease <= 0.0 and self.share >= self._most

    def update(
        self,
        model: ReducedModel | None,
        point: Array,
        actual_decrease: float,
        predicted_decrease: float,
    ) -> ReducedModel | None:
        """What is left to go on with; None where another model is needed."""
        self.share = self.share if actual_decrease > 0.0 else min(_MORE * self.share, self._most)
        return None


class DampedTrust:
    """No more rows can be near: after a model that was no good the step is held back.

    Kinks of the others are spread over what the last step says of the next one's ``reach``.
    """

    reach: float | None = None
    fallback, keeps_model = None, True

    def __init__(self, most: float) -> None:
        self.share, self.damping, self._tries = min(SHARE, most), 0.0, 0

    def exceeds_trust(self, predicted_decrease: float, active: float) -> bool:
        """Whether it does, and is held back."""
        too_far = predicted_decrease > _MAX_PREDICTED * active and self.damping < _MAX_DAMPING
        if too_far:
            self._raise_damping()
        return too_far

    def is_end(self, actual_decrease: float, predicted_decrease: float, least: float) -> bool:
        """By what the step would have lowered, had it not been damped."""
        times = 1.0 + max(self.damping, 0.0)
        is_near = times * predicted_decrease <= (_LAST if self.damping <= 0.0 else 1.0) * least
        return (
            is_near
            and self.damping <= _END_DAMPING
            and times * abs(actual_decrease - predicted_decrease) <= least
        )

    def stalled(self, actual_decrease: float, predicted_decrease: float, least: float) -> bool:
        is_small = actual_decrease <= least and predicted_decrease <= least
        return self.damping >= _MAX_DAMPING or (is_small and self.damping > _END_DAMPING)

    def update(
        self,
        model: ReducedModel | None,
        point: Array,
        actual_decrease: float,
        predicted_decrease: float,
    ) -> ReducedModel | None:
        """What is left to go on with; None where another model is needed."""
        assert model is not None
        little, much = _RATIOS
        if actual_decrease > 0.0 and actual_decrease >= little * predicted_decrease:
            self.reach = model.reach(point)
            if self.damping <= 0.0 < predicted_decrease:
                # The curvature that explains the decrease.
                bend = (1.0 + self.damping) * max(2.0 - actual_decrease / predicted_decrease, 0.0)
                self.damping = min(max(bend, 1.0 - _MAX_RELAXATION), 1.0) - 1.0
            elif actual_decrease > much * predicted_decrease and self._tries == 0:
                self.damping = (
                    self.damping / _DAMPING_FACTOR if self.damping > _MIN_DAMPING else 0.0
                )
        else:
            self._raise_damping()
        self._tries = 0 if actual_decrease > 0.0 else self._tries + 1
        return None if actual_decrease > 0.0 else model

    def _raise_damping(self) -> None:
        self.damping = max(_DAMPING_FACTOR * self.damping, _MIN_DAMPING)
