"""What must a feature column not hold (N11 to N13)?"""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from csvor._data.ranges import LARGEST, interquartile_ranges
from csvor._faults.errors import ColumnError, CommandError
from csvor._faults.fault import Fault, fault
from csvor._faults.notes import Notes
from csvor._faults.rows import rows_named
from csvor._faults.spelling import LONGEST, visible
from csvor._tables.number_text import numeral
from csvor._tables.table import TableColumn
from csvor._utils.spelling import format_value
from csvor._utils.words import plural

MOST_CATEGORIES = 1000
_MOST_COLUMNS, _MOST_EXAMPLES = 5, 3
Rows = NDArray[np.int64]
Numbers = NDArray[np.float64]


def refuse_lists(column: TableColumn, fitted: bool = False) -> None:
    """Refuse values that are neither numbers nor words nor dates."""
    if column.kind == "lists":
        if not pa.types.is_nested(column.values.type):
            raise ColumnError(fault("bytes", column.name))
        raise ColumnError(fault("lists-unlike-fit" if fitted else "lists", column.name))


def refuse_texts(
    column: TableColumn,
    wrong: NDArray[np.bool_],
    rows: Rows,
    kind: str,
    like: str = "",
    fitted: bool = False,
) -> NoReturn:
    """Refuse the cells of a column that are not of its `kind`, number or date, `like` others.

    Of a column that a model was `fitted` to, the use is settled.
    """
    codes, texts = column.coded
    wrong_cells = np.flatnonzero(wrong)
    words = np.unique(codes[wrong_cells])
    remedies = ["correct", "blank-in-fit"] if fitted else ["correct", "blank"]
    if not fitted:
        word = texts[words[0]]
        if len(words) == 1 and numeral(word) is None and len(word) <= LONGEST:
            remedies.append("missing")
        if kind == "number" and not _identify_rows(len(texts), len(codes)):
            remedies.append("categorical")
        remedies.append("drop")
    facts: dict[str, Any] = {"rows": rows[wrong_cells], "remedies": remedies, "total": len(wrong)}
    facts["examples"] = [texts[code] for code in codes[wrong_cells[:_MOST_EXAMPLES]]]
    like = f" like '{visible(like)}'" if like else ""
    raise ColumnError(fault(f"not-a-{kind}", column.name, like=like, **facts))


def refuse_unclear_sign(column: TableColumn, one: Numbers, other: Numbers, rows: Rows) -> NoReturn:
    """Refuse numbers of which no one can tell whether a sign divides thousands or decimals.

    `one` and `other` are what the texts of the column may be.
    """
    text = int(np.flatnonzero((one != other) & ~np.isnan(one))[0])
    written = column.coded[1][text]
    facts: dict[str, Any] = {"one": format_value(one[text]), "other": format_value(other[text])}
    facts |= {"rows": _rows_of(column, text, rows), "examples": [written]}
    signs = "commas" if "," in written else "points"
    raise ColumnError(fault("unclear-sign", column.name, signs=signs, **facts))


def refuse_unclear_dates(column: TableColumn, text: int, rows: Rows, fitted: bool = False) -> None:
    """Refuse dates, such as the `text`, that may be day/month or month/day."""
    where, written = _rows_of(column, text, rows), column.coded[1][text]
    remedies = ["iso-dates"] if fitted else ["iso-dates", "drop"]
    raise ColumnError(
        fault("unclear-dates", column.name, rows=where, examples=[written], remedies=remedies)
    )


def _rows_of(column: TableColumn, text: int, rows: Rows) -> Rows:
    return rows[column.coded[0] == text]


def _identify_rows(n_texts: int, n_rows: int) -> bool:
    """Whether so many texts tell rows apart instead of grouping them."""
    return n_texts == n_rows or n_texts > min(max(20, n_rows / 2), MOST_CATEGORIES)


def refuse_many_words(name: str, codes: Rows, texts: Sequence[str], is_id: bool) -> None:
    """Refuse texts that tell rows apart instead of grouping them."""
    n_rows, n_texts = len(codes), len(texts)
    if not _identify_rows(n_texts, n_rows):
        return
    if n_texts == n_rows:
        raise ColumnError(fault("own-texts", name, remedies=["mark-id", "leave-out"]))
    remedies = ["id", "groups", "drop"] if is_id else ["group-texts", "drop"]
    raise ColumnError(fault("many-texts", name, remedies=remedies, n_texts=n_texts, n_rows=n_rows))


def refuse_bad_range(name: str, values: Numbers, rows: Rows) -> None:
    """Refuse infinite values, and those too large to be squared."""
    infinite = np.isinf(values)
    if infinite.any():
        raise ColumnError(fault("infinite", name, rows=rows[infinite]))
    huge = np.abs(values) > LARGEST
    if huge.any():
        raise ColumnError(fault("huge", name, rows=rows[huge], value=values[huge][0]))


def refuse_blanks(blanks: dict[str, Rows], fitted: bool = False) -> None:
    """Refuse blank numbers, all columns that hold some at once."""
    if blanks:
        about: dict[str, Any] = {"columns": _rows_by_column(blanks), "names": list(blanks)}
        about["n"] = len(blanks)
        if fitted:
            raise CommandError(fault("blank-numbers-in-fit", **about))
        remedies = ["fill", "impute", "complete", "drop-these"]
        raise CommandError(fault("blank-numbers", remedies=remedies, **about))


def note_blank_words(blanks: dict[str, Rows], notes: Notes) -> None:
    """Say so where a blank becomes a category."""
    if blanks:
        notes.add(fault("blank-words", columns=_rows_by_column(blanks)))


def note_word_marks(marks: Mapping[str, Mapping[str, int]], notes: Notes) -> None:
    """Say so where what stands for no value elsewhere is a category (N83)."""
    if marks:
        columns = []
        for name, counts in marks.items():
            listing = ", ".join(f"'{visible(mark)}' {n}" for mark, n in counts.items())
            columns.append(f"'{name}' ({listing})")
        first = next(iter(next(iter(marks.values()))))
        notes.add(fault("marks-as-words", columns=_first_columns(columns), mark=first))


def _rows_by_column(blanks: dict[str, Rows]) -> str:
    columns = [
        f"'{name}' {len(rows)} ({rows_named(rows, most=3)})" for name, rows in blanks.items()
    ]
    return _first_columns(columns)


def _first_columns(columns: list[str]) -> str:
    more = len(columns) - _MOST_COLUMNS
    others = f" and {plural(more, 'more column')}" if more > 0 else ""
    return ", ".join(columns[:_MOST_COLUMNS]) + others


def far_value(name: str, values: Numbers, rows: Rows) -> Fault | None:
    """The value that lies hundreds of spreads from the others, a slip of the pen; None without."""
    low, median, high = np.nanquantile(values, [0.25, 0.5, 0.75])
    farthest = int(np.nanargmax(np.abs(values - median)))
    times = interquartile_ranges(values[farthest], (low, median, high), len(values))
    if not times:
        return None
    value, where = values[farthest], rows[farthest : farthest + 1]
    return fault("far-value", name, rows=where, value=value, times=times, median=median)


def note_far_values(far: Sequence[Fault], notes: Notes) -> None:
    """Say which columns have one, in one note where they are many (N67)."""
    if len(far) <= _MOST_COLUMNS:
        for one in far:
            notes.add(one)
        return
    columns = [f"'{one.column}' ({rows_named(one.rows)})" for one in far]
    notes.add(fault("far-values", n=len(far), columns=_first_columns(columns)))
