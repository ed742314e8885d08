"""A matrix of features, scaled inside so that units do not matter to the solver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from csvor._rows.spans import Spans, spans_of

Array = NDArray[np.float64]


class ScaledMatrix(ABC):
    """The features Z, ``(X - center) * factor``.

    The thresholds are free, so a shift of a column changes nothing but its rounding, and a
    factor is undone by ``ridge``, the penalty of each scaled coefficient. The problem solved is
    the one stated in the units of X; only its conditioning changes. A constant column has the
    factor 0.
    """

    # The rows in the order in which some of them are drawn; None is that of X.
    places: NDArray[np.intp] | None = None

    def __init__(self, X: Any, sample_weight: Array, spans: Spans | None = None) -> None:
        self.X = X
        spans = spans or spans_of(X, sample_weight)
        self.center, spread = spans.mean, spans.spread
        # A column whose spread is below the rounding of its values is constant; so is one whose
        # ridge, 1 / spread^2, would leave the range of numbers.
        constant = spread <= np.maximum(1e-15 * np.abs(self.center), 1e-150)
        constant |= spans.low == spans.high
        self._scale = np.where(constant, np.maximum(np.abs(self.center), 1.0), spread)
        self.factor = np.where(constant, 0.0, 1.0 / self._scale)
        # The penalty ||w||^2 as seen by the scaled coefficients.
        self.ridge = self._scale**-2.0

    @property
    def size(self) -> int:
        """How many numbers are held."""
        return int(self.X.size)

    @abstractmethod
    def rows(self, codes: Any, costs: Any, pair: Any) -> Any:
        """All rows with their labels, as the objective asks of them."""

    @property
    @abstractmethod
    def products(self) -> Any:
        """Products of Z with vectors."""

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Some of the rows, with the same center and factors."""
        part = copy(self)
        for name in ("values", "products", "places"):
            part.__dict__.pop(name, None)
        part.X = self._taken(rows)
        return part

    def _taken(self, rows: NDArray[np.intp]) -> Any:
        return self.X[rows]

    def in_given_units(self, coef: Array) -> tuple[Array, float]:
        """Coefficients for X as given, and what the thresholds gain by it."""
        coef = coef / self._scale
        return coef, float(self.center @ coef)
