"""Do the columns lie in ranges that can be computed with, and which has a far value?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._data.tables import column_name
from csvor._rows.spans import Spans
from csvor._rows.storage import columns_of
from csvor._utils.warn import warn

Array = NDArray[np.float64]

# A value this many spreads from the middle of its column is hardly a measurement.
_FAR_SPREADS = 200.0
# Quartiles of fewer rows say little of a spread.
_FEWEST_ROWS = 10
# Numbers of columns whose quartiles are found together: one by one, calls take longer (N75).
_AT_ONCE = 1_000_000
# Where less than this share of a column is stored, half of it at least lies at 0: no spread.
_SPREADING = 0.25
# Beyond this the square of a value is near the largest number.
LARGEST = 1e150
# A standard deviation this far from 1 makes the penalty on a coefficient all or nothing.
_WIDE = 1e6


class FarValueWarning(UserWarning):
    """A value lies hundreds of spreads from the others of its column."""


# Of a column: its quartiles, the value farthest from the middle one, and in which row it stands.
Farthest = tuple[Array, float, int]


@contextmanager
def refusing_overflow(what: str) -> Iterator[None]:
    """Refuse a fit that can't be computed in double precision, instead of going on with NaN.

    ``what`` is to be nearer to 1, beside the scale of the columns.
    """
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            yield
    except ArithmeticError as error:  # of NumPy, or of Python's own numbers
        raise ValueError(
            "The fit left the range of numbers. Put the columns on one scale, for example by "
            f"StandardScaler, and bring {what} nearer to 1."
        ) from error


def check_ranges(
    estimator: Any,
    n_rows: int,
    spans: Spans,
    farthest: Callable[[NDArray[np.intp]], Iterable[Farthest]],
) -> None:
    """Refuse columns too large to compute with; name those with a far value or of odd size.

    ``farthest`` is asked for columns that can have a far value.
    """
    low, high = spans.low, spans.high
    huge = np.flatnonzero(np.maximum(-low, high) > LARGEST)
    if huge.size:
        raise ValueError(
            f"{_range_of(estimator, huge[0], low, high)}, too large to compute with. "
            "Divide it, or leave it out."
        )
    middle, spread = spans.mean, spans.spread
    reach = np.maximum(high - middle, middle - low)
    # One far value raises the standard deviation so much that only these can hold one.
    suspects = np.flatnonzero(
        (reach > 0.25 * np.sqrt(n_rows) * spread) & (spans.stored >= _SPREADING)
    )
    far: list[int] = []
    if suspects.size:
        far = _warn_of_far_values(estimator, n_rows, suspects, farthest(suspects))
    if getattr(estimator, "_takes_any_units", False):
        return
    # Rounding of a large constant is no spread.
    odd = (
        (high > low)
        & ((spread > _WIDE) | (spread < 1.0 / _WIDE))
        & (reach > 1e-12 * np.abs(middle))
    )
    odd[far] = False
    for column in np.flatnonzero(odd):
        small = spread[column] < 1.0
        warn(
            f"{_range_of(estimator, column, low, high)}: with so "
            f"{'small' if small else 'large'} a spread the penalty keeps its coefficient "
            f"{'near 0' if small else 'free'} whatever C is. Put the columns on one scale, for "
            "example by StandardScaler."
        )


def quartiles_of(X: Any, columns: NDArray[np.intp]) -> Iterator[Array]:
    for some in np.array_split(columns, 1 + columns.size * X.shape[0] // _AT_ONCE):
        of_columns = list(columns_of(X, some))
        if of_columns:
            block = np.column_stack(of_columns).astype(np.float64, copy=False)
            yield from np.quantile(block, [0.25, 0.5, 0.75], axis=0).T


def farthest_of(
    X: Any, positions: NDArray[np.intp], columns: NDArray[np.intp]
) -> Iterator[Farthest]:
    """Of some columns; ``positions`` are those of the rows of X in what the user gave."""
    of_columns = zip(columns_of(X, columns), quartiles_of(X, columns), strict=True)
    for column, quartiles in of_columns:
        values = column.astype(np.float64, copy=False)
        row = int(np.abs(values - quartiles[1]).argmax())
        yield quartiles, float(values[row]), int(positions[row])


def interquartile_ranges(value: float, quartiles: Iterable[float], n_rows: int) -> float:
    """How many interquartile ranges a value lies from the median; 0 where that is not far."""
    low, median, high = quartiles
    distance, spread = abs(value - median), high - low
    is_far = n_rows >= _FEWEST_ROWS and spread > 0 and distance > _FAR_SPREADS * spread
    return float(distance / spread) if is_far else 0.0


def _warn_of_far_values(
    estimator: Any, n_rows: int, suspects: NDArray[np.intp], farthest: Iterable[Farthest]
) -> list[int]:
    """Warn of a value that lies hundreds of spreads from its column; the columns with one."""
    columns: list[int] = []
    for j, (quartiles, value, row) in zip(suspects.tolist(), farthest, strict=True):
        times = interquartile_ranges(value, quartiles, n_rows)
        if times:
            columns.append(j)
            warn(
                f"{column_name(estimator, j)} has the value {value:g} in row {row}, "
                f"{times:.0f} interquartile ranges from its median {quartiles[1]:g}. "
                "Correct the value, leave the row out, or clip the column.",
                FarValueWarning,
            )
    return columns


def _range_of(estimator: Any, column: np.integer[Any], low: Array, high: Array) -> str:
    name = column_name(estimator, column)
    return f"{name} ranges from {low[column]:g} to {high[column]:g}"
