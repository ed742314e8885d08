"""Which setting of a method has the lowest error in cross-validation?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor.study._methods import FitGrid, Setting, fit_each
from csvor.study._problem import Fold

# Means of the same shares in another order differ by rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Contender:
    """A method as a cell needs it: ready to be sent to another process.

    ``estimator`` is unfitted, ``settings`` are the grid written out, preferred ones first.
    """

    name: str
    estimator: Any
    settings: tuple[Setting, ...] = ({},)
    fit_grid: FitGrid = fit_each
    finds_outliers: bool = False


@dataclass(frozen=True, eq=False)
class Selection:
    """The setting that was chosen, and the mean zero-one error of each one of the grid."""

    chosen: dict[str, Any]
    errors: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))


def expand(grid: Mapping[str, Sequence[Any]]) -> tuple[Setting, ...]:
    """All settings of a grid: the first parameter changes slowest."""
    return tuple(dict(zip(grid, values, strict=True)) for values in product(*grid.values()))


def select(
    method: Contender,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    folds: Sequence[Fold],
    grid: Sequence[Setting],
) -> Selection:
    """The setting with the lowest mean error over the folds; of equal ones the first.

    A grid of one setting leaves nothing to choose: nothing is fitted, and ``errors`` is empty.
    """
    if len(grid) == 1:
        return Selection(dict(grid[0]))
    errors = np.zeros(len(grid))
    for fitted, held_out in folds:
        predicted = method.fit_grid(method.estimator, X[fitted], y[fitted], grid, X[held_out])
        if predicted.shape != (len(grid), held_out.size):
            raise ValueError(
                f"fit_grid of {method.name} gave predictions of shape {predicted.shape} for "
                f"{len(grid)} settings and {held_out.size} rows."
            )
        errors += np.mean(predicted != y[held_out], axis=1) / len(folds)
    best = int(np.argmax(errors <= errors.min() + ROUNDING))
    return Selection(dict(grid[best]), errors)
