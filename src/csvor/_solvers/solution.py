"""What a solver gives back: where it ended, why, and the way there."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np


class SolverStatus(Enum):
    """Why a solver stopped. The value is the reason in words."""

    CONVERGED = "the objective fell by less than tol"
    OPTIMAL = "the objective lies within tol of its minimum"
    NO_DESCENT = "no step lowers the objective any more"
    INEXACT = "rounding ended the run before tol was reached"
    MAX_ITER = "the limit of iterations was reached"

    @property
    def converged(self) -> bool:
        return self not in (SolverStatus.INEXACT, SolverStatus.MAX_ITER)


@dataclass(frozen=True, eq=False)
class Solution:
    """A solver's result.

    Attributes
    ----------
    point : object
        Where it ended: never above the lowest objective seen under the final loss.
    loss : object
        The loss in force at the end.
    objective : float
        The objective there.
    history : list of float
        The objective after each iteration, under the loss then in force.
    fixed_from : int
        From this entry of ``history`` on the loss no longer changes.
    status : SolverStatus
    n_iter : int
        Iterations done.
    constant : float
        What the samples that are cut away add to the objective.
    gap : float
        How far the convex problem at the end (what is cut held) is from its least value at most,
        relative to its value; nan where the solver knows no bound.
    """

    point: Any
    loss: Any
    objective: float
    history: list[float]
    fixed_from: int
    status: SolverStatus
    n_iter: int
    constant: float = 0.0
    gap: float = math.nan

    def followed_by(self, other: Solution) -> Solution:
        """The lower of this run and another one, made after it, with the history of both."""
        best = other if other.objective < self.objective else replace(self, status=other.status)
        history = [*self.history, *np.minimum(other.history, self.objective).tolist()]
        return replace(best, history=history, n_iter=self.n_iter + other.n_iter)
