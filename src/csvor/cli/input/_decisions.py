"""What was decided about the labels of a file, row by row, and does it fit that file?"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._decisions.checks import (
    Cells,
    ReviewedRows,
    check_columns,
    decided_by_line,
    fitting,
    one_command,
    one_target,
)
from csvor._decisions.decision import RELABEL, Decisions
from csvor._decisions.faults import MOST, DecisionsError, refuse
from csvor._decisions.read import decisions_of
from csvor._faults.errors import CommandError, FaultsError, UsageError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.table import Table, TableColumn
from csvor._utils.spelling import format_value
from csvor.cli._follow_up import how_to_go_on, read_command, read_record
from csvor.cli.input._csv import split_list
from csvor.cli.input._read import read_table
from csvor.cli.input._relabel import relabelled


@dataclass(frozen=True)
class Review(Decisions):
    """Decisions on the column `target` of a table of `n_rows`, with labels spelled as there."""

    n_rows: int = 0

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the audit that was reviewed, if they are known."""
        return read_command(self.audit)

    def positions(self, *kinds: str) -> NDArray[np.int64]:
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

    def before(
        self, classes: Sequence[Any], rows: NDArray[np.int64], codes: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The codes of labels, of rows in rising order, as they were before the review."""
        codes, last = codes.copy(), len(classes) - 1
        known = {format_value(label): code for code, label in enumerate(classes)}
        label_before = {d.position: d.old_label for d in self.of(RELABEL)}
        here = np.intersect1d(self.positions(RELABEL), rows)
        for i, row in zip(np.searchsorted(rows, here).tolist(), here.tolist(), strict=True):
            # A label that no row has any more is a class no more: as far off as there is one.
            codes[i] = known.get(label_before[row], 0 if 2 * codes[i] > last else last)
        return codes


def read_review(
    source: str, table: Table, target: str | None, classes: str | None, notes: Notes
) -> Review:
    """Decisions that have been checked against the table; a `target` of None is read as well."""
    if source == "-" and table.source == "standard input":
        raise UsageError(fault("two-inputs"))
    with faults_of_file():
        name, cells = _cells_of(source, notes)
        column = table.column(_target(name, cells, target), "--target")
        decided, faults = decided_by_line(name, cells)

        def all_applied(n_changed: int) -> None:
            record = read_record(table.source, column.name)
            if record is not None and record["changed"] == n_changed:
                about = {"source": name, "data": table.source, "again": how_to_go_on(record)}
                raise CommandError(fault("all-applied", **about))

        fitting(name, decided, faults, _rows_of(table, column, classes), all_applied)
        refuse(faults)
    return Review(name, column.name, tuple(decided.values()), one_command(cells), table.n_rows)


def _rows_of(table: Table, column: TableColumn, classes: str | None) -> ReviewedRows:
    levels = map(format_value, column.levels or ())
    declared = split_list(classes, "--classes") if classes is not None else []
    return ReviewedRows(
        data=table.source,
        where=f"in column '{column.name}' of {table.source}",
        target=column.name,
        n_rows=table.n_rows,
        texts=lambda name, rows: table.columns[name].take(rows).texts,
        columns=table.columns,
        labels=list(filter(None, dict.fromkeys([*column.coded[1], *levels, *declared]))),
        no_such=f"no row of column '{column.name}'",
        remedy="--classes names classes without rows",
        has_cells=True,
    )


def decided_on(source: str, target: str | None) -> tuple[str, tuple[int, ...]]:
    """The column that a file of decisions is about, and the rows, from 0."""
    with faults_of_file():
        name, cells = _cells_of(source, Notes())
        decided, _ = decided_by_line(name, cells)
        return _target(name, cells, target), tuple(d.position for d in decided.values())


def read_file(source: str, notes: Notes) -> Decisions:
    """The decisions of a file of any kind that is read, whatever data they are about."""
    return decisions_of(*_cells_of(source, notes))


@contextmanager
def faults_of_file() -> Iterator[None]:
    """Say what is wrong with decisions as commands say it."""
    try:
        yield
    except DecisionsError as error:
        errors = [CommandError(text) for text in error.faults]
        raise FaultsError(errors, most=MOST) if len(errors) > 1 else errors[0] from None


def _cells_of(source: str, notes: Notes) -> tuple[str, Cells]:
    """The name of a file of decisions, and its columns as text."""
    file = read_table(source, notes)
    check_columns(file.source, file.columns)
    return file.source, {name: column.texts for name, column in file.columns.items()}


def _target(source: str, cells: Cells, asked: str | None) -> str:
    """The column that the decisions are about."""
    named = one_target(source, cells)
    if asked is None and not named:
        raise UsageError(fault("blank-target" if "target" in cells else "no-target", source=source))
    if asked is not None and named and named != asked:
        raise UsageError(fault("other-target", source=source, name=named, asked=asked))
    return asked or named
