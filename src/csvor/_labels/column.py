"""Reading labels: whatever the container, the distinct labels and where each row points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.exceptions import DataConversionWarning

from csvor._labels.containers import Coded, coded_by_container, is_lazy_frame
from csvor._labels.error import LabelError, error_at, no_label, show, wrong_shape
from csvor._labels.factors import (
    EXACT_FLOAT,
    factorise_numbers,
    factorise_objects,
    is_infinite,
    is_missing,
    kind_of,
    refuse_not_finite,
)
from csvor._utils.warn import warn as warn_user


@dataclass(frozen=True, eq=False)
class Column:
    """One column of labels: row i has the label ``labels[index[i]]``.

    `labels` are distinct and each has a row; `kind` is "number", "text" or "other"; `dtype` is
    the one that classes made from this column take. `order` lists all categories of an ordered
    dtype, and `categories` those of an unordered one.
    """

    labels: list[Any]
    index: NDArray[np.int64]
    dtype: np.dtype[Any]
    kind: str
    order: list[Any] | None = None
    categories: list[Any] | None = None

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each label."""
        return np.bincount(self.index, minlength=len(self.labels))

    def rows_of(self, wanted: Sequence[bool] | NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the mask of the rows whose label is marked in `wanted` (one mark per label)."""
        return np.asarray(wanted, dtype=bool)[self.index]


def read_column(y: Any, *, name: str = "y", warn: bool = False) -> Column:
    """Read labels from any container; refuse what cannot be a label.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, 1)
        A list, tuple, NumPy array, pandas, polars or Arrow object. A `Column` has been read and
        comes back as it is.
    name : str, default="y"
        What messages call it. A 2-D "classes" is refused even when it is a single column.
    warn : bool, default=False
        Give scikit-learn's `DataConversionWarning` when `y` has two dimensions.

    Raises
    ------
    LabelError
        For a wrong shape, no rows, missing or infinite labels, text mixed with numbers, and
        types that are no labels (complex, bytes, dates, sparse).
    """
    if isinstance(y, Column):
        return y
    y = _one_dimensional(y, name, warn)
    coded = coded_by_container(y, name)
    if coded is not None:
        return _checked(coded, name)
    listed = isinstance(y, list | tuple)
    if listed and len(y) and isinstance(y[0], str):
        text = _listed_text(y)
        if text is not None:
            return _checked(text, name)
    values = _as_array(y, name)
    if values.dtype.kind in "biuf":
        return Column(*factorise_numbers(values, name), values.dtype, "number")
    # A list goes as it is: its array would have turned [1, "a"] into text.
    try:
        labels, index = factorise_objects(y if listed else values.tolist())
    except TypeError as error:
        raise wrong_shape(name, "labels that are lists or other containers") from error
    return _checked(Coded(labels, index, values.dtype), name)


def _listed_text(y: Sequence[Any]) -> Coded | None:
    """Text in a list, without the array that takes longer to make than to read."""
    try:
        labels, index = factorise_objects(y)
    except TypeError:
        return None
    if not all(isinstance(label, str) for label in labels):
        return None
    return Coded(labels, index, np.array(labels).dtype)


def _one_dimensional(y: Any, name: str, warn: bool) -> Any:
    """Return `y` with its single column taken out if it is a frame or an (n, 1) array."""
    if y is None:
        raise LabelError(
            f"This requires {name} to be passed, but the target {name} is None",
            f"Pass one label per row as {name}.",
        )
    if issparse(y):
        raise LabelError(
            f"{name} is a sparse matrix", f"Pass a 1-D array: {name}.toarray().ravel()."
        )
    if is_lazy_frame(y):
        raise LabelError(
            f"{name} is a LazyFrame, which holds no rows yet", f"Pass {name}.collect()."
        )
    nested = isinstance(y, list | tuple) and len(y) > 0 and all(map(_is_single, y))
    shape: tuple[int, ...] = (len(y), 1) if nested else getattr(y, "shape", ())
    if name == "classes" or len(shape) != 2 or shape[1] != 1:
        return y
    if warn:
        warn_user(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
        )
    if nested:
        return [row[0] for row in y]
    if hasattr(y, "iloc"):
        return y.iloc[:, 0]
    return y.to_series(0) if hasattr(y, "to_series") else np.asanyarray(y)[:, 0]


def _is_single(row: Any) -> bool:
    return isinstance(row, list | tuple | np.ndarray) and np.shape(row) == (1,)


def _as_array(y: Any, name: str) -> NDArray[Any]:
    """Return the values as a 1-D array of numbers, text or objects, none of them changed."""
    nullable = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    values: NDArray[Any]
    if np.ma.is_masked(y):
        values = np.asarray(y.data, dtype=object)
        values = np.where(np.ma.getmaskarray(y), np.array(None), values)
    elif nullable is not None and nullable.kind in "biuf":
        # Missing pandas numbers stay visible, the others keep their dtype.
        values = np.asarray(y, dtype=object if y.isna().any() else nullable)
    else:
        try:
            values = np.asarray(y)
        except ValueError as error:  # a ragged list
            raise wrong_shape(name, "rows of different lengths") from error
    if values.ndim != 1:
        what = f"an object of type {type(y).__name__}" if values.ndim == 0 else f"{values.shape}"
        raise wrong_shape(name, what)
    if values.size == 0:
        raise LabelError(f"{name} is empty", f"Pass at least one label in {name}.")
    listed = isinstance(y, list | tuple)
    if listed and values.dtype.kind == "f" and np.abs(values).max() >= EXACT_FLOAT:
        # Integers that float64 cannot hold have lost digits in an array of the whole list.
        return np.array(y, dtype=object)
    if values.dtype.kind not in "biufOUT":
        raise no_label(f"the type {values.dtype}", name)
    return values


def _checked(coded: Coded, name: str) -> Column:
    """Check distinct objects and keep those that have rows."""
    labels, index, dtype = coded.labels, coded.index, coded.dtype
    if not index.size:
        raise LabelError(f"{name} is empty", f"Pass at least one label in {name}.")
    missing = np.array([*map(is_missing, labels), True])[index]
    infinite = np.array([*map(is_infinite, labels), False])[index]
    if missing.any() or infinite.any():
        refuse_not_finite(missing, infinite, name)
    counts = np.bincount(index, minlength=len(labels))
    if not counts.all():
        labels = [label for label, count in zip(labels, counts, strict=True) if count]
        index = (np.cumsum(counts > 0) - 1)[index]
    kinds = [kind_of(label) for label in labels]
    if len(set(kinds)) > 1:
        raise _mixed(labels, kinds, index, name)
    return Column(
        labels,
        index,
        dtype if dtype.kind in "biufU" else np.dtype(object),
        kinds[0],
        order=coded.order,
        categories=coded.categories,
    )


def _mixed(labels: list[Any], kinds: list[str], index: NDArray[np.int64], name: str) -> LabelError:
    names = {"text": "text", "number": "numbers", "other": "other values"}
    distinct = list(dict.fromkeys(kinds))
    problem = (
        f"{'classes mixes' if name == 'classes' else 'The labels mix'} "
        f"{' and '.join(names[kind] for kind in distinct)}, such as "
        f"{show(labels[kinds.index(kind)] for kind in distinct)}"
    )
    remedy = "Write all of them as text or all as numbers."
    if name == "classes":
        return LabelError(problem, remedy)
    odd = np.array([kind == distinct[0] for kind in kinds])[index]
    return error_at(problem, remedy, odd if 2 * odd.sum() <= odd.size else ~odd)
