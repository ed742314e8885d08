"""What does a fit need of the data, whatever its strength and its loss?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from csvor._data.checks import check_total, class_factors
from csvor._data.kernels import FeatureMap
from csvor._rows.matrix import ScaledMatrix
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
class FitData:
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
    weights, present_codes : ndarrays
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
    present_codes: Any
    features: FeatureMap
    matrix: ScaledMatrix

    # Whether what is known of each row is in memory.
    in_memory: ClassVar[bool] = True
    # Rows of each partition where results of rows are to lie in such.
    chunks: tuple[int, ...] | None = None

    @property
    def left_out(self) -> bool:
        """Whether rows have no weight."""
        return bool(self.present_codes.size < self.codes.size)

    @property
    def rows(self) -> Any:
        """The counted rows as given."""
        return self.X[self.counted] if self.left_out else self.X

    @property
    def mass(self) -> Array:
        """The weight of each class that is present."""
        return np.asarray(np.bincount(self.present_codes, self.weights), dtype=np.float64)

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

    def reset_traffic(self) -> None:
        """From here on a fit asks, and not the one before it."""

    @property
    def wanted_room(self) -> int | None:
        """Bytes of room that a fit of rows in partitions would be faster with; None: it is fast."""
        return None

    @property
    def room_of_all(self) -> int | None:
        """Bytes of room in which all rows would come to this process; None: more than it has."""
        return None

    def map_rows(self, work: Callable[..., Array], *columns: Any) -> Any:
        """What is made of columns of all rows, row by row."""
        return work(*columns)

    def to_user(self, of_rows: Any) -> Any:
        """Results of all rows as the user gets them."""
        return of_rows if self.chunks is None else in_partitions(of_rows, self.chunks)


def in_partitions(of_rows: NDArray[Any], chunks: tuple[int, ...]) -> Any:
    """Results of rows as a dask array with these partitions."""
    import dask.array as da

    return da.from_array(of_rows, chunks=(chunks, *of_rows.shape[1:]), name=False)


def require_labels(estimator: Any, y: Any) -> None:
    """Refuse a fit without labels, in scikit-learn's words."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )


def class_weighting(
    estimator: Any, classes: NDArray[Any], mass: NDArray[Any]
) -> tuple[NDArray[Any], Array | None]:
    """The weight of each class, and what the weights of its rows are multiplied with, if anything.

    ``mass`` is the weight of each class by the weights of its rows.
    """
    if estimator.class_weight is None:
        return mass, None
    factors = class_factors(estimator.class_weight, classes, mass)
    return mass * factors, factors


def ranks_of_present(present: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The number of each class among those that are present, by its code."""
    return np.cumsum(present) - 1


def classes_with_rows(
    estimator: Any, classes: NDArray[Any], mass: NDArray[Any]
) -> NDArray[np.bool_]:
    """Which have; ``mass`` is the weight of each."""
    check_total(float(mass.sum()))
    present = mass > 0
    if present.sum() < 2:
        only = classes[present].tolist()[0]
        raise ValueError(
            f"y holds a single class with rows of positive weight, {only!r}: "
            "an ordinal model needs rows of at least two classes."
        )
    if not present.all() and not estimator._is_fold_model:
        missing = ", ".join(repr(label) for label in classes[~present].tolist())
        warn(
            f"No rows of class {missing}: kept in classes_, with an interval that costs the "
            "other rows nothing. Leave it out of the class list if it cannot occur.",
            EmptyClassWarning,
        )
    return present
