"""Which label did each rater give each item, in a long or a wide file?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from csvor import CSVOR, RatersAudit, audit_raters
from csvor.audit import candidate_models
from csvor.cli._errors import ColumnError, CommandError, Faults, refuse
from csvor.cli._fault import fault
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.input._column_checks import Rows
from csvor.cli.input._column_parser import Rules
from csvor.cli.input._column_uses import check_rater_names, columns_as_text, feature_names
from csvor.cli.input._csv import split_list
from csvor.cli.input._feature_columns import choose_features
from csvor.cli.input._features import FeatureColumns, make_pipeline
from csvor.cli.input._read import ReadOptions, read_table
from csvor.cli.input._related_rows import item_names, rater_names
from csvor.cli.input._table import Table, TableColumn, as_number
from csvor.cli.input._target import Target, no_labels, read_target


@dataclass(frozen=True, eq=False)
class RatedItems:
    """Items, each with labels of several raters, and its features.

    `names` are those of the items, in the order of the file. `ratings`, `items` and `raters` are
    what `audit_raters` takes, `rows` the row of each of its ratings (of a cell, in a wide table);
    `frame` has the features of each item, and is None where there are none.
    """

    table: Table
    target: Target
    names: NDArray[Any]
    ratings: pd.Series | pd.DataFrame
    items: Rows | None
    raters: NDArray[Any]
    rows: Rows
    features: FeatureColumns
    frame: pd.DataFrame | None
    pipeline: Pipeline | None
    data: DataOptions
    options: ModelOptions

    def audit(self, progress: Callable[[int, int], None] | None) -> RatersAudit:
        """What is said of items, ratings and raters."""
        X, models, options = self.frame, None, self.options
        if X is not None and self.pipeline is not None:
            X = X if self.items is None else X.iloc[self.items]
            models = candidate_models(
                X, before=self.pipeline[:-1], n_parts=options.folds, fixed=options.parameters
            )
        return audit_raters(
            X, self.ratings, self.items, self.raters, estimator=models, cv=options.folds,
            reference=self.data.reference, random_state=options.seed, progress=progress,
        )  # fmt: skip


def read_several(data: DataOptions, notes: Notes) -> Table | None:
    """The file, where options speak of several labels an item, or may do so; else None."""
    if data.item is None and "," not in data.target:
        return None
    if data.dask is not None:
        if data.item is not None:
            refuse("dask-items")
        return None
    columns = [*columns_as_text(data), *data.target.split(",")]
    return read_table(data.data, notes, ReadOptions(data.delimiter, columns))


def has_ratings(table: Table, data: DataOptions) -> bool:
    """Whether items have several labels each: the name of a column may hold a comma."""
    return data.item is not None or data.target not in table.columns


def rated_items(table: Table, data: DataOptions, options: ModelOptions, notes: Notes) -> RatedItems:
    """The ratings and the features of their items, all faults at once."""
    wide = data.target not in table.columns and "," in data.target
    targets = split_list(data.target, "--target") if wide else [data.target]
    if wide and data.rater is not None:
        refuse("rater-of-columns", name=data.rater)
    if not wide and data.rater is None:
        refuse("item-alone")
    names = feature_names(table, data, targets)
    faults = Faults()
    read = _wide if wide else _long
    ratings = read(table, data, [table.column(name, "--target") for name in targets], notes, faults)
    target, item_texts, labels, items, raters, rows, first = ratings
    features, frame = FeatureColumns(), None
    if names:
        if items is not None:
            _refuse_features_of_ratings(table, names, rows, first[items], item_texts[items], faults)
        features, frame = choose_features(
            table, first, names, kept=data.keep, impute=options.impute,
            clip=options.clip is not None,
            rules=Rules(data.decimal, data.missing, data.dates, data.categorical),
            notes=notes, faults=faults,
        )  # fmt: skip
    faults.refuse(table.source)
    check_rater_names(data, raters.tolist(), len(rows), notes)
    pipeline = None
    if frame is not None:
        model = CSVOR(**{"contamination": "auto", **options.parameters}, classes=target.classes)
        pipeline = make_pipeline(features, model, impute=options.impute, clip=options.clip)
    return RatedItems(
        table, target, item_texts, labels, items, raters, rows, features, frame, pipeline, data,
        options,
    )  # fmt: skip


def _long(
    table: Table, data: DataOptions, columns: Sequence[TableColumn], notes: Notes, faults: Faults
) -> tuple[Any, ...]:
    """One label a row."""
    target = _labels(columns[0], data, notes)
    rows = target.rows
    texts, raters = np.arange(len(rows)).astype(object), np.empty(len(rows), dtype=object)
    with faults.collected():
        texts = item_names(table.column(str(data.item), "--item"), rows)
    with faults.collected():
        raters = rater_names(table.column(str(data.rater), "--rater"), rows)
    items, names = pd.factorize(texts)
    first = rows[np.unique(items, return_index=True)[1]]
    codes = target.coded.codes
    labels = pd.Series(_ordered(codes, target))
    return target, np.asarray(names, dtype=object), labels, items, raters, rows, first


def _wide(
    table: Table, data: DataOptions, columns: Sequence[TableColumn], notes: Notes, faults: Faults
) -> tuple[Any, ...]:
    """A column for each rater; a blank is a rating that was not made."""
    n, R, rows = table.n_rows, len(columns), table.rows
    target = _labels_of_columns(columns, data, notes)
    codes = np.full(n * R, -1)
    codes[target.rows] = target.coded.codes
    cells = codes.reshape(R, n)
    of_rater = [_ordered(one, target) for one in cells]
    raters = np.array([column.name for column in columns], dtype=object)
    labels = pd.DataFrame(dict(zip(raters.tolist(), of_rater, strict=True)))
    names: NDArray[Any] = rows + 1
    named = data.item or data.id
    if named is not None:
        with faults.collected():
            names = item_names(table.column(named, "--item"), rows)
            again = pd.Series(names).duplicated(keep=False).to_numpy()
            if again.any():
                raise ColumnError(fault("repeated-items", named, option="--item", rows=rows[again]))
    return target, names, labels, None, raters, np.repeat(rows, R), rows


def _ordered(codes: NDArray[np.int64], target: Target) -> pd.Categorical[Any]:
    """The labels of codes, of which -1 is none, with their order."""
    kind = pd.CategoricalDtype(pd.Index(target.classes), ordered=True)
    return pd.Categorical.from_codes(codes, dtype=kind)


def _labels(column: TableColumn, data: DataOptions, notes: Notes) -> Target:
    """The labels of a column; a blank stands for none."""
    missing = data.missing_label
    if no_labels(column, ())[0] and "" not in missing:
        missing = (*missing, "")
    return read_target(column, data.classes, missing, notes, fold=data.fold_labels)


def _labels_of_columns(columns: Sequence[TableColumn], data: DataOptions, notes: Notes) -> Target:
    """The labels of all columns, one below the other; a fault is told of the column that has it."""
    try:
        return _labels(_stacked(columns, data.target), data, notes)
    except CommandError as error:
        kinds = {one.fault.kind for one in getattr(error, "faults", [error]) if one.fault}
        for column in columns:
            with _only_of(kinds):
                _labels(column, data, Notes())
        raise


@contextmanager
def _only_of(kinds: Collection[str]) -> Iterator[None]:
    """Let only faults of these kinds through."""
    try:
        yield
    except CommandError as error:
        if error.fault is not None and error.fault.kind in kinds:
            raise


def _stacked(columns: Sequence[TableColumn], name: str) -> TableColumn:
    """The columns below each other; texts where they are not of one kind.

    What is written 5.0 in a column, as beside blanks, and 5 in another becomes 5.
    """
    kinds = {(column.kind, column.levels) for column in columns}
    types = {column.values.type for column in columns}
    texts = [[text or None for text in column.texts] for column in columns]
    spelling = _one_spelling({text for part in texts for text in part if text})
    if len(kinds) == 1 and len(types) == 1 and not spelling:
        values = pa.concat_arrays([column.values for column in columns])
    elif {column.kind for column in columns} == {"number"}:
        values = pa.concat_arrays([column.values.cast(pa.float64()) for column in columns])
    else:
        values = [spelling.get(text, text) for part in texts for text in part]
        values = pa.array(values, pa.large_string())
        return TableColumn(name, "text", values)
    return TableColumn(name, columns[0].kind, values, columns[0].levels, columns[0].no_order)


def _one_spelling(texts: Collection[str]) -> dict[str | None, str]:
    """For numbers that are written in several ways, the shortest of each."""
    ways: dict[float, list[str]] = {}
    for text in texts:
        ways.setdefault(as_number(text), []).append(text)
    several = [same for number, same in ways.items() if len(same) > 1 and number == number]
    return {text: min(same, key=len) for same in several for text in same}


def _refuse_features_of_ratings(
    table: Table, names: Sequence[str], rows: Rows, first: Rows, items: NDArray[Any], faults: Faults
) -> None:
    """Refuse features that differ between the ratings of an item, whose `first` rows these are."""
    for name in names:
        codes = table.columns[name].coded[0]
        differ = np.flatnonzero(codes[rows] != codes[first])
        if len(differ):
            i = differ[0]
            where = np.array([first[i], rows[i]])
            faults.add(ColumnError(fault("feature-of-rating", name, rows=where, item=items[i])))
