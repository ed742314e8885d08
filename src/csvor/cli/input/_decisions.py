"""What was decided about the labels of a file, row by row, and does it fit that file?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor.cli._errors import CommandError, FaultsError, UsageError, closest, listed
from csvor.cli._fault import Fault, fault
from csvor.cli._follow_up import how_to_go_on, read_command, read_record
from csvor.cli._notes import Notes
from csvor.cli._spelling import format_value, normal
from csvor.cli.input._csv import split_list
from csvor.cli.input._read import read_table
from csvor.cli.input._relabel import relabelled
from csvor.cli.input._table import Table, TableColumn, as_number

KEEP, RELABEL, DROP = "keep", "relabel", "drop"
COLUMNS = ("row", "target", "given", "decision", "label")
# The command that audited, which a page saves with them.
COMMAND = "audit"
# What reviewers write beside a decision, and their names: a file may have them or not.
REMARKS = ("comment", "reviewer")
_CELLS = ("row", "given", "decision", "label")
_KINDS = (KEEP, RELABEL, DROP)
# Faults of a file that are printed.
_MOST_FAULTS = 10


@dataclass(frozen=True)
class Decision:
    """What is to happen to one row: `row` counts from 1, as users do."""

    row: int
    old_label: str
    decision: str
    label: str
    comment: str = ""
    reviewer: str = ""

    @property
    def position(self) -> int:
        """The same row, counted from 0."""
        return self.row - 1


@dataclass(frozen=True)
class Review:
    """Decisions on the column `target` of a table of `n_rows`, with labels spelled as there.

    `command` has the words of the audit that was reviewed, if they are known.
    """

    source: str
    target: str
    decisions: tuple[Decision, ...]
    n_rows: int
    command: tuple[str, ...] = ()

    def of(self, *kinds: str) -> list[Decision]:
        """The decisions of some kinds."""
        return [d for d in self.decisions if d.decision in kinds]

    def positions(self, *kinds: str) -> NDArray[np.int64]:
        """The rows with such decisions, from 0."""
        return np.array([d.position for d in self.of(*kinds)], dtype=np.int64)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows are kept, relabelled and dropped."""
        words = {KEEP: "kept", RELABEL: "relabelled", DROP: "dropped"}
        return {word: len(self.of(kind)) for kind, word in words.items()}

    @property
    def changes(self) -> dict[tuple[str, str], int]:
        """How many labels become which."""
        return dict(Counter((d.old_label, d.label) for d in self.of(RELABEL)).most_common())

    def summary(self) -> str:
        """The file and the counts, for people."""
        return f"{self.source}: {', '.join(f'{n} {word}' for word, n in self.counts.items())}"

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
    file = _file_of(source, notes)
    column = table.column(_target(file, target), "--target")
    decided, faults = _decided(file)
    about: dict[str, Any] = {"source": file.source, "name": column.name}
    about |= {"data": table.source, "n": table.n_rows}
    n_changed = int(decided.decision.isin([RELABEL, DROP]).sum())
    beyond = decided.row > table.n_rows
    decided = _sound(decided, [("decided-beyond", beyond)], about, faults)
    decided["now"] = column.take(_rows(decided)).texts
    differs = ~_same(decided.now, decided.given)
    applied = differs & (decided.decision == RELABEL) & _same(decided.now, decided.label)
    # Where a row was dropped, those below it have moved.
    moved = decided.row >= decided.row[decided.decision == DROP].min()
    if (applied == differs)[~moved].all() and (differs.any() or beyond.any()):
        record = read_record(table.source, column.name)
        if record is not None and record["changed"] == n_changed:
            raise CommandError(fault("all-applied", **about, again=how_to_go_on(record)))
    # By chance rows of another file hold what was decided: all that differ have to.
    kind = "applied-already" if np.array_equal(applied, differs) else "given-differs"
    decided = _sound(decided, [(kind, differs)], about, faults)
    # A column that is in both files tells rows apart: it has to agree.
    for name in [
        n for n in file.columns if n in table.columns and n not in (*COLUMNS, *REMARKS, COMMAND)
    ]:
        decided["there"] = file.columns[name].take(decided.line.to_numpy() - 1).texts
        decided["here"] = table.columns[name].take(_rows(decided)).texts
        moved = ~_same(decided.there, decided.here)
        decided = _sound(decided, [("row-moved", moved)], about | {"name": name}, faults)
    decided = _with_known_labels(decided, column, classes, about, faults)
    _refuse(faults)
    cells = decided[[*_CELLS, *REMARKS]].itertuples(index=False, name=None)
    decisions = tuple(Decision(*row) for row in cells)
    return Review(file.source, column.name, decisions, table.n_rows, _command(file))


def decided_on(source: str, target: str | None) -> tuple[str, tuple[int, ...]]:
    """The column that a file of decisions is about, and the rows, from 0."""
    file = _file_of(source, Notes())
    return _target(file, target), tuple(_rows(_decided(file)[0]).tolist())


def same(a: str, b: str) -> bool:
    """Whether two cells say the same: as text, as numbers, or as True and False."""
    if normal(a) == normal(b) or as_number(a) == as_number(b):
        return True
    return {a.lower(), b.lower()} <= {"true", "false"} and a.lower() == b.lower()


