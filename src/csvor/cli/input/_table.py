"""Tables as they come in: files of several kinds made one thing, columns of known kinds."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from csvor.cli._errors import CommandError, UsageError, listed, nearest
from csvor.cli._notes import Notes
from csvor.cli._paths import check_input
from csvor.cli.input._csv import read_csv

Kind = Literal["text", "number", "bool", "dates", "lists"]
# What stands for "no value" in a column of numbers; R and pandas write the later ones.
BLANK = ("", "NA", "NaN", "nan")
SUFFIXES = {".csv": ",", ".tsv": "\t", ".parquet": "", ".pq": ""}


@dataclass(frozen=True)
class Column:
    """One column: its name, what it holds, and its values as Arrow has them.

    `levels` are the values of an ordered category, lowest first.
    """

    name: str
    kind: Kind
    values: pa.Array
    levels: tuple[Any, ...] | None = None

    @cached_property
    def coded(self) -> tuple[NDArray[np.int64], list[str]]:
        """Codes into the distinct texts, in the order in which they come; a blank is ""."""
        values = pc.utf8_trim_whitespace(self.values) if self.kind == "text" else self.values
        encoded = values.dictionary_encode(null_encoding="encode")
        found = ["" if value is None else shown(value) for value in encoded.dictionary.to_pylist()]
        texts = {text: code for code, text in enumerate(dict.fromkeys(found))}
        codes = np.array([texts[text] for text in found], dtype=np.int64)
        return codes[encoded.indices.to_numpy(zero_copy_only=False)], list(texts)

    @cached_property
    def numbers(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The values as numbers, NaN where blank, and which are neither number nor blank."""
        none = np.zeros(len(self.values), dtype=bool)
        if self.kind != "text":
            return self.values.cast(pa.float64()).to_numpy(zero_copy_only=False), none
        trimmed = pc.utf8_trim_whitespace(self.values)
        blank = pc.is_in(trimmed, pa.array(BLANK, pa.large_string()))
        try:
            parsed = pc.if_else(blank, None, trimmed).cast(pa.float64())
            return parsed.to_numpy(zero_copy_only=False), none
        except pa.ArrowInvalid:
            codes, texts = self.coded
            values = np.array([np.nan if t in BLANK else as_number(t) for t in texts], dtype=float)
            wrong = np.array(
                [np.isnan(v) and t not in BLANK for v, t in zip(values, texts, strict=True)]
            )
            return values[codes], wrong[codes]

    def take(self, rows: NDArray[np.int64]) -> "Column":
        """The column at these positions."""
        if np.array_equal(rows, np.arange(len(self.values))):
            return self
        return Column(self.name, self.kind, self.values.take(pa.array(rows)), self.levels)


@dataclass(frozen=True)
class Table:
    """Columns of one length; `source` is the name used in messages."""

    source: str
    columns: dict[str, Column]
    n_rows: int

    def column(self, name: str, option: str) -> Column:
        """The column that an option names."""
        if name not in self.columns:
            known = list(self.columns)
            several = all(part.strip() in known for part in name.split(","))
            hint = f"give {option} once for each column" if several else nearest(name, known)
            raise UsageError(f"{self.source} has no column '{name}' ({option}); {hint}")
        return self.columns[name]


def as_number(text: str) -> float:
    """The number that `text` is, NaN if it is none."""
    try:
        return float(text) if "_" not in text and text.isascii() else math.nan
    except ValueError:
        return math.nan


def shown(value: Any) -> str:
    """A value as it stands in messages and files: whole numbers without a point."""
    if isinstance(value, float | np.floating):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    return str(value)


def read_table(source: str, notes: Notes) -> Table:
    """Read `source`, a file name or `-` for CSV on standard input."""
    name = "standard input" if source == "-" else source
    suffix = ".csv" if source == "-" else Path(source).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"{name}: csvor reads .csv, .tsv and .parquet files (and - for CSV)")
    check_input(source)
    if suffix in {".parquet", ".pq"}:
        names, arrays = _read_parquet(source)
    else:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        names, arrays = read_csv(raw, name, SUFFIXES[suffix])
    n_rows = len(arrays[0]) if arrays else 0
    if not n_rows:
        raise CommandError(f"{name}: there are no rows" + " below the first line" * bool(names))
    for place, column in enumerate(names, start=1):
        if not column:
            notes.add(f"column {place} of {name} has no name and is left out")
    pairs = zip(names, arrays, strict=True)
    columns = {column: as_column(column, array) for column, array in pairs if column}
    return Table(name, columns, n_rows)


def _read_parquet(source: str) -> tuple[list[str], Sequence[pa.ChunkedArray]]:
    try:
        table = pq.read_table(source)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise CommandError(f"{source}: not a readable Parquet file ({error})") from None
    double = sorted({n for n in table.column_names if table.column_names.count(n) > 1})
    if double:
        raise CommandError(f"{source}: {listed(double)} names more than one column; rename one")
    # The index that pandas keeps beside the columns is none of the data.
    kept = [n for n in table.column_names if not n.startswith("__index_level_")]
    return kept, [table[n] for n in kept]


def as_column(name: str, array: pa.Array | pa.ChunkedArray) -> Column:
    """Give an Arrow array one of the kinds that csvor knows."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # of no chunks, or too large for one
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    levels = None
    if pa.types.is_dictionary(array.type):
        levels = tuple(array.dictionary.to_pylist()) if array.type.ordered else None
        array = array.dictionary_decode()
    kind = _kind(array.type)
    if kind == "text":
        array = array.cast(pa.large_string())
    if kind == "number" and pa.types.is_decimal(array.type):
        array = array.cast(pa.float64())
    return Column(name, kind, array, levels)


def _kind(kind: pa.DataType) -> Kind:
    is_a = pa.types
    if is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_null(kind):
        return "text"
    if getattr(is_a, "is_string_view", lambda _: False)(kind):
        return "text"
    if is_a.is_boolean(kind):
        return "bool"
    if is_a.is_integer(kind) or is_a.is_floating(kind) or is_a.is_decimal(kind):
        return "number"
    return "dates" if is_a.is_temporal(kind) else "lists"
