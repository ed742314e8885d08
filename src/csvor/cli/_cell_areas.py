"""Where do areas of a sheet, such as A2:H801, lie once some of its lines are gone?"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

_END = r"(\$?[A-Z]{0,3})(\$?)(\d+)"
_AREA = re.compile(f"{_END}(?::{_END})?")
_COLUMNS = re.compile(r"\$?[A-Z]{1,3}:\$?[A-Z]{1,3}")
_FIXED_LINE = re.compile(r"\$(\d+)")


class Gone:
    """The lines of a sheet, from 1, that are taken out."""

    def __init__(self, lines: Iterable[int]) -> None:
        self.lines = sorted(lines)

    def __contains__(self, line: int) -> bool:
        place = bisect_left(self.lines, line)
        return place < len(self.lines) and self.lines[place] == line

    def moved(self, line: int) -> int:
        """Where a line that stays lies afterwards."""
        return line - bisect_left(self.lines, line)

    def between(self, first: int, last: int) -> bool:
        """Whether one of the lines from `first` to `last` goes."""
        return bisect_right(self.lines, last) > bisect_left(self.lines, first)

    def area(self, text: str) -> str | None:
        """An area, or areas with blanks between them, as it lies afterwards; "" where all of it
        goes, None where the text is no area.
        """
        parts = [self._one(part) for part in text.split()]
        if None in parts or not parts:
            return None
        return " ".join(filter(None, map(str, parts)))

    def _one(self, text: str) -> str | None:
        if _COLUMNS.fullmatch(text):
            return text
        match = _AREA.fullmatch(text)
        if match is None:
            return None
        column, sign, first, to_column, to_sign, last = match.groups()
        start, end = int(first), int(last or first)
        while start <= end and start in self:
            start += 1
        while end >= start and end in self:
            end -= 1
        if start > end:
            return ""
        moved = f"{column}{sign}{self.moved(start)}"
        return moved if last is None else f"{moved}:{to_column}{to_sign}{self.moved(end)}"

    def fixes(self, formula: str) -> bool:
        """Whether a formula of this sheet names a line by `$` that moves or goes."""
        return any(int(line) >= self.lines[0] for line in _FIXED_LINE.findall(formula))


def lines_of(area: str) -> tuple[int, int]:
    """The first and the last line of an area; 0 where it is of whole columns."""
    lines = [int(line) for line in re.findall(r"\d+", area)]
    return (min(lines), max(lines)) if lines else (0, 0)
