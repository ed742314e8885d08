"""What does a piece of the data hold that a fit or an audit needs, read by rules of a sample?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from csvor._labels import OrdinalLabels
from csvor.cli._errors import ColumnError, about
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions
from csvor.cli.input._decisions import DROP, KEEP, RELABEL, Review
from csvor.cli.input._features import FeatureColumns
from csvor.cli.input._model_columns import features_frame
from csvor.cli.input._pieces import Piece, alike, table_of
from csvor.cli.input._prepare import Prepared
from csvor.cli.input._related_rows import numbers_of_groups
from csvor.cli.input._table import Table, TableColumn
from csvor.cli.input._weights import weights_as_given

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
# Of a label that stands for none.
_LEFT_OUT = -1


@dataclass(frozen=True, eq=False)
class Labelled:
    """The rows with a label, numbered from 0 through all pieces; `counts` of each text."""

    rows: Codes
    codes: Codes
    frame: pd.DataFrame
    weights: Array
    groups: Codes
    confirmed: NDArray[np.bool_]
    before: Codes
    counts: Array


@dataclass(frozen=True, eq=False)
class Reader:
    """How pieces are read: their columns, and the class of each label (by its text)."""

    data: DataOptions
    types: dict[str, pa.DataType]
    features: FeatureColumns
    impute: bool
    review: Review | None
    labels: OrdinalLabels
    codes: dict[str, int]

    def read(self, piece: Piece) -> Labelled:
        """All that is known of the rows."""
        table, codes, counts = self._labelled(piece)
        data, rows = self.data, table.rows
        weights, groups = np.ones(len(codes)), np.zeros(len(codes), dtype=np.int64)
        with about(data.data):
            frame = self._frame(table)
            if data.weight is not None:
                weights = weights_as_given(table, data.weight, rows, data.decimal)
            if data.groups is not None:
                groups = numbers_of_groups(table.column(data.groups, "--groups"), rows)
        confirmed, before = np.zeros(len(codes), dtype=bool), codes
        if self.review is not None:
            confirmed = np.isin(rows, self.review.positions(KEEP, RELABEL))
            before = self.review.before(self.labels.classes.tolist(), rows, codes)
        return Labelled(rows, codes, frame, weights, groups, confirmed, before, counts)

    def named(self, piece: Piece) -> tuple[Codes, NDArray[Any]]:
        """The rows with a label and what they are called; that is "" without ids."""
        table, codes, _ = self._labelled(piece)
        if self.data.id is None:
            return table.rows, np.full(len(codes), "", dtype=object)
        text_codes, texts = table.column(self.data.id, "--id").coded
        return table.rows, np.array([*texts, ""], dtype=object)[text_codes]

    def features_of(self, piece: Piece) -> pd.DataFrame:
        """The features of the rows with a label."""
        table, _, _ = self._labelled(piece)
        with about(self.data.data):
            return self._frame(table)

    def _frame(self, table: Table) -> pd.DataFrame:
        if not len(table.rows):
            return pd.DataFrame(columns=self.features.used)
        return features_frame(
            table, self.features, impute=self.impute, notes=Notes(), decimal=self.data.decimal
        )

    def _labelled(self, piece: Piece) -> tuple[Table, Codes, Array]:
        """The rows with a label, their codes, and how many rows have each text."""
        arrays = alike(piece.plain(), self.types)
        table = table_of(arrays, piece.rows, self.data.data)
        column, there = table.columns[self.data.target], np.ones(piece.n_rows, dtype=bool)
        if self.review is not None:
            column = self.review.applied(column)
            there = ~np.isin(piece.rows, self.review.positions(DROP))
        with about(self.data.data):
            codes, counts = self._codes(column, there, piece)
        used = there & (codes != _LEFT_OUT)
        return _only(table, used), codes[used], counts

    def _codes(
        self, column: TableColumn, there: NDArray[np.bool_], piece: Piece
    ) -> tuple[Codes, Array]:
        text_codes, texts = column.coded
        unknown = [place for place, text in enumerate(texts) if text not in self.codes]
        if unknown:
            row = int(piece.rows[np.argmax(text_codes == unknown[0])]) + 1
            raise ColumnError(
                f"column '{column.name}', row {row}: '{texts[unknown[0]]}' is one label of more "
                "than 1000, which are too many to be ordered classes"
            )
        place = {text: i for i, text in enumerate(self.codes)}
        counts = np.zeros(len(place))
        counts[[place[text] for text in texts]] = np.bincount(
            text_codes[there], minlength=len(texts)
        )
        return np.array([self.codes[text] for text in texts])[text_codes], counts


def _only(table: Table, used: NDArray[np.bool_]) -> Table:
    if used.all():
        return table
    rows = table.rows[used]
    columns = {
        name: TableColumn(c.name, c.kind, c.take(rows).values, points=c.points, at=rows)
        for name, c in table.columns.items()
    }
    return Table(table.source, columns, len(rows))


def reader_of(work: Prepared, labels: TableColumn, types: dict[str, pa.DataType]) -> Reader:
    """How the pieces are read of which `work` has a sample, with these labels."""
    if work.review is not None:
        labels = work.review.applied(labels)
    text_codes, texts = labels.coded
    codes = dict.fromkeys(texts, _LEFT_OUT)
    used = text_codes[labels.places(work.target.rows)]
    pairs = zip(used.tolist(), work.target.coded.codes.tolist(), strict=True)
    codes |= {texts[text]: code for text, code in dict.fromkeys(pairs)}
    data = work.data
    uses = [data.target, data.weight, data.id, data.groups, *work.features.used]
    return Reader(
        data, {name: types[name] for name in uses if name}, work.features, work.options.impute,
        work.review, work.target.coded.labels, codes,
    )  # fmt: skip


def numbers_before(columns: Any, features: FeatureColumns, frame: pd.DataFrame) -> Any:
    """The numbers of a frame as they come to the scaler of the fitted encoding `columns`."""
    values: Any = frame[features.numeric]
    for _, step in columns.named_transformers_["numbers"].steps[:-1]:
        values = step.transform(values)
    return np.asarray(values, dtype=np.float64)


def scaler_of(columns: Any) -> Any:
    """The last step for the numbers."""
    return columns.named_transformers_["numbers"][-1]


def sums_of(reader: Reader, columns: Any, piece: Piece) -> tuple[tuple[Any, ...], tuple[Any]]:
    """What a piece adds to them, numbers and squares about the means of the sample."""
    labelled = reader.read(piece)
    first = second = np.zeros(len(reader.features.numeric))
    if reader.features.numeric and len(labelled.codes):
        apart = numbers_before(columns, reader.features, labelled.frame) - scaler_of(columns).mean_
        first, second = apart.sum(axis=0), (apart * apart).sum(axis=0)
    return (labelled.counts, float(labelled.weights.sum()), first, second), (
        np.array([labelled.codes.size]),
    )


def rescale(columns: Any, n_rows: int, first: Array, second: Array) -> None:
    """Give the scaler mean and deviation of all rows: it learns two rows that have them."""
    scaler = scaler_of(columns)
    off = first / n_rows
    mean = scaler.mean_ + off
    spread = np.sqrt(np.maximum(second / n_rows - off * off, 0.0))
    two: Any = np.array([mean - spread, mean + spread])
    if hasattr(scaler, "feature_names_in_"):
        two = pd.DataFrame(two, columns=scaler.feature_names_in_)
    scaler.fit(two, sample_weight=np.full(2, n_rows / 2))


def encoded(
    reader: Reader, columns: Any, mean_weight: float, piece: Piece
) -> tuple[Any, NDArray[Any], Array, Codes, NDArray[np.bool_], NDArray[Any]]:
    """Features, encoded, labels, weights, groups, what a review confirmed and labels before it."""
    labelled, decode = reader.read(piece), reader.labels.decode
    X: Any = np.empty((0, len(columns.get_feature_names_out())))
    if len(labelled.codes):
        X = columns.transform(labelled.frame)
    weights, before = labelled.weights / mean_weight, decode(labelled.before)
    return X, decode(labelled.codes), weights, labelled.groups, labelled.confirmed, before
