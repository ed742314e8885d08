"""How do collections of dask become partitions of the same rows, and how is one of them read?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from csvor._data.tables import refuse_times
from csvor._labels import LabelError
from csvor._labels.error import wrong_shape
from csvor._parts.graph import Parts, computed, layer
from csvor._utils.lazy import is_lazy

Sizes = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Features:
    """The parts of X as given, their rows (nan where they are not known), and none of its rows."""

    parts: Parts
    sizes: Sizes
    empty: Any

    @property
    def n_columns(self) -> int:
        return int(self.empty.shape[1])

    @property
    def are_known(self) -> bool:
        return not np.isnan(self.sizes).any()

    @property
    def starts(self) -> list[int | None]:
        """The first row of each part, as far as it is known."""
        if not self.are_known:
            return [None] * len(self.parts)
        return [int(start) for start in np.cumsum([0, *self.sizes[:-1]])]

    @property
    def places(self) -> list[tuple[int, int | None]]:
        """Which part each is, and its first row."""
        return list(enumerate(self.starts))

    @property
    def example(self) -> Any:
        """One row of zeros."""
        zeros = np.zeros((1, self.n_columns))
        if not hasattr(self.empty, "columns"):
            return zeros
        return type(self.empty)(zeros, columns=self.empty.columns)


def features_of(X: Any) -> Features:
    """A dask array of two dimensions, its rows in one piece, or a dataframe."""
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {X.ndim}D dask array instead: give one row for each "
                "sample, one column for each feature."
            )
        if np.isnan(X.shape[1]):
            raise ValueError("X has an unknown number of columns: call X.compute_chunk_sizes().")
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        return Features(Parts.of(X), X.chunks[0], np.empty((0, X.shape[1])))
    if hasattr(X, "dtypes") and hasattr(X, "columns") and hasattr(X, "partitions"):
        refuse_times(X._meta)
        parts = Parts.of(X)
        return Features(parts, (np.nan,) * len(parts), X._meta)
    raise TypeError(
        f"X is a {type(X).__module__.partition('.')[0]} {type(X).__name__}: give a dask array of "
        "two dimensions, or a dask dataframe."
    )


def check_columns(estimator: Any, features: Features, *, reset: bool) -> None:
    """Names and number of columns, at fit or those known from it."""
    validate_data(estimator, features.empty, reset=reset, skip_check_array=True)


def known_features_of(estimator: Any, X: Any) -> Features:
    """Those whose columns a fitted estimator knows."""
    check_is_fitted(estimator)
    features = features_of(X)
    check_columns(estimator, features, reset=False)
    return features


def aligned_column(values: Any, features: Features, name: str) -> Parts:
    """Parts of a column that goes with X: labels or weights, one for each row."""
    sizes, n_parts = features.sizes, len(features.parts)
    if values is None:
        raise ValueError(f"This requires {name} to be passed, but it is None.")
    if isinstance(values, da.Array):
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            raise _not_one_column(name, values.shape)
        known = features.are_known and not np.isnan(values.shape[0])
        if known and values.shape[0] == sum(sizes):
            return Parts.of(values.rechunk((sizes,)))
        if known:
            raise _other_rows(name, int(sum(sizes)), values.shape[0])
        parts = Parts.of(values)
    elif is_lazy(values):
        if values.ndim == 2:
            if len(values.columns) != 1:
                raise _not_one_column(name, f"{len(values.columns)} columns")
            values = values[values.columns[0]]
        parts = Parts.of(values)
    else:
        return _cut(values, features, name)
    if len(parts) != n_parts:
        raise ValueError(
            f"{name} has {len(parts)} partitions and X has {n_parts}, of lengths that are not "
            f"known: take both from one dataframe, or call compute_chunk_sizes() of both arrays "
            "(of a dataframe: .to_dask_array(lengths=True))."
        )
    return parts


def _cut(values: Any, features: Features, name: str) -> Parts:
    """A column that is in memory, cut as X is."""
    sizes: Any = features.sizes
    if not features.are_known:
        (sizes,) = computed(layer(len, [features.parts]))
    n = len(values)
    if n != sum(sizes):
        raise _other_rows(name, int(sum(sizes)), n)
    values = values if hasattr(values, "dtype") else np.asarray(values)
    ends = np.cumsum(sizes).astype(int)
    by_place = values.iloc if hasattr(values, "iloc") else values
    starts = [0, *ends[:-1].tolist()]
    cut = [by_place[start:stop] for start, stop in zip(starts, ends.tolist(), strict=True)]
    return Parts.of(cut)


def _not_one_column(name: str, what: object) -> ValueError:
    if name in ("y", "original"):
        return wrong_shape(name, f"{what}")
    return ValueError(f"{name} should be one column, got {what}.")


def _other_rows(name: str, n: int, of_column: int) -> ValueError:
    return ValueError(
        f"Found input variables with inconsistent numbers of samples: X has {n} rows, {name} has "
        f"{of_column}."
    )


def check_lengths(i: int, X: Any, column: Any, name: str) -> None:
    """Parts of X and a column have to be the same rows."""
    if X.shape[0] != len(column):
        raise ValueError(
            f"Partition {i} has {X.shape[0]} rows in X and {len(column)} in {name}: cut both "
            "alike, for example by taking both from one dataframe."
        )


@contextmanager
def naming_partition(i: int, start: int | None) -> Iterator[None]:
    """Errors say which rows they count."""
    begins = "" if start is None else f", which begins at row {start}"
    place = f"In partition {i}{begins}; rows are counted within it."
    try:
        yield
    except LabelError as error:
        raise error.at(place) from error
    except ValueError as error:
        raise ValueError(f"{error} ({place})") from error


def known_type(parts: list[np.dtype[Any]]) -> np.dtype[Any]:
    """float32 where all are, else float64."""
    narrow = all(dtype == np.float32 for dtype in parts)
    return np.dtype(np.float32 if narrow else np.float64)
