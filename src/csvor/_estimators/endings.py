"""What is to be said of how a fit ended, and of the passes that it took?"""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from csvor._data.fit_data import FitData
from csvor._solvers.solution import Solution, SolverStatus
from csvor._utils.warn import AdvisedWarning, Remedy, warn
from csvor._utils.words import plural

# A fit that takes more of them than this would be faster with more room.
_MANY_PASSES = 60


class SmallRoomWarning(AdvisedWarning):
    """So few rows can come to this process at once that a fit took many passes."""


class NotConvergedWarning(AdvisedWarning, ConvergenceWarning):
    """A fit ended before it was told to."""


def fit_in_words(solution: Solution, data: FitData, seconds: float) -> str:
    """One line on a fit: where it ended, why, and what it took."""
    line = (
        f"objective {solution.objective:.8g} after {plural(solution.n_iter, 'iteration')}, "
        f"{seconds:.2g} s: {solution.status.value}"
    )
    if data.traffic is None:
        return line
    passes, out, back = data.traffic.values()
    return (
        f"{line}; {passes} passes over the partitions, {out / 1e6:.3g} MB sent, "
        f"{back / 1e6:.3g} MB back"
    )


def warn_of_end(model: Any, solution: Solution, data: FitData) -> None:
    """Say of a fit that has not converged where it stands, and what helps."""
    warning, room = _not_converged(model, solution), data.wanted_room
    warn(warning if room is None else warning.advised(_more_room("a tenth of the rows", room)))


def warn_of_passes(model: Any, passes: int, data: FitData) -> None:
    """Say that a fit took many of them, where room for more rows would spare most."""
    if passes <= _MANY_PASSES:
        return
    complaint = f"{type(model).__name__} took {passes} passes over the partitions"
    for rows, room in (("a tenth of the rows", data.wanted_room), ("all rows", data.room_of_all)):
        if room is not None:
            warn(SmallRoomWarning(complaint, _more_room(rows, room)))
            return


def _more_room(rows: str, room: int) -> Remedy:
    return Remedy(
        f"let {rows} come to this process at once, "
        f"dask.config.set({{'csvor.memory-limit': {room}}})"
    )


def _not_converged(model: Any, solution: Solution) -> NotConvergedWarning:
    name, history = type(model).__name__, solution.history
    if solution.status is not SolverStatus.MAX_ITER:
        return NotConvergedWarning(
            f"{name} ended early, {solution.status.value} ({model.tol:g})",
            Remedy(
                "limit far values with ",
                "clip",
                5,
                in_code="put the features on one scale, or use a larger tol",
            ),
        )
    settled = len(history) - solution.fixed_from > 1 and history[-2] > 0.0
    state = (
        f"while the objective still fell by {1.0 - history[-1] / history[-2]:.1e} of itself "
        f"(tol {model.tol:g})"
        if settled
        else "before it had settled"
    )
    iterations = plural(solution.n_iter, "iteration")
    return NotConvergedWarning(
        f"{name} stopped after {iterations} (max_iter={model.max_iter}) {state}", model._remedy()
    )
