"""Are the arrays that a picture is made of fit to be drawn?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from csvor._labels import CodedLabels, refuse_other_order
from csvor._utils.lazy import is_lazy
from csvor._utils.words import all_of

Array = NDArray[np.float64]

# So many of dask's numbers are brought here.
_MOST = 1_000_000


def in_memory(**arrays: Any) -> list[Any]:
    """What is in memory as it is, and dask's arrays and columns, where they are small, from there.

    Raises
    ------
    TypeError
        For more of dask's numbers than a picture needs.
    ValueError
        Where the rows of pandas' columns are in different orders.
    """
    refuse_other_order(None, **arrays)
    lazy = {name: values for name, values in arrays.items() if is_lazy(values)}
    if not lazy:
        return list(arrays.values())
    for name, values in lazy.items():
        _refuse_many(name, values)
    from dask.base import compute

    return list(compute(*arrays.values(), traverse=False))


def _refuse_many(name: str, values: Any) -> None:
    size = _size_of(values)
    if size > _MOST:
        raise TypeError(
            f"{name} lies in partitions of dask and has {size} numbers; a picture brings at most "
            f"{_MOST} here. Give some of the rows, such as {name}[::{-(-size // _MOST)}].compute() "
            "and the same of what goes with them."
        )


def _size_of(values: Any) -> int:
    """How many numbers an array, a column or a dataframe has; what is not known is counted."""
    if not hasattr(values, "compute_chunk_sizes"):
        return len(values) * (values.shape[1] if values.ndim > 1 else 1)
    if np.isnan(values.size):
        values = values.copy().compute_chunk_sizes()
    return int(values.size)


def of_audit(audit: Any, *names: str) -> list[Any]:
    """What an audit says of each row, here."""
    return in_memory(**{f"audit.{name}": getattr(audit, name) for name in names})


def numbers(values: Any, name: str, length: int | None = None) -> Array:
    """One row of finite numbers, as long as the others."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must be one row of numbers; its shape is {array.shape}.")
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{name} holds NaN or infinity (first at position {row}): leave it out.")
    return _as_long(array, name, length)


def probabilities(values: Any, name: str, length: int | None = None) -> Array:
    """One row of numbers from 0 to 1."""
    array = numbers(values, name, length)
    outside = (array < 0.0) | (array > 1.0)
    if outside.any():
        row = int(np.argmax(outside))
        raise ValueError(f"{name} must lie in 0..1; position {row} holds {array[row]:g}.")
    return array


def mask(values: Any, name: str, length: int | None = None) -> NDArray[np.bool_]:
    """One row of True and False (or 1 and 0)."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype != bool and not np.isin(array, (0, 1)).all()):
        raise ValueError(f"{name} must be one row of True and False.")
    return _as_long(array.astype(bool), name, length)


def codes_in_order(
    labels: ArrayLike | Sequence[Any], classes: Any, length: int
) -> tuple[NDArray[np.int64], list[str]]:
    """Codes of labels, 0 for the lowest class, and the names of the classes."""
    coded = CodedLabels.from_data(labels, classes)
    _as_long(coded.codes, "labels", length)
    return coded.codes, [str(label) for label in coded.labels.classes]


def means_by_level(table: Any, measure: str) -> pd.DataFrame:
    """Means over the splits, then over the data sets of a study, by level and method.

    A mean is NaN where a cell of it is.
    """
    cells = pd.DataFrame(table)
    keys = ["dataset", "level", "split", "method"]
    lacking = [column for column in (*keys, measure) if column not in cells]
    if lacking:
        raise ValueError(f"table has no column {', '.join(lacking)}; it has {list(cells)}.")
    if cells.duplicated(keys).any():
        twice = ", ".join(map(str, cells.loc[cells.duplicated(keys), keys].iloc[0]))
        raise ValueError(f"table has more than one row for {twice}.")
    means = cells.pivot(index=keys[:3], columns="method", values=measure)
    means = means[list(dict.fromkeys(cells["method"]))]
    for by in (["dataset", "level"], ["level"]):
        groups = means.groupby(level=by)
        means = groups.mean().where(groups.count().eq(groups.size(), axis=0))
    return means


def refuse_unequal(**arrays: Any) -> None:
    """Refuse arrays of which one has another length."""
    lengths = [len(values) for values in arrays.values()]
    if len(set(lengths)) > 1:
        raise ValueError(f"{all_of(arrays)} must be as long: {', '.join(map(str, lengths))}.")


def _as_long(array: Any, name: str, length: int | None) -> Any:
    if length is not None and len(array) != length:
        raise ValueError(f"{name} must have an entry for each of the {length} rows: {len(array)}.")
    return array
