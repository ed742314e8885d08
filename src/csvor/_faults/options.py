"""How is a parameter of the library spelled as an option of a command?"""

import re
from collections.abc import Collection, Sequence
from typing import Any

from csvor._faults.rows import ROW_NAMES
from csvor._faults.spelling import quoted
from csvor._utils.spelling import format_value
from csvor._utils.warn import as_keyword

# What labels have: the parameters that their faults name.
OF_LABELS = frozenset({"classes", "missing_label"})
_MOST_LABELS = 5


def _in_list(texts: Sequence[str]) -> str:
    """Entries with commas between them, as the shell takes them."""
    cells = [f'"{text}"' if "," in text else text for text in texts]
    joined = ",".join(cells)
    return joined if re.fullmatch(r"[\w.%+,-]*", joined) else quoted(joined)


def as_option(parameter: str, value: Any, known: Collection[str] = OF_LABELS) -> str:
    """A parameter as the option that the commands have for it."""
    if parameter not in known or ROW_NAMES.get() is not None:
        return as_keyword(parameter, list(value) if type(value) is tuple else value)
    option = "--" + parameter.replace("_", "-")
    if not isinstance(value, tuple):
        return option if value is None else f"{option} {value}"
    texts = [format_value(one) for one in value]
    if parameter == "classes":
        return f"{option} {_in_list(texts) or 'LOWEST,...,HIGHEST'}"
    options = [f"{option} {quoted(text)}" for text in texts[:_MOST_LABELS]]
    return " ".join(options) + " and so on" * (len(texts) > _MOST_LABELS)
