"""Which basis has the inner products that a Gram matrix holds?"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, solve_triangular
from scipy.linalg.lapack import dpstrf

from csvor._utils.warn import warn

Array = NDArray[np.float64]

# Directions below this share of the largest are rounding.
_RANK = 1e-12
# What a Cholesky factor may leave of a positive semi-definite matrix, as a share of its diagonal.
_LEFT = 1e-9


class GramFactor(Protocol):
    """``G = B B'``, B the landmarks in a basis."""

    @property
    def landmarks(self) -> Array:
        """B, with a row for each landmark."""

    def mapped(self, values: Array) -> Array:
        """Rows in the basis, from their kernel values against the landmarks."""

    def dual(self, coef: Array) -> Array:
        """What the values are multiplied with to get the score of coefficients in the basis."""


def factored(gram: Array) -> GramFactor:
    """The factor of a symmetric matrix; a negative part is left out with a warning."""
    largest = gram.diagonal().max()
    if largest > 0.0:
        packed, pivots, rank, _ = dpstrf(gram, lower=True, tol=_RANK * largest)
        lower, order = np.tril(packed)[:, :rank], pivots - 1
        rest = order[rank:]
        left = gram[np.ix_(rest, rest)] - lower[rank:] @ lower[rank:].T
        if np.abs(left).max(initial=0.0) <= _LEFT * largest:
            return _Triangle(lower, order)
    return _Eigenvectors(gram)


class _Triangle:
    """By Cholesky's method: the basis of the landmarks that span all of them, in turn."""

    def __init__(self, lower: Array, order: NDArray[np.intp]) -> None:
        n, rank = lower.shape
        self._pivots, self._corner = order[:rank], lower[:rank]
        self.landmarks = np.empty((n, rank))
        self.landmarks[order] = lower

    def mapped(self, values: Array) -> Array:
        of_pivots = values[:, self._pivots].T
        return np.ascontiguousarray(solve_triangular(self._corner, of_pivots, lower=True).T)

    def dual(self, coef: Array) -> Array:
        of_landmarks = np.zeros(len(self.landmarks))
        of_landmarks[self._pivots] = solve_triangular(self._corner, coef, lower=True, trans="T")
        return of_landmarks


class _Eigenvectors:
    """By eigenvectors, which also tell what is negative."""

    def __init__(self, gram: Array) -> None:
        values, vectors = eigh(gram)
        if values[0] < -1e-6 * values[-1]:
            warn(
                f"The kernel is not positive semi-definite (smallest eigenvalue {values[0]:.2g}, "
                f"largest {values[-1]:.2g}); its negative part is left out. Use another kernel "
                "or other gamma and coef0."
            )
        kept = values > _RANK * values[-1]
        if not kept.any():
            raise ValueError("The kernel is zero on all rows; rows must not all be at the origin.")
        self._basis = vectors[:, kept] * values[kept] ** -0.5
        self.landmarks = vectors[:, kept] * values[kept] ** 0.5

    def mapped(self, values: Array) -> Array:
        return values @ self._basis

    def dual(self, coef: Array) -> Array:
        return self._basis @ coef
