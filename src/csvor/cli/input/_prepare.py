"""From a file and options to what can be fitted; `audit` and `fit` both begin here."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from csvor import CSVOR
from csvor._decisions.checks import row_checks
from csvor._faults.errors import UsageError
from csvor._faults.notes import Notes
from csvor._tables.column_uses import columns_as_text
from csvor._tables.prepare import TableColumns, columns_of
from csvor._tables.review import Review
from csvor._tables.table import Table
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli.input._class_weight import with_class_weights
from csvor.cli.input._csv import classes_of
from csvor.cli.input._decisions import read_review
from csvor.cli.input._read import ReadOptions, read_table
from csvor.preprocessing._encoding import make_pipeline

# The work of an exact kernel grows with the cube of the rows: minutes up to here.
MOST_EXACT = 2000
# Cells that are kept as they are to tell later whether a row is the one that was reviewed.
MOST_CHECKED = 10_000_000


@dataclass(frozen=True)
class Choice:
    """What --tune chose, and the mean share of wrong predictions with it."""

    C: float
    p: float
    error: float
    n_fits: int


@dataclass(frozen=True, kw_only=True)
class Prepared(TableColumns):
    """Rows, labels and an unfitted pipeline, with all that a report says of them."""

    table: Table
    pipeline: Pipeline
    data: DataOptions
    options: ModelOptions
    choice: Choice | None = None
    n_columns: int = 0
    whole: Table | None = None

    @property
    def review(self) -> Review | None:
        """What was decided on the labels before."""
        return self.uses.review

    @property
    def n_reviewed(self) -> int:
        """How many rows a review has decided on."""
        return len(self.review.decisions) if self.review else 0

    @property
    def row_numbers(self) -> list[int]:
        """The rows used, counted from 1 below the header."""
        numbers: list[int] = (self.target.rows + 1).tolist()
        return numbers

    @property
    def cells(self) -> pd.DataFrame:
        """The columns of numbers that are not plain ones, as they were written."""
        return self.features.as_written(self.table, self.target.rows)

    def row_checks(self, numbers: Sequence[int]) -> list[str]:
        """What tells later whether rows, from 1, hold the same cells; "" where none are kept."""
        if self.whole is None:
            return [""] * len(numbers)
        rows = np.array(numbers, dtype=np.int64) - 1
        columns = self.whole.columns.items()
        return row_checks(
            {name: one.take(rows).texts for name, one in columns if name != self.target.name}
        )

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


def prepare(
    data: DataOptions, options: ModelOptions, notes: Notes, *, keeps_cells: bool = False
) -> Prepared:
    """Read and check the data, all faults of it at once, and build the pipeline."""
    with progress(f"Reading {data.data}"):
        table = read_table(
            data.data,
            notes,
            ReadOptions(data.delimiter, columns_as_text(data.roles), data.sheet, data.target),
        )
        return prepare_table(table, data, options, notes, keeps_cells=keeps_cells)


def prepare_table(
    table: Table,
    data: DataOptions,
    options: ModelOptions,
    notes: Notes,
    *,
    keeps_cells: bool = False,
) -> Prepared:
    """As `prepare`, of a table that has been read; its cells are kept for `row_checks` if asked."""
    review = None
    if data.reviewed is not None:
        review = read_review(data.reviewed, table, data.target, data.classes, notes)
    columns = columns_of(
        table, data.roles, notes, declared=classes_of(data.classes), review=review,
        impute=options.impute, clip=options.clip is not None,
    )  # fmt: skip
    classes, features = columns.target.classes, columns.features
    options = with_class_weights(options, classes)
    model = CSVOR(**{"contamination": "auto", **options.parameters}, classes=classes)
    pipeline = make_pipeline(features, model, impute=options.impute, clip=options.clip)
    n_columns = len(table.columns)
    whole = table if keeps_cells and n_columns * table.n_rows <= MOST_CHECKED else None
    # What became of the other columns is in the frame.
    table = table.only([*data.by, *features.readings, *([] if data.id is None else [data.id])])
    return Prepared(
        table=table, pipeline=pipeline, data=data, options=options,
        n_columns=n_columns, whole=whole, **vars(columns),
    )  # fmt: skip


def refuse_large_exact_kernel(options: ModelOptions, n_rows: int) -> None:
    curved = options.kernel not in {None, "linear"}
    if curved and options.components is None and n_rows > MOST_EXACT:
        raise UsageError(
            f"--kernel {options.kernel}: an exact kernel of {n_rows} rows takes minutes to hours; "
            "approximate it, for example by --components 500 "
            f"(--components {n_rows} is the exact one)"
        )


def plain(value: Any) -> Any:
    """A NumPy scalar as what JSON and files hold."""
    return value.item() if isinstance(value, np.generic) else value


def records_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as JSON has them."""
    names = list(map(str, table.columns))
    return [dict(zip(names, map(plain, row), strict=True)) for row in table.itertuples(index=False)]
