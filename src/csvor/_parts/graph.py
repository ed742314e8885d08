"""How is work laid over the parts of dask's collections, one task for each?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self
from uuid import uuid4

import dask.array as da
from dask._task_spec import Alias, Task, TaskRef
from dask.base import compute_as_if_collection
from dask.core import flatten
from dask.delayed import Delayed, delayed
from dask.highlevelgraph import HighLevelGraph

from csvor._utils.threads import one_of_many

Work = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Parts:
    """Something in parts that dask holds; ``then`` makes of each what it stands for."""

    graph: HighLevelGraph
    keys: list[Any]
    then: Work | None = None

    @classmethod
    def of(cls, collection: Any) -> Self:
        """The parts of an array in one dimension, of a dataframe, or a list of values."""
        if isinstance(collection, da.Array):
            return cls.of_all(collection)[0]
        if isinstance(collection, list):
            collection = [delayed(value, pure=False, traverse=False) for value in collection]
        else:  # optimised further, columns of one frame would be cut into other parts than others
            collection = collection.simplify().to_delayed(optimize_graph=False)
        collection = list(collection)
        graphs = [part.dask for part in collection]  # held: some are made when they are asked for
        distinct = {id(graph): graph for graph in graphs}
        return cls(HighLevelGraph.merge(*distinct.values()), [part.key for part in collection])

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


def layer(work: Work, columns: Sequence[Parts], of_parts: Sequence[Any] = ()) -> Parts:
    """``work(entry of of_parts, part of each column)`` of each part, one task each."""
    thens = tuple(column.then for column in columns)
    places = zip(*(column.keys for column in columns), strict=True)
    entries = [(one,) for one in of_parts] if len(of_parts) else [()] * len(columns[0])
    calls = [
        (partial(_task, work, thens, entry), *keys)
        for keys, entry in zip(places, entries, strict=True)
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


def _task(work: Work, thens: tuple[Work | None, ...], entry: tuple[Any, ...], *parts: Any) -> Any:
    with one_of_many():
        made = [
            part if then is None else then(part) for part, then in zip(parts, thens, strict=True)
        ]
        return work(*entry, *made)


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


def persisted(array: da.Array) -> da.Array:
    """The same numbers of rows, held where these lie, under names of their own.

    A graph in which names that are held stand for work would tell the scheduler two things of one.
    """
    (parts,) = Parts.of_all(array)
    held: da.Array = as_array(parts, array.chunks[0], array.dtype).persist(optimize_graph=False)
    return held


def _same(part: Any) -> Any:
    return part


def shared(values: Any, n_parts: int) -> Parts:
    """The same for all parts, sent once."""
    one = delayed(values, pure=False, traverse=False)
    return Parts(HighLevelGraph.merge(one.dask), [one.key] * n_parts)


def in_tree(work: Work, parts: Parts, fan_in: int) -> Parts:
    """All parts made one by ``work``, so many at a time, always in the same order."""
    while len(parts) > 1:
        groups = [parts.keys[i : i + fan_in] for i in range(0, len(parts), fan_in)]
        parts = _tasks([(work, *group) for group in groups], parts)
    return parts


def each_of(work: Work, parts: Parts) -> Parts:
    """What ``work`` makes of each, by a task without more ado."""
    return _tasks([(work, key) for key in parts.keys], parts)
