"""What is known of labels in partitions, and which rows are held out together there?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from csvor._data.dask_fit_data import PartitionedFitData
from csvor._data.dask_parts import Features, aligned_column, check_lengths, naming_partition
from csvor._data.folds import bin_counts, first_ranks, folds_by_class, seed_of, stratified
from csvor._data.groups import GroupCounts, group_names
from csvor._labels import OrdinalLabels
from csvor._parts.engine import each, sums
from csvor._parts.graph import Parts, as_array, computed, layer
from csvor._parts.partitions import memory_limit
from csvor._rows.content import ask, order_of
from csvor.audit._labelling import (
    Labelling,
    check_confirmed,
    check_original,
    check_seen,
    check_weighed,
)
from csvor.audit._panel import Panel

# Each part of the cross-validation is a fit over all partitions.
_MOST_PARTS = 100
# Bytes of a row's place among all, and of that which is at a place.
_ROOM_OF_A_PLACE = 8


@dataclass(frozen=True)
class Columns:
    """Columns beside features, cut as these are."""

    features: Features
    data: PartitionedFitData

    def read(self, column: Any, name: str, work: Callable[[Any], Any], dtype: Any) -> Any:
        """What ``work`` makes of one, as an array; None of None."""
        if column is None:
            return None
        made = self.parts(column, name, partial(_as_type, work, dtype))
        return as_array(made, self.data.X.sizes, dtype)

    def parts(self, column: Any, name: str, work: Callable[[Any], Any]) -> Parts:
        """What ``work`` makes of each part of one."""
        places = list(enumerate(self.data.X.starts))
        parts = [self.features.parts, aligned_column(column, self.features, name)]
        return layer(partial(_read, name, work), parts, places)


def labelling_of(
    data: PartitionedFitData,
    columns: Columns,
    weights: Any,
    confirmed: Any,
    original: Any,
    raters: Any,
    reference: Any,
) -> Labelling:
    """What is known of the labels, checked as it is read."""
    labels = OrdinalLabels(data.classes, declared=True)
    codes: Any = each(partial(np.asarray, dtype=np.int64), np.int64, data.codes)
    weights = columns.read(weights, "sample_weight", np.asarray, np.float64)
    confirmed = columns.read(confirmed, "confirmed", _confirmed, bool)
    encode = partial(labels.encode, name="original")
    original = columns.read(original, "original", encode, np.int64)
    if original is not None:
        known = [] if confirmed is None else [confirmed]
        original = each(_original, np.int64, original, codes, *known)
    labelling = Labelling(codes, weights, confirmed, original)
    if raters is None:
        return labelling
    names = columns.parts(raters, "raters", partial(_names, "raters"))
    (distinct,) = computed(layer(_distinct, [names]))
    panel = Panel.of(distinct, reference, sum(data.X.sizes))
    of_rows: Any = as_array(layer(panel.codes, [names]), data.X.sizes, np.int64)
    return labelling._replace(raters=of_rows, panel=panel)


def parts_of(
    data: PartitionedFitData,
    columns: Columns,
    codes: Any,
    groups: Any,
    cv: Any,
    random_state: Any,
    places: Any,
) -> tuple[da.Array, int, float | None]:
    """The fold that each row is held out in, as in memory, and how many folds there are.

    And the effective rows where there are groups. Without `places`, rows are dealt by their number.
    """
    if not isinstance(cv, (int, np.integer)) or not 2 <= cv <= _MOST_PARTS:
        raise ValueError(
            f"cv={cv!r} must be a number from 2 to {_MOST_PARTS} where X lies in partitions of "
            "dask: rows are dealt out by their number, or by groups=."
        )
    cv, seed, n_classes = int(cv), seed_of(random_state), len(data.classes)
    sizes, starts, (of_codes,) = data.X.sizes, data.X.starts, Parts.of_all(codes)
    if groups is not None:
        names = columns.parts(groups, "groups", partial(_names, "groups"))
        (counts,) = computed(layer(partial(_group_counts, n_classes), [names, of_codes]))
        groups_counts = GroupCounts.total(counts)
        folds = groups_counts.folds(cv, seed)
        fold_of = as_array(layer(folds.of, [names]), sizes, np.int8)
        return fold_of, cv, groups_counts.effective_rows
    if places is not None:
        folds_of_rows = np.empty(places.size, dtype=np.int8)
        folds_of_rows[places] = stratified(np.asarray(codes)[places], cv, seed)
        return da.from_array(folds_of_rows, chunks=(sizes,)), cv, None
    count = partial(bin_counts, n_classes=n_classes, seed=seed)
    (counts,) = computed(layer(count, [of_codes], starts))
    places = list(zip(starts, first_ranks(counts), strict=True))
    return as_array(layer(partial(_folds, cv, seed), [of_codes], places), sizes, np.int8), cv, None


def places_of(data: PartitionedFitData, codes: Any) -> NDArray[np.signedinteger] | None:
    """The places of rows in an order that follows from what they hold, as in memory.

    None of so many rows that these numbers have no room here.
    """
    X = data.X
    if X.shape[0] * _ROOM_OF_A_PLACE > memory_limit():
        return None

    def ask_parts(work: Callable[..., Any], *columns: Any, shared: Any = ()) -> Any:
        laid = (Parts.of(da.from_array(column, chunks=(X.sizes,))) for column in columns)
        return X.ask(partial(_ask_part, work, centre, len(columns)), *laid, shared=shared)

    centre = None if X.is_sparse else data.matrix.center
    places, _ = order_of(ask_parts, centre, np.asarray(codes))
    return places.astype(np.int32) if X.shape[0] < 2**31 else places


def _ask_part(
    work: Callable[..., Any], centre: Any, n_columns: int, X: Any, *columns: Any
) -> tuple[Any, Any]:
    return ask(X, centre, work, *columns[:n_columns], shared=columns[n_columns:])


def _names(argument: str, values: Any) -> list[Any]:
    return group_names(values, len(values), argument) if len(values) else []


def _distinct(names: list[Any]) -> list[Any]:
    return list(dict.fromkeys(names))


def _group_counts(n_classes: int, names: list[Any], codes: NDArray[np.int64]) -> GroupCounts:
    return GroupCounts.of(names, codes, n_classes)


def _folds(
    cv: int, seed: int, place: tuple[int, NDArray[np.int64]], codes: NDArray[np.int64]
) -> NDArray[np.int8]:
    start, ranks = place
    return folds_by_class(start, codes, ranks, cv, seed)


def counts_of(
    labelling: Labelling, part_of: da.Array, n_parts: int, labels: OrdinalLabels
) -> NDArray[np.int64]:
    """The rows of each class in each part, in one pass that reads all that is known of labels."""
    K = labels.classes.size
    columns: list[Any] = [part_of, *labelling.columns.values()]
    weighted = labelling.weights is not None
    counts, masses = sums(partial(_counts, n_parts, K, weighted), *columns)
    of_class = counts.sum(axis=0)
    check_seen(list(of_class - counts), labels.classes, of_class)
    check_weighed(masses, labels.classes, of_class)
    return np.asarray(counts)


def _read(
    name: str, work: Callable[[Any], Any], place: tuple[int, int], X: Any, values: Any
) -> Any:
    with naming_partition(*place):
        check_lengths(place[0], X, values, name)
        return work(values)


def _as_type(work: Callable[[Any], Any], dtype: Any, values: Any) -> Any:
    return np.asarray(work(values), dtype) if len(values) else np.empty(0, dtype)


def _confirmed(values: Any) -> Any:
    return check_confirmed(values, len(values))


def _original(original: Any, codes: Any, confirmed: Any = None) -> Any:
    check_original(original, codes, confirmed)
    return original


def _counts(
    n_parts: int, n_classes: int, weighted: bool, part_of: Any, codes: Any, *known: Any
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    cells = part_of.astype(np.int64) * n_classes + codes
    counts = np.bincount(cells, minlength=n_parts * n_classes).reshape(n_parts, n_classes)
    return counts, np.bincount(codes, known[0] if weighted else None, n_classes).astype(float)
