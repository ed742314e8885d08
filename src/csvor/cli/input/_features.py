"""The feature columns: which are used and how, and the pipeline that encodes them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from csvor.cli._errors import ColumnError, CommandError, listed
from csvor.cli._faults import Faults
from csvor.cli._notes import Notes
from csvor.cli.input._column_checks import (
    Rows,
    note_blank_words,
    note_far_value,
    quoted,
    refuse_bad_range,
    refuse_blanks,
    refuse_many_words,
)
from csvor.cli.input._leaks import counts_rows, names_rows, note_repeated_codes, note_use
from csvor.cli.input._numbers import Read, Reader, Rules
from csvor.cli.input._table import Column, Table
from csvor.cli.input._words import words_of
from csvor.preprocessing import MedianClipper

# From so many indicators of categories on, rows are sparse: of these, one a column is not 0.
SPARSE_FROM = 100
# Numbers are stored whole; beside many of them there is nothing to spare.
_MOST_STORED = 0.25


@dataclass
class Features:
    """The columns by their use; of the categorical ones, the values seen.

    `row_numbers` name rows, by numbers or texts. `readings` say how numbers are written where they
    are not plain ones, `missing` which marks stand for no value beside the usual ones.
    """

    numeric: list[str] = field(default_factory=list)
    categorical: dict[str, list[str]] = field(default_factory=dict)
    constant: list[str] = field(default_factory=list)
    row_numbers: list[str] = field(default_factory=list)
    readings: dict[str, dict[str, str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    @property
    def used(self) -> list[str]:
        """The names of the columns that the model takes."""
        return [*self.numeric, *self.categorical]

    @property
    def are_sparse(self) -> bool:
        """Whether the encoded rows are mostly zeros, and enough of them to be left out."""
        indicators = sum(map(len, self.categorical.values()))
        stored = len(self.used) / (len(self.numeric) + indicators)
        return indicators >= SPARSE_FROM and stored <= _MOST_STORED


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
) -> tuple[Features, pd.DataFrame]:
    """Find the use of each of the columns `names` and take them at `rows` (from 0).

    Those that are `kept` are features even if they look like row numbers. All faults are told at
    once.
    """
    choice = _Choice(table, rows, names, kept, clip, notes, rules or Rules())
    for name in names:
        with choice.faults.collected():
            choice.take(name)
    return choice.result(impute)


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
        self.features, self.faults = Features(missing=list(rules.missing)), Faults()
        self.data: dict[str, Any] = {}
        self.blanks: dict[str, Rows] = {}
        self.blank_words: dict[str, Rows] = {}
        self.columns = {name: table.columns[name].take(rows) for name in names}
        self.reader = Reader(self.columns.values(), rows, rules)

    def take(self, name: str) -> None:
        """Find the use of one column."""
        column = self.columns.pop(name)
        read = None if name in self.rules.categorical else self.reader.numbers(column)
        if read is None:
            self._take_words(column)
        else:
            self._take_numbers(name, read)

    def _take_numbers(self, name: str, read: Read) -> None:
        values, rows = read.values, self.rows
        refuse_bad_range(name, values, rows)
        blank = np.isnan(values)
        if blank.all():
            raise ColumnError(
                f"column '{name}' has no values; leave it out with --drop {quoted(name)}"
            )
        if np.nanmin(values) == np.nanmax(values):
            self.features.constant.append(name)
            return
        if name not in self.kept:
            whole = self.table.columns[name].numbers[0] if not read.how else values
            if counts_rows(name, whole, values, self.notes):
                self.features.row_numbers.append(name)
                return
            note_use(name, values, self.notes)
        if blank.any():
            self.blanks[name] = rows[blank]
        if not self.clip:
            note_far_value(name, values, rows, self.notes)
        self.features.numeric.append(name)
        if read.how:
            self.features.readings[name] = read.how
        self.data[name] = values

    def _take_words(self, column: Column) -> None:
        name = column.name
        codes, texts = words_of(column, self.rules.missing)
        if len(texts) < 2 or self.reader.is_blank(name):
            self.features.constant.append(name)
            return
        if name not in self.kept and name not in self.rules.categorical:
            if names_rows(name, codes, texts, self.notes):
                self.features.row_numbers.append(name)
                return
            note_repeated_codes(name, len(codes), len(texts), self.notes)
        refuse_many_words(name, codes, texts)
        self.features.categorical[name] = sorted(texts)
        self.data[name] = np.array(texts, dtype=object)[codes]
        if "" in texts:
            self.blank_words[name] = self.rows[codes == texts.index("")]

    def result(self, impute: bool) -> tuple[Features, pd.DataFrame]:
        """The use of all columns, and their values; what stands against it is raised."""
        self.reader.said.note(self.notes)
        note_blank_words(self.blank_words, self.notes)
        if not impute:
            with self.faults.collected():
                first = quoted(next(iter(self.blanks), ""))
                refuse_blanks(self.blanks, f"fill them in, let --impute do so, or --drop {first}")
        if not self.features.used and not self.faults.found:
            raise CommandError("no feature column is left to fit with")
        self.faults.refuse()
        _note_constants(self.features.constant, self.notes)
        return self.features, frame_of(self.data, self.features.used)


def frame_of(data: dict[str, Any], names: Sequence[str]) -> pd.DataFrame:
    """A frame of columns, which are given away: all of them twice would need twice the memory."""
    return pd.DataFrame({name: data.pop(name) for name in names}, copy=False)


def _note_constants(names: Sequence[str], notes: Notes) -> None:
    if names:
        several = len(names) > 1
        notes.add(
            f"column{'s' * several} {listed(names)} {'have' if several else 'has'} one value only "
            f"and {'are' if several else 'is'} left out"
        )


def make_pipeline(features: Features, model: Any, *, impute: bool, clip: float | None) -> Pipeline:
    """Encoding and `model` in one, so that each training part is encoded by itself."""
    numbers: list[tuple[str, Any]] = []
    if impute:
        numbers.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
    if clip is not None:
        numbers.append(("clip", MedianClipper(spreads=clip)))
    numbers.append(("scale", StandardScaler()))
    parts: list[tuple[str, Any, list[str]]] = []
    if features.numeric:
        parts.append(("numbers", Pipeline(numbers), features.numeric))
    if features.categorical:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=features.are_sparse)
        parts.append(("categories", encoder, list(features.categorical)))
    # What is sparse stays so, however few of the levels a part of the rows has.
    columns = ColumnTransformer(parts, sparse_threshold=1.0 if features.are_sparse else 0.3)
    return Pipeline([("columns", columns), ("model", model)])
