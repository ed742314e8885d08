"""Products of dense rows that are left to BLAS: with many columns nothing else is as fast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.blocks import row_blocks

Array = NDArray[np.float64]

# Numbers of rows with curvature that are copied at a time.
_AT_ONCE = 1_000_000
# Of float32, so many numbers at most are kept in float64: made anew each time they take thrice as
# long, but more of them would be twice X.
_KEPT = 4_000_000
# All rows are passed over rather than more than one in so many copied.
_FEW = 3


class Products:
    """What whole-array code asks of the scaled features Z of a matrix."""

    # A Hessian of more columns is not made; inner products of more rows are not kept.
    most_columns = most_rows = 1_000_000

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix
        self.shape: tuple[int, int] = matrix.X.shape
        self._is_kept = matrix.X.dtype == np.float64 or matrix.X.size <= _KEPT

    def rows(self, rows: slice | NDArray[np.intp]) -> Array:
        """Some rows of Z."""
        return self._matrix.values[rows] if self._is_kept else self._matrix.scaled(rows)

    def matvec(self, w: Array) -> Array:
        """``Z w``."""
        scores = np.empty(self.shape[0])
        for rows, Z in self._blocks():
            scores[rows] = Z @ w
        return scores

    def transpose_matvec(self, v: Array) -> Array:
        """``Z' v``."""
        sums = np.zeros(self.shape[1])
        for rows, Z in self._blocks():
            sums += v[rows] @ Z
        return sums

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
