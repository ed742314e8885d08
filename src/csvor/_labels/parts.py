"""What does a column of labels hold that was read in parts?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from csvor._labels.column import Column
from csvor._labels.error import LabelError, show

_KINDS = {"text": "text", "number": "numbers", "other": "other values"}


@dataclass(frozen=True, eq=False)
class PartOfColumn:
    """The distinct labels of a part, and what each of them weighs."""

    labels: list[Any]
    counts: NDArray[np.int64]
    weights: NDArray[np.float64]
    dtype: np.dtype[Any]
    kind: str
    order: list[Any] | None
    categories: list[Any] | None

    @classmethod
    def of(cls, column: Column, weights: NDArray[np.float64]) -> Self:
        mass: NDArray[Any] = np.bincount(column.index, weights, minlength=len(column.labels))
        return cls(
            column.labels, column.counts, mass, column.dtype, column.kind, column.order,
            column.categories,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class UnitedColumn(Column):
    """Distinct labels of all parts with their counts; no row is known."""

    counted: NDArray[np.int64] = None  # type: ignore[assignment]
    weights: NDArray[np.float64] = None  # type: ignore[assignment]

    @property
    def counts(self) -> NDArray[np.int64]:
        return self.counted

    def rows_of(self, wanted: Any) -> NDArray[np.bool_]:
        return np.zeros(0, dtype=bool)


def united(parts: list[PartOfColumn]) -> UnitedColumn:
    """All labels, in the order met.

    Raises
    ------
    LabelError
        Where parts order their categories differently, or some hold text and others numbers.
    """
    first = parts[0]
    for part in parts:
        if part.order != first.order:
            raise LabelError(
                "The partitions of y order their categories differently: "
                f"{show(first.order or [])} against {show(part.order or [])}",
                "Cast y to its values, and list the classes from the lowest to the highest in "
                "classes=[...].",
            )
        if part.kind != first.kind:
            raise LabelError(
                f"The labels mix {_KINDS[first.kind]} and {_KINDS[part.kind]}, such as "
                f"{show([first.labels[0], part.labels[0]])}, in different partitions",
                "Write all of them as text or all as numbers.",
            )
    counts: dict[Any, int] = {}
    weights: dict[Any, float] = {}
    for part in parts:
        for label, count, weight in zip(part.labels, part.counts, part.weights, strict=True):
            counts[label] = counts.get(label, 0) + int(count)
            weights[label] = weights.get(label, 0.0) + float(weight)
    labels = list(counts)
    dtype = np.result_type(*(part.dtype for part in parts))
    return UnitedColumn(
        labels, np.arange(len(labels)), dtype, first.kind, first.order, first.categories,
        np.array(list(counts.values())), np.array(list(weights.values())),
    )  # fmt: skip
