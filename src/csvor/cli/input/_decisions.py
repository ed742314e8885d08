"""Which review of the labels of a file does a file of decisions hold?"""

from csvor._decisions.checks import (
    Cells,
    check_columns,
    decided_by_line,
    one_command,
    one_target,
)
from csvor._decisions.decision import Decisions
from csvor._decisions.read import decisions_of
from csvor._faults.errors import CommandError, UsageError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.review import Review, faults_of_decisions, review_of, reviewed_target
from csvor._tables.table import Table
from csvor.cli._follow_up import how_to_go_on, read_record
from csvor.cli.input._csv import classes_of
from csvor.cli.input._read import read_table


def read_review(
    source: str, table: Table, target: str | None, classes: str | None, notes: Notes
) -> Review:
    """Decisions that have been checked against the table; a `target` of None is read as well."""
    if source == "-" and table.source == "standard input":
        raise UsageError(fault("two-inputs"))
    with faults_of_decisions():
        name, cells = _cells_of(source, notes)
        column = table.column(_target(name, cells, target), "--target")
        decided, faults = decided_by_line(name, cells)

        def all_applied(n_changed: int) -> None:
            record = read_record(table.source, column.name)
            if record is not None and record["changed"] == n_changed:
                about = {"source": name, "data": table.source, "again": how_to_go_on(record)}
                raise CommandError(fault("all-applied", **about))

        declared = classes_of(classes) or []
        return review_of(
            name, decided, faults, table, column, declared, all_applied,
            audit=one_command(cells), has_cells=True,
        )  # fmt: skip


def decided_on(source: str, target: str | None) -> tuple[str, tuple[int, ...]]:
    """The column that a file of decisions is about, and the rows, from 0."""
    with faults_of_decisions():
        name, cells = _cells_of(source, Notes())
        decided, _ = decided_by_line(name, cells)
        return _target(name, cells, target), tuple(d.position for d in decided.values())


def read_file(source: str, notes: Notes) -> Decisions:
    """The decisions of a file of any kind that is read, whatever data they are about."""
    return decisions_of(*_cells_of(source, notes))


def _cells_of(source: str, notes: Notes) -> tuple[str, Cells]:
    """The name of a file of decisions, and its columns as text."""
    file = read_table(source, notes)
    check_columns(file.source, file.columns)
    return file.source, {name: column.texts for name, column in file.columns.items()}


def _target(source: str, cells: Cells, asked: str | None) -> str:
    """The column that the decisions are about."""
    return reviewed_target(source, one_target(source, cells), asked, "target" in cells)
