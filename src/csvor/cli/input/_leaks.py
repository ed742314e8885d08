"""Columns that tell a model what it should not learn from: row numbers, and copies of the label."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from csvor.cli._notes import Notes
from csvor.cli.input._column_checks import Numbers, Rows, quoted
from csvor.cli.input._table import Column, shown
from csvor.cli.input._target import Target

# In fewer rows, what was measured is in order often enough.
_FEWEST_ROWS = 20
# A copy: the label of this share of the rows, and of this share of what chance leaves open.
_AGREES, _BEYOND_CHANCE = 0.95, 0.9
# Rows for each value of a copy; with fewer, any column tells the label of its rows.
_ROWS_PER_VALUE = 4


def counts_rows(column: Column, used: Numbers, notes: Notes) -> bool:
    """Whether a column, or what is `used` of it, numbers the rows; if so, with a note.

    A row number is whole and comes once; they rise or fall with the row, or run without a gap.
    """
    # Rows without a label are not used, and leave gaps.
    how = _row_numbers(used) or _row_numbers(column.numbers[0])
    if how is None:
        return False
    name = quoted(column.name)
    notes.add(
        f"column '{column.name}' looks like row numbers ({how}) and is left out, for these say "
        f"where a row stands and not what it is like; name the rows by it with --id {name}, or use "
        f"it all the same with --keep {name}"
    )
    return True


def _row_numbers(values: Numbers) -> str | None:
    values = values[np.isfinite(values)]
    if len(values) < _FEWEST_ROWS or np.any(values != np.floor(values)):
        return None
    low, high = values.min(), values.max()
    steps = np.diff(values)
    if np.all(steps > 0) or np.all(steps < 0):
        how = "rising" if steps[0] > 0 else "falling"
    elif high - low == len(values) - 1 and len(np.unique(values)) == len(values):
        how = "each once, without a gap"
    else:
        return None
    return f"{shown(low)} to {shown(high)}, {how}"


def note_copies(target: Target, frame: pd.DataFrame, kept: Collection[str], notes: Notes) -> None:
    """Say so where one column alone gives the label: rows are then judged by it alone."""
    codes, n_rows = target.coded.codes, len(frame)
    n_labels = int(np.count_nonzero(target.counts))
    # A copy may have one value more, for rows where it is blank or unknown.
    most = min(n_labels + 1, n_rows // _ROWS_PER_VALUE)
    for name in frame.columns:
        if name in kept or frame[name].iloc[:1000].nunique(dropna=False) > most:
            continue
        values, found = pd.factorize(frame[name], use_na_sentinel=False)
        if len(found) > most:
            continue
        told = _rows_told(values, codes, len(target.counts))
        by_chance = max(target.counts)
        beyond = (told - by_chance) / (n_rows - by_chance)
        if told < n_rows and (told < _AGREES * n_rows or beyond < _BEYOND_CHANCE):
            continue
        drop = f"--drop {quoted(name)}"
        if told == n_rows:
            notes.add(
                f"column '{name}' determines the label exactly; drop it with {drop} if it is a "
                "copy of it: the labels are then judged by the other columns"
            )
        else:
            notes.add(
                f"column '{name}' alone gives the label of {100 * told / n_rows:.1f} % of the rows "
                f"({100 * beyond:.1f} % beyond chance), as a copy of it would: then rows are "
                "suspect where the two differ, and hardly elsewhere; with "
                f"{drop} the other columns judge the labels"
            )


def _rows_told(values: Rows, codes: Rows, n_classes: int) -> int:
    """How many rows have the most frequent label of their value."""
    pairs = np.bincount(values * n_classes + codes)
    padded = np.pad(pairs, (0, -len(pairs) % n_classes))
    return int(padded.reshape(-1, n_classes).max(axis=1).sum())
