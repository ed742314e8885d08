"""Distinct labels and the one that each row has, and what kind of value a label is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from itertools import count
from math import isfinite
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from csvor._labels.error import LabelError, error_at

# Whole floats below this bound are exact as int64; a float that large cannot hold its neighbour.
EXACT_FLOAT = 2.0**53


def factorise_numbers(values: NDArray[Any], name: str) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the distinct numbers, ascending, and the index of each row."""
    if values.dtype.kind == "b":
        labels, index = _factorise_integers(values.view(np.uint8))
        return [bool(label) for label in labels], index
    if values.dtype.kind != "f":
        return _factorise_integers(values)
    low, high = float(values.min()), float(values.max())  # NaN if any value is
    if not (isfinite(low) and isfinite(high)):
        refuse_not_finite(np.isnan(values), np.isinf(values), name)
    if max(-low, high) < EXACT_FLOAT:
        whole = values.astype(np.int64)
        if np.array_equal(whole, values):
            labels, index = _factorise_integers(whole)
            return [float(label) for label in labels], index
    return _factorise_by_sorting(values)


def _factorise_integers(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * values.size + 1024:
        return _factorise_by_sorting(values)
    # Few distinct integers, the usual case: a table instead of a sort. Unsigned types subtract
    # safely as they are; small signed ones are widened first.
    if values.dtype.kind == "u":
        shifted = (values - values.dtype.type(low)).astype(np.int64)
    else:
        shifted = values.astype(np.int64) - low
    present = np.flatnonzero(np.bincount(shifted))
    labels = [low + int(offset) for offset in present]
    if len(labels) == high - low + 1:
        return labels, shifted
    table = np.zeros(high - low + 1, dtype=np.int64)
    table[present] = np.arange(present.size)
    return labels, table[shifted]


def _factorise_by_sorting(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    distinct, index = np.unique(values, return_inverse=True)
    return distinct.tolist(), index.astype(np.int64, copy=False)


def factorise_objects(values: Sequence[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Return distinct objects in the order met, equal by value (1 == 1.0 == True).

    Raises `TypeError` for objects that cannot be hashed.
    """
    table: defaultdict[Any, int] = defaultdict(count().__next__)  # a new label takes the next code
    index = np.fromiter(map(table.__getitem__, values), dtype=np.int64, count=len(values))
    return list(table), index


def refuse_not_finite(
    missing: NDArray[np.bool_], infinite: NDArray[np.bool_], name: str
) -> NoReturn:
    """Raise the error that counts the missing, else the infinite, labels."""
    what, where = ("missing", missing) if missing.any() else ("infinite", infinite)
    if name == "classes":
        raise LabelError(f"classes holds {what} values", "List the labels alone, lowest first.")
    raise error_at(
        f"{where.sum()} of {where.size} labels {'is' if where.sum() == 1 else 'are'} {what}",
        "Drop these rows, or give them their label.",
        where,
    )


def _is_number(label: Any) -> bool:
    return isinstance(label, Real | Decimal | np.bool_)


def kind_of(label: Any) -> str:
    """Return "text", "number" or "other"."""
    if isinstance(label, str):
        return "text"
    return "number" if _is_number(label) else "other"


def is_missing(label: Any) -> bool:
    """Tell None, NaN, pandas' NA and NaT; by name, for pandas need not be there."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return _is_number(label) and bool(label != label)


def is_infinite(label: Any) -> bool:
    """Tell an infinite number."""
    return _is_number(label) and label in (float("inf"), float("-inf"))
