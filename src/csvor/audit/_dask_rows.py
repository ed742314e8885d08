"""How are rows in partitions held out, judged and fitted to?

What a model of our own does, goes over all of them. Steps before it, and the landmarks of a kernel,
are fitted to some rows here and applied to each partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any, Self

import dask.array as da
import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from csvor._data.dask_fit_data import PartitionedFitData
from csvor._data.dask_parts import features_of
from csvor._data.folds import splits_of
from csvor._labels import OrdinalLabels
from csvor._parts.engine import each, persist
from csvor._parts.graph import Parts, as_array, layer, shared
from csvor._parts.partitions import Partitions, gather, memory_limit
from csvor._utils.cached import cached_property
from csvor._utils.threads import side_by_side
from csvor.audit._dask_columns import Columns, counts_of, labelling_of, parts_of, places_of
from csvor.audit._dask_steps import check_steps, linear_of
from csvor.audit._held_out import AuditData, Judged, judge
from csvor.audit._in_memory import AuditDataInMemory

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PartitionedAuditData(AuditData):
    """Rows in partitions, of which few are ever in memory; `labelling` has dask arrays.

    Attributes
    ----------
    X : Partitions
    part_of : dask array of shape (n,)
        The number of the part that each row is held out in.
    counts_of_parts : ndarray of shape (n_parts, n_classes)
        The rows of each class in it.
    places : ndarray of shape (n,) or None
        Where each row is, first to last in an order that follows from what rows hold; None takes
        that of the data.
    """

    X: Partitions
    part_of: da.Array
    counts_of_parts: NDArray[np.int64]
    places: NDArray[np.signedinteger] | None

    @classmethod
    def of(
        cls,
        data: PartitionedFitData,
        columns: tuple[Any, ...],
        reference: Any,
        cv: Any,
        random_state: Any,
    ) -> Self:
        """From checked features and labels, and what else is known of the rows."""
        X, _, weights, confirmed, original, raters, groups = columns
        known_columns = Columns(features_of(X), data)
        labels = OrdinalLabels(data.classes, declared=True)
        known = weights, confirmed, original, raters
        labelling = labelling_of(data, known_columns, *known, reference)
        places = places_of(data, labelling.codes)
        part_of, n_parts, n_independent = parts_of(
            data, known_columns, labelling.codes, groups, cv, random_state, places
        )
        counts = counts_of(labelling, part_of, n_parts, labels)
        return cls(labels, labelling, data.X, part_of, counts, places, n_independent=n_independent)

    def at(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        return numbers if self.places is None else self.places[numbers].astype(np.intp)

    def in_order(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        if self.places is None:
            return np.unique(rows)
        return self.places[np.isin(self.places, rows)].astype(np.intp)

    @property
    def part_sizes(self) -> NDArray[np.integer]:
        return np.asarray(self.counts_of_parts.sum(axis=1))

    @cached_property
    def _fold_of_rows(self) -> da.Array:
        """`part_of`, a byte for each row, for the passes of fits: it lives as long as this does."""
        return persist(self.part_of)

    @property
    def most_in_memory(self) -> int:
        return max(memory_limit() // self.X.row_bytes, 1)

    def sample(self, size: int, estimator: Any) -> AuditDataInMemory:
        return super().sample(min(size, self.most_in_memory), estimator)

    def take(self, rows: NDArray[np.intp], estimator: Any = None) -> AuditDataInMemory:
        columns = [self.X.parts, *Parts.of_all(self.part_of)]
        X, part_of = gather(columns, self.X.sizes, rows, self.X.traffic)
        parts = splits_of(part_of, len(self.part_sizes))
        independent = self.independent_among(rows.size)
        return AuditDataInMemory(
            self.labels, self.labelling.take(rows), X, parts, *3 * (np.arange(rows.size),),
            n_independent=independent,
        )  # fmt: skip

    def check(self, estimators: Sequence[Any]) -> None:
        for estimator in estimators:
            check_steps(estimator)

    def judged(self, estimators: Sequence[Any], report: Callable[[], None]) -> list[Judged]:
        return [self._judged(estimator, report) for estimator in estimators]

    def _judged(self, estimator: Any, report: Callable[[], None]) -> Judged:
        models = []
        for k in range(len(self.part_sizes)):
            models.append(self._fitted(estimator, k))
            report()
        columns = Parts.of_all(self.part_of, self.labelling.codes)
        without_rows = [(steps, final._without_rows()) for steps, final in models]
        work = partial(_by_part, _judged, 2)
        judged = self.X.each(work, *columns, shared=(without_rows,), width=2)
        return judged, np.array([final.thresholds_ for _, final in models])

    def each_by_part(
        self, func: Callable[..., Any], fit: Callable[[int, Event], Iterator[Any]], width: int
    ) -> Any:
        models: list[Any] = [None] * len(self.part_sizes)

        def fit_all(k: int, stopped: Event) -> None:
            models[k] = list(fit(k, stopped))

        side_by_side(fit_all, range(len(models)))
        (part_of,) = Parts.of_all(self.part_of)
        values = self.X.each(partial(_by_part, func, width), part_of, shared=(models,), width=width)
        # Several passes ask for them.
        return persist(values) if values.nbytes <= memory_limit() else values

    def fit(self, model: Any) -> Any:
        steps, final = self._fitted(model)
        if steps is None:
            return final
        name = model.steps[-1][0] if isinstance(model, Pipeline) else "model"
        return Pipeline([*steps.steps, (name, final)])

    def _fitted(self, estimator: Any, k: int | None = None) -> tuple[Any, Any]:
        """The steps before the last and that one, fitted to all parts but one."""
        some, weights = self.some, self.labelling.weights
        train = slice(None) if k is None else some.parts[k][0]
        steps, final = linear_of(estimator, some.X[train], some.coded[train])
        if k is not None:
            final._is_fold_model = True
            others: Any = self._fold_of_rows != k
            weights = others.astype(float) if weights is None else weights * others
            if self.places is not None:
                # Where, among the rows that have weight, these are in the order of all.
                counted = np.asarray(weights > 0.0)
                final._places = (np.cumsum(counted) - 1)[self.places[counted[self.places]]]
        y = each(self.labels.decode, self.classes.dtype, self.labelling.codes)
        fitted = final.fit(self._through(steps, some.X[:1]), y, weights)
        final._places = None  # a number for each row
        return steps, fitted

    def _through(self, steps: Any, example: Any) -> da.Array:
        """The features as the last step sees them."""
        X = self.X
        if steps is None:
            return as_array(X.parts, X.sizes, X.dtype, (X.n_columns,))
        made = steps.transform(example)
        dtype, tail = made.dtype, made.shape[1:]
        columns = [X.parts, shared(steps, len(X.parts))]
        return as_array(layer(partial(_transformed, dtype, tail), columns), X.sizes, dtype, tail)


def _transformed(dtype: Any, tail: tuple[int, ...], X: Any, steps: Any) -> Any:
    return steps.transform(X) if X.shape[0] else np.empty((0, *tail), dtype)


def _judged(model: Any, X: Any, codes: Any) -> Array:
    steps, final = model
    return judge(final, X if steps is None else steps.transform(X), codes)


def _by_part(func: Any, width: int, X: Any, part_of: Any, *columns: Any) -> Array:
    """``func(model, X, *columns)`` of each row, by the last of the columns, the models of parts."""
    *columns_of_rows, models = columns
    values = np.empty((part_of.size, width))
    for k, model in enumerate(models):
        rows = np.flatnonzero(part_of == k)
        if rows.size:
            values[rows] = func(model, *(column[rows] for column in (X, *columns_of_rows)))
    return values
