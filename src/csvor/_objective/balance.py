"""How are multipliers brought to balance at the thresholds, so that they bound the optimum?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def balancing_factors(up: Array, down: Array, begins: NDArray[np.bool_]) -> Array:
    """Factors in [0, 1] of the multipliers that pull each threshold up and down.

    ``up`` and ``down`` are their sums by threshold. A threshold that is free to move must not be
    pulled at all, or the bound would be without end; thresholds in one place (``begins`` is True
    where another place begins) may be pulled together, as a block, but not apart: a block is parted
    where it is so. The larger side is scaled down, which keeps multipliers in their set.

    Returns
    -------
    factors : ndarray of shape (2, n_thresholds)
    """
    m = up.size
    begins, factors = begins.copy(), np.ones((2, m))
    while True:
        places = np.flatnonzero(begins)
        for start, stop in zip(places, [*places[1:], m], strict=True):
            block = slice(start, stop)
            above, below = up[block].sum(), down[block].sum()
            factors[:, block] = 1.0
            if above > below:
                factors[0, block] = below / above
            elif below > above:
                factors[1, block] = above / below
        pulls = from_thresholds(factors[0] * up - factors[1] * down)
        pulls[begins] = 0.0
        apart = int(pulls.argmin())
        if pulls[apart] >= 0.0:
            return factors
        begins[apart] = True


def from_thresholds(by_b: Array) -> Array:
    """By first threshold and gaps what is given by thresholds: a gap moves all from its own on."""
    return np.cumsum(by_b[::-1], axis=0)[::-1]
