"""Do the methods differ at all?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
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
        statistic, p_value = signed_ranks(cases.values[:, 0], cases.values[:, 1])
        paired = "two methods: paired Wilcoxon signed-rank test"
        return result("wilcoxon", statistic, p_value, paired)
    test = stats.friedmanchisquare(*cases.values.T)
    return result("friedman", float(test.statistic), float(test.pvalue), "")


def signed_ranks(one: Array, other: Array) -> tuple[float, float]:
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
