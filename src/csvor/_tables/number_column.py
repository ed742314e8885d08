"""In which notation does a column write its numbers, and which of its texts are none (N39)?"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from csvor._tables.number_text import NOTATIONS, Notation, Numeral, is_known_unit, numeral
from csvor._tables.table import TableColumn, has_clear_points, has_points, parsed_numbers
from csvor._utils.spelling import BLANK, as_number

Numbers = NDArray[np.float64]
Rows = NDArray[np.int64]
# Stand for "no value" (N39) where all other cells of a column are numbers; compared without case.
# SIGNS do so among words as well.
_SIGNS = (
    "?|??|-|--|---|.|..|...|…|\u2013|—|*|#|na|n/a|#n/a|n.a.|n. a.|nan|null|(null)|<na>|nat|"
    "#n/a n/a|#null!|#div/0!|#value!|#ref!|#name?|#num!|\\n"
)
_WORDS = (
    "none|nil|missing|unknown|undefined|blank|(blank)|empty|not available|not applicable|no data|"
    "no answer|don't know"
)
SIGNS = frozenset(_SIGNS.split("|"))
MARKS = SIGNS | frozenset(_WORDS.split("|"))
# So many different numbers are a measurement, and words among them mistakes or marks.
MANY = 10
# Texts of a column that show whether it is worth a closer look.
_SAMPLE = 500


def is_blank(text: str, declared: Collection[str], marks: Collection[str] = MARKS) -> bool:
    """Whether a text stands for no value, by default in a column of numbers."""
    if text in BLANK or text.casefold() in marks or text in declared:
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
    """What the different texts of a column say as numbers; `missing` stand for no value as well.

    Attributes
    ----------
    counts : the rows of each text
    blank : which texts stand for no value
    readings : notations in which most can be read, the plain one first; they differ in values
    values : the numbers by the first of them
    wrong : which texts are neither blank nor such a number
    unit : what stands beside the numbers, without case; `spelled` as it is written there
    marks : what else is not plain about them
    """

    def __init__(self, column: TableColumn, missing: Collection[str] = ()) -> None:
        codes, self.texts = column.coded
        self.counts = np.bincount(codes, minlength=len(self.texts))
        self.blank = np.array([is_blank(text, missing) for text in self.texts], dtype=bool)
        self.filled = np.flatnonzero(~self.blank & (self.counts > 0))
        self.unit, self.marks, self._contradict = "", list[str](), False
        self.spelled: list[str] = []
        self.readings = self._plain_readings() or self._marked_readings()
        none = np.full(len(self.texts), np.nan)
        self.values = self.readings[0].values if self.readings else none
        self.wrong = ~self.blank & (self.counts > 0) & np.isnan(self.values)
        self.n_different = len(np.unique(self.values[~np.isnan(self.values)]))

    def sample(self) -> list[str]:
        """Some of the texts, which show whether a closer look at all is worth it."""
        return [self.texts[i] for i in self.filled[:: max(1, len(self.filled) // _SAMPLE)]]

    def _plain_readings(self) -> list[Interpretation]:
        """The numbers, if all are plain ones and no point may mark thousands."""
        texts = pa.array([self.texts[i] for i in self.filled], pa.string())
        numbers = parsed_numbers(texts) if len(texts) else None
        if numbers is None or (has_points(texts) and not has_clear_points(texts)):
            return []
        values = np.full(len(self.texts), np.nan)
        values[self.filled] = numbers.to_numpy(zero_copy_only=False)
        return [Interpretation(NOTATIONS[0], values)]

    def _marked_readings(self) -> list[Interpretation]:
        """The notations that fit all numbers of the main unit, else the one that fits most."""
        if not any(map(numeral, self.sample())):
            return []
        parsed = {i: one for i in self.filled.tolist() if (one := numeral(self.texts[i]))}
        self.unit = self._main_unit(parsed)
        # Numbers all, but perhaps not in one notation and unit.
        units = {one.unit for one in parsed.values()} - {""}
        self._contradict = len(parsed) == len(self.filled) and all(map(is_known_unit, units))
        right = {i: one for i, one in parsed.items() if one.unit == self.unit or _is_zero(one)}
        self.marks = sorted({mark for one in right.values() for mark in one.marks})
        self.spelled = sorted({one.spelled for one in right.values() if one.unit})
        return [self._interpretation(notation, right) for notation in self._fitting(right)]

    def _main_unit(self, parsed: dict[int, Numeral]) -> str:
        rows = Counter[str]()
        for i, one in parsed.items():
            if not _is_zero(one):
                rows[one.unit] += int(self.counts[i])
        return max(rows, key=lambda unit: rows[unit], default="")

    def _fitting(self, right: dict[int, Numeral]) -> list[Notation]:
        """The notations in which most rows can be read, one of those that no number tells apart."""
        rows = Counter[tuple[Notation, ...]]()
        for i, one in right.items():
            rows[one.notations] += int(self.counts[i])
        n_rows = {n: sum(k for fitting, k in rows.items() if n in fitting) for n in NOTATIONS}
        most = max(n_rows.values())
        best = [n for n in NOTATIONS if n_rows[n] == most]
        used = {sign for one in right.values() for sign in one.body}
        different: dict[tuple[str, ...], Notation] = {}
        for n in best if most == rows.total() else best[:1]:
            different.setdefault(tuple(sign * (sign in used) for sign in n), n)
        return list(different.values())

    def _interpretation(self, notation: Notation, right: dict[int, Numeral]) -> Interpretation:
        values = np.full(len(self.texts), np.nan)
        for i, one in right.items():
            if notation in one.notations:
                values[i] = one.value(notation)
        return Interpretation(notation, values)

    def are_numbers(self, unit: str | None = None) -> bool:
        """Whether all that is filled in are numbers of one unit, which may be known: `unit`."""
        if not self.readings or self.wrong.any():
            return False
        # The same letters behind a number or two are a code.
        known = not self.unit or is_known_unit(self.unit) or self.n_different >= 3
        return known or self.unit == unit

    @property
    def are_meant(self) -> bool:
        """Whether a column with other texts as well is one of numbers, by and large."""
        if self._contradict and self.wrong.any():
            return True
        if self.unit and not is_known_unit(self.unit):
            return False
        n_wrong = int(self.counts[self.wrong].sum())
        n_right = int(self.counts.sum() - self.counts[self.blank].sum()) - n_wrong
        return n_right >= max(20, 9 * n_wrong) or (n_right >= n_wrong and self.n_different >= MANY)

    @property
    def decimal(self) -> str:
        """The decimal sign, where the numbers of the column leave no doubt of it."""
        if len(self.readings) != 1 or self.wrong.any():
            return ""
        sign = self.readings[0].notation[0]
        used = any(sign in self.texts[i] for i in np.flatnonzero(~np.isnan(self.values)))
        return sign if used else ""

    def reading(self, decimal: str | None, thousands: str | None = None) -> Interpretation | None:
        """The numbers, by the decimal sign of the file; None if two notations give other ones.

        A `decimal` of None is one that nothing tells of: then points are decimal points. With
        `thousands`, no other sign than this one stands between them.
        """
        if len(self.readings) == 1:
            return self.readings[0]
        if decimal is None and self.readings[0].notation == NOTATIONS[0]:
            return self.readings[0]
        for one in self.readings:
            sign, between = one.notation
            if sign == decimal and (thousands is None or between in thousands):
                return one
        return None


def _is_zero(one: Numeral) -> bool:
    """Whether a number needs no unit: nothing is nothing of anything."""
    return not one.unit and not any(sign in "123456789" for sign in one.body)
