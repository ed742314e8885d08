"""A pipeline that ends in an estimator of ours, fitted and applied step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from csvor._estimators.base import ThresholdClassifier
from csvor._labels import CodedLabels

Weights = NDArray[np.float64]


def last_step(estimator: Any) -> Any:
    """The estimator itself, or the last step of a pipeline."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def is_own(estimator: Any) -> bool:
    """Whether it is of csvor, or a pipeline that ends in such."""
    return isinstance(last_step(estimator), ThresholdClassifier)


def final_of(estimator: Any) -> ThresholdClassifier:
    """The last step; refused if it is not of ours."""
    final = last_step(estimator)
    if not isinstance(final, ThresholdClassifier):
        raise TypeError(
            f"estimator must be a csvor estimator or a Pipeline that ends in one, got {final!r}."
        )
    return final


def fit_coded(model: Any, X: Any, coded: CodedLabels, weights: Weights | None = None) -> Any:
    """Fit a model to labels that have been read; the steps before the last see them decoded."""
    if isinstance(model, Pipeline):
        if type(model) is not Pipeline:
            if weights is not None:
                refuse_weights(model)
            return model.fit(X, coded.decoded)
        if len(model) > 1:
            before = model[:-1]
            X = before.fit_transform(X, coded.decoded)
            model.steps[:-1] = before.steps
    final_of(model).fit(X, coded, sample_weight=weights)
    return model


def refuse_weights(model: Any) -> None:
    """Where a pipeline may drop or repeat rows on their way."""
    if isinstance(model, Pipeline) and type(model) is not Pipeline:
        raise TypeError(
            f"sample_weight does not pass through a {type(model).__name__}, which may drop "
            "or repeat rows: give a Pipeline of scikit-learn, or no weights."
        )


def at_final(model: Any, X: Any) -> Any:
    """X as the last step of a fitted model sees it."""
    return model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X
