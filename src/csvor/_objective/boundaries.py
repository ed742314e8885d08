"""What do rows see of theta where each class has two boundaries, and what follows from it?

theta = [w; b_0; gaps], ``b_k = b_0 + gap_1 + ... + gap_k``; a row sees its score and the lower and
upper boundary of its class.
"""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from csvor._loss.pinball import add_highest, costs_at, find_distances, have_changed_piece
from csvor._rows.dense import Codes, DenseMatrix
from csvor._rows.evaluation import subsample_stride
from csvor._utils.compile import compiled

Array = NDArray[np.float64]


class BoundaryObjective:
    """``1/2 w' diag(ridge) w + width_cost (b_K - b_0) + sum_i c_i sum_g max_j x_igj``.

    The pieces x are linear in what a row sees, as `minimise_maxima` states it. Of rows whose
    highest pieces are taken for granted only their sum is held.
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
        self.constant, self.total = 0.0, float(costs.sum())
        self._matrix, self._products, self._codes = matrix, matrix.products, codes
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

    @property
    def n_samples(self) -> int:
        return self._codes.size

    def value(self, theta: Array) -> float:
        """The objective."""
        w = theta[: self.ridge.size]
        cost = costs_at(self.slopes, self.offsets, self.costs, self.views(theta))
        return cost + float(0.5 * w @ (self.ridge * w) + self.linear @ theta) + self.constant

    def sample(self, size: int) -> Self:
        """A part of the rows that stands for all, the same in every run.

        Each class has its share of them, two rows at least.
        """
        rng, chosen, factors = np.random.default_rng(0), [], []
        for code in range(self.n_bounded):
            rows = np.flatnonzero(self._codes == code)
            count = min(max(size * rows.size // self.n_samples, 2), rows.size)
            drawn = rng.choice(rows, count, replace=False)
            chosen.append(drawn)
            factors.append(self.costs[drawn] * (self.costs[rows].sum() / self.costs[drawn].sum()))
        return self._part(np.concatenate(chosen), np.concatenate(factors))

    def near(self, theta: Array, share: float) -> NDArray[np.bool_]:
        """A share of the rows, or all: those nearest to where another piece is the highest."""
        if share >= 1.0:
            return np.ones(self.n_samples, dtype=bool)
        distances = find_distances(self.slopes, self.offsets, self.views(theta))
        return distances <= np.quantile(distances[:: subsample_stride(self.n_samples)], share)

    def changed_piece(self, theta: Array, to: Array) -> NDArray[np.bool_]:
        """The rows in which another piece is the highest there."""
        return have_changed_piece(self.slopes, self.offsets, self.views(theta), self.views(to))

    def screen(self, theta: Array, active: NDArray[np.bool_]) -> Self:
        """The objective with maxima in the active rows alone; it is nowhere higher.

        In the others the piece that is the highest at theta stands for each maximum.
        """
        views, rows = self.views(theta), np.flatnonzero(active)
        part = self._part(rows, self.costs[rows])
        by_views, others = np.empty(views.shape), np.where(active, 0.0, self.costs)
        offset = add_highest(self.slopes, self.offsets, others, views, by_views)
        part.linear = self.linear + self.transpose_matvec(by_views)
        part.constant, part.total = self.constant + offset, self.total
        return part

    def _part(self, rows: NDArray[np.intp], costs: Array) -> Self:
        part = copy(self)
        part._matrix, part._codes, part.costs = self._matrix.take(rows), self._codes[rows], costs
        part._products = part._matrix.products
        return part

    def split(self, theta: Array) -> tuple[Array, Array]:
        """Coefficients of the scaled features, and boundaries."""
        d = self.ridge.size
        return theta[:d], self._sums @ theta[d:]

    def views(self, theta: Array) -> Array:
        """Score, lower and upper boundary of each row."""
        w, b = self.split(theta)
        return row_views(self._products.matvec(w), b, self._codes)

    def transpose_matvec(self, by_views: Array) -> Array:
        """By theta what is given by views."""
        grad_b = by_boundaries(by_views, self._codes, self.n_bounded + 1)
        return np.concatenate([self._products.transpose_matvec(by_views[0]), grad_b @ self._sums])

    def sandwich(self, by_views: Array) -> Array:
        """The curvature by theta of that by views, an upper triangle for each row."""
        d = self.ridge.size
        hess_fb, hess_bb = add_hessian_terms(by_views, self._codes, self.n_bounded + 1)
        hess_ww, cross = self._products.sandwich(None, by_views[0, 0], hess_fb)
        H = np.empty((d + self.n_bounded + 1,) * 2)
        H[:d, :d] = hess_ww
        H[:d, d:] = cross @ self._sums
        H[d:, :d] = H[:d, d:].T
        H[d:, d:] = self._sums.T @ hess_bb @ self._sums
        return H


@compiled()
def row_views(scores, b, codes):
    """What each row sees."""
    views = np.empty((3, codes.size))
    for i in range(codes.size):
        views[0, i], views[1, i], views[2, i] = scores[i], b[codes[i]], b[codes[i] + 1]
    return views


@compiled()
def by_boundaries(by_views, codes, m):
    """Sums over rows, by the m boundaries."""
    grad_b = np.zeros(m)
    for i in range(codes.size):
        grad_b[codes[i]] += by_views[1, i]
        grad_b[codes[i] + 1] += by_views[2, i]
    return grad_b


@compiled()
def add_hessian_terms(by_views, codes, m):
    """Curvature by score and boundary of each row, and sums by two boundaries."""
    hess_fb, hess_bb = np.zeros((m, codes.size)), np.zeros((m, m))
    for i in range(codes.size):
        low, high = codes[i], codes[i] + 1
        hess_fb[low, i], hess_fb[high, i] = by_views[0, 1, i], by_views[0, 2, i]
        hess_bb[low, low] += by_views[1, 1, i]
        hess_bb[low, high] += by_views[1, 2, i]
        hess_bb[high, high] += by_views[2, 2, i]
    for k in range(1, m):
        hess_bb[k, k - 1] = hess_bb[k - 1, k]
    return hess_fb, hess_bb
