"""What does a fit need of data in partitions?

Each is read where it lies. What comes here is the distinct labels and the spans of the columns; the
codes of the labels, a byte each, stay beside the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.base import compute
from numpy.typing import NDArray
from sklearn.base import clone

from csvor._data.checks import (
    Farthest,
    check_each_weight,
    check_features,
    check_ranges,
    class_factors,
    quartiles_of,
    read_numbers,
)
from csvor._data.dask_parts import (
    Features,
    beside,
    check_columns,
    check_lengths,
    features_of,
    known_type,
    naming_partition,
)
from csvor._data.kernels import LinearMap
from csvor._data.training import Training, classes_with_rows, training_of
from csvor._labels import OrdinalLabels, read_column
from csvor._labels.parts import PartOfColumn, united
from csvor._rows.csr import is_sparse
from csvor._rows.dask import DaskMatrix, RowsElsewhereError
from csvor._rows.kinds import canonical, columns_of
from csvor._rows.look import told_step
from csvor._rows.partitions import (
    Partitions,
    Parts,
    Traffic,
    as_array,
    computed,
    layer,
    picked,
    room,
)
from csvor._rows.spans import Spans, merged, spans_of

Array = NDArray[np.float64]

# Fewer rows are brought here whatever they take; of more columns sums have no room.
_FEW, _MOST_COLUMNS = 10_000, 2_000


@dataclass(frozen=True, eq=False)
class DaskTraining(Training):
    """Training data in partitions: codes and weights are arrays of dask's."""

    is_here = False
    known_mass: NDArray[Any] | None = None

    @property
    def mass(self) -> Any:
        assert self.known_mass is not None
        return self.known_mass[self.present]

    def scores_of_all(self, of_counted: da.Array, project: Any) -> Any:
        return self.X.each(project) if self.left_out else of_counted

    @property
    def traffic(self) -> dict[str, int]:
        return asdict(self.X.traffic)

    def of_rows(self, work: Any, *columns: da.Array) -> Any:
        return da.map_blocks(work, *columns, dtype=np.float64)

    def given_back(self, of_rows: da.Array) -> Any:
        return of_rows


@dataclass(frozen=True, eq=False)
class _Seen:
    """What is known of a part."""

    n_rows: int
    n_bytes: int = 0
    dtype: Any = None
    is_sparse: bool = False
    labels: PartOfColumn | None = None
    weight: float = 0.0
    counted: int = 0
    spans: Spans | None = None


def dask_training_of(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Training:
    """As `training_of`, of a dask array or dataframe."""
    features = features_of(X)
    check_columns(estimator, features, reset=True)
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )
    labels = beside(y, features, "y")
    weights = None if sample_weight is None else beside(sample_weight, features, "sample_weight")
    traffic = Traffic()
    seen = _examine(estimator, features, labels, weights, traffic)
    sizes = tuple(part.n_rows for part in seen)
    n_rows, n_bytes = sum(sizes), sum(part.n_bytes for part in seen)
    if n_rows == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={(0, features.n_columns)}).")
    found = None
    if n_rows >= _FEW and n_bytes > room():
        _refuse_what_needs_all_rows(estimator, features.n_columns, n_bytes)
        found = _training(estimator, features, labels, weights, seen, traffic)
    if found is None or found.seen_codes.size < _FEW:
        here = compute(X, y, sample_weight)
        return replace(training_of(estimator, *here), chunks=sizes)
    return found


def _refuse_what_needs_all_rows(estimator: Any, n_columns: int, n_bytes: int) -> None:
    remedy = None
    if estimator.kernel != "linear":
        remedy = (
            f"kernel={estimator.kernel!r}",
            "Use kernel='linear' on features that are made in each partition (for example by "
            "sklearn.kernel_approximation.Nystroem through map_blocks)",
        )
    elif getattr(estimator, "solver", "newton") == "alternating":
        remedy = "solver='alternating'", "Use solver='newton'"
    elif n_columns > _MOST_COLUMNS:
        remedy = (
            f"a fit of {n_columns} columns",
            f"Take at most {_MOST_COLUMNS} of them (or components of them)",
        )
    if remedy is not None:
        raise RowsElsewhereError(
            f"{remedy[0]} needs all rows at once, and X lies in partitions. {remedy[1]}, or let "
            f"all rows come to this process: dask.config.set({{'csvor.room': {n_bytes}}})."
        )


def _examine(
    estimator: Any, features: Features, labels: Parts, weights: Parts | None, traffic: Traffic
) -> list[_Seen]:
    """One pass in which each part is checked."""
    columns = [features.parts, labels, *([] if weights is None else [weights])]
    work = partial(_look_at, reader_of(estimator))
    (seen,) = computed(layer(work, columns, features.places))
    traffic.passes += 1
    return seen


def reader_of(estimator: Any) -> Any:
    """What is needed of an estimator to read a part of X."""
    reader = clone(estimator)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(estimator, name):
            setattr(reader, name, getattr(estimator, name))
    return reader


def _look_at(
    reader: Any, place: tuple[int, int | None], X: Any, labels: Any, weights: Any = None
) -> _Seen:
    i, start = place
    with naming_partition(i, start):
        check_lengths(i, X, labels, "y")
        if weights is not None:
            check_lengths(i, X, weights, "sample_weight")
        if X.shape[0] == 0:
            return _Seen(0)
        X = check_features(reader, X, reset=False)
        weights, column = check_each_weight(X, weights), read_column(labels)
        held, spans = weights > 0, None
        if held.any():
            of_held = (X, weights) if held.all() else (X[held], weights[held])
            spans = spans_of(*of_held)
        sparse = is_sparse(X)
        return _Seen(
            X.shape[0],
            X.data.nbytes + X.indices.nbytes if sparse else X.nbytes,
            X.dtype,
            sparse,
            PartOfColumn.of(column, weights),
            float(weights.sum()),
            int(held.sum()),
            spans,
        )


