"""What does a fitted regression keep, and what may be asked of it?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from csvor._regression.fit import Fitting
from csvor._regression.likelihood import Model
from csvor._utils.lazy import is_lazy

Array = NDArray[np.float64]


class Kept:
    """What methods that follow from estimates share."""

    classes_: NDArray[Any]
    covariance_: Array
    parameters_: Array
    parameter_names_: list[str]
    n_features_in_: int
    _inner_covariance: Array
    _model: Model
    _checked: Any
    _without_rows: Any

    @property
    def _training(self) -> Fitting:
        """The training rows, refused where they are gone."""
        check_is_fitted(self)
        if "_fitting_" not in vars(self):
            raise ValueError(
                "This model has no training rows: they are not stored in a file or a pickle. Fit "
                "it again, or ask of rows that you give as X (and y) where the method takes them."
            )
        fitting: Fitting = vars(self)["_fitting_"]
        return fitting

    def _covariance_within(self, covariance: Any) -> Array:
        """The covariance of the parameters of scaled columns, from that of the estimates."""
        if covariance is None:
            return self._inner_covariance
        matrix = as_covariance(covariance, self.parameters_.size)
        model = self._model
        change = model.terms.in_given_units(model.center, model.factor)
        return np.asarray(np.linalg.solve(change, np.linalg.solve(change, matrix).T))

    def _in_memory(self, X: Any, what: str) -> Array:
        """Checked rows, which must not lie in partitions."""
        check_is_fitted(self)
        if is_lazy(X):
            raise TypeError(
                f"{what} are made of rows in memory, and X lies in partitions of dask: ask for "
                "those that you need, X.partitions[0].compute() or a few rows."
            )
        rows: Array = self._checked(X)
        return rows


def as_covariance(covariance: Any, n_parameters: int) -> Array:
    """A matrix that a user gives in place of the covariance of the estimates."""
    matrix = np.asarray(covariance, dtype=np.float64)
    if matrix.shape != (n_parameters, n_parameters):
        raise ValueError(
            f"covariance has the shape {matrix.shape} and the model {n_parameters} parameters: "
            f"give a square matrix in the order of parameter_names_, such as model.sandwich()."
        )
    return matrix
