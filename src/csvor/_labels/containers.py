"""Columns that are coded where they lie: pandas and Arrow categories, polars Enums, Arrow text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._labels.error import LabelError, show
from csvor._labels.factors import factorise_objects
from csvor._utils.lazy import is_lazy

_TEXT = ("string", "large_string", "string_view")


@dataclass(frozen=True, eq=False)
class Coded:
    """Distinct objects and the one of each row, -1 for a missing one; not checked yet.

    `order` lists all categories where they are ordered, `categories` where they could be.
    """

    labels: list[Any]
    index: NDArray[np.int64]
    dtype: np.dtype[Any]
    order: list[Any] | None = None
    categories: list[Any] | None = None


def is_lazy_frame(data: Any) -> bool:
    """Tell a frame whose rows have not been computed."""
    return type(data).__name__ == "LazyFrame" and hasattr(data, "collect")


def refuse_lazy_frame(**data: Any) -> None:
    """Refuse a frame whose rows have not been computed."""
    for name, frame in data.items():
        if is_lazy_frame(frame):
            raise TypeError(
                f"{name} is a LazyFrame, which holds no rows yet. Pass {name}.collect()."
            )


def refuse_other_order(X: Any, /, **columns: Any) -> None:
    """Refuse columns that have the index of X in another order (N55); `X` may be that index.

    Rows are matched by position; the labels of such a column would go to other rows. An index that
    is no permutation of that of X says nothing: columns by position are usual then. Where X has no
    index, the first column that has one stands for it.
    """
    index, of = pandas_index(X), "X"
    for name, column in columns.items():
        if index is None:
            index, of = pandas_index(column), name
        elif _is_permuted(index, pandas_index(column)):
            raise ValueError(
                f"{name} has the index of the rows in another order. If its values stand in the "
                f"order of the rows, pass {name}.to_numpy(); if its index is right, "
                f"{name}.loc[{of}.index]."
            )


def pandas_index(data: Any) -> Any:
    """The index of a frame or series of pandas, or an index itself; None of other data."""
    if hasattr(data, "nlevels"):
        return data
    return data.index if hasattr(data, "iloc") and not is_lazy(data) else None


def index_of(*data: Any) -> Any:
    """The index of the first frame or series; None where it only counts rows, or data are lazy."""
    index: Any = next((pandas_index(one) for one in data if hasattr(one, "iloc")), None)
    counts = getattr(index, "name", None) is None and hasattr(index, "step")
    return None if counts and (index.start, index.step) == (0, 1) else index


def _is_permuted(index: Any, other: Any) -> bool:
    """Whether two indexes name the same rows, each once, in another order."""
    if index is None or other is None or len(index) != len(other) or index.equals(other):
        return False
    if index.nlevels != other.nlevels or not (index.is_unique and other.is_unique):
        return False
    # Asked of a few first: of other names most are elsewhere.
    return bool(other[:9].isin(index).all() and other.isin(index).all())


def coded_by_container(y: Any, name: str) -> Coded | None:
    """Read categories, or text that Arrow keeps; None for any other container."""
    dtype: Any = getattr(y, "dtype", None)
    if hasattr(dtype, "ordered"):  # a pandas categorical
        labels, label_dtype = dtype.categories.tolist(), np.asarray(dtype.categories).dtype
        index = np.asarray(getattr(y, "cat", y).codes).astype(np.int64)
        if dtype.ordered:
            return Coded(labels, index, label_dtype, order=labels)
        return Coded(labels, index, label_dtype, categories=labels)
    from_polars = type(dtype).__module__.partition(".")[0] == "polars"
    if from_polars and type(dtype).__name__ == "Enum":
        labels = list(dtype.categories)
        index = y.to_physical().cast(int).fill_null(-1).to_numpy()
        return Coded(labels, index, np.dtype(object), order=labels)
    if from_polars and type(dtype).__name__ in {"String", "Categorical"}:
        text = _from_arrow(y.to_arrow(), name)
        return Coded(text.labels, text.index, np.array(text.labels).dtype)
    if type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", None) == "pyarrow":
        y = getattr(y, "array", y).__arrow_array__()
    # An Arrow array, in one piece or in chunks.
    if hasattr(y, "dictionary_encode") and (str(y.type) in _TEXT or hasattr(y.type, "ordered")):
        return _from_arrow(y, name)
    return None


def _from_arrow(arrow: Any, name: str) -> Coded:
    """Read Arrow categories or text; where they are ordered, all chunks have to list the same."""
    if not hasattr(arrow.type, "ordered"):
        arrow = arrow.cast("large_string").dictionary_encode()
    chunks = arrow.chunks if hasattr(arrow, "chunks") else [arrow]
    listed = [chunk.dictionary.to_pylist() for chunk in chunks]
    other = [labels for labels in listed if labels != listed[0]]
    if other and arrow.type.ordered:
        raise LabelError(
            f"The chunks of {name} order their categories differently: {show(listed[0])} against "
            f"{show(other[0])}",
            f"Cast {name} to its values, and list the classes from the lowest to the highest in "
            "classes=[...].",
        )
    labels, places = factorise_objects([label for labels in listed for label in labels])
    starts = np.cumsum([0, *map(len, listed)])
    rows = [np.empty(0, dtype=np.int64)]
    for chunk, start, stop in zip(chunks, starts, starts[1:], strict=False):
        codes = chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        rows.append(np.append(places[start:stop], -1)[codes])
    order = labels if arrow.type.ordered else None
    return Coded(labels, np.concatenate(rows), np.dtype(object), order)
