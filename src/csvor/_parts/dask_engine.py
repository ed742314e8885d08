"""How are rows in partitions of dask asked?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from csvor._parts.graph import Parts, as_array, layer, persisted
from csvor._parts.partitions import gather, run


class InPartitions:
    """Rows in partitions: `Engine` in tasks, one for each of them."""

    def each(
        self, func: Callable[..., Any], dtype: Any, columns: Sequence[Any], width: int | None
    ) -> da.Array:
        parts, tail = layer(func, Parts.of_all(*columns)), () if width is None else (width,)
        return as_array(parts, columns[0].chunks[0], dtype, tail)

    def total(
        self, func: Callable[..., Any], columns: Sequence[Any], shared: tuple[Any, ...]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        sizes = columns[0].chunks[0]
        parts = Parts.of_all(*columns)
        # Where no partition has rows, the first says what sums and rows look like.
        busy = np.flatnonzero(sizes).tolist() or [0]
        starts = np.cumsum([0, *sizes[:-1]])[busy].tolist()
        return run(func, [column.take(busy) for column in parts], of_parts=starts, shared=shared)

    def take(self, rows: NDArray[np.intp], columns: Sequence[Any]) -> list[NDArray[Any]]:
        return list(gather(Parts.of_all(*columns), columns[0].chunks[0], rows))

    def persist(self, column: da.Array) -> da.Array:
        return persisted(column)
