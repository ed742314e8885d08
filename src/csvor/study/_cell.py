"""What is the record of a cell, and how does a cell run beside others?"""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

from csvor._utils.compile import timing_compilation
from csvor._utils.threads import SharedContext, one_blas_thread, one_openmp_thread
from csvor.metrics import mean_absolute_error, mean_zero_one_error
from csvor.study._measures import Measure, in_one_line, measured
from csvor.study._methods import MethodRun
from csvor.study._select import select
from csvor.study._splits import PreparedSplit, StudyData, prepare_split, seed_of


@dataclass(frozen=True)
class Cell:
    """One cell, with the key of all that its record depends on, and a guess of its seconds."""

    dataset: str
    level: int
    split: int
    method: str
    key: str
    cost: float

    def __str__(self) -> str:
        return f"{self.method} on {self.dataset}, {self.level} %, split {self.split}"


def work_on(
    cell: Cell,
    data: StudyData,
    method_run: MethodRun,
    measures: Sequence[Measure] = (),
    *,
    n_folds: int,
    seed: int,
) -> dict[str, Any]:
    """The record of a cell. A failure is a record as well; only an interrupt ends the study.

    Its seconds are those of the work: what is compiled in the first cell is there for all others.
    """
    start = time.perf_counter()
    with timing_compilation() as seconds_compiling:
        try:
            with quiet():
                prepared = prepare_split(data, cell.level, cell.split, n_folds=n_folds, seed=seed)
                draw = seed_of("fit", seed, data.name, cell.level, cell.split)
                result = {"status": "ok", "error": ""}
                result |= _solve(prepared, method_run, measures, draw)
        except Exception as error:
            result = {
                "status": "failed",
                "error": in_one_line(error),
                "traceback": traceback.format_exc(),
            }
        seconds = time.perf_counter() - start - seconds_compiling()
    return {**result, "seconds": max(seconds, 0.0)}


def _solve(
    prepared: PreparedSplit, method_run: MethodRun, measures: Sequence[Measure], draw: int
) -> dict[str, Any]:
    classes = list(range(1, prepared.n_classes + 1))
    estimator = clone(method_run.estimator)
    parameters = estimator.get_params()
    fixed: dict[str, Any] = {}
    if "classes" in parameters:
        # A fold may lack a class; the scale of labels stays the same.
        fixed["classes"] = classes
    if "random_state" in parameters and parameters["random_state"] is None:
        fixed["random_state"] = draw
    estimator.set_params(**fixed)
    selection = select(replace(method_run, estimator=estimator), prepared.fold_rows())
    model = clone(estimator).set_params(**selection.chosen).fit(prepared.X, prepared.y)
    predicted = np.asarray(model.predict(prepared.X_test), dtype=np.int64)
    result: dict[str, Any] = {
        "mze": mean_zero_one_error(prepared.y_test, predicted),
        "mae": mean_absolute_error(prepared.y_test, predicted, classes=classes),
        "chosen": selection.chosen,
        "cv_errors": selection.errors.tolist(),
        "corrupted": np.flatnonzero(prepared.corrupted).tolist(),
        "converged": _converged(model),
        **measured(measures, model, prepared, predicted),
    }
    if method_run.finds_outliers:
        flagged = np.asarray(model.outliers_, dtype=bool)
        result["flagged"] = np.flatnonzero(flagged).tolist()
        result |= _judge(prepared.corrupted, flagged, np.asarray(model.residuals_))
    return result


def _converged(model: Any) -> bool | None:
    converged = getattr(model, "converged_", None)
    return None if converged is None else bool(converged)


def _judge(corrupted: Any, flagged: Any, residuals: Any) -> dict[str, float | None]:
    """Precision, recall and AUC of the flags; None where there is nothing to count."""
    hits, n_flagged, n_corrupted = (
        int(np.sum(rows)) for rows in (corrupted & flagged, flagged, corrupted)
    )
    both = 0 < n_corrupted < corrupted.size
    return {
        "precision": hits / n_flagged if n_flagged and n_corrupted else None,
        "recall": hits / n_corrupted if n_corrupted else None,
        "auc": float(roc_auc_score(corrupted, residuals)) if both else None,
    }


@contextmanager
def _no_warnings_here() -> Iterator[None]:
    # The record says whether the fit has converged; a class with few rows is missing from some
    # folds, which the methods know (`classes=`) or do not mind.
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, UserWarning, RuntimeWarning):
            warnings.simplefilter("ignore", category)
        yield


# Cells may share a process (joblib's threading backend), which has one list of filters.
_no_warnings = SharedContext(_no_warnings_here)


@contextmanager
def quiet() -> Iterator[None]:
    """Set one thread for BLAS and OpenMP, and no warnings of fits."""
    with one_blas_thread, _no_warnings, one_openmp_thread():
        yield
