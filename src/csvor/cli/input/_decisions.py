"""What was decided about the labels of a file, row by row, and does it fit that file?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._utils.words import plural
from csvor.cli._errors import CommandError, UsageError, closest, listed
from csvor.cli._notes import Notes
from csvor.cli._spelling import format_value, normal
from csvor.cli.input._csv import split_list
from csvor.cli.input._read import read_table
from csvor.cli.input._relabel import relabelled
from csvor.cli.input._table import Column, Table, as_number

KEEP, RELABEL, DROP = "keep", "relabel", "drop"
COLUMNS = ("row", "target", "given", "decision", "label")
_HOLD = "decisions hold for the file that was audited"


@dataclass(frozen=True)
class Decision:
    """What is to happen to one row: `row` counts from 1, as users do."""

    row: int
    given: str
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
        return dict(Counter((d.given, d.label) for d in self.of(RELABEL)).most_common())

    def told(self) -> str:
        """The file and the counts, for people."""
        counts = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        return f"{self.source}: {counts}"

    def applied(self, column: Column) -> Column:
        """The column of the labels, of all rows or some, with the new ones in place."""
        new = {d.position: d.label for d in self.of(RELABEL)}
        here = np.intersect1d(self.positions(RELABEL), column.rows)
        pairs = zip(column.places(here).tolist(), here.tolist(), strict=True)
        values = relabelled(column.values, {place: new[row] for place, row in pairs})
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
        given = {d.position: d.given for d in self.of(RELABEL)}
        here = np.intersect1d(self.positions(RELABEL), rows)
        for i, row in zip(np.searchsorted(rows, here).tolist(), here.tolist(), strict=True):
            # A label that no row has any more is a class no more: as far off as there is one.
            codes[i] = known.get(given[row], 0 if 2 * codes[i] > last else last)
        return codes


def read_review(
    source: str, table: Table, target: str | None, classes: str | None, notes: Notes
) -> Review:
    """Read decisions and check each against the table; a `target` of None is read as well."""
    if source == "-" and table.source == "standard input":
        raise UsageError("data and decisions cannot both come from standard input")
    file = _file_of(source, notes)
    target = _target(file, target)
    column = table.column(target, "--target")
    decisions, at = _read(file)
    known = _known_labels(column, classes)
    _check_given(decisions, table, column, file.source)
    _check_names(decisions, at, file, table)
    labelled = tuple(_with_known_label(d, known, file.source, column) for d in decisions)
    return Review(file.source, target, labelled, table.n_rows)


def _file_of(source: str, notes: Notes) -> Table:
    file = read_table(source, notes)
    missing = [name for name in ("row", "given", "decision") if name not in file.columns]
    if missing:
        raise CommandError(
            f"{file.source}: the column{'s' * (len(missing) > 1)} {listed(missing)} "
            f"{'are' if len(missing) > 1 else 'is'} missing; a file of decisions has the columns "
            f"{', '.join(COLUMNS)}"
        )
    return file


def _target(file: Table, asked: str | None) -> str:
    """The column that the decisions are about."""
    if "target" not in file.columns:
        if asked is None:
            raise UsageError(
                f"{file.source} does not say which column the labels are in; name it with --target"
            )
        return asked
    named = [text for text in file.columns["target"].coded[1] if text]
    if len(named) > 1:
        raise CommandError(
            f"{file.source}: the column 'target' names {listed(named)}; decisions are about one"
        )
    if asked is not None and named and named[0] != asked:
        raise UsageError(
            f"--target {asked}: {file.source} is about the column '{named[0]}' (column 'target')"
        )
    if not named and asked is None:
        raise UsageError(f"{file.source}: the column 'target' is blank; give --target")
    return asked or named[0]


def _texts(column: Column) -> list[str]:
    codes, texts = column.coded
    return [texts[code] for code in codes]


def _at(column: Column, decisions: Sequence[Decision]) -> list[str]:
    """What a column has in the rows that are decided."""
    codes, texts = column.coded
    places = column.places(np.array([d.position for d in decisions], dtype=np.int64))
    return [texts[code] for code in codes[places]]


def decided_on(source: str, target: str | None) -> tuple[str, tuple[int, ...]]:
    """The column that a file of decisions is about, and the rows, from 0."""
    file = _file_of(source, Notes())
    return _target(file, target), tuple(d.position for d in _read(file)[0])


def _read(file: Table) -> tuple[list[Decision], list[int]]:
    """The decided rows, and where they stand in the file."""
    n = file.n_rows
    kinds = [text.lower() for text in _texts(file.columns["decision"])]
    labels = _texts(file.columns["label"]) if "label" in file.columns else [""] * n
    rows, givens = _texts(file.columns["row"]), _texts(file.columns["given"])
    at = [i for i, kind in enumerate(kinds) if kind]
    if not at:
        raise CommandError(f"{file.source}: no row has a decision (keep, relabel or drop)")
    found = []
    for i in at:
        number = as_number(rows[i])
        if not (1 <= number < 2**53 and number.is_integer()):
            raise CommandError(
                f"{file.source}, row {i + 1}: '{rows[i]}' in column 'row' is no row number; these "
                "count from 1 below the header of the data"
            )
        found.append(
            _checked(Decision(int(number), givens[i], kinds[i], labels[i]), file.source, i)
        )
    twice = [row for row, count in Counter(d.row for d in found).items() if count > 1]
    if twice:
        raise CommandError(
            f"{file.source}: row {twice[0]} is decided more than once; leave one decision"
        )
    return found, at


def _checked(d: Decision, source: str, i: int) -> Decision:
    if d.decision not in (KEEP, RELABEL, DROP):
        close = closest(d.decision, (KEEP, RELABEL, DROP))
        raise CommandError(
            f"{source}, row {i + 1}: the decision '{d.decision}' is none of keep, relabel and drop"
            + (f"; is '{close}' meant?" if close else "")
        )
    if d.decision == RELABEL and not d.label:
        raise CommandError(
            f"{source}, row {i + 1}: row {d.row} is to be relabelled, and its new label is blank; "
            "fill in the column 'label'"
        )
    if d.decision == KEEP and d.label and not same(d.label, d.given):
        raise CommandError(
            f"{source}, row {i + 1}: row {d.row} keeps '{d.given}', and its column 'label' says "
            f"'{d.label}'; write relabel, or blank the label"
        )
    return d


def same(a: str, b: str) -> bool:
    """Whether two cells say the same: as text, as numbers, or as True and False."""
    if normal(a) == normal(b) or as_number(a) == as_number(b):
        return True
    return {a.lower(), b.lower()} <= {"true", "false"} and a.lower() == b.lower()


def _check_given(decisions: Sequence[Decision], table: Table, column: Column, source: str) -> None:
    beyond = [d.row for d in decisions if d.row > table.n_rows]
    if beyond:
        raise CommandError(
            f"{source}: row {beyond[0]} is decided, and {table.source} has "
            f"{plural(table.n_rows, 'row')}; {_HOLD}"
        )
    for d, found in zip(decisions, _at(column, decisions), strict=True):
        if same(found, d.given):
            continue
        done = d.decision == RELABEL and same(found, d.label)
        why = "it seems to be applied already" if done else "this is another file, or changed since"
        raise CommandError(
            f"{source}: row {d.row} is given as '{d.given}', but is '{found}' in column "
            f"'{column.name}' of {table.source}; {why}: {_HOLD}"
        )


def _check_names(
    decisions: Sequence[Decision], at: Sequence[int], file: Table, table: Table
) -> None:
    """A column that is in both files tells rows apart: it has to agree."""
    for name in file.columns:
        if name in COLUMNS or name not in table.columns:
            continue
        there, of_rows = _texts(file.columns[name]), _at(table.columns[name], decisions)
        for i, d, here in zip(at, decisions, of_rows, strict=True):
            if not same(there[i], here):
                raise CommandError(
                    f"{file.source}: row {d.row} has {name} '{there[i]}', but '{here}' in "
                    f"{table.source}; this is another file, or its rows were moved: {_HOLD}"
                )


def _known_labels(column: Column, classes: str | None) -> list[str]:
    texts = [text for text in column.coded[1] if text]
    levels = [format_value(level) for level in column.levels or ()]
    declared = split_list(classes, "--classes") if classes is not None else []
    return list(dict.fromkeys([*texts, *levels, *declared]))


def _with_known_label(d: Decision, known: list[str], source: str, column: Column) -> Decision:
    if d.decision != RELABEL:
        return d
    found = [text for text in known if text == d.label] or [t for t in known if same(t, d.label)]
    if not found:
        close = closest(d.label, known)
        raise CommandError(
            f"{source}: row {d.row} is to become '{d.label}', which no row of column "
            f"'{column.name}' is; "
            + (f"is '{close}' meant?" if close else f"the labels are {listed(known)};")
            + " --classes names classes without rows"
        )
    return Decision(d.row, d.given, d.decision, found[0])
