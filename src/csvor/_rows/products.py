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

    def scores(self, w: Array) -> Array:
        """``Z w``."""
        found = np.empty(self.shape[0])
        for rows, Z in self._blocks():
            found[rows] = Z @ w
        return found

    def pulled(self, v: Array) -> Array:
        """``Z' v``."""
        found = np.zeros(self.shape[1])
        for rows, Z in self._blocks():
            found += v[rows] @ Z
        return found

    def scores_of(self, rows: NDArray[np.intp], w: Array) -> Array:
        """``Z w`` of some of the rows."""
        if _FEW * rows.size > self.shape[0]:
            return self.scores(w)[rows]
        return self.rows(rows) @ w

    def pulled_by(self, rows: NDArray[np.intp], v: Array) -> Array:
        """``Z' v`` over some of the rows."""
        if _FEW * rows.size > self.shape[0]:
            whole = np.zeros(self.shape[0])
            whole[rows] = v
            return self.pulled(whole)
        return v @ self.rows(rows)

    def mean_square(self, ridge: Array) -> float:
        """Mean of ``z' diag(1 / ridge) z`` over the rows: of their kernel with themselves."""
        squares = np.zeros(self.shape[1])
        for _, Z in self._blocks():
            squares += np.einsum("nd,nd->d", Z, Z)
        return float(squares @ (1.0 / ridge) / self.shape[0])

    def curved(
        self, rows: NDArray[np.intp] | None, weights: Array, share: Array
    ) -> tuple[Array, Array]:
        """``Z' diag(weights) Z`` and ``Z' share'`` over some rows, or all; weights not negative."""
        d = self.shape[1]
        own, mixed = np.zeros((d, d)), np.zeros((d, share.shape[0]))
        root = np.sqrt(weights)
        for part in row_blocks(weights.size, d, _AT_ONCE):
            Z = self.rows(part if rows is None else rows[part])
            mixed += Z.T @ share[:, part].T
            Z = Z * root[part, None]
            own += Z.T @ Z
        return own, mixed

    def _blocks(self) -> Iterator[tuple[slice, Array]]:
        """Where each block of rows lies, and its features."""
        for rows in [slice(None)] if self._is_kept else row_blocks(*self.shape):
            yield rows, self.rows(rows)
