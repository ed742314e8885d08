"""How do faults and notes of tables speak to a user of Python, who has arguments and an index?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from csvor._faults.errors import CommandError
from csvor._faults.fault import having
from csvor._faults.rows import ROW_NAMES
from csvor._utils.spelling import format_value, normal

# What stands behind an option is its value where it is in quotes, or one of these.
_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_VALUE = rf"{_TEXT}|[.,](?=[\s;]|$)|\d+|LOWEST,\.\.\.,HIGHEST|[A-Z]+\b"
_OPTION = re.compile(rf"(\()?(?<![\w'-])--([a-z]+(?:-[a-z]+)*)(?: ({_VALUE}|balanced))?(\))?")
# Two arguments side by side: the remedy for a mark has two.
_PAIR = re.compile(rf"(=\[(?:{_TEXT})\]) (\w+=)")
_FLAGS = frozenset({"impute", "dates", "fold_labels"})
_LISTS = frozenset({"drop", "keep", "categorical", "missing", "missing_label"})
_OTHER_NAMES = {"folds": "cv"}


@contextmanager
def in_python(arguments: Collection[str], row_names: Sequence[Any] | Any) -> Iterator[None]:
    """What is said inside is said in these arguments, and of rows by their names.

    All faults of a table become one ValueError.
    """
    known = {option_of_argument(name) for name in arguments}
    before = ROW_NAMES.set(row_names)
    with having(known):
        try:
            yield
        except CommandError as error:
            raise ValueError(in_arguments(str(error))) from None
        finally:
            ROW_NAMES.reset(before)


def texts_of(argument: str, values: Any) -> tuple[str, ...]:
    """The values of an argument that takes several, as text.

    Raises
    ------
    ValueError
        For a bare text, whose letters would be the values, and for what is none of several.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{argument} takes a list: give {argument}=[{values!r}].")
    return tuple(map(format_value, values))


def names_of(argument: str, values: Any) -> tuple[str, ...]:
    """As `texts_of`, of names of columns: in the form in which a table has them."""
    return tuple(normal(name.strip()) for name in texts_of(argument, values))


def option_of_argument(name: str) -> str:
    """The option that does the same."""
    names = {argument: option for option, argument in _OTHER_NAMES.items()}
    return "--" + names.get(name, name).replace("_", "-")


def in_arguments(text: str) -> str:
    """The text with arguments in place of options: ``--drop 'x'`` is ``drop=['x']``."""
    return _PAIR.sub(r"\1, \2", _OPTION.sub(_as_argument, text))


def _as_argument(match: re.Match[str]) -> str:
    opened, name, value, closed = match.groups(default="")
    name = _OTHER_NAMES.get(name, name).replace("-", "_")
    if name in _FLAGS:
        spelled = f"{name}=True"
    elif not value:
        spelled = name + "=" * bool(opened and closed)
    elif name == "classes":
        spelled = f"{name}=[lowest, ..., highest]"
    elif value[0] in "'\"" or not value.isdigit():
        value = value if value[0] in "'\"" else repr(value)
        spelled = f"{name}=[{value}]" if name in _LISTS else f"{name}={value}"
    else:
        spelled = f"{name}={value}"
    return f"{opened}{spelled}{closed}"
