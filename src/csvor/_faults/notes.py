"""What should a user know beside the result? Collected, each thing once."""

import re

from csvor._faults.errors import one_line
from csvor._faults.fault import Fault

# What names a column is kept apart from what was measured.
_NUMBER = re.compile(r"('[^']*'|column \d+)|\d[\d.,]*(?:e[+-]?\d+)?")
_EXAMPLE = re.compile(r"\(row \d+: .*?\)")


class Notes:
    """Collects notes; warnings that differ in their numbers alone are one, with a count."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._first: dict[str, str] = {}
        self._count: dict[str, int] = {}
        self._unwanted: set[str] = set()

    def pass_over(self, *kinds: str) -> None:
        """Take up none of these kinds: they are not about what the command does."""
        self._unwanted |= set(kinds)

    def add(self, note: str | Fault) -> None:
        """Take up one note."""
        if isinstance(note, Fault):
            if note.kind in self._unwanted:
                return
            self.faults.append(note)
        text = one_line(str(note))
        self._take(text, text)

    def add_warning(self, note: str, text: str) -> None:
        """Take up what a warning said in a `text`: those that differ in numbers are one."""
        self._take(note, _key(text))

    def add_of_part(self, text: str) -> None:
        """Take up a note on a part of the rows: others say the same with other rows and numbers.

        What has no number is said of the columns, which all parts have.
        """
        key = _key(_EXAMPLE.sub("", text))
        if key != text or key not in self._first:
            self._take(text, key)

    def _take(self, text: str, key: str) -> None:
        self._first.setdefault(key, text)
        self._count[key] = self._count.get(key, 0) + 1

    def texts(self) -> list[str]:
        """The notes in the order in which they first came, those of one work by their text."""
        return [
            text if self._count[key] == 1 else f"{text} ({self._count[key]} such notes)"
            for key, text in self._first.items()
        ]


def _key(text: str) -> str:
    """What a text says beside its numbers."""
    return _NUMBER.sub(lambda match: match[1] or "#", text)
