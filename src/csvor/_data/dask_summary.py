"""What is seen of each part of the data in the passes that check it?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from csvor._data.checks import check_each_weight, check_features
from csvor._data.dask_parts import Features, check_lengths, naming_partition
from csvor._data.ranges import Farthest, quartiles_of
from csvor._labels import read_column
from csvor._labels.parts import PartOfColumn
from csvor._parts.graph import Parts, computed, layer
from csvor._parts.partitions import Partitions, PassCount, gather
from csvor._rows.csr import is_sparse
from csvor._rows.evaluation import subsample_stride
from csvor._rows.spans import Spans, merged, spans_of
from csvor._rows.storage import columns_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PartSummary:
    """What is known of a part."""

    n_rows: int
    n_bytes: int = 0
    dtype: Any = None
    is_sparse: bool = False
    labels: PartOfColumn | None = None
    weight: float = 0.0
    counted: int = 0
    spans: Spans | None = None


def summarise(
    estimator: Any, features: Features, labels: Parts, weights: Parts | None, traffic: PassCount
) -> list[PartSummary]:
    """One pass in which each part is checked."""
    columns = [features.parts, labels, *([] if weights is None else [weights])]
    work = partial(_summarise_part, reader_of(estimator))
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


def _summarise_part(
    reader: Any, place: tuple[int, int | None], X: Any, labels: Any, weights: Any = None
) -> PartSummary:
    i, start = place
    with naming_partition(i, start):
        check_lengths(i, X, labels, "y")
        if weights is not None:
            check_lengths(i, X, weights, "sample_weight")
        if X.shape[0] == 0:
            return PartSummary(0)
        X = check_features(reader, X, reset=False)
        weights, column = check_each_weight(X.shape[0], weights), read_column(labels)
        held, spans = weights > 0, None
        if held.any():
            of_held = (X, weights) if held.all() else (X[held], weights[held])
            spans = spans_of(*of_held)
        sparse = is_sparse(X)
        return PartSummary(
            X.shape[0],
            X.data.nbytes + X.indices.nbytes if sparse else X.nbytes,
            X.dtype,
            sparse,
            PartOfColumn.of(column, weights),
            float(weights.sum()),
            int(held.sum()),
            spans,
        )


def _sum(weights: Array) -> float:
    return float(weights.sum())


def spans_of_all(
    X: Partitions, weights: da.Array, seen: list[PartSummary], factors: Array | None
) -> Spans:
    """Those seen, or where classes have factors of their own, by a pass with these."""
    if factors is None:
        held = [part for part in seen if part.spans is not None]
        return merged(
            [part.spans for part in held if part.spans],
            [part.weight for part in held],
            [part.counted for part in held],
        )
    busy = [i for i, size in enumerate(X.sizes) if size]
    spans, mass = computed(
        layer(spans_of, [X.parts.take(busy), Parts.of(weights).take(busy)]),
        layer(_sum, [Parts.of(weights).take(busy)]),
    )
    X.traffic.passes += 1
    return merged(spans, mass, [X.sizes[i] for i in busy])


def farthest_of_all(
    X: Partitions, weights: Parts, counted: Partitions, spans: Spans, columns: NDArray[np.intp]
) -> Iterator[Farthest]:
    """Of rows that have a weight; the quartiles are those of some, the same in every run."""
    n = counted.shape[0]
    (some,) = gather(
        [counted.parts], counted.sizes, np.arange(0, n, subsample_stride(n)), X.traffic
    )
    for quartiles, j in zip(quartiles_of(some, columns), columns.tolist(), strict=True):
        low, high = spans.low[j], spans.high[j]
        value = low if quartiles[1] - low > high - quartiles[1] else high
        _, (rows,) = X.ask(_rows_with, weights, shared=(j, value), of_parts=X.starts)
        yield quartiles, float(value), int(rows[0])


def _rows_with(
    start: int, X: Any, weights: Array, j: int, value: float
) -> tuple[tuple[()], tuple[Any]]:
    (column,) = columns_of(X, np.array([j]))
    return (), (start + np.flatnonzero((column == value) & (weights > 0))[:1],)
