"""What was decided about the labels of a table, row by row, and does it fit that table?"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._decisions.checks import ByLine, Faults, ReviewedRows, fitting
from csvor._decisions.decision import KEEP, RELABEL, Decision, Decisions
from csvor._decisions.faults import MOST, DecisionsError, refuse
from csvor._decisions.read import decisions_of, read_decisions
from csvor._faults.errors import CommandError, FaultsError, UsageError
from csvor._faults.errors import Faults as CommandFaults
from csvor._faults.fault import fault
from csvor._tables.frames import row_names, table_of_frame
from csvor._tables.relabel import relabelled
from csvor._tables.table import Table, TableColumn
from csvor._utils.spelling import format_value

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Review(Decisions):
    """Decisions on the column `target` of a table of `n_rows`, with labels spelled as there."""

    n_rows: int = 0

    def positions(self, *kinds: str) -> Rows:
        """The rows with such decisions, from 0."""
        return np.array([d.position for d in self.of(*kinds)], dtype=np.int64)

    def applied(self, column: TableColumn) -> TableColumn:
        """The column of the labels, of all rows or some, with the new ones in place."""
        new = {d.position: d.label for d in self.of(RELABEL)}
        rows = np.intersect1d(self.positions(RELABEL), column.rows)
        labels = {i: new[row] for i, row in zip(column.positions(rows), rows, strict=True)}
        return replace(column, values=relabelled(column.values, labels))

    def within(self, first: int, n_rows: int) -> "Review":
        """What is decided on some rows that follow each other, counted from the first of them."""
        here = [d for d in self.decisions if first <= d.position < first + n_rows]
        moved = tuple(replace(d, row=d.row - first) for d in here)
        return replace(self, decisions=moved, n_rows=n_rows)

    def before(self, classes: Sequence[Any], rows: Rows, codes: Rows) -> Rows:
        """The codes of labels, of rows in rising order, as they were before the review."""
        codes, last = codes.copy(), len(classes) - 1
        known = {format_value(label): code for code, label in enumerate(classes)}
        label_before = {d.position: d.old_label for d in self.of(RELABEL)}
        here = np.intersect1d(self.positions(RELABEL), rows)
        for i, row in zip(np.searchsorted(rows, here).tolist(), here.tolist(), strict=True):
            # A label that no row has any more is a class no more: as far off as there is one.
            codes[i] = known.get(label_before[row], 0 if 2 * codes[i] > last else last)
        return codes

    def after(self, earlier: "Review") -> "Review":
        """As one with an `earlier` review, whose labels the table has."""
        decided = {d.row: d for d in earlier}
        for d in self:
            first = decided.get(d.row, d)
            if first is d or d.decision != KEEP:
                decided[d.row] = replace(d, old_label=first.old_label)
        return replace(self, decisions=tuple(decided.values()))


def review_of(
    source: str,
    decided: ByLine,
    faults: Faults,
    table: Table,
    column: TableColumn,
    declared: Sequence[str],
    all_applied: Callable[[int], None] | None = None,
    *,
    audit: str = "",
    has_cells: bool = False,
) -> Review:
    """Decisions by the lines of their file, which have `faults`, checked against the table.

    With `has_cells`, cells of the table are what they were in a file, and checks of them hold.
    """
    rows = ReviewedRows(
        data=table.source,
        where=f"in column '{column.name}' of {table.source}",
        target=column.name,
        n_rows=table.n_rows,
        texts=lambda name, rows: table.columns[name].take(rows).texts,
        columns=table.columns,
        labels=list(filter(None, dict.fromkeys([
            *column.coded[1], *map(format_value, column.levels or ()), *declared,
        ]))),
        no_such=f"no row of column '{column.name}'",
        remedy="--classes names classes without rows",
        has_cells=has_cells,
    )  # fmt: skip
    fitting(source, decided, faults, rows, all_applied)
    refuse(faults)
    return Review(source, column.name, tuple(decided.values()), audit, table.n_rows)


def checked_before(now: TableColumn, confirmed: NDArray[np.bool_], before: TableColumn) -> Review:
    """An earlier review that confirmed some labels, and has set those that were others before."""
    old, new, decided = before.texts, now.texts, []
    for i in np.flatnonzero(confirmed).tolist():
        kind = KEEP if old[i] == new[i] else RELABEL
        decided.append(Decision(i + 1, old[i], kind, new[i] if kind == RELABEL else ""))
    return Review("confirmed", now.name, tuple(decided), n_rows=len(new))


def decisions_from(reviewed: Any, name: str, rows: Any) -> Decisions:
    """Decisions as they are, or of a CSV file, or of a frame with the columns of such a file.

    One without ``row`` is indexed as `rows`, a series of numbers from 1, or has a column of the
    name of its index: as `to_frame` of an audit is, but not where an index only counts, or has
    another name.
    What is none of these is a TypeError, which calls it `name`.
    """
    if isinstance(reviewed, Decisions):
        return reviewed
    if isinstance(reviewed, str | PathLike):
        return read_decisions(reviewed)
    row_names(reviewed, name)
    columns = table_of_frame(reviewed, name).columns
    cells = {one: column.texts for one, column in columns.items()}
    if "row" not in cells and (index := _index_in(reviewed, columns, rows.index.name)) is not None:
        cells.pop(rows.index.name, None)
        cells["row"] = _rows_by_index(index, rows, name)
    return decisions_of(name, cells)


def _index_in(frame: Any, columns: dict[str, TableColumn], name: Any) -> Any:
    """The index, or the column of its name, that names rows in a frame; None where none does."""
    index: Any = frame.index if isinstance(frame, pd.DataFrame) else pd.RangeIndex(0)
    counts = isinstance(index, pd.RangeIndex)
    # An index that has become a column leaves one that counts lines, in any order once sorted.
    if name in columns and (counts or index.name is None):
        return pd.Index(columns[name].values.to_pandas())
    return None if counts or index.name not in (None, name) else index


def _rows_by_index(index: Any, rows: Any, name: str) -> list[str]:
    """The numbers of rows that a frame has by its index."""
    what = f"{name}: rows are named by the index, without a column 'row', and "
    if not rows.index.is_unique:
        double = format_value(rows.index[rows.index.duplicated()][0])
        raise DecisionsError([f"{what}several rows of the data are '{double}'; add 'row', from 1"])
    unknown = index.difference(rows.index)
    if len(unknown):
        gone = format_value(unknown[0])
        raise DecisionsError([f"{what}no row of the data that can be decided on is '{gone}'"])
    return [str(row) for row in rows.loc[index]]


class DecisionFaults(CommandFaults):
    """Collects what is wrong with decisions, a wrong use of a command too."""

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep what ends the work inside."""
        try:
            yield
        except DecisionsError as error:
            self.errors += map(CommandError, error.faults)
        except CommandError as error:
            self.add(error)


@contextmanager
def faults_of_decisions() -> Iterator[DecisionFaults]:
    """Say what is wrong with decisions as commands say it, all of it at the end."""
    faults = DecisionFaults()
    with faults.collected():
        yield faults
    if len(faults.errors) > 1:
        raise FaultsError(faults.errors, most=MOST)
    faults.refuse()


def reviewed_target(source: str, named: str, asked: str | None, has_column: bool = True) -> str:
    """The column that decisions are about, which they name themselves or the user does."""
    if asked is None and not named:
        raise UsageError(fault("blank-target" if has_column else "no-target", source=source))
    if asked is not None and named and named != asked:
        raise UsageError(fault("other-target", source=source, name=named, asked=asked))
    return asked or named
