"""What is said of columns that are read otherwise than they are written?"""

from collections.abc import Sequence

import numpy as np

from csvor._faults.errors import listed
from csvor._faults.notes import Notes
from csvor._faults.rows import row_name
from csvor._faults.spelling import visible
from csvor._tables.number_column import Interpretation, NumberColumn, Rows
from csvor._tables.table import MIDNIGHT, TableColumn
from csvor._utils.spelling import BLANK, format_value
from csvor._utils.words import some_of

SIGNS = {",": "commas", ".": "points", "'": "apostrophes", " ": "blanks"}
_MARKS = {
    "parentheses": "parentheses are read as a minus",
    "minus behind": "a minus behind a number is read as one before it",
    "minus sign": "other minus signs are read as -",
    "digits": "other digits are read as 0 to 9",
}
_MOST_COLUMNS, _MOST_TEXTS = 10, 5


class ReadingNotes:
    """Collects what is said of columns, those of which the same is said together.

    `rows` are the positions in the file, from 0, of the cells that the columns have.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._columns: dict[str, list[str]] = {}

    def add(self, what: str, column: TableColumn, cell: int, value: float | None = None) -> None:
        """Say something of a column, with a `cell` as the example and the `value` it gets."""
        if column.kind == "text":
            codes, texts = column.coded
            written = texts[codes[cell]]
        else:
            written = str(column.values[cell]).removesuffix(MIDNIGHT)
        example = f"row {row_name(self.rows[cell])}: '{visible(written)}'"
        if value is not None:
            example += f" is {format_value(float(value))}"
        self._columns.setdefault(what, []).append(f"column '{column.name}' ({example})")

    def add_marks(
        self, column: TableColumn, numerals: NumberColumn, reading: Interpretation
    ) -> None:
        """Say which marks beside numbers are passed over."""
        decimal, thousands = reading.notation
        codes, texts = column.coded
        there = ~np.isnan(reading.values)
        used = "".join(text for text, filled in zip(texts, there, strict=True) if filled)
        parts = []
        if decimal == "," and "," in used:
            parts.append("decimal commas are read as points")
        if thousands:
            parts.append(f"{SIGNS[thousands]} between thousands are passed over")
        if numerals.unit:
            several = "are passed over, as one unit" if numerals.spelled[1:] else "is passed over"
            parts.append(f"{listed(numerals.spelled)} beside the numbers {several}")
        parts += [_MARKS[mark] for mark in numerals.marks]
        if parts:
            plain = [text.isascii() and text.replace(".", "").isdigit() for text in texts]
            marked = np.flatnonzero(there & ~np.array(plain))
            cell = int(np.flatnonzero(codes == (marked[0] if len(marked) else 0))[0])
            self.add(", ".join(parts), column, cell, reading.values[codes[cell]])

    def add_blank(self, column: TableColumn, numerals: NumberColumn) -> None:
        """Say which marks stand for no value, and how often."""
        pairs = zip(numerals.texts, numerals.counts * numerals.blank, strict=True)
        self.add_counts(column, [(text, n) for text, n in pairs if n and text not in BLANK])

    def add_counts(self, column: TableColumn, pairs: Sequence[tuple[str, int]]) -> None:
        """Say the same of these marks, each with its number."""
        counts = [f"'{visible(text)}' {n}" for text, n in pairs]
        if counts:
            listing = ", ".join(counts[:_MOST_TEXTS]) + ", ..." * (len(counts) > _MOST_TEXTS)
            what = "marks for 'no value' count as blank"
            self._columns.setdefault(what, []).append(f"column '{column.name}' ({listing})")

    def report(self, notes: Notes) -> None:
        """Say all of it."""
        for what, columns in self._columns.items():
            notes.add(f"{what}: {some_of(columns, _MOST_COLUMNS)}")
