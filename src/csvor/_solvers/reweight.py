"""General re-weighting (Algorithm 1 of the paper): minimise ``h(x) + sum_i c_i v(g_i(x))``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._solvers.solution import Solution, Status

Array = NDArray[np.float64]

# Less than this share of the objective cannot be told from rounding.
_ROUNDING = 1e-15


class ConcaveLoss(Protocol):
    """``v``, concave in g."""

    def value(self, g: Array) -> Array: ...
    def supergradient(self, g: Array) -> Array: ...


class Schedule(Protocol):
    """The loss of each iteration; equal losses mean that it is settled, unless it is reopened."""

    def loss_at(self, iteration: int, g: Array, last: Any) -> Any: ...
    def steady(self, iteration: int) -> bool: ...
    def reopened(self, g: Array, last: Any) -> Any: ...
    def settled(self, iteration: int, g: Array, last: Any) -> Any: ...


def reweight(
    start: Any,
    schedule: Schedule,
    inner: Callable[[Any], Array],
    minimise: Callable[[Array, Any], Any],
    importance: Array,
    *,
    tol: float,
    max_iter: int,
    report: Callable[[int, float], None] | None = None,
) -> Solution:
    """Minimise ``h(x) + sum_i c_i v(g_i(x))`` by surrogates ``h(x) + sum_i c_i D_i g_i(x)``.

    ``D_i`` is a supergradient of the concave ``v`` at ``g_i``, so the surrogate touches the
    objective and lies above it: what lowers the one lowers the other.

    Parameters
    ----------
    start : point
        A point carries ``penalty`` (h).
    schedule : Schedule
        The loss ``v`` of each iteration. While it changes, the run is not judged.
    inner : callable point -> ndarray of shape (n_samples,)
        The g_i.
    minimise : callable (weights, point) -> point
        Lowers ``h + weights . g``, from the point on.
    importance : ndarray of shape (n_samples,)
        The c_i.
    tol : float
        The run ends when the objective falls by at most ``tol`` times itself, less what the
        samples without a weight add to it (a constant, however large).
    max_iter : int
    report : callable (iteration, objective), optional
    """

    def objective_of(penalty: float, g: Array, loss: ConcaveLoss) -> float:
        return float(penalty) + float(importance @ loss.value(g))

    point, g, objective = start, inner(start), np.inf
    loss = None
    upcoming = schedule.loss_at(0, g, None)
    history: list[float] = []
    fixed_from, status = 0, Status.MAX_ITER
    for iteration in range(max_iter):
        last, loss = loss, upcoming
        if loss != last:
            fixed_from, objective = len(history), np.inf
        weights = importance * loss.supergradient(g)
        constant = float(importance[weights == 0.0] @ loss.value(g)[weights == 0.0])
        trial = minimise(weights, point)
        trial_g = inner(trial)
        reached = objective_of(trial.penalty, trial_g, loss)
        if not np.isfinite(reached):
            raise FloatingPointError(
                "The objective left the range of numbers: scale the features, or use a smaller C."
            )
        fall = objective - reached
        if fall > 0.0:
            point, g, objective = trial, trial_g, reached
            history.append(objective)
            if report is not None:
                report(len(history), objective)
        upcoming = schedule.loss_at(iteration + 1, g, loss)
        least = max(tol * (objective - constant), _ROUNDING * objective)
        if fall <= least and schedule.steady(iteration):
            upcoming = schedule.reopened(g, loss)
            if upcoming == loss:
                status = Status.CONVERGED if fall > 0.0 else Status.NO_DESCENT
                break
    if status is Status.MAX_ITER:
        last_used = loss
        loss = schedule.settled(max_iter, g, loss)
        objective = objective_of(point.penalty, g, loss)
        if loss != last_used:
            fixed_from = len(history)
    return Solution(point, loss, objective, history, fixed_from, status, len(history))
