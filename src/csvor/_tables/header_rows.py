"""Which rows of a table are further lines of names, and no rows (N61)?"""

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._tables.number_column import is_blank
from csvor._tables.table import TableColumn
from csvor._utils.spelling import as_number

# Rows that may be lines of names, and those below which say what is usual in a column.
_MOST, _FEWEST_BELOW, _BELOW = 3, 10, 200


def refuse_further_headers(source: str, columns: Sequence[TableColumn]) -> None:
    """Refuse rows that repeat the names, or hold words wherever the rows below have numbers."""
    named = [column for column in columns if column.name]
    repeats = _repeats(named)
    if len(repeats):
        raise CommandError(fault("repeated-names", source=source, rows=repeats))
    n_headers, example = _n_headers(columns)
    if n_headers:
        nameless = [str(i) for i, column in enumerate(columns, start=1) if not column.name]
        kind = "further-names-and-nameless" if nameless else "further-names"
        rows = np.arange(n_headers)
        facts = {"example": example, "nameless": ", ".join(nameless)}
        raise CommandError(fault(kind, source=source, rows=rows, **facts))


def _repeats(columns: Sequence[TableColumn]) -> np.ndarray:
    """The rows that hold the name of each column."""
    rows = np.empty(0, dtype=np.int64)
    if len(columns) < 2 or any(column.kind != "text" for column in columns):
        return rows
    for i, column in enumerate(columns):
        values = column.values if not i else column.values.take(rows)
        same = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(values), column.name), False)
        hits = np.flatnonzero(same.to_numpy(zero_copy_only=False))
        rows = hits if not i else rows[hits]
        if not len(rows):
            break
    return rows


def _n_headers(columns: Sequence[TableColumn]) -> tuple[int, str]:
    """How many of the first rows are lines of names, and a cell of the first."""
    n_below = len(columns[0].values) - _MOST
    if n_below < _FEWEST_BELOW:
        return 0, ""
    numbers = [column for column in columns if _has_numbers_below(column)]
    example = ""
    for row in range(_MOST):
        cells = [_text(column, row) for column in numbers]
        filled = [cell for cell in cells if not is_blank(cell, ())]
        words = [cell for cell in filled if as_number(cell) != as_number(cell)]
        # Rows hold numbers; one mark in all cells is none of names.
        if len(set(words)) < 2 or len(words) < 0.9 * len(filled) or 2 * len(words) < len(cells):
            return row, example
        example = example or words[0]
    return _MOST, example


def _has_numbers_below(column: TableColumn) -> bool:
    if column.kind == "number":
        return True
    if column.kind != "text":
        return False
    below = column.values.slice(_MOST, _BELOW).to_pylist()
    filled = [text for text in below if text is not None and not is_blank(text.strip(), ())]
    return bool(filled) and sum(as_number(text) == as_number(text) for text in filled) >= 0.9 * len(
        filled
    )


def _text(column: TableColumn, row: int) -> str:
    value = column.values[row].as_py()
    return "" if value is None else str(value).strip()