def _same(first: Iterable[str], second: Iterable[str]) -> NDArray[np.bool_]:
    return np.array([same(a, b) for a, b in zip(first, second, strict=True)], dtype=bool)


def _file_of(source: str, notes: Notes) -> Table:
    file = read_table(source, notes)
    missing = [name for name in _CELLS[:3] if name not in file.columns]
    if missing:
        facts: dict[str, Any] = {"source": file.source, "n": len(missing), "names": missing}
        raise CommandError(fault("no-decisions-file", columns=", ".join(COLUMNS), **facts))
    return file


def _target(file: Table, asked: str | None) -> str:
    """The column that the decisions are about."""
    named = []
    if "target" in file.columns:
        named = [text for text in file.columns["target"].coded[1] if text]
    if len(named) > 1:
        raise CommandError(fault("two-targets", source=file.source, names=named))
    if asked is None and not named:
        kind = "blank-target" if "target" in file.columns else "no-target"
        raise UsageError(fault(kind, source=file.source))
    if asked is not None and named and named[0] != asked:
        raise UsageError(fault("other-target", source=file.source, name=named[0], asked=asked))
    return asked or named[0]


def _command(file: Table) -> tuple[str, ...]:
    """The words of the command that audited; none where several did, or it is not said."""
    texts = file.columns[COMMAND].coded[1] if COMMAND in file.columns else ()
    said = [text for text in texts if text]
    return read_command(said[0]) if len(said) == 1 else ()


def _decided(file: Table) -> tuple[pd.DataFrame, dict[int, Fault]]:
    """The rows of the file with a decision: `row` of the data and `line` of the file, from 1.

    Those that are at fault are left out, with the faults by their lines.
    """
    columns = {n: file.columns[n].texts if n in file.columns else "" for n in (*_CELLS, *REMARKS)}
    decided = pd.DataFrame({"line": np.arange(1, file.n_rows + 1), **columns})
    decided["decision"] = decided.decision.str.lower()
    decided = decided[decided.decision != ""]
    about, faults = {"source": file.source}, dict[int, Fault]()
    if decided.empty:
        raise CommandError(fault("no-decisions", **about))
    number = np.array([as_number(text) for text in decided.row])
    whole = (number >= 1) & (number < 2**53) & (number == np.floor(number))
    decided = _sound(decided, [("no-row-number", ~whole)], about, faults)
    decided["row"] = number[whole].astype(np.int64)
    decision, label = decided.decision, decided.label
    return _sound(decided, [
        ("no-decision", ~decision.isin(_KINDS)),
        ("no-new-label", (decision == RELABEL) & (label == "")),
        ("kept-with-label", (decision == KEEP) & (label != "") & ~_same(label, decided.given)),
        ("decided-twice", decided.row.duplicated()),
    ], about, faults), faults  # fmt: skip


def _rows(decided: pd.DataFrame) -> NDArray[np.int64]:
    """The rows of the data, from 0."""
    return decided.row.to_numpy(np.int64) - 1


def _sound(
    decided: pd.DataFrame, checks: Iterable[tuple[str, Any]], about: Any, faults: dict[int, Fault]
) -> pd.DataFrame:
    """The rows that no check finds wrong; of each other one the first fault is taken up."""
    sound = np.ones(len(decided), dtype=bool)
    for kind, wrong in checks:
        unsound = np.asarray(wrong, dtype=bool) & sound
        sound &= ~unsound
        for cells in decided[unsound].astype(object).to_dict("records"):
            word = closest(str(cells["decision"]), _KINDS) if kind == "no-decision" else None
            cells["hint"] = f"; is '{word}' meant?" if word else ""
            faults[cells["line"]] = fault(kind, **{**cells, **about})
    return decided[sound].copy()


def _refuse(faults: dict[int, Fault]) -> None:
    """Refuse a file with faults, and say them in the order of its lines."""
    errors = [CommandError(faults[line]) for line in sorted(faults)]
    if len(errors) > 1:
        raise FaultsError(errors, most=_MOST_FAULTS)
    for error in errors:
        raise error


def _with_known_labels(
    decided: pd.DataFrame, column: TableColumn, classes: str | None, about: Any,
    faults: dict[int, Fault],
) -> pd.DataFrame:  # fmt: skip
    """With new labels as the data, or `classes`, spell them."""
    levels = map(format_value, column.levels or ())
    declared = split_list(classes, "--classes") if classes is not None else []
    known = list(filter(None, dict.fromkeys([*column.coded[1], *levels, *declared])))
    new, spelling = decided.label.where(decided.decision == RELABEL, ""), dict[str, str]()
    for label in filter(None, new.unique()):
        spellings = [label] * (label in known) or [text for text in known if same(text, label)]
        if not spellings:
            close = closest(label, known)
            hint = f"is '{close}' meant?" if close else f"the labels are {listed(known)};"
            wrong = (decided.decision == RELABEL) & (decided.label == label)
            about = {**about, "hint": hint}
            decided = _sound(decided, [("unknown-new-label", wrong)], about, faults)
        spelling[label] = (spellings or [label])[0]
    relabelled = decided.decision == RELABEL
    decided.loc[relabelled, "label"] = decided.label[relabelled].map(spelling)
    return decided
