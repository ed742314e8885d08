"""What do models say of rows that they have not seen?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from csvor._data.folds import Parts
from csvor._data.prepare import prepare_fit
from csvor._estimators.capped import CSVOR
from csvor._estimators.steps import at_final, final_of, fit_coded
from csvor._labels import CodedLabels
from csvor._parts.engine import rows_where, take
from csvor._utils.sampling import random_rows
from csvor._utils.sklearn_private import safe_split
from csvor._utils.threads import side_by_side
from csvor.audit._findings import Labelling, findings_in_partitions

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# So many rows of each class are in a sample, if there are.
_OF_A_CLASS = 50


@dataclass(frozen=True, eq=False)
class AuditData:
    """What is audited.

    Attributes
    ----------
    X : array-like or dataframe of n rows
    coded : CodedLabels of n rows
    labelling : Labelling of n rows
    parts : list of (train, test)
        Each row is among the test rows of one.
    chunks : tuple of int, optional
        Rows of the partitions in which results of rows are to lie.
    """

    X: Any
    coded: CodedLabels
    labelling: Labelling
    parts: Parts
    chunks: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.coded)

    @property
    def classes(self) -> NDArray[Any]:
        """The labels in their order."""
        return self.coded.labels.classes

    @property
    def fit_labels(self) -> Labelling:
        """The labels beside `HeldOut.fit_margins`."""
        return self.labelling

    def check(self, estimators: Sequence[Any]) -> None:
        """Whether the rows, or the estimators if there are any, are fit for an audit."""
        if not estimators and self.chunks is None:  # rows of partitions were checked there
            # What it refuses or warns of would come from each fit, of features already scaled.
            prepare_fit(CSVOR(), self.X, self.coded, self.labelling.weights)

    def shown(self, compared: Self) -> Any:
        """The features by which candidates are made."""
        return self.X

    def held_out(self, estimators: Sequence[Any], report: Callable[..., None]) -> list[HeldOut]:
        """What models of the other parts say of each."""
        return held_out(estimators, self, report)

    def fit(self, model: Any) -> Any:
        """The model, fitted to all rows."""
        return fit_coded(model, self.X, self.coded, self.labelling.weights)

    def to_user(self, entries: dict[str, Any]) -> dict[str, Any]:
        """Findings as the user gets them."""
        return entries if self.chunks is None else findings_in_partitions(entries, self.chunks)

    def sample(self, size: int, estimator: Any) -> AuditData:
        """A random part of the rows, held out as they are here; all rows if there are no more."""
        n = len(self)
        if n <= size:
            return self
        rows = rows_of_each_class(self.coded.codes, self.classes.size, size)
        X = safe_split(estimator, self.X, None, rows, rows)[0]
        size = rows.size
        place = np.full(n, -1)
        place[rows] = np.arange(size)
        parts = [tuple(place[part][place[part] >= 0] for part in split) for split in self.parts]
        return AuditData(
            X,
            self.coded[rows],
            self.labelling.take(rows),
            [(train, test) for train, test in parts if test.size],
        )


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What a model of the other rows says of each row.

    Attributes
    ----------
    margins : ndarray of shape (n, n_classes - 1)
        Score less thresholds.
    residuals : ndarray of shape (n,)
        ``r^p`` for the label given.
    """

    margins: Array
    residuals: Array

    @property
    def fit_margins(self) -> Array:
        """The margins that mixtures are fitted to."""
        return self.margins

    @property
    def scores(self) -> Array:
        """The scores, less the mean of the thresholds of the model that gave them."""
        return self.margins.mean(axis=1)

    @property
    def thresholds(self) -> Array:
        """The thresholds on the scale of `scores`, in the mean over the models."""
        return (self.scores[:, None] - self.margins).mean(axis=0)


def held_out(
    estimators: Sequence[Any], rows: AuditData, report: Callable[[], None]
) -> list[HeldOut]:
    """Fit the estimators to all parts but one, and judge that one.

    Parameters
    ----------
    estimators : sequence of estimators
        They know all classes, and share all steps but the last.
    rows : AuditData
    report : callable
        Called after each fit, from any thread, never from two at once.
    """
    shape = len(rows), rows.coded.labels.classes.size - 1
    found = [HeldOut(np.empty(shape), np.empty(len(rows))) for _ in estimators]
    before = split_pipeline(estimators[0])[0]
    models = [split_pipeline(estimator)[1] for estimator in estimators]
    one_at_a_time = Lock()

    def judge(part: tuple[Any, Any], stopped: Event) -> None:
        train, test = part
        X, X_test = _encoded(before, models[0], rows, train, test)
        labels = rows.coded[train]
        weights = rows.labelling.take(train).weights
        for one, model in zip(found, models, strict=True):
            if stopped.is_set():
                return
            fitted = clone(model)
            final = final_of(fitted)
            final._is_fold_model = True
            fit_coded(fitted, X, labels, weights)
            codes = rows.coded.codes[test]
            one.margins[test], one.residuals[test] = judged(final, at_final(fitted, X_test), codes)
            with one_at_a_time:
                report()

    # A single model may be of any kind and size; it has the threads for itself.
    side_by_side(judge, rows.parts, most=1 if len(models) == 1 else None)
    return found


def judged(model: Any, X: Any, codes: NDArray[np.integer]) -> tuple[Array, Array]:
    """Margins and residuals of rows by a fitted estimator."""
    scores = model.predict_projection(X)
    return scores[:, None] - model.thresholds_, model._residuals_of(scores, codes)


def _encoded(before: Any, model: Any, rows: AuditData, train: Any, test: Any) -> tuple[Any, Any]:
    """The training and test rows of a part as the models see them."""
    # A precomputed kernel is cut by rows and columns: which it is, the first step says.
    first = model if before is None else before
    X = safe_split(first, rows.X, None, train)[0]
    X_test = safe_split(first, rows.X, None, test, train)[0]
    if before is None:
        return X, X_test
    steps = clone(before)
    return steps.fit_transform(X, rows.coded[train].decoded), steps.transform(X_test)


def rows_of_each_class(codes: Any, n_classes: int, size: int) -> NDArray[np.intp]:
    """So many rows at random, and at least `_OF_A_CLASS` of each class that has them, sorted."""
    drawn, rng = random_rows(codes.size, size), np.random.default_rng(0)
    counts = np.bincount(take(drawn, codes)[0], minlength=n_classes)
    rare = [rows_where(codes == k) for k in np.flatnonzero(counts < _OF_A_CLASS).tolist()]
    added = [rng.permutation(rows)[:_OF_A_CLASS] for rows in rare]
    return np.unique(np.concatenate([drawn, *added]))


def some_rows(X: Any, size: int, estimator: Any) -> tuple[Any, NDArray[np.intp]]:
    """That many rows at random, as the estimator takes them, and their positions; or all."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if n <= size:
        return X, np.arange(n)
    rows = np.sort(random_rows(n, size))
    return safe_split(estimator, X, None, rows, rows)[0], rows


def split_pipeline(estimator: Any) -> tuple[Any, Any]:
    """The steps that can be shared with other models, or None, and the rest."""
    if type(estimator) is Pipeline and len(estimator) > 1:
        return estimator[:-1], estimator[-1]
    return None, estimator
