"""What does a fit need of data in partitions?

Each is read where it lies. What comes here is the distinct labels and the spans of the columns; the
codes of the labels, a byte each, stay beside the rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.base import compute
from numpy.typing import NDArray

from csvor._data.checks import check_ranges, class_factors, read_numbers
from csvor._data.dask_parts import Features, beside, check_columns, features_of, known_type
from csvor._data.dask_seen import Seen, examine, farthest_of_all, reader_of, spans_of_all
from csvor._data.kernels import LinearMap
from csvor._data.training import Training, classes_with_rows, training_of
from csvor._labels import OrdinalLabels
from csvor._labels.parts import UnitedColumn, united
from csvor._parts.graph import Parts, as_array, computed, layer, shared
from csvor._parts.partitions import Partitions, Traffic, room
from csvor._rows.dask import DaskMatrix, RowsElsewhereError
from csvor._rows.kinds import canonical
from csvor._solvers.refine import SHARE

Array = NDArray[np.float64]

# Fewer rows are brought here whatever they take; of more columns sums have no room.
_FEW, _MOST_COLUMNS = 10_000, 2_000
# Bytes of rows that a fit on one machine may hold.
_ROOM_OF_A_MACHINE = 2**33


@dataclass(frozen=True, eq=False)
class DaskTraining(Training):
    """Training data in partitions: codes and weights are arrays of dask's."""

    is_here = False
    known_mass: NDArray[Any] | None = None
    # What was asked before the first fit.
    checks: Traffic = field(default_factory=Traffic)

    @property
    def mass(self) -> Any:
        assert self.known_mass is not None
        return self.known_mass[self.present]

    def scores_of_all(self, of_counted: da.Array, project: Any) -> Any:
        return self.X.each(project) if self.left_out else of_counted

    @property
    def traffic(self) -> dict[str, int]:
        return asdict(self.X.traffic)

    def begin(self) -> None:
        vars(self.X.traffic).update(asdict(self.checks))

    @property
    def wanted_room(self) -> int | None:
        assert isinstance(self.matrix, DaskMatrix)
        return self.matrix.wanted_room(SHARE)

    @property
    def room_of_all(self) -> int | None:
        return self.X.n_bytes if self.X.n_bytes <= _ROOM_OF_A_MACHINE else None

    def of_rows(self, work: Any, *columns: da.Array) -> Any:
        given = [*Parts.of_all(*columns), shared((work,), len(self.X.parts))]
        return as_array(layer(_applied, given), self.X.sizes, np.float64)

    def given_back(self, of_rows: da.Array) -> Any:
        return of_rows


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
    seen = examine(estimator, features, labels, weights, traffic)
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


def _training(
    estimator: Any, features: Features, labels: Parts, weights: Parts | None, seen: list[Seen],
    traffic: Traffic,
) -> DaskTraining:  # fmt: skip
    column = united([part.labels for part in seen if part.labels is not None])
    order, mass, factors = _classes_of(estimator, column)
    present = classes_with_rows(estimator, order.classes, mass)
    sizes = tuple(part.n_rows for part in seen)
    dtype = known_type([part.dtype for part in seen if part.n_rows])
    X = Partitions(
        features.parts.under(partial(_read, reader_of(estimator), dtype)),
        sizes,
        features.n_columns,
        dtype,
        any(part.is_sparse for part in seen),
        sum(part.n_bytes for part in seen),
        traffic,
    )
    small = np.int8 if order.classes.size <= 127 else np.int32
    codes = as_array(labels.under(partial(_encode, order, small)), sizes, small)
    of_rows = _weights(weights, codes, factors, sizes)
    own, counted = Parts.of(of_rows), tuple(part.counted for part in seen)
    if factors is not None and not factors[order.encode(column)].all():
        counted = tuple(computed(layer(_count, [own]))[0])
    rows, seen_codes = X, codes
    if counted != sizes:
        rows = replace(X, parts=layer(_with_weight, [own, X.parts]), sizes=counted)
        seen_codes = as_array(layer(_with_weight, [own, Parts.of(codes)]), counted, small)
        of_rows = as_array(layer(_with_weight, [own, own]), counted, np.float64)
    if not present.all():
        place = (np.cumsum(present) - 1).astype(small)
        seen_codes = da.map_blocks(partial(np.take, place), seen_codes, dtype=small)
    spans = spans_of_all(rows, of_rows, seen, factors)
    check_ranges(estimator, sum(counted), spans, partial(farthest_of_all, X, own, rows, spans))
    return DaskTraining(
        X, codes, order.classes, present, None, of_rows, seen_codes, LinearMap(rows),
        DaskMatrix(rows, spans), known_mass=mass, checks=replace(traffic),
    )  # fmt: skip


def _classes_of(
    estimator: Any, column: UnitedColumn
) -> tuple[OrdinalLabels, NDArray[Any], Array | None]:
    """The classes, the weight of each, and what the weights of its rows are multiplied with."""
    order = OrdinalLabels.of_column(column, estimator.classes)
    mass = order.counts(order.encode(column), column.weights)
    if not mass.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count.")
    if estimator.class_weight is None:
        return order, mass, None
    factors = class_factors(estimator.class_weight, order.classes, mass)
    return order, mass * factors, factors


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


def _applied(*given: Any) -> Any:
    *columns, (work,) = given
    return work(*columns)


def _count(weights: Array) -> int:
    return int(np.count_nonzero(weights))


def _as_numbers(weights: Any) -> Array:
    return np.asarray(weights, dtype=np.float64)


def _with_weight(weights: Array, of_part: Any) -> Any:
    return of_part[weights > 0]
