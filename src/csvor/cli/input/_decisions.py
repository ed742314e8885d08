"""What was decided about the labels of a file, row by row, and does it fit that file?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor.cli._errors import CommandError, UsageError, closest, listed
from csvor.cli._fault import fault
from csvor.cli._notes import Notes
from csvor.cli._spelling import format_value, normal
from csvor.cli.input._csv import split_list
from csvor.cli.input._read import read_table
from csvor.cli.input._relabel import relabelled
from csvor.cli.input._table import Table, TableColumn, as_number

KEEP, RELABEL, DROP = "keep", "relabel", "drop"
COLUMNS = ("row", "target", "given", "decision", "label")
_KINDS = (KEEP, RELABEL, DROP)


@dataclass(frozen=True)
class Decision:
    """What is to happen to one row: `row` counts from 1, as users do."""

    row: int
    old_label: str
    decision: str
    label: str

    @property
    def position(self) -> int:
        """The same row, counted from 0."""
        return self.row - 1


@dataclass(frozen=True)
class Review:
    """Decisions on the column `target` of a table of `n_rows`, with labels spelled as there."""

    source: str
    target: str
    decisions: tuple[Decision, ...]
    n_rows: int

    def of(self, *kinds: str) -> list[Decision]:
        """The decisions of some kinds."""
        return [d for d in self.decisions if d.decision in kinds]

    def positions(self, *kinds: str) -> NDArray[np.int64]:
        """The rows with such decisions, from 0."""
        return np.array([d.position for d in self.of(*kinds)], dtype=np.int64)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows are kept, relabelled and dropped."""
        kinds = (("kept", KEEP), ("relabelled", RELABEL), ("dropped", DROP))
        return {word: len(self.of(kind)) for word, kind in kinds}

    @property
    def changes(self) -> dict[tuple[str, str], int]:
        """How many labels become which."""
        return dict(Counter((d.old_label, d.label) for d in self.of(RELABEL)).most_common())

    def summary(self) -> str:
        """The file and the counts, for people."""
        counts = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        return f"{self.source}: {counts}"

    def applied(self, column: TableColumn) -> TableColumn:
        """The column of the labels, of all rows or some, with the new ones in place."""
        new = {d.position: d.label for d in self.of(RELABEL)}
        rows = np.intersect1d(self.positions(RELABEL), column.rows)
        pairs = zip(column.places(rows).tolist(), rows.tolist(), strict=True)
        values = relabelled(column.values, {position: new[row] for position, row in pairs})
        return replace(column, values=values)

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
    file = _file_of(source, notes)
    column = table.column(_target(file, target), "--target")
    decided = _decided(file)
    about = {"source": file.source, "name": column.name, "data": table.source, "n": table.n_rows}
    _refuse(decided, [("decided-beyond", decided.row > table.n_rows)], about)
    decided["now"] = _texts_at(column, decided)
    differs = ~_same(decided.now, decided.given)
    applied = differs & (decided.decision == RELABEL) & _same(decided.now, decided.label)
    # By chance rows of another file hold what was decided: all that differ have to.
    kind = "applied-already" if np.array_equal(applied, differs) else "given-differs"
    _refuse(decided, [(kind, differs)], about)
    # A column that is in both files tells rows apart: it has to agree.
    shared = [name for name in file.columns if name in table.columns and name not in COLUMNS]
    for name in shared:
        decided["there"] = np.array(_texts(file.columns[name]), dtype=object)[decided.line - 1]
        decided["here"] = _texts_at(table.columns[name], decided)
        moved = ~_same(decided.there, decided.here)
        _refuse(decided, [("row-moved", moved)], about | {"name": name})
    decided["label"] = _known_labels(decided, column, classes, about)
    rows = decided[["row", "given", "decision", "label"]].itertuples(index=False, name=None)
    decisions = tuple(Decision(*row) for row in rows)
    return Review(file.source, column.name, decisions, table.n_rows)


def decided_on(source: str, target: str | None) -> tuple[str, tuple[int, ...]]:
    """The column that a file of decisions is about, and the rows, from 0."""
    file = _file_of(source, Notes())
    return _target(file, target), tuple((_decided(file).row - 1).tolist())


def same(a: str, b: str) -> bool:
    """Whether two cells say the same: as text, as numbers, or as True and False."""
    if normal(a) == normal(b) or as_number(a) == as_number(b):
        return True
    return {a.lower(), b.lower()} <= {"true", "false"} and a.lower() == b.lower()


