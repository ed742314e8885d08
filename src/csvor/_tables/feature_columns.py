"""Which columns of a table are features, and how is each of them used?"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from csvor._faults.errors import ColumnError, CommandError, Faults
from csvor._faults.fault import Fault, fault
from csvor._faults.notes import Notes
from csvor._tables.categories import words_of
from csvor._tables.column_checks import (
    Rows,
    far_value,
    note_blank_words,
    note_far_values,
    note_word_marks,
    refuse_bad_range,
    refuse_blanks,
    refuse_many_words,
)
from csvor._tables.column_parser import ColumnParser, ParsedColumn, Rules
from csvor._tables.features import FeatureColumns
from csvor._tables.leaks import (
    counts_rows,
    is_id,
    names_rows,
    note_shared_id,
    note_use,
)
from csvor._tables.number_column import SIGNS
from csvor._tables.table import Table, TableColumn
from csvor._utils.spelling import as_number


def choose_features(
    table: Table,
    rows: Rows,
    names: Sequence[str],
    *,
    kept: Collection[str] = (),
    impute: bool,
    clip: bool,
    notes: Notes,
    rules: Rules | None = None,
    faults: Faults | None = None,
) -> tuple[FeatureColumns, pd.DataFrame]:
    """Find the use of each of the columns `names` and take them at `rows` (from 0).

    Those that are `kept` are features even if they look like row numbers. All faults are told at
    once, unless `faults` collects them with others.
    """
    choice = _Choice(table, rows, names, kept, clip, notes, rules or Rules())
    for name in names:
        with choice.faults.collected():
            choice.take(name)
    features_and_frame = choice.result(impute)
    if faults is None:
        choice.faults.refuse()
    else:
        faults.errors += choice.faults.errors
    return features_and_frame


class _Choice:
    """The columns of a table, one after the other."""

    def __init__(
        self,
        table: Table,
        rows: Rows,
        names: Sequence[str],
        kept: Collection[str],
        clip: bool,
        notes: Notes,
        rules: Rules,
    ) -> None:
        self.table, self.rows, self.kept, self.clip = table, rows, kept, clip
        self.notes, self.rules = notes, rules
        self.features, self.faults = FeatureColumns(missing=list(rules.missing)), Faults()
        self.data: dict[str, Any] = {}
        self.blanks: dict[str, Rows] = {}
        self.blank_words: dict[str, Rows] = {}
        self.word_marks: dict[str, dict[str, int]] = {}
        self.blank: list[str] = []
        self.far: list[Fault] = []
        self.columns = {name: table.columns[name].take(rows) for name in names}
        self._note_idle_marks()
        self.reader = ColumnParser(self.columns.values(), rows, rules)

    def take(self, name: str) -> None:
        """Find the use of one column."""
        column = self.columns.pop(name)
        try:
            read = None if name in self.rules.categorical else self.reader.numbers(column)
        except ColumnError:
            blank = self.reader.blanks(column)
            if blank.any() and not blank.all():
                self.blanks[name] = self.rows[blank]
            raise
        if read is None:
            self._take_words(column)
        else:
            self._take_numbers(name, read)

    def _take_numbers(self, name: str, read: ParsedColumn) -> None:
        values, rows = read.values, self.rows
        refuse_bad_range(name, values, rows)
        blank = np.isnan(values)
        if blank.all():
            raise ColumnError(fault("empty-column", name))
        if np.nanmin(values) == np.nanmax(values):
            self.features.constant.append(name)
            return
        if name not in self.kept:
            whole = self.table.columns[name].numbers if not read.how else values
            if counts_rows(name, whole, values, self.notes):
                self.features.row_numbers.append(name)
                return
            note_use(name, values, self.notes)
        if blank.any():
            self.blanks[name] = rows[blank]
        if not self.clip:
            self.far += filter(None, [far_value(name, values, rows)])
        self.features.numeric.append(name)
        if read.how:
            self.features.readings[name] = read.how
        self.data[name] = values

    def _take_words(self, column: TableColumn) -> None:
        name = column.name
        codes, texts = words_of(column, self.rules.missing)
        if len(texts) < 2 or self.reader.is_blank(name):
            self.features.constant.append(name)
            if not any(texts) or self.reader.is_blank(name):
                self.blank.append(name)
            return
        asked = name in self.kept or name in self.rules.categorical
        if not asked and names_rows(name, codes, texts, self.notes):
            self.features.row_numbers.append(name)
            return
        refuse_many_words(name, codes, texts, is_id(name))
        if not asked and is_id(name):
            note_shared_id(name, len(texts), len(codes), self.notes, "texts", "categories")
        self.features.categorical[name] = sorted(texts)
        self.data[name] = np.array(texts, dtype=object)[codes]
        if "" in texts:
            self.blank_words[name] = self.rows[codes == texts.index("")]
        marks = {
            text: int(np.sum(codes == code))
            for code, text in enumerate(texts)
            if text.casefold() in SIGNS
        }
        if marks:
            self.word_marks[name] = marks

    def _note_idle_marks(self) -> None:
        """Say which marks for "no value" no cell has: a slip of the pen, mostly."""
        for mark in self.rules.missing:
            number = as_number(mark)
            if not any(_has(column, mark, number) for column in self.columns.values()):
                self.notes.add(fault("idle-mark", mark=mark))

    def result(self, impute: bool) -> tuple[FeatureColumns, pd.DataFrame]:
        """The use of the columns without a fault, and their values."""
        self.reader.notes.report(self.notes)
        note_far_values(self.far, self.notes)
        note_blank_words(self.blank_words, self.notes)
        note_word_marks(self.word_marks, self.notes)
        if not impute:
            with self.faults.collected():
                refuse_blanks(self.blanks)
        if not self.features.used and not self.faults.errors:
            self.faults.add(CommandError(fault("no-features")))
        if self.blank:
            self.notes.add(fault("blank-columns", n=len(self.blank), names=self.blank))
        constant = [name for name in self.features.constant if name not in self.blank]
        if constant:
            self.notes.add(fault("constant", n=len(constant), names=constant))
        return self.features, frame_of(self.data, self.features.used)


def _has(column: TableColumn, mark: str, number: float) -> bool:
    if column.kind == "number":
        return bool((column.numbers == number).any())
    if column.kind not in {"text", "bool"}:
        return False
    return any(text == mark or as_number(text) == number for text in column.coded[1])


def frame_of(data: dict[str, Any], names: Sequence[str]) -> pd.DataFrame:
    """A frame of columns, which are given away: all of them twice would need twice the memory.

    Where they are more than the rows they become one array: rows of it are found faster (N75).
    """
    is_wide = bool(names) and len(names) > len(data[names[0]])
    return pd.DataFrame({name: data.pop(name) for name in names}, copy=is_wide)
