"""What comes out of a fit, and which attributes does a model get from it?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._data.fit_data import FitData
from csvor._data.kernels import ATTRIBUTES
from csvor._estimators.probability import Calibration
from csvor._loss.pairs import spread_over_classes
from csvor._solvers.solution import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fitted:
    """The outcome of a fit, in the units of its matrix.

    ``kept`` are the rows that are not cut away; ``extra`` holds further fitted attributes;
    ``residuals`` are those of these rows where the fit has them at hand; ``warned`` says that
    the fit has spoken of classes without a place.
    """

    coef: Array
    thresholds: Array
    scores: Array
    kept: NDArray[np.bool_]
    solution: Solution
    extra: dict[str, Any] = field(default_factory=dict)
    residuals: Array | None = None
    warned: bool = False


def set_attributes(model: Any, fitted: Fitted, data: FitData) -> None:
    """Give a model what its fit to ``data`` says, in the units of X."""
    for name in (*ATTRIBUTES, "traffic_"):
        model.__dict__.pop(name, None)  # of a fit with another kernel, or on partitions
    coef, shift = data.matrix.in_given_units(fitted.coef)
    for name, value in {**data.features.attributes_of(coef), **fitted.extra}.items():
        setattr(model, name, value)
    thresholds = fitted.thresholds
    if not data.present.all():
        thresholds = spread_over_classes(thresholds, data.present, *_ends(fitted))
    model.classes_ = data.classes
    model.thresholds_ = thresholds + shift
    model._present = data.present
    if not model._is_fold_model:
        model._calibration = Calibration(
            fitted.scores, data.present_codes, data.weights, fitted.kept, data.present, shift
        )
    model.residuals_ = data.to_user(_residuals(model, fitted, data, shift))
    if data.traffic is not None:
        model.traffic_ = data.traffic
    solution = fitted.solution
    model.objective_ = solution.objective
    model.objective_history_ = np.array(solution.history)
    model.gap_ = solution.gap
    model.n_iter_ = solution.n_iter
    model.status_ = solution.status.value
    model.converged_ = solution.status.converged


def _residuals(model: Any, fitted: Fitted, data: FitData, shift: float) -> Any:
    """Those of all rows: also of rows that were left out, and by the thresholds of all classes."""
    of_counted = fitted.residuals if data.present.all() else None
    if of_counted is not None and not data.left_out:
        return of_counted
    model = model._without_rows()
    scores = data.scores_of_all(fitted.scores + shift, model._project)
    residuals = data.map_rows(model._residuals_of, scores, data.codes)
    if of_counted is not None and data.in_memory:
        # Without the rounding of a shift, which can take a row on the cap over it.
        residuals[data.counted] = of_counted
    return residuals


def _ends(fitted: Fitted) -> tuple[float, float]:
    """The lowest and the highest score of the rows that are kept, or of all."""
    scores, kept = fitted.scores, fitted.kept
    low, high = np.where(kept, scores, np.inf).min(), np.where(kept, scores, -np.inf).max()
    if not low <= high:
        low, high = scores.min(), scores.max()
    return float(low), float(high)
