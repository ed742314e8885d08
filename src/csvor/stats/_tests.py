"""Do the methods differ at all, and which from one of them?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from csvor.stats._table import complete_cases, even

Array = NDArray[np.float64]

# With fewer cases the chi-squared law of Friedman's statistic says little, and a signed-rank test
# cannot reach 5 % whatever the data.
MIN_CASES = 5

# Up to here all sign patterns are counted; beyond, SciPy chooses.
_MOST_ENUMERATED = 14


@dataclass(frozen=True)
class DifferenceTest:
    """A test of whether methods differ.

    Attributes
    ----------
    name : str
        "friedman", "wilcoxon" (two methods), or "none" where no test was made.
    statistic : float
        Friedman's chi-squared or Wilcoxon's W; NaN without a test.
    p_value : float
        NaN without a test.
    n_cases : int
        Cases that were used.
    n_methods : int
        Methods that were compared.
    dropped : tuple of str
        Cases that were left out because a value was missing.
    note : str
        Why it is this test, or why there is none; empty for a Friedman test.
    """

    name: str
    statistic: float
    p_value: float
    n_cases: int
    n_methods: int
    dropped: tuple[str, ...]
    note: str = ""

    def significant(self, alpha: float = 0.05) -> bool:
        """Whether a test was made and its p-value is below `alpha`.

        Parameters
        ----------
        alpha : float, default=0.05
            Level, between 0 and 1.

        Returns
        -------
        significant : bool
        """
        return bool(self.p_value < check_level(alpha))


def check_level(alpha: float) -> float:
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha={alpha!r} must lie between 0 and 1; 0.05 is usual.")
    return float(alpha)


def friedman(table: Any, *, missing: str = "raise") -> DifferenceTest:
    """Test whether the methods rank differently: Friedman's test, with ties.

    ::

        chi2 = [12 / (N k (k + 1)) sum_j (N R_j)^2 - 3 N (k + 1)] / c,   k - 1 degrees of freedom
        c = 1 - sum_ties (t^3 - t) / (N k (k^2 - 1))

    for k methods on N cases with average ranks ``R_j``. Two methods are compared by Wilcoxon's
    signed-rank test instead, which Friedman's needs three for. No test is made of fewer than
    five cases, nor where all methods tie on every case; ``note`` then says so.

    Parameters
    ----------
    table : DataFrame or array-like of shape (n_cases, n_methods)
        One row per case, one column per method.
    missing : {"raise", "drop"}, default="raise"
        Whether cases with a missing value are refused or left out.

    Returns
    -------
    test : DifferenceTest

    Raises
    ------
    ValueError
        As `average_ranks` does for the table.

    References
    ----------
    M. Friedman, Journal of the American Statistical Association 32(200), 1937,
    doi 10.1080/01621459.1937.10503522.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.stats import friedman
    >>> errors = np.linspace(0.1, 0.4, 6)[:, None] + [0.0, 0.1, 0.2]
    >>> test = friedman(errors)
    >>> test.name, round(test.statistic, 3), round(test.p_value, 4)
    ('friedman', 12.0, 0.0025)
    """
    cases = complete_cases(table, missing)
    n, k = cases.values.shape

    def result(name: str, statistic: float, p_value: float, note: str) -> DifferenceTest:
        return DifferenceTest(name, statistic, p_value, n, k, cases.dropped, note)

    if n < MIN_CASES:
        few = f"too few for a test: {n} of at least {MIN_CASES} cases; the ranks are shown alone"
        return result("none", np.nan, np.nan, few)
    if (cases.values == cases.values[:, :1]).all():
        nothing = "no difference measurable: all methods tie on every case"
        return result("none", np.nan, np.nan, nothing)
    if k == 2:
        statistic, p_value = _signed_ranks(cases.values[:, 0], cases.values[:, 1])
        return result(
            "wilcoxon", statistic, p_value, "two methods: paired Wilcoxon signed-rank test"
        )
    test = stats.friedmanchisquare(*cases.values.T)
    return result("friedman", float(test.statistic), float(test.pvalue), "")


def wilcoxon_holm(table: Any, control: str, *, missing: str = "raise") -> pd.DataFrame:
    """Compare one method with each other by Wilcoxon's test, corrected for their number.

    Two-sided signed-rank tests over the cases; `holm` makes the p-values hold together.

    Parameters
    ----------
    table : DataFrame of shape (n_cases, n_methods)
        One row per case, one column per method.
    control : str
        The column that the others are compared with.
    missing : {"raise", "drop"}, default="raise"
        Whether cases with a missing value are refused or left out.

    Returns
    -------
    comparisons : DataFrame
        One row per other method, in the order of the table, with the columns ``p_value`` and
        ``p_holm``. Both are 1 for a method that ties with `control` on every case.

    Raises
    ------
    ValueError
        If no column is named `control`, for fewer than five cases, and as `average_ranks` does
        for the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from csvor.stats import wilcoxon_holm
    >>> errors = pd.DataFrame({"A": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
    >>> errors["B"], errors["C"] = errors.A + 0.1, errors.A
    >>> wilcoxon_holm(errors, "A")
       p_value  p_holm
    B  0.03125  0.0625
    C  1.00000  1.0000
    """
    cases = complete_cases(table, missing)
    if control not in cases.methods:
        known = ", ".join(cases.methods)
        raise ValueError(f"control={control!r} is no column of the table, which has {known}.")
    if len(cases.names) < MIN_CASES:
        raise ValueError(
            f"A signed-rank test needs at least {MIN_CASES} cases; there are {len(cases.names)}."
        )
    index = cases.methods.index(control)
    others = [j for j in range(len(cases.methods)) if j != index]
    p_values = [_signed_ranks(cases.values[:, j], cases.values[:, index])[1] for j in others]
    return pd.DataFrame(
        {"p_value": p_values, "p_holm": holm(p_values)}, index=[cases.methods[j] for j in others]
    )


def holm(p_values: ArrayLike) -> Array:
    """Correct p-values for the number of tests by Holm's step-down rule.

    ::

        p~_(i) = min(1, max_{j <= i} (m - j + 1) p_(j))

    for the m p-values in ascending order.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        Each between 0 and 1.

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
        In the order given; reject what lies below the level that shall hold for all together.

    Raises
    ------
    ValueError
        For more than one dimension, NaN, and values outside 0..1.

    References
    ----------
    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6(2), 1979, https://www.jstor.org/stable/4615733.

    Examples
    --------
    >>> from csvor.stats import holm
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise ValueError(f"p_values must have one dimension, not {p.ndim}.")
    bad = np.flatnonzero(~((p >= 0.0) & (p <= 1.0)))
    if bad.size:
        raise ValueError(f"p_values[{bad[0]}] is {p[bad[0]]}; p-values lie between 0 and 1.")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    steps = np.arange(p.size, 0, -1) * p[order]
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _signed_ranks(one: Array, other: Array) -> tuple[float, float]:
    """W and its two-sided p-value; equal pairs are left out, and p is 1 where nothing is left."""
    scale = np.maximum(np.abs(one), np.abs(other)).max()
    difference = even(np.append(one - other, scale))[:-1]
    difference = difference[difference != 0.0]
    if not difference.size:
        return 0.0, 1.0
    if difference.size > _MOST_ENUMERATED:
        test = stats.wilcoxon(difference)
        return float(test.statistic), float(test.pvalue)
    # Exact with ties too, which SciPy's own exact law leaves out.
    ranks = stats.rankdata(np.abs(difference))
    patterns = np.arange(2**difference.size)[:, None] >> np.arange(difference.size) & 1
    half = 0.5 * ranks.sum()
    off = abs(ranks[difference > 0.0].sum() - half)
    return float(half - off), float(np.mean(np.abs(patterns @ ranks - half) >= off - 1e-9))
