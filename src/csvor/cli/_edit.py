"""How are labels changed and rows removed in a file, with all else in it as it was?"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from csvor._utils.atomic_files import written_whole
from csvor.cli._errors import CommandError
from csvor.cli.input._decisions import DROP, RELABEL, Decision, Review, same
from csvor.cli.input._relabel import relabelled
from csvor.cli.input._table import SUFFIXES

_BOM = b"\xef\xbb\xbf"


def write_edited(source: str, review: Review, out: str) -> int:
    """Write the file `source` as a review has it; `-` is standard output.

    The kind of file stays: what is not changed of a CSV stays the bytes that it was.

    Returns
    -------
    n_rows : int
        Of what was written.
    """
    delimiter = SUFFIXES[Path(source).suffix.lower()]
    if not delimiter:
        with written_whole(Path(out)) as part:
            return _write_parquet(source, review, part)
    edited = _edited_csv(source, delimiter.encode(), review)
    if out == "-":
        n_rows = _write(sys.stdout.buffer, edited)
        sys.stdout.buffer.flush()
        return n_rows
    with written_whole(Path(out)) as part, part.open("xb") as file:
        return _write(file, edited)


def _write(file: BinaryIO, records: Iterator[tuple[bytes, bool]]) -> int:
    n_rows = 0
    for record, is_row in records:
        file.write(record)
        n_rows += is_row
    return n_rows


def _edited_csv(source: str, delimiter: bytes, review: Review) -> Iterator[tuple[bytes, bool]]:
    """The records to write, and whether each is a row; blank lines and the header are none."""
    new = {d.position: d for d in review.of(RELABEL)}
    dropped = set(review.positions(DROP).tolist())
    raw = Path(source).read_bytes()
    start = len(_BOM) if raw.startswith(_BOM) else 0
    yield raw[:start], False
    cell = rb'"[^"]*(?:""[^"]*)*"[^%b\r\n]*|[^%b\r\n]*' % (delimiter, delimiter)
    field = re.compile(cell)
    record = re.compile(rb"(?:%b)(?:%b(?:%b))*(?:\r\n|\r|\n|\Z)" % (cell, delimiter, cell))
    place, row = None, 0
    for found in record.finditer(raw, start):
        line = found.group()
        if not line.strip(b"\r\n"):
            yield line, False
        elif place is None:
            names = [_value(line[a:b]) for a, b in _spans(line, field)]
            place = names.index(review.target)
            yield line, False
        else:
            if row in new:
                a, b = _spans(line, field)[place]
                line = line[:a] + _changed(line[a:b], new[row], delimiter, source) + line[b:]
            if row not in dropped:
                yield line, True
            row += 1


def _spans(line: bytes, field: re.Pattern[bytes]) -> list[tuple[int, int]]:
    """Where the cells of a record lie."""
    spans, at = [], 0
    while True:
        found = field.match(line, at)
        assert found is not None  # the pattern takes what is empty
        spans.append(found.span())
        at = found.end() + 1
        if at > len(line) or line[found.end() : at] in b"\r\n":
            return spans


def _value(cell: bytes) -> str:
    """The text of a cell, as the reader takes it."""
    text = cell.decode("utf-8")
    if text.startswith('"'):
        inner, _, rest = text[1:].rpartition('"')
        text = inner.replace('""', '"') + rest
    return text.strip()


def _changed(cell: bytes, decision: Decision, delimiter: bytes, source: str) -> bytes:
    """The cell with the new label, in quotes and among blanks as it was."""
    if not same(_value(cell), decision.given):
        raise CommandError(
            f"{source}: the cells of row {decision.row} cannot be told apart; put those that hold "
            "quotation marks or line breaks in quotes"
        )
    head = cell[: len(cell) - len(cell.lstrip())]
    tail = cell[len(cell.rstrip()) :]
    label = decision.label
    needs = any(sign in label for sign in ('"', "\r", "\n", delimiter.decode()))
    if needs or cell.strip().startswith(b'"'):
        label = '"' + label.replace('"', '""') + '"'
    return head + label.encode() + tail


def _write_parquet(source: str, review: Review, part: Path) -> int:
    table = pq.read_table(source).unify_dictionaries()
    place = table.schema.get_field_index(review.target)
    new = {d.position: d.label for d in review.of(RELABEL)}
    values = relabelled(table.column(place).combine_chunks(), new)
    table = table.set_column(place, table.schema.field(place), values)
    kept = np.ones(table.num_rows, dtype=bool)
    kept[review.positions(DROP)] = False
    table = table.filter(pa.array(kept))
    pq.write_table(table, part)
    return int(table.num_rows)
