"""The label column: which rows count, which classes there are, and what orders them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._faults.errors import ColumnError, Faults
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._labels import CodedLabels
from csvor._tables.label_order import LabelColumn
from csvor._tables.table import TableColumn
from csvor._utils.spelling import as_number, format_value, normal


@dataclass(frozen=True)
class Target:
    """Labels ready for a fit.

    `labels` are those of the kept `rows` (positions from 0 in the file), `coded` the same as
    ranks, `classes` all classes in order, of the same type. `left_out` counts the rows without a
    label, by their code.
    """

    name: str
    labels: NDArray[Any]
    coded: CodedLabels
    rows: NDArray[np.int64]
    classes: list[Any]
    counts: list[int]
    order: str
    left_out: dict[str, int]

    @property
    def n_rows(self) -> int:
        """How many rows have a label."""
        return sum(self.counts)


def read_target(
    column: TableColumn,
    declared: list[str] | None,
    missing: Sequence[str],
    notes: Notes,
    dropped: Sequence[int] | NDArray[np.int64] = (),
    fold: bool = False,
) -> Target:
    """Take `dropped` rows and, if told to, those without a label away; order the classes.

    With `fold`, labels that differ in case and blanks alone are one. All faults are told at once.
    """
    if column.kind in {"dates", "lists"}:
        if column.kind == "dates":
            raise ColumnError(fault("dates-as-labels", column.name))
        raise ColumnError(fault("no-use", column.name, what=column.unusable, needed="labels"))
    faults = Faults()
    rows, blank, left_out = _without_missing(column, missing, dropped, notes)
    if len(blank):
        total = len(column.values)
        faults.add(ColumnError(fault("blank-labels", column.name, rows=blank, total=total)))
    if not len(rows):
        faults.add(ColumnError(fault("no-label-left", column.name)))
        faults.refuse()
    label_column = LabelColumn(_without_levels(column.take(rows), missing), rows)
    if fold:
        label_column.fold(declared, notes)
    with faults.collected():
        ordered, order = label_column.ordered(declared, notes)
    faults.refuse()
    labels = label_column.labels()
    coded = CodedLabels.from_data(labels, ordered)
    counts = coded.counts.tolist()
    return Target(column.name, labels, coded, rows, ordered, counts, order, left_out)


def note_lone_labels(target: Target, notes: Notes) -> None:
    """Say which labels one row alone has: it is judged by models fitted without its label."""
    pairs = zip(target.classes, target.counts, strict=True)
    lone = [format_value(label) for label, count in pairs if count == 1]
    if lone:
        notes.add(fault("lone-labels", n=len(lone), names=lone))


def stands_for(text: str, code: str) -> bool:
    """Whether a label is the code for one that is missing."""
    return text == code or as_number(text) == as_number(code)


def _without_levels(column: TableColumn, missing: Sequence[str]) -> TableColumn:
    """The column without those of its ordered values that stand for no label."""
    if column.levels is None:
        return column
    codes = [normal(code.strip()) for code in missing]
    gone = {level for level in column.levels for code in codes if _is(level, code)}
    return replace(column, levels=tuple(level for level in column.levels if level not in gone))


def _is(level: Any, code: str) -> bool:
    return stands_for(normal(format_value(level)), code)


def no_labels(column: TableColumn, missing: Sequence[str]) -> tuple[set[int], dict[str, set[int]]]:
    """Which of the distinct texts are blank, and which stand for each code of a missing label."""
    texts, floats = column.coded[1], column.kind == "number"
    blank = {i for i, text in enumerate(texts) if not text or (floats and text == "nan")}
    hits = {}
    for code in dict.fromkeys(normal(entry.strip()) for entry in missing):
        matches = {i for i, text in enumerate(texts) if stands_for(text, code)}
        hits[code] = matches - blank if code else blank
    return blank, hits


def _without_missing(
    column: TableColumn, missing: Sequence[str], dropped: Any, notes: Notes
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, int]]:
    """Positions of the rows with a label; of those with a blank one; how many are left out."""
    codes, _ = column.coded
    there = ~np.isin(column.rows, dropped)
    blank, hits = no_labels(column, missing)
    left_out: dict[str, int] = {}
    gone: set[int] = set()
    for code, hit in hits.items():
        count = int(np.isin(codes[there], list(hit)).sum())
        if count:
            left_out[code or "blank"] = count
        else:
            notes.add(fault("idle-label", code=code))
        gone |= hit
    open_ = column.rows[there & np.isin(codes, list(blank - gone))]
    return column.rows[there & ~np.isin(codes, list(gone | blank))], open_, left_out
