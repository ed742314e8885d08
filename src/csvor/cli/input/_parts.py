"""What does a piece of the data hold that a fit or an audit needs, read by rules of a sample?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from csvor._faults.errors import ColumnError, about
from csvor._faults.notes import Notes
from csvor._labels import OrdinalLabels
from csvor._tables.column_uses import ColumnUses
from csvor._tables.features import FeatureColumns
from csvor._tables.model_columns import features_frame
from csvor._tables.table import Table, TableColumn
from csvor._utils.sklearn_private import is_constant_feature
from csvor.cli.input._pieces import Piece, alike, table_of
from csvor.cli.input._prepare import Prepared

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
# Of a label that stands for none.
_LEFT_OUT = -1


@dataclass(frozen=True, eq=False)
class PieceRows:
    """The rows with a label, numbered from 0 through all pieces; None for what is not known.

    `before` are the codes before a review, `counts` the rows of each text of a label.
    """

    rows: Codes
    codes: Codes
    frame: pd.DataFrame
    weights: Array | None
    groups: Codes | None
    raters: NDArray[Any] | None
    confirmed: NDArray[np.bool_] | None
    before: Codes | None
    counts: Array


@dataclass(frozen=True, eq=False)
class PieceReader:
    """How pieces are read: their columns, and the class of each label (by its text)."""

    source: str
    uses: ColumnUses
    types: dict[str, pa.DataType]
    features: FeatureColumns
    impute: bool
    labels: OrdinalLabels
    codes: dict[str, int]

    def read(self, piece: Piece) -> PieceRows:
        """All that is known of the rows."""
        table, codes, counts = self._labelled(piece)
        uses, rows, classes = self.uses, table.rows, self.labels.classes.tolist()
        with about(table.source):
            return PieceRows(
                rows,
                codes,
                self._frame(table),
                uses.weights(table, rows, self.features.decimal),
                uses.groups(table, rows),
                uses.raters(table, rows),
                uses.confirmed(rows),
                uses.codes_before(classes, rows, codes),
                counts,
            )

    def named(self, piece: Piece) -> tuple[Codes, NDArray[Any]]:
        """The rows with a label and what they are called; that is "" without ids."""
        table, codes, _ = self._labelled(piece)
        ids = self.uses.ids(table, table.rows)
        return table.rows, np.array([""] * len(codes) if ids is None else ids, dtype=object)

    def by_values(self, piece: Piece) -> list[NDArray[Any]]:
        """The texts of the columns by whose values shares are compared."""
        table, _, _ = self._labelled(piece)
        with about(table.source):
            return self.uses.by(table, table.rows)

    def features_of(self, piece: Piece) -> pd.DataFrame:
        """The features of the rows with a label."""
        table, _, _ = self._labelled(piece)
        with about(table.source):
            return self._frame(table)

    def cells_of(self, piece: Piece) -> pd.DataFrame:
        """Columns of numbers that are not plain ones, as they were written."""
        table, _, _ = self._labelled(piece)
        return self.features.as_written(table, table.rows).astype(object)

    def _frame(self, table: Table) -> pd.DataFrame:
        if not len(table.rows):
            return pd.DataFrame(columns=self.features.used)
        decimal = self.uses.data.decimal
        return features_frame(
            table, self.features, impute=self.impute, notes=Notes(), decimal=decimal
        )

    def _labelled(self, piece: Piece) -> tuple[Table, Codes, Array]:
        """The rows with a label, their codes, and how many rows have each text."""
        arrays = alike(piece.plain(), self.types)
        table = table_of(arrays, piece.rows, self.source)
        there = ~np.isin(piece.rows, self.uses.dropped)
        with about(table.source):
            codes, counts = self._codes(self.uses.labels(table), there, piece)
        used = there & (codes != _LEFT_OUT)
        return _only(table, used), codes[used], counts

    def _codes(
        self, column: TableColumn, there: NDArray[np.bool_], piece: Piece
    ) -> tuple[Codes, Array]:
        text_codes, texts = column.coded
        unknown = [code for code, text in enumerate(texts) if text not in self.codes]
        if unknown:
            row = int(piece.rows[np.argmax(text_codes == unknown[0])]) + 1
            raise ColumnError(
                f"column '{column.name}', row {row}: '{texts[unknown[0]]}' is one label of more "
                "than 1000, which are too many to be ordered classes"
            )
        n_rows = np.bincount(text_codes[there], minlength=len(texts)).astype(float)
        by_text = dict(zip(texts, n_rows.tolist(), strict=True))
        counts = np.array([by_text.get(text, 0.0) for text in self.codes])
        return np.array([self.codes[text] for text in texts])[text_codes], counts


def _only(table: Table, used: NDArray[np.bool_]) -> Table:
    if used.all():
        return table
    rows = table.rows[used]
    columns = {
        name: TableColumn(c.name, c.kind, c.take(rows).values, points=c.points, row_numbers=rows)
        for name, c in table.columns.items()
    }
    return Table(table.source, columns, len(rows))


def reader_of(work: Prepared, labels: TableColumn, types: dict[str, pa.DataType]) -> PieceReader:
    """How the pieces are read of which `work` has a sample, with these reviewed `labels`."""
    text_codes, texts = labels.coded
    codes = dict.fromkeys(texts, _LEFT_OUT)
    used = text_codes[labels.positions(work.target.rows)]
    pairs = zip(used.tolist(), work.target.coded.codes.tolist(), strict=True)
    codes |= {texts[text]: code for text, code in dict.fromkeys(pairs)}
    data = work.data
    names = [data.target, data.weight, data.counts, data.id, data.groups, data.rater]
    names += [*data.by, *work.features.used]
    known = {name: types[name] for name in names if name}
    impute, ordered = work.options.impute, work.target.coded.labels
    return PieceReader(work.data.data, work.uses, known, work.features, impute, ordered, codes)


def numbers_before(columns: Any, features: FeatureColumns, frame: pd.DataFrame) -> Any:
    """The numbers of a frame as they come to the scaler of the fitted encoding `columns`."""
    values: Any = frame[features.numeric]
    for _, step in columns.named_transformers_["numbers"].steps[:-1]:
        values = step.transform(values)
    return np.asarray(values, dtype=np.float64)


def scaler_of(columns: Any) -> Any:
    """The last step for the numbers."""
    return columns.named_transformers_["numbers"][-1]


def sums_of(reader: PieceReader, columns: Any, piece: Piece) -> tuple[tuple[Any, ...], tuple[Any]]:
    """What a piece adds up to: rows of each label, weights and how many are not 0, and numbers, and
    their squares, about the means of the sample; and how many rows it has.
    """
    labelled = reader.read(piece)
    n_rows, weights = len(labelled.codes), labelled.weights
    first = second = np.zeros(len(reader.features.numeric))
    if reader.features.numeric and n_rows:
        apart = numbers_before(columns, reader.features, labelled.frame) - scaler_of(columns).mean_
        first, second = apart.sum(axis=0), (apart * apart).sum(axis=0)
    weights = np.ones(n_rows) if weights is None else weights
    weight = np.array([weights.sum(), np.count_nonzero(weights)])
    return (labelled.counts, weight, first, second), (np.array([n_rows]),)


def rescale(columns: Any, n_rows: int, first: Array, second: Array) -> None:
    """Give the scaler mean and deviation of all rows, from their sums about its means."""
    scaler = scaler_of(columns)
    off = first / n_rows
    scaler.mean_ = scaler.mean_ + off
    scaler.var_ = np.maximum(second / n_rows - off * off, 0.0)
    constant = is_constant_feature(scaler.var_, scaler.mean_, n_rows)
    scaler.scale_ = np.where(constant, 1.0, np.sqrt(scaler.var_))
    scaler.n_samples_seen_ = n_rows


def encoded(reader: PieceReader, columns: Any, mean_weight: float, piece: Piece) -> tuple[Any, ...]:
    """Features, encoded; labels, weights, groups, raters, confirmed ones, labels before review."""
    labelled, decode = reader.read(piece), reader.labels.decode
    known = labelled.groups, labelled.raters, labelled.confirmed
    X: Any = np.empty((0, len(columns.get_feature_names_out())))
    if len(labelled.codes):
        X = columns.transform(labelled.frame)
    weights = None if labelled.weights is None else labelled.weights / mean_weight
    before = None if labelled.before is None else decode(labelled.before)
    return X, decode(labelled.codes), weights, *known, before
