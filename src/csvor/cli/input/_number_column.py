"""In which notation does a column write its numbers, and which of its texts are none (N39)?"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from csvor.cli.input._number_text import NOTATIONS, Notation, Numeral, is_known_unit, numeral
from csvor.cli.input._table import (
    BLANK,
    as_number,
    has_clear_points,
    has_points,
    parsed_numbers,
)

Numbers = NDArray[np.float64]
Rows = NDArray[np.int64]
# Stand for "no value" where all other cells of a column are numbers; compared without case.
_ONE_WORD = (
    "? ?? - -- --- . .. ... … \u2013 — * # na n/a #n/a n.a. nan null (null) none nil <na> nat "
    "missing unknown undefined blank (blank) empty #null! #div/0! #value! #ref! #name? #num! \\n"
)
MARKS = frozenset(_ONE_WORD.split()) | {
    "n. a.",
    "#n/a n/a",
    "not available",
    "not applicable",
    "no data",
    "no answer",
    "don't know",
}
# So many different numbers are a measurement, and words among them mistakes or marks.
MANY = 10
# Texts of a column that show whether it is worth a closer look.
_SAMPLE = 500


def is_blank(text: str, declared: Collection[str]) -> bool:
    """Whether a text stands for no value in a column of numbers."""
    if text in BLANK or text.casefold() in MARKS or text in declared:
        return True
    # -99 and -99.0 are one mark; what is no number equals none.
    number = as_number(text) if declared else np.nan
    return any(number == as_number(mark) for mark in declared)


@dataclass(frozen=True)
class Interpretation:
    """One number for each text of a column, NaN for those that are none in this notation."""

    notation: Notation
    values: Numbers


class NumberColumn:
    """What the different texts of a column say as numbers; `counts` are the rows of each.

    Attributes
    ----------
    blank : which texts stand for no value
    readings : notations in which most can be read, the plain one first; they differ in values
    wrong : which texts are neither blank nor such a number
    unit : what stands beside the numbers
    marks : what else is not plain about them
    """

    def __init__(self, texts: Sequence[str], counts: Rows, missing: Collection[str] = ()) -> None:
        self.texts, self.counts = texts, counts
        self.blank = np.array([is_blank(text, missing) for text in texts], dtype=bool)
        filled = np.flatnonzero(~self.blank & (counts > 0))
        self.unit, self.marks, self.contradict = "", list[str](), False
        self.readings = self._plain_readings(filled) or self._marked_readings(filled)
        first = self.readings[0].values if self.readings else np.full(len(texts), np.nan)
        self.wrong = np.zeros(len(texts), dtype=bool)
        self.wrong[filled] = np.isnan(first[filled])
        self.contradict = self.contradict and bool(self.wrong.any())
        self.n_different = len(np.unique(first[~np.isnan(first)]))

    def _plain_readings(self, filled: Rows) -> list[Interpretation]:
        """The numbers, if all are plain ones and no point may mark thousands."""
        texts = pa.array([self.texts[i] for i in filled], pa.string())
        numbers = parsed_numbers(texts) if len(texts) else None
        if numbers is None or (has_points(texts) and not has_clear_points(texts)):
            return []
        values = np.full(len(self.texts), np.nan)
        values[filled] = numbers.to_numpy(zero_copy_only=False)
        return [Interpretation(NOTATIONS[0], values)]

    def _marked_readings(self, filled: Rows) -> list[Interpretation]:
        """The numbers among texts, one by one."""
        numerals = self._numerals(filled)
        self.unit = self._main_unit(numerals)
        right = {
            i: one
            for i, one in numerals.items()
            if one.unit == self.unit or _is_zero(one, self.unit)
        }
        self.marks = sorted(set().union(*(one.marks for one in right.values())))
        # Numbers all, but perhaps not in one notation and unit.
        units = {one.unit for one in numerals.values()} - {""}
        self.contradict = len(numerals) == len(filled) and all(map(is_known_unit, units))
        return self._readings(right)

    def _numerals(self, filled: Rows) -> dict[int, Numeral]:
        sample = filled[:: max(1, len(filled) // _SAMPLE)]
        if all(numeral(self.texts[i]) is None for i in sample):
            return {}
        parsed = {i: numeral(self.texts[i]) for i in filled.tolist()}
        return {i: one for i, one in parsed.items() if one is not None}

    def _main_unit(self, numerals: dict[int, Numeral]) -> str:
        rows: dict[str, int] = {}
        for i, one in numerals.items():
            if not _is_zero(one, "any"):
                rows[one.unit] = rows.get(one.unit, 0) + int(self.counts[i])
        return max(rows, key=lambda unit: rows[unit]) if rows else ""

    def _readings(self, right: dict[int, Numeral]) -> list[Interpretation]:
        """The notations that fit all numbers, else the one that fits most."""
        if not right:
            return []
        rows: dict[tuple[Notation, ...], int] = {}
        for i, one in right.items():
            rows[one.notations] = rows.get(one.notations, 0) + int(self.counts[i])
        n_rows = {n: sum(k for fitting, k in rows.items() if n in fitting) for n in NOTATIONS}
        most = max(n_rows.values())
        best = [n for n in NOTATIONS if n_rows[n] == most]
        if most < sum(rows.values()):
            best = best[:1]
        # Notations that differ in signs that no number has are one.
        used = set().union(*(one.body for one in right.values()))
        different: dict[tuple[str, ...], Notation] = {}
        for notation in best:
            different.setdefault(tuple(sign * (sign in used) for sign in notation), notation)
        return [self._reading(notation, right) for notation in different.values()]

    def _reading(self, notation: Notation, right: dict[int, Numeral]) -> Interpretation:
        values = np.full(len(self.texts), np.nan)
        for i, one in right.items():
            if notation in one.notations:
                values[i] = one.value(notation)
        return Interpretation(notation, values)

    @property
    def are_numbers(self) -> bool:
        """Whether all that is filled in are numbers of one unit."""
        if not self.are_all_of(self.unit):
            return False
        # The same letters behind a number or two are a code.
        return not self.unit or is_known_unit(self.unit) or self.n_different >= 3

    def are_all_of(self, unit: str | None) -> bool:
        """Whether all that is filled in are numbers of this unit."""
        return bool(self.readings) and not self.wrong.any() and self.unit == unit

    @property
    def are_meant(self) -> bool:
        """Whether a column with other texts as well is one of numbers, by and large."""
        if self.contradict:
            return True
        n_wrong = int(self.counts[self.wrong].sum())
        n_right = int(self.counts.sum() - self.counts[self.blank].sum()) - n_wrong
        if self.unit and not is_known_unit(self.unit):
            return False
        return n_right >= max(20, 9 * n_wrong) or (n_right >= n_wrong and self.n_different >= MANY)

    @property
    def decimal(self) -> str:
        """The decimal sign, where the numbers of the column leave no doubt of it."""
        if len(self.readings) != 1 or self.wrong.any():
            return ""
        sign = self.readings[0].notation[0]
        whole = self.readings[0].values
        used = any(sign in text for text, w in zip(self.texts, whole, strict=True) if w == w)
        return sign if used else ""

    def reading(self, decimal: str | None, thousands: str | None = None) -> Interpretation | None:
        """The numbers, by the decimal sign of the file; None if two notations give other ones.

        A `decimal` of None is one that nothing tells of: then points are decimal points. With
        `thousands`, no other sign than this one stands between them.
        """
        of_sign = [
            one
            for one in self.readings
            if one.notation[0] == decimal and (thousands is None or one.notation[1] in thousands)
        ]
        if len(self.readings) == 1:
            return self.readings[0]
        if decimal is None and self.readings[0].notation == NOTATIONS[0]:
            return self.readings[0]
        return of_sign[0] if of_sign else None


def _is_zero(one: Numeral, unit: str) -> bool:
    """Whether a number needs no unit: nothing is nothing of anything."""
    return bool(unit) and not one.unit and not any(sign in "123456789" for sign in one.body)
