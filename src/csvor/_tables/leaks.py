"""Columns that a model should not learn from: row numbers, and copies of the label (N34)."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.column_checks import Numbers, Rows
from csvor._utils.spelling import format_value

# In fewer rows, what was measured is in order often enough.
_FEWEST_ROWS = 20
_ID_PARTS = "id ids uid uuid guid pid serial respondent participant patient subject proband"
_ID_NAMES = "nr no number key index idx case row record person customer user"
_IDS, _WHOLE_IDS = frozenset(_ID_PARTS.split()), frozenset(_ID_NAMES.split())
_ID_END = re.compile(
    "(patient|person|subject|user|customer|client|case|record|row|resp)_?(id|nr|no)$"
)
# A code: one word with a digit in it.
_CODE = re.compile(r"(?=.*\d)\S{1,64}")
_WEIGHT = re.compile(
    r"(?i)((samp|sample|sampling|survey|final|person|case|design|household|freq|frequency)[_. -]?)?"
    r"(weights?|wts?|wgts?)|fnlwgt|[apfi]w(eigh)?ts?"
)
_COUNT = re.compile(r"(?i)(row|obs)?[_. -]?(counts?|freq(uency|uencies)?)|n_?(rows|obs)")
# A copy: the label of this share of the rows, and of this share of what chance leaves open.
_AGREES, _BEYOND_CHANCE = 0.95, 0.9
# Rows for each value of a copy; with fewer, any column tells the label of its rows.
_ROWS_PER_VALUE = 4


def counts_rows(name: str, values: Numbers, used: Numbers, notes: Notes) -> bool:
    """Whether the values of a column, or what is `used` of it, number the rows; if so, with a note.

    A row number is whole and comes once; they rise or fall with the row, or run without a gap.
    """
    # Rows without a label are not used, and leave gaps.
    how = row_numbers(used) or row_numbers(values)
    if how is None:
        return False
    notes.add(fault("row-numbers", name, remedies=["id", "keep"], how=how))
    return True


def names_rows(name: str, codes: Rows, texts: Sequence[str], notes: Notes) -> bool:
    """Whether a column of texts names the rows, each by a code of its own; if so, with a note."""
    if len(codes) < _FEWEST_ROWS or len(texts) < len(codes):
        return False
    if not is_id(name) and not all(_CODE.fullmatch(text) for text in texts):
        return False
    notes.add(fault("id-texts", name, remedies=["id"], text=texts[0]))
    return True


def note_use(name: str, values: Numbers, notes: Notes) -> None:
    """Say so where a feature may be an id or a weight by its name."""
    values = values[np.isfinite(values)]
    whole = bool(np.all(values == np.floor(values)))
    if is_id(name) and whole and len(values) >= _FEWEST_ROWS:
        n_different = len(np.unique(values))
        if n_different == len(values):
            notes.add(fault("id-numbers", name, remedies=["id", "keep-silent"]))
        else:
            note_shared_id(name, n_different, len(values), notes, "whole numbers", "a feature")
    if _WEIGHT.fullmatch(name) and np.all(values >= 0):
        notes.add(fault("weight-name", name))
    if _COUNT.fullmatch(name) and whole and np.all(values >= 0):
        notes.add(fault("count-name", name))


def note_shared_id(
    name: str, n_different: int, n_rows: int, notes: Notes, what: str, use: str
) -> None:
    """Say so where a column, an id by its name, may be one of what rows share."""
    if n_different > max(_FEWEST_ROWS, n_rows / 20):
        notes.add(fault("shared-id", name, n_different=n_different, what=what, use=use))


def is_id(name: str) -> bool:
    """Whether a column is an id by its name."""
    parts = re.split(r"[\W_\d]+|(?<=[a-z])(?=[A-Z])", name)
    if name.lower() in _WHOLE_IDS or _ID_END.search(name.lower()):
        return True
    return any(part.lower() in _IDS for part in parts)


def row_numbers(values: Numbers) -> str | None:
    """How the values of a column number the rows, if they do."""
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
    return f"{format_value(low)} to {format_value(high)}, {how}"


def note_copies(
    codes: Rows, frame: pd.DataFrame, kept: Collection[str], notes: Notes
) -> tuple[str, ...]:
    """Say so where one column alone gives the label: rows are then judged by it alone.

    Returns those columns.
    """
    copies: list[str] = []
    columns = ((name, frame[name]) for name in frame.columns if name not in kept)
    for name, share, beyond in copies_of(codes, columns):
        copies.append(name)
        kind = "label-copy" if share == 1 else "label-near-copy"
        notes.add(fault(kind, name, share=100 * share, beyond=100 * beyond))
    return tuple(copies)


def copies_of(
    codes: Rows, columns: Iterable[tuple[Any, Any]]
) -> Iterator[tuple[Any, float, float]]:
    """Columns that alone give the label: of which share of rows, and of what chance leaves open."""
    counts, n_rows = np.bincount(codes), len(codes)
    n_labels = int(np.count_nonzero(counts))
    # A copy may have one value more, for rows where it is blank or unknown.
    most = min(n_labels + 1, n_rows // _ROWS_PER_VALUE)
    for name, column in columns:
        if len(pd.unique(column[:1000])) > most:
            continue
        values, distinct = pd.factorize(column, use_na_sentinel=False)
        if len(distinct) > most:
            continue
        n_agreeing = _rows_with_main_label(values, codes, len(counts))
        by_chance = int(counts.max())
        share, beyond = n_agreeing / n_rows, (n_agreeing - by_chance) / (n_rows - by_chance)
        if share == 1 or (share >= _AGREES and beyond >= _BEYOND_CHANCE):
            yield name, share, beyond


def _rows_with_main_label(values: Rows, codes: Rows, n_classes: int) -> int:
    """How many rows have the most frequent label of their value."""
    pairs = np.bincount(values * n_classes + codes)
    padded = np.pad(pairs, (0, -len(pairs) % n_classes))
    return int(padded.reshape(-1, n_classes).max(axis=1).sum())
