"""How does a value of a study say what it must be?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from csvor._utils.words import quoted


def fix(frozen: Any, **values: Any) -> None:
    """Set attributes of a frozen dataclass while it is made."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


def is_list(values: Any) -> bool:
    """Whether it is a sequence, text aside."""
    return isinstance(values, Sequence) and not isinstance(values, str | bytes)


def is_whole(value: Any) -> bool:
    """Whether it is an int, True and False aside."""
    return isinstance(value, int) and not isinstance(value, bool)


def check(is_right: bool, where: str, what: str, value: object) -> None:
    """Refuse a value that is not what it must be."""
    if not is_right:
        raise ValueError(f"{where}: must be {what}, got {value!r}.")


def check_splits(splits: Any, where: str) -> None:
    """Refuse what is no number of splits; None is all."""
    is_right = splits is None or (is_whole(splits) and splits >= 1)
    check(is_right, where, "'all' or a whole number from 1", splits)


def check_table(table: Any, where: str) -> None:
    """Refuse what is no mapping."""
    check(isinstance(table, Mapping), where, "a table of names and values", table)


def check_keys(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    """Refuse keys that nothing is known of."""
    unknown = [key for key in table if key not in known]
    if unknown:
        raise ValueError(
            f"{where} has the unknown key {quoted(unknown)}; the keys are {', '.join(known)}."
        )
