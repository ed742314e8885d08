"""What share of the labels is wrong for each value of a column, and where does it differ?

The audit says for each row how much more probable its label is if it is wrong than if it is right.
So the share of a part of the rows needs no other fit: one parameter, and a sum over the rows.
Where raters are known some labels are more likely to be wrong before they are seen. Then the
parameter says how much more likely those of the part are than their raters make them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import logit
from scipy.stats import chi2

from csvor._mixture.interval import DROP
from csvor._parts.engine import total
from csvor.audit._labelling import Labelling
from csvor.audit._share_entries import SharesByValue
from csvor.audit._values import beside, levels_of

Array = NDArray[np.float64]

# Differences that are told are chance in so many of all comparisons, at most.
LEVEL = 0.05
# Logarithms of likelihood ratios are kept to a twentieth, and to 1e12 or 1e-12 at the ends; a label
# known to be right has 0, and one known to have been wrong infinity, in the outermost bins.
MOST_RATIO = 1e12
_WIDTH = 0.05
_HALF = int(np.ceil(np.log(MOST_RATIO) / _WIDTH))
_BINS = 2 * _HALF + 3
_DECIDED = np.isin(np.arange(_BINS), [0, _BINS - 1])
_BEFORE, _NOW = (np.arange(_BINS) == _BINS - 1).astype(np.int64), np.zeros(_BINS, dtype=np.int64)
_MOST_SHARE = 1.0 - 1e-9
# Where raters are known: the standard deviation of what log odds of a part have beside theirs.
_BESIDE_RATERS = 1.0


class ShareLikelihood(NamedTuple):
    """Of the share of wrong labels: ratios, and how much of the rows has each.

    Of rows of raters who differ the odds before labels are seen have a ratio, too, with a negative
    weight. The share is that of rows where it is 1, and near ``usual``.
    """

    ratios: Array
    weights: Array
    usual: float | None = None

    def at(self, share: float) -> float:
        """The logarithm, but for what does not depend on the share."""
        value = float(self.weights @ np.log1p(share * (self.ratios - 1.0)))
        return value if self.usual is None else value - 0.5 * self._far(share) ** 2

    def slope(self, share: float) -> float:
        change = self.ratios - 1.0
        slope = float(self.weights @ (change / (1.0 + share * change)))
        if self.usual is None:
            return slope
        inside = max(share, 1e-12)
        return slope - self._far(share) / (_BESIDE_RATERS * inside * (1.0 - inside))

    def _far(self, share: float) -> float:
        assert self.usual is not None
        return float(logit(max(share, 1e-12)) - logit(self.usual)) / _BESIDE_RATERS

    def of_rows(self, share: float) -> float:
        """The share of all rows."""
        before = self.weights < 0.0
        if not before.any():
            return share
        odds = share * self.ratios[before]
        return float(np.average(odds / (1.0 - share + odds), weights=self.weights[before]))

    def maximum(self) -> tuple[float, float]:
        """The most likely share, and the logarithm there."""
        share = 0.0
        if self.slope(0.0) > 0.0:
            at_end = self.slope(_MOST_SHARE) >= 0.0
            share = _MOST_SHARE if at_end else float(brentq(self.slope, 0.0, _MOST_SHARE))
        return share, self.at(share)

    def interval(self) -> tuple[float, float]:
        """The shares that are less likely by a factor of ``exp(1.92)``."""
        share, most = self.maximum()

        def above(other: float) -> float:
            return self.at(other) - most + DROP

        low = 0.0 if above(0.0) >= 0.0 else float(brentq(above, 0.0, share))
        high = 1.0 if above(_MOST_SHARE) >= 0.0 else float(brentq(above, share, _MOST_SHARE))
        return low, high


def shares_by(
    values: ArrayLike,
    ratios: Any,
    weights: Any,
    flagged: Any,
    *,
    counts: float,
    conclusive: bool,
    of: str = "",
    reviewed: bool = False,
    before: Any = None,
    usual: float = 0.0,
) -> SharesByValue:
    """The shares of the rows with each value.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
    ratios : ndarray of shape (n_samples,)
        How much more probable each label is if it is wrong than if it is right; 0 of labels known
        to be right, infinite of those known to have been wrong before they were set right.
    weights : ndarray of shape (n_samples,) or None
    flagged : ndarray of shape (n_samples,)
    counts : float
        What a row counts in the likelihood: less than 1 where rows of a group are alike.
    conclusive : bool
    of : str
        What shares are shares of, before the number of rows with a value.
    reviewed : bool
        Whether some labels were decided on: shares are those of the others, tests of all.
    before : ndarray of shape (n_samples,), default=None
        By which factor the odds that each label is wrong differ by its rater.
    usual : float, default=0.0
        The share of all rows, near which others are with `before`.
    """
    column = beside(values, ratios)
    levels = levels_of(values, column, ratios.size)
    by_rater = [ratios] if before is None else [ratios, before]
    columns = [column, flagged, *by_rater, *([] if weights is None else [weights])]
    (n_rows, named, *in_bins), _ = total(partial(_sums, levels, len(by_rater)), *columns)
    n_rows, named = n_rows.astype(np.int64), named.astype(np.int64)
    if not n_rows[-1]:  # none is missing
        n_rows, named, *in_bins = (a[:-1] for a in (n_rows, named, *in_bins))
        names = np.asarray(levels)
    else:
        names = np.append(np.asarray(levels, dtype=object), [None])
    weight, weighted = in_bins[:2]
    likelihoods = [_likelihood(w, s, counts) for w, s in zip(weight, weighted, strict=True)]
    p_value, adjusted, sign = _compared(likelihoods, weight, weighted, counts)
    if before is not None:
        pairs = zip(likelihoods, *in_bins[2:], strict=True)
        likelihoods = [_beside(one, _likelihood(w, s, counts), usual) for one, w, s in pairs]
    ends = [
        [_left(w)(one.of_rows(share)) for share in (one.maximum()[0], *one.interval())]
        for w, one in zip(weight, likelihoods, strict=True)
    ]
    share, low, high = np.array(ends).T
    if before is not None:  # no value is surer than as many rows of a known rater would be
        high = np.maximum(
            high, np.minimum(1.0, share + DROP / np.maximum(counts * weight.sum(axis=1), DROP))
        )
    if not conclusive:
        share, low, high = (np.full_like(share, x) for x in (np.nan, 0.0, 1.0))
        p_value = adjusted = np.ones_like(share)
    signs = np.where(adjusted < LEVEL, sign, 0.0).astype(int)
    return SharesByValue(
        names, n_rows, share, low, high, named, p_value, adjusted,
        np.array(["lower", "", "higher"])[signs + 1], conclusive, of, reviewed,
    )  # fmt: skip


def _sums(
    levels: pd.Index, n_ratios: int, start: int, column: NDArray[Any], flagged: NDArray[np.bool_],
    *columns: Array,
) -> tuple[tuple[Array, ...], tuple[()]]:  # fmt: skip
    """Of each value the rows, those flagged, and in bins of the ratios weights and their sums."""
    codes, size = levels.get_indexer(pd.Index(column)), len(levels) + 1
    codes = np.where(codes < 0, size - 1, codes)
    weight = columns[n_ratios] if len(columns) > n_ratios else np.ones(codes.size)
    in_bins = []
    for ratios in columns[:n_ratios]:
        finite = np.clip(ratios, 1.0 / MOST_RATIO, MOST_RATIO)
        bins = 1 + _HALF + np.rint(np.log(finite) / _WIDTH).astype(np.int64)
        bins[ratios == 0.0], bins[np.isinf(ratios)] = 0, _BINS - 1
        cells = codes * _BINS + bins
        for of_row in (weight, weight * np.where((ratios > 0.0), finite, 0.0)):
            in_bins.append(np.bincount(cells, of_row, size * _BINS).reshape(size, _BINS))
    n_rows, named = (np.bincount(codes, w, size).astype(float) for w in (None, flagged))
    return (n_rows, named, *in_bins), ()


def _compared(
    likelihoods: list[ShareLikelihood], weight: Array, weighted: Array, counts: float
) -> tuple[Array, Array, Array]:
    """P-values of each value against the others, corrected ones, and the signs of differences.

    The one that differs most surely goes first, and is none of the others from then on: else a
    single bad site would make all others better than the rest. Each step has Holm's level.
    """
    n = len(likelihoods)
    p_value, adjusted, sign = np.ones(n), np.ones(n), np.zeros(n)
    maxima = [one.maximum() for one in likelihoods]
    active, least = np.arange(n), 0.0
    while active.size > 1:
        _, alike = _likelihood(weight[active].sum(0), weighted[active].sum(0), counts).maximum()
        for i in active.tolist():
            others = active[active != i]
            rest = _likelihood(weight[others].sum(0), weighted[others].sum(0), counts)
            share, most = rest.maximum()
            gain = max(maxima[i][1] + most - alike, 0.0)
            p_value[i], sign[i] = chi2.sf(2.0 * gain, 1), np.sign(maxima[i][0] - share)
        # Of two values, each is the rest of the other: one test.
        n_tests = active.size if active.size > 2 else 1
        adjusted[active] = np.clip(n_tests * p_value[active], least, 1.0)
        first = active[np.argmin(p_value[active])]
        least = adjusted[first]
        if active.size == 2 or least >= LEVEL:
            break
        active = active[active != first]
    return p_value, adjusted, sign


def _likelihood(weight: Array, weighted: Array, counts: float) -> ShareLikelihood:
    there = weight > 0.0
    return ShareLikelihood(weighted[there] / weight[there], counts * weight[there])


def _beside(seen: ShareLikelihood, before: ShareLikelihood, usual: float) -> ShareLikelihood:
    """Of labels whose odds differed before they were seen."""
    ratios = np.append(seen.ratios, before.ratios)
    weights = np.append(seen.weights, -before.weights)
    return ShareLikelihood(ratios, weights, min(max(usual, 1e-9), _MOST_SHARE))


def _left(weight: Array) -> Callable[[float], float]:
    """From the share of all labels before a review to that of those not confirmed after it."""
    if not weight.any():  # no row counts
        return lambda share: share
    return Labelling(_NOW, weight, _DECIDED, _BEFORE).share_judged
