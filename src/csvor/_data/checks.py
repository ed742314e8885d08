"""Checks of features and weights; each returns the clean value or says what is wrong where."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from csvor._data.tables import column_name, masked_as_nan, read_features
from csvor._labels.factors import is_infinite, is_missing
from csvor._rows.storage import canonical, places_of, stored
from csvor._utils.sklearn_private import check_sample_weight

Array = NDArray[np.float64]

_LEAST_TOTAL, _MOST_TOTAL = 1e-100, 1e100


def refuse_swapped(X: Any, y: Any) -> None:
    """Refuse labels in the place of the features, and these in theirs."""
    of_X, of_y = (list(getattr(data, "shape", ())) for data in (X, y))
    if len(of_X) == 1 and len(of_y) == 2 and of_y[1] != 1:  # texts may have labels in a column
        raise ValueError(
            "X has one dimension and y has two: they are swapped. The features come first, (X, y)."
        )


def check_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """A finite array or CSR matrix of shape (n_samples, n_features); float32 stays, else float64.

    Its columns are those known at fit.
    """
    X = read_numbers(estimator, X, [np.float64, np.float32], reset=reset)
    numbers = stored(X)
    # One pass: the sum is finite unless a value is not (or the sum itself overflows).
    with np.errstate(over="ignore", invalid="ignore"):
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


def check_weights(n_rows: int, sample_weight: Any) -> Array:
    """Weights of shape (n_samples,), not negative, not all zero; without any, one 1 for all."""
    weights = check_each_weight(n_rows, sample_weight)
    if not np.any(weights > 0):
        raise ValueError("sample_weight is zero for every row; at least one row must count.")
    if sample_weight is not None:
        check_total(float(weights.sum()))
    return weights


def check_total(total: float) -> None:
    """Refuse a sum of weights that leaves the range of numbers when it is squared."""
    if not _LEAST_TOTAL < total < _MOST_TOTAL:
        raise ValueError(
            f"sample_weight, with class_weight, adds up to {total:g}, which is too "
            f"{'large' if total > 1.0 else 'small'} to compute with. Scale it so that the sum is "
            "nearer to the number of rows."
        )


def check_each_weight(n_rows: int, sample_weight: Any) -> Array:
    """The same of rows that are a part of all."""
    if sample_weight is None:
        return np.broadcast_to(np.float64(1.0), n_rows)
    sample_weight = masked_as_nan(sample_weight)
    numbers = np.asarray(sample_weight)
    if numbers.shape == (n_rows,) and numbers.dtype.kind in "biuf" and not numbers.any():
        return np.zeros(numbers.shape)
    try:
        weights = check_sample_weight(sample_weight, np.empty(n_rows), dtype=np.float64)
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


def _not_finite(estimator: Any, X: Any) -> str:
    numbers = stored(X)
    bad = ~np.isfinite(numbers)
    rows, columns = places_of(X, np.nonzero(bad))
    kind = "NaN" if np.isnan(numbers[bad][0]) else "infinity (inf)"
    return (
        f"Input X contains {kind}: {column_name(estimator, columns[0])}, row {rows[0]} "
        f"({rows.size} such value(s) in {np.unique(columns).size} column(s)). "
        "Impute the values or leave these rows out."
    )
