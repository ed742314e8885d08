"""Rank the rows of a data set by how little their label fits the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length

from csvor._data.folds import stratified_folds
from csvor._data.tables import masked_as_nan
from csvor._estimators.base import ThresholdClassifier
from csvor._estimators.steps import at_final, final_of, fit_coded
from csvor._labels import CodedLabels
from csvor._utils.sklearn_private import safe_split


@dataclass(frozen=True, eq=False)
class LabelAudit:
    """What `audit_labels` found, one entry per row in the order of the data.

    Attributes
    ----------
    residual : ndarray of shape (n_samples,)
        ``r^p`` under a model that did not train on the row.
    suggested : ndarray of shape (n_samples,)
        The label that this model predicts.
    direction : ndarray of shape (n_samples,)
        "too high" where the given label lies above what the model allows, "too low" where
        below, "" for rows without a residual.
    flagged : ndarray of shape (n_samples,)
        True for rows that the model of all rows cuts away (its ``outliers_``); nowhere for
        estimators without a cap, which cut nothing away.
    order : ndarray of shape (n_samples,)
        Row positions, most suspect first.
    model : estimator
        The estimator fitted on all rows.
    """

    residual: NDArray[np.float64]
    suggested: NDArray[Any]
    direction: NDArray[np.str_]
    flagged: NDArray[np.bool_]
    order: NDArray[np.intp]
    model: Any


def audit_labels(
    estimator: ThresholdClassifier | Pipeline,
    X: Any,
    y: ArrayLike,
    *,
    cv: int = 5,
    random_state: int | np.random.RandomState | None = 0,
    progress: Callable[[int, int], None] | None = None,
) -> LabelAudit:
    """Rank rows by the residual ``r^p`` of cross-fitted models, worst first.

    The rows are split into ``cv`` parts of like class shares; each row is judged by the model
    of the other parts, so that a flexible model cannot hide a bad row by fitting it. Rows
    without a slack follow by how little margin they have left.

    Parameters
    ----------
    estimator : CSVOR, SVOREX, SVORIM, REDSVM, PINSVOR or Pipeline
        Not fitted and not changed; a pipeline must end in one of them.
    X : array-like or dataframe of shape (n_samples, n_features)
        What the estimator takes.
    y : array-like of shape (n_samples,)
        Labels; their order is settled once, on all rows.
    cv : int, default=5
        Number of parts, at least 2.
    random_state : int, RandomState instance or None, default=0
        Decides the split.
    progress : callable, default=None
        Called as ``progress(done, total)`` after each of the ``cv + 1`` fits.

    Returns
    -------
    audit : LabelAudit

    Raises
    ------
    ValueError
        For labels without an order, a ``cv`` below 2 or above the number of rows, and whatever
        the estimator refuses.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import CSVOR, audit_labels
    >>> X = np.arange(30.0)[:, None]
    >>> y = np.repeat([1, 2, 3], 10)
    >>> y[4] = 3
    >>> audit = audit_labels(CSVOR(), X, y)
    >>> int(audit.order[0]), int(audit.suggested[4]), str(audit.direction[4])
    (4, 1, 'too high')
    """
    coded = CodedLabels.from_data(y, final_of(estimator).classes)
    labels, codes = coded.labels, coded.codes
    X = masked_as_nan(X)
    check_consistent_length(X, codes)
    if not 2 <= cv <= codes.size:
        raise ValueError(f"cv={cv} must lie between 2 and the number of rows, {codes.size}.")
    estimator = _with_classes(estimator, labels.classes)

    parts = list(stratified_folds(codes, cv, random_state))
    if any(np.unique(codes[train]).size < 2 for train, _ in parts):
        counts = coded.counts
        raise ValueError(
            "Each row is judged by a model of other rows, and without some of them a single class "
            f"is left: the classes {labels.classes.tolist()} have {counts.tolist()} rows. "
            "At least two classes need two rows or more."
        )

    misfit = np.empty((3, codes.size))
    suggested = np.empty_like(codes)
    for done, (train, test) in enumerate(parts, start=1):
        model = clone(estimator)
        final = final_of(model)
        final._speaks_of_empty_classes = False  # left to the fit on all rows
        fit_coded(model, safe_split(estimator, X, None, train)[0], coded[train])
        held_out = safe_split(estimator, X, None, test, train)[0]
        scores = final.predict_projection(at_final(model, held_out))
        misfit[:, test] = final._misfit(scores, codes[test])
        suggested[test] = final._codes_at(scores)
        if progress is not None:
            progress(done, cv + 1)
    model = fit_coded(clone(estimator), X, coded)
    if progress is not None:
        progress(cv + 1, cv + 1)

    residual, excess, lean = misfit
    direction = np.array(["too low", "", "too high"])[np.sign(lean).astype(int) + 1]
    order = np.lexsort((-excess, -residual))
    flagged = final_of(model).outliers_
    return LabelAudit(residual, labels.decode(suggested), direction, flagged, order, model)


def _with_classes(estimator: Any, classes: NDArray[Any]) -> Any:
    """A copy that knows all classes, so that a part without one keeps the order."""
    estimator = clone(estimator)
    final_of(estimator).set_params(classes=classes)
    return estimator
