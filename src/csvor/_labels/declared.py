"""Class lists that the user gives, as arrays in the dtype of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._labels.column import Column, read_column
from csvor._labels.error import LabelError, show
from csvor._labels.order import number_of


def to_array(labels: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a 1-D array; as objects, labels stay what they are even where they are sequences."""
    if dtype.kind != "O":
        return np.array(labels, dtype=dtype)
    array = np.empty(len(labels), dtype=object)
    for position, label in enumerate(labels):
        array[position] = label
    return array


def declared_classes(classes: Any, column: Column) -> NDArray[Any]:
    """Return the class list as an array, in the dtype of the labels where nothing is lost."""
    declared = read_column(classes, name="classes")
    twice = [label for label, n in zip(declared.labels, declared.counts, strict=True) if n > 1]
    if twice:
        raise LabelError(f"classes lists {show(twice)} more than once", "List each class once.")
    listed = [declared.labels[position] for position in declared.index]
    listed = [label.item() if isinstance(label, np.generic) else label for label in listed]
    if len(listed) < 2:
        raise LabelError(
            f"classes lists only one class: {show(listed)}", "List at least 2 classes, in order."
        )
    as_declared = to_array(listed, declared.dtype)
    refuse_other_kind(as_declared, column)
    if column.dtype.kind == "O":
        return to_array(listed, column.dtype)
    if column.kind == "text":
        wide = np.array(listed)
        return wide.astype(np.result_type(column.dtype, wide))
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            cast = as_declared.astype(column.dtype)
    except OverflowError:  # integers in an object array that the dtype of y cannot hold
        return as_declared
    rounded = cast.dtype.kind == as_declared.dtype.kind == "f" and np.unique(cast).size == cast.size
    return cast if rounded or cast.tolist() == as_declared.tolist() else as_declared


def kind_of_classes(classes: NDArray[Any]) -> str:
    """Return "text", "number" or "other"."""
    if classes.dtype.kind != "O":
        return "text" if classes.dtype.kind == "U" else "number"
    return read_column(classes, name="classes").kind


def refuse_other_kind(classes: NDArray[Any], column: Column) -> None:
    """Refuse text against numbers, which would match nothing."""
    kind = kind_of_classes(classes)
    if kind == column.kind:
        return
    words = {"text": "text", "number": "numbers", "other": "other values"}
    remedy = f"List the classes as {words[column.kind]} too, or convert the labels."
    if _are_codes_of(classes, column):
        first, *_, last = classes.tolist()
        remedy = (
            "If you gave words, a wrapper of scikit-learn (such as cross_val_predict or "
            "VotingClassifier) has numbered them by the alphabet, which is not their order. Give "
            f"it ranks in place of the words, 0 for {first!r} to {classes.size - 1} for {last!r}, "
            "without classes=."
        )
    raise LabelError(
        f"The labels are {words[column.kind]} ({show(column.labels)}) but the classes are "
        f"{words[kind]} ({show(classes.tolist())})",
        remedy,
    )


def _are_codes_of(classes: NDArray[Any], column: Column) -> bool:
    """Tell numbers that may stand for words: whole, and below their number."""
    if column.dtype.kind not in "iu" or not 0 <= min(column.labels) <= max(column.labels):
        return False
    return max(column.labels) < classes.size and any(
        isinstance(label, str) and number_of(label) is None for label in classes.tolist()
    )
