"""Which rows of a file are tasks, by the suspects that an audit wrote of it?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._decisions.decision import RESERVED
from csvor._faults.errors import CommandError, refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._faults.spelling import folded
from csvor._tables.table import Table
from csvor._tables.target import read_target
from csvor._utils.spelling import format_value, same
from csvor.cli.input._csv import classes_of as declared_classes
from csvor.cli.labelling._task import Task

_NEEDED = ("row", "given", "suggested", "probability", "flagged")
# What an audit says of rows; a further column is an id that the data have too.
_SAID = frozenset({*_NEEDED, "rater", "expected_distance", "residual", "direction"})


@dataclass(frozen=True)
class TaskSelection:
    """Which rows are tasks, and what the audit took for labels.

    `top` is the number of rows, of the first suspects; None is those that are flagged. `classes`,
    `missing_label` and `fold_labels` are the options of the audit; `drop` has columns not shown.
    """

    target: str
    classes: str | None = None
    missing_label: Sequence[str] = ()
    fold_labels: bool = False
    top: int | None = None
    drop: Sequence[str] = ()


def classes_of(table: Table, asked: TaskSelection, notes: Notes) -> list[str]:
    """All labels in their order, as an audit with the same options has them."""
    notes.pass_over("idle-label")
    missing = [*asked.missing_label, ""]
    column = table.column(asked.target, "--target")
    declared = declared_classes(asked.classes)
    target = read_target(column, declared, missing, notes, fold=asked.fold_labels)
    return [format_value(label) for label in target.classes]


def tasks_of(
    suspects: Table, table: Table, asked: TaskSelection, classes: Sequence[str]
) -> list[Task]:
    """The flagged rows, or as many as were asked for, in the order of the suspects."""
    lacking = [name for name in _NEEDED if name not in suspects.columns]
    if lacking:
        facts: dict[str, Any] = {"n": len(lacking), "names": lacking}
        raise CommandError(fault("no-suspects", source=suspects.source, **facts))
    chosen = _chosen(suspects, asked.top)
    if not len(chosen):
        raise CommandError(fault("none-flagged", source=suspects.source))
    rows = _rows(suspects, table, chosen)
    columns = suspects.columns
    target = table.column(asked.target, "--target")
    ids = [name for name in columns if name not in _SAID | RESERVED and name in table.columns]
    for name, here in (("given", target.name), *((one, one) for one in ids)):
        _refuse_other_file(suspects, table, chosen, rows, (name, here), asked.fold_labels)
    dropped = {table.column(name, "--drop").name for name in asked.drop}
    shown = [name for name in table.columns if name not in {target.name, *ids, *dropped}]
    texts = {name: table.columns[name].take(rows).texts for name in [target.name, *ids, *shown]}
    suggested = _spelled(columns["suggested"].take(chosen).texts, classes)
    chances = columns["probability"].take(chosen).numbers.tolist()
    return [
        Task(
            row=row + 1,
            target=target.name,
            given=texts[target.name][i],
            suggested=suggested[i],
            chance=chances[i],
            ids={name: texts[name][i] for name in ids},
            cells={name: texts[name][i] for name in shown},
        )
        for i, row in enumerate(rows.tolist())
    ]


def _chosen(suspects: Table, top: int | None) -> NDArray[np.int64]:
    """The lines of the suspects that become tasks, from 0."""
    if top is not None:
        return np.arange(min(top, suspects.n_rows))
    flagged = [text.lower() == "true" for text in suspects.columns["flagged"].texts]
    return np.flatnonzero(flagged)


def _rows(suspects: Table, table: Table, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of the data, from 0."""
    texts = suspects.columns["row"].take(chosen).texts
    numbers = suspects.columns["row"].take(chosen).numbers
    there = (numbers >= 1) & (numbers <= table.n_rows) & (numbers == np.floor(numbers))
    if not there.all():
        row = texts[int(np.flatnonzero(~there)[0])]
        facts: dict[str, Any] = {"row": row, "data": table.source, "n": table.n_rows}
        raise CommandError(fault("suspect-beyond", source=suspects.source, **facts))
    if len(np.unique(numbers)) < len(numbers):
        raise CommandError(fault("suspects-twice", source=suspects.source))
    return numbers.astype(np.int64) - 1


def _refuse_other_file(
    suspects: Table, table: Table, chosen: NDArray[np.int64], rows: NDArray[np.int64],
    names: tuple[str, str], fold: bool,
) -> None:  # fmt: skip
    """Refuse suspects whose cells are not those of the data."""
    there = suspects.columns[names[0]].take(chosen).texts
    here = table.columns[names[1]].take(rows).texts
    for row, one, other in zip(rows.tolist(), there, here, strict=True):
        if not (same(one, other) or (fold and folded(one) == folded(other))):
            facts = {"name": names[1], "there": one, "here": other, "data": table.source}
            raise CommandError(fault("suspect-moved", source=suspects.source, row=row + 1, **facts))


def _spelled(suggested: Sequence[str], classes: Sequence[str]) -> list[str]:
    """The suggested labels as the classes are spelled: true is True, and 1.0 is 1."""
    spelling = {
        text: next((label for label in classes if same(text, label)), None)
        for text in dict.fromkeys(suggested)
    }
    unknown = [text for text, label in spelling.items() if label is None]
    if unknown:
        refuse("suggested-no-class", names=unknown, classes=list(classes))
    return [spelling[text] or "" for text in suggested]
