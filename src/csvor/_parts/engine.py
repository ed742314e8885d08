"""How is something asked of all rows: in one part, in memory, or in partitions of dask?

Columns of rows are arrays of NumPy, or of dask with the same partitions. A function sees one part
of each column, or the whole of it in memory. Dask is imported where its arrays come in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._utils.lazy import is_lazy
from csvor._utils.sampling import random_rows

Rows = NDArray[np.intp]


class Engine(Protocol):
    """What can be asked of columns."""

    def each(
        self, func: Callable[..., Any], dtype: Any, columns: Sequence[Any], width: int | None
    ) -> Any:
        """``func(*columns)``: a value a row, or ``width`` of them."""

    def total(
        self, func: Callable[..., Any], columns: Sequence[Any], shared: tuple[Any, ...]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """``func(first row, *columns, *shared)``: sums over parts, and rows put together."""

    def take(self, rows: Rows, columns: Sequence[Any]) -> list[NDArray[Any]]:
        """The values of some rows, in memory, in the order asked for."""

    def persist(self, column: Any) -> Any:
        """The same column, computed and kept where its parts lie."""


class InMemory:
    """Rows in one part."""

    def each(
        self, func: Callable[..., Any], dtype: Any, columns: Sequence[Any], width: int | None
    ) -> NDArray[Any]:
        return np.asarray(func(*columns), dtype)

    def total(
        self, func: Callable[..., Any], columns: Sequence[Any], shared: tuple[Any, ...]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        sums, rows = func(0, *columns, *shared)
        return sums, rows

    def take(self, rows: Rows, columns: Sequence[Any]) -> list[NDArray[Any]]:
        return [column[rows] for column in columns]

    def persist(self, column: NDArray[Any]) -> NDArray[Any]:
        return column


def _engine_of(column: Any) -> Engine:
    if not is_lazy(column):
        return InMemory()
    from csvor._parts.dask_engine import InPartitions

    return InPartitions()


def each(func: Callable[..., Any], dtype: Any, *columns: Any, width: int | None = None) -> Any:
    """What ``func`` makes of columns, row by row: an array with their partitions."""
    return _engine_of(columns[0]).each(func, dtype, columns, width)


def total(
    func: Callable[..., Any], *columns: Any, shared: tuple[Any, ...] = ()
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What ``func(first row, *columns, *shared)`` gives of each part, in memory.

    It gives two tuples: what is added up over the parts, and arrays that are put together.
    """
    return _engine_of(columns[0]).total(func, columns, shared)


def sums(func: Callable[..., tuple[Any, ...]], *columns: Any) -> tuple[Any, ...]:
    """The sums over the parts of what ``func(*columns)`` gives."""
    return total(partial(_sums_alone, func), *columns)[0]


def _sums_alone(
    func: Callable[..., tuple[Any, ...]], start: int, *columns: Any
) -> tuple[tuple[Any, ...], tuple[()]]:
    return func(*columns), ()


def take(rows: Rows, *columns: Any) -> list[NDArray[Any]]:
    """Of each column the values of some rows, in memory."""
    return _engine_of(columns[0]).take(rows, columns)


def persist(column: Any) -> Any:
    """The same column, computed and kept where its parts lie."""
    return _engine_of(column).persist(column)


def rows_where(mask: Any) -> Rows:
    """The rows where a mask is true, in memory."""
    _, (rows,) = total(_rows_where, mask)
    return np.asarray(rows, dtype=np.intp)


def random_and_far_rows(X: Any, center: NDArray[Any], size: int, n_far: int) -> Rows:
    """Random rows, and of more about `n_far` that are farthest from the center in a column."""
    n, d = X.shape
    if n <= size:
        return np.arange(n)
    each = max(n_far // d, 1)
    _, (far, distances) = total(_farthest, X, shared=(center, each))
    best = np.argsort(-distances, axis=0, kind="stable")[:each]
    return np.unique(np.append(random_rows(n, size), np.take_along_axis(far, best, axis=0)))


def _farthest(
    start: int, X: NDArray[Any], center: NDArray[Any], count: int
) -> tuple[tuple[()], tuple[Any, ...]]:
    last = -min(count, len(X))
    columns = enumerate(center)
    rows = np.stack([np.argpartition(abs(X[:, j] - c), last)[last:] for j, c in columns], axis=1)
    return (), (start + rows, abs(np.take_along_axis(X, rows, axis=0) - center))


def _rows_where(start: int, mask: NDArray[np.bool_]) -> tuple[tuple[()], tuple[Any]]:
    return (), (start + np.flatnonzero(mask),)
