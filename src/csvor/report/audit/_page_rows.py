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

from csvor._mixture.mixture import rows_to_fit
from csvor._parts.engine import take
from csvor._rows.csr import is_sparse
from csvor._utils.lazy import is_lazy
from csvor.audit import WrongLabels

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PageRows:
    """Rows of an audit in memory: all of them, or those listed and others that they stand among.

    Totals of the `audit` are those of all rows; `positions` say, in their order, which are here.
    """

    audit: WrongLabels
    X: Any
    numbers: NDArray[Any]
    ids: Any
    positions: Rows

    def places(self, positions: Any) -> list[int]:
        """Where rows with these positions among all rows stand here."""
        found: list[int] = np.searchsorted(self.positions, positions).tolist()
        return found


def rows_for_page(
    audit: WrongLabels, X: Any, rows: Any, ids: Any, also: Sequence[int] = ()
) -> PageRows:
    """What a page shows of rows with these numbers (from 1, where there are none) and names.

    Rows at the positions `also` are here in any case.
    """
    n = audit.probability.size
    if not is_lazy(audit.probability):
        numbers = np.arange(1, n + 1) if rows is None else np.asarray(rows)
        for given, what in ((numbers, "rows"), (ids, "ids")):
            if given is not None and len(given) != n:
                raise ValueError(f"{what} has {len(given)} entries, the audit has {n} rows.")
        return PageRows(audit, X, numbers, ids, np.arange(n))
    in_parts: Any = audit.probability
    sizes = in_parts.chunks[0]
    chosen = np.unique(np.concatenate([audit.order, _beside(n, X), np.array(also, int)]))
    some = _some(audit, chosen)
    numbers = chosen + 1 if rows is None else np.asarray(_rows_of(rows, sizes, chosen, "rows"))
    names, features = (
        None if given is None else _rows_of(given, sizes, chosen, what)
        for given, what in ((ids, "ids"), (X, "X"))
    )
    return PageRows(some, features, numbers, names, chosen)


def _beside(n: int, X: Any) -> Rows:
    """Rows that the listed ones stand among: as many as may come here."""
    from csvor._parts.partitions import memory_limit

    width = 1 if X is None else np.shape(X)[1]
    return rows_to_fit(n)[: max(memory_limit() // (8 * width), 1)]


def _some(audit: WrongLabels, chosen: Rows) -> WrongLabels:
    """With entries of some rows alone."""
    lazy = [name for name, value in vars(audit).items() if is_lazy(value)]
    entries = take(chosen, *(getattr(audit, name) for name in lazy))
    found: dict[str, Any] = dict(zip(lazy, entries, strict=True))
    return replace(audit, **found, order=np.searchsorted(chosen, audit.order))


def _rows_of(X: Any, sizes: tuple[int, ...], chosen: Rows, name: str) -> Any:
    """Some rows of an array, a dataframe or a matrix, wherever they lie."""
    X = X if hasattr(X, "shape") else np.asarray(X)
    n, wanted = X.shape[0], sum(sizes)
    if isinstance(n, int | float) and not isnan(n) and n != wanted:  # else it is not known yet
        raise ValueError(f"{name} has {n} entries, the audit has {wanted} rows.")
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
    own = [(name, size, place - (end - size)) for place, end, size in places]
    busy = [i for i, (_, _, place) in enumerate(own) if place.size]
    (found,) = computed(layer(_of_part, [parts.take(busy)], [own[i] for i in busy]))
    if isinstance(found[0], pd.DataFrame | pd.Series):
        return pd.concat(found)
    return sparse.vstack(found, format="csr") if is_sparse(found[0]) else np.concatenate(found)


def _of_part(own: tuple[str, int, Rows], part: Any) -> Any:
    name, size, rows = own
    if part.shape[0] != size:
        raise ValueError(
            f"A partition of {name} has {part.shape[0]} rows, and {size} in the audit: give those "
            "of what was audited."
        )
    return _at(rows, part)


def _at(rows: Rows, part: Any) -> Any:
    return part.iloc[rows] if hasattr(part, "iloc") else part[rows]
