"""Checks of features and weights; each returns the clean value or says what is wrong where."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, validate_data

Array = NDArray[np.float64]

# A value this many spreads from the middle of its column is hardly a measurement.
_FAR_SPREADS = 200.0


def check_features(estimator: Any, X: Any, *, reset: bool) -> Array:
    """A finite float64 array of shape (n_samples, n_features); the columns known at fit."""
    X = validate_data(
        estimator, X, reset=reset, dtype=np.float64, order=None, ensure_all_finite=False
    )
    # One pass: the sum is finite unless a value is not (or the sum itself overflows).
    if not np.isfinite(X.sum()) and not np.isfinite(X).all():
        raise ValueError(_not_finite(estimator, X))
    return X


def check_weights(X: Array, sample_weight: Any) -> Array:
    """Weights of shape (n_samples,), not negative, not all zero."""
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if np.any(weights < 0):
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight has negative values (first: {weights[row]} in row {row}); "
            "a weight counts a row's repetitions, so give 0 to leave it out."
        )
    if not np.any(weights > 0):
        raise ValueError("sample_weight is zero for every row; at least one row must count.")
    return weights


def warn_of_far_values(estimator: Any, X: Array) -> None:
    """Name the column where a single value lies hundreds of spreads from the others."""
    if X.shape[0] < 10:
        return
    middle, spread = X.mean(axis=0), X.std(axis=0)
    reach = np.maximum(X.max(axis=0) - middle, middle - X.min(axis=0))
    # One far value raises the standard deviation so much that only these can be far.
    for column in np.flatnonzero(reach > 0.25 * np.sqrt(X.shape[0]) * spread):
        low, median, high = np.quantile(X[:, column], [0.25, 0.5, 0.75])
        distance = np.abs(X[:, column] - median)
        row = int(np.argmax(distance))
        if high > low and distance[row] > _FAR_SPREADS * (high - low):
            warnings.warn(
                f"{_column_name(estimator, column)} has the value {X[row, column]:g} in row {row}, "
                f"{distance[row] / (high - low):.0f} interquartile ranges from its median "
                f"{median:g}. Correct the value, leave the row out, or clip the column.",
                UserWarning,
                stacklevel=4,
            )


def _column_name(estimator: Any, column: np.integer[Any]) -> str:
    names = getattr(estimator, "feature_names_in_", None)
    return f"column {column}" if names is None else f"column {names[column]!r}"


def _not_finite(estimator: Any, X: Array) -> str:
    bad = ~np.isfinite(X)
    row, column = np.argwhere(bad)[0]
    kind = "NaN" if np.isnan(X[row, column]) else "infinity (inf)"
    return (
        f"Input X contains {kind}: {_column_name(estimator, column)}, row {row} "
        f"({int(bad.sum())} such value(s) in {int(bad.any(axis=0).sum())} column(s)). "
        "Impute the values or leave these rows out."
    )
