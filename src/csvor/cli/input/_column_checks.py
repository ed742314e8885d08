"""What a column of features must not hold; each fault is told with its rows and a remedy."""

import re
from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from csvor._data.checks import _FAR_SPREADS, _HUGE
from csvor.cli._errors import ColumnError, CommandError, plural, rows_text, these_rows
from csvor.cli._notes import Notes
from csvor.cli._spelling import LONGEST, visible
from csvor.cli.input._number_text import numeral
from csvor.cli.input._table import Column, format_value

MOST_CATEGORIES = 1000
Rows = NDArray[np.int64]
Numbers = NDArray[np.float64]


def refuse_lists(column: Column, fitted: bool = False) -> None:
    """Refuse values that are neither numbers nor words nor dates."""
    if column.kind == "lists":
        remedy = "write it as it was there" if fitted else "make one column of each entry"
        raise ColumnError(
            f"column '{column.name}' holds lists{', but the model was fitted to none' * fitted}; "
            f"{remedy}{'' if fitted else or_drop(column.name)}"
        )


def or_drop(name: str) -> str:
    """The last of several remedies, which only a column has that no model asks for."""
    return f", or leave the column out with --drop {quoted(name)}"


def refuse_texts(
    column: Column,
    wrong: NDArray[np.bool_],
    rows: Rows,
    kind: str,
    like: str = "",
    fitted: bool = False,
) -> None:
    """Refuse the cells of a column that are not of its `kind`, number or date, `like` others.

    Of a column that a model was `fitted` to, the use is settled.
    """
    codes, texts = column.coded
    at = np.flatnonzero(wrong)
    first = ", ".join(f"row {rows[i] + 1}: '{visible(texts[codes[i]])}'" for i in at[:3])
    more = f" and {len(at) - 3} more" if len(at) > 3 else ""
    are, it = (f"is not a {kind}", "it") if len(at) == 1 else (f"are not {kind}s", "them")
    name, words = quoted(column.name), np.unique(codes[at])
    if fitted:
        remedy = f"correct {it}, or fit with --impute and blank {it}, for the model takes numbers"
    else:
        remedy = f"correct {it}, blank {it} and use --impute"
        word = texts[words[0]]
        if len(words) == 1 and numeral(word) is None and len(word) <= LONGEST:
            remedy += f", say with --missing {quoted(word)} that it is no value"
        if kind == "number" and not _tell_apart(len(texts), len(codes)):
            remedy += f", read the column as categories with --categorical {name}"
        remedy += or_drop(column.name)
    beside = f" like '{visible(like)}'" if like else ""
    raise ColumnError(
        f"column '{column.name}': {len(at)} of {len(wrong)} values {are}{beside} "
        f"({first}{more}); {remedy}"
    )


def refuse_unclear_sign(column: Column, one: Numbers, other: Numbers, rows: Rows) -> NoReturn:
    """Refuse numbers of which no one can tell whether a sign divides thousands or decimals.

    `one` and `other` are what the texts of the column may be.
    """
    text = int(np.flatnonzero((one != other) & ~np.isnan(one))[0])
    written = column.coded[1][text]
    signs = "commas" if "," in written else "points"
    raise ColumnError(
        f"column '{column.name}': {signs} may mark thousands or decimals (row "
        f"{_first_row(column, text, rows)}: '{written}' is {format_value(one[text])} or "
        f"{format_value(other[text])}); say with --decimal . or --decimal , which sign the "
        "decimals have"
    )


def refuse_unclear_dates(column: Column, written: str, rows: Rows, fitted: bool = False) -> None:
    """Refuse dates of which no one can tell whether the day or the month comes first."""
    row = _first_row(column, column.coded[1].index(written), rows)
    raise ColumnError(
        f"column '{column.name}': dates may be day/month or month/day (row {row}: '{written}'); "
        f"write them as year-month-day{'' if fitted else or_drop(column.name)}"
    )


def _first_row(column: Column, text: int, rows: Rows) -> int:
    return int(rows[np.argmax(column.coded[0] == text)]) + 1


def _tell_apart(n_texts: int, n_rows: int) -> bool:
    """Whether so many texts tell rows apart instead of grouping them."""
    return n_texts == n_rows or n_texts > min(max(20, n_rows / 2), MOST_CATEGORIES)


def refuse_many_words(name: str, codes: Rows, texts: Sequence[str], is_id: bool) -> None:
    """Refuse texts that tell rows apart instead of grouping them."""
    n_rows = len(codes)
    if not _tell_apart(len(texts), n_rows):
        return
    if len(texts) == n_rows:
        raise ColumnError(
            f"column '{name}': every row has a text of its own, as in an identifier; mark it with "
            f"--id {quoted(name)} or leave it out with --drop {quoted(name)}"
        )
    remedy = "group them (free text is not read)"
    if is_id:
        remedy = (
            f"name the rows by it with --id {quoted(name)}, judge rows that share one together "
            f"with --groups {quoted(name)}"
        )
    raise ColumnError(
        f"column '{name}': {len(texts)} different texts in {n_rows} rows are too many for "
        f"categories; {remedy}, or leave it out with --drop {quoted(name)}"
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
    if re.fullmatch(r"[\w.%+][\w.%+-]*", text):
        return text
    if "'" in text and not re.search(r'["$`\\!]', text):
        return f'"{text}"'
    return "'" + text.replace("'", "'\\''") + "'"
