"""Which row is to be reviewed in a labelling tool, and what was decided there?"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from csvor._decisions.checks import one_target
from csvor._decisions.decision import DROP, KEEP, RELABEL, RESERVED, Decision, Decisions
from csvor._faults.errors import CommandError, unreadable
from csvor._faults.fault import fault
from csvor._utils.spelling import as_number, same

# The questions of a task: a label of the classes, keep or drop, and a remark.
LABEL, DECISION, COMMENT = "label", "decision", "comment"
QUESTION = "Which label is right?"
DECISION_TITLE = "Or keep the label given, or leave the row out (counts before the label)"
# Who suggests labels.
AUTHOR = "csvor audit"


@dataclass(frozen=True)
class Task:
    """One row to review: `row` counts from 1, `ids` and `cells` are columns of the data.

    `chance` is that of an error in the label given, NaN where that is unknown.
    """

    row: int
    target: str
    given: str
    suggested: str
    chance: float
    ids: Mapping[str, str]
    cells: Mapping[str, str]

    @property
    def score(self) -> float | None:
        """The chance of error, None where it is unknown."""
        return None if math.isnan(self.chance) else round(self.chance, 4)


@dataclass(frozen=True)
class Answer:
    """What one reviewer answered to a task: `time` orders answers of one reviewer to one row."""

    row: int
    target: str
    given: str
    ids: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    decision: str = ""
    comment: str = ""
    reviewer: str = ""
    time: str = ""

    def as_decision(self) -> Decision | None:
        """The decision that follows, None if nothing is decided; keep and drop come first."""
        if self.decision in (KEEP, DROP):
            kind = self.decision
        elif not self.label:
            return None
        else:
            kind = KEEP if same(self.label, self.given) else RELABEL
        label = self.label if kind == RELABEL else ""
        remarks = {"comment": self.comment, "reviewer": self.reviewer}
        others = {name: text for name, text in self.ids.items() if name not in RESERVED}
        return Decision(self.row, self.given, kind, label, **remarks, others=others)


def answer_to(source: str, position: int, data: Mapping[str, Any], **answered: str) -> Answer:
    """The answer to a task by what `csvor export` wrote of it; refused if that is not there."""
    number = as_number(str(data.get("row", "")))
    lacks = [name for name in ("target", "given") if not isinstance(data.get(name), str)]
    if not (1 <= number < 2**53 and number.is_integer()):
        lacks.insert(0, "row")
    if lacks:
        raise CommandError(fault("no-task", source=source, position=position, names=lacks))
    ids = {str(name): str(text) for name, text in (data.get("ids") or {}).items()}
    return Answer(int(number), data["target"], data["given"], ids, **answered)


def decisions_of(source: str, answers: Iterable[Answer]) -> list[Decisions]:
    """Decisions in the order of rows: one set, or one of each reviewer where they share rows.

    Of two answers of one reviewer to one row the later one counts.
    """
    answers = list(answers)
    latest: dict[tuple[int, str], Answer] = {}
    for one in sorted(answers, key=lambda one: one.time):
        latest[one.row, one.reviewer] = one
    decided = [d for key in sorted(latest) if (d := latest[key].as_decision()) is not None]
    if not decided:
        raise CommandError(fault("none-answered", source=source, n=len(answers)))
    target = one_target(source, {"target": [one.target for one in answers]})
    shared = len({d.row for d in decided}) < len(decided)
    names = sorted({d.reviewer for d in decided}) if shared else [""]
    return [
        Decisions(source, target, tuple(d for d in decided if not shared or d.reviewer == name))
        for name in names
    ]


def read_json_list(source: str) -> list[dict[str, Any]]:
    """The objects that a JSON file lists."""
    try:
        entries = json.loads(Path(source).read_bytes())
    except ValueError as error:
        raise unreadable(source, "JSON file", error) from None
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise unreadable(source, "export", "no list of tasks")
    return entries
