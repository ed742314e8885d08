"""What a fitted model can say: scores, classes, probabilities, residuals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from csvor._data.checks import check_features, check_weights
from csvor._estimators.answers import accuracy_by_partition, by_partition
from csvor._estimators.intervals import depths, predicted_codes
from csvor._estimators.probability import Calibration, interval_probabilities
from csvor._labels import OrdinalLabels, read_column, refuse_other_order
from csvor._rows.blocks import product
from csvor._utils.lazy import is_lazy

Array = NDArray[np.float64]


class ThresholdModel(ABC):
    """A score cut by ordered thresholds, fitted."""

    classes_: NDArray[Any]
    thresholds_: Array
    residuals_: Array
    _present: NDArray[np.bool_]
    _calibration: Calibration
    _kernel: Any
    coef_: Array
    dual_coef_: Array
    landmarks_: NDArray[np.intp]

    @property
    def outliers_(self) -> NDArray[np.bool_]:
        """True for training rows that were cut away; nowhere for a loss without a cap."""
        check_is_fitted(self)
        return self.residuals_ > getattr(self, "epsilon_", np.inf)

    @property
    def slope_(self) -> float:
        """The slope a of `predict_proba`, > 0; found when it is first asked for."""
        check_is_fitted(self)
        return self._calibration.curve[0]

    @property
    def cutpoints_(self) -> Array:
        """The cuts c of `predict_proba`, rising between classes with rows."""
        check_is_fitted(self)
        return self._calibration.curve[1].copy()

    def _without_rows(self) -> Any:
        """A copy that takes nothing of the training rows along."""
        model = copy(self)
        model.__dict__.pop("residuals_", None)
        return model

    def __getstate__(self) -> dict[str, Any]:
        """Results of rows in partitions stay where these are."""
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        if is_lazy(state.get("residuals_")):
            state = {name: value for name, value in state.items() if name != "residuals_"}
        return state

    def __getattr__(self, name: str) -> Any:
        if name in ("residuals_", "outliers_") and "thresholds_" in self.__dict__:
            raise AttributeError(
                f"{name} is not here: the rows of this fit lay in partitions of dask, and what is "
                "known of each stayed with them. Call residuals(X, y), and compare it with "
                "epsilon_."
            )
        return object.__getattribute__(self, name)  # which says in its own words what is missing

    @abstractmethod
    def _residuals_of(self, scores: Array, codes: NDArray[np.integer]) -> Array:
        """How badly each row's class fits its score, under the fitted model."""

    @by_partition
    def predict_projection(self, X: ArrayLike) -> Array:
        """The score f that the thresholds cut: ``X coef_``, or ``k(X, X_fit_) dual_coef_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            float32 or float64, each read as it is, whatever X was at `fit`.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._project(check_features(self, X, reset=False))

    def _project(self, X: Array) -> Array:
        if hasattr(self, "coef_"):
            return product(X, self.coef_)
        landmarks = getattr(self, "X_fit_", None)
        return self._kernel.scores(X, landmarks, self.landmarks_, self.dual_coef_)

    @by_partition
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classes by counting: the first class, plus one for each threshold with ``f >= b_k``.

        A class that had no rows in `fit` is not predicted: beyond the first or the last class
        that had some, rows belong to that one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Members of ``classes_``.
        """
        codes = self._codes_at(self.predict_projection(X))
        return self.classes_[codes]

    def _codes_at(self, scores: Array) -> NDArray[np.intp]:
        """The class that is predicted at each score, as 0..K-1."""
        return predicted_codes(scores, self.thresholds_, self._present)

    @by_partition
    def decision_function(self, X: ArrayLike) -> Array:
        """How far the score lies inside each class's interval.

        For more than two classes, column k holds ``min(f - b_{k-1}, b_k - f)``: positive inside
        the interval, and largest for the class that `predict` returns. A class that had no rows
        in `fit` has no interval, and is below 0. For two classes, ``f - b_1``. The score f itself
        is `predict_projection`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decision : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        scores = self.predict_projection(X)
        if self.thresholds_.size == 1:
            return scores - self.thresholds_[0]
        return depths(scores, self.thresholds_, self._present)

    @by_partition
    def predict_proba(self, X: ArrayLike) -> Array:
        """Class probabilities ``P(y <= k) = 1 / (1 + exp(-a (c_k - f)))``.

        Slope ``a`` (``slope_``) and cuts ``c`` (``cutpoints_``) are those of greatest likelihood
        on the training rows that were not cut away, found on first use. Every class that had
        rows in `fit` has a probability, one that had none has 0. Where another class holds more
        mass than the one that `predict` returns, as happens between a cut and a threshold, the
        predicted class is raised to that mass and the row scaled back, so that the most probable
        class is always the predicted one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; rows sum to 1.
        """
        scores = self.predict_projection(X)
        slope, cuts = self._calibration.curve
        return interval_probabilities(scores, cuts, slope, self._codes_at(scores))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy: the share of rows whose class is predicted; higher is better.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True labels. A number that is not in ``classes_`` counts as wrong; a word that is
            not is refused by name.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        score : float
        """
        if is_lazy(X):
            return accuracy_by_partition(self, X, y, sample_weight)
        predicted = self._codes_at(self.predict_projection(X))
        refuse_other_order(X, y=y, sample_weight=sample_weight)
        column = read_column(y)
        order = OrdinalLabels(self.classes_, declared=True).with_numbers_of(column)
        codes = order.encode(column)
        check_consistent_length(predicted, codes)
        right = codes == order.encode(self.classes_)[predicted]
        return float(np.average(right, weights=check_weights(predicted.size, sample_weight)))

    @by_partition
    def residuals(self, X: ArrayLike, y: ArrayLike) -> Array:
        """``r_i^p`` of labelled rows, not capped: large where label and score disagree.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels from ``classes_``.

        Returns
        -------
        residuals : ndarray of shape (n_samples,)
            Compare with ``epsilon_``.
        """
        refuse_other_order(X, y=y)
        scores = self.predict_projection(X)
        codes = OrdinalLabels(self.classes_, declared=True).encode(y)
        check_consistent_length(scores, codes)
        return self._residuals_of(scores, codes)
