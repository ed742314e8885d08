"""CSV as text: every cell as it was written, every fault with its place."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import NoReturn

import pyarrow as pa
import pyarrow.csv as pa_csv

from csvor.cli._errors import CommandError, UsageError, listed, plural

_BLOCK = 1 << 24


def read_csv(raw: bytes, name: str, delimiter: str) -> tuple[list[str], list[pa.ChunkedArray]]:
    """The column names of the first line, and the text of each column below it.

    Blank lines are passed over. Surrounding spaces belong to neither names nor cells.
    """
    raw = _utf8(raw, name)
    header, n_lines = _header(raw, name, delimiter)
    _check_names(header, name, delimiter)
    if raw.count(b'"') % 2:
        _check_quotes(raw, name, delimiter)
    keys = [str(i) for i in range(len(header))]
    faulty: list[pa_csv.InvalidRow] = []

    def stop(row: pa_csv.InvalidRow) -> str:
        faulty.append(row)
        return "error"

    for threads in (True, False):
        try:
            table = pa_csv.read_csv(
                pa.BufferReader(raw),
                read_options=pa_csv.ReadOptions(
                    column_names=keys, skip_rows=n_lines, use_threads=threads, block_size=_BLOCK
                ),
                parse_options=pa_csv.ParseOptions(
                    delimiter=delimiter, newlines_in_values=True, invalid_row_handler=stop
                ),
                convert_options=pa_csv.ConvertOptions(
                    column_types=dict.fromkeys(keys, pa.string()), strings_can_be_null=False
                ),
            )
            return header, table.columns
        except pa.ArrowInvalid as error:
            # Only the reader with one thread counts the rows.
            if faulty and threads:
                faulty.clear()
                continue
            _refuse(error, faulty, name, n_lines)
    raise AssertionError("unreachable")


def _utf8(raw: bytes, name: str) -> bytes:
    """`raw` without a byte order mark, if it is UTF-8 text; an error that says where not."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CommandError(f"{name}: this is UTF-16 text; save it as CSV in UTF-8")
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        if not raw.isascii():
            raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise CommandError(
            f"{name}, line {line}: byte 0x{raw[error.start]:02x} (byte {error.start + 1} of the "
            "file) is not UTF-8 text; save the file as CSV in UTF-8"
        ) from None
    if b"\x00" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\x00")) + 1
        raise CommandError(f"{name}, line {line}: holds a NUL byte, so this is not a CSV file")
    return raw


def _header(raw: bytes, name: str, delimiter: str) -> tuple[list[str], int]:
    """The names in the first line that is not blank, and the number of lines up to there."""
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(raw), "utf-8", newline=""), delimiter=delimiter)
    for cells in reader:
        if cells:
            return [cell.strip() for cell in cells], reader.line_num
    raise CommandError(f"{name}: the file is empty; its first line must name the columns")


def _check_names(header: list[str], name: str, delimiter: str) -> None:
    double = [column for column, count in Counter(header).items() if column and count > 1]
    if double:
        raise CommandError(
            f"{name}: the first line names {listed(double)} more than once; rename one of them"
        )
    other = next((c for c in ";\t,|" if c != delimiter and c in header[0]), None)
    if len(header) == 1 and other is not None:
        shown = {"\t": "tabs", ",": "commas"}.get(other, f"'{other}'")
        remedy = "name it .tsv" if other == "\t" else "save it with commas (.csv) or tabs (.tsv)"
        raise CommandError(f"{name}: the columns seem to be separated by {shown}; {remedy}")


def _check_quotes(raw: bytes, name: str, delimiter: str) -> None:
    """Refuse a quotation that never ends: it would swallow the rows below it."""
    ended = False

    def lines() -> Iterator[str]:
        nonlocal ended
        yield from io.TextIOWrapper(io.BytesIO(raw), "utf-8", newline="")
        ended = True

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    started = 1
    try:
        for _ in reader:
            started = reader.line_num + 1
    except csv.Error:
        # Other faults are found in a line, before another one is asked for.
        if ended:
            raise CommandError(
                f'{name}, line {started}: a quotation mark (") is opened and never closed'
            ) from None


def _refuse(
    error: pa.ArrowInvalid, faulty: list[pa_csv.InvalidRow], name: str, n_lines: int
) -> NoReturn:
    if not faulty:
        raise CommandError(f"{name}: {error}") from None
    row = faulty[0]
    where = "" if row.number is None else f", row {row.number - n_lines}"
    raise CommandError(
        f"{name}{where}: {plural(row.actual_columns, 'cell')} where the first line names "
        f"{plural(row.expected_columns, 'column')} ({row.text[:60]!r}); put cells "
        "that hold the delimiter in quotes"
    ) from None


def split_list(text: str, option: str) -> list[str]:
    """The entries of a comma-separated option; quotes protect commas."""
    try:
        (cells,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise UsageError(f"{option} {text!r}: give the entries with commas between them") from None
    cells = [cell.strip() for cell in cells]
    if not cells or not all(cells):
        raise UsageError(f"{option} {text!r}: an entry is blank")
    double = sorted({cell for cell in cells if cells.count(cell) > 1})
    if double:
        raise UsageError(f"{option} {text!r}: {listed(double)} stands there more than once")
    return cells
