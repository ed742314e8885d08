"""Are decisions whole, and do they fit the rows that they are about?"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from csvor._decisions.decision import (
    CHECK,
    COLUMNS,
    COMMAND,
    DROP,
    KEEP,
    KINDS,
    RELABEL,
    REMARKS,
    Decision,
)
from csvor._decisions.faults import DecisionsError, of_first, worded
from csvor._utils.spelling import BLANK, as_number, closest, closest_label, normal, same
from csvor._utils.words import all_of, are, nouns, plural, some_of

NEEDED = ("row", "given", "decision")
_KNOWN = (*COLUMNS, *REMARKS, COMMAND)
# Faults of rows that are not those that were reviewed; of so many, one sentence says it.
_OF_OTHER_ROWS, _MANY = ("differs", "moved", "other-cells"), 4
Cells = Mapping[str, Sequence[str]]
ByLine = dict[int, Decision]
Faults = dict[int, str]


@dataclass(frozen=True)
class ReviewedRows:
    """Rows that decisions are about.

    `data` is their name and `where` that of their labels; `texts` has the cells of a column at
    positions from 0, as text. `labels` are all that a row can have; of another one it is said that
    `no_such` is it, and the `remedy`. Where they have all their cells, checks are compared.
    """

    data: str
    where: str
    target: str
    n_rows: int
    texts: Callable[[str, NDArray[np.int64]], Sequence[str]]
    columns: Collection[str]
    labels: Sequence[str]
    no_such: str
    remedy: str = ""
    has_cells: bool = False


def check_columns(source: str, names: Collection[str]) -> None:
    """Refuse a file that lacks columns."""
    missing = [name for name in NEEDED if name not in names]
    if missing:
        quoted = ", ".join(f"'{name}'" for name in missing)
        what = f"the {nouns(len(missing), 'column')} {quoted} {are(len(missing))} missing"
        columns = ", ".join(COLUMNS)
        raise DecisionsError([f"{source}: {what}; a file of decisions has the columns {columns}"])


def one_target(source: str, cells: Cells) -> str:
    """The column that decisions are about, "" where no line says it."""
    named = list(filter(None, dict.fromkeys(cells.get("target", ()))))
    if len(named) > 1:
        names = some_of([f"'{name}'" for name in named], 10)
        raise DecisionsError(
            [f"{source}: the column 'target' names {names}; decisions are about one"]
        )
    return named[0] if named else ""


def one_command(cells: Cells) -> str:
    """The command that audited, "" where several did or none is said."""
    said = set(filter(None, cells.get(COMMAND, ())))
    return said.pop() if len(said) == 1 else ""


def decided_by_line(source: str, cells: Cells) -> tuple[ByLine, Faults]:
    """The decisions by the lines of their cells, from 1 below the names; and faults by lines.

    Lines without a decision are passed over.
    """
    columns = {name: cells[name] for name in cells if name}
    decided, faults, rows = ByLine(), Faults(), set[int]()
    blank = True
    for line, texts in enumerate(zip(*columns.values(), strict=True), start=1):
        cell = dict(zip(columns, texts, strict=True))
        kind = cell["decision"].lower()
        if not kind:
            continue
        blank = False
        number = as_number(cell["row"])
        if not (1 <= number < 2**53 and number == np.floor(number)):
            facts = {"source": source, "line": line, "row": cell["row"]}
            faults[line] = worded("no-row-number", **facts)
            continue
        label = cell.get("label", "")
        remarks = {name: cell.get(name, "") for name in REMARKS}
        others = {name: text for name, text in cell.items() if name not in _KNOWN}
        one = Decision(int(number), cell["given"], kind, label, **remarks, others=others)
        if fault := _fault_of(one, one.row in rows):
            word = closest(kind, KINDS)
            hint = f"; is '{word}' meant?" if word else ""
            facts = {"source": source, "line": line, "row": one.row, "old": one.old_label}
            faults[line] = worded(fault, **facts, decision=kind, label=label, hint=hint)
        else:
            decided[line] = one
        rows.add(one.row)
    if blank:
        raise DecisionsError([f"{source}: no row has a decision ({all_of(KINDS, ' or ')})"])
    return decided, faults


def _fault_of(one: Decision, twice: bool) -> str:
    """What is wrong with a decision by itself, "" if nothing is."""
    if one.decision not in KINDS:
        return "no-decision"
    if one.decision == RELABEL and not one.label:
        return "no-new-label"
    if one.decision == KEEP and one.label and not same(one.label, one.old_label):
        return "kept-with-label"
    return "twice" if twice else ""


def fitting(
    source: str,
    decided: ByLine,
    faults: Faults,
    rows: ReviewedRows,
    all_applied: Callable[[int], None] | None = None,
) -> ByLine:
    """The decisions that fit rows, new labels spelled as there; `faults` takes up the others.

    Where every decision is carried out already, `all_applied` is called with the number of labels
    that they change.
    """
    n_changed = sum(d.decision in (RELABEL, DROP) for d in decided.values())
    about = {"source": source, "data": rows.data, "where": rows.where}

    unlike = dict[int, tuple[str, dict[str, object]]]()

    def refused(kind: str, line: int, **facts: object) -> None:
        one = decided.pop(line)
        facts |= {"row": one.row, "old": one.old_label, **about}
        faults[line] = worded(kind, **facts)
        if kind in _OF_OTHER_ROWS:
            unlike[line] = kind, facts

    lines = list(decided)
    beyond = [line for line in lines if decided[line].row > rows.n_rows]
    n = plural(rows.n_rows, "row")
    for line in beyond:
        refused("beyond", line, n=n)
    now = _texts(rows, rows.target, decided)
    differs = {line for line, d in decided.items() if not same(now[line], d.old_label)}
    applied = {
        line
        for line in differs
        if decided[line].decision == RELABEL and same(now[line], decided[line].label)
    }
    # Where a row was dropped, those below it have moved.
    first_dropped = min((d.row for d in decided.values() if d.decision == DROP), default=np.inf)
    stands = all(decided[line].row >= first_dropped for line in differs - applied)
    if all_applied and stands and (differs or beyond):
        all_applied(n_changed)
    # By chance rows of another file hold what was decided: all that differ have to.
    for line in sorted(differs):
        refused("applied" if applied == differs else "differs", line, now=now[line])
    _check_columns_agree(decided, rows, refused)
    _check_cells_agree(decided, rows, refused)
    if len(unlike) >= _MANY:
        first = min(unlike)
        for line in unlike:
            del faults[line]
        kind, facts = unlike[first]
        faults[first] = of_first(kind, len(unlike) - 1, **facts)
    _spell_labels(decided, rows, refused)
    return decided


def _check_columns_agree(decided: ByLine, rows: ReviewedRows, refused: Callable[..., None]) -> None:
    """A column that is in both files tells rows apart: it has to agree."""
    for name in dict.fromkeys(name for d in decided.values() for name in d.others):
        if name in rows.columns:
            here = _texts(rows, name, decided)
            for line, one in list(decided.items()):
                there = one.others.get(name, here[line])
                if not same(there, here[line]):
                    refused("moved", line, name=name, there=there, here=here[line])


def _check_cells_agree(decided: ByLine, rows: ReviewedRows, refused: Callable[..., None]) -> None:
    """Rows with a check have to hold the cells that were reviewed, whatever their labels (N81)."""
    checked = {line: one for line, one in decided.items() if one.others.get(CHECK)}
    if not rows.has_cells or CHECK in rows.columns or not checked:
        return
    names = [name for name in rows.columns if name != rows.target]
    cells = {name: list(_texts(rows, name, checked).values()) for name in names}
    for (line, one), check in zip(checked.items(), row_checks(cells), strict=True):
        if one.others[CHECK] != check:
            refused("other-cells", line)


def row_checks(cells: Cells) -> list[str]:
    """A short text for each row of some columns that another cell, or another name, changes.

    The order of the columns does not count, and neither do spellings of one number.
    """
    names = sorted(cells)
    rows = zip(*([_canonical(text) for text in cells[name]] for name in names), strict=True)
    head = json.dumps([normal(name) for name in names])
    # The letter keeps a spreadsheet from reading a number.
    return [f"r{sha256(f'{head}{json.dumps(row)}'.encode()).hexdigest()[:12]}" for row in rows]


def _canonical(text: str) -> str:
    """One spelling of a number and of a blank: a column of numbers does not keep the others."""
    if text in BLANK:
        return ""
    number = as_number(text)
    return normal(text) if np.isnan(number) else repr(number + 0.0)


def _spell_labels(decided: ByLine, rows: ReviewedRows, refused: Callable[..., None]) -> None:
    """New labels as the rows spell them."""
    for line, one in list(decided.items()):
        if one.decision == RELABEL:
            spelled = _spelled(one.label, rows.labels)
            if spelled is None:
                facts = {"no_such": rows.no_such, "remedy": rows.remedy}
                hint = _labels_hint(one.label, rows.labels)
                refused("unknown", line, label=one.label, hint=hint, **facts)
            else:
                decided[line] = replace(one, label=spelled)


def _texts(rows: ReviewedRows, column: str, decided: ByLine) -> dict[int, str]:
    """The cells of a column in the rows that are decided, by line."""
    positions = np.array([d.position for d in decided.values()], dtype=np.int64)
    return dict(zip(decided, rows.texts(column, positions), strict=True))


def _spelled(label: str, known: Sequence[str]) -> str | None:
    """A label as the rows spell it, None for one that they do not have."""
    if label in known:
        return label
    return next((text for text in known if same(text, label)), None)


def _labels_hint(label: str, known: Sequence[str]) -> str:
    if close := closest_label(label, known):
        return f"is '{close}' meant?"
    labels = some_of([f"'{text}'" for text in known], 10)
    return f"the labels are {labels};"
