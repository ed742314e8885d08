"""Columns that tell a model what it should not learn from: row numbers, and copies of the label."""

import re
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from csvor.cli._notes import Notes
from csvor.cli.input._column_checks import Numbers, Rows, quoted
from csvor.cli.input._table import format_value

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
# A copy: the label of this share of the rows, and of this share of what chance leaves open.
_AGREES, _BEYOND_CHANCE = 0.95, 0.9
# Rows for each value of a copy; with fewer, any column tells the label of its rows.
_ROWS_PER_VALUE = 4


def counts_rows(name: str, values: Numbers, used: Numbers, notes: Notes) -> bool:
    """Whether the values of a column, or what is `used` of it, number the rows; if so, with a note.

    A row number is whole and comes once; they rise or fall with the row, or run without a gap.
    """
    # Rows without a label are not used, and leave gaps.
    how = _row_numbers(used) or _row_numbers(values)
    if how is None:
        return False
    notes.add(
        f"column '{name}' looks like row numbers ({how}) and is left out, for these say "
        f"where a row stands and not what it is like; name the rows by it with --id "
        f"{quoted(name)}, or use it all the same with --keep {quoted(name)}"
    )
    return True


def names_rows(name: str, codes: Rows, texts: Sequence[str], notes: Notes) -> bool:
    """Whether a column of texts names the rows, each by a code of its own; if so, with a note."""
    if len(codes) < _FEWEST_ROWS or len(texts) < len(codes):
        return False
    if not is_id(name) and not all(_CODE.fullmatch(text) for text in texts):
        return False
    notes.add(
        f"column '{name}' looks like an id (each row has a text of its own, such as '{texts[0]}') "
        f"and is left out; name the rows by it with --id {quoted(name)}"
    )
    return True


def note_use(name: str, values: Numbers, notes: Notes) -> None:
    """Say so where a feature may be an id or a weight by its name."""
    values = values[np.isfinite(values)]
    as_typed = quoted(name)
    whole = bool(np.all(values == np.floor(values)))
    if is_id(name) and whole and len(values) >= _FEWEST_ROWS:
        n_different = len(np.unique(values))
        if n_different == len(values):
            notes.add(
                f"column '{name}' looks like an id (whole numbers, each once) and is used as a "
                f"feature; name the rows by it with --id {as_typed}, or use it without this note "
                f"with --keep {as_typed}"
            )
        elif n_different > max(_FEWEST_ROWS, len(values) / 20):
            notes.add(
                f"column '{name}' looks like an id of what several rows share ({n_different} whole "
                f"numbers) and is used as a feature; judge these rows together with --groups "
                f"{as_typed}, or use it without this note with --keep {as_typed}"
            )
    if _WEIGHT.fullmatch(name) and np.all(values >= 0):
        notes.add(
            f"column '{name}' is used as a feature; if it says what a row counts, --weight "
            f"{as_typed}; if it is a measurement, --keep {as_typed} ends this note"
        )


def note_repeated_codes(name: str, n_rows: int, n_texts: int, notes: Notes) -> None:
    """Say so where categories may be the ids of what rows share."""
    if is_id(name) and n_texts > max(_FEWEST_ROWS, n_rows / 20):
        notes.add(
            f"column '{name}' looks like an id of what several rows share ({n_texts} texts) and is "
            f"used as categories; judge these rows together with --groups {quoted(name)}, or use "
            f"it without this note with --keep {quoted(name)}"
        )


def is_id(name: str) -> bool:
    """Whether a column is an id by its name."""
    parts = re.split(r"[\W_\d]+|(?<=[a-z])(?=[A-Z])", name)
    if name.lower() in _WHOLE_IDS or _ID_END.search(name.lower()):
        return True
    return any(part.lower() in _IDS for part in parts)


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
    return f"{format_value(low)} to {format_value(high)}, {how}"


def note_copies(
    codes: Rows, frame: pd.DataFrame, kept: Collection[str], notes: Notes
) -> tuple[str, ...]:
    """Say so where one column alone gives the label: rows are then judged by it alone.

    Returns those columns.
    """
    copies: list[str] = []
    counts, n_rows = np.bincount(codes), len(frame)
    n_labels = int(np.count_nonzero(counts))
    # A copy may have one value more, for rows where it is blank or unknown.
    most = min(n_labels + 1, n_rows // _ROWS_PER_VALUE)
    for name in frame.columns:
        if name in kept or frame[name].iloc[:1000].nunique(dropna=False) > most:
            continue
        values, found = pd.factorize(frame[name], use_na_sentinel=False)
        if len(found) > most:
            continue
        told = _rows_told(values, codes, len(counts))
        by_chance = int(counts.max())
        beyond = (told - by_chance) / (n_rows - by_chance)
        if told < n_rows and (told < _AGREES * n_rows or beyond < _BEYOND_CHANCE):
            continue
        copies.append(name)
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
    return tuple(copies)


def _rows_told(values: Rows, codes: Rows, n_classes: int) -> int:
    """How many rows have the most frequent label of their value."""
    pairs = np.bincount(values * n_classes + codes)
    padded = np.pad(pairs, (0, -len(pairs) % n_classes))
    return int(padded.reshape(-1, n_classes).max(axis=1).sum())
