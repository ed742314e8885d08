"""When rows are so few that whole minimisations are compiled, and how they are handed over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor import _loops
from csvor._matrix import DenseMatrix
from csvor._objective._surrogate import OrdinalObjective, Point, Surrogate
from csvor._solvers import minimise_newton
from csvor._solvers.reweight import ROUNDING

Array = NDArray[np.float64]
Rows = tuple[Array, Array, Array, NDArray[np.integer], Array]

# Compiled minimisations take one thread.
_MOST_NUMBERS = 400_000
# LAPACK solves larger systems.
_MOST_COORDINATES = 80


def are_few(matrix: DenseMatrix, n_coordinates: int) -> bool:
    few = matrix.given.size <= _MOST_NUMBERS
    return few and n_coordinates <= _MOST_COORDINATES


def rows_of(matrix: DenseMatrix, codes: NDArray[np.integer], costs: Array) -> Rows:
    """Rows for the loops, of one memory layout, so that one compilation serves all."""
    X = np.require(matrix.given, requirements=["C", "W"])
    return X, matrix.center, matrix.factor, codes, costs


class SlackMinimiser:
    """`_solvers.minimise_newton` for rounded sums of slacks, compiled where rows are few."""

    def __init__(
        self,
        objective: OrdinalObjective,
        codes: NDArray[np.integer],
        costs: Array,
        constraints: str,
    ) -> None:
        self.objective = objective
        self.rows = rows_of(objective.matrix, codes, costs)
        self.implicit = constraints == "implicit"

    def __call__(
        self, problem: Surrogate, point: Point, *, tol: float, max_iter: int
    ) -> tuple[Point, int]:
        loss: Any = problem.loss
        packing = self.objective.packing
        if are_few(self.objective.matrix, point.theta.size):
            theta = point.theta.copy()
            taken = _loops.minimise_slacks(
                self.rows,
                self.implicit,
                packing.ridge,
                packing.threshold_ridge,
                theta,
                loss.width,
                problem.damping,
                (tol, ROUNDING, float(max_iter)),
            )
            if taken >= 0:
                return self.objective.at(theta), taken
        return minimise_newton(problem, point, tol=tol, max_iter=max_iter)
