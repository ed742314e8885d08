"""How do raters move the thresholds of a regression?

Each of R raters has a shift of the predictor; the shifts sum to 0, so that coefficients and
predictions are those of the middle of the raters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._data.tables import masked_as_nan

Array = NDArray[np.float64]


def rater_columns(raters: Any, n_rows: int) -> tuple[list[str], Array]:
    """Their names, and R - 1 columns of 0, 1 and -1 for their shifts.

    Raises
    ------
    ValueError
        If there are not as many as rows, one is missing, or all are the same.
    """
    codes, names = pd.factorize(
        pd.Series(np.asarray(masked_as_nan(raters), dtype=object)), sort=False
    )
    if codes.size != n_rows:
        raise ValueError(f"raters has {codes.size} entries and X {n_rows} rows: give one a row.")
    if np.any(codes < 0):
        row = int(np.argmax(codes < 0))
        raise ValueError(f"raters has no entry in row {row}: name the rater, or leave it out.")
    order = sorted(range(len(names)), key=lambda i: str(names[i]))
    codes = np.argsort(order)[codes]
    if len(order) < 2:
        raise ValueError(
            f"raters names only {names[0]!r}: a shift is one from the other raters. Leave it out."
        )
    contrasts = np.vstack([np.eye(len(order) - 1), -np.ones(len(order) - 1)])
    return [str(names[i]) for i in order], contrasts[codes]


def shifts_of(coef: Array, covariance: Array) -> tuple[Array, Array]:
    """The shift of each rater with its standard error, from R - 1 coefficients."""
    contrasts = np.vstack([np.eye(coef.size), -np.ones(coef.size)])
    return contrasts @ coef, np.sqrt(np.einsum("ij,jk,ik->i", contrasts, covariance, contrasts))
