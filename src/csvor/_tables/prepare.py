"""How does a table become labels, features and what else an audit needs of its columns?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._faults.errors import Faults, listed
from csvor._faults.notes import Notes
from csvor._labels import CodedLabels
from csvor._tables.column_parser import Rules
from csvor._tables.column_uses import ColumnUses, check_raters, feature_names, weight_of_one
from csvor._tables.feature_columns import choose_features
from csvor._tables.features import FeatureColumns
from csvor._tables.leaks import note_copies
from csvor._tables.likely_raters import note_more_raters, note_raters
from csvor._tables.related_rows import (
    Repeats,
    find_repeats,
    note_repeated_ids,
    note_repeats,
    note_shared_texts,
    refuse_few_rows,
)
from csvor._tables.review import Review
from csvor._tables.roles import Roles
from csvor._tables.table import Table
from csvor._tables.target import Target, note_lone_labels, read_target
from csvor._utils.spelling import format_value
from csvor._utils.words import nouns


@dataclass(frozen=True)
class TableColumns:
    """The labels of a table, its features, and what other columns say of the rows.

    `groups` numbers what the rows used share, where a column names it; `weights` are what they
    count, those above 0 in the mean 1; `raters` who labelled them. `copies` are columns that alone
    give the label. `uses` has the review of labels, where there was one.
    """

    target: Target
    features: FeatureColumns
    frame: pd.DataFrame
    groups: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    raters: NDArray[Any] | None
    repeats: Repeats
    copies: tuple[str, ...]
    uses: ColumnUses

    def audit_data(self) -> dict[str, Any]:
        """The data by the parameters of `audit_labels`, labels before a review among them."""
        target, coded = self.target, self.target.coded
        before = self.uses.codes_before(target.classes, target.rows, coded.codes)
        return {
            "X": self.frame,
            "y": coded,
            "groups": self.groups,
            "raters": self.raters,
            "reference": self.uses.data.reference,
            "sample_weight": self.weights,
            "confirmed": self.uses.confirmed(target.rows),
            "original": None if before is None else CodedLabels(coded.labels, before),
        }


def columns_of(
    table: Table,
    roles: Roles,
    notes: Notes,
    *,
    declared: list[str] | None,
    impute: bool,
    clip: bool,
    review: Review | None = None,
) -> TableColumns:
    """Read and check the columns, all faults of them at once.

    `declared` are the classes in their order, if they are named. With `clip`, far values are
    limited later, and no note speaks of them.
    """
    faults, uses = Faults(), ColumnUses(roles, review)
    names, labels = feature_names(table, roles), uses.labels(table)
    target, groups, raters, weights = None, None, None, None
    with faults.collected():
        target = read_target(
            labels, declared, roles.missing_label, notes, uses.dropped, fold=roles.fold_labels
        )
    rows = table.rows if target is None else target.rows
    with faults.collected():
        groups = uses.groups(table, rows)
        if groups is None and roles.id is not None:
            note_repeated_ids(table.column(roles.id, "--id"), rows, notes)
    with faults.collected():
        raters = uses.raters(table, rows)
    features, frame = choose_features(
        table, rows, names, kept=roles.keep, impute=impute, clip=clip,
        rules=Rules(roles.decimal, roles.missing, roles.dates, roles.categorical),
        notes=notes, faults=faults,
    )  # fmt: skip
    with faults.collected():
        weights = uses.weights(table, rows, features.decimal)
        if weights is not None:
            n_counting = int(np.count_nonzero(weights))
            weights = weights / weight_of_one(roles.weighing, float(weights.sum()), n_counting)
    codes = labels.take(rows).coded[0] if target is None else target.coded.codes
    copies = note_copies(codes, frame, roles.keep, notes)
    if groups is None:
        note_shared_texts(frame, codes, [*roles.keep, *roles.categorical], notes)
    faults.refuse(table.source)
    assert target is not None
    repeats = find_repeats(frame, target.coded.codes, groups, weights)
    pairs = zip(target.classes, target.counts, strict=True)
    if empty := [format_value(label) for label, n in pairs if not n]:
        notes.add(
            f"no row has the {nouns(len(empty), 'label')} {listed(empty)}; kept as "
            f"{'a class' if len(empty) == 1 else 'classes'}"
        )
    counts = None if roles.counts is None else weights
    note_repeats(repeats, target.rows, notes, counts, rated=raters is not None)
    return TableColumns(target, features, frame, groups, weights, raters, repeats, copies, uses)


def check_for_audit(columns: TableColumns, raters: Any, folds: int, notes: Notes) -> None:
    """Refuse what cannot be judged in so many parts, and note what an audit should know.

    `raters` are those of all rows, in memory or in partitions.
    """
    target, roles = columns.target, columns.uses.data
    refuse_few_rows(target.n_rows, columns.groups, folds)
    note_raters(columns.frame, roles, notes)
    note_more_raters(columns.frame, [target.name], target.classes, roles, notes)
    note_lone_labels(target, notes)
    check_raters(roles, raters, notes)
