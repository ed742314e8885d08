"""How does a frame of pandas, polars or Arrow become a table, and what are its rows called?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._labels.containers import is_lazy_frame
from csvor._tables.table import Table, as_column
from csvor._utils.lazy import is_lazy
from csvor._utils.spelling import format_value, normal

# pandas keeps the index in columns of such names.
_INDEX = "__index_level_"


def table_of_frame(frame: Any, name: str) -> Table:
    """The columns of a frame, which messages call `name`; those of text as they are written.

    TypeError for a frame of pandas whose columns have other names than texts.
    """
    levels: dict[str, tuple[Any, ...]] = {}
    if isinstance(frame, pd.DataFrame):
        texts = [one for one in frame.columns if not isinstance(one, str)]
        if texts:
            raise TypeError(
                f"{name} has the column {texts[0]!r}: columns are named by texts here, such as by "
                f"{name}.rename(columns=str)."
            )
        arrays = [_array_of(frame.iloc[:, j]) for j in range(frame.shape[1])]
        arrow = pa.Table.from_arrays(arrays, list(frame.columns))
    else:
        kinds: dict[str, Any] = dict(frame.schema) if hasattr(frame, "lazy") else {}
        wide = [n for n, kind in kinds.items() if str(kind) in ("Int128", "UInt128")]
        if wide:  # Arrow has none of 128 bits: digits keep ids apart that floats do not
            frame = frame.cast(dict.fromkeys(wide, str))
        arrow = frame.to_arrow() if hasattr(frame, "to_arrow") else pa.table(frame)
        levels = {n: tuple(k.categories) for n, k in kinds.items() if str(k).startswith("Enum(")}
    if not arrow.num_rows:
        raise CommandError(fault("no-rows", source=name))
    columns = {n: as_column(n, array) for n, array in named_arrays(arrow, name)}
    columns |= {
        n: replace(columns[n], levels=of_enum) for n, of_enum in levels.items() if n in columns
    }
    return Table(name, columns, arrow.num_rows)


def row_names(frame: Any, name: str) -> Sequence[Any] | Any:
    """What messages call the rows: the index of a frame that has one, else positions from 0.

    TypeError for what is no frame, or holds no rows yet.
    """
    if is_lazy(frame) or is_lazy_frame(frame):
        how = "compute" if is_lazy(frame) else "collect"
        raise TypeError(f"{name} holds no rows yet: give {name}.{how}().")
    if not isinstance(frame, pd.DataFrame) and not hasattr(frame, "__arrow_c_stream__"):
        raise TypeError(f"{name} must be a frame of pandas or polars, got {type(frame).__name__}.")
    index = getattr(frame, "index", None)
    return index if isinstance(index, pd.Index) else range(len(frame))


def named_arrays(table: pa.Table, source: str) -> list[tuple[str, pa.ChunkedArray]]:
    """The columns of an Arrow table by their names, each of which it has once."""
    names = [normal(name.strip()) for name in table.column_names]
    double = [name for name, count in Counter(names).items() if name and count > 1]
    if double:
        raise CommandError(fault("double-columns", source=source, names=double))
    # The index that pandas keeps beside the columns is none of the data.
    pairs = zip(names, table.columns, strict=True)
    return [(name, _text_of(array)) for name, array in pairs if not name.startswith(_INDEX)]


def columns_of_bytes(schema: pa.Schema) -> list[str]:
    """The columns that hold bytes, which other programs write for text (N63)."""
    return [field.name for field in schema if _are_bytes(field.type)]


def _are_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    are = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    return any(one(kind) for one in (*are, pa.types.is_binary_view))


def _text_of(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Bytes as text, where they are UTF-8 (N63)."""
    if not _are_bytes(array.type):
        return array
    plain = array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array
    try:
        return plain.cast(pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        return plain


def _array_of(series: pd.Series[Any]) -> pa.Array | pa.ChunkedArray:
    """A column of pandas; what is of several kinds is text."""
    if isinstance(series.dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    elif isinstance(series.dtype, pd.SparseDtype):
        series = pd.Series(np.asarray(series))
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        gone = series.isna()
        values = zip(series, gone, strict=True)
        return pa.array([None if no else format_value(value) for value, no in values])
