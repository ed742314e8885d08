"""Which place does each method take on the average?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from csvor.stats._table import complete_cases

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AverageRanks:
    """Ranks of methods on cases; 1 is the best.

    Attributes
    ----------
    average : Series of float, indexed by method
        Mean of the columns of ``by_case``, in the order of the table.
    by_case : DataFrame
        Rank of each method on each case that was used.
    better : str
        "lower" or "higher": which side of the values was ranked 1.
    dropped : tuple of str
        Cases that were left out because a value was missing.
    """

    average: pd.Series[float]
    by_case: pd.DataFrame
    better: str
    dropped: tuple[str, ...]

    @property
    def n_cases(self) -> int:
        """Number of cases that were ranked."""
        return len(self.by_case)

    @property
    def best(self) -> tuple[str, ...]:
        """The methods with the lowest average rank; several where they tie."""
        least = self.average.min()
        return tuple(str(name) for name, rank in self.average.items() if rank <= least + 1e-9)


def average_ranks(table: Any, *, better: str, missing: str = "raise") -> AverageRanks:
    """Rank the methods on each case and average the ranks.

    ::

        R_j = (1 / N) sum_i r_ij

    where ``r_ij`` is the rank of method j on case i: 1 for the best, the mean of their places
    for methods that tie. Values that differ by less than about 1e-12 of the largest in their
    row count as tied, since that much is rounding.

    Parameters
    ----------
    table : DataFrame or array-like of shape (n_cases, n_methods)
        One row per case (a data set, say), one column per method.
    better : {"lower", "higher"}
        Which values are better: "lower" for errors, "higher" for accuracies. It has no
        default, because the wrong one turns the ranks round without a sign.
    missing : {"raise", "drop"}, default="raise"
        What happens to cases in which a method has no finite value: they are refused, or left
        out for all methods and named in ``dropped``.

    Returns
    -------
    ranks : AverageRanks

    Raises
    ------
    ValueError
        For a `better` or `missing` that is none of those above, missing values unless they are
        dropped, fewer than two methods, two columns of one name, or no complete case.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006,
    https://jmlr.org/papers/v7/demsar06a.html.

    Examples
    --------
    >>> import pandas as pd
    >>> from csvor.stats import average_ranks
    >>> errors = pd.DataFrame({"A": [0.1, 0.2], "B": [0.1, 0.3], "C": [0.4, 0.1]})
    >>> average_ranks(errors, better="lower").average.to_dict()
    {'A': 1.75, 'B': 2.25, 'C': 2.0}
    """
    if better not in ("lower", "higher"):
        raise ValueError(f"better={better!r} must be 'lower' or 'higher': which values are better?")
    cases = complete_cases(table, missing)
    signed = cases.values if better == "lower" else -cases.values
    ranks = np.asarray(rankdata(signed, axis=1), dtype=float)
    by_case = pd.DataFrame(ranks, index=list(cases.names), columns=list(cases.methods))
    return AverageRanks(by_case.mean(axis=0), by_case, better, cases.dropped)
