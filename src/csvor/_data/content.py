"""Which order do the rows of a table have by what they hold, whatever holds it?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._data.tables import named_columns
from csvor._rows.content import order_by_content
from csvor._rows.csr import is_sparse

Rows = NDArray[np.intp]


def rows_in_order(X: Any, *columns: Any) -> tuple[Rows, Rows]:
    """`order_by_content` of a table as users have it, and of codes and what else is known."""
    known = [_as_numbers(np.asarray(column)) for column in columns if column is not None]
    return order_by_content(_numbers_of(X), *known)


def _numbers_of(X: Any) -> Any:
    """An array or CSR, or a column for each of a frame; words count by their hash."""
    if is_sparse(X):
        return X.tocsr()
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        columns = [_as_numbers(values) for _, values in named_columns(X)]
        return columns or np.empty((len(X), 0))
    array = _array_of(X)
    if array.dtype.kind in "biuf":
        return array.reshape(array.shape[0], -1)
    return [_as_numbers(values) for values in array.reshape(array.shape[0], -1).T]


def _array_of(X: Any) -> NDArray[Any]:
    try:
        return np.asarray(X)
    except ValueError:  # entries of several lengths
        array = np.empty(len(X), dtype=object)
        array[:] = list(X)
        return array


def _as_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Of one column."""
    if values.dtype.kind in "biuf":
        return values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        texts = np.array(list(map(str, values.tolist())), dtype=object)
        return pd.util.hash_array(texts) / 2.0**64
