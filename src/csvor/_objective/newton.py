"""Where is Newton's model least: told by its matrix, or by its products with vectors?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._objective.balance import from_thresholds
from csvor._solvers.conjugate import Model, find_conjugate_step
from csvor._solvers.step import find_step

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curved:
    """What the rows add to the Hessian, by scores and thresholds.

    Of some ``samples``: ``whole``, the curvature by the score twice, ``share``, less that by the
    score and each threshold; ``by_bb`` is all that by the thresholds, penalty included.
    """

    samples: NDArray[np.intp]
    whole: Array
    share: Array
    by_bb: Array


def newton_step(products: Any, ridge: Array, curved: Curved, gradient: Array, theta: Array) -> Array:
    """The step to the least of the model, with all gaps between thresholds not negative."""
    d, m = ridge.size, curved.share.shape[0]
    few = from_thresholds(from_thresholds(curved.by_bb).T)
    if d <= products.most_columns:
        own, mixed = products.curved(curved.samples, curved.whole, curved.share)
        H = np.empty((d + m, d + m))
        H[:d, :d] = own
        H[range(d), range(d)] += ridge
        H[:d, d:] = -from_thresholds(mixed.T).T
        H[d:, :d] = H[:d, d:].T
        H[d:, d:] = few
        return find_step(H, gradient, theta, m - 1)
    weights, share = (products.spread(curved.samples, own) for own in (curved.whole, curved.share))
    squares, mixed = products.moments(weights, share)
    mixed = -from_thresholds(mixed.T).T

    def times(v: Array) -> Array:
        return ridge * v + products.twice(weights, v)

    model = Model(times, ridge + squares, mixed, few)
    return find_conjugate_step(model, gradient, theta, m - 1, PRECISION, 500)


PRECISION = 0.5
