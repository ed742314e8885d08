"""How is something asked of rows that lie in partitions, and what comes back?

Dask holds the partitions and runs the work, by whatever scheduler is the current one. Sums are
added up in a tree, always in the same order; rows that are asked for come from each partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed, delayed
from dask.utils import parse_bytes
from numpy.typing import NDArray
from scipy import sparse

from csvor._rows.csr import is_sparse
from csvor._utils.threads import one_of_many

Array = NDArray[np.float64]
Parts = list[Delayed]

# Sums that are added up at once.
_FAN_IN = 8


def room() -> int:
    """Bytes of rows that may be brought here at once: the setting ``csvor.room`` of dask."""
    return int(parse_bytes(dask.config.get("csvor.room", "256 MiB")))


@dataclass
class Traffic:
    """What was asked so far."""

    passes: int = 0
    bytes_out: int = 0
    bytes_back: int = 0


@dataclass(frozen=True, eq=False)
class Partitions:
    """Rows of numbers, a part of them an array or a CSR matrix.

    ``sizes`` are the rows of each part; a part may have none.
    """

    parts: Parts
    sizes: tuple[int, ...]
    n_columns: int
    dtype: np.dtype[Any]
    is_sparse: bool
    traffic: Traffic = field(default_factory=Traffic)

    @property
    def shape(self) -> tuple[int, int]:
        return sum(self.sizes), self.n_columns

    @property
    def size(self) -> int:
        return self.shape[0] * self.n_columns

    @property
    def starts(self) -> NDArray[np.intp]:
        """The first row of each part."""
        return np.cumsum([0, *self.sizes[:-1]])

    @property
    def row_bytes(self) -> int:
        """What a row takes here, with code, cost, score and loss."""
        return self.n_columns * self.dtype.itemsize + 28

    def ask(
        self, work: Callable[..., Any], *columns: Parts, shared: Any = (), own: Sequence[Any] = ()
    ) -> tuple[Any, Any]:
        """`run` over the parts that have rows."""
        busy = [i for i, size in enumerate(self.sizes) if size]
        chosen = [[parts[i] for i in busy] for parts in (self.parts, *columns)]
        given = [own[i] for i in busy] if own else ()
        return run(work, chosen, shared=shared, own=given, traffic=self.traffic)

    def each(
        self, work: Callable[..., Any], *columns: Parts, shared: Any = (), width: int | None = None
    ) -> da.Array:
        """What ``work`` gives for each row, in float64, as an array of dask's."""
        told, tail = delayed(shared, pure=False, traverse=False), () if width is None else (width,)
        work = partial(_of_part, work, tail)
        found = [delayed(work)(*given, told) for given in zip(self.parts, *columns, strict=True)]
        return as_array(found, self.sizes, np.dtype(np.float64), tail)


def as_array(
    parts: Iterable[Delayed], sizes: Sequence[float], dtype: Any, tail: tuple[int, ...] = ()
) -> da.Array:
    """Parts with so many rows each (nan: not known) as one array."""
    blocks = [
        da.from_delayed(part, (size, *tail), dtype) for part, size in zip(parts, sizes, strict=True)
    ]
    return da.concatenate(blocks, axis=0, allow_unknown_chunksizes=True)


def parts_of(array: da.Array) -> Parts:
    """The parts of an array whose columns are in one piece."""
    return list(array.to_delayed().ravel())


def run(
    work: Callable[..., Any],
    columns: list[Parts],
    *,
    shared: Any = (),
    own: Sequence[Any] = (),
    traffic: Traffic | None = None,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """``work(part of each column, what is its own, *shared)`` of each part.

    It gives two tuples: what is added up over the parts, and what is put one after the other.
    """
    told = delayed(shared, pure=False, traverse=False)
    task = delayed(partial(_ask, work, bool(own)), pure=False, nout=2)
    given = zip(*columns, *([own] if own else []), strict=True)
    sums, rows = zip(*(task(told, *of_part) for of_part in given), strict=True)
    found, *listed = dask.compute(_tree(list(sums)), *rows)
    if traffic is not None:
        traffic.passes += 1
        traffic.bytes_out += len(sums) * _bytes_of(shared)
        traffic.bytes_back += len(sums) * _bytes_of(found) + sum(map(_bytes_of, listed))
    return found, tuple(_joined(listed, i) for i in range(len(listed[0])))


def picked(
    columns: list[Parts],
    sizes: Sequence[int],
    rows: NDArray[np.intp],
    traffic: Traffic | None = None,
) -> tuple[Any, ...]:
    """Some rows of all columns, in the order asked for."""
    order = np.argsort(rows, kind="stable")
    ends = np.cumsum(sizes)
    cuts = np.searchsorted(rows[order], ends)
    own = [
        part - (end - size)
        for part, end, size in zip(np.split(rows[order], cuts[:-1]), ends, sizes, strict=True)
    ]
    busy = [i for i, positions in enumerate(own) if positions.size]
    chosen, given = [[parts[i] for i in busy] for parts in columns], [own[i] for i in busy]
    _, found = run(_pick, chosen, own=given, traffic=traffic)
    if traffic is not None:
        traffic.bytes_out += rows.nbytes
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    if np.array_equal(order, back):  # in their own order
        return found
    return tuple(array[back] for array in found)


def _pick(*given: Any) -> tuple[tuple[()], tuple[Any, ...]]:
    *arrays, positions = given
    return (), tuple(array[positions] for array in arrays)


def _ask(work: Callable[..., Any], has_own: bool, shared: Any, *of_part: Any) -> Any:
    with one_of_many():
        return work(*of_part, *shared)


def _of_part(work: Callable[..., Any], tail: tuple[int, ...], block: Any, *given: Any) -> Array:
    """The numbers of each row of a part; of none where it has no rows."""
    if block.shape[0] == 0:
        return np.empty((0, *tail))
    *columns, shared = given
    with one_of_many():
        found: Array = work(block, *columns, *shared)
    return found


def _tree(sums: list[Delayed]) -> Delayed:
    while len(sums) > 1:
        groups = [sums[i : i + _FAN_IN] for i in range(0, len(sums), _FAN_IN)]
        sums = [delayed(_added, pure=False)(group) for group in groups]
    return sums[0]


def _added(parts: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Sums, or whatever ``merged`` makes of those that know how."""
    return tuple(sum(of_one[1:], of_one[0]) for of_one in zip(*parts, strict=True))


def _joined(listed: list[tuple[Any, ...]], i: int) -> Any:
    """The i-th of what parts gave, one after the other; each is let go once it is copied."""
    first = listed[0][i]
    if is_sparse(first):
        return sparse.vstack([of_part[i] for of_part in listed], format="csr")
    whole = np.empty((sum(len(of_part[i]) for of_part in listed), *first.shape[1:]), first.dtype)
    at = 0
    for place, of_part in enumerate(listed):
        whole[at : at + len(of_part[i])] = of_part[i]
        at += len(of_part[i])
        listed[place] = (*of_part[:i], None, *of_part[i + 1 :])
    return whole


def _bytes_of(values: Any) -> int:
    if is_sparse(values):
        return int(values.data.nbytes + values.indices.nbytes + values.indptr.nbytes)
    if isinstance(values, tuple | list):
        return sum(map(_bytes_of, values))
    return int(getattr(values, "nbytes", 8))
