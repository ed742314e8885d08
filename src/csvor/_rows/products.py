"""Products of dense rows that are left to BLAS: with many columns nothing else is as fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csvor._rows.dense import DenseMatrix

Array = NDArray[np.float64]

# Numbers of rows that are copied at a time.
_AT_ONCE = 4_000_000
# All rows are passed over rather than more than one in so many copied.
_FEW = 3


class Products:
    """What whole-array code asks of the scaled features Z of a matrix."""

    def __init__(self, matrix: DenseMatrix) -> None:
        self._Z = matrix.values

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self._Z.shape
        return n, d

    def rows(self, rows: NDArray[np.intp]) -> Array:
        """Some rows of Z."""
        return self._Z[rows]

    def scores(self, w: Array) -> Array:
        """``Z w``."""
        return self._Z @ w

    def pulled(self, v: Array) -> Array:
        """``Z' v``."""
        return v @ self._Z

    def scores_of(self, rows: NDArray[np.intp], w: Array) -> Array:
        """``Z w`` of some of the rows."""
        if _FEW * rows.size > self._Z.shape[0]:
            return self.scores(w)[rows]
        return self._Z[rows] @ w

    def pulled_by(self, rows: NDArray[np.intp], v: Array) -> Array:
        """``Z' v`` over some of the rows."""
        if _FEW * rows.size > self._Z.shape[0]:
            whole = np.zeros(self._Z.shape[0])
            whole[rows] = v
            return self.pulled(whole)
        return v @ self._Z[rows]

    def mean_square(self, ridge: Array) -> float:
        """Mean of ``z' diag(1 / ridge) z`` over the rows: of their kernel with themselves."""
        return float(np.einsum("nd,nd->d", self._Z, self._Z) @ (1.0 / ridge) / self._Z.shape[0])

    def curved(self, rows: NDArray[np.intp], weights: Array, share: Array) -> tuple[Array, Array]:
        """``Z' diag(weights) Z`` and ``Z' share'`` over some of the rows; weights not negative."""
        d = self._Z.shape[1]
        own, mixed = np.zeros((d, d)), np.zeros((d, share.shape[0]))
        step = max(_AT_ONCE // d, 1)
        root = np.sqrt(weights)
        for start in range(0, rows.size, step):
            part = slice(start, start + step)
            Z = self._Z[rows[part]]
            mixed += Z.T @ share[:, part].T
            Z *= root[part, None]
            own += Z.T @ Z
        return own, mixed
