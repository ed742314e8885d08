"""CSV: columns of numbers where all cells are plain ones, else the texts as they were written."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from csvor._faults.errors import CommandError, Faults, UsageError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.spelling import normal
from csvor._utils.words import plural
from csvor.cli.input._cells import Cells
from csvor.cli.input._dialect import Dialect, find_dialect, trimmed
from csvor.cli.input._packed import Opener, unpacked
from csvor.cli.input._text_checks import check_bytes, check_quotes, head_of

# The parts in which a file is read have to hold its longest row; few have one beyond the first.
_BLOCKS = (1 << 20, 1 << 28)
# Of all of Python: cells may be as long for its reader, too.
csv.field_size_limit(_BLOCKS[-1])


def read_csv(
    opened: Opener,
    name: str,
    usual_sign: str,
    delimiter: str | None,
    texts: Collection[str] | None,
    notes: Notes,
) -> tuple[Dialect, list[Cells]]:
    """How a file is divided, and the cells of its columns.

    Blank lines are passed over. Surrounding blanks belong to neither names nor cells. Columns that
    are in `texts` (None is all) are left as they were written. `opened` gives the bytes anew.
    """
    opened = unpacked(opened, name, notes)
    n_lines, n_quotes = check_bytes(opened, name)
    head = head_of(opened)
    dialect = find_dialect(head, name, usual_sign, delimiter, notes)
    _check_names(dialect, name)
    has_blank = n_quotes % 2 == 1 and check_quotes(opened, name, dialect, notes)
    # A block holds the lines above the rows, and a row (N75).
    for block in sorted({max(_BLOCKS[0], 4 * len(head.partition("\n")[0])), _BLOCKS[1]}):
        try:
            cells = _cells(partial(_read_into, opened, name, dialect, block), dialect.names, texts)
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error) or block == _BLOCKS[-1]:
                raise CommandError(f"{name}: {error}") from None
        else:
            break
    if n_quotes % 2 == 0 and n_lines > dialect.n_lines + len(cells[0]):
        has_blank = not n_quotes or check_quotes(opened, name, dialect, notes)
    return replace(dialect, first_line=0) if has_blank else dialect, cells


def _cells(
    read_into: Callable[[Sequence[Cells], Sequence[int]], None],
    names: Sequence[str],
    texts: Collection[str] | None,
) -> list[Cells]:
    """The cells of all columns; what turns out to be needed as text is read once more."""
    cells = [Cells(name, as_text=texts is None or name in texts) for name in names]
    read_into(cells, range(len(cells)))
    for one in cells:
        one.end()
    late = [i for i, one in enumerate(cells) if one.must_be_read_as_text]
    if late:
        for i in late:
            cells[i] = Cells(cells[i].name, as_text=True)
        read_into(cells, late)
    return cells


def _read_into(
    opened: Opener,
    name: str,
    dialect: Dialect,
    block: int,
    cells: Sequence[Cells],
    wanted: Sequence[int],
) -> None:
    """Give the columns that are `wanted` their cells, part by part.

    All of a file as text at once would need several times its memory.
    """
    n_lines, sign = dialect.n_lines, dialect.delimiter
    source = opened
    if sign == " ":
        source, n_lines, sign = partial(_with_commas, opened, n_lines), 0, ","
    keys = [str(i) for i in range(len(cells))]
    ragged = _Ragged(name, dialect)
    with source() as file:
        try:
            reader = pa_csv.open_csv(
                file,
                pa_csv.ReadOptions(
                    column_names=keys, skip_rows=n_lines, use_threads=False, block_size=block
                ),
                pa_csv.ParseOptions(
                    delimiter=sign, newlines_in_values=True, invalid_row_handler=ragged.take
                ),
                pa_csv.ConvertOptions(
                    column_types=dict.fromkeys(keys, pa.string()),
                    strings_can_be_null=False,
                    include_columns=[keys[i] for i in wanted],
                ),
            )
            for batch in reader:
                for number, column in zip(wanted, batch.columns, strict=True):
                    cells[number].add(column)
        except pa.ArrowInvalid as error:
            # A file without a row, too, is none that Arrow can divide.
            if not str(error).startswith(("Empty CSV", "Could not skip initial")):
                raise
    ragged.refuse()


class _Ragged:
    """Collects the rows that have more or fewer cells than there are names."""

    def __init__(self, name: str, dialect: Dialect) -> None:
        self.name, self.dialect = name, dialect
        self.n_blank = 0
        self.ragged: list[tuple[int, pa_csv.InvalidRow]] = []

    def take(self, row: pa_csv.InvalidRow) -> str:
        """Pass over a row of blanks, and over others to be told of at the end."""
        if row.text.strip():
            n_lines = 0 if self.dialect.delimiter == " " else self.dialect.n_lines
            self.ragged.append((row.number - n_lines - self.n_blank, row))
        else:
            self.n_blank += 1
        return "skip"

    def refuse(self) -> None:
        """Raise what was found, the rows of one width together."""
        faults = Faults()
        for width in dict.fromkeys(row.actual_columns for _, row in self.ragged):
            rows = [(number, row) for number, row in self.ragged if row.actual_columns == width]
            n = len(self.dialect.names)
            others = f"the first line names {plural(n, 'column')}"
            if self.dialect.shift:
                others = f"other rows have {plural(n, 'cell')}"
            kind, at = "short-rows" if width < n else "ragged-rows", [number for number, _ in rows]
            facts = {"width": width, "others": others, "text": rows[0][1].text[:60]}
            ragged = fault(kind, source=self.name, rows=np.array(at) - 1, **facts)
            faults.add(CommandError(ragged))
        faults.refuse()


def _with_commas(opened: Opener, n_lines: int) -> BinaryIO:
    """The rows below the first lines of a file that blanks divide, divided by commas."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    with io.TextIOWrapper(opened(), "utf-8-sig", newline="") as lines:
        for _ in range(n_lines):
            lines.readline()
        for row in csv.reader(lines, delimiter=" ", skipinitialspace=True):
            if row := trimmed(row):
                writer.writerow(row)
    return io.BytesIO(text.getvalue().encode())


def _check_names(dialect: Dialect, name: str) -> None:
    double = [column for column, n in Counter(dialect.names).items() if column and n > 1]
    if double:
        raise CommandError(fault("double-names", source=name, names=double))


def split_list(text: str, option: str) -> list[str]:
    """The entries of a comma-separated option; quotes protect commas."""
    try:
        (cells,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise UsageError(fault("list-without-commas", name=option, text=text)) from None
    cells = [normal(cell.strip()) for cell in cells]
    if not cells or not all(cells):
        raise UsageError(fault("list-with-blank", name=option, text=text))
    if cells == ["LOWEST", "...", "HIGHEST"]:  # pasted from a message
        raise UsageError(fault("words-for-classes", name=option, text=text))
    double = sorted({cell for cell in cells if cells.count(cell) > 1})
    if double:
        raise UsageError(fault("list-with-double", name=option, text=text, entries=double))
    return cells


def classes_of(text: str | None) -> list[str] | None:
    """The entries of --classes, where it is there."""
    return None if text is None else split_list(text, "--classes")
