"""How do tables, notebooks and pages have the rows of an audit?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from csvor._labels import CodedLabels, refuse_other_order
from csvor._parts.engine import each, take
from csvor._utils.lazy import is_lazy

_Audit = TypeVar("_Audit")
# Rows that a notebook shows.
_FIRST = 10


def reported(audit: _Audit) -> _Audit:
    """The audit as tables and pages have its rows.

    Where nothing can be said they have no probability, and no other label than the one given.
    """
    one: Any = audit
    if one.conclusive:
        return audit
    names = ("probability", "suggested_probability")
    unknown: dict[str, Any] = {name: getattr(one, name) * np.nan for name in names}
    direction = each(partial(np.full_like, fill_value=""), np.dtype("U8"), one.direction)
    changed: _Audit = replace(one, suggested=one.given, direction=direction, **unknown)
    return changed


def passed(labels: Any) -> Any:
    """Labels as the user passed them; None for those that were coded before, or are lazy."""
    return None if isinstance(labels, CodedLabels) or is_lazy(labels) else labels


def is_polars(*data: Any) -> bool:
    """Whether the first that is a frame or a series of a library is one of polars."""
    libraries = (type(one).__module__.partition(".")[0] for one in data)
    return next((one for one in libraries if one in ("pandas", "polars")), "") == "polars"


@dataclass(frozen=True, eq=False)
class AuditedTable:
    """What the page of an audit shows of a table beside features: see `write_audit_report`.

    `id` is the column that names the rows.
    """

    target: str
    id: str | None
    conflicts: Sequence[NDArray[np.integer]]
    decided: Sequence[Mapping[str, Any]]


def row_names_of(audit: Any) -> Any:
    """What each row is called: by the index of the data, or its position."""
    if audit._index is not None:
        return audit._index
    return range(len(audit.given)) if audit._places is None else audit._places


def numbered(index: Any, positions: NDArray[np.integer]) -> Any:
    """The numbers of rows at some positions, from 1, indexed as `to_frame` of their audit is."""
    import pandas as pd

    counted = pd.Index(positions, name="position")
    only_counts = index is None or (index.name is None and counted.equals(index))
    return pd.Series(positions + 1, counted if only_counts else index)


def rows_in(audit: Any, X: Any) -> Any:
    """Where the rows audited are in data: of all rows, or of those audited alone."""
    n, n_rows, places = len(audit.given), len(X), audit._places
    if n_rows == n:
        refuse_other_order(audit._index, X=X)
        return np.arange(n)
    if places is None or n_rows <= places.max():
        raise ValueError(f"X has {n_rows} rows, and {n} were audited.")
    return places


def frame_of(audit: Any, names: Sequence[str], X: Any = None, polars: bool | None = None) -> Any:
    """The rows as a table, most suspect first, by the index of the data or their positions.

    The columns of X stand behind. It is one of polars where the data were, which has no index.
    """
    import pandas as pd

    polars = audit._polars if polars is None else polars
    order = audit.order
    rows = order if audit._places is None else audit._places[order]
    columns = take(order, *(getattr(reported(audit), name) for name in names))
    entries = dict(zip(names, columns, strict=True))
    names_of_rows = None if audit._index is None or polars else audit._index[order]
    index = numbered(names_of_rows, rows).index
    table = table_of(entries, index, polars)
    if X is None:
        return table
    part = _at(X, audit, polars)
    taken = {*table.columns, *({"position"} & {index.name})}
    double = [name for name in part.columns if name in taken]
    if double:
        raise ValueError(f"X has a column {double[0]!r}, as the audit has: rename that of X.")
    return table.hstack(part) if polars else pd.concat([table, part.set_axis(index)], axis=1)


def table_of(columns: Mapping[str, Any], index: Any, polars: bool) -> Any:
    """A table of pandas with an index; of polars with its values for the first column."""
    import pandas as pd

    table = pd.DataFrame(dict(columns), index)
    if not polars:
        return table
    import polars as pl

    return pl.from_pandas(table.reset_index())


def _at(X: Any, audit: Any, polars: bool) -> Any:
    """The rows of X that a table of an audit has."""
    import pandas as pd

    frames = hasattr(X, "iloc") or is_polars(X)
    values = X if frames else np.asarray(X)
    X = X if frames else pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])
    places = rows_in(audit, X)[audit.order]
    if polars and hasattr(X, "iloc"):
        import polars as pl

        X = pl.from_pandas(X)
    elif is_polars(X) and not polars:
        X = X.to_pandas()
    return X[places] if polars else X.iloc[places]


def html_of(summary: str, notes: Iterable[str], tables: Iterable[tuple[str, Any]]) -> str:
    """What a notebook shows: the answer, notes, and tables under their headings."""
    parts = [f"<p><strong>{escape(summary[:1].upper() + summary[1:])}.</strong></p>"]
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    for heading, table in tables:
        shown = table.head(_FIRST).to_html(float_format="{:.3f}".format, border=0)
        parts.append(f"<p>{escape(heading)}</p>\n{shown}")
    return "\n".join(parts)


def tables_of(audit: Any) -> Iterable[tuple[str, Any]]:
    """Which labels should be which, and the first suspects; nothing where nothing can be said."""
    import pandas as pd

    if not audit.conclusive:
        return
    if audit.named and isinstance(audit.flagged, np.ndarray):
        names = ["given", "suggested"]
        of_flagged = (getattr(audit, name)[audit.flagged] for name in names)
        rows, columns = (pd.Categorical(one, audit.classes) for one in of_flagged)
        counts = pd.crosstab(rows, columns, rownames=names[:1], colnames=names[1:])
        yield "Flagged rows by the label given and the one suggested", counts
    names = ["given", "suggested", "probability", "direction", "flagged"]
    yield "The most suspect rows (to_frame() has all)", frame_of(audit, names, polars=False)
