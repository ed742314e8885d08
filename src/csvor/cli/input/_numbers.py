"""How does a column become numbers, if it holds any, and what is said of it?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from csvor.cli._errors import ColumnError, listed
from csvor.cli._notes import Notes
from csvor.cli.input._column_checks import quoted, refuse_lists
from csvor.cli.input._dates import CLOCK, form_of, numbers_of_times, read_dates
from csvor.cli.input._notations import MANY, Numbers, Numerals, Reading, Rows
from csvor.cli.input._table import BLANK, Column, shown

# Texts of a column that are looked at for dates; they are dates if nearly all are.
_SAMPLE, _MOSTLY = 500, 0.9
_SIGNS = {",": "commas", ".": "points", "'": "apostrophes", " ": "blanks"}
_MARKS = {
    "parentheses": "parentheses are read as a minus",
    "minus behind": "a minus behind a number is read as one before it",
    "minus sign": "other minus signs are read as -",
    "digits": "other digits are read as 0 to 9",
}


@dataclass(frozen=True)
class Rules:
    """How a user, or a model file, says that columns are to be read."""

    decimal: str | None = None
    missing: tuple[str, ...] = ()
    dates: bool = False
    categorical: tuple[str, ...] = ()


@dataclass(frozen=True)
class Read:
    """What a column holds as numbers, NaN where blank, and how it was read where not as usual."""

    values: Numbers
    how: dict[str, str]


class Reader:
    """Reads columns of one file as numbers: what one tells of the decimal sign counts for all.

    `columns` are those of the `rows` used (from 0 in the file); `fitted` says how a model read
    them.
    """

    def __init__(
        self,
        columns: Iterable[Column],
        rows: Rows,
        rules: Rules,
        fitted: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.rows, self.rules, self.fitted = rows, rules, fitted or {}
        self._numerals: dict[str, Numerals] = {}
        self._told: dict[str, list[str]] = {}
        self._blank: dict[str, str] = {}
        self._marks_seen: set[str] = set()
        signs = {"."} if (columns := list(columns)) and any(c.points for c in columns) else set()
        for column in columns:
            if column.kind == "text" and column.name not in rules.categorical:
                codes, texts = column.coded
                counts = np.bincount(codes, minlength=len(texts))
                found = Numerals(texts, counts, rules.missing)
                self._numerals[column.name] = found
                signs.add(found.decimal)
        signs.discard("")
        # Where columns differ, none tells anything of another.
        self._doubt = len(signs) > 1
        self.decimal = rules.decimal or (signs.pop() if len(signs) == 1 else None)

    def numbers(self, column: Column) -> Read | None:
        """The numbers of a column; None if it has none and is one of words."""
        refuse_lists(column)
        if column.kind == "dates":
            self._refuse_dates_unless_asked(column, "")
            values, hours = numbers_of_times(column.values)
            return self._times(column, values, hours, str(column.values[0]), "")
        if column.kind != "text":
            return Read(column.numbers[0], {}) if column.kind == "number" else None
        numerals = self._numerals.get(column.name)
        if numerals is None or numerals.blank.all():
            return None
        return self._read_dates(column, numerals) or self._read_numerals(column, numerals)

    def is_blank(self, name: str) -> bool:
        """Whether a column of texts holds nothing but marks for "no value"."""
        return name in self._numerals and bool(self._numerals[name].blank.all())

    def refuse_words(self, column: Column) -> None:
        """Refuse a column that has words where a model takes numbers."""
        if column.kind != "text":
            raise ColumnError(f"column '{column.name}': the model takes this column as numbers")
        numerals = self._numerals[column.name]
        self._refuse_texts(column, numerals.wrong[column.coded[0]], "number", numerals)

    # Dates

    def _read_dates(self, column: Column, numerals: Numerals) -> Read | None:
        codes, texts = column.coded
        filled = np.flatnonzero(~numerals.blank & (numerals.counts > 0))
        sample = filled[:: max(1, len(filled) // _SAMPLE)]
        forms = [form_of(texts[i]) for i in sample]
        if sum(form is not None for form in forms) < _MOSTLY * len(sample):
            return None
        dates = read_dates([texts[i] for i in filled])
        wrong = np.zeros(len(texts), dtype=bool)
        wrong[filled] = np.isnan(dates.values)
        # 2009-10 to 2011-12 may be months, but with 2012-13 they are seasons.
        if dates.forms == ("year-month",) and wrong.any():
            return None
        first = texts[filled[0]]
        self._refuse_dates_unless_asked(column, f" ('{first}')", dates.are_hours)
        if CLOCK in dates.forms and not dates.are_hours:
            wrong[filled] |= np.array([form_of(texts[i]) == CLOCK for i in filled])
        if wrong.any():
            self._refuse_texts(column, wrong[codes], "date")
        if dates.either:
            row = self._row_of(column, filled[dates.either[0]])
            raise ColumnError(
                f"column '{column.name}': dates may be day/month or month/day (row {row}: "
                f"'{texts[filled[dates.either[0]]]}'); write them as year-month-day, or leave the "
                f"column out with --drop {quoted(column.name)}"
            )
        values = np.full(len(texts), np.nan)
        values[filled] = dates.values
        self._note_blank(column, numerals)
        how = f"; its forms are {listed(dates.forms)}" if len(dates.forms) > 1 else ""
        return self._times(column, values[codes], dates.are_hours, first, how)

    def _times(self, column: Column, values: Numbers, hours: bool, first: str, how: str) -> Read:
        what = "times are read as hours" if hours else "dates are read as days since 1970-01-01"
        filled = np.flatnonzero(~np.isnan(values))
        if len(filled):
            self._tell(what + how, column, filled[0], values[filled[0]])
        return Read(values, {"as": "hours" if hours else "days"})

    def _refuse_dates_unless_asked(self, column: Column, example: str, hours: bool = False) -> None:
        if self.rules.dates or column.name in self.fitted:
            return
        kind = "times" if hours else "dates"
        raise ColumnError(
            f"column '{column.name}' holds {kind}{example}; read them as numbers with --dates, or "
            f"leave the column out with --drop {quoted(column.name)}"
        )

    # Numbers

    def _read_numerals(self, column: Column, numerals: Numerals) -> Read | None:
        if not numerals.are_numbers:
            if numerals.are_meant:
                self._refuse_texts(column, numerals.wrong[column.coded[0]], "number", numerals)
            if numerals.n_different >= MANY and numerals.wrong.any():
                self._tell_words(column, numerals)
            return None
        known = self.fitted.get(column.name, {})
        decimal = self.decimal or known.get("decimal")
        reading = numerals.reading("" if decimal is None and self._doubt else decimal)
        if reading is None:
            self._refuse_either(column, numerals)
        assert reading is not None
        codes, _ = column.coded
        self._note_blank(column, numerals)
        self._note_marks(column, numerals, reading)
        decimal, thousands = reading.notation
        how = {"decimal": decimal, "thousands": thousands, "unit": numerals.unit}
        usual = how == {"decimal": ".", "thousands": "", "unit": ""}
        return Read(reading.values[codes], {} if usual else how)

    def _refuse_either(self, column: Column, numerals: Numerals) -> None:
        texts = column.coded[1]
        one, other = numerals.readings[:2]
        at = int(np.flatnonzero((one.values != other.values) & ~np.isnan(one.values))[0])
        sign = next(s for s in (",", ".") if s in texts[at])
        raise ColumnError(
            f"column '{column.name}': {_SIGNS[sign]} may mark thousands or decimals (row "
            f"{self._row_of(column, at)}: '{texts[at]}' is {shown(one.values[at])} or "
            f"{shown(other.values[at])}); say which sign the decimals of the file have with "
            "--decimal . or --decimal ,"
        )

    def _refuse_texts(
        self, column: Column, wrong: np.ndarray, kind: str, numerals: Numerals | None = None
    ) -> None:
        codes, texts = column.coded
        at = np.flatnonzero(wrong)
        kinds = list(dict.fromkeys(texts[code] for code in codes[at]))
        first = [f"row {self.rows[i] + 1}: '{texts[codes[i]]}'" for i in at[:3]]
        more = f" and {len(at) - 3} more" if len(at) > 3 else ""
        one = len(at) == 1
        it = "it" if one else "them"
        beside = ""
        if numerals is not None and numerals.readings:
            right = int(np.flatnonzero(~np.isnan(numerals.readings[0].values))[0])
            beside = f" as '{texts[right]}' is"
        mark = f", say with --missing {quoted(kinds[0])} that it is none" if len(kinds) == 1 else ""
        name = quoted(column.name)
        raise ColumnError(
            f"column '{column.name}': {len(at)} of {len(wrong)} values "
            f"{'is' if one else 'are'} no {kind}{'' if one else 's'}{beside} "
            f"({', '.join(first)}{more}); correct {it}, blank {it} and use --impute{mark}, or "
            f"{f'read the column as categories with --categorical {name}, or ' * (kind != 'date')}"
            f"leave the column out with --drop {name}"
        )

    # What is told

    def _row_of(self, column: Column, text: int) -> int:
        """The first row with a text, counted from 1."""
        return int(self.rows[np.argmax(column.coded[0] == text)]) + 1

    def _tell(self, what: str, column: Column, at: int, value: float) -> None:
        if column.kind == "text":
            codes, texts = column.coded
            written = texts[codes[at]]
        else:
            written = str(column.values[at])
        example = f"row {self.rows[at] + 1}: '{written}' is {shown(float(value))}"
        self._told.setdefault(what, []).append(f"column '{column.name}' ({example})")

    def _tell_words(self, column: Column, numerals: Numerals) -> None:
        codes, texts = column.coded
        at = np.flatnonzero(numerals.wrong[codes])
        what = "words with some numbers among them are read as categories"
        row = f"row {self.rows[at[0]] + 1}: '{texts[codes[at[0]]]}'"
        self._told.setdefault(what, []).append(f"column '{column.name}' ({row})")

    def _note_marks(self, column: Column, numerals: Numerals, reading: Reading) -> None:
        decimal, thousands = reading.notation
        _, texts = column.coded
        there = ~np.isnan(reading.values)
        used = "".join(t for t, filled in zip(texts, there, strict=True) if filled)
        parts = []
        if decimal == "," and "," in used:
            parts.append("decimal commas are read as points")
        if thousands:
            parts.append(f"{_SIGNS[thousands]} between thousands are passed over")
        if numerals.unit:
            parts.append(f"'{numerals.unit}' beside the numbers is passed over")
        parts += [_MARKS[mark] for mark in numerals.marks]
        if parts:
            plain = [t.isascii() and t.replace(".", "").isdigit() for t in texts]
            shows = np.flatnonzero(there & ~np.array(plain))
            at = int(np.flatnonzero(column.coded[0] == (shows[0] if len(shows) else 0))[0])
            self._tell(", ".join(parts), column, at, reading.values[column.coded[0][at]])

    def _note_blank(self, column: Column, numerals: Numerals) -> None:
        counts = {
            text: int(count)
            for text, count, blank in zip(
                numerals.texts, numerals.counts, numerals.blank, strict=True
            )
            if blank and count and text not in BLANK
        }
        if counts:
            told = ", ".join(f"'{text}' {count}" for text, count in list(counts.items())[:5])
            self._blank[column.name] = told + ", ..." * (len(counts) > 5)

    def note(self, notes: Notes) -> None:
        """Say what was read otherwise than it was written."""
        for what, columns in self._told.items():
            more = f" and {len(columns) - 5} more columns" if len(columns) > 5 else ""
            notes.add(f"{what}: {', '.join(columns[:5])}{more}")
        if self._blank:
            told = [f"column '{name}' ({counts})" for name, counts in self._blank.items()]
            more = f" and {len(told) - 10} more columns" if len(told) > 10 else ""
            notes.add(f"marks for 'no value' count as blank: {', '.join(told[:10])}{more}")
