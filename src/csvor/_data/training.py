"""What a fit needs of the data, whatever its strength and its loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from csvor._data.checks import (
    check_features,
    check_ranges,
    check_weights,
    class_factors,
    farthest_of,
)
from csvor._data.kernels import FeatureMap, Kernel, KernelMap, LinearMap, gamma_of
from csvor._labels import CodedLabels
from csvor._rows.kinds import matrix_of
from csvor._rows.matrix import ScaledMatrix
from csvor._rows.spans import spans_of
from csvor._utils.lazy import is_lazy
from csvor._utils.threads import threads_for
from csvor._utils.warn import warn

Array = NDArray[np.float64]

# The parameters of an estimator that are used up here.
DATA_PARAMETERS = {
    "classes",
    "class_weight",
    "kernel",
    "gamma",
    "degree",
    "coef0",
    "n_components",
    "random_state",
}


class EmptyClassWarning(UserWarning):
    """A class of the list has no rows to learn from."""


@dataclass(frozen=True, eq=False)
class Training:
    """Checked data in the basis of the fit.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        All rows as given, float32 or float64.
    codes : ndarray of shape (n_samples,)
        Their classes as 0..K-1.
    classes, present : ndarrays of shape (n_classes,)
        The labels in their order, and which of them have rows.
    counted : ndarray of shape (n_samples,), bool
        The rows with a positive weight.
    weights, seen_codes : ndarrays
        Of the counted rows: weights, and classes as numbers of those that are present.
    features : FeatureMap
    matrix : ScaledMatrix
        The counted rows in its basis.
    """

    X: Any
    codes: Any
    classes: NDArray[Any]
    present: NDArray[np.bool_]
    counted: Any
    weights: Any
    seen_codes: Any
    features: FeatureMap
    matrix: ScaledMatrix

    # Whether what is known of each row is in memory.
    is_here: ClassVar[bool] = True
    # Rows of each partition where results of rows are to lie in such.
    chunks: tuple[int, ...] | None = None

    @property
    def left_out(self) -> bool:
        """Whether rows have no weight."""
        return bool(self.seen_codes.size < self.codes.size)

    @property
    def mass(self) -> Array:
        """The weight of each class that is present."""
        return np.asarray(np.bincount(self.seen_codes, self.weights), dtype=np.float64)

    def scores_of_all(self, of_counted: Any, project: Callable[[Any], Array]) -> Any:
        """The scores of all rows from those of the counted ones."""
        if not self.left_out:
            return of_counted
        scores = project(self.X)
        scores[self.counted] = of_counted
        return scores

    @property
    def traffic(self) -> dict[str, int] | None:
        """What the data and the latest fit to them asked of partitions, where rows lie in such."""
        return None

    def begin(self) -> None:
        """From here on a fit asks, and not the one before it."""

    @property
    def wanted_room(self) -> int | None:
        """Bytes of room that a fit of rows in partitions would be faster with; None: it is fast."""
        return None

    @property
    def room_of_all(self) -> int | None:
        """Bytes of room in which all rows would come to this process; None: more than it has."""
        return None

    def of_rows(self, work: Callable[..., Array], *columns: Any) -> Any:
        """What is made of columns of all rows, row by row."""
        return work(*columns)

    def given_back(self, of_rows: Any) -> Any:
        """Results of all rows as the user gets them."""
        if self.chunks is None:
            return of_rows
        import dask.array as da

        return da.from_array(of_rows, chunks=(self.chunks,), name=False)


def training_of(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Training:
    """Check the data of a fit and bring them into its basis; `y` may be `CodedLabels`."""
    if is_lazy(X):  # scikit-learn's checks would load it whole
        from csvor._data.dask_training import dask_training_of

        return dask_training_of(estimator, X, y, sample_weight)
    X = check_features(estimator, X, reset=True)
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )
    coded = CodedLabels.from_data(y, estimator.classes)
    labels, codes = coded.labels, coded.codes.astype(np.int32)
    check_consistent_length(X, codes)
    weights = check_weights(X, sample_weight)
    if estimator.class_weight is not None:
        mass = labels.counts(codes, weights)
        factors = class_factors(estimator.class_weight, labels.classes, mass)
        weights = np.multiply(weights, factors[codes])
    present = classes_with_rows(estimator, labels.classes, labels.counts(codes, weights))

    counted = weights > 0  # a weight of 0 is a row left out
    rows, seen, positions = X, codes, np.flatnonzero(counted)
    if positions.size < weights.size:
        rows, seen, weights = X[counted], codes[counted], weights[counted]
    spans = None
    if estimator.kernel != "precomputed":
        spans = spans_of(rows, weights)
        check_ranges(estimator, positions.size, spans, partial(farthest_of, rows, positions))
    elif X.shape[0] != X.shape[1]:
        raise ValueError(
            f"A precomputed kernel must be a square matrix at fit, got {X.shape}: "
            "give k(x_i, x_j) for all training rows i and j."
        )
    with threads_for(positions.size * _n_columns(estimator, rows)):
        features = _features(estimator, rows, positions, weights)
        matrix = matrix_of(features.mapped, weights, spans if features.mapped is rows else None)
    seen_codes = seen if present.all() else (np.cumsum(present) - 1).astype(np.int32)[seen]
    return Training(
        X, codes, labels.classes, present, counted, weights, seen_codes, features, matrix
    )


def classes_with_rows(
    estimator: Any, classes: NDArray[Any], mass: NDArray[Any]
) -> NDArray[np.bool_]:
    """Which have; ``mass`` is the weight of each."""
    present = mass > 0
    if present.sum() < 2:
        only = classes[present].tolist()[0]
        raise ValueError(
            f"y holds a single class with rows of positive weight, {only!r}: "
            "an ordinal model needs rows of at least two classes."
        )
    if not present.all() and not estimator._judges_others:
        missing = ", ".join(repr(label) for label in classes[~present].tolist())
        warn(
            f"No rows of class {missing}: kept in classes_, with an interval that costs the "
            "other rows nothing. Leave it out of the class list if it cannot occur.",
            EmptyClassWarning,
        )
    return present


def _n_columns(estimator: Any, X: Array) -> int:
    """Columns of the mapped rows, at most."""
    n = X.shape[0]
    return min(n, X.shape[1] if estimator.kernel == "linear" else estimator.n_components or n)


def _features(estimator: Any, X: Array, positions: NDArray[np.intp], weights: Array) -> FeatureMap:
    if estimator.kernel == "linear":
        return LinearMap(X)
    gamma = gamma_of(estimator.gamma, X, weights)
    kernel = Kernel(estimator.kernel, gamma, estimator.degree, estimator.coef0)
    return KernelMap(X, positions, kernel, estimator.n_components, estimator.random_state)
