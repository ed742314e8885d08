"""Which setting of a grid has the lowest error on rows that were held out?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor.study._methods import MethodRun, Setting

# Means of the same shares in another order differ by rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Fold:
    """The rows that are fitted for one fold, and those held out, which may count unlike."""

    X: Any
    y: Any
    X_held_out: Any
    y_held_out: NDArray[Any]
    weights_held_out: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Selection:
    """The setting that was chosen, its error, and the mean zero-one error of each of the grid."""

    chosen: dict[str, Any]
    error: float = float("nan")
    errors: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))


def expand(grid: Mapping[str, Sequence[Any]]) -> tuple[Setting, ...]:
    """All settings of a grid: the first parameter changes slowest."""
    return tuple(dict(zip(grid, values, strict=True)) for values in product(*grid.values()))


def mean_errors(method: MethodRun, folds: Iterable[Fold]) -> NDArray[np.float64]:
    """The mean zero-one error of each setting over the folds, which all count alike."""
    grid = method.settings
    wrong = []
    for fold in folds:
        predicted = method.fit_grid(method.estimator, fold.X, fold.y, grid, fold.X_held_out)
        if predicted.shape != (len(grid), fold.y_held_out.size):
            raise ValueError(
                f"fit_grid of {method.name} gave predictions of shape {predicted.shape} for "
                f"{len(grid)} settings and {fold.y_held_out.size} rows."
            )
        is_wrong = predicted != fold.y_held_out
        wrong.append(np.average(is_wrong, axis=1, weights=fold.weights_held_out))
    return np.asarray(sum(shares / len(wrong) for shares in wrong))


def select(method: MethodRun, folds: Iterable[Fold]) -> Selection:
    """The setting with the lowest mean error; of equal ones the first.

    A grid of one setting leaves nothing to choose: nothing is fitted, and ``errors`` is empty.
    """
    grid = method.settings
    if len(grid) == 1:
        return Selection(dict(grid[0]))
    errors = mean_errors(method, folds)
    best = int(np.argmax(errors <= errors.min() + ROUNDING))
    return Selection(dict(grid[best]), float(errors[best]), errors)
