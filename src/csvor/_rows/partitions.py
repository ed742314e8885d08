"""How is something asked of rows that lie in partitions, and what comes back?

Dask holds the partitions and runs the work, by whatever scheduler is the current one. Sums are
added up in a tree, always in the same order; rows that are asked for come from each partition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, Self
from uuid import uuid4

import dask.array as da
import numpy as np
from dask import config
from dask._task_spec import Alias, Task, TaskRef
from dask.base import compute_as_if_collection
from dask.core import flatten
from dask.delayed import Delayed, delayed
from dask.highlevelgraph import HighLevelGraph
from dask.utils import parse_bytes
from numpy.typing import NDArray
from scipy import sparse

from csvor._rows.csr import is_sparse
from csvor._utils.threads import one_of_many

Array = NDArray[np.float64]
Work = Callable[..., Any]

# Sums that are added up at once, and bytes of them that are too many to come here one by one.
_FAN_IN, _LARGE = 8, 2**24


def room() -> int:
    """Bytes of rows that may be brought here at once: the setting ``csvor.room`` of dask."""
    return int(parse_bytes(config.get("csvor.room", "256 MiB")))


@dataclass
class Traffic:
    """What was asked so far."""

    passes: int = 0
    bytes_out: int = 0
    bytes_back: int = 0


@dataclass(frozen=True, eq=False)
class Parts:
    """Something in parts that dask holds; ``then`` makes of each what it stands for."""

    graph: HighLevelGraph
    keys: list[Any]
    then: Work | None = None

    @classmethod
    def of(cls, collection: Any) -> Self:
        """The parts of an array in one dimension, of a dataframe, or a list of values."""
        if isinstance(collection, list):
            collection = [delayed(value, pure=False, traverse=False) for value in collection]
        elif isinstance(collection, da.Array):
            collection = collection.to_delayed().flat
        else:  # optimised further, columns of one frame would be cut into other parts than others
            collection = collection.simplify().to_delayed(optimize_graph=False)
        collection = list(collection)
        graphs = {id(part.dask): part.dask for part in collection}
        return cls(HighLevelGraph.merge(*graphs.values()), [part.key for part in collection])

    @classmethod
    def of_all(cls, *arrays: Any) -> list[Self]:
        """Those of arrays that may share work: it is done once, since no task is fused into two."""
        return [cls(array.dask, list(flatten(array.__dask_keys__()))) for array in arrays]

    def __len__(self) -> int:
        return len(self.keys)

    def under(self, work: Work) -> Parts:
        """What ``work`` makes of each."""
        before = self.then
        return Parts(
            self.graph, self.keys, work if before is None else partial(_after, before, work)
        )

    def take(self, places: Sequence[int]) -> Parts:
        return Parts(self.graph, [self.keys[i] for i in places], self.then)


def _after(before: Work, work: Work, part: Any) -> Any:
    return work(before(part))


def layer(work: Work, columns: Sequence[Parts], own: Sequence[Any] = ()) -> Parts:
    """``work(what is its own, part of each column)`` of each part, one task each."""
    thens = tuple(column.then for column in columns)
    places = zip(*(column.keys for column in columns), strict=True)
    given = [(one,) for one in own] if len(own) else [()] * len(columns[0])
    calls = [
        (partial(_task, work, thens, alone), *keys)
        for keys, alone in zip(places, given, strict=True)
    ]
    return _tasks(calls, *columns)


def _tasks(calls: list[tuple[Any, ...]], *columns: Parts) -> Parts:
    """Calls, each of a function and keys of what it is called with, that stand on columns."""
    name = f"csvor-{uuid4().hex}"
    tasks = {
        (name, i): Task((name, i), call[0], *map(TaskRef, call[1:])) for i, call in enumerate(calls)
    }
    return _standing(name, tasks, *columns)


def _standing(name: str, tasks: dict[Any, Any], *columns: Parts) -> Parts:
    graph = _merged(*columns)
    below = {**graph.dependencies, name: set(graph.layers)}
    return Parts(HighLevelGraph({**graph.layers, name: tasks}, below), list(tasks))


def _merged(*columns: Parts) -> HighLevelGraph:
    return HighLevelGraph.merge(*{id(column.graph): column.graph for column in columns}.values())


def _task(work: Work, thens: tuple[Work | None, ...], own: tuple[Any, ...], *parts: Any) -> Any:
    with one_of_many():
        made = [
            part if then is None else then(part) for part, then in zip(parts, thens, strict=True)
        ]
        return work(*own, *made)


def computed(*columns: Parts) -> tuple[list[Any], ...]:
    """What they are, here."""
    graph = _merged(*columns)
    keys = [column.keys for column in columns]
    return tuple(map(list, compute_as_if_collection(Delayed, graph, keys)))


def as_array(
    parts: Parts, sizes: Sequence[float], dtype: Any, tail: tuple[int, ...] = ()
) -> da.Array:
    """Parts with so many rows each (nan: not known) as one array; ``then`` is done by a task."""
    parts = layer(_same, [parts])
    name, ends = parts.keys[0][0], (0,) * len(tail)
    if tail:
        name = f"{name}-columns"
        renamed: dict[Any, Any] = {(name, i, *ends): key for i, key in enumerate(parts.keys)}
        tasks = {key: Alias(key, target) for key, target in renamed.items()}
        parts = _standing(name, tasks, parts)
    chunks = (tuple(sizes), *((width,) for width in tail))
    return da.Array(parts.graph, name, chunks, dtype=dtype)


def _same(part: Any) -> Any:
    return part


def run(
    work: Work,
    columns: Sequence[Parts],
    *,
    given: tuple[Any, ...] = (),
    own: Sequence[Any] = (),
    apart: bool = False,
    traffic: Traffic | None = None,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """``work(what is its own, part of each column, *given)`` of each part.

    It gives two tuples: what is added up over the parts, and what is put one after the other. Sums
    that are large are added up ``apart``, in a tree.
    """
    answers = layer(partial(_with, work), [*columns, shared(given, len(columns[0]))], own)
    if apart:
        sums = _tree(_tasks([(itemgetter(0), key) for key in answers.keys], answers))
        rows = _tasks([(itemgetter(1), key) for key in answers.keys], answers)
        (found,), listed = computed(sums, rows)
    else:
        (answered,) = computed(answers)
        found = _added(*(sums for sums, _ in answered))
        listed = [rows for _, rows in answered]
        del answered
    if traffic is not None:
        traffic.passes += 1
        traffic.bytes_out += len(listed) * _bytes_of(given)
        traffic.bytes_back += len(listed) * _bytes_of(found) + _bytes_of(listed)
    return found, tuple(_joined(listed, i) for i in range(len(listed[0])))


def shared(values: Any, n_parts: int) -> Parts:
    """The same for all parts, sent once."""
    one = delayed(values, pure=False, traverse=False)
    return Parts(HighLevelGraph.merge(one.dask), [one.key] * n_parts)


def _with(work: Work, *given: Any) -> Any:
    *before, shared = given
    return work(*before, *shared)


def _tree(sums: Parts) -> Parts:
    while len(sums) > 1:
        groups = [sums.keys[i : i + _FAN_IN] for i in range(0, len(sums), _FAN_IN)]
        sums = _tasks([(_added, *group) for group in groups], sums)
    return sums


def _added(*parts: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(sum(of_one[1:], of_one[0]) for of_one in zip(*parts, strict=True))


def picked(
    columns: Sequence[Parts],
    sizes: Sequence[int],
    rows: NDArray[np.intp],
    traffic: Traffic | None = None,
) -> tuple[Any, ...]:
    """Some rows of all columns, in the order asked for."""
    order, ends = np.argsort(rows, kind="stable"), np.cumsum(sizes)
    cuts = np.searchsorted(rows[order], ends[:-1])
    starts = ends - np.array(sizes)
    own = [part - start for part, start in zip(np.split(rows[order], cuts), starts, strict=True)]
    busy = [i for i, positions in enumerate(own) if positions.size]
    given = [own[i] for i in busy]
    _, found = run(_pick, [parts.take(busy) for parts in columns], own=given, traffic=traffic)
    if traffic is not None:
        traffic.bytes_out += rows.nbytes
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return found if np.array_equal(order, back) else tuple(array[back] for array in found)


def _pick(positions: NDArray[np.intp], *arrays: Any) -> tuple[tuple[()], tuple[Any, ...]]:
    return (), tuple(array[positions] for array in arrays)


def _joined(listed: list[tuple[Any, ...]], i: int) -> Any:
    """The i-th of what parts gave, one after the other; each is let go once it is copied."""
    first = listed[0][i]
    if is_sparse(first):
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
    if is_sparse(values):
        return int(values.data.nbytes + values.indices.nbytes + values.indptr.nbytes)
    if isinstance(values, tuple | list):
        return sum(map(_bytes_of, values))
    return int(getattr(values, "nbytes", 8))


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

    @cached_property
    def starts(self) -> list[int]:
        """The first row of each part."""
        return [0, *np.cumsum(self.sizes[:-1]).tolist()]

    @property
    def row_bytes(self) -> int:
        """What a row takes here, with code, cost, score and loss."""
        return self.n_columns * self.dtype.itemsize + 28

    def ask(
        self, work: Work, *columns: Parts, given: tuple[Any, ...] = (), own: Sequence[Any] = ()
    ) -> tuple[Any, Any]:
        """`run` over the parts that have rows."""
        busy = [i for i, size in enumerate(self.sizes) if size]
        chosen = [parts.take(busy) for parts in (self.parts, *columns)]
        alone = [own[i] for i in busy] if own else ()
        apart = len(busy) * 8 * self.n_columns**2 > _LARGE
        return run(work, chosen, given=given, own=alone, apart=apart, traffic=self.traffic)

    def each(
        self, work: Work, *columns: Parts, given: tuple[Any, ...] = (), width: int | None = None
    ) -> da.Array:
        """What ``work`` gives for each row, in float64, as an array of dask's."""
        tail = () if width is None else (width,)
        columns = (self.parts, *columns, shared(given, len(self.parts)))
        return as_array(layer(partial(_of_part, work, tail), columns), self.sizes, np.float64, tail)


def _of_part(work: Work, tail: tuple[int, ...], block: Any, *given: Any) -> Array:
    """The numbers of each row of a part; of none where it has no rows."""
    if block.shape[0] == 0:
        return np.empty((0, *tail))
    found: Array = _with(work, block, *given)
    return found
