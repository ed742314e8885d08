"""How are labels changed and rows removed in a file, with all else in it as it was?"""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from csvor._decisions.decision import DROP, RELABEL, Decision
from csvor._faults.errors import CommandError, about
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.relabel import relabelled
from csvor._tables.review import Review
from csvor._utils.atomic_files import folder_written_whole, write_whole, written_whole
from csvor._utils.file_kinds import PARQUET, SURVEY, WORKBOOK
from csvor._utils.spelling import normal, same
from csvor.cli._files import write_table
from csvor.cli._paths import parquet_files
from csvor.cli._workbook_edit import write_edited_workbook
from csvor.cli.input._dialect import Dialect
from csvor.cli.input._survey import read_survey

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?")


def write_edited(
    source: str, dialect: Dialect | None, review: Review, out: str, sheet: str | None = None
) -> int:
    """Write the file `source` as a review has it; `-` is standard output.

    The kind of file stays: what is not changed of a CSV, divided as `dialect` says, stays the
    bytes that it was. Of a workbook, `sheet` changes, by default the first. Returns the number of
    rows that were written.
    """
    if Path(source).suffix.lower() in WORKBOOK:
        write_edited_workbook(source, sheet, review, out)
    elif Path(source).suffix.lower() in SURVEY:
        _write_survey(source, review, out)
    elif dialect is None:
        with written_whole(Path(out)) as part:
            _write_parquet(source, review, part)
    else:
        with about(source):
            edited = _edited_csv(source, dialect, review)
        if out == "-":
            sys.stdout.buffer.write(edited)
            sys.stdout.buffer.flush()
        else:
            write_whole(Path(out), edited)
    return review.n_rows - len(review.of(DROP))


def write_edited_folder(source: str, review: Review, out: str) -> int:
    """As `write_edited`, of a folder of Parquet files; those without changes are copied."""
    first = 0
    with folder_written_whole(Path(out)) as folder:
        for path in parquet_files(source):
            n_rows = pq.read_metadata(path).num_rows
            here, part = review.within(first, n_rows), folder / path.name
            if here.of(RELABEL, DROP):
                _write_parquet(str(path), here, part)
            else:
                shutil.copyfile(path, part)
            first += n_rows
    return review.n_rows - len(review.of(DROP))


def _edited_csv(source: str, dialect: Dialect, review: Review) -> bytes:
    delimiter = dialect.delimiter.encode()
    if delimiter == b" ":
        raise CommandError(fault("blanks-not-edited"))
    decided = {d.position: d for d in review.decisions}
    raw = Path(source).read_bytes()
    start = len(_BOM) if raw.startswith(_BOM) else 0
    for _ in range(dialect.n_above):
        above = _LINE.match(raw, start)
        assert above is not None  # the pattern takes what is empty
        start = above.end()
    sign = re.escape(delimiter)
    cell = rb'"[^"]*(?:""[^"]*)*"[^%b\r\n]*|[^%b\r\n]*' % (sign, sign)
    record = re.compile(rb"(?:%b)(?:%b(?:%b))*(?:\r\n|\r|\n|\Z)" % (cell, sign, cell))
    field = re.compile(cell)
    blank = b" \t\r\n".replace(delimiter, b"")
    parts, label_cell, row = [raw[:start]], None, 0
    for match in record.finditer(raw, start):
        line = match.group()
        if not line.strip(blank) or (
            row == review.n_rows and not line.replace(delimiter, b"").strip()
        ):
            pass
        elif label_cell is None:
            names = [_value(line[a:b]) for a, b in _spans(line, field)]
            label_cell = names.index(review.target) + dialect.shift
        else:
            if row in decided:
                line = _as_decided(line, _spans(line, field)[label_cell], decided[row], delimiter)
            row += 1
        parts.append(line)
    if row != review.n_rows:
        raise CommandError(fault("unclear-cells", row_=""))
    return b"".join(parts)


def _as_decided(line: bytes, span: tuple[int, int], decision: Decision, delimiter: bytes) -> bytes:
    """A row as it is to be written, with its label in `span`: nothing of one that is dropped."""
    a, b = span
    if not same(_value(line[a:b]), decision.old_label):
        raise CommandError(fault("unclear-cells", row_=f"row {decision.row}: "))
    if decision.decision == DROP:
        return b""
    if decision.decision == RELABEL:
        return line[:a] + _with_label(line[a:b], decision.label, delimiter.decode()) + line[b:]
    return line


def _spans(line: bytes, field: re.Pattern[bytes]) -> list[tuple[int, int]]:
    """Where the cells of a record lie."""
    spans, start = [], 0
    while True:
        match = field.match(line, start)
        assert match is not None  # the pattern takes what is empty
        spans.append(match.span())
        start = match.end() + 1
        if start > len(line) or line[match.end() : start] in b"\r\n":
            return spans


def _value(cell: bytes) -> str:
    """The text of a cell, as the reader takes it."""
    text = cell.decode("utf-8")
    if text.startswith('"'):
        inner, _, rest = text[1:].rpartition('"')
        text = inner.replace('""', '"') + rest
    return normal(text.strip())


def _with_label(cell: bytes, label: str, delimiter: str) -> bytes:
    """The cell with another label, in quotes and among blanks as it was."""
    head = cell[: len(cell) - len(cell.lstrip())]
    tail = cell[len(cell.rstrip()) :]
    needs_quotes = any(sign in label for sign in ('"', "\r", "\n", delimiter))
    if needs_quotes or cell.strip().startswith(b'"'):
        label = '"' + label.replace('"', '""') + '"'
    return head + label.encode() + tail


def _write_survey(source: str, review: Review, out: str) -> None:
    """A table with labels in place of codes, in Parquet as categories in their order."""
    table = _as_reviewed(read_survey(source, Notes())[0], source, review)
    if Path(out).suffix.lower() in PARQUET:
        with written_whole(Path(out)) as part:
            pq.write_table(table, part)
    else:
        names = map(str.strip, table.column_names)
        columns = [column.to_pylist() for column in table.columns]
        write_table(out, dict(zip(names, columns, strict=True)))


def _write_parquet(source: str, review: Review, part: Path) -> None:
    """The types, and about as many rows in a row group, as there were."""
    table = pq.read_table(source).unify_dictionaries()
    stored = pq.read_metadata(source)
    largest = max(stored.row_group(i).num_rows for i in range(stored.num_row_groups))
    pq.write_table(_as_reviewed(table, source, review), part, row_group_size=largest)


def _as_reviewed(table: pa.Table, source: str, review: Review) -> pa.Table:
    """The table with new labels, and without the rows that are dropped."""
    position = [normal(name.strip()) for name in table.column_names].index(review.target)
    new = {d.position: d.label for d in review.of(RELABEL)}
    with about(source):
        values = relabelled(table.column(position).combine_chunks(), new)
    table = table.set_column(position, table.schema.field(position), values)
    is_kept = np.ones(table.num_rows, dtype=bool)
    is_kept[review.positions(DROP)] = False
    return table.filter(pa.array(is_kept))