def _training(
    estimator: Any, features: Features, labels: Parts, weights: Parts | None, seen: list[_Seen],
    traffic: Traffic,
) -> DaskTraining:  # fmt: skip
    column = united([part.labels for part in seen if part.labels is not None])
    order = OrdinalLabels.of_column(column, estimator.classes)
    mass = order.counts(order.encode(column), column.weights)
    if not mass.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count.")
    factors = None
    if estimator.class_weight is not None:
        factors = class_factors(estimator.class_weight, order.classes, mass)
        mass = mass * factors
    present = classes_with_rows(estimator, order.classes, mass)

    sizes = tuple(part.n_rows for part in seen)
    dtype = known_type([part.dtype for part in seen if part.n_rows])
    X = Partitions(
        features.parts.under(partial(_read, reader_of(estimator), dtype)),
        sizes,
        features.n_columns,
        dtype,
        any(part.is_sparse for part in seen),
        traffic,
    )
    small = np.int8 if order.classes.size <= 127 else np.int32
    codes = as_array(labels.under(partial(_encode, order, small)), sizes, small)
    of_rows = _weights(weights, codes, factors, sizes)
    counted = tuple(part.counted for part in seen)
    if factors is not None and not factors[order.encode(column)].all():
        counted = tuple(computed(layer(_count, [Parts.of(of_rows)]))[0])
    rows, seen_codes = X, codes
    if counted != sizes:
        own = Parts.of(of_rows)
        rows = replace(X, parts=layer(_with_weight, [own, X.parts]), sizes=counted)
        seen_codes = as_array(layer(_with_weight, [own, Parts.of(codes)]), counted, small)
        of_rows = as_array(layer(_with_weight, [own, own]), counted, np.float64)
    if not present.all():
        place = (np.cumsum(present) - 1).astype(small)
        seen_codes = da.map_blocks(partial(np.take, place), seen_codes, dtype=small)
    spans = _spans(rows, of_rows, seen, factors)
    check_ranges(estimator, sum(counted), spans, partial(_farthest, rows, spans))
    return DaskTraining(
        X, codes, order.classes, present, None, of_rows, seen_codes, LinearMap(rows),
        DaskMatrix(rows, spans), known_mass=mass,
    )  # fmt: skip


def _read(reader: Any, dtype: np.dtype[Any], X: Any) -> Any:
    """A part that has been checked."""
    if X.shape[0] == 0:
        return np.empty((0, reader.n_features_in_), dtype)
    return canonical(read_numbers(reader, X, dtype))


def _encode(order: OrdinalLabels, dtype: Any, labels: Any) -> NDArray[np.integer]:
    return order.encode(labels).astype(dtype) if len(labels) else np.empty(0, dtype)


def _weights(
    weights: Parts | None, codes: da.Array, factors: Array | None, sizes: tuple[int, ...]
) -> da.Array:
    if weights is None:
        of_rows = da.ones(sum(sizes), chunks=(sizes,))
    else:
        of_rows = as_array(weights.under(_as_numbers), sizes, np.float64)
    if factors is None:
        return of_rows
    of_classes: Any = da.map_blocks(partial(np.take, factors), codes, dtype=np.float64)
    return of_rows * of_classes


def _sum(weights: Array) -> float:
    return float(weights.sum())


def _count(weights: Array) -> int:
    return int(np.count_nonzero(weights))


def _as_numbers(weights: Any) -> Array:
    return np.asarray(weights, dtype=np.float64)


def _with_weight(weights: Array, of_part: Any) -> Any:
    return of_part[weights > 0]


def _spans(X: Partitions, weights: da.Array, seen: list[_Seen], factors: Array | None) -> Spans:
    if factors is None:
        held = [part for part in seen if part.spans is not None]
        return merged(
            [part.spans for part in held if part.spans],
            [part.weight for part in held],
            [part.counted for part in held],
        )
    busy = [i for i, size in enumerate(X.sizes) if size]
    found, mass = computed(
        layer(spans_of, [X.parts.take(busy), Parts.of(weights).take(busy)]),
        layer(_sum, [Parts.of(weights).take(busy)]),
    )
    X.traffic.passes += 1
    return merged(found, mass, [X.sizes[i] for i in busy])


def _farthest(X: Partitions, spans: Spans, columns: NDArray[np.intp]) -> Iterator[Farthest]:
    """The quartiles are those of a part of the rows, the same in every run."""
    n = X.shape[0]
    (some,) = picked([X.parts], X.sizes, np.arange(0, n, told_step(n)), X.traffic)
    for quartiles, j in zip(quartiles_of(some, columns), columns.tolist(), strict=True):
        low, high = spans.low[j], spans.high[j]
        value = low if quartiles[1] - low > high - quartiles[1] else high
        _, (rows,) = X.ask(_rows_with, given=(j, value), own=X.starts)
        yield quartiles, float(value), int(rows[0])


def _rows_with(start: int, X: Any, j: int, value: float) -> tuple[tuple[()], tuple[Any]]:
    (column,) = columns_of(X, np.array([j]))
    return (), (start + np.flatnonzero(column == value)[:1],)
