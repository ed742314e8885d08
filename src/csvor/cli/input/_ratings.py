"""Which label did each rater give each item, in a long or a wide file?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from csvor import CSVOR, RatersAudit, audit_raters
from csvor._faults.errors import ColumnError, Faults, refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.column_checks import Rows
from csvor._tables.column_parser import Rules
from csvor._tables.column_uses import check_rater_names, columns_as_text, feature_names
from csvor._tables.feature_columns import choose_features
from csvor._tables.features import FeatureColumns
from csvor._tables.likely_raters import is_gold, note_gold, note_more_raters
from csvor._tables.related_rows import names_in
from csvor._tables.table import Table, TableColumn
from csvor._tables.target import Target
from csvor.audit import candidate_models
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.input._csv import split_list
from csvor.cli.input._rating_labels import labels_of, labels_of_columns, ordered, true_labels
from csvor.cli.input._read import ReadOptions, read_table
from csvor.preprocessing._encoding import make_pipeline


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
    gold: pd.Series | None
    data: DataOptions
    options: ModelOptions

    def audit(self, progress: Callable[[int, int], None] | None) -> RatersAudit:
        """What is said of items, ratings and raters, called as in the file."""
        X, models, options = self.frame, None, self.options
        if X is not None and self.pipeline is not None:
            X = X if self.items is None else X.iloc[self.items]
            models = candidate_models(
                X, before=self.pipeline[:-1], n_parts=options.folds, fixed=options.parameters
            )
        audit = audit_raters(
            X, self.ratings, self.items, self.raters, estimator=models, cv=options.folds,
            reference=self.data.reference, gold=self.gold, random_state=options.seed,
            progress=progress,
        )  # fmt: skip
        rows = self.rows[audit.rating_row]
        return replace(audit, items=self.names[audit.items], rating_row=rows)


def read_several(data: DataOptions, notes: Notes) -> Table | None:
    """The file, where options speak of several labels an item, or may do so; else None."""
    if data.item is None and "," not in data.target:
        return None
    if data.dask is not None:
        if data.item is not None:
            refuse("dask-items")
        return None
    columns = [*columns_as_text(data.roles), *data.target.split(",")]
    return read_table(
        data.data, notes, ReadOptions(data.delimiter, columns, data.sheet, data.target)
    )


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
    if data.gold is not None and data.reference is not None:
        refuse("both", one="--gold", other="--reference", what="by whom raters are measured")
    names = feature_names(table, data.roles, targets)
    faults = Faults()
    read = _wide if wide else _long
    ratings = read(table, data, [table.column(name, "--target") for name in targets], notes, faults)
    target, item_texts, labels, items, raters, rows, first = ratings
    of_ratings, texts = (first, item_texts) if items is None else (rows, item_texts[items])
    gold = None
    if data.gold is not None:
        with faults.collected():
            gold = true_labels(table.column(data.gold, "--gold"), target, data, of_ratings, texts)
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
    check_rater_names(data.roles, raters.tolist(), len(rows), notes)
    pipeline = None
    if frame is not None:
        if wide:
            note_more_raters(frame, targets, target.classes, data.roles, notes)
        else:
            note_gold(frame, target.classes, data.roles, notes)
        model = CSVOR(**{"contamination": "auto", **options.parameters}, classes=target.classes)
        pipeline = make_pipeline(features, model, impute=options.impute, clip=options.clip)
    return RatedItems(
        table, target, item_texts, labels, items, raters, rows, features, frame, pipeline, gold,
        data, options,
    )  # fmt: skip


def _long(
    table: Table, data: DataOptions, columns: Sequence[TableColumn], notes: Notes, faults: Faults
) -> tuple[Any, ...]:
    """One label a row."""
    target = labels_of(columns[0], data, notes)
    rows = target.rows
    texts, raters = np.arange(len(rows)).astype(object), np.empty(len(rows), dtype=object)
    with faults.collected():
        texts = names_in(table.column(str(data.item), "--item"), rows, "item")
    with faults.collected():
        raters = names_in(table.column(str(data.rater), "--rater"), rows, "rater")
    items, names = pd.factorize(texts)
    first = rows[np.unique(items, return_index=True)[1]]
    codes = target.coded.codes
    labels = pd.Series(ordered(codes, target))
    return target, np.asarray(names, dtype=object), labels, items, raters, rows, first


def _wide(
    table: Table, data: DataOptions, columns: Sequence[TableColumn], notes: Notes, faults: Faults
) -> tuple[Any, ...]:
    """A column for each rater; a blank is a rating that was not made."""
    n, R, rows = table.n_rows, len(columns), table.rows
    target = labels_of_columns(columns, data, notes)
    codes = np.full(n * R, -1)
    codes[target.rows] = target.coded.codes
    cells = codes.reshape(R, n)
    for column, one in zip(columns, cells, strict=True):
        if (one < 0).all():
            faults.add(ColumnError(fault("blank-rater", column.name, option="--target")))
    of_rater = [ordered(one, target) for one in cells]
    raters = np.array([column.name for column in columns], dtype=object)
    labels = pd.DataFrame(dict(zip(raters.tolist(), of_rater, strict=True)))
    names: NDArray[Any] = rows + 1
    named = data.item or data.id
    if named is not None:
        with faults.collected():
            names = names_in(table.column(named, "--item"), rows, "item")
            again = pd.Series(names).duplicated(keep=False).to_numpy()
            if again.any():
                raise ColumnError(fault("repeated-items", named, option="--item", rows=rows[again]))
    return target, names, labels, None, raters, np.repeat(rows, R), rows


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
            kind = "gold-of-rating" if is_gold(name) else "feature-of-rating"
            faults.add(ColumnError(fault(kind, name, rows=where, item=items[i])))
