"""How far apart must average ranks be, and which methods are not?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, sqrt
from typing import Any

from scipy.stats import studentized_range

from csvor.stats._ranks import AverageRanks, average_ranks
from csvor.stats._tests import MIN_CASES, DifferenceTest, check_level, friedman


@dataclass(frozen=True, eq=False)
class Comparison:
    """Ranks, test and critical difference of one table of results.

    Attributes
    ----------
    ranks : AverageRanks
        The ranks on each case and their means.
    test : DifferenceTest
        Whether the methods differ at all.
    critical_difference : float
        Nemenyi's; average ranks closer than this are not told apart. NaN where there are too
        few cases for a test, or two methods, which ``test`` compares by itself.
    groups : tuple of tuples of str
        The largest sets of methods that are not told apart, each in the order of its ranks.
    alpha : float
        The level of both.
    """

    ranks: AverageRanks
    test: DifferenceTest
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    alpha: float

    @property
    def post_hoc(self) -> str:
        """The test by which methods are told apart: "Nemenyi", "Wilcoxon", or "" for none."""
        if isfinite(self.critical_difference):
            return "Nemenyi"
        return "Wilcoxon" if self.test.name == "wilcoxon" else ""

    def in_words(self) -> str:
        """Which methods are not told apart, by which test.

        Returns
        -------
        sentence : str
            Methods of a group stand in the order of their ranks; of more than three the first and
            the last are named.

        Examples
        --------
        >>> import pandas as pd
        >>> from csvor.stats import compare
        >>> errors = pd.DataFrame({"A": [1, 2, 3, 4, 5, 6.0]})
        >>> errors["B"], errors["C"] = errors.A + 0.1, errors.A + 0.2
        >>> compare(errors, better="lower").in_words()
        'Not told apart (Nemenyi, 5 %): A = B; B = C.'
        """
        if not self.post_hoc:
            return f"No test tells methods apart: {self.test.note}."
        test = f"({self.post_hoc}, {100 * self.alpha:g} %)"
        if not self.groups:
            return f"All are told apart {test}."
        words = [
            " = ".join(group) if len(group) < 4 else f"{group[0]} to {group[-1]} ({len(group)})"
            for group in self.groups
        ]
        return f"Not told apart {test}: {'; '.join(words)}."


@lru_cache
def nemenyi_cd(n_methods: int, n_cases: int, alpha: float = 0.05) -> float:
    """Give the difference of average ranks from which two methods differ (Nemenyi).

    ::

        CD = q_alpha sqrt(k (k + 1) / (6 N)),   q_alpha = Q_{k, inf}(1 - alpha) / sqrt(2)

    for k methods on N cases, with the quantile Q of the studentized range.

    Parameters
    ----------
    n_methods : int
        k, at least 2.
    n_cases : int
        N, at least 1.
    alpha : float, default=0.05
        Level for all pairs together.

    Returns
    -------
    critical_difference : float
        In ranks.

    Raises
    ------
    ValueError
        For an argument out of its range.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006,
    https://jmlr.org/papers/v7/demsar06a.html, equation 5.

    Examples
    --------
    >>> from csvor.stats import nemenyi_cd
    >>> round(nemenyi_cd(3, 6), 3)
    1.353
    """
    if n_methods < 2 or n_cases < 1:
        raise ValueError(
            f"n_methods={n_methods} and n_cases={n_cases} must be at least 2 and at least 1."
        )
    quantile = float(studentized_range.ppf(1.0 - check_level(alpha), n_methods, inf)) / sqrt(2.0)
    return quantile * sqrt(n_methods * (n_methods + 1) / (6.0 * n_cases))


def rank_groups(average: Mapping[str, float], cd: float) -> tuple[tuple[str, ...], ...]:
    """Find the largest sets of methods whose average ranks all lie within `cd`.

    Parameters
    ----------
    average : mapping of str to float
        Average rank by method; a Series will do.
    cd : float
        Critical difference, not negative.

    Returns
    -------
    groups : tuple of tuples of str
        Sets of two methods or more, each from the best to the worst; they may overlap.

    Raises
    ------
    ValueError
        If `cd` is negative or NaN.

    Examples
    --------
    >>> from csvor.stats import rank_groups
    >>> rank_groups({"A": 1.0, "B": 1.8, "C": 2.6, "D": 4.6}, cd=1.0)
    (('A', 'B'), ('B', 'C'))
    """
    if not cd >= 0.0:
        raise ValueError(f"cd={cd!r} must be a number of at least 0.")
    order = sorted(average.items(), key=lambda item: item[1])
    groups: list[tuple[str, ...]] = []
    reached = 0
    for start, (_, rank) in enumerate(order):
        end = sum(other <= rank + cd + 1e-9 for _, other in order)
        if end > max(reached, start + 1):
            groups.append(tuple(str(name) for name, _ in order[start:end]))
            reached = end
    return tuple(groups)


def compare(table: Any, *, better: str, alpha: float = 0.05, missing: str = "raise") -> Comparison:
    """Rank the methods, test whether they differ, and say which are not told apart.

    `average_ranks`, `friedman`, `nemenyi_cd` and `rank_groups` in one, on the same cases.

    Parameters
    ----------
    table : DataFrame or array-like of shape (n_cases, n_methods)
        One row per case, one column per method.
    better : {"lower", "higher"}
        Which values are better.
    alpha : float, default=0.05
        Level of the test and of the critical difference.
    missing : {"raise", "drop"}, default="raise"
        Whether cases with a missing value are refused or left out.

    Returns
    -------
    comparison : Comparison

    Raises
    ------
    ValueError
        As the functions named above.

    Examples
    --------
    >>> import pandas as pd
    >>> from csvor.stats import compare
    >>> a = [0.10, 0.20, 0.15, 0.30, 0.05, 0.40]
    >>> c = [0.50, 0.60, 0.55, 0.70, 0.45, 0.80]
    >>> comparison = compare(pd.DataFrame({"A": a, "B": a, "C": c}), better="lower")
    >>> comparison.ranks.average.to_dict(), comparison.groups
    ({'A': 1.5, 'B': 1.5, 'C': 3.0}, (('A', 'B'),))
    >>> comparison.test.name, comparison.test.significant()
    ('friedman', True)
    """
    check_level(alpha)
    ranks = average_ranks(table, better=better, missing=missing)
    test = friedman(table, missing=missing)
    average = {str(name): float(rank) for name, rank in ranks.average.items()}
    if test.name == "wilcoxon":
        together = (
            () if test.significant(alpha) else (tuple(sorted(average, key=average.__getitem__)),)
        )
        return Comparison(ranks, test, float("nan"), together, alpha)
    if test.n_cases < MIN_CASES:
        return Comparison(ranks, test, float("nan"), (), alpha)
    cd = nemenyi_cd(test.n_methods, test.n_cases, alpha)
    return Comparison(ranks, test, cd, rank_groups(average, cd), alpha)
