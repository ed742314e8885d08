"""How is one column of X read, and set to its typical value, in whatever container X came?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._rows.csr import is_sparse

Rows = NDArray[np.intp]


class FeatureTable:
    """The rows of an array or a dataframe; the model is `of_names` if it was fitted to such."""

    def __init__(self, X: Any, of_names: bool = True) -> None:
        if hasattr(X, "to_pandas"):  # polars, pyarrow
            X = X.to_pandas()
        self._named = isinstance(X, pd.DataFrame)
        self._frame = X if self._named else pd.DataFrame(np.asarray(X))
        self.n_rows = len(self._frame)
        before = "" if self._named else "x"
        self._of_names = self._named and of_names
        self.names = [f"{before}{column}" for column in self._frame.columns]

    def values(self, j: int) -> NDArray[Any]:
        """What all rows have in a column."""
        return self._frame.iloc[:, j].to_numpy()

    def rows(self, rows: Rows | slice) -> Any:
        """Some of the rows, for `for_model` and `with_typical`."""
        return self._frame.iloc[rows]

    def for_model(self, part: Any) -> Any:
        """Rows in the container that the model was fitted with."""
        return part if self._of_names else part.to_numpy()

    def with_typical(self, part: Any, j: int) -> Any:
        """The mean in place of a column of numbers, the most frequent value of another.

        A blank number stays one: the model fills it in, and it pulls nothing.
        """
        column = self._frame.iloc[:, j]
        changed = part.copy()
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            is_blank = part.iloc[:, j].isna()
            changed.isetitem(j, np.where(is_blank, np.nan, column.mean()))
        else:
            usual = column.mode(dropna=False).iloc[0]
            changed.isetitem(j, pd.Series([usual] * len(part), dtype=column.dtype).array)
        return changed

    def telling(self, rows: Rows) -> Rows:
        """The columns that may tell some rows from the others: all of them."""
        return np.arange(len(self.names))


class SparseTable:
    """The rows of a sparse matrix, none of which is made dense."""

    def __init__(self, X: Any) -> None:
        self._X = X.tocsr()
        self._columns = self._X.tocsc()
        self._means = np.asarray(self._X.mean(axis=0)).ravel()
        self.n_rows, d = X.shape
        self.names = [f"x{j}" for j in range(d)]

    def values(self, j: int) -> NDArray[Any]:
        """What all rows have in a column."""
        values: NDArray[Any] = self._columns[:, [j]].toarray().ravel()
        return values

    def rows(self, rows: Rows | slice) -> Any:
        """Some of the rows, for `for_model` and `with_typical`."""
        return self._X[rows]

    def for_model(self, part: Any) -> Any:
        """Rows in the container that the model was fitted with."""
        return part

    def with_typical(self, part: Any, j: int) -> Any:
        """The mean in place of a column."""
        change = self._means[j] - part[:, [j]].toarray().ravel()
        at = np.arange(len(change)), np.full(len(change), j)
        return part + type(part)((change, at), shape=part.shape)

    def telling(self, rows: Rows) -> Rows:
        """The columns in which one of some rows is not 0: what all lack tells none of them."""
        of_rows = self._X[rows]
        return np.unique(of_rows.indices[of_rows.data != 0]).astype(np.intp)


def table_of(X: Any, model: Any = None) -> FeatureTable | SparseTable:
    """X as a table of features, for a model."""
    if is_sparse(X):
        return SparseTable(X)
    return FeatureTable(X, model is None or hasattr(model, "feature_names_in_"))
