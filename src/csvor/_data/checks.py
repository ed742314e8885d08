"""Checks of features and weights; each returns the clean value or says what is wrong where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from csvor._data.tables import masked_as_nan, read_features
from csvor._labels.factors import is_infinite, is_missing
from csvor._rows.spans import Spans
from csvor._rows.storage import canonical, columns_of, places_of, stored
from csvor._utils.sklearn_private import check_sample_weight
from csvor._utils.warn import warn

Array = NDArray[np.float64]

# A value this many spreads from the middle of its column is hardly a measurement.
_FAR_SPREADS = 200.0
# Quartiles of fewer rows say little of a spread.
_FEWEST_ROWS = 10
# Where less than this share of a column is stored, half of it at least lies at 0: no spread.
_SPREADING = 0.25
# Beyond this the square of a value is near the largest number.
LARGEST = 1e150
# A standard deviation this far from 1 makes the penalty on a coefficient all or nothing.
_WIDE = 1e6


class FarValueWarning(UserWarning):
    """A value lies hundreds of spreads from the others of its column."""


def check_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """A finite array or CSR matrix of shape (n_samples, n_features); float32 stays, else float64.

    Its columns are those known at fit.
    """
    X = read_numbers(estimator, X, [np.float64, np.float32], reset=reset)
    numbers = stored(X)
    # One pass: the sum is finite unless a value is not (or the sum itself overflows).
    with np.errstate(over="ignore"):
        total = numbers.sum()
    if not np.isfinite(total) and not np.isfinite(numbers).all():
        raise ValueError(_not_finite(estimator, X))
    return canonical(X)


def read_numbers(estimator: Any, X: Any, dtype: Any, *, reset: bool = False) -> Any:
    """The same, which may hold values that are not finite."""
    return read_features(
        estimator, X, reset=reset, dtype=dtype, order=None, ensure_all_finite=False,
        accept_sparse="csr" if get_tags(estimator).input_tags.sparse else False,
    )  # fmt: skip


def check_weights(X: NDArray[Any], sample_weight: Any) -> Array:
    """Weights of shape (n_samples,), not negative, not all zero; without any, one 1 for all."""
    weights = check_each_weight(X, sample_weight)
    if not np.any(weights > 0):
        raise ValueError("sample_weight is zero for every row; at least one row must count.")
    return weights


def check_each_weight(X: NDArray[Any], sample_weight: Any) -> Array:
    """The same of rows that are a part of all."""
    if sample_weight is None:
        return np.broadcast_to(np.float64(1.0), X.shape[0])
    sample_weight = masked_as_nan(sample_weight)
    numbers = np.asarray(sample_weight)
    if numbers.shape == X.shape[:1] and numbers.dtype.kind in "biuf" and not numbers.any():
        return np.zeros(numbers.shape)
    try:
        weights = check_sample_weight(sample_weight, X, dtype=np.float64)
    except ValueError as error:
        problem = _weight_not_finite(sample_weight)
        if problem is None:
            raise
        raise ValueError(problem) from error
    if np.any(weights < 0):
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight has negative values (first: {weights[row]} in row {row}); "
            "a weight counts a row's repetitions, so give 0 to leave it out."
        )
    return weights


def _weight_not_finite(sample_weight: Any) -> str | None:
    """What is to be said of the first weight that is missing or infinite."""
    for row, weight in enumerate(np.ravel(np.asarray(sample_weight, dtype=object)).tolist()):
        if is_missing(weight) or is_infinite(weight):
            kind = "NaN" if is_missing(weight) else "infinity (inf)"
            return f"Input sample_weight contains {kind}: row {row}. Give 0 to leave a row out."
    return None


def class_factors(
    class_weight: dict[Any, float] | str, classes: NDArray[Any], mass: NDArray[Any]
) -> Array:
    """What the weights of each class's rows are multiplied with; ``mass`` is their sum."""
    if isinstance(class_weight, str):
        with np.errstate(divide="ignore"):
            balance = mass.sum() / (np.sum(mass > 0) * mass)
        return np.where(mass > 0, balance, 0.0)
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown:
        raise ValueError(
            f"class_weight names {unknown}, which are not among the classes {known}: "
            "use the labels as they stand in y."
        )
    factors = np.array([class_weight.get(label, 1.0) for label in known], dtype=np.float64)
    if not np.all(np.isfinite(factors) & (factors >= 0)):
        raise ValueError(f"class_weight must hold finite numbers >= 0, got {class_weight}.")
    if not np.any(mass * factors > 0):
        raise ValueError(
            f"class_weight={class_weight} leaves no row with a positive weight; "
            "at least two classes must count."
        )
    return factors


# Of a column: its quartiles, the value farthest from the middle one, and in which row it stands.
Farthest = tuple[Array, float, int]


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
    for column in columns_of(X, columns):
        yield np.quantile(column.astype(np.float64, copy=False), [0.25, 0.5, 0.75])


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
                f"{_column_name(estimator, j)} has the value {value:g} in row {row}, "
                f"{times:.0f} interquartile ranges from its median {quartiles[1]:g}. "
                "Correct the value, leave the row out, or clip the column.",
                FarValueWarning,
            )
    return columns


def _range_of(estimator: Any, column: np.integer[Any], low: Array, high: Array) -> str:
    name = _column_name(estimator, column)
    return f"{name} ranges from {low[column]:g} to {high[column]:g}"


def _column_name(estimator: Any, column: int | np.integer[Any]) -> str:
    names = getattr(estimator, "feature_names_in_", None)
    return f"column {column}" if names is None else f"column {names[column]!r}"


def _not_finite(estimator: Any, X: Any) -> str:
    numbers = stored(X)
    bad = ~np.isfinite(numbers)
    rows, columns = places_of(X, np.nonzero(bad))
    kind = "NaN" if np.isnan(numbers[bad][0]) else "infinity (inf)"
    return (
        f"Input X contains {kind}: {_column_name(estimator, columns[0])}, row {rows[0]} "
        f"({rows.size} such value(s) in {np.unique(columns).size} column(s)). "
        "Impute the values or leave these rows out."
    )
