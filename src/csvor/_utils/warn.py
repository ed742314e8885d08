"""Warnings that point at the line of the user that caused them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

from csvor._utils.words import all_of

# Frames of these packages do not help the reader of a warning.
_INSIDE = {"csvor", "numba", "sklearn"}


def as_keyword(parameter: str, value: Any) -> str:
    """A parameter as in a call."""
    return parameter if value is None else f"{parameter}={value!r}"


@dataclass(frozen=True)
class Remedy:
    """What to do: words, around a parameter (and its value) where one helps.

    Where Python code has other means than a command line, ``in_code`` names them.
    """

    before: str = ""
    parameter: str = ""
    value: Any = None
    after: str = ""
    in_code: str = ""

    def spelled(self, spell: Callable[[str, Any], str] = as_keyword) -> str:
        """The words, with the parameter as ``spell`` writes it; "" if there is nothing to do."""
        if self.in_code and spell is as_keyword:
            return self.in_code
        named = spell(self.parameter, self.value) if self.parameter else ""
        return f"{self.before}{named}{self.after}"


def alternatives(
    remedies: Iterable[Remedy], spell: Callable[[str, Any], str] = as_keyword, last: str = ", or "
) -> str:
    """Several remedies in one sentence, of which each would do; ``last`` divides the last two."""
    texts = [remedy.spelled(spell) for remedy in remedies]
    return all_of([text for text in texts if text], last)


class AdvisedWarning(UserWarning):
    """A complaint and its remedy, which a command line spells in options."""

    # Without a remedy it can be made again from its text alone, as pytest does (N89).
    def __init__(self, complaint: str, remedy: Remedy | None = None) -> None:
        super().__init__(complaint, remedy)
        self.complaint, self.remedy = complaint, remedy

    def advised(self, remedy: Remedy) -> Self:
        """The same with another remedy."""
        return type(self)(self.complaint, remedy)

    def spelled(self, spell: Callable[[str, Any], str]) -> str:
        if self.remedy is None:
            return self.complaint
        return f"{self.complaint}: {self.remedy.spelled(spell)}."

    def __str__(self) -> str:
        return self.spelled(as_keyword)


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn from the first frame outside of csvor, scikit-learn and Numba."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package_of(frame.f_globals) in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _package_of(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
