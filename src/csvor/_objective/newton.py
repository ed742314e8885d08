"""Where is Newton's model least: told by its matrix, or by its products with vectors?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._objective.balance import from_thresholds
from csvor._rows.product_rows import Curved
from csvor._solvers.conjugate import Model, find_conjugate_step
from csvor._solvers.step import find_step

Array = NDArray[np.float64]

# Conjugate gradients end when what is left of the gradient is at most this share of it, or so many
# times the share of the step's promise that need not be kept; and after so many products (found by
# trial).
_PRECISION, _OF_SHARE, _MOST = 0.3, 3.0, 500


def newton_step(
    products: Any, ridge: Array, curved: Curved, gradient: Array, theta: Array, share: float
) -> Array:
    """The step to the least of the model, with all gaps between thresholds not negative.

    ``share`` of what it promises need not be kept.
    """
    n_bounded = curved.share.shape[0] - 1
    if ridge.size <= products.most_columns:
        return find_step(hessian_of(products, ridge, curved), gradient, theta, n_bounded)
    weights = products.spread(curved.samples, curved.whole)
    squares, mixed = products.moments(weights, products.spread(curved.samples, curved.share))

    def times(v: Array) -> Array:
        return ridge * v + products.twice(weights, v)

    model = Model(times, ridge + squares, -from_thresholds(mixed.T).T, _by_gaps(curved.by_bb))
    precision = min(_PRECISION, _OF_SHARE * share)
    return find_conjugate_step(model, gradient, theta, n_bounded, precision, _MOST)


def hessian_of(products: Any, ridge: Array, curved: Curved) -> Array:
    """The model's matrix, by theta."""
    d, m = ridge.size, curved.share.shape[0]
    own, mixed = products.curved(curved.samples, curved.whole, curved.share)
    hessian = np.empty((d + m, d + m))
    hessian[:d, :d] = own
    hessian[range(d), range(d)] += ridge
    hessian[:d, d:] = -from_thresholds(mixed.T).T
    hessian[d:, :d] = hessian[:d, d:].T
    hessian[d:, d:] = _by_gaps(curved.by_bb)
    return hessian


def _by_gaps(by_bb: Array) -> Array:
    return from_thresholds(from_thresholds(by_bb).T)
