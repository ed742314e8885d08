"""From what holds the features to an array of numbers, or the column that cannot be one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.utils.validation import validate_data

from csvor._labels.containers import refuse_lazy_frame
from csvor._labels.factors import is_missing

_ARROW_TIMES = ("date", "time", "duration")


def read_features(estimator: Any, X: Any, *, reset: bool, **options: Any) -> NDArray[Any]:
    """What scikit-learn's ``validate_data`` makes of X; a column of words or dates is named."""
    refuse_lazy_frame(X=X)
    X = _text_with_nan(masked_as_nan(X))
    if getattr(X, "shape", ())[1:] == (0,) and hasattr(X, "columns"):
        raise ValueError("X has no columns. Give at least one feature.")
    refuse_times(X)
    _refuse_double_names(X)
    try:
        with config_context(array_api_dispatch=False):  # what follows is computed by NumPy
            array: NDArray[Any] = validate_data(estimator, X, reset=reset, **options)
    except (TypeError, ValueError) as error:
        if not reset and hasattr(X, "columns"):  # other columns than those of the fit come first
            validate_data(estimator, X, reset=False, skip_check_array=True)
        problem = _no_number(X)
        if problem is None:
            raise
        raise ValueError(problem) from error
    return array


def column_name(estimator: Any, column: int | np.integer[Any]) -> str:
    """As messages call a column of X."""
    names = getattr(estimator, "feature_names_in_", None)
    return f"column {column}" if names is None else f"column {names[column]!r}"


def masked_as_nan(values: Any) -> Any:
    """Values with NaN where a masked array hides one; all others come back as they are."""
    if not np.ma.isMaskedArray(values):
        return values
    if not np.ma.is_masked(values):
        return values.data
    kind = values.dtype.kind
    holding: Any = np.float64 if kind in "biu" else values.dtype if kind in "fc" else object
    return np.ma.filled(values.astype(holding), np.nan)


def _text_with_nan(X: Any) -> Any:
    """A frame of pandas whose columns of text have NaN for NA, which NumPy takes for no number."""
    if not hasattr(X, "isetitem"):
        return X
    text = [j for j, dtype in enumerate(X.dtypes) if str(dtype).startswith("string")]
    if text:
        X = X.copy(deep=False)
    for j in text:
        X.isetitem(j, X.iloc[:, j].to_numpy(dtype=object, na_value=np.nan))
    return X


def refuse_times(X: Any) -> None:
    """Refuse dates and durations, which NumPy would turn into counts of some unit."""
    dtypes = getattr(X, "dtypes", None)  # of a frame
    if dtypes is None:
        of_arrow = getattr(getattr(X, "schema", None), "types", None)
        dtypes = [getattr(X, "dtype", None)] if of_arrow is None else of_arrow
    elif not np.iterable(dtypes):  # of a pandas Series
        dtypes = [dtypes]
    for position, dtype in enumerate(dtypes):
        if _is_time(dtype):
            for place, (name, column) in enumerate(named_columns(X)):
                if place == position:
                    raise ValueError(_times(name, column[0] if len(column) else dtype, 0))


def _refuse_double_names(X: Any) -> None:
    """Refuse a table with two columns of one name: which is which at predict?"""
    names = getattr(X, "column_names", getattr(X, "columns", None))
    if names is None or callable(names):
        return
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise ValueError(f"X has more than one column {twice[0]!r}. Rename one, or leave it out.")


def _is_time(dtype: Any) -> bool:
    if hasattr(dtype, "kind"):  # NumPy and pandas
        return dtype.kind in {"m", "M"}
    if hasattr(dtype, "is_temporal"):  # polars
        return bool(dtype.is_temporal())
    return str(dtype).startswith(_ARROW_TIMES)


def named_columns(X: Any) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Name and values of each column; of none where X is no table."""
    columns: Any = ()
    if hasattr(X, "iloc") and X.ndim == 2:
        columns = X.items()
    elif hasattr(X, "column_names"):  # Arrow
        columns = zip(X.column_names, X.columns, strict=True)
    elif hasattr(X, "get_columns"):  # polars
        columns = zip(X.columns, X.get_columns(), strict=True)
    elif isinstance(X, np.ndarray | list | tuple):
        array = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        columns = enumerate(array.T) if array.ndim == 2 else ()
    for name, column in columns:
        yield name, np.asarray(column)


def _no_number(X: Any) -> str | None:
    """What is to be said of the first column that holds words or dates."""
    for name, values in named_columns(X):
        if values.dtype.kind in "biufc":
            continue
        listed = values.tolist()
        bad = [row for row, value in enumerate(listed) if not _is_number(value)]
        if not bad:
            continue
        first = listed[bad[0]]
        if isinstance(first, date | time | timedelta) or type(first).__name__ == "Period":
            return _times(name, first, bad[0])
        if isinstance(first, str):
            remedy = (
                "Encode the column as numbers, for example by OneHotEncoder, or leave it out."
                if 2 * len(bad) > len(listed)
                else "Write these values as numbers, or as NaN and impute them."
            )
            return (
                f"X holds text: could not convert string to float: {str(first)!r} in column "
                f"{name!r}, row {bad[0]} ({len(bad)} such value(s)). {remedy}"
            )
        return None
    return None


def _is_number(value: Any) -> bool:
    if is_missing(value):
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _times(name: Any, value: Any, row: int) -> str:
    return (
        f"X holds dates or times, which are no numbers: {value} in column {name!r}, row {row}. "
        "Count them from a day or an hour of your choice, or leave the column out."
    )
