"""Which labels of a frame were checked before, and what does its audit know of its rows?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._decisions.decision import KINDS, RELABEL, as_saved, id_column
from csvor._labels import index_of, refuse_other_order
from csvor._tables.column_uses import ColumnUses
from csvor._tables.frames import table_of_frame
from csvor._tables.header_rows import refuse_further_headers
from csvor._tables.prepare import TableColumns
from csvor._tables.review import (
    Review,
    checked_before,
    decisions_from,
    faults_of_decisions,
    review_of,
    reviewed_target,
)
from csvor._tables.roles import Roles
from csvor._tables.table import Table, TableColumn
from csvor._utils.spelling import format_value, normal
from csvor._utils.words import some_of
from csvor.audit._applied import relabelled, taken
from csvor.audit._labelling import check_confirmed, check_original
from csvor.audit._reported import AuditedTable, is_polars, numbered

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FrameRows:
    """The rows of a frame and of the table made of it.

    An `earlier` review has set labels of the frame, and what was `decided` is to be carried out.
    """

    frame: Any
    table: Table
    roles: Roles
    earlier: Review | None
    decided: Review | None

    @classmethod
    def of(
        cls, frame: Any, roles: Roles, declared: Sequence[str],
        reviewed: Any, confirmed: Any, original: Any,
    ) -> FrameRows:  # fmt: skip
        """By the arguments of `audit_table`; `declared` are the classes."""
        refuse_other_order(frame, confirmed=confirmed, original=original)
        table = table_of_frame(frame, "frame")
        refuse_further_headers(table.source, list(table.columns.values()))
        column = table.column(roles.target, "--target")
        decided = None
        if reviewed is not None:
            with faults_of_decisions():
                numbers = numbered(index_of(frame), np.arange(table.n_rows))
                decisions = decisions_from(reviewed, "reviewed", numbers)
                reviewed_target(decisions.source, decisions.target, column.name)
                by_line = dict(enumerate(decisions, start=1))
                whole = _with_index(table, frame)
                decided = review_of(decisions.source, by_line, {}, whole, column, declared)
        return cls(frame, table, roles, _earlier(column, confirmed, original, declared), decided)

    @property
    def review(self) -> Review | None:
        """Both."""
        if self.earlier is None or self.decided is None:
            return self.earlier or self.decided
        return self.decided.after(self.earlier)

    def kept(self, work: TableColumns, original: Any) -> dict[str, Any]:
        """What the audit keeps of the frame: labels, index, and what its page shows."""
        rows, index = work.target.rows, index_of(self.frame)
        is_whole = len(rows) == self.table.n_rows
        if not is_whole and hasattr(self.frame, "iloc"):
            index = self.frame.index[rows]
        names = getattr(self.frame, "column_names", None) or list(self.frame.columns)
        name = next(one for one in names if normal(one.strip()) == work.target.name)
        before = taken(self.frame[name], rows)
        labels = before if self.decided is None else self._labels(work, before)
        return {
            "_labels": labels,
            "_original": taken(original, rows) if original is not None
            else None if self.decided is None else before,
            "_index": index,
            "_polars": is_polars(self.frame),
            "_places": None if is_whole else rows,
            "_table": AuditedTable(
                work.target.name, self.roles.id, work.repeats.conflicts, self._saved()
            ),
        }  # fmt: skip

    def _saved(self) -> list[dict[str, Any]]:
        """What was decided as a page saves it, with the names of the rows."""
        if self.decided is None:
            return []
        rows, index = self.decided.positions(*KINDS), index_of(self.frame)
        ids = ColumnUses(self.roles).ids(self.table, rows)
        if ids is None and index is not None:
            ids = list(map(format_value, index[rows]))
        id_name = self.roles.id or getattr(index, "name", None)
        return as_saved(self.decided, id_column(id_name), ids)

    def _labels(self, work: TableColumns, before: Any) -> Any:
        """The labels of the rows audited in their container, new ones in place."""
        assert self.decided is not None
        rows, of_text = work.target.rows, {format_value(one): one for one in work.target.classes}
        texts = self.table.columns[work.target.name].take(rows).texts
        values = np.empty(len(rows), dtype=object)
        values[:] = [of_text.get(text, text) for text in texts]
        of_row = dict(zip(rows.tolist(), range(len(rows)), strict=True))
        new = {
            of_row[one.position]: of_text.get(one.label, one.label)
            for one in self.decided.of(RELABEL)
            if one.position in of_row
        }
        return relabelled(before, values, new, np.arange(len(rows)))


def _with_index(table: Table, frame: Any) -> Table:
    """The table with an index that has a name: it tells rows apart as a column does."""
    index = index_of(frame)
    if index is None or index.name in (None, *table.columns):
        return table
    return table_of_frame(frame.reset_index(names=str(index.name)), table.source)


def _earlier(
    column: TableColumn, confirmed: Any, original: Any, declared: Sequence[str]
) -> Review | None:
    """The review whose labels a frame has."""
    if confirmed is None and original is None:
        return None
    n, before = len(column.values), column
    mask = np.zeros(n, bool) if confirmed is None else check_confirmed(confirmed, n)
    if original is not None:
        if len(original) != n:
            raise ValueError(f"original has {len(original)} labels, and the frame {n} rows.")
        labels = pd.DataFrame({"label": np.asarray(original, dtype=object)})
        before = table_of_frame(labels, "original").columns["label"]
        unknown = [one for one in dict.fromkeys(before.texts) if declared and one not in declared]
        if unknown:
            raise ValueError(
                f"original has labels that are not among the classes: {some_of(unknown, 5)}. "
                "Correct these, or list every class in classes=[...]."
            )
        codes, _ = pd.factorize(np.array([*before.texts, *column.texts], dtype=object))
        check_original(codes[:n], codes[n:], mask)
    return checked_before(column, mask, before)
