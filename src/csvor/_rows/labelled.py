"""What is asked of labelled rows whatever holds their features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from csvor._rows.matrix import ScaledMatrix
from csvor._rows.quantile import weighted_quantile

Array = NDArray[np.float64]
Codes = NDArray[np.integer]


class LabelledRows(ABC):
    """Rows of a matrix with their classes.

    ``costs`` are what each row's loss is multiplied with, which is also what it weighs.
    """

    # The share of the rows that can be taken out of them, and whether products tell of all.
    most_near, has_products = 1.0, True

    def __init__(self, matrix: ScaledMatrix, codes: Codes, costs: Array, pair: Any) -> None:
        self.matrix = matrix
        self.codes = codes
        self.costs = costs
        self.pair = pair

    @cached_property
    def _losses(self) -> Array:
        """Room for the losses g of the last pass that kept them."""
        return np.empty(self.n_samples)

    @abstractmethod
    def scores_and_losses(self, w: Array, b: Array) -> tuple[Array, Array]:
        """The score and the losses g of each row."""

    def with_loss(self, pair: Any) -> Self:
        """The same rows under another loss of their pairs."""
        rows = copy(self)
        rows.pair = pair
        return rows

    def take(self, rows: NDArray[np.intp]) -> Any:
        """Some of the rows."""
        return self.matrix.take(rows).rows(self.codes[rows], self.costs[rows], self.pair)

    @property
    def n_samples(self) -> int:
        return self.codes.size

    @property
    def weight(self) -> float:
        """The sum of what the rows' losses are multiplied with."""
        return float(self.costs.sum())

    def loss(self, w: Array, b: Array) -> float:
        """The sum of the losses g, neither rooted nor capped."""
        return float(self.costs @ self.scores_and_losses(w, b)[1])

    def quantile(self, level: float) -> float:
        """Up to which g of the last pass that kept them the share ``level`` of the weight lies."""
        return float(weighted_quantile(self._losses, level, self.costs))

    def sample(self, size: int, n_classes: int) -> Any:
        """A part of the rows that stands for all; the same in every run.

        Rows are drawn by a fixed seed, as often as they weigh; each class is among them.
        """
        rng, total = np.random.default_rng(0), self.costs.sum()
        if self.costs.min() == self.costs.max():
            drawn = rng.integers(0, self.n_samples, size)
        else:
            drawn = rng.choice(self.n_samples, size, p=self.costs / total)
        counts = np.bincount(self.codes[drawn], minlength=n_classes)
        rare = [np.flatnonzero(self.codes == code)[:2] for code in np.flatnonzero(counts < 2)]
        added = np.concatenate([np.empty(0, dtype=np.intp), *rare])
        share = np.concatenate([np.full(size, 1.0 / size), self.costs[added] / total])
        rows = np.concatenate([drawn, added])
        costs = share * (total / share.sum())
        return self.matrix.take(rows).rows(self.codes[rows], costs, self.pair)
