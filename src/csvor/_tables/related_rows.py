"""Rows that hang together: groups, ids that come again, and rows with the same features (N35)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.util import hash_array

from csvor._faults.errors import ColumnError, UsageError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.column_checks import Rows
from csvor._tables.leaks import is_id
from csvor._tables.table import TableColumn

# Sets of conflicting rows that a document lists, and rows of each.
MOST_LISTED = 100
# Texts that are many, rows whose text another row has, and labels that agree beyond chance.
_FEWEST_TEXTS, _MOSTLY, _ALIKE = 20, 0.8, 0.2


@dataclass(frozen=True)
class Repeats:
    """Rows that have the features of others, as positions among the rows used.

    `copies` have the features and the label of an earlier row (of another group, where there are
    groups); each of the `conflicts` is a set of rows with the same features, but not one label.
    """

    copies: Rows
    conflicts: list[Rows]

    def listed(self, rows: Rows) -> list[list[int]]:
        """The first of the conflicts by the numbers of their rows, counted from 1."""
        return [(rows[one[:MOST_LISTED]] + 1).tolist() for one in self.conflicts[:MOST_LISTED]]


def find_repeats(
    frame: pd.DataFrame,
    codes: Rows,
    groups: Rows | None,
    weights: NDArray[np.float64] | None = None,
) -> Repeats:
    """Compare the rows of a frame with their codes of labels; those of weight 0 are not there."""
    if weights is not None and not weights.all():
        rows = np.flatnonzero(weights)
        known = None if groups is None else groups[rows]
        repeats = find_repeats(frame.iloc[rows], codes[rows], known)
        return Repeats(rows[repeats.copies], [rows[one] for one in repeats.conflicts])
    kinds = _kinds(frame)
    labelled = kinds * (int(codes.max()) + 1) + codes
    group = np.arange(len(frame)) if groups is None else groups
    cells = pd.factorize(labelled)[0]
    once = ~pd.DataFrame({"cell": cells, "group": group}).duplicated().to_numpy()
    spread = np.bincount(cells[once])
    later = pd.Series(cells).duplicated().to_numpy()
    copies = np.flatnonzero(later & (spread > 1)[cells])
    several = np.bincount(kinds[~later]) > 1
    alike = np.flatnonzero(several[kinds])
    alike = alike[np.argsort(kinds[alike], kind="stable")]
    ends = np.flatnonzero(np.diff(kinds[alike])) + 1
    return Repeats(copies, np.split(alike, ends) if len(alike) else [])


def _kinds(frame: pd.DataFrame) -> NDArray[np.int64]:
    """Number the distinct rows in the order in which they come."""
    kinds = np.zeros(len(frame), dtype=np.int64)
    for name in frame.columns:
        values, levels = pd.factorize(frame[name], use_na_sentinel=False)
        kinds, distinct = pd.factorize(kinds * len(levels) + values)
        if len(distinct) == len(frame):
            break
    return kinds


def note_repeats(
    repeats: Repeats, rows: Rows, notes: Notes, counts: NDArray[np.float64] | None = None,
    *, rated: bool = False,
) -> None:  # fmt: skip
    """Say which rows come again, and which contradict another.

    Where each stands for many, by `counts`, it is no copy, and as many contradict another. Where it
    is `rated`, by a rater who is named, others may have rated the same.
    """
    conflicts, copies = repeats.conflicts, repeats.copies
    conflicting = np.concatenate([np.empty(0, dtype=np.int64), *conflicts])
    n_conflicting, total, by = len(conflicting), len(rows), ""
    if counts is not None:
        n_conflicting, total = int(counts[conflicting].sum()), int(counts.sum())
        by = " (by --counts)"
    # Copies agree. Where rows with the same features mostly do not, they are none.
    elif len(copies) > n_conflicting:
        notes.add(fault("copied-rows", rows=rows[copies]))
    if 2 * n_conflicting > total:
        kind = "mostly-conflicting-ratings" if rated else "mostly-conflicting-rows"
        notes.add(fault(kind, n=n_conflicting, total=total, by=by))
    elif conflicts:
        notes.add(fault("conflicting-rows", rows=rows[conflicting], n_sets=len(conflicts)))


def group_numbers(column: TableColumn, rows: Rows) -> NDArray[np.int64]:
    """A number for the group of each of the `rows`, the same in any piece of the data.

    So folds are the same however the rows are read. A row without a group is refused.
    """
    codes, texts = _named(column, rows, "--groups", "groups")
    return hash_array(np.array(texts, dtype=object)).view(np.int64)[codes]


def names_in(column: TableColumn, rows: Rows, use: str) -> NDArray[Any]:
    """The "rater", or the "item", of each of the `rows`, as it is written. A blank is refused."""
    codes, texts = _named(column, rows, f"--{use}", f"{use}s")
    return np.array(texts, dtype=object)[codes]


def _named(column: TableColumn, rows: Rows, option: str, what: str) -> tuple[Rows, list[str]]:
    """Codes and texts of a column that names what each row is of."""
    if column.kind == "lists":
        needed = what if what == "groups" else f"names of {what}"
        about = {"what": column.unusable, "needed": needed}
        raise ColumnError(fault("no-use", column.name, option=option, **about))
    codes, texts = column.take(rows).coded
    blank = _blank(codes, texts, column)
    if blank.any():
        facts: dict[str, Any] = {"rows": rows[blank], "total": len(codes)}
        raise ColumnError(fault(f"blank-{what}", column.name, option=option, **facts))
    return codes, texts


def refuse_few_rows(n_rows: int, groups: Rows | None, folds: int) -> None:
    """Refuse more parts than there are rows, or groups."""
    if folds > n_rows:
        raise UsageError(fault("few-rows", folds=folds, n=n_rows))
    refuse_few_groups(groups, folds)


def refuse_few_groups(groups: Rows | None, folds: int) -> None:
    """Refuse more parts than there are groups, for a group is never divided."""
    if groups is not None and folds > (n_groups := len(np.unique(groups))):
        raise UsageError(fault("few-groups", n=n_groups, folds=folds))


def note_shared_texts(
    frame: pd.DataFrame, codes: Rows, kept: Collection[str], notes: Notes
) -> None:
    """Say which columns have many texts, each on several rows that mostly share a label (N66)."""
    n_rows = len(codes)
    counts = np.bincount(codes)
    by_chance = float(np.sum((counts / n_rows) ** 2))
    for name in frame.columns:
        if name in kept or is_id(name) or frame[name].dtype.kind not in "OU":
            continue
        texts, levels = pd.factorize(frame[name])
        rows = np.bincount(texts, minlength=len(levels))
        few = len(levels) <= max(_FEWEST_TEXTS, n_rows / 20)
        if few or rows[rows > 1].sum() < _MOSTLY * n_rows:
            continue
        cells = np.unique(texts * len(counts) + codes, return_counts=True)[1]
        # Of the pairs of rows of one text, those of one label, above what chance gives.
        alike = (cells * (cells - 1)).sum() / (rows * (rows - 1)).sum()
        if alike - by_chance > _ALIKE * (1 - by_chance):
            notes.add(fault("shared-texts", name, n_texts=len(levels)))


def note_repeated_ids(column: TableColumn, rows: Rows, notes: Notes) -> None:
    """Say so where one id names several rows."""
    codes, texts = column.take(rows).coded
    counts = np.bincount(codes, minlength=len(texts))
    again = (counts > 1)[codes] & ~_blank(codes, texts, column)
    n_ids = len(np.unique(codes[again]))
    if n_ids:
        notes.add(fault("repeated-ids", column.name, option="--id", rows=rows[again], n_ids=n_ids))


def _blank(codes: Rows, texts: list[str], column: TableColumn) -> NDArray[np.bool_]:
    blank = {"", "nan"} if column.kind == "number" else {""}
    return np.array([text in blank for text in texts])[codes]
