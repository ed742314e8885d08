"""By what are suspect rows ranked, and do the features tell anything of the labels?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._mixture.channels import is_heaped
from csvor._parts.engine import sums

Array = NDArray[np.float64]

ORDERS = ("auto", "probability", "severity")
# A rank correlation of so many standard errors by chance is rarer than 1 in 700.
_SURELY = 3.0


def check_order(order: str) -> None:
    """Refuse an order that there is not."""
    if order not in ORDERS:
        raise ValueError(f"order={order!r} must be 'auto', 'probability' or 'severity'.")


def ranked_by(order: str, n_classes: int, codes: Any, weights: Any = None) -> str:
    """What rows are ranked by: "probability" or "severity".

    Where people prefer some levels of a scale (9, 13, 17, 21 of 25), labels on the other ones are
    improbable, but not wrong: what counts is how far a label lies from the class expected.
    """
    if order != "auto":
        return order
    known = (codes,) if weights is None else (codes, weights)
    (counts,) = sums(lambda y, w=None: (np.bincount(y, w, n_classes),), *known)
    return "severity" if is_heaped(np.asarray(counts, dtype=float)) else "probability"


def expected_distance(before: Array, codes: NDArray[np.integer]) -> Array:
    """From the label to the class that is expected given the score alone, in classes."""
    return np.abs(codes - before @ np.arange(before.shape[1]))


def rank_correlation(expected: Array, codes: NDArray[np.integer], weights: Array | None) -> float:
    """Spearman's, of expected classes and labels, as if rows stood there by their weights.

    0 where there is none.
    """
    weights = np.ones(codes.size) if weights is None else weights
    counted = weights > 0.0
    expected, codes, weights = expected[counted], codes[counted], weights[counted]
    if np.ptp(expected) == 0.0 or np.ptp(codes) == 0:
        return 0.0
    (xx, xy), (_, yy) = np.cov(
        _ranks(expected, weights), _ranks(codes, weights), aweights=weights, ddof=0
    )
    return float(xy / np.sqrt(xx * yy))


def _ranks(values: NDArray[Any], weights: Array) -> Array:
    """The weight below each value, and half of that at it."""
    _, places = np.unique(values, return_inverse=True)
    at = np.bincount(places, weights)
    return np.asarray((np.cumsum(at) - 0.5 * at)[places])


def tells_something(correlation: float, n_independent: float) -> bool:
    """Whether so high a correlation of that many independent rows is no chance."""
    return bool(correlation * np.sqrt(n_independent) > _SURELY)
