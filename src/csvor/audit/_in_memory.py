"""How are rows in memory held out, judged and fitted to?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from csvor._data.content import rows_in_order
from csvor._data.folds import Parts, Rows
from csvor._data.prepare import prepare_fit
from csvor._estimators.capped import CSVOR
from csvor._estimators.steps import at_final, final_of, fit_coded
from csvor._labels import CodedLabels
from csvor._utils.cached import cached_property
from csvor._utils.sklearn_private import safe_split
from csvor._utils.threads import side_by_side
from csvor._utils.words import plural
from csvor.audit._findings import findings_in_partitions, put_back
from csvor.audit._held_out import AuditData, Judged, judge, split_pipeline


@dataclass(frozen=True, eq=False)
class AuditDataInMemory(AuditData):
    """Rows in memory, in an order that follows from what they hold; X stays as it is.

    Attributes
    ----------
    X : array-like or dataframe of n rows
        As the user has them.
    parts : list of (train, test)
        Each row is among the test rows of one.
    places : ndarray of shape (n,)
        Where each row is in X.
    rank : ndarray of shape (n,)
        Which row each one of X is.
    alike : ndarray of shape (n,)
        Numbers of the rows, one for those of which nothing is known that tells them apart.
    chunks : tuple of int, optional
        Rows of the partitions in which results of rows are to lie.
    """

    X: Any
    parts: Parts
    places: Rows
    rank: Rows
    alike: Rows
    chunks: tuple[int, ...] | None = None

    def features_of(self, estimator: Any, rows: Rows, others: Rows | None = None) -> Any:
        """Some rows of X as an estimator takes them, of a precomputed kernel with some others."""
        places = self.places[rows], None if others is None else self.places[others]
        return safe_split(estimator, self.X, None, *places)[0]

    def shared(self, values: NDArray[Any]) -> Any:
        """The mean of those of rows that are alike: which is held out with which is chance."""
        sizes = np.bincount(self.alike)
        if sizes.max() == 1:
            return values
        columns = values.reshape(len(self), -1).T
        means = [(np.bincount(self.alike, column) / sizes)[self.alike] for column in columns]
        return np.column_stack(means).reshape(values.shape)

    @cached_property
    def coded(self) -> CodedLabels:
        """The labels as a fit takes them."""
        return CodedLabels(self.labels, self.labelling.codes)

    @property
    def part_sizes(self) -> NDArray[np.integer]:
        return np.array([test.size for _, test in self.parts])

    def sample(self, size: int, estimator: Any) -> AuditDataInMemory:
        return self if len(self) <= size else super().sample(size, estimator)

    def judged(self, estimators: Sequence[Any], report: Callable[[], None]) -> list[Judged]:
        codes = self.labelling.codes
        thresholds = np.empty((len(estimators), len(self.parts), self.classes.size - 1))
        judged = [np.empty((len(self), 2)) for _ in estimators]
        models = [split_pipeline(estimator)[1] for estimator in estimators]
        one_at_a_time = Lock()

        def judge_part(k: int, stopped: Event) -> None:
            train, test = self.parts[k]
            X, X_test = self.divided(estimators[0], train, test)
            labels, weights = self.coded[train], self.labelling.take(train).weights
            for i, model in enumerate(models):
                if stopped.is_set():
                    return
                fitted = clone(model)
                final = final_of(fitted)
                final._is_fold_model = True
                fit_coded(fitted, X, labels, weights)
                judged[i][test] = judge(final, at_final(fitted, X_test), codes[test])
                thresholds[i, k] = final.thresholds_
                with one_at_a_time:
                    report()

        # A single model may be of any kind and size; it has the threads for itself.
        side_by_side(judge_part, range(len(self.parts)), most=1 if len(models) == 1 else None)
        return list(zip(map(self.shared, judged), thresholds, strict=True))

    def each_by_part(
        self, func: Callable[..., Any], fit: Callable[[int, Event], Iterator[Any]], width: int
    ) -> Any:
        values = np.empty((len(self), width))

        def answer(k: int, stopped: Event) -> None:
            test = self.parts[k][1]
            values[test] = func(fit(k, stopped), self.features_of(CSVOR(), test))

        side_by_side(answer, range(len(self.parts)))
        return self.shared(values)

    def encoded(self, estimator: Any, train: NDArray[np.intp]) -> tuple[Any, Any]:
        """The steps before a model, fitted to some rows, and these as the model sees them."""
        X = self.features_of(estimator, train)  # of a precomputed kernel, columns too
        before = split_pipeline(estimator)[0]
        if before is None:
            return None, X
        steps = clone(before)
        return steps, steps.fit_transform(X, self.coded[train].decoded)

    def divided(
        self, estimator: Any, train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> tuple[Any, Any]:
        """Rows to fit to, and others, as a model sees them behind steps that know the former."""
        steps, X = self.encoded(estimator, train)
        X_test = self.features_of(estimator, test, train)
        return X, (X_test if steps is None else steps.transform(X_test))

    def take(self, rows: NDArray[np.intp], estimator: Any) -> AuditDataInMemory:
        if rows.size == len(self):
            return self
        X = self.features_of(estimator, rows, rows)
        place = np.full(len(self), -1)
        place[rows] = np.arange(rows.size)
        parts: Any = [tuple(place[part][place[part] >= 0] for part in both) for both in self.parts]
        independent = self.independent_among(rows.size)
        return AuditDataInMemory(
            self.labels, self.labelling.take(rows), X, parts, *2 * (np.arange(rows.size),),
            np.unique(self.alike[rows], return_inverse=True)[1], n_independent=independent,
        )  # fmt: skip

    def check(self, estimators: Sequence[Any]) -> None:
        if not estimators and self.chunks is None:  # rows of partitions were checked there
            # What it refuses or warns of would come from each fit, of features already scaled.
            prepare_fit(CSVOR(), self.X, *self.as_given)

    def notes_on_copies(self) -> tuple[str, ...]:
        """A note where rows come again, and no groups keep them together (N85)."""
        later = pd.Series(self.alike[self.rank]).duplicated().to_numpy()
        if self.n_independent is not None or not later.any():
            return ()
        order, kinds = rows_in_order(self.X)
        labelled = np.unique([kinds, self.as_given[0].codes[order]], axis=1)[0]
        # Where the same features have other labels, rows of few values meet by chance.
        if later.sum() <= (np.bincount(labelled) > 1)[kinds].sum():
            return ()
        n = plural(int(later.sum()), "row")
        return (
            f"{n} with the features and the label of an earlier row (the first is row "
            f"{np.argmax(later)}, counted from 0): a copy is judged by a model fitted to the "
            "other. Enter each record once, or keep copies together by groups=.",
        )

    def features(self, compared: AuditDataInMemory) -> Any:
        return self.X

    def fit(self, model: Any) -> Any:
        return fit_coded(model, self.X, *self.as_given)

    @property
    def as_given(self) -> tuple[CodedLabels, Any]:
        """Labels and weights beside X."""
        return self.coded[self.rank], self.labelling.take(self.rank).weights

    def to_user(self, entries: dict[str, Any]) -> dict[str, Any]:
        entries = put_back(entries, self.places, self.rank)
        return entries if self.chunks is None else findings_in_partitions(entries, self.chunks)
