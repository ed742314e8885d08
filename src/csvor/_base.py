"""The one fit of the family: labels -> matrix -> objective -> solver, and what follows from it."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from csvor._labels import OrdinalLabels
from csvor._losses import CappedPower, CapSchedule
from csvor._matrix import DenseMatrix
from csvor._objective import OrdinalObjective, Point, Surrogate
from csvor._probability import fit_slope, interval_probabilities
from csvor._solvers import Solution, alternate_once, minimise_newton, reweight
from csvor._thresholds import Pairs, count_passed, explicit_pairs, spread_over_classes
from csvor._validation import check_features, check_weights, warn_of_far_values

Array = NDArray[np.float64]

# How far each solver lowers a surrogate before the weights change again.
_INNER: dict[str, Callable[[Surrogate, Point], Point]] = {
    "newton": minimise_newton,
    "alternating": alternate_once,
}


class EmptyClassWarning(UserWarning):
    """A class of the list has no rows to learn from."""


class ThresholdClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A linear score cut by ordered thresholds. Subclasses state parameters and the loss."""

    C: float
    p: float
    classes: ArrayLike | None
    solver: str
    tol: float
    max_iter: int
    verbose: int

    @abstractmethod
    def _schedule(self, importance: Array) -> CapSchedule:
        """The losses that the iterations go through."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, finite. Units and shifts do not matter to the solver; units do matter to
            the penalty, so put columns on one scale first (``StandardScaler``).
        y : array-like of shape (n_samples,)
            Labels: numbers, numbers as text, an ordered categorical, or any labels that the
            parameter ``classes`` lists.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. A weight of 2 counts as the row twice, 0 as the row left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = check_features(self, X, reset=True)
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        labels = OrdinalLabels.from_data(y, self.classes)
        codes = labels.encode(y)
        check_consistent_length(X, codes)
        weights = check_weights(X, sample_weight)
        warn_of_far_values(self, X)
        present = _classes_with_rows(labels, codes, weights)

        seen_codes = np.maximum(np.cumsum(present)[codes] - 1, 0)
        pairs = self._pairs(seen_codes, int(present.sum()))
        objective = OrdinalObjective(DenseMatrix(X, weights), pairs)
        solution = self._solve(objective, weights)
        self.classes_ = labels.classes
        self._keep(objective, solution, present, codes, weights)
        return self

    def _pairs(self, codes: NDArray[np.integer], n_classes: int) -> Pairs:
        return explicit_pairs(codes, n_classes)

    def _solve(self, objective: OrdinalObjective, weights: Array) -> Solution:
        lower = _INNER[self.solver]

        def minimise(surrogate_weights: Array, point: Point) -> Point:
            return lower(objective.surrogate(surrogate_weights), point)

        solution = reweight(
            objective.origin(),
            self._schedule(weights),
            minimise,
            self.C * weights,
            tol=self.tol,
            max_iter=self.max_iter,
            report=self._report if self.verbose else None,
        )
        if not solution.status.converged:
            warnings.warn(self._not_converged(solution), ConvergenceWarning, stacklevel=4)
        return solution

    def _keep(
        self,
        objective: OrdinalObjective,
        solution: Solution,
        present: NDArray[np.bool_],
        codes: NDArray[np.int64],
        weights: Array,
    ) -> None:
        """Set the fitted attributes, in the units of X as given."""
        point, loss = solution.point, solution.loss
        scaled_coef, thresholds = objective.split(point.theta)
        self.coef_, shift = objective.matrix.in_given_units(scaled_coef)
        kept = (weights > 0) & ~loss.capped(point.g)
        reach = point.scores[kept] if kept.any() else point.scores[weights > 0]
        thresholds = spread_over_classes(thresholds, present, reach.min(), reach.max())
        self.thresholds_ = thresholds + shift
        slacks = self._pairs(codes, present.size).slacks(point.scores, thresholds)
        self.residuals_ = loss.uncapped(np.sum(slacks**2, axis=1))
        self.epsilon_ = loss.epsilon
        self.outliers_ = self.residuals_ > self.epsilon_
        self.objective_ = solution.objective
        self.objective_history_ = np.array(solution.history)
        self.n_iter_ = solution.n_iter
        self.status_ = solution.status.value
        self.converged_ = solution.status.converged
        self.slope_ = fit_slope(point.scores[kept], codes[kept], thresholds, weights[kept])

    def _report(self, iteration: int, objective: float) -> None:
        print(f"[{type(self).__name__}] iteration {iteration}: objective {objective:.8g}")

    def _not_converged(self, solution: Solution) -> str:
        history = solution.history
        state = (
            f"while the objective still fell by {1.0 - history[-1] / history[-2]:.1e} of itself "
            f"(tol {self.tol:g})"
            if solution.n_iter - solution.fixed_from > 1
            else "before the cap and the smoothing had settled"
        )
        remedy = (
            "use solver='newton', which does not stall"
            if self.solver == "alternating"
            else f"raise max_iter, say to {max(200, 2 * self.max_iter)}"
        )
        return (
            f"{type(self).__name__} stopped after {solution.n_iter} iterations "
            f"(max_iter={self.max_iter}) {state}: {remedy}."
        )

    def predict_projection(self, X: ArrayLike) -> Array:
        """The score ``f = X coef_`` that the thresholds cut.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return check_features(self, X, reset=False) @ self.coef_

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classes by counting: the first class, plus one for each threshold with ``f >= b_k``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Members of ``classes_``.
        """
        scores = self.predict_projection(X)
        return self.classes_[count_passed(scores, self.thresholds_)]

    def decision_function(self, X: ArrayLike) -> Array:
        """How far the score lies inside each class's interval.

        For more than two classes, column k holds ``min(f - b_{k-1}, b_k - f)``: positive inside
        the interval, and largest for the class that `predict` returns. For two classes,
        ``f - b_1``. The score f itself is `predict_projection`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        decision : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        over = self.predict_projection(X)[:, None] - self.thresholds_
        if over.shape[1] == 1:
            return over.ravel()
        edge = np.full((over.shape[0], 1), np.inf)
        # A score on a threshold has passed it: 0 on its lower edge beats less than 0 on an upper.
        under = np.where(over == 0.0, -np.finfo(np.float64).tiny, -over)
        return np.minimum(np.hstack([edge, over]), np.hstack([under, edge]))

    def predict_proba(self, X: ArrayLike) -> Array:
        """Class probabilities ``P(y <= k) = 1 / (1 + exp(-a (b_k - f)))``.

        The slope ``a`` (``slope_``) is the one of greatest likelihood on the training rows that
        were not cut away. Where a narrow class holds less mass than its neighbour although the
        score lies in it, it is raised to that mass and the row scaled back, so that the most
        probable class is always the one that `predict` returns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; rows sum to 1.
        """
        scores = self.predict_projection(X)
        predicted = count_passed(scores, self.thresholds_)
        return interval_probabilities(scores, self.thresholds_, self.slope_, predicted)

    def residuals(self, X: ArrayLike, y: ArrayLike) -> Array:
        """``r_i^p`` of labelled rows, not capped: large where label and score disagree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels from ``classes_``.

        Returns
        -------
        residuals : ndarray of shape (n_samples,)
            Compare with ``epsilon_``.
        """
        scores, pairs = self._scores_and_pairs(X, y)
        return self._residuals_of(pairs, scores)

    def _scores_and_pairs(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, Pairs]:
        scores = self.predict_projection(X)
        codes = OrdinalLabels(self.classes_, declared=True).encode(y)
        check_consistent_length(scores, codes)
        return scores, self._pairs(codes, self.classes_.size)

    def _misfit(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, Array, Array]:
        """Residuals, worst excess (ranks rows without a slack too), and lean of labelled rows."""
        scores, pairs = self._scores_and_pairs(X, y)
        at = scores, self.thresholds_
        return self._residuals_of(pairs, scores), pairs.worst_excess(*at), pairs.lean(*at)

    def _residuals_of(self, pairs: Pairs, scores: Array) -> Array:
        slacks = pairs.slacks(scores, self.thresholds_)
        return CappedPower(self.p).uncapped(np.sum(slacks**2, axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One score line cannot separate classes that do not lie in order along it.
        tags.classifier_tags.poor_score = True
        return tags


def _classes_with_rows(
    labels: OrdinalLabels, codes: NDArray[np.int64], weights: Array
) -> NDArray[np.bool_]:
    present = labels.counts(codes, weights) > 0
    if present.sum() < 2:
        only = labels.classes[np.argmax(present)]
        raise ValueError(
            f"y holds a single class with rows of positive weight, {only!r}: "
            "an ordinal model needs rows of at least two classes."
        )
    if not present.all():
        missing = ", ".join(repr(label) for label in labels.classes[~present].tolist())
        warnings.warn(
            f"No rows of class {missing}: kept in classes_, with an interval that costs the "
            "other rows nothing. Leave it out of the class list if it cannot occur.",
            EmptyClassWarning,
            stacklevel=4,
        )
    return present
