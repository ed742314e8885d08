"""The classes in their order (declared, categorical or numeric; never guessed) and their codes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._labels.column import Column, read_column
from csvor._labels.declared import declared_classes, kind_of_classes, refuse_other_kind, to_array
from csvor._labels.error import LabelError, error_at, show
from csvor._labels.order import number_of, numeric_order, warn_far_and_rare
from csvor._utils.spelling import normal
from csvor._utils.words import are, nouns


@dataclass(frozen=True, eq=False)
class OrdinalLabels:
    """Ordered classes and the codes 0..K-1 that stand for them.

    Labels match by value, so 1, 1.0 and True are one label. Text never matches a number.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, lowest first, in the dtype that predictions take.
    declared : bool
        True when the user gave the order (a class list or an ordered dtype), False when it was
        read off numbers.

    Examples
    --------
    >>> from csvor._labels import OrdinalLabels
    >>> labels = OrdinalLabels.from_data(["low", "high", "low"], classes=["low", "mid", "high"])
    >>> labels.encode(["high", "mid"])
    array([2, 1])
    >>> OrdinalLabels.from_data(["10", "2", "9"]).classes
    array(['2', '9', '10'], dtype='<U2')
    """

    classes: NDArray[Any]
    declared: bool

    @classmethod
    def from_data(cls, y: Any, classes: Any = None) -> Self:
        """Find the order of the classes of `y`.

        It comes from `classes`; else from an ordered pandas dtype or a polars Enum, all of whose
        categories are kept; else from the numbers that the labels are, or spell. An unordered
        categorical counts as its values. Nothing else is ordered.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, 1)
            Labels.
        classes : array-like of shape (n_classes,), default=None
            All classes, lowest first; at least two. It wins over the order of a dtype. Labels
            of `y` that it lacks are refused by `encode`.

        Returns
        -------
        labels : OrdinalLabels
            The classes, in the dtype of `y` where that loses nothing.

        Raises
        ------
        LabelError
            For words without an order, numbers that are not whole and not declared, missing or
            infinite labels, a single class, and unusable `classes`.

        Warns
        -----
        UserWarning
            For an undeclared number that is far from the others and rare, such as 99 in 1..5.
        """
        return cls.of_column(read_column(y, warn=True), classes)

    @classmethod
    def of_column(cls, column: Column, classes: Any = None) -> Self:
        """The same for a column that has been read."""
        if classes is not None:
            return cls(declared_classes(classes, column), declared=True)
        if column.order is not None:
            classes = to_array(column.order, column.dtype)
        else:
            order = numeric_order(column)
            warn_far_and_rare(column, order)
            classes = to_array([column.labels[position] for position in order], column.dtype)
        if classes.size < 2:
            raise LabelError(
                f"There is only one class: {show(classes.tolist())}",
                "An ordinal model needs at least 2 classes; if the other classes have no rows "
                "here, list all of them in classes=[...].",
            )
        return cls(classes, declared=column.order is not None)

    @classmethod
    def of_pair(cls, y_true: Column, y_pred: Column, *, order_matters: bool) -> Self:
        """Find the order of two columns of labels that are to be compared.

        An ordered dtype of either side is kept; numbers are united and sorted. One class is
        enough, and no label is too far. With ``order_matters=False`` words are accepted too.
        """
        columns = [y_true, y_pred]
        orders = [column.order for column in columns if column.order is not None]
        if orders:
            if orders[0] != orders[-1]:
                raise LabelError(
                    f"y_true and y_pred are ordered differently: {show(orders[0])} against "
                    f"{show(orders[1])}",
                    "Give both the same categories, or the order in classes=[...].",
                )
            return cls(to_array(orders[0], np.dtype(object)), declared=True)
        kinds = [column.kind for column in columns]
        if len(set(kinds)) > 1:
            raise LabelError(
                "y_true and y_pred cannot be compared: one holds text, the other numbers "
                f"({show([column.labels[0] for column in columns])})",
                "Write both as text or both as numbers.",
            )
        labels = list(dict.fromkeys(columns[0].labels + columns[1].labels))
        if kinds[0] == "number" or order_matters:
            # As one column of which each label is a row.
            rows = np.arange(len(labels))
            both = Column(labels, rows, np.dtype(object), kinds[0])
            labels = [labels[position] for position in numeric_order(both)]
        return cls(to_array(labels, np.dtype(object)), declared=False)

    def with_numbers_of(self, y: Any) -> Self:
        """Add the numbers in `y` that are no class, each at its place among the classes.

        Where that place is not clear (words, classes that do not ascend) nothing is added.
        """
        column = read_column(y)
        known = self._codes_of(column) >= 0
        if known.all() or column.kind == "other" or column.kind != kind_of_classes(self.classes):
            return self
        lacking = [
            label for label, is_known in zip(column.labels, known, strict=True) if not is_known
        ]
        ours = [number_of(label) for label in self.classes.tolist()]
        theirs = [number_of(label) for label in lacking]
        if None in ours or None in theirs or any(a >= b for a, b in pairwise(ours)):
            return self
        if len({*ours, *theirs}) < len(ours) + len(theirs):  # a second spelling, as '01' for '1'
            return self
        merged = sorted(self.classes.tolist() + lacking, key=number_of)
        dtype = self.classes.dtype if self.classes.dtype.kind == "f" else np.dtype(object)
        return type(self)(to_array(merged, dtype), self.declared)

    def contradicted_by(self, y: Any) -> list[Any] | None:
        """Return the order that the dtype of `y` declares where it is not that of `classes`."""
        order = read_column(y).order
        if order is None:
            return None
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        places = [place[label] for label in order if label in place]
        return None if places == sorted(places) else order

    def encode(self, y: Any, *, name: str = "y") -> NDArray[np.int64]:
        """Return the code of each label.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels.
        name : str, default="y"
            What messages call them.

        Returns
        -------
        codes : ndarray of shape (n_samples,), int64
            Positions in `classes`.

        Raises
        ------
        LabelError
            For a missing label or one that is not in `classes`.
        """
        column = read_column(y, name=name)
        refuse_other_kind(self.classes, column)
        codes = self._codes_of(column)
        unknown = codes < 0
        if unknown.any():
            names = [label for label, bad in zip(column.labels, unknown, strict=True) if bad]
            forms = {normal(label) for label in self.classes.tolist() if isinstance(label, str)}
            alike = [label for label in names if isinstance(label, str) and normal(label) in forms]
            raise error_at(
                f"{nouns(len(names), 'Label')} {show(names)} {are(len(names))} not among the "
                f"classes {show(self.classes.tolist())}",
                "Letters with accents are written in two ways, which look alike: put labels and "
                "classes in one, with unicodedata.normalize('NFC', label)."
                if alike
                else "Correct or drop these rows, or list every class in classes=[...].",
                column.rows_of(unknown),
            )
        return codes[column.index]

    def decode(self, codes: NDArray[np.integer]) -> NDArray[Any]:
        """Return the labels of the codes, in the dtype of `classes`."""
        labels: NDArray[Any] = self.classes[codes]
        return labels

    def counts(
        self, codes: NDArray[np.integer], weights: ArrayLike | None = None
    ) -> NDArray[np.int64] | NDArray[np.float64]:
        """Return the rows, or the weight, of each class; shape (n_classes,)."""
        return np.bincount(codes, weights, minlength=self.classes.size)

    def _codes_of(self, column: Column) -> NDArray[np.int64]:
        """Return the code of each distinct label, -1 for those that are no class."""
        classes, labels = self.classes, column.labels
        if classes.dtype.kind == column.dtype.kind == "f":
            # 0.1 in float32 and in float64 are one label: compare in the narrower type.
            narrow = min(classes.dtype, column.dtype, key=lambda dtype: dtype.itemsize)
            if np.unique(classes.astype(narrow)).size == classes.size:
                classes, labels = classes.astype(narrow), np.asarray(labels, narrow).tolist()
        table = {label: code for code, label in enumerate(classes.tolist())}
        return np.array([table.get(label, -1) for label in labels], dtype=np.int64)
