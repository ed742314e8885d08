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

from csvor.cli._errors import ColumnError, CommandError, UsageError, closest, listed, plural
from csvor.cli._notes import Notes
from csvor.cli.input._column_checks import (
    Rows,
    is_numeric,
    note_blank_words,
    note_far_value,
    quoted,
    refuse_bad_range,
    refuse_blanks,
    refuse_dates_and_lists,
    refuse_identifier,
    refuse_texts_among_numbers,
    with_points,
)
from csvor.cli.input._leaks import counts_rows
from csvor.cli.input._table import Column, Table
from csvor.preprocessing import MedianClipper

# From so many indicators of categories on, rows are sparse: of these, one a column is not 0.
SPARSE_FROM = 100
# Numbers are stored whole; beside many of them there is nothing to spare.
_MOST_STORED = 0.25


@dataclass
class Features:
    """The columns by their use; of the categorical ones, the values seen."""

    numeric: list[str] = field(default_factory=list)
    categorical: dict[str, list[str]] = field(default_factory=dict)
    constant: list[str] = field(default_factory=list)
    row_numbers: list[str] = field(default_factory=list)

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
) -> tuple[Features, pd.DataFrame]:
    """Find the use of each of the columns `names` and take them at `rows` (from 0).

    Those that are `kept` are features even if they look like row numbers.
    """
    features = Features()
    data: dict[str, Any] = {}
    blanks: dict[str, Rows] = {}
    blank_words: dict[str, Rows] = {}
    for name in names:
        column = with_points(table.columns[name].take(rows), rows, notes)
        if is_numeric(column, rows):
            values, _ = column.numbers
            refuse_bad_range(name, values, rows)
            blank = np.isnan(values)
            if blank.all():
                raise ColumnError(
                    f"column '{name}' has no values; leave it out with --drop {quoted(name)}"
                )
            if np.nanmin(values) == np.nanmax(values):
                features.constant.append(name)
                continue
            if name not in kept and counts_rows(table.columns[name], values, notes):
                features.row_numbers.append(name)
                continue
            if blank.any():
                blanks[name] = rows[blank]
            if not clip:
                note_far_value(name, values, rows, notes)
            features.numeric.append(name)
            data[name] = values
        elif len(column.coded[1]) < 2:
            features.constant.append(name)
        else:
            refuse_identifier(column, rows)
            features.categorical[name] = sorted(column.coded[1])
            data[name] = _texts(column)
            if "" in column.coded[1]:
                blank_words[name] = rows[data[name] == ""]
    note_blank_words(blank_words, notes)
    if not impute:
        first = quoted(next(iter(blanks), ""))
        refuse_blanks(blanks, f"fill them in, let --impute do so, or --drop {first}")
    if not features.used:
        raise CommandError("no feature column is left to fit with")
    _note_constants(features.constant, notes)
    return features, pd.DataFrame({name: data[name] for name in features.used})


def _note_constants(names: Sequence[str], notes: Notes) -> None:
    if names:
        several = len(names) > 1
        notes.add(
            f"column{'s' * several} {listed(names)} {'have' if several else 'has'} one value only "
            f"and {'are' if several else 'is'} left out"
        )


def features_frame(table: Table, features: Features, *, impute: bool, notes: Notes) -> pd.DataFrame:
    """Take the columns that a model was fitted with from another table."""
    missing = [name for name in features.used if name not in table.columns]
    if missing:
        others = [name for name in table.columns if name not in features.used]
        pairs = [(name, closest(name, others)) for name in missing]
        renames = [f"'{found}' to '{name}'" for name, found in pairs if found is not None]
        remedy = f"add {'it' if len(missing) == 1 else 'them'} or fit anew"
        if renames:
            remedy = f"rename {' and '.join(renames)} if that is meant"
        raise UsageError(
            f"{table.source} lacks the column{'s' * (len(missing) > 1)} {listed(missing)} that the "
            f"model was fitted with; {remedy}; it has {listed(list(table.columns))}"
        )
    rows = np.arange(table.n_rows)
    data: dict[str, Any] = {}
    blanks: dict[str, Rows] = {}
    for name in features.numeric:
        column = with_points(table.columns[name], rows, notes)
        refuse_dates_and_lists(column)
        refuse_texts_among_numbers(column, rows, "the model takes this column as numbers")
        values, _ = column.numbers
        refuse_bad_range(name, values, rows)
        if np.isnan(values).any():
            blanks[name] = rows[np.isnan(values)]
        data[name] = values
    if not impute:
        refuse_blanks(blanks, "fill them in, or fit the model with --impute")
    for name, known in features.categorical.items():
        column = table.columns[name]
        refuse_dates_and_lists(column)
        _note_new_values(column, set(known), notes)
        data[name] = _texts(column)
    return pd.DataFrame(data)


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


def _texts(column: Column) -> Any:
    codes, texts = column.coded
    return np.array(texts, dtype=object)[codes]


def _note_new_values(column: Column, known: set[str], notes: Notes) -> None:
    codes, texts = column.coded
    new = [i for i, text in enumerate(texts) if text not in known]
    count = int(np.isin(codes, new).sum())
    if count:
        notes.add(
            f"column '{column.name}': {plural(count, 'row')} with values that the model "
            f"has not seen ({listed([texts[i] for i in new])}); they count as none of the known"
        )
