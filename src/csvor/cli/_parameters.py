"""How is an option declared?"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import typer

from csvor._faults.errors import refuse

DATA = "Data"
MODEL = "Model"
OUTPUT = "Output"


@dataclass(frozen=True)
class Declaration:
    """How typer declares a value, and how the value is read.

    `parse` makes a value of the option's name and a text; `convert` makes it of what typer gives
    (of type `kind`, where this is not the type of the field). The name is that of the field, unless
    given. What an option `writes` may not be what another one reads.
    """

    help: str
    metavar: str | None = None
    panel: str | None = None
    parse: Callable[[str, str], Any] | None = None
    kind: Any = None
    convert: Callable[[Any], Any] | None = None
    name: str | None = None
    is_argument: bool = False
    choices: Sequence[str] = ()
    writes: bool = False

    def info(self, field: str) -> Any:
        """The declaration as typer takes it."""
        if self.is_argument:
            return typer.Argument(metavar=self.metavar, help=self.help)
        name = self.name or "--" + field.replace("_", "-")
        parser = None if self.parse is None else partial(self.parse, name)
        if parser is not None:
            vars(parser)["__name__"] = name  # which releases of click ask of a parser (N90)
        return typer.Option(
            name,
            parser=parser,
            metavar=self.metavar,
            help=self.help,
            rich_help_panel=self.panel,
            autocompletion=self._completed if self.choices else None,
        )

    def _completed(self, incomplete: str) -> list[str]:
        return [choice for choice in self.choices if choice.startswith(incomplete)]


option = Declaration  # without `metavar` it is a flag
written_file = partial(Declaration, metavar="FILE", writes=True)


def argument(metavar: str, help: str) -> Declaration:
    """Declare an argument."""
    return Declaration(help, metavar, is_argument=True)


def number(
    is_valid: Callable[[float], bool],
    expected: str,
    help: str,
    *,
    panel: str | None = MODEL,
    metavar: str = "X",
    kind: type[int] | type[float] = float,
) -> Declaration:
    """Declare an option that is a number; typer alone would not say which numbers it takes."""

    def parse(name: str, text: Any) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not is_valid(value):
            refuse("wrong-value", name=name, text=text, expected=expected)
        return value

    return Declaration(help, metavar, panel, parse)


def whole(
    least: int, example: int, help: str, *, panel: str | None = MODEL, most: float = math.inf
) -> Declaration:
    """Declare an option that is a whole number."""
    to = f" to {most}" if most < math.inf else ""
    expected = f"a whole number from {least}{to}, such as {example}"
    return number(lambda n: least <= n <= most, expected, help, panel=panel, metavar="N", kind=int)


def positive(
    example: int, help: str, *, panel: str | None = MODEL, metavar: str = "X"
) -> Declaration:
    """Declare an option that is a number greater than 0."""
    expected = f"a finite number greater than 0, such as {example}"
    return number(lambda x: 0 < x < math.inf, expected, help, panel=panel, metavar=metavar)


def share(help: str, *, panel: str | None = MODEL, example: float = 0.1) -> Declaration:
    """Declare an option that is a number between 0 and 1."""
    expected = f"a number between 0 and 1, such as {example:g}"
    return number(lambda x: 0 < x < 1, expected, help, panel=panel)


def as_positive(text: str | None) -> float | None:
    """The finite number greater than 0 that a text stands for, None if it is no such number."""
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if 0 < value < math.inf else None


def choice(metavar: str, help: str, *, panel: str | None = MODEL) -> Declaration:
    """Declare an option that is one of the names that `metavar` has, divided by `|`."""
    names = metavar.split("|")

    def parse(name: str, text: Any) -> str:
        if text not in names:
            refuse("wrong-value", name=name, text=text, expected=f"one of {', '.join(names)}")
        return str(text)

    return Declaration(help, metavar, panel, parse, choices=names)
