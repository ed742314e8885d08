"""Scorers for searches and cross-validation: any label, higher is better, order from the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from csvor._labels import CodedLabels, LabelError, OrdinalLabels, read_column, refuse_other_order
from csvor.metrics._class_errors import average_mean_absolute_error, maximum_mean_absolute_error
from csvor.metrics._errors import accuracy_off1_score, mean_absolute_error, mean_zero_one_error
from csvor.metrics._kappa import weighted_kappa

# Name: (sign, measure). Errors carry "neg_" so that higher is better for all.
_MEASURES: dict[str, tuple[int, Callable[..., float]]] = {
    "accuracy_off1": (1, accuracy_off1_score),
    "linear_kappa": (1, partial(weighted_kappa, weights="linear")),
    "neg_average_mean_absolute_error": (-1, average_mean_absolute_error),
    "neg_maximum_mean_absolute_error": (-1, maximum_mean_absolute_error),
    "neg_mean_absolute_error": (-1, mean_absolute_error),
    "neg_mean_zero_one_error": (-1, mean_zero_one_error),
    "quadratic_kappa": (1, partial(weighted_kappa, weights="quadratic")),
}


def get_scorer_names() -> list[str]:
    """Names that `get_scorer` knows.

    Returns
    -------
    names : list of str
        Sorted. The measures that grow with the error are negated and begin with ``neg_``.

    Examples
    --------
    >>> from csvor.metrics import get_scorer_names
    >>> get_scorer_names()[:2]
    ['accuracy_off1', 'linear_kappa']
    """
    return sorted(_MEASURES)


def get_scorer(name: str, *, classes: Any = None) -> OrdinalScorer:
    """Make a scorer for ordered labels.

    The scorer is called as ``scorer(estimator, X, y, sample_weight=None)`` and can be the
    ``scoring`` of `GridSearchCV`, `cross_val_score` and their like, on their own or in a dict.
    Higher is better for every scorer.

    The order of the classes is that of ``estimator.classes_``. A number in `y` that the estimator
    never saw takes its place among the classes, so that its distance counts; a word that it
    never saw is refused. Mind that classifiers other than those of this package sort words by
    the alphabet: give them their order in `classes`.

    Parameters
    ----------
    name : str
        One of `get_scorer_names`.
    classes : array-like of shape (n_classes,), default=None
        All classes, lowest first. None takes those of the estimator.

    Returns
    -------
    scorer : callable
        It can be cloned and pickled.

    Raises
    ------
    ValueError
        For an unknown name.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from csvor.metrics import get_scorer
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "mid", "high"]
    >>> scorer = get_scorer("neg_mean_absolute_error", classes=["low", "mid", "high"])
    >>> scorer(LogisticRegression(C=100).fit(X, y), X, y)
    0.0
    """
    if name not in _MEASURES:
        raise ValueError(f"There is no scorer {name!r}; the names are {', '.join(_MEASURES)}.")
    return OrdinalScorer(name, classes)


class OrdinalScorer(BaseEstimator):
    """A measure of ordered labels that takes the class order from the estimator.

    It is a `BaseEstimator` for what that brings: cloning, a readable repr, and requests for
    sample weights (``set_score_request``) under scikit-learn's metadata routing.

    Parameters
    ----------
    name : str
        One of `get_scorer_names`.
    classes : array-like of shape (n_classes,), default=None
        All classes, lowest first. None takes those of the estimator.
    """

    __metadata_request__score = {"estimator": UNUSED}  # noqa: RUF012

    def __init__(self, name: str, classes: Any = None) -> None:
        self.name = name
        self.classes = classes

    # What displays and wrappers of scikit-learn ask of a scorer (N59).
    @property
    def __name__(self) -> str:
        return self.name

    @property
    def _sign(self) -> int:
        return _MEASURES[self.name][0]

    @property
    def _score_func(self) -> Callable[..., float]:
        return _MEASURES[self.name][1]

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> float:
        """See `score`."""
        return self.score(estimator, X, y, sample_weight)

    def score(
        self, estimator: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the measure of the estimator's predictions; higher is better."""
        refuse_other_order(X, y=y, sample_weight=sample_weight)
        coded = self._coded(estimator, y)
        value = self._score_func(coded, estimator.predict(X), sample_weight=sample_weight)
        return self._sign * value + 0.0  # no error is 0.0, not -0.0

    def _coded(self, estimator: Any, y: Any) -> CodedLabels:
        if self.classes is not None:
            return CodedLabels.from_data(y, self.classes)
        if not hasattr(estimator, "classes_"):
            raise ValueError(
                f"{type(estimator).__name__} has no classes_, so its class order is not known; "
                f"fit a classifier first, or give get_scorer({self.name!r}, classes=[...])."
            )
        fitted = OrdinalLabels(np.asarray(estimator.classes_), declared=True)
        column = read_column(y)
        declared = fitted.contradicted_by(column)
        if declared is not None:
            raise LabelError(
                f"{type(estimator).__name__} has the classes in the order "
                f"{fitted.classes.tolist()}, the labels are declared in the order {declared}",
                f"Say which holds: get_scorer({self.name!r}, classes=[...]).",
            )
        order = fitted.with_numbers_of(column)
        return CodedLabels(order, order.encode(column))

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer in a dict of several.
        return True
