"""How does a rater label an item of each true class?

The classes have values ``z_t`` and the middle rater has cuts ``c_k`` between them. Rater r moves
all cuts by ``d_r``, tells classes apart by ``s_r`` as sharply, and gives any of the K labels
without looking in the share ``e_r``:

    P(y > k | t, r) = logistic(s_r (z_t - c_k) + d_r),   k = 0..K - 2
    P(y = k | t, r) = (1 - e_r) (P(y > k - 1 | t, r) - P(y > k | t, r)) + e_r / K
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]

# The parameters of a rater: d, log s, logit e.
N_OF_RATER = 3
LEAST = 1e-12
# Steps of numerical derivatives of a table by the parameters of its rater.
_STEP = 1e-3


class Scale:
    """Values of the classes and cuts between them: ``z_{t-1} < c_{t-1} < z_t``.

    In ``theta = [log gaps of the cuts (K - 2), places of the values (K)]``; the cuts have mean 0.
    The first and last value lie ``exp(place)`` beyond the cuts, the others at ``logistic(place)``
    of the gap.
    """

    def __init__(self, theta: Array, n_classes: int) -> None:
        q = n_classes - 1
        self.gaps, places = np.exp(theta[: q - 1]), theta[q - 1 :]
        cuts = np.append(0.0, np.cumsum(self.gaps))
        self.cuts = cuts - cuts.mean()
        self.parts = expit(places[1:-1])
        self.ends = np.exp(places[[0, -1]])
        inner = self.cuts[:-1] + self.gaps * self.parts
        values = (self.cuts[0] - self.ends[0], *inner, self.cuts[-1] + self.ends[1])
        self.values = np.array(values)

    def slope(self, by_values: Array, by_cuts: Array) -> Array:
        """Derivatives by theta, of those by values and cuts."""
        inner = by_values[1:-1]
        by_cuts = by_cuts.copy()
        by_cuts[0] += by_values[0]
        by_cuts[-1] += by_values[-1]
        by_cuts[:-1] += inner
        # A gap moves all cuts above it, and with the mean all back.
        above = np.cumsum(by_cuts[::-1])[::-1]
        by_gaps = above[1:] - by_cuts.sum() * np.arange(by_cuts.size - 1, 0, -1) / by_cuts.size
        by_parts = inner * self.gaps * self.parts * (1.0 - self.parts)
        return np.concatenate(
            [
                self.gaps * (by_gaps + inner * self.parts),
                [-by_values[0] * self.ends[0]],
                by_parts,
                [by_values[-1] * self.ends[1]],
            ]
        )


def label_tables(scale: Scale, raters: Array) -> Array:
    """``P(y = k | t, r)``, shape (n_raters, K, K) in the order r, k, t.

    ``raters`` of shape (n_raters, 3) has d, log s and logit e of each.
    """
    above = _above(scale, raters)
    share = expit(raters[:, 2])[:, None, None]
    K = scale.values.size
    masses: Array = (1.0 - share) * _differences(above) + share / K
    return np.maximum(masses, LEAST)


def table_slopes(scale: Scale, raters: Array, by_table: Array) -> tuple[Array, Array, Array]:
    """Derivatives by raters, values and cuts, of those by the entries of tables."""
    above = _above(scale, raters)
    s, e = np.exp(raters[:, 1]), expit(raters[:, 2])
    K = scale.values.size
    by_share = (by_table * (1.0 / K - _differences(above))).sum(axis=(1, 2))
    pull = np.diff(by_table, axis=1) * above * (1.0 - above) * (1.0 - e)[:, None, None]
    distance = scale.values - scale.cuts[:, None]
    by_raters = np.column_stack(
        [pull.sum(axis=(1, 2)), s * (pull * distance).sum(axis=(1, 2)), by_share * e * (1.0 - e)]
    )
    weighted = pull * s[:, None, None]
    return by_raters, weighted.sum(axis=(0, 1)), -weighted.sum(axis=(0, 2))


def table_curvature(scale: Scale, raters: Array) -> tuple[Array, Array]:
    """Slopes of log tables by the parameters of each rater, and second derivatives of tables.

    Shapes (n_raters, K, K, 3) and (n_raters, K, K, 3, 3), the latter divided by the table.
    """
    here = label_tables(scale, raters)
    m = N_OF_RATER
    unit = _STEP * np.eye(m)
    first = np.empty((*here.shape, m))
    second = np.empty((*here.shape, m, m))
    for a in range(m):
        up, down = (label_tables(scale, raters + sign * unit[a]) for sign in (1.0, -1.0))
        first[..., a] = (up - down) / (2.0 * _STEP * here)
        second[..., a, a] = (up - 2.0 * here + down) / (_STEP**2 * here)
        for b in range(a):
            same = label_tables(scale, raters + unit[a] + unit[b])
            same += label_tables(scale, raters - unit[a] - unit[b])
            other = label_tables(scale, raters + unit[a] - unit[b])
            other += label_tables(scale, raters - unit[a] + unit[b])
            second[..., a, b] = second[..., b, a] = (same - other) / (4.0 * _STEP**2 * here)
    return first, second


def _above(scale: Scale, raters: Array) -> Array:
    """``P(y > k | t, r)`` of one who looks, shape (n_raters, K - 1, K)."""
    distance = scale.values - scale.cuts[:, None]
    inside = np.exp(raters[:, 1])[:, None, None] * distance + raters[:, 0][:, None, None]
    return np.asarray(expit(inside))


def _differences(above: Array) -> Array:
    ends = np.ones((above.shape[0], 1, above.shape[2]))
    return -np.diff(np.concatenate([ends, above, 0.0 * ends], axis=1), axis=1)
