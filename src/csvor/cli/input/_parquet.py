"""Parquet: the columns, and whether the order of an ordered category is stored with it."""

from collections.abc import Iterable
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from csvor._faults.errors import unreadable
from csvor._tables.frames import named_arrays

# The longest header of a dictionary page, which has no statistics, is far shorter.
_HEADER = 256


def read_parquet(source: str) -> tuple[pa.Table, dict[str, str]]:
    """The table, and why the order of some of its ordered categories cannot be relied on."""
    try:
        # pq.read_table refuses names that are there twice in words of its own.
        named_arrays(pq.read_schema(source).empty_table(), source)
        table = pq.read_table(source)
        ordered = [
            field.name
            for field in table.schema
            if pa.types.is_dictionary(field.type) and field.type.ordered
        ]
        if not ordered:
            return table, {}
        with pq.ParquetFile(source) as file, open(source, "rb") as raw:
            groups = range(file.metadata.num_row_groups)
            why = {name: why_no_order(file, raw, name, groups) for name in ordered}
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise unreadable(source, "Parquet file", error) from None
    return table, {name: text for name, text in why.items() if text}


def why_no_order(file: pq.ParquetFile, raw: BinaryIO, name: str, groups: Iterable[int]) -> str:
    """What is wrong with the list of a category that some row groups hold (N40): "" if nothing is.

    A reader puts values that are in no list behind it, in the order in which they come.
    """
    first: list[Any] | None = None
    for group in groups:
        stored = file.metadata.row_group(group)
        places = range(stored.num_columns)
        (meta,) = (stored.column(i) for i in places if stored.column(i).path_in_schema == name)
        if not stored.num_rows:
            continue
        if not meta.has_dictionary_page:
            return f"row group {group + 1} of the file holds no list of its values"
        for chunk in file.read_row_group(group, columns=[name]).column(0).chunks:
            levels = chunk.dictionary.to_pylist()
            if len(levels) != _n_listed(raw, meta.dictionary_page_offset):
                return f"the list of row group {group + 1} of the file lacks values that it has"
            first = levels if first is None else first
            if levels != first:
                return f"row groups 1 and {group + 1} of the file list the values differently"
    return ""


def _n_listed(raw: BinaryIO, offset: int) -> int:
    """The number of values of a dictionary page, by its header (Thrift, compact protocol)."""
    raw.seek(offset)
    header = iter(raw.read(_HEADER))

    def varint() -> int:
        value = shift = 0
        while True:
            byte = next(header)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    field = 0
    while True:
        byte = next(header)
        # The upper half is the distance from the last field, the lower the type: 12 is a struct,
        # here that of the dictionary (field 7), whose first field is the number (zigzag).
        field += byte >> 4
        if byte & 0x0F == 12 and field == 7:
            next(header)
            return varint() >> 1
        varint()
