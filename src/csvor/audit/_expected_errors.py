"""How many errors are to be expected in the rows that come next, and how many stay behind them?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, floor
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from csvor._parts.engine import sums, take

Array = NDArray[np.float64]

# Logarithms of what odds are multiplied by, about 0.
_LOG_ODDS = np.linspace(-6.0, 6.0, 49)
# Where little was reviewed, so many rows at least are worth a look.
_LEAST_ROWS = 10


@dataclass(frozen=True)
class ExpectedErrors:
    """Errors among the rows to look at next, and in the rows behind these.

    Attributes
    ----------
    n : int
        The rows to look at next.
    expected : float
        The errors among them: the sum of their probabilities.
    low, high : int
        A 95 % interval of that number.
    left : float
        The errors that stay in the other rows.
    left_low, left_high : int
        A 95 % interval of that number.
    conclusive : bool
        False where nothing can be said of the labels: then the numbers mean nothing.
    """

    n: int
    expected: float
    low: int
    high: int
    left: float
    left_low: int
    left_high: int
    conclusive: bool = True

    @property
    def summary(self) -> str:
        """The same in a sentence."""
        if not self.conclusive:
            return f"nothing can be said of {self.n} more"
        return (
            f"look at {self.n} more, expect {_errors(self.expected)} ({self.low} to {self.high}); "
            f"after that about {self.left:.0f} ({self.left_low} to {self.left_high}) stay in"
        )


def expected_errors(
    probability: Any, order: NDArray[np.intp], n: int, odds_range: tuple[float, float]
) -> ExpectedErrors:
    """Of the ``n`` first rows in that order, and of all others.

    The number of errors in a set of rows has the mean ``sum p_i`` and, by chance, the variance
    ``sum p_i (1 - p_i)``. The share is uncertain too: at the ends of its interval the odds of
    all rows are multiplied by ``odds_range``. Both together are the interval.
    """
    try:
        n = index(n)
    except TypeError:
        raise TypeError(f"n={n!r} must be a number of rows, a whole one.") from None
    if not 0 <= n <= order.size:
        raise ValueError(f"n={n!r} must lie between 0 and the {order.size} rows that are ranked.")
    of_sums = partial(_moments, odds_range)
    (among_all,) = sums(of_sums, probability)
    (among_next,) = of_sums(*take(order[:n], probability))
    # Where nothing stays behind, long sums differ by rounding.
    behind = np.maximum(np.round(among_all - among_next, 9), 0.0)
    expected, low, high = _with_interval(among_next)
    return ExpectedErrors(n, expected, low, min(high, n), *_with_interval(behind))


def odds_range(
    probability: Any, shares: tuple[float, float, float], n_fit: float
) -> tuple[float, float]:
    """What the odds of each row are multiplied by at the ends of what its mixture may be.

    Where a share s of n labels is wrong, their number varies by ``n s (1 - s)``: so much of the
    interval of the share is no doubt about these labels. ``sum p_i (1 - p_i)`` is there whatever
    the mixture. What is left moves the mean of the probabilities.

    Parameters
    ----------
    probability : array of shape (n,)
    shares : tuple of float
        The share and the ends of its interval, of all labels before any was set right.
    n_fit : float
        The labels that the mixture was fitted to, by their weight.
    """
    (moments,) = sums(partial(_at_odds, _LOG_ODDS), probability)
    by_chance, *means = (moments / probability.shape[0]).tolist()
    share, low, high = shares
    # Few errors are rather expected, so the share can be nearer to one end than it should be.
    widths = np.maximum(np.abs([low - share, high - share]), (high - low) / 2.0)
    by_chance += share * (1.0 - share)
    doubts = np.sqrt(np.maximum(widths**2 - 1.96**2 * by_chance / max(n_fit, 1.0), 0.0))
    moved = means[_LOG_ODDS.size // 2] + doubts * [-1.0, 1.0]
    ends = np.exp(np.interp(moved, means, _LOG_ODDS)).tolist()
    return ends[0], ends[1]


def _at_odds(log_odds: Array, p: Array) -> tuple[Array]:
    """How the number of errors varies by chance, and its mean with all odds multiplied."""
    with np.errstate(divide="ignore"):
        at = logit(p)
    means = [float(expit(at + by).sum()) for by in log_odds.tolist()]
    return (np.array([float((p * (1.0 - p)).sum()), *means]),)


def after_review(audit: Any, n_reviewed: int) -> ExpectedErrors | None:
    """What to expect of as many rows again as were reviewed; None where none was."""
    n = rows_after_review(audit, n_reviewed)
    expected: ExpectedErrors | None = None if n is None else audit.expected_errors(n)
    return expected


def rows_after_review(audit: Any, n_reviewed: int) -> int | None:
    """How many rows are to be reviewed next; None where none was before."""
    if not n_reviewed or not audit.conclusive:
        return None
    return int(min(max(n_reviewed, _LEAST_ROWS), audit.n_judged, audit.order.size))


def _moments(odds_range: tuple[float, float], p: Array) -> tuple[Array]:
    """The mean and the variance of the number of errors, and its mean at the ends of the share."""
    with np.errstate(divide="ignore"):
        log_odds = logit(p)
    ends = [float(expit(log_odds + np.log(factor)).sum()) for factor in odds_range]
    return (np.array([p.sum(), (p * (1.0 - p)).sum(), *ends]),)


def _with_interval(moments: Array) -> tuple[float, int, int]:
    mean, variance, at_low, at_high = moments.tolist()
    by_chance = 1.96 * variance**0.5
    low = mean - float(np.hypot(mean - at_low, by_chance))
    high = mean + float(np.hypot(at_high - mean, by_chance))
    return mean, max(0, floor(low)), ceil(high)


def _errors(number: float) -> str:
    text = f"{number:.0f}"
    return "1 error" if text == "1" else f"{text} errors"
