"""How are rows in memory held out, judged and fitted to?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from csvor._data.folds import Parts
from csvor._data.prepare import prepare_fit
from csvor._estimators.capped import CSVOR
from csvor._estimators.steps import at_final, final_of, fit_coded
from csvor._labels import CodedLabels
from csvor._utils.cached import cached_property
from csvor._utils.sklearn_private import safe_split
from csvor._utils.threads import side_by_side
from csvor.audit._findings import findings_in_partitions
from csvor.audit._held_out import AuditData, Judged, judge, split_pipeline


@dataclass(frozen=True, eq=False)
class AuditDataInMemory(AuditData):
    """Rows in memory.

    Attributes
    ----------
    X : array-like or dataframe of n rows
    parts : list of (train, test)
        Each row is among the test rows of one.
    chunks : tuple of int, optional
        Rows of the partitions in which results of rows are to lie.
    """

    X: Any
    parts: Parts
    chunks: tuple[int, ...] | None = None

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
        return list(zip(judged, thresholds, strict=True))

    def each_by_part(
        self, func: Callable[..., Any], fit: Callable[[int, Event], Iterator[Any]], width: int
    ) -> Any:
        values = np.empty((len(self), width))

        def answer(k: int, stopped: Event) -> None:
            test = self.parts[k][1]
            values[test] = func(fit(k, stopped), safe_split(CSVOR(), self.X, None, test, test)[0])

        side_by_side(answer, range(len(self.parts)))
        return values

    def encoded(self, estimator: Any, train: NDArray[np.intp]) -> tuple[Any, Any]:
        """The steps before a model, fitted to some rows, and these as the model sees them."""
        X = safe_split(estimator, self.X, None, train)[0]  # of a precomputed kernel, columns too
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
        X_test = safe_split(estimator, self.X, None, test, train)[0]
        return X, (X_test if steps is None else steps.transform(X_test))

    def take(self, rows: NDArray[np.intp], estimator: Any) -> AuditDataInMemory:
        if rows.size == len(self):
            return self
        X = safe_split(estimator, self.X, None, rows, rows)[0]
        place = np.full(len(self), -1)
        place[rows] = np.arange(rows.size)
        parts: Any = [tuple(place[part][place[part] >= 0] for part in both) for both in self.parts]
        independent = self.independent_among(rows.size)
        return AuditDataInMemory(
            self.labels, self.labelling.take(rows), X, parts, n_independent=independent
        )

    def check(self, estimators: Sequence[Any]) -> None:
        if not estimators and self.chunks is None:  # rows of partitions were checked there
            # What it refuses or warns of would come from each fit, of features already scaled.
            prepare_fit(CSVOR(), self.X, self.coded, self.labelling.weights)

    def features(self, compared: AuditDataInMemory) -> Any:
        return self.X

    def fit(self, model: Any) -> Any:
        return fit_coded(model, self.X, self.coded, self.labelling.weights)

    def to_user(self, entries: dict[str, Any]) -> dict[str, Any]:
        return entries if self.chunks is None else findings_in_partitions(entries, self.chunks)
