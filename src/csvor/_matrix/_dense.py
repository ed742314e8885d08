"""Dense features, centred and scaled inside so that units do not matter to the solver."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from csvor._matrix._spans import Spans, spans_of
from csvor._utils.chunks import in_chunks

Array = NDArray[np.float64]
T = TypeVar("T")


class DenseMatrix:
    """The features ``(given - center) * factor``, as a copy or on the fly.

    The thresholds are free, so a shift of a column changes nothing but its rounding, and a
    factor is undone by ``ridge``, the penalty of each scaled coefficient. The problem solved is
    the one stated in the units of X; only its conditioning changes. A constant column has the
    factor 0.
    """

    def __init__(self, X: Array, sample_weight: Array, spans: Spans | None = None) -> None:
        self.given = X
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

    def part(self, rows: NDArray[np.intp]) -> DenseMatrix:
        """Some of the rows, with the same center and factors."""
        part = copy(self)
        part.__dict__.pop("values", None)
        part.given = self.given[rows]
        return part

    @property
    def n_features(self) -> int:
        return self.given.shape[1]

    @cached_property
    def values(self) -> Array:
        """The features."""
        return (self.given - self.center) * self.factor

    def for_chunks(self, work: Callable[[slice], T]) -> list[T]:
        """What ``work`` gives for each chunk of rows, in their order; chunks run side by side."""
        return in_chunks(work, *self.given.shape)

    def sum_chunks(self, work: Callable[[slice], Array]) -> Array:
        """The sum of what ``work`` gives, always in the order of the chunks."""
        first, *others = self.for_chunks(work)
        for other in others:
            first += other
        return first

    def matvec(self, coef: Array) -> Array:
        if "values" in self.__dict__:
            return self.values @ coef
        weighted = self.factor * coef
        parts = self.for_chunks(lambda rows: (self.given[rows] - self.center) @ weighted)
        return np.concatenate(parts)

    def rmatvec(self, u: Array) -> Array:
        """``X' u`` for u of shape (n_samples,) or (n_samples, k)."""
        return self.values.T @ u

    def gram(self, weights: Array) -> Array:
        """``X' diag(weights) X``, from the rows with a weight only."""
        rows = np.flatnonzero(weights)
        part = self.values if rows.size == weights.size else self.values[rows]
        return part.T @ (weights[rows][:, None] * part)

    def in_given_units(self, coef: Array) -> tuple[Array, float]:
        """Coefficients for X as given, and what the thresholds gain by it."""
        coef = coef / self._scale
        return coef, float(self.center @ coef)
