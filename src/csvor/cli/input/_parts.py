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
from csvor.cli.input._features import Features
from csvor.cli.input._match import features_frame
from csvor.cli.input._pieces import Piece, alike, table_of
from csvor.cli.input._prepare import Prepared
from csvor.cli.input._related import numbers_of_groups
from csvor.cli.input._table import Column, Table
from csvor.cli.input._weights import weights_as_given

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
# Of a label that stands for none.
_LEFT_OUT = -1


@dataclass(frozen=True, eq=False)
class Reader:
    """How pieces are read: their columns, and the class of each label (by its text)."""

    source: str
    types: dict[str, pa.DataType]
    features: Features
    impute: bool
    decimal: str | None
    target: str
    weight: str | None
    id: str | None
    groups: str | None
    labels: OrdinalLabels
    codes: dict[str, int]

    def read(self, piece: Piece) -> tuple[pd.DataFrame, Codes, Array, Codes, Array]:
        """The features, codes, weights and groups of the rows with a label; how many have each."""
        table, codes, counts = self._labelled(piece)
        frame, weights = pd.DataFrame(columns=self.features.used), np.ones(len(codes))
        groups = np.zeros(len(codes), dtype=np.int64)
        with about(self.source):
            if len(codes):
                frame = features_frame(
                    table, self.features, impute=self.impute, notes=Notes(), decimal=self.decimal
                )
            if self.weight is not None:
                weights = weights_as_given(table, self.weight, table.rows, self.decimal)
            if self.groups is not None:
                groups = numbers_of_groups(table.columns[self.groups], table.rows)
        return frame, codes, weights, groups, counts

    def named(self, piece: Piece) -> tuple[Codes, NDArray[Any]]:
        """The rows with a label, from 0, and what they are called; that is "" without ids."""
        table, codes, _ = self._labelled(piece)
        if self.id is None:
            return table.rows, np.full(len(codes), "", dtype=object)
        own, texts = table.columns[self.id].coded
        return table.rows, np.array([*texts, ""], dtype=object)[own]

    def frame(self, piece: Piece) -> pd.DataFrame:
        """The features alone."""
        return self.read(piece)[0]

    def _labelled(self, piece: Piece) -> tuple[Table, Codes, Array]:
        """The rows with a label, their codes, and how many rows have each text."""
        table = table_of(alike(piece.plain(), self.types, piece.path), piece.rows, self.source)
        with about(self.source):
            codes, counts = self._codes(table.columns[self.target], piece)
        used = codes != _LEFT_OUT
        return _only(table, used), codes[used], counts

    def _codes(self, column: Column, piece: Piece) -> tuple[Codes, Array]:
        own, texts = column.coded
        unknown = [place for place, text in enumerate(texts) if text not in self.codes]
        if unknown:
            row = int(piece.rows[np.argmax(own == unknown[0])]) + 1
            raise ColumnError(
                f"column '{column.name}', row {row}: '{texts[unknown[0]]}' is one label of more "
                "than 1000, which are too many to be ordered classes"
            )
        place = {text: i for i, text in enumerate(self.codes)}
        counts = np.zeros(len(place))
        counts[[place[text] for text in texts]] = np.bincount(own, minlength=len(texts))
        return np.array([self.codes[text] for text in texts])[own], counts


def _only(table: Table, used: NDArray[np.bool_]) -> Table:
    if used.all():
        return table
    rows = table.rows[used]
    columns = {
        name: Column(c.name, c.kind, c.take(rows).values, points=c.points, at=rows)
        for name, c in table.columns.items()
    }
    return Table(table.source, columns, len(rows))


def reader_of(work: Prepared, labels: Column, types: dict[str, pa.DataType]) -> Reader:
    """How the pieces are read of which `work` has a sample."""
    own, texts = labels.coded
    codes = dict.fromkeys(texts, _LEFT_OUT)
    used = own[np.searchsorted(labels.rows, work.target.rows)]
    pairs = zip(used.tolist(), work.target.coded.codes.tolist(), strict=True)
    codes |= {texts[text]: code for text, code in dict.fromkeys(pairs)}
    data = work.data
    uses = [work.target.name, data.weight, data.id, data.groups, *work.features.used]
    return Reader(
        work.table.source, {name: types[name] for name in uses if name}, work.features,
        work.options.impute, data.decimal, work.target.name, data.weight, data.id, data.groups,
        work.target.coded.labels, codes,
    )  # fmt: skip


def numbers_before(columns: Any, features: Features, frame: pd.DataFrame) -> Any:
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
    frame, codes, weights, _, counts = reader.read(piece)
    first = second = np.zeros(len(reader.features.numeric))
    if reader.features.numeric and len(frame):
        apart = numbers_before(columns, reader.features, frame) - scaler_of(columns).mean_
        first, second = apart.sum(axis=0), (apart * apart).sum(axis=0)
    return (counts, float(weights.sum()), first, second), (np.array([codes.size]),)


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
) -> tuple[Any, NDArray[Any], Array, Codes]:
    """Encoded features, labels, weights and groups of a piece."""
    frame, codes, weights, groups, _ = reader.read(piece)
    labels = reader.labels.decode(codes)
    if not len(frame):
        return np.empty((0, len(columns.get_feature_names_out()))), labels, weights, groups
    return columns.transform(frame), labels, weights / mean_weight, groups
