"""How theta = [w; b_1; gaps] is packed.

``w`` are the coefficients of the scaled features, ``b_k = b_1 + gap_2 + ... + gap_k`` the
thresholds. The order of the thresholds is then ``gaps >= 0``: bounds on the last coordinates,
which is all that the solvers are told.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Packing:
    """theta, and the penalty ``1/2 w' diag(ridge) w + threshold_ridge/2 ||b - mean(b)||^2``.

    A free bias added to the score with a ridge on its thresholds is the same as the ridge on
    the thresholds about their mean, which is how it stands here.
    """

    def __init__(self, ridge: Array, n_thresholds: int, threshold_ridge: float = 0.0) -> None:
        self.ridge = ridge
        self.n_features = ridge.size
        self.n_thresholds = n_thresholds
        self.threshold_ridge = threshold_ridge

    @property
    def n_bounded(self) -> int:
        """How many of the last coordinates of theta must not be negative (the gaps)."""
        return self.n_thresholds - 1

    @property
    def origin(self) -> Array:
        return np.zeros(self.n_features + self.n_thresholds)

    def split(self, theta: Array) -> tuple[Array, Array]:
        """Coefficients of the scaled features, and thresholds."""
        return theta[: self.n_features], theta[self.n_features :].cumsum()

    def with_thresholds(self, theta: Array, thresholds: Array) -> Array:
        theta = theta.copy()
        theta[self.n_features :] = np.diff(thresholds, prepend=0.0)
        return theta

    def penalty(self, theta: Array) -> float:
        return 0.5 * self.penalty_product(theta, theta)

    def penalty_product(self, one: Array, other: Array) -> float:
        """``one' P other`` with the penalty ``1/2 theta' P theta``."""
        (v, a), (w, b) = self.split(one), self.split(other)
        product = float((self.ridge * v) @ w)
        if self.threshold_ridge:
            product += self.threshold_ridge * float((a - a.mean()) @ b)
        return product

    def gradient(self, theta: Array, by_coef: Array, by_thresholds: Array) -> Array:
        """The gradient in theta from that of the losses, with the penalty's."""
        coef, thresholds = self.split(theta)
        pull = by_thresholds
        if self.threshold_ridge:
            pull = pull + self.threshold_ridge * (thresholds - thresholds.mean())
        return np.concatenate([by_coef + self.ridge * coef, _by_gaps(pull)])

    def hessian(self, by_coef: Array, mixed: Array, by_thresholds: Array) -> Array:
        """The Hessian in theta from the blocks (w, w), (w, b) and (b, b) of the losses."""
        d = self.n_features
        H = np.empty((d + self.n_thresholds,) * 2)
        H[:d, :d] = by_coef
        H.ravel()[: d * H.shape[0] : H.shape[0] + 1] += self.ridge
        H[:d, d:] = _by_gaps(mixed)
        H[d:, :d] = H[:d, d:].T
        if self.threshold_ridge:
            by_thresholds = by_thresholds + self.threshold_ridge * (
                np.eye(self.n_thresholds) - 1.0 / self.n_thresholds
            )
        H[d:, d:] = _by_gaps(_by_gaps(by_thresholds).T)
        return H


def _by_gaps(by_thresholds: Array) -> Array:
    """Chain rule from b to (b_1, gaps) on the last axis: sums over the thresholds from k on."""
    return by_thresholds[..., ::-1].cumsum(axis=-1)[..., ::-1]
