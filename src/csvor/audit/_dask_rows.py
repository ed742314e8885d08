"""How are rows in partitions held out, judged and fitted to?

What a model of our own does, goes over all of them. Steps before it, and the landmarks of a kernel,
are fitted to some rows here and applied to each partition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import dask.array as da
import numpy as np
from dask.base import compute
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from csvor._data.dask_fit_data import PartitionedFitData
from csvor._data.dask_parts import features_of
from csvor._data.folds import splits_of
from csvor._labels import CodedLabels, OrdinalLabels
from csvor._mixture.mixture import rows_to_fit
from csvor._parts.engine import each, persist
from csvor._parts.graph import Parts, as_array, layer, shared
from csvor._parts.partitions import Partitions, gather, memory_limit
from csvor.audit._dask_columns import Columns, counts_of, labelling_of, parts_of
from csvor.audit._dask_steps import check_steps, linear_of
from csvor.audit._findings import Labelling
from csvor.audit._held_out import AuditData, HeldOut, judged, rows_of_each_class

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeldOutElsewhere(HeldOut):
    """Margins and residuals in partitions; thresholds and margins to fit mixtures to are here."""

    margins_to_fit: Array = field(default_factory=lambda: np.empty(0))
    mean_thresholds: Array = field(default_factory=lambda: np.empty(0))

    @property
    def fit_margins(self) -> Array:
        return self.margins_to_fit

    @property
    def thresholds(self) -> Array:
        return self.mean_thresholds


@dataclass(frozen=True, eq=False)
class PartitionedAuditData:
    """What is audited, in partitions: `AuditData` of which few rows are ever here.

    Attributes
    ----------
    X : Partitions
    labels : OrdinalLabels
    labelling : Labelling of dask arrays
    part_of : dask array of shape (n,)
        The number of the part that each row is held out in.
    counts_of_parts : ndarray of shape (n_parts, n_classes)
        The rows of each class in it.
    """

    X: Partitions
    labels: OrdinalLabels
    labelling: Labelling
    part_of: da.Array
    counts_of_parts: NDArray[np.int64]

    @classmethod
    def of(
        cls, data: PartitionedFitData, columns: tuple[Any, ...], cv: Any, random_state: Any
    ) -> Self:
        """From checked features and labels, and what else is given of the rows."""
        X, _, *known, groups = columns
        known_columns = Columns(features_of(X), data)
        labels = OrdinalLabels(data.classes, declared=True)
        labelling = labelling_of(data, known_columns, *known)
        part_of, n_parts = parts_of(data, known_columns, labelling.codes, groups, cv, random_state)
        counts = counts_of(labelling, part_of, n_parts, labels)
        return cls(data.X, labels, labelling, part_of, counts)

    def __len__(self) -> int:
        return self.X.shape[0]

    @property
    def classes(self) -> NDArray[Any]:
        return self.labels.classes

    @property
    def parts(self) -> range:
        return range(len(self.counts_of_parts))

    @cached_property
    def _held(self) -> da.Array:
        """`part_of`, a byte for each row, for the passes of fits: it lives as long as this does."""
        return persist(self.part_of)

    @cached_property
    def fit_labels(self) -> Labelling:
        return self.labelling.take(rows_to_fit(len(self)))

    @cached_property
    def _some(self) -> AuditData:
        """Rows that steps are fitted to."""
        return self._brought(np.sort(rows_to_fit(len(self))[: self._most]))

    @property
    def _most(self) -> int:
        """So many rows may come here at once."""
        return max(memory_limit() // self.X.row_bytes, 1)

    def sample(self, size: int, estimator: Any) -> AuditData:
        """Some of the rows, in memory."""
        chosen = rows_of_each_class(self.labelling.codes, self.classes.size, min(size, self._most))
        rows = self._brought(chosen)
        return replace(rows, parts=[part for part in rows.parts if part[1].size])

    def _brought(self, rows: NDArray[np.intp]) -> AuditData:
        columns = [self.X.parts, *Parts.of_all(self.part_of)]
        X, part_of = gather(columns, self.X.sizes, rows, self.X.traffic)
        labelling = self.labelling.take(rows)
        parts = splits_of(part_of, len(self.parts))
        return AuditData(X, CodedLabels(self.labels, labelling.codes), labelling, parts)

    def check(self, estimators: Sequence[Any]) -> None:
        for estimator in estimators:
            check_steps(estimator)

    def shown(self, compared: AuditData) -> Any:
        return compared.X

    def held_out(self, estimators: Sequence[Any], report: Callable[..., None]) -> list[HeldOut]:
        return [self._held_out(estimator, report) for estimator in estimators]

    def _held_out(self, estimator: Any, report: Callable[..., None]) -> HeldOut:
        models = []
        for k in self.parts:
            models.append(self._fitted(estimator, k))
            report()
        width = self.classes.size
        columns = Parts.of_all(self.part_of, self.labelling.codes)
        travelling = [(steps, final._without_rows()) for steps, final in models]
        found = self.X.each(_judge, *columns, given=(travelling,), width=width)
        (to_fit,) = gather(
            Parts.of_all(found), self.X.sizes, rows_to_fit(len(self)), self.X.traffic
        )
        cuts = np.array([final.thresholds_ - final.thresholds_.mean() for _, final in models])
        rows = self.counts_of_parts.sum(axis=1)
        return HeldOutElsewhere(
            found[:, :-1], found[:, -1], to_fit[:, :-1], np.average(cuts, axis=0, weights=rows)
        )

    def fit(self, model: Any) -> Any:
        steps, final = self._fitted(model)
        if steps is None:
            return final
        name = model.steps[-1][0] if isinstance(model, Pipeline) else "model"
        return Pipeline([*steps.steps, (name, final)])

    def _fitted(self, estimator: Any, held: int | None = None) -> tuple[Any, Any]:
        """The steps before the last and that one, fitted to all parts but one."""
        some, weights = self._some, self.labelling.weights
        train = slice(None) if held is None else some.parts[held][0]
        steps, final = linear_of(estimator, some.X[train], some.coded[train])
        if held is not None:
            final._is_fold_model = True
            mine: Any = self._held != held
            weights = mine.astype(float) if weights is None else weights * mine
        y = each(self.labels.decode, self.classes.dtype, self.labelling.codes)
        return steps, final.fit(self._through(steps, some.X[:1]), y, weights)

    def _through(self, steps: Any, example: Any) -> da.Array:
        """The features as the last step sees them."""
        X = self.X
        if steps is None:
            return as_array(X.parts, X.sizes, X.dtype, (X.n_columns,))
        made = steps.transform(example)
        dtype, tail = made.dtype, made.shape[1:]
        columns = [X.parts, shared(steps, len(X.parts))]
        return as_array(layer(partial(_transformed, dtype, tail), columns), X.sizes, dtype, tail)

    def to_user(self, entries: dict[str, Any]) -> dict[str, Any]:
        return entries


def brought_here(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """All rows, in memory."""
    found: tuple[Any, ...] = compute(*columns)
    return found


def _transformed(dtype: Any, tail: tuple[int, ...], X: Any, steps: Any) -> Any:
    return steps.transform(X) if X.shape[0] else np.empty((0, *tail), dtype)


def _judge(X: Any, part_of: Any, codes: Any, models: Any) -> Array:
    """Margins, and in the last column residuals, by the model that has not seen the row."""
    found = np.empty((codes.size, models[0][1].classes_.size))
    for k, (steps, final) in enumerate(models):
        rows = np.flatnonzero(part_of == k)
        if rows.size:
            seen = X[rows] if steps is None else steps.transform(X[rows])
            found[rows, :-1], found[rows, -1] = judged(final, seen, codes[rows])
    return found
