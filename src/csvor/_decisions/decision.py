"""What is decided about the labels of rows?"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from csvor._utils.atomic_files import write_whole

KEEP, RELABEL, DROP = "keep", "relabel", "drop"
KINDS = (KEEP, RELABEL, DROP)
# What becomes of rows that are decided.
OUTCOMES = {KEEP: "kept", RELABEL: "relabelled", DROP: "dropped"}
COLUMNS = ("row", "target", "given", "decision", "label")
# What reviewers write beside a decision, and their names: a file may have them or not.
REMARKS = ("comment", "reviewer")
# The command that audited, which a page saves with them.
COMMAND = "audit"
# What tells whether the cells of a row are those that were reviewed.
CHECK = "row_check"
# Names that no column of the data can have beside them.
RESERVED = frozenset({*COLUMNS, *REMARKS, COMMAND, CHECK})


def id_column(name: Any) -> str:
    """The name of the column of ids in a file of decisions, where `name` is that in the data."""
    return name if isinstance(name, str) and name not in RESERVED else "id"


@dataclass(frozen=True)
class Decision:
    """What is to happen to the label of one row.

    Attributes
    ----------
    row : int
        Counted from 1, below the header of a file: the first row is 1.
    old_label : str
        The label in the data, as text (column ``given``).
    decision : {"keep", "relabel", "drop"}
    label : str
        The new label, of relabel; "" otherwise.
    comment, reviewer : str
        What was written beside it, and by whom; "" where that is not said.
    others : dict of str to str
        Further columns of the file, such as the id of the row.
    """

    row: int
    old_label: str
    decision: str
    label: str = ""
    comment: str = ""
    reviewer: str = ""
    others: Mapping[str, str] = field(default_factory=dict)

    @property
    def position(self) -> int:
        """The same row, counted from 0 as Python does."""
        return self.row - 1

    @property
    def outcome(self) -> tuple[str, str]:
        """What becomes of the row, without comments: the decision and the new label."""
        return self.decision, self.label if self.decision == RELABEL else ""


@dataclass(frozen=True)
class Decisions:
    """Decisions about the labels of some rows, as `csvor.read_decisions` reads them.

    Attributes
    ----------
    source : str
        The file that they come from.
    target : str
        The column of the labels, "" where the file does not say.
    decisions : tuple of Decision
        In the order of the file, at most one for each row. A `csvor.audit.Decision` has ``row``
        (from 1), ``position`` (the same from 0), ``old_label``, ``decision`` (keep, relabel or
        drop), ``label``, ``comment``, ``reviewer`` and ``others``, a dict of the file's other
        columns, such as an id.
    audit : str
        The command that audited, "" where that is unknown.
    """

    source: str
    target: str
    decisions: tuple[Decision, ...]
    audit: str = ""

    def __len__(self) -> int:
        return len(self.decisions)

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    def of(self, *kinds: str) -> list[Decision]:
        """The decisions of some kinds.

        Parameters
        ----------
        *kinds : {"keep", "relabel", "drop"}

        Returns
        -------
        decisions : list of Decision
        """
        return [d for d in self.decisions if d.decision in kinds]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows are kept, relabelled and dropped."""
        return {word: len(self.of(kind)) for kind, word in OUTCOMES.items()}

    @property
    def changes(self) -> dict[tuple[str, str], int]:
        """How many labels become which: {(old, new): rows}, most frequent first."""
        return dict(Counter((d.old_label, d.label) for d in self.of(RELABEL)).most_common())

    def summary(self) -> str:
        """The file and the counts, for people.

        Returns
        -------
        text : str
        """
        return f"{self.source}: {', '.join(f'{n} {word}' for word, n in self.counts.items())}"

    def _columns(self) -> dict[str, list[Any]]:
        """The columns of a file of these decisions, as the page of an audit saves them."""
        others = list(dict.fromkeys(name for d in self.decisions for name in d.others))
        return {
            "row": [d.row for d in self.decisions],
            **{name: [d.others.get(name, "") for d in self.decisions] for name in others},
            "target": [self.target] * len(self),
            "given": [d.old_label for d in self.decisions],
            "decision": [d.decision for d in self.decisions],
            "label": [d.label for d in self.decisions],
            "comment": [d.comment for d in self.decisions],
            "reviewer": [d.reviewer for d in self.decisions],
            COMMAND: [self.audit] * len(self),
        }

    def to_frame(self) -> Any:
        """The decisions as a table, with the columns of a file.

        Returns
        -------
        frame : pandas.DataFrame
            ``row`` counts from 1 below the header, as in the file.
        """
        import pandas as pd

        return pd.DataFrame(self._columns())

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write a file that `csvor apply`, `--reviewed` and the page of an audit read.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        path : pathlib.Path
        """
        text, columns = io.StringIO(newline=""), self._columns()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        write_whole(Path(path), text.getvalue().encode())
        return Path(path)


def as_saved(decisions: Decisions, id_name: str, ids: Sequence[str] | None) -> list[dict[str, Any]]:
    """Decisions as the page of an audit takes and saves them; `ids` are what their rows are called.

    It has no columns beside those, but for the check of cells.
    """
    columns = decisions._columns() | {CHECK: [d.others.get(CHECK, "") for d in decisions]}
    names = ["row", *COLUMNS[1:], *REMARKS, CHECK]
    if ids is not None:
        columns[id_name] = list(ids)
        names.insert(1, id_name)
    rows = zip(*(columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]
