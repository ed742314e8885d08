"""How does a file of any kind become a table?"""

import io
import re
import sys
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.json as pa_json

from csvor._faults.errors import CommandError, UsageError, unreadable
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.frames import columns_of_bytes, named_arrays
from csvor._tables.header_rows import refuse_further_headers
from csvor._tables.table import Table, TableColumn, as_column
from csvor._utils.file_kinds import (
    EXCEL,
    FEATHER,
    JSON_LINES,
    PARQUET,
    READ,
    SURVEY,
    TEXT,
    WRITTEN,
    kind_of,
)
from csvor._utils.spelling import normal
from csvor.cli._paths import check_input, refuse_layout
from csvor.cli.input._cells import Cells
from csvor.cli.input._csv import read_csv
from csvor.cli.input._dialect import Dialect, delimiter_of
from csvor.cli.input._excel import read_excel
from csvor.cli.input._parquet import read_parquet
from csvor.cli.input._survey import ORDER, read_survey

_DEEPEST = 100
# Rows that may stand above the names.
_MOST_ABOVE = 50


@dataclass(frozen=True)
class ReadOptions:
    """How a file is to be read, where a user says so.

    Columns of a text file that are in `texts` are left as they were written; None is all. `sheet`
    is that of a workbook, by default the first, `target` a column that there must be.
    """

    delimiter: str | None = None
    texts: Collection[str] | None = None
    sheet: str | None = None
    target: str | None = None


def read_table(source: str, notes: Notes, asked: ReadOptions | None = None) -> Table:
    """Read `source`, a file name or `-` for CSV on standard input."""
    asked = asked or ReadOptions()
    name = "standard input" if source == "-" else source
    suffix = ".csv" if source == "-" else kind_of(source)
    if suffix not in READ:
        others = ", ".join(ending for ending in READ if ending not in WRITTEN)
        raise UsageError(fault("no-table", source=name, others=others))
    check_input(source)
    sheet = None if suffix in EXCEL else asked.sheet
    refuse_layout(name, None if suffix in TEXT else asked.delimiter, sheet)
    dialect = None
    if suffix in TEXT:
        dialect, columns = _text_columns(source, name, TEXT[suffix], asked, notes)
        first_line = 0 if source == "-" else dialect.first_line
    else:
        columns, first_line = _typed_columns(source, suffix, asked.sheet, notes)
    n_rows = len(columns[0].values) if columns else 0
    if not n_rows:
        raise CommandError(fault("no-rows-below-names" if columns else "no-rows", source=name))
    if asked.target is not None:
        _refuse_lines_above_names(name, columns, normal(asked.target))
    refuse_further_headers(name, columns)
    for position, column in enumerate(columns, start=1):
        # Of a name that is lacking, the dialect has spoken.
        if not column.name and not (dialect and len(dialect.names) > dialect.n_named):
            notes.add(fault("nameless-column", source=name, position=position))
    return Table(name, {c.name: c for c in columns if c.name}, n_rows, dialect, first_line)


def _refuse_lines_above_names(source: str, columns: list[TableColumn], target: str) -> None:
    """Refuse a table whose names stand in a row, below a title (N62)."""
    targets = {target, *(part.strip() for part in target.split(","))}
    if targets.isdisjoint(column.name for column in columns):
        for row in range(min(_MOST_ABOVE, len(columns[0].values))):
            cells = {normal(str(column.values[row].as_py()).strip()) for column in columns}
            for name in sorted(targets & cells):
                raise CommandError(fault("names-below", source=source, name=name, row=row + 1))


def _text_columns(
    source: str, name: str, usual_sign: str, asked: ReadOptions, notes: Notes
) -> tuple[Dialect, list[TableColumn]]:
    sign = None if asked.delimiter is None else delimiter_of(asked.delimiter)
    texts = None if asked.texts is None else {normal(text) for text in asked.texts}
    if source == "-":
        raw = sys.stdin.buffer.read()
        dialect, cells = read_csv(lambda: io.BytesIO(raw), name, usual_sign, sign, texts, notes)
    else:
        path = Path(source)
        dialect, cells = read_csv(lambda: path.open("rb"), name, usual_sign, sign, texts, notes)
    n_rows = len(cells[0])
    n_blank = _n_blank_rows(cells)
    if n_blank and n_blank < n_rows:
        notes.add(fault("blank-rows", source=name, n=n_blank))
        n_rows -= n_blank
    columns = [one.column(n_rows) for one in cells]
    pa.default_memory_pool().release_unused()
    return dialect, columns


def _n_blank_rows(cells: list[Cells]) -> int:
    """How many rows at the end are blank in all columns; of one column, blanks are values."""
    if len(cells) < 2:
        return 0
    n_blank = len(cells[0])
    for one in cells:
        n_blank = one.n_blank_at_end(n_blank)
    return n_blank


def _typed_columns(
    source: str, suffix: str, sheet: str | None, notes: Notes
) -> tuple[list[TableColumn], int]:
    """The columns, and the line of row 1 in a sheet."""
    no_order, titles, first_line = dict[str, str](), dict[str, str](), 0
    if suffix in PARQUET:
        table, no_order = read_parquet(source)
    elif suffix in FEATHER:
        table = _read_feather(source)
    elif suffix in JSON_LINES:
        table = _read_json_lines(source)
    elif suffix in SURVEY:
        table, titles = read_survey(source, notes)
    else:
        table, first_line = read_excel(source, sheet, notes)
    as_text = columns_of_bytes(table.schema)
    columns = [
        as_column(name, array, no_order.get(name, "") or _unlike_lists(array))
        for name, array in named_arrays(table, source)
    ]
    texts = [one.name for one in columns if one.kind == "text" and one.name in as_text]
    if texts:
        notes.add(fault("bytes-as-text", source=source, n=len(texts), names=texts))
    if suffix in SURVEY:
        columns = [replace(c, order=ORDER, title=titles.get(c.name, "")) for c in columns]
    return columns, first_line


def _unlike_lists(array: pa.ChunkedArray) -> str:
    """Why an ordered category has no order: parts of the file list its values differently."""
    if not (pa.types.is_dictionary(array.type) and array.type.ordered) or array.num_chunks < 2:
        return ""
    first = array.chunk(0).dictionary
    unlike = any(not chunk.dictionary.equals(first) for chunk in array.chunks)
    return "parts of the file list its values differently" if unlike else ""


def _read_feather(source: str) -> pa.Table:
    """The table of a Feather (Arrow IPC) file."""
    try:
        return pa_feather.read_table(source, memory_map=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise unreadable(source, "Feather file", error) from None


def _read_json_lines(source: str) -> pa.Table:
    """The table of a file with one JSON object a line."""
    with Path(source).open("rb") as file:
        for number, line in enumerate(file, start=1):
            # Arrow reads each level in a call within a call, and has no end of them (N73).
            if line.count(b"[") + line.count(b"{") > _DEEPEST and _depth(line) > _DEEPEST:
                raise CommandError(fault("nested-json", source=source, line=number))
    try:
        return pa_json.read_json(source)
    except pa.ArrowInvalid as error:
        raise CommandError(fault("unreadable-json", source=source, why=str(error))) from None


def _depth(line: bytes) -> int:
    """How many brackets are open at most, those in quotation marks aside."""
    opens = re.sub(rb'"(?:[^"\\]|\\.)*"|[^][{}]', b"", line)
    return max(accumulate((1 if sign in b"[{" else -1) for sign in opens), default=0)
