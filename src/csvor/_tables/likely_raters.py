"""Which features are likely to say who labelled, or to be labels of other raters?"""

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.roles import Roles
from csvor._utils.spelling import format_value, same

_PEOPLE = re.compile(
    r"(?:^|[\W_]|(?-i:(?<=[a-z])(?=[A-Z])))"
    r"(?:rater|grader|annotator|judge|reviewer|coder|assessor|examiner|scorer|label+er|marker|"
    r"pathologist|reader|teacher)"
    r"(?:[\W_]*(?:id|name|no|nr|number|code))?$",
    re.IGNORECASE,
)
_GOLD = re.compile(
    r"(?:^|[\W_]|(?-i:(?<=[a-z])(?=[A-Z])))(?:gold|truth|true|expert|consensus|human)"
    r"(?:$|[\W_\d]|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[\W_]*\d+$|[\W_]+[A-Za-z]$")
# So many rows has each of them at the least, in the mean.
_ROWS = 4


def note_raters(frame: pd.DataFrame, data: Roles, notes: Notes) -> None:
    """Say which features are named as people who label are, with a few values."""
    for name in likely_raters(frame.items()) if data.rater is None else ():
        if name not in data.keep:
            notes.add(fault("likely-rater", name))


def likely_raters(columns: Iterable[tuple[Any, Any]]) -> list[Any]:
    """The columns that are named as people who label are, and have a few values."""
    named = [(name, pd.Series(column)) for name, column in columns if _PEOPLE.search(str(name))]
    return [name for name, column in named if 1 < column.nunique() <= len(column) / _ROWS]


def note_more_raters(
    frame: pd.DataFrame, targets: Sequence[str], classes: Sequence[Any], data: Roles,
    notes: Notes,
) -> None:  # fmt: skip
    """Say which features hold the labels of `targets`, and are numbered or lettered as these are.

    Where those are people's names, the labels alone tell, if there are more than two; so do names
    such as "truth".
    """
    known, stems = [format_value(label) for label in classes], {*map(_stem, targets)}
    several = len(targets) > 1 or len(known) > 2
    by_labels = len(stems) > 1 and len(known) > 2
    more = [
        name
        for name in _with_labels(frame, known, data.keep)
        if by_labels or {_stem(name)} == stems or (several and is_gold(name))
    ]
    if not more:
        return
    of_all = shlex.join([",".join([*targets, *more])])
    facts: dict[str, Any] = {"names": more, "n": len(more), "targets": of_all}
    golden = [name for name in more if is_gold(name)]
    if len(targets) > 1 and data.gold is None and (golden or by_labels):
        gold = [*golden, *more][0] if golden or len(more) == 1 else "COL"
        notes.add(fault("likely-labels-or-gold", gold=gold, **facts))
    else:
        notes.add(fault("likely-labels", **facts))


def is_gold(name: str) -> bool:
    """Whether a column is named as true labels are."""
    return _GOLD.search(name) is not None


def note_gold(frame: pd.DataFrame, classes: Sequence[Any], data: Roles, notes: Notes) -> None:
    """Say which feature of the items holds all labels of a long file, or is named as true ones."""
    known = [format_value(label) for label in classes]
    for name in _with_labels(frame, known, data.keep) if data.gold is None else ():
        all_labels = len(known) > 2 and frame[name].nunique() >= len(known)
        if all_labels or is_gold(name):
            notes.add(fault("likely-gold", name))


def _with_labels(frame: pd.DataFrame, known: Sequence[str], keep: Sequence[str]) -> list[str]:
    """The columns that hold nothing but known labels."""
    return [
        name
        for name in frame.columns
        if name not in keep
        and 1 < frame[name].nunique() <= len(known) + 1  # blanks among words are one of them
        and all(
            any(same(text, label) for label in known)
            for text in filter(None, map(format_value, frame[name].dropna().unique()))
        )
    ]


def _stem(name: str) -> str:
    """A name without its number or letter; one that is nothing else stays as it is."""
    return _NUMBERED.sub("", name) or name
