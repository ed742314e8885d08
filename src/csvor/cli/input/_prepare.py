"""From a file and options to what can be fitted; `audit` and `fit` both begin here."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from csvor import CSVOR
from csvor._labels import CodedLabels
from csvor._utils.words import nouns
from csvor.cli._errors import Faults, UsageError, listed
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli._spelling import format_value
from csvor.cli.input._class_weight import with_class_weights
from csvor.cli.input._column_parser import Rules
from csvor.cli.input._column_uses import ColumnUses, columns_as_text, feature_names, weight_of_one
from csvor.cli.input._decisions import Review, read_review
from csvor.cli.input._feature_columns import choose_features
from csvor.cli.input._features import FeatureColumns, make_pipeline
from csvor.cli.input._leaks import note_copies
from csvor.cli.input._read import ReadOptions, read_table
from csvor.cli.input._related_rows import (
    Repeats,
    find_repeats,
    note_repeated_ids,
    note_repeats,
)
from csvor.cli.input._table import Table
from csvor.cli.input._target import Target, read_target

# The work of an exact kernel grows with the cube of the rows: minutes up to here.
MOST_EXACT = 2000


@dataclass(frozen=True)
class Choice:
    """What --tune chose, and the mean share of wrong predictions with it."""

    C: float
    p: float
    error: float
    n_fits: int


@dataclass(frozen=True)
class Prepared:
    """Rows, labels and an unfitted pipeline, with all that a report says of them.

    `groups` numbers what the rows used share, where --groups names a column of it; `weights` are
    what they count, those above 0 in the mean 1, where --weight names one; `raters` who labelled
    them, where --rater does. `copies` are columns that alone give the label.
    """

    table: Table
    target: Target
    features: FeatureColumns
    frame: pd.DataFrame
    groups: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    repeats: Repeats
    copies: tuple[str, ...]
    pipeline: Pipeline
    data: DataOptions
    options: ModelOptions
    choice: Choice | None = None
    review: Review | None = None
    raters: NDArray[Any] | None = None
    n_columns: int = 0

    @property
    def uses(self) -> ColumnUses:
        """What columns that are no features say of the rows."""
        return ColumnUses(self.data, self.review)

    @property
    def n_reviewed(self) -> int:
        """How many rows a review has decided on."""
        return len(self.review.decisions) if self.review else 0

    @property
    def confirmed(self) -> NDArray[np.bool_] | None:
        """Which of the rows used have a label that a review kept or set."""
        return self.uses.confirmed(self.target.rows)

    @property
    def original(self) -> CodedLabels | None:
        """The labels of the rows used as they were before a review."""
        target, coded = self.target, self.target.coded
        before = self.uses.codes_before(target.classes, target.rows, coded.codes)
        return None if before is None else CodedLabels(coded.labels, before)

    @property
    def row_numbers(self) -> list[int]:
        """The rows used, counted from 1 below the header."""
        numbers: list[int] = (self.target.rows + 1).tolist()
        return numbers

    @property
    def cells(self) -> pd.DataFrame:
        """The columns of numbers that are not plain ones, as they were written."""
        return self.features.as_written(self.table, self.target.rows)

    @property
    def ids(self) -> list[str] | None:
        """What the rows used are called, where a column says so."""
        return self.uses.ids(self.table, self.target.rows)

    def described(self) -> dict[str, Any]:
        """All of it that a JSON document holds."""
        target, options = self.target, asdict(self.options)
        return {
            "data": {
                "file": self.table.source,
                "rows": self.table.n_rows,
                "used": target.n_rows,
                "left_out": target.left_out,
            },
            "reviewed": (
                {"file": self.review.source, **self.review.counts} if self.review else None
            ),
            "target": target.name,
            "classes": [
                {"label": label, "count": count}
                for label, count in zip(target.classes, target.counts, strict=True)
            ],
            "order": target.order,
            "columns": {
                "numeric": self.features.numeric,
                "categorical": self.features.categorical,
                "constant": self.features.constant,
                "row_numbers": self.features.row_numbers,
                "dropped": list(self.data.drop),
                "kept": list(self.data.keep),
                "id": self.data.id,
                "groups": self.data.groups,
                "rater": self.data.rater,
                "weight": self.data.weight,
                "counts": self.data.counts,
                "readings": self.features.readings,
            },
            "conflicts": self.repeats.listed(target.rows),
            "settings": {**options, "standardised": True},
            "tuned": asdict(self.choice) if self.choice else None,
        }


def prepare(data: DataOptions, options: ModelOptions, notes: Notes) -> Prepared:
    """Read and check the data, all faults of it at once, and build the pipeline."""
    with progress(f"Reading {data.data}"):
        table = read_table(data.data, notes, ReadOptions(data.delimiter, columns_as_text(data)))
        return prepare_table(table, data, options, notes)


def prepare_table(table: Table, data: DataOptions, options: ModelOptions, notes: Notes) -> Prepared:
    """As `prepare`, of a table that has been read."""
    faults = Faults()
    names = feature_names(table, data)
    review = None
    if data.reviewed is not None:
        review = read_review(data.reviewed, table, data.target, data.classes, notes)
    uses = ColumnUses(data, review)
    labels = uses.labels(table)
    target, groups, raters, weights = None, None, None, None
    with faults.collected():
        target = read_target(
            labels, data.classes, data.missing_label, notes, uses.dropped, fold=data.fold_labels
        )
    rows = table.rows if target is None else target.rows
    with faults.collected():
        groups = uses.groups(table, rows)
        if groups is None and data.id is not None:
            note_repeated_ids(table.column(data.id, "--id"), rows, notes)
    with faults.collected():
        raters = uses.raters(table, rows)
    features, frame = choose_features(
        table, rows, names, kept=data.keep, impute=options.impute, clip=options.clip is not None,
        rules=Rules(data.decimal, data.missing, data.dates, data.categorical),
        notes=notes, faults=faults,
    )  # fmt: skip
    with faults.collected():
        weights = uses.weights(table, rows, features.decimal)
        if weights is not None:
            n_counting = int(np.count_nonzero(weights))
            weights = weights / weight_of_one(data.weighing, float(weights.sum()), n_counting)
    codes = labels.take(rows).coded[0] if target is None else target.coded.codes
    copies = note_copies(codes, frame, data.keep, notes)
    faults.refuse(table.source)
    assert target is not None
    repeats = find_repeats(frame, target.coded.codes, groups, weights)
    _note_missing_classes(target, notes)
    counts = None if data.counts is None else weights
    note_repeats(repeats, target.rows, notes, counts, rated=raters is not None)
    options = with_class_weights(options, target.classes)
    model = CSVOR(**{"contamination": "auto", **options.parameters}, classes=target.classes)
    pipeline = make_pipeline(features, model, impute=options.impute, clip=options.clip)
    n_columns = len(table.columns)
    # What became of the other columns is in the frame.
    table = table.only([*data.by, *features.readings, *([] if data.id is None else [data.id])])
    return Prepared(
        table, target, features, frame, groups, weights, repeats, copies, pipeline, data, options,
        review=review, raters=raters, n_columns=n_columns,
    )  # fmt: skip


def refuse_large_exact_kernel(options: ModelOptions, n_rows: int) -> None:
    curved = options.kernel not in {None, "linear"}
    if curved and options.components is None and n_rows > MOST_EXACT:
        raise UsageError(
            f"--kernel {options.kernel}: an exact kernel of {n_rows} rows takes minutes to hours; "
            "approximate it, for example by --components 500 "
            f"(--components {n_rows} is the exact one)"
        )


def _note_missing_classes(target: Target, notes: Notes) -> None:
    empty = [
        format_value(label) for label, n in zip(target.classes, target.counts, strict=True) if not n
    ]
    if empty:
        notes.add(
            f"no row has the {nouns(len(empty), 'label')} {listed(empty)}; kept as "
            f"{'a class' if len(empty) == 1 else 'classes'}"
        )


def plain(value: Any) -> Any:
    """A NumPy scalar as what JSON and files hold."""
    return value.item() if isinstance(value, np.generic) else value
