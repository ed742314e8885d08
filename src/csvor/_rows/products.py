"""Products of dense rows that are left to BLAS: with many columns nothing else is as fast."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from csvor._rows.blocks import row_blocks
from csvor._rows.dense import DenseMatrix

Array = NDArray[np.float64]

# Numbers of rows with curvature that are copied at a time.
_AT_ONCE = 1_000_000
# Of float32, so many numbers at most are kept in float64: made anew each time they take thrice as
# long, but more of them would be twice X.
_FEW = 4_000_000


class Products:
    """What whole-array code asks of the scaled features Z of a matrix."""

    def __init__(self, matrix: DenseMatrix) -> None:
        self._matrix = matrix
        self._shape = matrix.X.shape

    def scores(self, w: Array) -> Array:
        """``Z w``."""
        found = np.empty(self._shape[0])
        for rows, Z in self._blocks():
            found[rows] = Z @ w
        return found

    def pulled(self, v: Array) -> Array:
        """``Z' v``."""
        found = np.zeros(self._shape[1])
        for rows, Z in self._blocks():
            found += v[rows] @ Z
        return found

    def mean_square(self, ridge: Array) -> float:
        """Mean of ``z' diag(1 / ridge) z`` over the rows: of their kernel with themselves."""
        squares = np.zeros(self._shape[1])
        for _, Z in self._blocks():
            squares += np.einsum("nd,nd->d", Z, Z)
        return float(squares @ (1.0 / ridge) / self._shape[0])

    def curved(
        self, rows: NDArray[np.intp] | None, weights: Array, share: Array
    ) -> tuple[Array, Array]:
        """``Z' diag(weights) Z`` and ``Z' share'`` over some rows, or all; weights not negative."""
        d = self._shape[1]
        own, mixed = np.zeros((d, d)), np.zeros((d, share.shape[0]))
        root = np.sqrt(weights)
        for part in row_blocks(weights.size, d, _AT_ONCE):
            Z = self._matrix.scaled(part if rows is None else rows[part])
            mixed += Z.T @ share[:, part].T
            Z = Z * root[part, None]
            own += Z.T @ Z
        return own, mixed

    def _blocks(self) -> Iterator[tuple[slice, Array]]:
        """Where each block of rows lies, and its features."""
        X = self._matrix.X
        if X.dtype == np.float64 or X.size <= _FEW:
            yield slice(None), self._matrix.values
            return
        for rows in row_blocks(*self._shape):
            yield rows, self._matrix.scaled(rows)
