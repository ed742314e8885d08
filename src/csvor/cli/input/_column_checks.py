"""What a column of features must not hold; each fault is told with its rows and a remedy."""

import re

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from csvor._data.checks import _FAR_SPREADS, _HUGE
from csvor.cli._errors import ColumnError, CommandError, plural, rows_text, these_rows
from csvor.cli._notes import Notes
from csvor.cli.input._table import BLANK, Column, as_number

MOST_CATEGORIES = 1000
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d.*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}( \d.*)?"
)
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")

Rows = NDArray[np.int64]
Numbers = NDArray[np.float64]


def is_numeric(column: Column, rows: Rows) -> bool:
    """Whether a column holds numbers; one that nearly does is refused."""
    refuse_dates_and_lists(column)
    if column.kind != "text":
        return column.kind == "number"
    values, wrong = column.numbers
    if not wrong.any():
        return not np.isnan(values).all()
    n_numbers = int((~np.isnan(values)).sum())
    if n_numbers >= 20 and n_numbers >= 9 * int(wrong.sum()):
        refuse_texts_among_numbers(column, rows)
    return False


def with_points(column: Column, rows: Rows, notes: Notes) -> Column:
    """The column with decimal points, if all it holds are numbers and some have commas."""
    if column.kind != "text":
        return column
    codes, texts = column.coded
    filled = [text for text in texts if text not in BLANK]
    commas = [text for text in filled if "," in text]
    numerals = all(_COMMA.fullmatch(text) or _THOUSANDS.fullmatch(text) for text in commas)
    others = [text for text in filled if "," not in text]
    if not commas or not numerals or np.isnan([as_number(text) for text in others]).any():
        return column
    if not all(re.fullmatch(r"[+-]?\d+", text) for text in others):
        refuse_texts_among_numbers(column, rows)
    first = commas[0]
    row = rows[np.argmax(codes == texts.index(first))] + 1
    if any(text.count(",") > 1 for text in commas) or all(map(_THOUSANDS.fullmatch, commas)):
        raise ColumnError(
            f"column '{column.name}': commas may mark thousands or decimals (row {row}: "
            f"'{first}'); write decimals with a point and thousands without a mark"
        )
    notes.add(
        f"column '{column.name}': decimal commas are read as points (row {row}: '{first}' is "
        f"{first.replace(',', '.')})"
    )
    points = pc.replace_substring(column.values, ",", ".")
    return Column(column.name, column.kind, points, column.levels)


def refuse_dates_and_lists(column: Column) -> None:
    """Refuse values that are neither numbers nor words."""
    kind, example = column.kind, ""
    if kind == "text":
        texts = [text for text in column.coded[1] if text]
        if texts and sum(map(bool, map(_DATE.fullmatch, texts))) >= 0.9 * len(texts):
            kind, example = "dates", f" ('{texts[0]}')"
    if kind in {"dates", "lists"}:
        remedy = "turn them into numbers, such as days" if kind == "dates" else "one column each"
        raise ColumnError(
            f"column '{column.name}' holds {kind}{example}; {remedy}, or leave it out with "
            f"--drop {quoted(column.name)}"
        )


def refuse_texts_among_numbers(column: Column, rows: Rows, remedy: str = "") -> None:
    """Refuse the texts of a column that is one of numbers otherwise."""
    _, wrong = column.numbers
    codes, texts = column.coded
    at = np.flatnonzero(wrong)
    if not len(at):
        return
    first = ", ".join(f"row {rows[i] + 1}: '{texts[codes[i]]}'" for i in at[:3])
    more = f" and {len(at) - 3} more" if len(at) > 3 else ""
    are, them = ("is not a number", "it") if len(at) == 1 else ("are not numbers", "them")
    remedy = remedy or (
        f"correct {them}, blank {them} and use --impute, or leave the column out with "
        f"--drop {quoted(column.name)}"
    )
    raise ColumnError(
        f"column '{column.name}': {len(at)} of {len(wrong)} values {are} ({first}{more}); {remedy}"
    )


def refuse_identifier(column: Column, rows: Rows) -> None:
    """Refuse texts that tell rows apart instead of grouping them."""
    codes, texts = column.coded
    n_rows, name = len(codes), column.name
    if len(texts) < n_rows and len(texts) <= min(max(20, n_rows / 2), MOST_CATEGORIES):
        return
    values, wrong = column.numbers
    if (~np.isnan(values)).sum() > wrong.sum():
        refuse_texts_among_numbers(column, rows)
    if len(texts) == n_rows:
        raise ColumnError(
            f"column '{name}': every row has a text of its own, as in an identifier; mark it with "
            f"--id {quoted(name)} or leave it out with --drop {quoted(name)}"
        )
    raise ColumnError(
        f"column '{name}': {len(texts)} different texts in {n_rows} rows are too many for "
        f"categories; group them, or leave it out with --drop {quoted(name)}"
    )


def refuse_bad_range(name: str, values: Numbers, rows: Rows) -> None:
    """Refuse infinite values, and those too large to be squared."""
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ColumnError(
            f"column '{name}': {plural(len(infinite), 'infinite value')} "
            f"({rows_text(rows[infinite])}); correct {'it' if len(infinite) == 1 else 'them'} or "
            f"leave {these_rows(len(infinite))} out"
        )
    large = np.flatnonzero(np.abs(values) > _HUGE)
    if len(large):
        raise ColumnError(
            f"column '{name}', row {rows[large[0]] + 1}: {values[large[0]]:g} is too large to "
            "compute with"
        )


def refuse_blanks(blanks: dict[str, Rows], remedy: str) -> None:
    """Refuse blank numbers, all columns that hold some at once."""
    if not blanks:
        return
    raise CommandError(f"blank values in columns of numbers: {_told(blanks)}; {remedy}")


def note_blank_words(blanks: dict[str, Rows], notes: Notes) -> None:
    """Say so where a blank becomes a category."""
    if blanks:
        notes.add(
            f"blank values in columns of words: {_told(blanks)}; they count as a category of "
            "their own, so fill them in if they are not one"
        )


def _told(blanks: dict[str, Rows]) -> str:
    told = [f"'{name}' {len(rows)} ({rows_text(rows, most=3)})" for name, rows in blanks.items()]
    more = len(told) - 5
    return ", ".join(told[:5]) + (f" and {plural(more, 'more column')}" if more > 0 else "")


def note_far_value(name: str, values: Numbers, rows: Rows, notes: Notes) -> None:
    """Say so where a value lies hundreds of spreads from the others: a slip of the pen."""
    low, median, high = np.nanquantile(values, [0.25, 0.5, 0.75])
    distance = np.abs(values - median)
    at = int(np.nanargmax(distance))
    if len(values) >= 10 and high > low and distance[at] > _FAR_SPREADS * (high - low):
        times = distance[at] / (high - low)
        notes.add(
            f"column '{name}', row {rows[at] + 1}: {values[at]:g} is {times:.0f} interquartile "
            f"ranges away from the median {median:g}; correct it, or limit such values with "
            "--clip 5"
        )


def quoted(text: str) -> str:
    """A word as it can be typed in a shell."""
    return text if re.fullmatch(r"[\w.%+][\w.%+-]*", text) else f"'{text}'"
