"""Is a table of results fit for ranks and tests?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Means of the same numbers, added up in another order, differ in the last digits and are a tie.
_DIGITS = 12


@dataclass(frozen=True, eq=False)
class Cases:
    """A complete table: one row per case, one column per method."""

    values: Array
    names: tuple[str, ...]
    methods: tuple[str, ...]
    dropped: tuple[str, ...]


def complete_cases(table: Any, missing: str) -> Cases:
    """The cases of `table` that every method has a value for; gaps are refused unless dropped."""
    if missing not in ("raise", "drop"):
        raise ValueError(f"missing={missing!r} must be 'raise' or 'drop'.")
    frame = pd.DataFrame(table)
    methods = tuple(str(name) for name in frame.columns)
    twice = sorted({name for name in methods if methods.count(name) > 1})
    if twice:
        raise ValueError(f"The table has more than one column {', '.join(twice)}; rename them.")
    if len(methods) < 2:
        raise ValueError(f"A comparison needs two methods or more; the table has {len(methods)}.")
    values = _numbers(frame)
    names = tuple(_name(index) for index in frame.index)
    gaps = ~np.isfinite(values)
    if gaps.any() and missing == "raise":
        raise ValueError(_gaps(gaps, names, methods))
    complete = np.array([not row.any() for row in gaps], dtype=bool)
    if not complete.any():
        raise ValueError(
            "No case has a value for every method"
            + (f"; {_first(gaps, names, methods)}." if gaps.size else ": the table has no rows.")
        )
    return Cases(
        values=even(values[complete]),
        names=tuple(name for name, keep in zip(names, complete, strict=True) if keep),
        methods=methods,
        dropped=tuple(name for name, keep in zip(names, complete, strict=True) if not keep),
    )


def even(values: Array) -> Array:
    """Numbers that differ by rounding alone made equal, row by row."""
    scale = np.abs(values).max(axis=-1, keepdims=True)
    scale = np.where(scale > 0.0, scale, 1.0)
    return np.round(values / scale, _DIGITS) * scale


def _numbers(frame: pd.DataFrame) -> Array:
    columns = []
    for position, name in enumerate(frame.columns):
        try:
            columns.append(frame.iloc[:, position].to_numpy(dtype=float, na_value=np.nan))
        except (TypeError, ValueError):
            raise ValueError(f"Column {str(name)!r} holds values that are no numbers.") from None
    return np.column_stack(columns) if len(frame) else np.empty((0, len(columns)))


def _name(index: Any) -> str:
    return ", ".join(map(str, index)) if isinstance(index, tuple) else str(index)


def _first(gaps: NDArray[np.bool_], names: tuple[str, ...], methods: tuple[str, ...]) -> str:
    row, column = np.argwhere(gaps)[0]
    return f"the first gap is {methods[column]} on case {names[row]}"


def _gaps(gaps: NDArray[np.bool_], names: tuple[str, ...], methods: tuple[str, ...]) -> str:
    n = int(gaps.any(axis=1).sum())
    return (
        f"{int(gaps.sum())} of {gaps.size} values are missing or not finite, in {n} of "
        f"{len(names)} cases; {_first(gaps, names, methods)}. "
        "Complete them, or leave these cases out for all methods with missing='drop'."
    )
