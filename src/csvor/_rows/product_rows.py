"""How do rows answer the objective that are known by their products with vectors alone?

What the losses ask comes from the scores in one pass, and goes back to the features by products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import cap_of, set_cap
from csvor._loss.pairs import losses_at
from csvor._loss.row_terms import add_slopes, terms_at, weights_at
from csvor._rows.labelled import LabelledRows
from csvor._rows.trim import find_cap

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HessianTerms:
    """What the rows add to the Hessian, by scores and thresholds.

    Of some ``samples``: ``hess_ff``, the curvature by the score twice, ``hess_fb``, less that by
    the score and each threshold; ``hess_bb`` is all that by the thresholds.
    """

    samples: NDArray[np.intp]
    hess_ff: Array
    hess_fb: Array
    hess_bb: Array


class ProductRows(LabelledRows):
    """Labelled rows of any matrix; a Hessian is held as `HessianTerms`."""

    holds_hessian = tells_kinks = False
    is_small = False

    def sums(self, w: Array, b: Array, loss: Any, keep: bool = False) -> tuple[Array, HessianTerms]:
        """Gradient by w and b with the totals of `row_weights`, and what the Hessian is made of."""
        return self._sums(self.matrix.products.matvec(w), b, loss)

    def trim(
        self, w: Array, b: Array, loss: Any, share: float
    ) -> tuple[Array, HessianTerms, Array]:
        """The same with ``share`` of the weight cut, and the cap that does it."""
        scores = self.matrix.products.matvec(w)
        losses_at(scores, self.codes, b, self.pair, self._losses)
        cap = cap_of(loss)
        find_cap(self._losses, self.costs, share, cap)
        loss = loss.copy()
        set_cap(loss, cap)
        return *self._sums(scores, b, loss), cap

    def begin_line(self, w: Array, b: Array, dw: Array, loss: Any, keep: bool = True) -> None:
        """Set off along a step of w; `slopes` are those of the surrogate here."""
        products = self.matrix.products
        scores, weights = products.matvec(w), np.empty(self.n_samples)
        weights_at(scores, self.codes, self.costs, b, self.pair, loss, weights)
        self._line = scores, products.matvec(dw), weights

    def slopes(self, b: Array, db: Array, t: float) -> Array:
        """First and second derivative of the surrogate at t on the line, as `add_slopes` does."""
        slopes = np.zeros(2)
        add_slopes(self._line, self.codes, b, db, t, self.pair, slopes)
        return slopes

    def scores_and_losses(self, w: Array, b: Array) -> tuple[Array, Array]:
        """The score and the losses g of each row."""
        scores, g = self.matrix.products.matvec(w), np.empty(self.n_samples)
        losses_at(scores, self.codes, b, self.pair, g)
        return scores, g

    def hessian(self, at: HessianTerms) -> Array:
        """The upper triangle of the Hessian, by w and b."""
        d, m = self.matrix.ridge.size, at.hess_bb.shape[0]
        hess_ww, cross = self.matrix.products.sandwich(at.samples, at.hess_ff, at.hess_fb)
        return np.block([[np.triu(hess_ww), -cross], [np.zeros((m, d)), np.triu(at.hess_bb)]])

    def _sums(self, scores: Array, b: Array, loss: Any) -> tuple[Array, HessianTerms]:
        n, m = scores.size, b.size
        pull, hess_ff = np.empty((2, n))
        hess_fb, sums_b, hess_bb = np.empty((m, n)), np.zeros(m + 3), np.zeros((m, m))
        terms_at(
            scores, self.codes, self.costs, b, self.pair, loss, self._losses, pull, hess_ff,
            hess_fb, sums_b, hess_bb,
        )  # fmt: skip
        hess_bb += np.triu(hess_bb, 1).T
        grad_w = -self.matrix.products.transpose_matvec(pull)
        curved = HessianTerms(np.arange(n), hess_ff, hess_fb, hess_bb)
        return np.concatenate([grad_w, sums_b]), curved
