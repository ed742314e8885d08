"""What does a fitted regression keep, and what may be asked of it?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from csvor._labels import OrdinalLabels, refuse_other_order
from csvor._regression.fit import Fitting, Likelihoods
from csvor._regression.likelihood import Model, Rows
from csvor._utils.lazy import is_lazy

Array = NDArray[np.float64]


class Kept:
    """What methods that follow from estimates share."""

    classes_: NDArray[Any]
    covariance_: Array
    parameters_: Array
    parameter_names_: list[str]
    n_features_in_: int
    n_parameters_: int
    wrong_share_: float
    _share_known: bool
    _likelihoods: Likelihoods
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
                "This model has no training rows, which this asks for: they are not stored in a "
                "file or a pickle. Fit it again. Predictions, their intervals and expected_level, "
                "and residuals and influence of rows that you give as X and y, need none."
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

    def _known_columns(self, X: Any) -> Any:
        """Checked rows, in memory or in partitions."""
        if not is_lazy(X):
            return self._checked(X)
        from csvor._data.dask_parts import known_features_of
        from csvor._parts.graph import as_array

        features = known_features_of(self, X)
        checked = features.parts.under(partial(_checked_part, self._without_rows()))
        return as_array(checked, features.sizes, np.float64, (features.n_columns,))

    def _labelled(self, X: Any, y: Any) -> Rows:
        """The training rows, or rows and their labels that a user gives."""
        if X is None and y is None:
            return self._training.rows
        if X is None or y is None:
            raise ValueError("Give X and y together, or neither: then it is the training rows.")
        check_is_fitted(self)
        columns, encode = self._known_columns(X), OrdinalLabels(self.classes_, declared=True).encode
        if not is_lazy(X):
            refuse_other_order(X, y=y)
            codes = encode(y)
            check_consistent_length(columns, codes)
            return Rows(columns, codes, None)
        from csvor._data.dask_parts import aligned_column, known_features_of
        from csvor._parts.graph import as_array

        labels = aligned_column(y, known_features_of(self, X), "y").under(encode)
        return Rows(columns, as_array(labels, columns.chunks[0], np.int64), None)

    def _for_all_rows(self, X: Any, of_rows: Any) -> Any:
        """Numbers of rows as the user counts them: those of weight 0 at fit have none."""
        counted = None if X is not None else self._training.counted
        if counted is None or counted.all():
            return of_rows
        answers = np.full(counted.size, np.nan)
        answers[counted] = of_rows
        return answers

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


def _checked_part(model: Any, X: Any) -> Array:
    if X.shape[0] == 0:
        return np.empty((0, model.n_features_in_))
    rows: Array = model._checked(X)
    return rows
