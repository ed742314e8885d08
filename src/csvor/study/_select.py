"""Which setting of a grid has the lowest error on rows that were held out?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Setting = Mapping[str, Any]

# Means of the same shares in another order differ by rounding.
ROUNDING = 1e-12


class Candidate(Protocol):
    """A method with its settings, preferred ones first, and how all of them are fitted."""

    @property
    def name(self) -> str: ...
    @property
    def estimator(self) -> Any: ...
    @property
    def settings(self) -> Sequence[Setting]: ...
    @property
    def fit_grid(self) -> Any: ...


@dataclass(frozen=True, eq=False)
class Part:
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


def mean_errors(method: Candidate, parts: Iterable[Part]) -> NDArray[np.float64]:
    """The mean zero-one error of each setting over the parts, which all count alike."""
    grid = method.settings
    wrong = []
    for part in parts:
        predicted = method.fit_grid(method.estimator, part.X, part.y, grid, part.X_held_out)
        if predicted.shape != (len(grid), part.y_held_out.size):
            raise ValueError(
                f"fit_grid of {method.name} gave predictions of shape {predicted.shape} for "
                f"{len(grid)} settings and {part.y_held_out.size} rows."
            )
        is_wrong = predicted != part.y_held_out
        wrong.append(np.average(is_wrong, axis=1, weights=part.weights_held_out))
    return np.asarray(sum(shares / len(wrong) for shares in wrong))


def select(method: Candidate, parts: Iterable[Part]) -> Selection:
    """The setting with the lowest mean error; of equal ones the first.

    A grid of one setting leaves nothing to choose: nothing is fitted, and ``errors`` is empty.
    """
    grid = method.settings
    if len(grid) == 1:
        return Selection(dict(grid[0]))
    errors = mean_errors(method, parts)
    best = int(np.argmax(errors <= errors.min() + ROUNDING))
    return Selection(dict(grid[best]), float(errors[best]), errors)
