"""What is known of labels in partitions, and which rows are held out together there?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from csvor._data.dask_parts import Features, beside, check_lengths, naming_partition
from csvor._data.dask_training import DaskTraining
from csvor._data.folds import parts_by_name, parts_by_number, seed_of
from csvor._labels import OrdinalLabels
from csvor._rows.partitions import run
from csvor._rows.parts import Parts, as_array, layer
from csvor.audit._dask_findings import of_each
from csvor.audit._known import check_confirmed, check_original, check_seen
from csvor.audit._wrong_labels import Labelling

# Each part of the cross-validation is a fit over all partitions.
_MOST_PARTS = 100


@dataclass(frozen=True)
class Columns:
    """Columns beside features, cut as these are."""

    features: Features
    data: DaskTraining

    def read(self, given: Any, name: str, work: Callable[[Any], Any], dtype: Any) -> Any:
        """What ``work`` makes of each part of one, if it is given."""
        if given is None:
            return None
        places = list(enumerate(self.data.X.starts))
        parts = [self.features.parts, beside(given, self.features, name)]
        return as_array(
            layer(partial(_read, name, work, dtype), parts, places), self.data.X.sizes, dtype
        )


def labelling_of(
    data: DaskTraining, columns: Columns, weights: Any, confirmed: Any, original: Any
) -> Labelling:
    """What is known of the labels, checked as it is read."""
    labels = OrdinalLabels(data.classes, declared=True)
    codes: Any = of_each(partial(np.asarray, dtype=np.int64), np.int64, data.codes)
    weights = columns.read(weights, "sample_weight", np.asarray, np.float64)
    confirmed = columns.read(confirmed, "confirmed", _confirmed, bool)
    encode = partial(labels.encode, name="original")
    original = columns.read(original, "original", encode, np.int64)
    if original is not None:
        known = [] if confirmed is None else [confirmed]
        original = of_each(_original, np.int64, original, codes, *known)
    return Labelling(codes, weights, confirmed, original)


def parts_of(
    data: DaskTraining, columns: Columns, groups: Any, cv: Any, random_state: Any
) -> tuple[da.Array, int]:
    """The number of the part that each row is held out in, and how many parts there are."""
    if not isinstance(cv, (int, np.integer)) or not 2 <= cv <= _MOST_PARTS:
        raise ValueError(
            f"cv={cv!r} must be a number from 2 to {_MOST_PARTS} where X lies in partitions of "
            "dask: rows are dealt out by their number, or by groups=."
        )
    cv, seed = int(cv), seed_of(random_state)
    if groups is not None:
        by_name = partial(parts_by_name, cv=cv, seed=seed)
        return columns.read(groups, "groups", by_name, np.int8), cv
    work = partial(parts_by_number, cv=cv, seed=seed)
    sizes = data.X.sizes
    parts = layer(work, [Parts.of(list(sizes))], data.X.starts)
    return as_array(parts, sizes, np.int8), cv


def counts_of(
    labelling: Labelling, part_of: da.Array, n_parts: int, labels: OrdinalLabels
) -> NDArray[np.int64]:
    """The rows of each class in each part, in one pass that reads all that is known of labels."""
    K = labels.classes.size
    columns: list[Any] = [column for column in (part_of, *labelling) if column is not None]
    (counts,), _ = run(partial(_counts, n_parts, K), Parts.of_all(*columns))
    of_class = counts.sum(axis=0)
    check_seen(list(of_class - counts), _Counted(labels, of_class))
    found: NDArray[np.int64] = counts
    return found


@dataclass(frozen=True, eq=False)
class _Counted:
    labels: OrdinalLabels
    counts: NDArray[np.int64]


def _read(
    name: str, work: Callable[[Any], Any], dtype: Any, place: tuple[int, int], X: Any, values: Any
) -> Any:
    with naming_partition(*place):
        check_lengths(place[0], X, values, name)
        return np.asarray(work(values), dtype) if len(values) else np.empty(0, dtype)


def _confirmed(values: Any) -> Any:
    return check_confirmed(values, len(values))


def _original(original: Any, codes: Any, confirmed: Any = None) -> Any:
    check_original(original, codes, confirmed)
    return original


def _counts(
    n_parts: int, n_classes: int, part_of: Any, codes: Any, *_: Any
) -> tuple[tuple[NDArray[np.int64]], tuple[()]]:
    counts = np.bincount(
        part_of.astype(np.int64) * n_classes + codes, minlength=n_parts * n_classes
    )
    return (counts.reshape(n_parts, n_classes),), ()
