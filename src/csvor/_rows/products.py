"""Products of dense rows, by BLAS where they are float64: with many columns nothing is as fast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.blocks import row_blocks
from csvor._utils.compile import FAST, compiled
from csvor._utils.threads import RowThreads

Array = NDArray[np.float64]

# Numbers of rows with curvature that are copied at a time.
_AT_ONCE = 1_000_000
# Of float32, so many numbers at most are kept in float64: more of them would be twice X. Products
# with a vector then read X where it lies, in loops that need no copy.
_KEPT = 4_000_000
# Sums by column are made in so many parts at most.
_PARTS = 16
# All rows are passed over rather than more than one in so many copied.
_FEW = 3


class Products:
    """What whole-array code asks of the scaled features Z of a matrix."""

    # A Hessian of more columns is not made; inner products of more rows are not kept.
    most_columns = most_rows = 1_000_000

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix
        n, d = self.shape = matrix.X.shape
        self._is_kept = matrix.X.dtype == np.float64 or matrix.X.size <= _KEPT
        self._X = matrix.X.view()
        self._X.flags.writeable = False  # as frames are: what is compiled for them serves all
        self._threads = RowThreads(n, d, _PARTS)

    def rows(self, rows: slice | NDArray[np.intp]) -> Array:
        """Some rows of Z."""
        return self._matrix.values[rows] if self._is_kept else self._matrix.scaled(rows)

    def matvec(self, w: Array) -> Array:
        """``Z w``."""
        if self._is_kept:
            return self._matrix.values @ w
        X, w, scores = self._X, self._matrix.factor * w, np.empty(self.shape[0])
        shift = float(self._matrix.center @ w)
        self._threads.map(lambda rows: matvec(X[rows], w, shift, scores[rows]))
        return scores

    def transpose_matvec(self, v: Array) -> Array:
        """``Z' v``."""
        if self._is_kept:
            return v @ self._matrix.values

        def add(rows: slice) -> tuple[Array]:
            sums = np.zeros(self.shape[1])
            add_transpose_matvec(self._X[rows], v[rows], sums)
            return (sums,)

        (sums,) = self._threads.sum(add)
        return self._matrix.factor * (sums - v.sum() * self._matrix.center)

    def matvec_rows(self, rows: NDArray[np.intp], w: Array) -> Array:
        """``Z w`` of some of the rows."""
        if _FEW * rows.size > self.shape[0]:
            return self.matvec(w)[rows]
        return self.rows(rows) @ w

    def transpose_matvec_rows(self, rows: NDArray[np.intp], v: Array) -> Array:
        """``Z' v`` over some of the rows."""
        if _FEW * rows.size > self.shape[0]:
            of_all = np.zeros(self.shape[0])
            of_all[rows] = v
            return self.transpose_matvec(of_all)
        return v @ self.rows(rows)

    def mean_square(self, ridge: Array) -> float:
        """Mean of ``z' diag(1 / ridge) z`` over the rows: of their kernel with themselves."""
        squares = np.zeros(self.shape[1])
        for _, Z in self._blocks():
            squares += np.einsum("nd,nd->d", Z, Z)
        return float(squares @ (1.0 / ridge) / self.shape[0])

    def sandwich(
        self, rows: NDArray[np.intp] | None, weights: Array, vectors: Array
    ) -> tuple[Array, Array]:
        """``Z' diag(weights) Z`` and ``Z' vectors'`` over some rows, or all; weights >= 0."""
        d = self.shape[1]
        sandwich, cross = np.zeros((d, d)), np.zeros((d, vectors.shape[0]))
        root = np.sqrt(weights)
        for part in row_blocks(weights.size, d, _AT_ONCE):
            Z = self.rows(part if rows is None else rows[part])
            cross += Z.T @ vectors[:, part].T
            Z = Z * root[part, None]
            sandwich += Z.T @ Z
        return sandwich, cross

    def _blocks(self) -> Iterator[tuple[slice, Array]]:
        """Where each block of rows lies, and its features."""
        for rows in [slice(None)] if self._is_kept else row_blocks(*self.shape):
            yield rows, self.rows(rows)


@compiled(fastmath=FAST)
def matvec(X, w, shift, products):
    """Set ``products`` to ``X w - shift``."""
    for i in range(X.shape[0]):
        total = -shift
        for j in range(w.size):
            total += X[i, j] * w[j]
        products[i] = total


@compiled(fastmath=FAST)
def add_transpose_matvec(X, v, sums):
    """Add ``X' v``; a row with 0 is passed over."""
    for i in range(X.shape[0]):
        if v[i] != 0.0:
            for j in range(sums.size):
                sums[j] += v[i] * X[i, j]
