"""Which rows does a page need, and how do they come here where rows lie in partitions?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from csvor._mixture.objective import rows_to_fit
from csvor._parts.engine import take
from csvor._rows.csr import is_sparse
from csvor._utils.lazy import is_lazy
from csvor.audit import WrongLabels

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PageRows:
    """Rows of an audit in memory: all of them, or those listed and others that they stand among.

    Totals of the `audit` are those of all rows; `positions` say, in their order, which are here.
    `cells` are columns of X as they were written.
    """

    audit: WrongLabels
    X: Any
    numbers: NDArray[Any]
    ids: Any
    positions: Rows
    cells: Any = None

    def places(self, positions: Any) -> list[int]:
        """Where rows with these positions among all rows stand here."""
        return list(np.searchsorted(self.positions, positions))


def rows_for_page(
    audit: WrongLabels, X: Any, rows: Any, ids: Any, also: Sequence[int] = (), cells: Any = None
) -> PageRows:
    """What a page shows of rows with these numbers (from 1, where there are none) and names.

    Rows at the positions `also` are here in any case.
    """
    n = audit.probability.size
    if not is_lazy(audit.probability):
        numbers = np.arange(1, n + 1) if rows is None else np.asarray(rows)
        for column, name in ((numbers, "rows"), (ids, "ids"), (cells, "cells")):
            if column is not None:
                _check_length(name, len(column), n)
        return PageRows(audit, X, numbers, ids, np.arange(n), cells)
    in_parts: Any = audit.probability
    sizes = in_parts.chunks[0]
    chosen = np.unique(np.concatenate([audit.order, _beside(n, X), np.array(also, int)]))
    some = _some(audit, chosen)
    numbers = chosen + 1 if rows is None else np.asarray(_rows_of(rows, sizes, chosen, "rows"))
    names, features, written = (
        None if column is None else _rows_of(column, sizes, chosen, name)
        for column, name in ((ids, "ids"), (X, "X"), (cells, "cells"))
    )
    return PageRows(some, features, numbers, names, chosen, written)


def _beside(n: int, X: Any) -> Rows:
    """Rows that the listed ones stand among: as many as may come here."""
    from csvor._parts.partitions import memory_limit

    width = 1 if X is None else np.shape(X)[1]
    return rows_to_fit(n)[: max(memory_limit() // (8 * width), 1)]


def _some(audit: WrongLabels, chosen: Rows) -> WrongLabels:
    """With entries of some rows alone."""
    lazy = [name for name, value in vars(audit).items() if is_lazy(value)]
    entries = take(chosen, *(getattr(audit, name) for name in lazy))
    some: Any = dict(zip(lazy, entries, strict=True))
    return replace(audit, **some, order=np.searchsorted(chosen, audit.order))


def _check_length(name: str, n: float, wanted: int) -> None:
    if n != wanted:
        raise ValueError(f"{name} has {n} entries, the audit has {wanted} rows.")


def _rows_of(X: Any, sizes: tuple[int, ...], chosen: Rows, name: str) -> Any:
    """Some rows of an array, a dataframe or a matrix, wherever they lie."""
    X = X if hasattr(X, "shape") else np.asarray(X)
    n, wanted = X.shape[0], sum(sizes)
    if isinstance(n, int | float) and not isnan(n):  # else it is not known yet
        _check_length(name, n, wanted)
    if not is_lazy(X):
        return _at(chosen, X)
    from csvor._parts.graph import Parts, computed, layer

    if hasattr(X, "rechunk") and n == wanted:
        X = X.rechunk({0: sizes, **dict.fromkeys(range(1, X.ndim), -1)})
    parts = Parts.of(X)
    if len(parts) != len(sizes):
        raise ValueError(
            f"{name} has {len(parts)} partitions, the audit {len(sizes)}: give those of what was "
            "audited."
        )
    ends = np.cumsum(sizes)
    places = zip(np.split(chosen, np.searchsorted(chosen, ends[:-1])), ends, sizes, strict=True)
    wanted_of = [(name, size, place - (end - size)) for place, end, size in places]
    busy = [i for i, (_, _, rows) in enumerate(wanted_of) if rows.size]
    (taken,) = computed(layer(_of_part, [parts.take(busy)], [wanted_of[i] for i in busy]))
    if isinstance(taken[0], pd.DataFrame | pd.Series):
        return pd.concat(taken)
    return sparse.vstack(taken, format="csr") if is_sparse(taken[0]) else np.concatenate(taken)


def _of_part(wanted: tuple[str, int, Rows], part: Any) -> Any:
    name, size, rows = wanted
    if part.shape[0] != size:
        raise ValueError(
            f"A partition of {name} has {part.shape[0]} rows, and {size} in the audit: give those "
            "of what was audited."
        )
    return _at(rows, part)


def _at(rows: Rows, part: Any) -> Any:
    return part.iloc[rows] if hasattr(part, "iloc") else part[rows]
