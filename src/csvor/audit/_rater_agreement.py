"""Do the labels of a rater rise where they are expected to, and are they the true ones?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from csvor._mixture.rater_tables import LEAST

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Fewer ratings say little of a rater's way.
FEW = 10
# A correlation that is so many standard errors above or below 0 is none by chance.
SURE = 3.0
_Z = 1.96


def moments(n_raters: int, raters: Codes, expected: Array, codes: Codes) -> Array:
    """Sums of 1, what is expected and the labels, times each other: shape (3, 3, n_raters)."""
    columns = np.array([np.ones(codes.size), expected, codes])
    return np.array([[np.bincount(raters, a * b, n_raters) for b in columns] for a in columns])


def agreement(sums: Array) -> tuple[Array, float]:
    """The correlation of labels and what is expected, by its error: of each rater, of all.

    Fisher's z times the root of n - 3; of all raters within each.
    """
    n = np.maximum(sums[0, 0], 1.0)
    centred = sums - sums[:, [0]] * sums[[0]] / n
    of_all = _fisher(centred.sum(axis=2), n.sum() - n.size - 2.0)
    return _fisher(centred, n - 3.0), float(of_all)


def turned_round(sums: Array) -> NDArray[np.intp]:
    """Positions of raters whose labels fall where they are expected to rise.

    The more raters there are, the surer that has to be: of many, one is far off by chance.
    """
    n = sums[0, 0]
    least = ndtri(ndtr(-SURE) / max(int((n >= FEW).sum()), 1))
    return np.flatnonzero((n >= FEW) & (agreement(sums)[0] < least))


def one_label(sums: Array) -> NDArray[np.intp]:
    """Positions of raters who gave the same label each time."""
    n, total, squares = sums[0, 0], sums[0, 2], sums[2, 2]
    return np.flatnonzero((n >= FEW) & (n * squares == total**2))


def quadratic_kappa(n_raters: int, raters: Codes, true: Codes, codes: Codes) -> Array:
    """Cohen's, with quadratic weights, of the labels of each rater; NaN where it is undefined.

    `csvor.metrics.weighted_kappa` for all raters at once.
    """
    sums = moments(n_raters, raters, true.astype(np.float64), codes)
    with np.errstate(divide="ignore", invalid="ignore"):
        _, mean_true, mean = sums[0] / sums[0, 0]
        observed = (sums[1, 1] - 2.0 * sums[1, 2] + sums[2, 2]) / sums[0, 0]
        by_chance = (sums[1, 1] + sums[2, 2]) / sums[0, 0] - 2.0 * mean_true * mean
        kappa = 1.0 - observed / by_chance
    return np.where(by_chance > LEAST, kappa, np.nan)


def share_right(n_raters: int, raters: Codes, right: NDArray[np.bool_]) -> tuple[Any, Array, Array]:
    """How many labels each rater gave, the share of right ones, and Wilson's interval of 95 %.

    NaN where a rater gave none.
    """
    n, hits = np.bincount(raters, minlength=n_raters), np.bincount(raters, right, n_raters)
    shown = np.where(n, n, np.nan)
    centre = (hits + 0.5 * _Z**2) / (shown + _Z**2)
    half = _Z / (shown + _Z**2) * np.sqrt(hits * (shown - hits) / shown + 0.25 * _Z**2)
    interval = np.column_stack([centre - half, centre + half])
    return n, hits / shown, interval.clip(0.0, 1.0)  # beyond them by rounding


def _fisher(centred: Array, free: Any) -> Array:
    correlation = centred[1, 2] / np.sqrt(np.maximum(centred[1, 1] * centred[2, 2], LEAST))
    z = np.arctanh(np.clip(correlation, -0.999, 0.999))
    return np.asarray(z * np.sqrt(np.maximum(free, 0.0)))
