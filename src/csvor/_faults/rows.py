"""By which number or name do messages call a row?"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from csvor._utils.words import nouns, some_of

# What the rows are called, by position; None where they are numbered from 1, as in a file.
ROW_NAMES: ContextVar[Sequence[Any] | Any] = ContextVar("ROW_NAMES", default=None)


def row_name(position: int) -> str:
    """The row at a position that counts from 0."""
    names = ROW_NAMES.get()
    return str(position + 1 if names is None else names[position])


def rows_named(positions: Any, count: int | None = None, most: int = 5) -> str:
    """`row 3`, `rows 3, 8` or `rows 3, 8, 9, 12, 15 and 7 more`; `count` where there are more."""
    count = len(positions) if count is None else count
    return f"{nouns(count, 'row')} {some_of([*map(row_name, positions[:most])], most, count)}"
