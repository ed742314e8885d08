"""Notes: what a user should know beside the result, one line each on standard error."""

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from csvor._utils.warn import AdvisedWarning, as_keyword
from csvor.cli._errors import one_line
from csvor.cli._fault import Fault
from csvor.cli._options import ModelOptions
from csvor.cli._spelling import format_value, quoted

# What names a column is kept apart from what was measured.
_NUMBER = re.compile(r"('[^']*'|column \d+)|\d[\d.,]*(?:e[+-]?\d+)?")

_EXAMPLE = re.compile(r"\(row \d+: .*?\)")

# The commands say the same with the number of rows. scikit-learn gives no category of its own.
_RARE_CLASS = "The least populated class"

# Parameters of the estimators that are options of the commands, and what labels have.
_OPTIONS = {field.name for field in fields(ModelOptions)} | {"classes", "missing_label"}
_MOST_LABELS = 3
# Words of the library on raters, and what the commands have for them.
_SAID_OTHERWISE = {
    "(gold=)": "(--gold COL)",
    "(reference=)": "(--reference NAME)",
    "confirm some labels": "confirm some labels (--reviewed FILE)",
    "audit_labels": "csvor audit",
    # ... and of the regression.
    " of X ": " ",
    "X has ": "there are ",
    "penalty=1.0": "--penalty 1",
    "Leave it out of classes": "Leave it out of --classes",
    "Leave it out,": "Leave it out (--drop COL),",
    "Leave one of them out,": "Leave one of them out (--drop COL),",
    "wrong=0": "--no-wrong",
    "a larger ridge": "a larger --penalty",
    "Leave one out,": "Leave one out (--drop COL),",
    "Leave columns out,": "Leave columns out (--drop COL),",
}


class Notes:
    """Collects notes; warnings that differ in their numbers alone are one, with a count."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._count: dict[str, int] = {}
        self._unwanted: set[str] = set()

    def pass_over(self, *kinds: str) -> None:
        """Take up none of these kinds: they are not about what the command does."""
        self._unwanted |= set(kinds)

    def add(self, note: str | Fault) -> None:
        """Take up one note."""
        if isinstance(note, Fault) and note.kind in self._unwanted:
            return
        text = one_line(str(note))
        self._take(text, text)

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

    @contextmanager
    def printed_at_end(self) -> Iterator[None]:
        """Print the notes, and forget them, when the work inside is over, however it ends."""
        try:
            yield
        finally:
            for text in self.texts():
                print(f"note: {text}", file=sys.stderr)
            self._first.clear()
            self._count.clear()

    @contextmanager
    def of_warnings(
        self, *said_otherwise: type[Warning], lower_case: bool = False
    ) -> Iterator[None]:
        """Take up the warnings raised inside, except those that are meant for programmers.

        In lower case they begin as notes do, but for names in capitals.
        """
        # Here: help and the listing of data sets need no estimator.
        from csvor._data.fit_data import EmptyClassWarning
        from csvor._data.ranges import FarValueWarning

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # The commands say these in words of their own, with rows and columns of the file.
            categories: tuple[type[Warning], ...] = (FarValueWarning, EmptyClassWarning)
            for category in (*categories, *said_otherwise):
                warnings.simplefilter("ignore", category)
            warnings.filterwarnings("ignore", message=_RARE_CLASS)
            try:
                yield
            finally:
                # Fits side by side warn in any order.
                for warning in sorted(caught, key=lambda one: str(one.message)):
                    if issubclass(warning.category, (UserWarning, RuntimeWarning)):
                        text = one_line(str(warning.message))
                        note = one_line(_in_options(warning.message))
                        if lower_case and not note[:2].isupper():
                            note = f"{note[:1].lower()}{note[1:]}"
                        self._take(note, _key(text))


def _key(text: str) -> str:
    """What a text says beside its numbers."""
    return _NUMBER.sub(lambda match: match[1] or "#", text)


def _in_options(message: Warning | str) -> str:
    """A warning of the estimator, with an option in place of its parameter where there is one."""
    if isinstance(message, AdvisedWarning):
        return message.spelled(as_option)
    return in_options(str(message))


def in_options(text: str) -> str:
    """What the library says, with options in place of its functions and parameters."""
    for word, option in _SAID_OTHERWISE.items():
        text = text.replace(word, option)
    return text


def as_option(parameter: str, value: Any) -> str:
    """A parameter as the option that the commands have for it."""
    if parameter not in _OPTIONS:
        return as_keyword(parameter, value)
    option = "--" + parameter.replace("_", "-")
    if not isinstance(value, tuple):
        return option if value is None else f"{option} {value}"
    texts = [format_value(one) for one in value]
    if parameter == "classes":
        return f"{option} {','.join(texts) or 'LOWEST,...,HIGHEST'}"
    options = [f"{option} {quoted(text)}" for text in texts[:_MOST_LABELS]]
    return " ".join(options) + " and so on" * (len(texts) > _MOST_LABELS)
