"""What do rows see of theta where each class has two boundaries, and what follows from it?

theta = [w; b_0; gaps], ``b_k = b_0 + gap_1 + ... + gap_k``; a row sees its score and the lower and
upper boundary of its class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csvor._rows.dense import Codes, DenseMatrix
from csvor._utils.compile import compiled

Array = NDArray[np.float64]


class BoundaryObjective:
    """``1/2 w' diag(ridge) w + width_cost (b_K - b_0) + sum_i c_i sum_g max_j x_igj``.

    The pieces x are linear in what a row sees, as `minimise_maxima` states it.
    """

    def __init__(
        self,
        matrix: DenseMatrix,
        codes: Codes,
        n_classes: int,
        *,
        costs: Array,
        width_cost: float,
        pieces: tuple[Array, Array],
    ) -> None:
        self.slopes, self.offsets = pieces
        self.costs, self.n_bounded = costs, n_classes
        self._products, self._codes = matrix.products, codes
        self.ridge = matrix.ridge
        self.linear = np.concatenate(
            [np.zeros(self.ridge.size + 1), np.full(n_classes, width_cost)]
        )
        # Boundaries are sums: of b_0 and the gaps below.
        self._sums = np.tri(n_classes + 1)

    @property
    def start(self) -> Array:
        """No slope, and classes that are 2 wide: a row at its centre has no slack."""
        m = self.n_bounded
        return np.concatenate([np.zeros(self.ridge.size), [-float(m)], np.full(m, 2.0)])

    def split(self, theta: Array) -> tuple[Array, Array]:
        """Coefficients of the scaled features, and boundaries."""
        d = self.ridge.size
        return theta[:d], self._sums @ theta[d:]

    def views(self, theta: Array) -> Array:
        """Score, lower and upper boundary of each row."""
        w, b = self.split(theta)
        return look_up(self._products.scores(w), b, self._codes)

    def pulled(self, by_views: Array) -> Array:
        """By theta what is given by views."""
        by_b = by_boundaries(by_views, self._codes, self.n_bounded + 1)
        return np.concatenate([self._products.pulled(by_views[0]), by_b @ self._sums])

    def curved(self, by_views: Array) -> Array:
        """The curvature by theta of that by views, an upper triangle for each row."""
        d = self.ridge.size
        share, by_bb = share_out(by_views, self._codes, self.n_bounded + 1)
        own, mixed = self._products.curved(None, by_views[0, 0], share)
        H = np.empty((d + self.n_bounded + 1,) * 2)
        H[:d, :d] = own
        H[:d, d:] = mixed @ self._sums
        H[d:, :d] = H[:d, d:].T
        H[d:, d:] = self._sums.T @ by_bb @ self._sums
        return H


@compiled()
def look_up(scores, b, codes):
    """What each row sees."""
    views = np.empty((3, codes.size))
    for i in range(codes.size):
        views[0, i], views[1, i], views[2, i] = scores[i], b[codes[i]], b[codes[i] + 1]
    return views


@compiled()
def by_boundaries(by_views, codes, m):
    """Sums over rows, by the m boundaries."""
    by_b = np.zeros(m)
    for i in range(codes.size):
        by_b[codes[i]] += by_views[1, i]
        by_b[codes[i] + 1] += by_views[2, i]
    return by_b


@compiled()
def share_out(by_views, codes, m):
    """Curvature by score and boundary of each row, and sums by two boundaries."""
    share, by_bb = np.zeros((m, codes.size)), np.zeros((m, m))
    for i in range(codes.size):
        low, high = codes[i], codes[i] + 1
        share[low, i], share[high, i] = by_views[0, 1, i], by_views[0, 2, i]
        by_bb[low, low] += by_views[1, 1, i]
        by_bb[low, high] += by_views[1, 2, i]
        by_bb[high, high] += by_views[2, 2, i]
    for k in range(1, m):
        by_bb[k, k - 1] = by_bb[k - 1, k]
    return share, by_bb
