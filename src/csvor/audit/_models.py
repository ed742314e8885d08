"""What do models say of rows that they have not seen: those of csvor, and those of any maker?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from csvor._data.checks import check_features
from csvor._estimators.steps import final_of, is_own, last_step, refuse_weights
from csvor._labels import CodedLabels, OrdinalLabels
from csvor._mixture.objective import rows_to_fit
from csvor._utils.cached import cached_property
from csvor.audit._claims import notes_on_claims
from csvor.audit._declared_order import notes_on_order
from csvor.audit._held_out import AuditData, HeldOut
from csvor.audit._in_memory import AuditDataInMemory
from csvor.audit._margins import readings_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reading:
    """What a model of the other rows says of each row, by one way to read its answers.

    Attributes
    ----------
    reading : {"probabilities", "expected class", "score"}
    margins : ndarray of shape (n, n_classes - 1)
    residuals : ndarray of shape (n,)
        From the code of the label given to the one expected.
    answers : ndarray of shape (n,) or (n, n_classes)
        What was read.
    shares_below : ndarray of shape (n_classes - 1,)
        The share of the rows below each threshold.
    """

    reading: str
    margins: Array
    residuals: Array
    answers: Array
    shares_below: Array

    @property
    def fit_margins(self) -> Array:
        """The margins that mixtures are fitted to."""
        return np.asarray(self.margins[rows_to_fit(len(self.margins))])

    @cached_property
    def scores(self) -> Array:
        """The mean of the margins of each row."""
        return np.asarray(self.margins.mean(axis=1))

    @property
    def thresholds(self) -> Array:
        """Those that cut `scores` into the shares of the classes."""
        return np.asarray(np.quantile(self.scores, self.shares_below))


class Models(ABC):
    """Models of one kind: how they are checked, held out and fitted."""

    name: ClassVar[str]

    def classes_of(self, estimator: Any) -> Any:
        """Those that it knows, in their order; or None."""
        return None

    def knowing(self, estimator: Any, classes: NDArray[Any]) -> Any:
        """A copy that knows all classes, so that a part without one keeps the order."""
        return clone(estimator)

    @abstractmethod
    def check(self, estimators: Sequence[Any], rows: AuditData) -> None:
        """Whether rows and estimators are fit for an audit."""

    @abstractmethod
    def held_out(
        self, estimators: Sequence[Any], rows: AuditData, report: Callable[[], None]
    ) -> list[list[HeldOut | Reading]]:
        """Of each estimator all readings of what models of the other parts say of each row."""

    @abstractmethod
    def fit(self, estimator: Any, rows: AuditData) -> Any:
        """The estimator, fitted to all rows."""

    def notes_on(
        self, held: Any, rows: AuditData, share: float, compared: AuditData, estimator: Any
    ) -> tuple[str, ...]:
        """What should be known of what the best one says, where that share of labels is wrong.

        `compared` are the rows, or a part of them, that an estimator takes like all others.
        """
        return ()


class OwnModels(Models):
    """Those of csvor, which have thresholds."""

    name = "csvor"

    def classes_of(self, estimator: Any) -> Any:
        return final_of(estimator).classes

    def knowing(self, estimator: Any, classes: NDArray[Any]) -> Any:
        estimator = clone(estimator)
        final_of(estimator).set_params(classes=classes)
        return estimator

    def check(self, estimators: Sequence[Any], rows: AuditData) -> None:
        rows.check(estimators)

    def held_out(
        self, estimators: Sequence[Any], rows: AuditData, report: Callable[[], None]
    ) -> list[list[HeldOut | Reading]]:
        return [[held] for held in rows.held_out(estimators, report)]

    def notes_on(
        self, held: Any, rows: AuditData, share: float, compared: AuditData, estimator: Any
    ) -> tuple[str, ...]:
        return notes_on_order(compared, estimator)

    def fit(self, estimator: Any, rows: AuditData) -> Any:
        return rows.fit(estimator)


def by_rows_given(error: ValueError, estimators: Sequence[Any], rows: AuditData) -> ValueError:
    """What is wrong with features by the rows of the user, not by those of a part."""
    try:
        for estimator in filter(is_own, estimators):
            if isinstance(rows, AuditDataInMemory):
                X = rows.encoded(estimator, rows.rank)[1]
                check_features(clone(final_of(estimator)), X, reset=True)
    except ValueError as named:
        return named
    return error


class AnyModels(Models):
    """Classifiers, fitted to labels, and regressors, fitted to their codes, on rows in memory.

    They are fitted one after the other: nothing is known of what threads do to them.
    """

    name = "estimator"

    def check(self, estimators: Sequence[Any], rows: AuditData) -> None:
        for estimator in estimators:
            _check_answers(estimator)
            if not isinstance(rows, AuditDataInMemory):
                raise TypeError(
                    f"X lies in partitions of dask, and {_named(estimator)} needs its rows in "
                    "memory: give them there, or its out-of-fold predictions to audit_scores."
                )
            if rows.labelling.weights is not None:
                _check_weights(estimator)

    def held_out(
        self, estimators: Sequence[Any], rows: Any, report: Callable[[], None]
    ) -> list[list[HeldOut | Reading]]:
        codes, weights = rows.labelling.codes, rows.labelling.weights
        below = np.cumsum(rows.coded.counts)[:-1] / codes.size
        held: list[list[HeldOut | Reading]] = []
        for estimator in estimators:
            answers = _answers(estimator, rows, report)
            expected = answers
            if answers.ndim == 2:
                expected = answers @ np.arange(rows.classes.size)
            residuals = np.abs(expected - codes)
            known = residuals, answers, below
            # Held-out answers that tell nothing often fall where the classes rise: no fault.
            margins = readings_of(answers, None, rows.classes, weights)
            held.append([Reading(name, its, *known) for name, its in margins.items()])
        return held

    def notes_on(
        self, held: Any, rows: AuditData, share: float, compared: AuditData, estimator: Any
    ) -> tuple[str, ...]:
        if held.answers.ndim == 1:
            return ()
        codes, weights = rows.labelling.codes, rows.labelling.weights
        return notes_on_claims(held.answers, codes, weights, share)

    def fit(self, estimator: Any, rows: Any) -> Any:
        return _fitted(estimator, rows.X, *rows.as_given)


def models_of(estimators: Sequence[Any]) -> Models:
    """How the estimators are dealt with, all of which are of one kind."""
    ours = [is_own(estimator) for estimator in estimators]
    if any(ours) and not all(ours):
        raise TypeError(
            "estimator has models of csvor and others: their fits differ, so audit them apart."
        )
    return OwnModels() if all(ours) else AnyModels()


def _answers(estimator: Any, rows: AuditDataInMemory, report: Callable[[], None]) -> Array:
    """Class probabilities, or predictions of a regressor, by models of the other parts."""
    several = () if is_regressor(estimator) else (rows.classes.size,)
    answers = np.empty((len(rows), *several))
    for train, test in rows.parts:
        X, X_test = (rows.features_of(estimator, part, train) for part in (train, test))
        weights = rows.labelling.take(train).weights
        model = _fitted(clone(estimator), X, rows.coded[train], weights)
        answers[test] = _answer(model, X_test, rows.labels)
        report()
    return np.asarray(rows.shared(answers))


def _answer(model: Any, X: Any, labels: OrdinalLabels) -> Array:
    """Of rows, columns in the order of all classes: of one that it has not seen, 0."""
    if is_regressor(model):
        return np.asarray(model.predict(X), dtype=np.float64).reshape(-1)
    seen = np.asarray(model.predict_proba(X), dtype=np.float64)
    probabilities = np.zeros((seen.shape[0], labels.classes.size))
    probabilities[:, labels.encode(model.classes_)] = seen
    return probabilities


def _fitted(model: Any, X: Any, coded: CodedLabels, weights: Array | None) -> Any:
    """A classifier to the user's labels, which its parameters may name; a regressor to codes."""
    y = coded.codes if is_regressor(model) else coded.decoded
    if weights is None:
        return model.fit(X, y)
    step = f"{model.steps[-1][0]}__" if isinstance(model, Pipeline) else ""
    return model.fit(X, y, **{f"{step}sample_weight": weights})


def _check_answers(estimator: Any) -> None:
    if isinstance(estimator, BaseEstimator) and is_regressor(estimator):
        return
    if isinstance(estimator, BaseEstimator) and is_classifier(estimator):
        if hasattr(estimator, "predict_proba"):
            return
        name = _named(estimator)
        raise TypeError(
            f"{name} gives no class probabilities (predict_proba): wrap it in scikit-learn's "
            f"CalibratedClassifierCV({name})."
        )
    raise TypeError(
        "estimator must be a classifier or regressor as scikit-learn has them, a Pipeline that "
        f"ends in one, or a list of such, got {estimator!r}."
    )


def _check_weights(estimator: Any) -> None:
    refuse_weights(estimator)
    if not has_fit_parameter(last_step(estimator), "sample_weight"):
        raise TypeError(
            f"{_named(estimator)} takes no sample_weight in its fit: give an estimator that does, "
            "or no weights."
        )


def _named(estimator: Any) -> str:
    return f"{type(last_step(estimator)).__name__}()"
