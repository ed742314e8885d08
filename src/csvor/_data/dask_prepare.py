"""How do data in partitions become what a fit needs of them?

Each is read where it lies. What comes here is the distinct labels and the spans of the columns; the
codes of the labels, a byte each, stay beside the rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from csvor._data.checks import read_numbers
from csvor._data.dask_fit_data import PartitionedFitData
from csvor._data.dask_parts import Features, aligned_column, check_columns, features_of, known_type
from csvor._data.dask_summary import (
    PartSummary,
    farthest_of_all,
    reader_of,
    spans_of_all,
    summarise,
)
from csvor._data.fit_data import (
    class_weighting,
    classes_with_rows,
    ranks_of_present,
    require_labels,
)
from csvor._data.kernels import LinearMap
from csvor._data.ranges import check_ranges
from csvor._labels import OrdinalLabels
from csvor._labels.parts import UnitedColumn, united
from csvor._parts.graph import Parts, as_array, computed, layer
from csvor._parts.partitions import Partitions, PassCount, memory_limit
from csvor._rows.dask import DaskMatrix, RowsElsewhereError
from csvor._rows.storage import canonical

Array = NDArray[np.float64]

# Fewer rows are brought here whatever they take; of more columns sums have no room.
_FEW, _MOST_COLUMNS = 10_000, 2_000


def prepare_in_partitions(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[PartitionedFitData | None, tuple[int, ...]]:
    """What a fit needs of a dask array or dataframe, and the rows of each partition.

    None where the rows are few or fit into the memory limit: then they are brought into memory.
    """
    features = features_of(X)
    check_columns(estimator, features, reset=True)
    require_labels(estimator, y)
    labels = aligned_column(y, features, "y")
    weights = (
        None if sample_weight is None else aligned_column(sample_weight, features, "sample_weight")
    )
    traffic = PassCount()
    seen = summarise(estimator, features, labels, weights, traffic)
    sizes = tuple(part.n_rows for part in seen)
    n_rows, n_bytes = sum(sizes), sum(part.n_bytes for part in seen)
    if n_rows == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={(0, features.n_columns)}).")
    if n_rows < _FEW or n_bytes <= memory_limit():
        return None, sizes
    _refuse_what_needs_all_rows(estimator, features.n_columns, n_bytes)
    data = _prepare(estimator, features, labels, weights, seen, traffic)
    return (None if data.present_codes.size < _FEW else data), sizes


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
            f"all rows come to this process: dask.config.set({{'csvor.memory-limit': {n_bytes}}})."
        )


def _prepare(
    estimator: Any, features: Features, labels: Parts, weights: Parts | None,
    seen: list[PartSummary], traffic: PassCount,
) -> PartitionedFitData:  # fmt: skip
    column = united([part.labels for part in seen if part.labels is not None])
    order, mass, factors = _classes_of(estimator, column)
    present = classes_with_rows(estimator, order.classes, mass)
    sizes = tuple(part.n_rows for part in seen)
    dtype = known_type([part.dtype for part in seen if part.n_rows])
    X = Partitions(
        features.parts.under(partial(_read_checked, reader_of(estimator), dtype)),
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
    weight_parts, counted = Parts.of(of_rows), tuple(part.counted for part in seen)
    if factors is not None and not factors[order.encode(column)].all():
        counted = tuple(computed(layer(_count, [weight_parts]))[0])
    rows, present_codes = X, codes
    if counted != sizes:
        rows = replace(X, parts=layer(_with_weight, [weight_parts, X.parts]), sizes=counted)
        present_codes = as_array(
            layer(_with_weight, [weight_parts, Parts.of(codes)]), counted, small
        )
        of_rows = as_array(layer(_with_weight, [weight_parts, weight_parts]), counted, np.float64)
    if not present.all():
        ranks = ranks_of_present(present).astype(small)
        present_codes = da.map_blocks(partial(np.take, ranks), present_codes, dtype=small)
    spans = spans_of_all(rows, of_rows, seen, factors)
    check_ranges(
        estimator, sum(counted), spans, partial(farthest_of_all, X, weight_parts, rows, spans)
    )
    return PartitionedFitData(
        X, codes, order.classes, present, None, of_rows, present_codes, LinearMap(rows),
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
    return order, *class_weighting(estimator, order.classes, mass)


def _read_checked(reader: Any, dtype: np.dtype[Any], X: Any) -> Any:
    """The numbers of a part that `summarise` has checked; done anew each time the part is asked."""
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


def _count(weights: Array) -> int:
    return int(np.count_nonzero(weights))


def _as_numbers(weights: Any) -> Array:
    return np.asarray(weights, dtype=np.float64)


def _with_weight(weights: Array, of_part: Any) -> Any:
    return of_part[weights > 0]
