"""How is something asked of rows that lie in partitions, and what comes back?

Dask holds the partitions and runs the work, by whatever scheduler is the current one. Sums are
added up always in the same order; rows that are asked for come from each partition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

import dask.array as da
import numpy as np
from dask import config
from dask.utils import parse_bytes
from numpy.typing import NDArray
from scipy import sparse

from csvor._parts import graph
from csvor._parts.graph import Parts, Work, as_array, computed, each_of, in_tree, layer
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]

# Sums that are added up at once, and bytes of them that are too many to come here one by one.
_FAN_IN, _LARGE = 8, 2**24


def memory_limit() -> int:
    """Bytes of rows that may be brought into memory at once: dask's setting ``csvor.memory-limit``.

    ``csvor.room`` is its earlier name.
    """
    earlier = config.get("csvor.room", "256 MiB")
    return int(parse_bytes(config.get("csvor.memory-limit", earlier)))


@dataclass
class PassCount:
    """What was asked so far."""

    passes: int = 0
    bytes_out: int = 0
    bytes_back: int = 0


def run(
    work: Work,
    columns: Sequence[Parts],
    *,
    shared: tuple[Any, ...] = (),
    of_parts: Sequence[Any] = (),
    apart: bool = False,
    traffic: PassCount | None = None,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """``work(entry of of_parts, part of each column, *shared)`` of each part.

    It gives two tuples: what is added up over the parts, and what is put one after the other. Sums
    that are large are added up ``apart``, in a tree.
    """
    answers = layer(
        partial(_with_shared, work), [*columns, graph.shared(shared, len(columns[0]))], of_parts
    )
    if apart:
        sums_of_all = in_tree(_added, each_of(itemgetter(0), answers), _FAN_IN)
        rows_of_parts = each_of(itemgetter(1), answers)
        (sums,), rows = computed(sums_of_all, rows_of_parts)
    else:
        (answered,) = computed(answers)
        sums = _added(*(of_part for of_part, _ in answered))
        rows = [of_part for _, of_part in answered]
        del answered
    if traffic is not None:
        traffic.passes += 1
        traffic.bytes_out += len(rows) * _bytes_of(shared)
        traffic.bytes_back += len(rows) * _bytes_of(sums) + _bytes_of(rows)
    return sums, tuple(_joined(rows, i) for i in range(len(rows[0])))


def _with_shared(work: Work, *columns: Any) -> Any:
    *before, shared = columns
    return work(*before, *shared)


def _added(*parts: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(sum(of_one[1:], of_one[0]) for of_one in zip(*parts, strict=True))


def by_part(rows: NDArray[np.intp], sizes: Sequence[int]) -> list[NDArray[np.intp]]:
    """Where in each part those of some rows lie that are there; the rows in their order."""
    ends = np.cumsum(sizes)
    parts = np.split(rows, np.searchsorted(rows, ends[:-1]))
    return [part - start for part, start in zip(parts, ends - np.array(sizes), strict=True)]


def gather(
    columns: Sequence[Parts],
    sizes: Sequence[int],
    rows: NDArray[np.intp],
    traffic: PassCount | None = None,
) -> tuple[Any, ...]:
    """Some rows of all columns, in the order asked for."""
    order = np.argsort(rows, kind="stable")
    positions = by_part(rows[order], sizes)
    busy = [i for i, of_part in enumerate(positions) if of_part.size]
    wanted = [positions[i] for i in busy]
    _, taken = run(_pick, [parts.take(busy) for parts in columns], of_parts=wanted, traffic=traffic)
    if traffic is not None:
        traffic.bytes_out += rows.nbytes
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return taken if np.array_equal(order, back) else tuple(array[back] for array in taken)


def _pick(positions: NDArray[np.intp], *arrays: Any) -> tuple[tuple[()], tuple[Any, ...]]:
    return (), tuple(array[positions] for array in arrays)


def _joined(listed: list[tuple[Any, ...]], i: int) -> Any:
    """The i-th of what parts gave, one after the other; each is let go once it is copied."""
    first = listed[0][i]
    if sparse.issparse(first):
        return sparse.vstack([of_part[i] for of_part in listed], format="csr")
    dtype = np.result_type(*(of_part[i].dtype for of_part in listed))
    whole = np.empty((sum(len(of_part[i]) for of_part in listed), *first.shape[1:]), dtype)
    at = 0
    for place, of_part in enumerate(listed):
        whole[at : at + len(of_part[i])] = of_part[i]
        at += len(of_part[i])
        listed[place] = (*of_part[:i], None, *of_part[i + 1 :])
    return whole


def _bytes_of(values: Any) -> int:
    if hasattr(values, "indptr"):
        return int(values.data.nbytes + values.indices.nbytes + values.indptr.nbytes)
    if isinstance(values, tuple | list):
        return sum(map(_bytes_of, values))
    return int(getattr(values, "nbytes", 8))


@dataclass(frozen=True, eq=False)
class Partitions:
    """Rows of numbers, a part of them an array or a CSR matrix.

    ``sizes`` are the rows of each part; a part may have none. ``n_bytes`` are what has to come here
    where all rows of the user's data do.
    """

    parts: Parts
    sizes: tuple[int, ...]
    n_columns: int
    dtype: np.dtype[Any]
    is_sparse: bool
    n_bytes: int
    traffic: PassCount = field(default_factory=PassCount)

    @property
    def shape(self) -> tuple[int, int]:
        return sum(self.sizes), self.n_columns

    @property
    def size(self) -> int:
        return self.shape[0] * self.n_columns

    @cached_property
    def starts(self) -> list[int]:
        """The first row of each part."""
        return [0, *np.cumsum(self.sizes[:-1]).tolist()]

    @property
    def row_bytes(self) -> int:
        """What a row takes here, with code, cost, score and loss."""
        return self.n_columns * self.dtype.itemsize + 28

    def ask(
        self,
        work: Work,
        *columns: Parts,
        shared: tuple[Any, ...] = (),
        of_parts: Sequence[Any] = (),
    ) -> tuple[Any, Any]:
        """`run` over the parts that have rows."""
        busy = [i for i, size in enumerate(self.sizes) if size]
        chosen = [parts.take(busy) for parts in (self.parts, *columns)]
        entries = [of_parts[i] for i in busy] if of_parts else ()
        apart = len(busy) * 8 * self.n_columns**2 > _LARGE
        return run(work, chosen, shared=shared, of_parts=entries, apart=apart, traffic=self.traffic)

    def each(
        self, work: Work, *columns: Parts, shared: tuple[Any, ...] = (), width: int | None = None
    ) -> da.Array:
        """What ``work`` gives for each row, in float64, as an array of dask's."""
        tail = () if width is None else (width,)
        columns = (self.parts, *columns, graph.shared(shared, len(self.parts)))
        return as_array(
            layer(partial(_values_of_part, work, tail), columns), self.sizes, np.float64, tail
        )


def _values_of_part(work: Work, tail: tuple[int, ...], block: Any, *columns: Any) -> Array:
    """The numbers of each row of a part; of none where it has no rows."""
    if block.shape[0] == 0:
        return np.empty((0, *tail))
    values: Array = _with_shared(work, block, *columns)
    return values