def _same(first: Iterable[str], second: Iterable[str]) -> NDArray[np.bool_]:
    return np.array([same(a, b) for a, b in zip(first, second, strict=True)], dtype=bool)


def _file_of(source: str, notes: Notes) -> Table:
    file = read_table(source, notes)
    missing = [name for name in ("row", "given", "decision") if name not in file.columns]
    if missing:
        n, columns = len(missing), ", ".join(COLUMNS)
        raise CommandError(
            fault("no-decisions-file", source=file.source, n=n, names=missing, columns=columns)
        )
    return file


def _target(file: Table, asked: str | None) -> str:
    """The column that the decisions are about."""
    source = file.source
    if "target" not in file.columns:
        if asked is None:
            raise UsageError(fault("no-target", source=source))
        return asked
    named = [text for text in file.columns["target"].coded[1] if text]
    if len(named) > 1:
        raise CommandError(fault("two-targets", source=source, names=named))
    if asked is not None and named and named[0] != asked:
        raise UsageError(fault("other-target", source=source, name=named[0], asked=asked))
    if not named and asked is None:
        raise UsageError(fault("blank-target", source=source))
    return asked or named[0]


def _texts(column: TableColumn) -> list[str]:
    codes, texts = column.coded
    return [texts[code] for code in codes]


def _texts_at(column: TableColumn, decided: pd.DataFrame) -> list[str]:
    """What a column has in the rows that are decided."""
    codes, texts = column.coded
    return [texts[code] for code in codes[column.places(decided.row.to_numpy() - 1)]]


def _decided(file: Table) -> pd.DataFrame:
    """The rows of the file with a decision: `row` of the data and `line` of the file, from 1."""
    blank = [""] * file.n_rows
    columns = {
        name: _texts(file.columns[name]) if name in file.columns else blank
        for name in ("row", "given", "decision", "label")
    }
    decided = pd.DataFrame({"line": np.arange(1, file.n_rows + 1), **columns})
    decided["decision"] = decided.decision.str.lower()
    decided = decided[decided.decision != ""].copy()
    about = {"source": file.source}
    if decided.empty:
        raise CommandError(fault("no-decisions", **about))
    number = np.array([as_number(text) for text in decided.row])
    whole = (number >= 1) & (number < 2**53) & (number == np.floor(number))
    _refuse(decided, [("no-row-number", ~whole)], about)
    decided["row"] = number.astype(np.int64)
    decision, label = decided.decision, decided.label
    other_label = (label != "") & ~_same(label, decided.given)
    checks = [
        ("no-decision", ~decision.isin(_KINDS)),
        ("no-new-label", (decision == RELABEL) & (label == "")),
        ("kept-with-label", (decision == KEEP) & other_label),
        ("decided-twice", decided.row.duplicated()),
    ]
    _refuse(decided, checks, about)
    return decided


def _refuse(decided: pd.DataFrame, checks: Iterable[tuple[str, Any]], about: Any) -> None:
    """Refuse the first row that a check finds wrong; its cells are facts of the fault."""
    for kind, wrong in checks:
        if np.any(wrong):
            first = decided[np.asarray(wrong)].astype(object).to_dict("records")[0]
            close = closest(str(first["decision"]), _KINDS)
            hint = f"; is '{close}' meant?" if close else ""
            raise CommandError(fault(kind, **{**first, "hint": hint, **about}))


def _known_labels(
    decided: pd.DataFrame, column: TableColumn, classes: str | None, about: Any
) -> list[str]:
    """The new labels as the data, or `classes`, spell them."""
    texts = [text for text in column.coded[1] if text]
    levels = [format_value(level) for level in column.levels or ()]
    declared = split_list(classes, "--classes") if classes is not None else []
    known = list(dict.fromkeys([*texts, *levels, *declared]))
    new = decided.label.where(decided.decision == RELABEL, "")
    spelling = {
        label: label if label in known else next((t for t in known if same(t, label)), None)
        for label in new.unique()
    }
    spelling[""] = ""
    unknown = [label for label, text in spelling.items() if text is None]
    if unknown:
        close = closest(unknown[0], known)
        hint = f"is '{close}' meant?" if close else f"the labels are {listed(known)};"
        checks = [("unknown-new-label", new == unknown[0])]
        _refuse(decided, checks, {**about, "hint": hint})
    return [spelling[label] or old for label, old in zip(new, decided.label, strict=True)]
