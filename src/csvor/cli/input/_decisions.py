"""Which review of the labels of a file does a file of decisions hold?"""

from pathlib import Path
from typing import NamedTuple

from csvor._decisions.checks import (
    NEEDED,
    ByLine,
    Cells,
    Faults,
    check_columns,
    decided_by_line,
    one_command,
    one_target,
)
from csvor._decisions.decision import Decisions
from csvor._decisions.faults import refuse
from csvor._decisions.read import decisions_of, with_rows
from csvor._faults.errors import CommandError, UsageError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.review import (
    DecisionFaults,
    Review,
    faults_of_decisions,
    review_of,
    reviewed_target,
)
from csvor._tables.table import Table
from csvor.cli._follow_up import how_to_go_on, read_record
from csvor.cli.input._csv import classes_of
from csvor.cli.input._read import read_table


class _File(NamedTuple):
    """What is decided in a file by line, and what is wrong; `target` is "" if that is wrong."""

    name: str
    command: str
    decided: ByLine
    wrong: Faults
    target: str


def read_review(
    source: str, table: Table, target: str | None, classes: str | None, notes: Notes
) -> Review:
    """Decisions that have been checked against the table; a `target` of None is read as well."""
    if source == "-" and table.source == "standard input":
        raise UsageError(fault("two-inputs"))
    with faults_of_decisions() as faults:
        file, column = _file(source, target, notes, faults), None

        def all_applied(n_changed: int) -> None:
            record = read_record(table.source, file.target)
            if record is not None and record["changed"] == n_changed:
                about = {"source": file.name, "data": table.source, "again": how_to_go_on(record)}
                raise CommandError(fault("all-applied", **about))

        if file.target:
            with faults.collected():
                column = table.column(file.target, "--target")
        if column is None:
            refuse(file.wrong)
        else:
            review = review_of(
                file.name, file.decided, file.wrong, table, column, classes_of(classes) or [],
                all_applied, audit=file.command, has_cells=True,
            )  # fmt: skip
    return review


def decided_on(source: str, target: str | None) -> tuple[str, tuple[int, ...]]:
    """The column that a file of decisions is about, and the rows, from 0."""
    with faults_of_decisions() as faults:
        file = _file(source, target, Notes(), faults)
        if faults.errors:
            refuse(file.wrong)
    return file.target, tuple(d.position for d in file.decided.values())


def read_file(source: str, notes: Notes) -> Decisions:
    """The decisions of a file of any kind that is read, whatever data they are about."""
    return decisions_of(*_cells_of(source, notes))


def has_decisions(source: str) -> bool:
    """Whether a file can be read, and has the columns of one of decisions."""
    try:
        return Path(source).is_file() and {*NEEDED} <= {*read_table(source, Notes()).columns}
    except CommandError:
        return False


def _file(source: str, asked: str | None, notes: Notes, faults: DecisionFaults) -> _File:
    name, cells = _cells_of(source, notes)
    decided, wrong, target = ByLine(), Faults(), ""
    with faults.collected():
        check_columns(name, cells)
        decided, wrong = decided_by_line(name, cells)
    with faults.collected():
        target = reviewed_target(name, one_target(name, cells), asked, "target" in cells)
    return _File(name, one_command(cells), decided, wrong, target)


def _cells_of(source: str, notes: Notes) -> tuple[str, Cells]:
    """The name of a file of decisions, and its columns as text."""
    file = read_table(source, notes)
    return file.source, with_rows({name: one.texts for name, one in file.columns.items()})
