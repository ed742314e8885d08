"""Do numbers lie elsewhere, and how do some of those that each row has, or sums, come here?

Whatever asks goes on with arrays, or with dask's, which know most of the same operations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_lazy(data: Any) -> bool:
    """Tell dask's collections, without an import of it."""
    return hasattr(type(data), "__dask_graph__")


def taken(rows: NDArray[np.intp], *of_rows: Any) -> list[NDArray[Any]]:
    """Of each array those of some rows, here."""
    if not is_lazy(of_rows[0]):
        return [array[rows] for array in of_rows]
    from csvor._rows.partitions import picked
    from csvor._rows.parts import Parts

    return list(picked(Parts.of_all(*of_rows), of_rows[0].chunks[0], rows))


def added_up(work: Callable[..., tuple[Any, ...]], *of_rows: Any) -> tuple[Any, ...]:
    """The sums that ``work`` makes of arrays, one of each, added up over partitions."""
    if not is_lazy(of_rows[0]):
        return work(*of_rows)
    from csvor._rows.partitions import run
    from csvor._rows.parts import Parts

    busy = np.flatnonzero(of_rows[0].chunks[0]).tolist()
    columns = [parts.take(busy) for parts in Parts.of_all(*of_rows)]
    return run(partial(_sums_alone, work), columns)[0]


def _sums_alone(work: Callable[..., tuple[Any, ...]], *of_rows: Any) -> tuple[Any, tuple[()]]:
    return work(*of_rows), ()


def rows_where(mask: Any) -> NDArray[np.intp]:
    """The rows of which it is true, here."""
    if not is_lazy(mask):
        return np.flatnonzero(mask)
    from csvor._rows.partitions import run
    from csvor._rows.parts import Parts

    starts = np.cumsum([0, *mask.chunks[0][:-1]])
    _, (found,) = run(_rows_where, [Parts.of(mask)], own=starts.tolist())
    rows: NDArray[np.intp] = found
    return rows


def _rows_where(start: int, mask: NDArray[np.bool_]) -> tuple[tuple[()], tuple[Any]]:
    return (), (start + np.flatnonzero(mask),)
