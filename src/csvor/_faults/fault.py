"""How does a fault, or a note, that is data become a sentence?"""

import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from csvor._faults.messages import MESSAGES, REMEDIES
from csvor._faults.options import as_option
from csvor._faults.rows import ROW_NAMES, row_name, rows_named
from csvor._faults.spelling import quoted, visible
from csvor._utils.words import all_of, some_of

# `[it|them]` is one of the two by `n`, `[names:it|them]` by the fact `names`.
_CHOICE = re.compile(r"\[(?:(\w+):)?([^|\[\]]*)\|([^|\[\]]*)\]")
_MOST_EXAMPLES = 3
# But for those of another command: "fit with --impute", "csvor audit FILE --reviewed".
_OPTION = re.compile(r"(?<![\w'-])(?<!fit with )(?<!the model with )--[a-z][a-z-]*")
_OTHER_COMMAND = re.compile(r"csvor [a-z]+[^;]*")
# The options of the command that runs; None where none does.
OPTIONS: ContextVar[Collection[str] | None] = ContextVar("OPTIONS", default=None)


@dataclass(frozen=True, eq=False)
class Fault:
    """What is wrong with the data, or worth a note; `csvor._faults.messages` has the words.

    `option` names the column, `rows` count from 0, and `examples` are what the first of them hold.
    `remedies` are names of `REMEDIES`: what else stands in the message is always offered. Of the
    `facts`, which the message names besides, `n` chooses between singular and plural; by default it
    is the number of the rows. `file` is the one that it is about, if the message does not name it.
    """

    kind: str
    column: str = ""
    option: str = ""
    rows: Sequence[int] | Any = ()
    examples: Sequence[str] = ()
    remedies: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""

    def __str__(self) -> str:
        facts = {"n": len(self.rows), "rows": self.rows, "column": self.column, **self.facts}
        if len(self.rows):
            facts["row"] = row_name(self.rows[0])
        if self.examples:
            facts["example"] = self.examples[0]
            facts["examples"] = self._examples()
        text = _filled(_without_lacking(MESSAGES[self.kind]), facts)
        remedies = [REMEDIES[name] for name in self.remedies if not lacking(REMEDIES[name])]
        if remedies:
            remedies = [_filled(remedy, facts) for remedy in remedies]
            text += f"; {all_of(remedies, ', or ')}"
        if not self.column:
            return f"{self.file}: {text}" if self.file else text
        option = f" ({self.option})" if self.option else ""
        file = f"{self.file}, " if self.file else ""
        return f"{file}column '{self.column}'{option}{'' if text[0] in ',:' else ' '}{text}"

    def _examples(self) -> str:
        pairs = zip(self.rows, self.examples, strict=False)
        texts = [f"row {row_name(row)}: '{visible(text)}'" for row, text in pairs]
        return some_of(texts, _MOST_EXAMPLES, len(self.rows))


def fault(
    kind: str,
    column: str = "",
    *,
    option: str = "",
    rows: Sequence[int] | Any = (),
    examples: Sequence[str] = (),
    remedies: Sequence[str] = (),
    **facts: Any,
) -> Fault:
    """A fault with its facts by name."""
    return Fault(kind, column, option, rows, examples, remedies, facts)


@contextmanager
def having(options: Collection[str]) -> Iterator[None]:
    """What is said inside names these options alone."""
    before = OPTIONS.set(options)
    try:
        yield
    finally:
        OPTIONS.reset(before)


def lacking(words: str) -> list[str]:
    """The options named in words that the command does not have."""
    known = OPTIONS.get()
    named = _OPTION.findall(_OTHER_COMMAND.sub("", words))
    return [] if known is None else [option for option in named if option not in known]


def _without_lacking(message: str) -> str:
    """What is said, without the remedies that the command does not have."""
    first, *others = message.split("; ")
    return "; ".join([first, *(words for words in others if not lacking(words))])


def _filled(message: str, facts: Mapping[str, Any]) -> str:
    """The message with the facts in it, and singular or plural by their numbers."""

    def choose(match: re.Match[str]) -> str:
        return match[2] if facts[match[1] or "n"] == 1 else match[3]

    return _FORMATTER.vformat(_CHOICE.sub(choose, message), (), facts)


class _Formatter(string.Formatter):
    """`{rows}` is a list of rows, `{name:q}` a word for the shell, or a text
    of Python, `{text:v}` one made visible.

    A list is one of quoted texts, of which `{names:5}` shows five, and `{names:--drop}` the option
    for each.
    """

    def format_field(self, value: Any, format_spec: str) -> Any:
        if format_spec == "q":
            in_shell = ROW_NAMES.get() is None
            return quoted(str(value)) if in_shell else repr(str(value))
        if format_spec.startswith("--"):
            return as_option(format_spec[2:], tuple(value), {format_spec[2:]})
        if format_spec == "v":
            return visible(str(value))
        if getattr(value, "ndim", 0) == 1:
            return rows_named(value, most=int(format_spec or 5))
        if isinstance(value, list | tuple):
            texts = [f"'{visible(str(one))}'" for one in value]
            return some_of(texts, int(format_spec or 10))
        return super().format_field(value, format_spec)


_FORMATTER = _Formatter()
