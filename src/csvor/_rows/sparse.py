"""Sparse rows, whose products leave alone what is not stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.csr import (
    add_sandwich,
    add_sandwich_diagonal,
    add_sandwich_matvec,
    add_transpose_matvec,
    csr_matvec,
    parts_of,
)
from csvor._rows.matrix import ScaledMatrix
from csvor._rows.product_rows import ProductRows
from csvor._utils.cached import cached_property
from csvor._utils.threads import RowThreads

Array = NDArray[np.float64]
Codes = NDArray[np.integer]

# Sums by column are made in so many parts at most, and of so many numbers a column at least.
_PARTS, _OF_A_COLUMN = 16, 8


class SparseMatrix(ScaledMatrix):
    """The scaled features of a CSR matrix. None of them is ever made: what a center takes off is
    the same for all rows."""

    def rows(self, codes: Codes, costs: Array, pair: Any) -> ProductRows:
        return ProductRows(self, codes, costs, pair)

    @cached_property
    def products(self) -> SparseProducts:
        return SparseProducts(self)


class SparseProducts:
    """What whole-array code asks of the scaled features Z of sparse rows."""

    most_columns, most_rows = 300, 0

    def __init__(self, matrix: SparseMatrix) -> None:
        X = self._csr = matrix.X
        self._X = parts_of(X)
        self._center, self._factor = matrix.center, matrix.factor
        self.shape = self._n, self._d = X.shape
        most = min(X.nnz // (_OF_A_COLUMN * self._d), _PARTS)
        self._threads = RowThreads(self._n, X.nnz / max(self._n, 1), max(most, 1))

    def rows(self, rows: NDArray[np.intp]) -> Array:
        """Some rows of Z, dense: few of few columns are asked for."""
        dense: Array = (self._csr[rows].toarray() - self._center) * self._factor
        return dense

    def matvec(self, w: Array) -> Array:
        """``Z w``."""
        w = self._factor * w
        shift, products = float(self._center @ w), np.empty(self._n)
        self._threads.map(lambda r: csr_matvec(self._X, r.start, r.stop, w, shift, products))
        return products

    def transpose_matvec(self, v: Array) -> Array:
        """``Z' v``."""

        def add(rows: slice) -> tuple[Array]:
            sums = np.zeros(self._d)
            add_transpose_matvec(self._X, rows.start, rows.stop, v, sums)
            return (sums,)

        return self._factor * (self._threads.sum(add)[0] - v.sum() * self._center)

    def matvec_rows(self, rows: NDArray[np.intp], w: Array) -> Array:
        """``Z w`` of some of the rows."""
        return self.matvec(w)[rows]

    def transpose_matvec_rows(self, rows: NDArray[np.intp], v: Array) -> Array:
        """``Z' v`` over some of the rows."""
        return self.transpose_matvec(self.scatter(rows, v))

    def mean_square(self, ridge: Array) -> float:
        """Mean of ``z' diag(1 / ridge) z`` over the rows: of their kernel with themselves."""
        squares, _ = self.sandwich_diagonal(np.ones(self._n), np.empty((0, self._n)))
        return float((squares / ridge).sum() / self._n)

    def sandwich_diagonal(self, weights: Array, vectors: Array) -> tuple[Array, Array]:
        """The diagonal of ``Z' diag(weights) Z``, and ``Z' vectors'``."""
        m = vectors.shape[0]

        def add(rows: slice) -> tuple[Array]:
            moments = np.zeros((self._d, m + 2))
            add_sandwich_diagonal(self._X, rows.start, rows.stop, weights, vectors, moments)
            return (moments,)

        (summed,) = self._threads.sum(add)
        cross, sums, squares = summed[:, :m], summed[:, m], summed[:, m + 1]
        squares += self._center * (weights.sum() * self._center - 2.0 * sums)
        cross = self._factor[:, None] * (cross - np.outer(self._center, vectors.sum(axis=1)))
        return self._factor**2 * np.maximum(squares, 0.0), cross

    def sandwich_matvec(self, weights: Array, v: Array) -> Array:
        """``Z' diag(weights) Z v``."""
        v = self._factor * v
        shift = float(self._center @ v)

        def add(rows: slice) -> tuple[float, Array]:
            sums = np.zeros(self._d)
            X, start, stop = self._X, rows.start, rows.stop
            return add_sandwich_matvec(X, start, stop, weights, v, shift, sums), sums

        total, sums = self._threads.sum(add)
        return self._factor * (sums - total * self._center)

    def sandwich(
        self, rows: NDArray[np.intp], weights: Array, vectors: Array
    ) -> tuple[Array, Array]:
        """``Z' diag(weights) Z`` and ``Z' vectors'`` over some of the rows; weights >= 0."""
        of_all = self.scatter(rows, weights)
        sandwich, sums = np.zeros((self._d, self._d)), np.zeros(self._d)
        add_sandwich(self._X, 0, self._n, of_all, sandwich)
        add_transpose_matvec(self._X, 0, self._n, of_all, sums)
        across = np.multiply.outer(self._center, sums - 0.5 * weights.sum() * self._center)
        sandwich -= across + across.T
        sandwich *= self._factor
        sandwich *= self._factor[:, None]
        cross = [self.transpose_matvec(self.scatter(rows, of_one)) for of_one in vectors]
        return sandwich, np.stack(cross, axis=1)

    def scatter(self, rows: NDArray[np.intp], values: Array) -> Array:
        """Values of some of the rows, the last axis, as those of all rows."""
        of_all = np.zeros((*values.shape[:-1], self._n))
        of_all[..., rows] = values
        return of_all
