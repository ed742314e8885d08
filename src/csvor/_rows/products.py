"""Products of dense rows that are left to BLAS: with many columns nothing else is as fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Numbers of rows that are copied at a time.
_AT_ONCE = 4_000_000


class Products:
    """What whole-array code asks of the scaled features Z of a matrix."""

    most_columns = 1_000_000

    def __init__(self, Z: Array) -> None:
        self._Z = Z

    def scores(self, w: Array) -> Array:
        """``Z w``."""
        return self._Z @ w

    def pulled(self, v: Array) -> Array:
        """``Z' v``."""
        return v @ self._Z

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
