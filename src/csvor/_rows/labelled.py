"""What is asked of labelled rows whatever holds their features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from csvor._rows.quantile import weighted_quantile
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
Rows = NDArray[np.intp]


class LabelledRows(ABC):
    """Rows of a matrix with their classes.

    ``costs`` are what each row's loss is multiplied with, which is also what it weighs.
    """

    # Whether there are products with all rows.
    has_products = True

    def __init__(self, matrix: Any, codes: Any, costs: Any, pair: Any) -> None:
        self.matrix = matrix
        self.codes = codes
        self.costs = costs
        self.pair = pair

    @abstractmethod
    def scores_and_losses(self, w: Array, b: Array) -> tuple[Any, Any]:
        """The score and the losses g of each row."""

    def with_loss(self, pair: Any) -> Self:
        """The same rows under another loss of their pairs."""
        rows = copy(self)
        rows.pair = pair
        return rows

    def sample(self, size: int, n_classes: int) -> Any:
        """A part of the rows that stands for all; the same in every run, in memory or not.

        Rows are drawn by a fixed seed, as often as they weigh; each class is among them.
        """
        size, rng = min(size, self.most), np.random.default_rng(0)
        drawn = self._drawn(size, rng)
        counts = np.bincount(self._codes_of(drawn), minlength=n_classes)
        added = [self._rows_of(int(code))[:2] for code in np.flatnonzero(counts < 2)]
        part = self.take(np.concatenate([drawn, *added]))
        share = np.concatenate([np.full(size, 1.0 / size), part.costs[size:] / self.weight])
        part.costs = share * (self.weight / share.sum())
        return part

    def _drawn(self, size: int, rng: np.random.Generator) -> Rows:
        places = self.matrix.places
        if self._costs_are_equal():
            numbers = rng.integers(0, self.n_samples, size)
        elif places is None:
            return self._rows_at(rng.random(size))
        else:
            numbers = _up_to(np.asarray(self.costs)[places], rng.random(size))
        return numbers if places is None else np.asarray(places[numbers])

    @cached_property
    def _losses(self) -> Array:
        """Room for the losses g of the last pass that kept them."""
        return np.empty(self.n_samples)

    @property
    def n_samples(self) -> int:
        return int(self.codes.size)

    @property
    def most(self) -> int:
        """How many rows can be taken."""
        return self.n_samples

    @property
    def most_near(self) -> float:
        """The share of the rows that can be near a kink."""
        return 1.0

    @property
    def weight(self) -> float:
        """The sum of what the rows' losses are multiplied with."""
        return float(self.costs.sum())

    def take(self, rows: Rows) -> Any:
        """Some of the rows, in memory."""
        return self.matrix.take(rows).rows(self.codes[rows], self.costs[rows], self.pair)

    def loss(self, w: Array, b: Array) -> float:
        """The sum of the losses g, neither rooted nor capped."""
        return float(self.costs @ self.scores_and_losses(w, b)[1])

    def quantile(self, level: float) -> float:
        """Up to which g of the last pass that kept them the share ``level`` of the weight lies."""
        return float(weighted_quantile(self._losses, level, self.costs))

    def _costs_are_equal(self) -> bool:
        return bool(self.costs.min() == self.costs.max())

    def _rows_at(self, levels: Array) -> Rows:
        """The rows up to which these shares of the weight lie."""
        return _up_to(self.costs, levels)

    def _codes_of(self, rows: Rows) -> Codes:
        return self.codes[rows]

    def _rows_of(self, code: int) -> Rows:
        return np.flatnonzero(self.codes == code)


def _up_to(costs: Array, levels: Array) -> Rows:
    ends = (costs / costs.sum()).cumsum()
    return (ends / ends[-1]).searchsorted(levels, side="right")
