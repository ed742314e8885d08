"""Which steps, fitted to some rows, make a model linear in what they give?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import Pipeline

from csvor._data.kernels import KERNELS, gamma_of
from csvor._estimators.steps import final_of
from csvor._labels import CodedLabels
from csvor.audit._held_out import split_pipeline


def linear_of(estimator: Any, X: Any, coded: CodedLabels) -> tuple[Pipeline | None, Any]:
    """Steps fitted to some rows, and a linear model to be fitted to what they make of all."""
    before, model = split_pipeline(estimator)
    steps = []
    if before is not None:
        fitted = clone(before)
        X = fitted.fit_transform(X, coded.decoded)
        steps = list(fitted.steps)
    final = clone(final_of(model))
    if final.kernel != "linear":
        landmarks = _landmarks(final, X)
        steps.append(("landmarks", landmarks.fit(X)))
        final.set_params(kernel="linear")
    return (Pipeline(steps) if steps else None), final


def check_steps(estimator: Any) -> None:
    """Refuse what needs all rows at once."""
    model = split_pipeline(estimator)[1]
    if isinstance(model, Pipeline) and type(model) is not Pipeline:
        raise TypeError(
            f"A {type(model).__name__} may drop or repeat rows, which lie in partitions of dask: "
            "give a Pipeline of scikit-learn, or rows in memory."
        )
    final = final_of(model)
    if final.kernel == "linear":
        return
    if final.kernel not in KERNELS or final.kernel == "precomputed":
        raise ValueError(
            f"kernel={final.kernel!r} needs all rows at once, and X lies in partitions of dask: "
            "give kernel='rbf' (or 'poly', 'sigmoid', 'cosine') with n_components, or rows in "
            "memory."
        )
    if final.n_components is None:
        raise ValueError(
            f"kernel={final.kernel!r} without n_components needs all rows at once, and X lies in "
            "partitions of dask: give n_components=150 or so, or rows in memory."
        )


def _landmarks(model: Any, X: Any) -> Nystroem:
    """The map of its kernel on landmarks, drawn from the rows given."""
    n = X.shape[0]
    return Nystroem(
        model.kernel,
        gamma=gamma_of(model.gamma, X, np.ones(n)) if model.kernel != "cosine" else None,
        coef0=model.coef0 if model.kernel in ("poly", "sigmoid") else None,
        degree=model.degree if model.kernel == "poly" else None,
        n_components=min(model.n_components, n),
        random_state=model.random_state,
    )
