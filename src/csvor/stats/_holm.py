"""Which methods differ from one of them?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from csvor.stats._table import complete_cases
from csvor.stats._tests import MIN_CASES, signed_ranks


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
    p_values = [signed_ranks(cases.values[:, j], cases.values[:, index])[1] for j in others]
    return pd.DataFrame(
        {"p_value": p_values, "p_holm": holm(p_values)}, index=[cases.methods[j] for j in others]
    )


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
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
