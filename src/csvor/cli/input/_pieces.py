"""Which pieces have Parquet files that are not read at once, and how is one of them read?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from csvor._faults.errors import CommandError, unreadable
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.frames import columns_of_bytes, named_arrays
from csvor._tables.table import Table, as_column
from csvor._utils.spelling import normal
from csvor.cli._paths import other_tables, parquet_files
from csvor.cli.input._parquet import why_no_order


@dataclass(frozen=True)
class Piece:
    """A row group of a file; `first` is its first row, counted from 0 through all files."""

    path: str
    group: int
    first: int
    n_rows: int

    @property
    def rows(self) -> NDArray[np.int64]:
        """Which rows it holds."""
        return np.arange(self.first, self.first + self.n_rows)

    def plain(self) -> pa.Table:
        """Its columns, categories as the values that they stand for; read anew with each call."""
        try:
            with pq.ParquetFile(self.path) as file:
                arrays = named_arrays(file.read_row_group(self.group), self.path)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
            raise unreadable(self.path, "Parquet file", error) from None
        return pa.table(
            {
                name: array.cast(array.type.value_type)
                if pa.types.is_dictionary(array.type)
                else array.combine_chunks()
                for name, array in arrays
            }
        )

    def order_of(self, name: str) -> tuple[tuple[object, ...] | None, str]:
        """The values of an ordered category, lowest first, or why its order does not count."""
        with pq.ParquetFile(self.path) as file, open(self.path, "rb") as raw:
            fields = {normal(field.name.strip()): field for field in file.schema_arrow}
            kind = fields[name].type if name in fields else None
            if kind is None or not (pa.types.is_dictionary(kind) and kind.ordered):
                return None, ""
            why = why_no_order(file, raw, fields[name].name, [self.group])
            if why:
                return None, why
            column = file.read_row_group(self.group, columns=[fields[name].name]).column(0)
        return tuple(column.chunk(0).dictionary.to_pylist()), ""


def pieces_of(source: str, notes: Notes) -> list[Piece]:
    """The row groups, those that have no row left out, of a Parquet file or a folder of such."""
    others = other_tables(source)
    if others:
        notes.add(fault("other-tables", source=source, names=others))
    files = parquet_files(source) if Path(source).is_dir() else [Path(source)]
    pieces: list[Piece] = []
    first = 0
    texts = columns_of_bytes(_schema(files[0])) if files else []
    if texts:
        notes.add(fault("bytes-as-text", source=source, n=len(texts), names=texts))
    for path in files:
        try:
            metadata = pq.read_metadata(path)
        except (pa.ArrowInvalid, OSError) as error:
            raise unreadable(str(path), "Parquet file", error) from None
        for group in range(metadata.num_row_groups):
            n_rows = metadata.row_group(group).num_rows
            if n_rows:
                pieces.append(Piece(str(path.resolve()), group, first, n_rows))
            first += n_rows
    if not pieces:
        raise CommandError(fault("no-rows", source=source))
    return pieces


def _schema(path: str | Path) -> pa.Schema:
    try:
        return pq.read_schema(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise unreadable(str(path), "Parquet file", error) from None


def columns_of(source: str, pieces: Sequence[Piece]) -> Table:
    """None of the rows, but each column that the files have; refused where some lack it."""
    names_in: dict[str, set[str]] = {}
    for path in dict.fromkeys(piece.path for piece in pieces):
        schema = _schema(path)
        names_in[path] = {name for name, _ in named_arrays(schema.empty_table(), path) if name}
    known = dict.fromkeys(sorted(set().union(*names_in.values())))
    for path, names in names_in.items():
        lacking = [name for name in known if name not in names]
        if lacking:
            shown = Path(source, Path(path).name) if Path(source).is_dir() else source
            raise CommandError(
                f"{shown} has no column '{lacking[0]}', which other files have; add it, or leave "
                "the file out"
            )
    empty = pa.array([], pa.large_string())
    return Table(source, {name: as_column(name, empty) for name in known}, 0)


def table_of(
    arrays: pa.Table, rows: NDArray[np.int64], source: str, n_rows: int | None = None
) -> Table:
    """Some rows, as the commands know a table; `n_rows` are all rows of the `source`."""
    pairs = zip(arrays.column_names, arrays.columns, strict=True)
    columns = [replace(as_column(name, array), row_numbers=rows) for name, array in pairs if name]
    n_rows = len(rows) if n_rows is None else n_rows
    return Table(source, {column.name: column for column in columns}, n_rows)


def alike(arrays: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """The columns of a piece in the types that they have in all pieces together."""
    return arrays.select(list(types)).cast(pa.schema(list(types.items())))
