"""Do raters agree, and do the labels of each rise where they are expected to?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from csvor._mixture.rater_data import Ratings
from csvor._mixture.rater_tables import LEAST
from csvor.audit._rating_data import RatingData

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


def beside_truth(ratings: Ratings, known: Codes, best: Codes) -> dict[str, Any]:
    """How far each rater is from gold (`known`, of each rating), or from what is most probable."""
    n, of_gold = ratings.n_raters, known >= 0
    if not of_gold.any():
        return {"kappa": quadratic_kappa(n, ratings.raters, best, ratings.codes)}
    raters, codes, true = ratings.raters[of_gold], ratings.codes[of_gold], known[of_gold]
    shares = share_right(n, raters, codes == true)
    names = ("n_gold", "gold_agreement", "gold_interval")
    kappa = quadratic_kappa(n, raters, true, codes)
    return {"kappa": kappa, **dict(zip(names, shares, strict=True))}


def alpha_of(data: RatingData) -> float:
    """Krippendorff's alpha of ordered labels."""
    import krippendorff

    K = data.ratings.n_classes
    counts = np.bincount(data.item_of * K + data.ratings.codes, minlength=data.items.size * K)
    counts = counts.reshape(-1, K)
    paired = counts[counts.sum(axis=1) > 1]
    if (paired.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=paired, level_of_measurement="ordinal"))


def kappa_of(data: RatingData) -> float | None:
    """Cohen's, quadratically weighted, where there are two raters who share items."""
    if data.ratings.n_raters != 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    cells = np.full((2, data.items.size), -1)
    cells[data.ratings.raters, data.item_of] = data.ratings.codes
    one, other = cells[:, (cells >= 0).all(axis=0)]
    if one.size == 0 or np.unique(np.append(one, other)).size < 2:
        return None
    return float(cohen_kappa_score(one, other, weights="quadratic"))
