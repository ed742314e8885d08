"""Which inner products of rows are known?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._utils.compile import compiled

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# What rows cost that are new, as a share of it: they mostly come again (found by trial).
_COMES_AGAIN = 0.25


class Gram:
    """``Z diag(1 / ridge) Z'``, of rows that were asked for; about as large as Z at most."""

    def __init__(self, products: Any, ridge: Array) -> None:
        self._products, self._scale = products, ridge**-0.5
        n, d = products.shape
        # The m for which m rows and their products take 2 n d numbers.
        most = min(n, products.most_rows, int(np.sqrt(0.25 * d * d + 2.0 * n * d) - 0.5 * d))
        self._place, self._n = np.full(n, -1), 0
        self._rows, self._known = np.empty((most, d)), np.empty((most, most))

    def work_of(self, rows: Rows) -> float:
        """Multiplications that products of rows not known yet take, infinite without room."""
        if rows.size > len(self._known):
            return np.inf
        new = int((self._place[rows] < 0).sum())
        old = self._n if self._has_room(new) else 0
        new = new if old else rows.size
        return _COMES_AGAIN * new * (2 * old + new) * self._scale.size

    def system(self, rows: Rows, root: Array) -> Array:
        """The lower triangle of ``1 + diag(root) G diag(root)``, G the products of rows."""
        new = rows[self._place[rows] < 0]
        if not self._has_room(new.size):
            self._place[:], self._n, new = -1, 0, rows
        if new.size:
            old, self._n = self._n, self._n + new.size
            self._place[new] = np.arange(old, self._n)
            self._rows[old : self._n] = self._products.rows(new) * self._scale
            added = self._rows[old : self._n] @ self._rows[: self._n].T
            self._known[old : self._n, : self._n] = added
            self._known[:old, old : self._n] = added[:, :old].T
        upper = np.empty((rows.size, rows.size))
        _gather(self._known, self._place[rows], root, upper)
        return upper.T

    def _has_room(self, new: int) -> bool:
        return self._n + new <= len(self._known)


@compiled()
def _gather(known, place, root, upper):
    for i in range(place.size):
        of_row = known[place[i]]
        for j in range(i, place.size):
            upper[i, j] = root[i] * of_row[place[j]] * root[j]
        upper[i, i] += 1.0
