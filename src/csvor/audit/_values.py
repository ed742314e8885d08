"""Which values does a column have, and are they few enough for a share of each?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._data.fit_data import in_partitions
from csvor._parts.engine import total
from csvor._utils.lazy import is_lazy

# More values are those of an identifier, or of a measurement; each has so many rows in the mean.
MOST_VALUES, _LEAST_ROWS = 200, 4


def beside(values: Any, ratios: Any) -> Any:
    """The values, where the rows of the audit lie; ``ratios`` is a column of it."""
    if isinstance(values, str):
        raise TypeError(
            f"values={values!r} is a name, and an audit has no columns: pass the column itself, "
            f"frame[{values!r}]."
        )
    if not is_lazy(ratios):
        values = values.compute() if is_lazy(values) else values
        column = np.asarray(values)
        if np.ma.isMaskedArray(values):
            column = column.astype(object)
            column[np.ma.getmaskarray(values)] = None
        _check_rows(column.shape, ratios.size)
        return column
    if not is_lazy(values):
        values = np.asarray(values)
        _check_rows(values.shape, ratios.size)
        return in_partitions(values, ratios.chunks[0])
    if hasattr(values, "to_dask_array"):
        values = values.to_dask_array(lengths=list(ratios.chunks[0]))
    _check_rows(values.shape, ratios.size)
    return values.rechunk(ratios.chunks)


def check_values(values: Any) -> None:
    """Refuse a column, as an array, that has too many values."""
    levels_of(values, values, values.size)


def _check_rows(shape: tuple[int, ...], n: int) -> None:
    if shape != (n,):
        raise ValueError(f"values must be one for each of the {n} rows, got shape {shape}.")


def levels_of(values: Any, column: Any, n: int) -> pd.Index:
    """The values that are not missing: in the order of a categorical, else sorted."""
    _, (distinct,) = total(_distinct, column)
    levels = pd.Index(distinct).unique()
    if levels.size > min(MOST_VALUES, max(n / _LEAST_ROWS, 2)):
        raise ValueError(
            f"{levels.size} different values in {n} rows are too many for a share of each; cut "
            "numbers and dates into classes first (pandas.cut, months), and take no identifier"
        )
    if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):
        return pd.Index([c for c in values.dtype.categories if c in levels])
    numbers = pd.to_numeric(pd.Series(levels), errors="coerce")
    if levels.inferred_type == "string" and numbers.notna().all():  # "2" before "10"
        return levels[np.argsort(numbers, kind="stable")]
    try:
        return levels.sort_values()
    except TypeError:  # numbers and words
        return pd.Index(sorted(levels, key=lambda value: (type(value).__name__, value)))


def _distinct(start: int, column: NDArray[Any]) -> tuple[tuple[()], tuple[NDArray[Any]]]:
    """The first of them: what is more than can be used need not travel."""
    _, distinct = pd.factorize(column)
    return (), (np.asarray(distinct)[: 10 * MOST_VALUES],)
