"""How do messages say how many, and which?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def plural(count: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count} {nouns(count, noun)}"


def nouns(count: int, noun: str) -> str:
    """`row` of one, else `rows`."""
    return noun if count == 1 else f"{noun}s"


def are(count: int) -> str:
    """`is` of one, else `are`."""
    return "is" if count == 1 else "are"


def some_of(words: Sequence[str], most: int, count: int | None = None) -> str:
    """`a, b and 3 more`: the first words, and how many of `count` (default: of all) are left."""
    more = (len(words) if count is None else count) - min(len(words), most)
    return ", ".join(words[:most]) + (f" and {more} more" if more > 0 else "")


def all_of(words: Iterable[object], last: str = " and ") -> str:
    """`a`, `a and b`, or `a, b and c`; `last` divides the last two."""
    *first, end = map(str, words)
    return f"{', '.join(first)}{last}{end}" if first else end


def quoted(values: Iterable[object]) -> str:
    """`'a', 'b', 3`: each as Python writes it."""
    return ", ".join(map(repr, values))


def rows_text(positions: Any, count: int | None = None, most: int = 5, first: int = 1) -> str:
    """`row 3`, `rows 3, 8` or `rows 3, 8, 9, 12, 15 and 7 more`.

    `positions` count from 0, the text from `first`; `count` is given where they are only some.
    """
    count = len(positions) if count is None else count
    numbers = [str(position + first) for position in positions[:most]]
    return f"{nouns(count, 'row')} {some_of(numbers, most, count)}"
