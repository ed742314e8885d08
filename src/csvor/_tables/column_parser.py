"""How does a column become numbers, if it holds any?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from csvor._faults.errors import ColumnError, listed
from csvor._faults.fault import fault
from csvor._tables.column_checks import (
    Numbers,
    Rows,
    refuse_lists,
    refuse_texts,
    refuse_unclear_dates,
    refuse_unclear_sign,
)
from csvor._tables.dates import CLOCK, form_of, numbers_of_times, read_dates
from csvor._tables.number_column import MANY, Interpretation, NumberColumn
from csvor._tables.reading_notes import ReadingNotes
from csvor._tables.table import TableColumn
from csvor._utils.spelling import as_number, format_value, normal

# Texts are dates if nearly all are.
_MOSTLY = 0.9


@dataclass(frozen=True)
class Rules:
    """How a user, or a model file, says that columns are to be read."""

    decimal: str | None = None
    missing: tuple[str, ...] = ()
    dates: bool = False
    categorical: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.decimal not in (".", ",", None):
            raise ValueError(f"decimal={self.decimal!r} must be '.', ',' or None.")
        object.__setattr__(self, "missing", tuple(normal(mark.strip()) for mark in self.missing))


@dataclass(frozen=True)
class ParsedColumn:
    """What a column holds as numbers, NaN where blank, and how it was read where not as usual."""

    values: Numbers
    how: dict[str, str]


class ColumnParser:
    """Reads columns of one file as numbers: what one tells of the decimal sign counts for all.

    `columns` are those of the `rows` used (from 0 in the file); `fitted` says how a model read
    them.
    """

    def __init__(
        self,
        columns: Iterable[TableColumn],
        rows: Rows,
        rules: Rules,
        fitted: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.rows, self.rules, self.fitted = rows, rules, fitted
        self._is_fitted = fitted is not None
        self.notes = ReadingNotes(rows)
        self._numerals: dict[str, NumberColumn] = {}
        signs = set()
        for column in columns:
            signs |= {"."} if column.points else set()
            if column.kind == "text" and column.name not in rules.categorical:
                self._numerals[column.name] = NumberColumn(column, rules.missing)
                signs.add(self._numerals[column.name].decimal)
        signs.discard("")
        # Where columns differ, none tells anything of another.
        self._doubt = len(signs) > 1
        self.decimal = rules.decimal or (signs.pop() if len(signs) == 1 else None)

    def numbers(self, column: TableColumn) -> ParsedColumn | None:
        """The numbers of a column; None if it has none and is one of words."""
        refuse_lists(column, self._is_fitted)
        if column.kind == "dates":
            self._check_asked(column, "dates", "")
            return self._times(column, *numbers_of_times(column.values))
        if column.kind == "number":
            return ParsedColumn(self._without_marks(column), {})
        numerals = self._numerals.get(column.name)
        if numerals is None or numerals.blank.all():
            return None
        return self._read_dates(column, numerals) or self._read_numerals(column, numerals)

    def _without_marks(self, column: TableColumn) -> Numbers:
        """The numbers of a typed column, NaN where they stand for no value."""
        values = column.numbers
        gone = np.isin(values, [as_number(mark) for mark in self.rules.missing])
        if not gone.any():
            return values
        marks, counts = np.unique(values[gone], return_counts=True)
        self.notes.add_counts(column, list(zip(map(format_value, marks), counts, strict=True)))
        return np.where(gone, np.nan, values)

    def blanks(self, column: TableColumn) -> Any:
        """Which rows of a column of texts or dates hold no value."""
        if column.kind == "dates":
            return np.isnan(numbers_of_times(column.values)[0])
        if column.name not in self._numerals:
            return np.zeros(len(column.values), dtype=bool)
        return self._numerals[column.name].blank[column.coded[0]]

    def is_blank(self, name: str) -> bool:
        """Whether a column of texts holds nothing but marks for "no value"."""
        return name in self._numerals and bool(self._numerals[name].blank.all())

    def refuse_words(self, column: TableColumn) -> NoReturn:
        """Refuse a column that has words where a model takes numbers."""
        if column.kind != "text":
            raise ColumnError(fault("numbers-in-fit", column.name))
        numerals = self._numerals[column.name]
        right = np.flatnonzero(~np.isnan(numerals.values))
        like = numerals.texts[right[0]] if len(right) else ""
        wrong = numerals.wrong[column.coded[0]]
        refuse_texts(column, wrong, self.rows, "number", like, self._is_fitted)

    # Dates

    def _read_dates(self, column: TableColumn, numerals: NumberColumn) -> ParsedColumn | None:
        forms = [form_of(text) for text in numerals.sample()]
        if sum(form is not None for form in forms) < _MOSTLY * len(forms):
            return None
        codes, texts = column.coded
        filled = numerals.filled
        dates = read_dates([texts[i] for i in filled])
        wrong = np.zeros(len(texts), dtype=bool)
        wrong[filled] = np.isnan(dates.values)
        # 2009-10 to 2011-12 may be months, but with 2012-13 they are seasons.
        if dates.forms == ("year-month",) and wrong.any():
            return None
        example = f" ('{texts[filled[0]]}')"
        self._check_asked(column, "times" if dates.are_hours else "dates", example)
        if CLOCK in dates.forms and not dates.are_hours:
            wrong[filled] |= np.array([form_of(texts[i]) == CLOCK for i in filled])
        if wrong.any():
            refuse_texts(column, wrong[codes], self.rows, "date", fitted=self._is_fitted)
        if dates.either:
            refuse_unclear_dates(column, filled[dates.either[0]], self.rows, self._is_fitted)
        values = np.full(len(texts), np.nan)
        values[filled] = dates.values
        self.notes.add_blank(column, numerals)
        how = f"; its forms are {listed(dates.forms)}" if len(dates.forms) > 1 else ""
        how += "; years 00 to 68 are 2000 to 2068" * dates.short_years
        return self._times(column, values[codes], dates.are_hours, how)

    def _times(
        self, column: TableColumn, values: Numbers, are_hours: bool, how: str = ""
    ) -> ParsedColumn:
        what = "times are read as hours" if are_hours else "dates are read as days since 1970-01-01"
        filled = np.flatnonzero(~np.isnan(values))
        if len(filled):
            self.notes.add(what + how, column, filled[0], values[filled[0]])
        return ParsedColumn(values, {"as": "hours" if are_hours else "days"})

    def _check_asked(self, column: TableColumn, what: str, example: str) -> None:
        if not (self.rules.dates or self._is_fitted):
            remedies = ["dates", "drop"]
            raise ColumnError(
                fault("dates", column.name, remedies=remedies, what=what, example_text=example)
            )

    # Numbers

    def _read_numerals(self, column: TableColumn, numerals: NumberColumn) -> ParsedColumn | None:
        known = (self.fitted or {}).get(column.name, {})
        if not numerals.are_numbers(known.get("unit")):
            if numerals.are_meant:
                self.refuse_words(column)
            if numerals.n_different >= MANY and numerals.wrong.any():
                words = np.flatnonzero(numerals.wrong[column.coded[0]])
                what = "words with some numbers among them are read as categories"
                self.notes.add(what, column, words[0])
            return None
        decimal, thousands = self.decimal, None
        if decimal is None:
            decimal, thousands = known.get("decimal"), known.get("thousands")
        if decimal is None and self._doubt:
            decimal = ""
        reading = clear_reading(column, numerals, self.rows, decimal, thousands)
        self.notes.add_blank(column, numerals)
        self.notes.add_marks(column, numerals, reading)
        decimal, thousands = reading.notation
        how = {"decimal": decimal, "thousands": thousands, "unit": numerals.unit}
        usual = how == {"decimal": ".", "thousands": "", "unit": ""}
        return ParsedColumn(reading.values[column.coded[0]], {} if usual else how)


def clear_reading(
    column: TableColumn,
    numerals: NumberColumn,
    rows: Rows,
    decimal: str | None,
    thousands: str | None = None,
) -> Interpretation:
    """The numbers, as `NumberColumn.reading` has them; refused where two notations differ."""
    reading = numerals.reading(decimal, thousands)
    if reading is None:
        one, other = (reading.values for reading in numerals.readings[:2])
        refuse_unclear_sign(column, one, other, rows)
    return reading
