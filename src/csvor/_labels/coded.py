"""Labels that have been read: the order of their classes and the code of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from csvor._labels.classes import OrdinalLabels
from csvor._labels.column import read_column


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """The classes of a column of labels and the code of each row, found in one reading.

    Inside the package it stands wherever labels do, whole or in parts (``coded[rows]``), so that
    the folds of an audit and the points of a grid share one reading and one order.

    Attributes
    ----------
    labels : OrdinalLabels
        The classes in their order.
    codes : ndarray of shape (n_samples,), int64
        The class of each row as 0..K-1.

    Examples
    --------
    >>> from csvor._labels import CodedLabels
    >>> coded = CodedLabels.from_data(["2", "10", "2"])
    >>> coded.labels.classes, coded.codes
    (array(['2', '10'], dtype='<U2'), array([0, 1, 0]))
    """

    labels: OrdinalLabels
    codes: NDArray[np.int64]

    @classmethod
    def from_data(cls, y: Any, classes: Any = None) -> Self:
        """Read labels as `OrdinalLabels.from_data` and its `encode` would in two readings.

        Labels that are coded already keep their own order, and nothing is read.
        """
        if isinstance(y, cls):
            return y
        column = read_column(y, warn=True)
        labels = OrdinalLabels.of_column(column, classes)
        return cls(labels, labels.encode(column))

    def __len__(self) -> int:
        return self.codes.size

    def __getitem__(self, rows: Any) -> Self:
        return type(self)(self.labels, self.codes[rows])

    @property
    def decoded(self) -> NDArray[Any]:
        """The labels themselves, in the dtype of the classes."""
        return self.labels.decode(self.codes)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=self.labels.classes.size)


def code_pair(
    y_true: Any, y_pred: Any, classes: Any = None, *, order_matters: bool
) -> tuple[CodedLabels, CodedLabels]:
    """Code two columns that are to be compared in one order, each read once.

    It is that of coded `y_true`, else of `classes`, else the one that both columns agree on.
    """
    if isinstance(y_true, CodedLabels):
        labels = y_true.labels
        return y_true, CodedLabels(labels, labels.encode(y_pred, name="y_pred"))
    true, predicted = read_column(y_true, name="y_true"), read_column(y_pred, name="y_pred")
    if classes is None:
        labels = OrdinalLabels.of_pair(true, predicted, order_matters=order_matters)
    else:
        labels = OrdinalLabels.of_column(true, classes)
    return CodedLabels(labels, labels.encode(true)), CodedLabels(labels, labels.encode(predicted))
