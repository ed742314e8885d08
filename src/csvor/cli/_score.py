"""How the score of a model is shown to people: its coefficients, its thresholds."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from csvor._utils.spelling import format_value
from csvor._utils.words import plural
from csvor.cli._render import Fact, plain_table, print_table, with_ends

MOST_LINES = 30
_BAR = 20
_COLOURS = {True: "blue", False: "red"}


def score_facts(document: Mapping[str, Any]) -> list[Fact]:
    """In which order the thresholds cut the score, and what it is made of."""
    cuts, coefficients = document["thresholds"], document["coefficients"]
    digits = _digits([cut["threshold"] for cut in cuts])
    order = [f"< {cut['threshold']:.{digits}f} <= {format_value(cut['above'])}" for cut in cuts]
    if coefficients is None:
        kernel = document["parameters"]["kernel"]
        made = f"the {kernel} kernel bends it, so no column has a coefficient (--kernel linear has)"
    else:
        made = (
            "the sum of the coefficients below, each per standard deviation of a column of numbers "
            f"or for a level; + is towards '{format_value(cuts[-1]['above'])}'"
        )
    return [
        ("Thresholds", " ".join([format_value(cuts[0]["below"]), *with_ends(order)])),
        ("Score", made),
    ]


def print_coefficients(out: Console, coefficients: Sequence[Mapping[str, Any]] | None) -> None:
    """Print one line a column, and one a level of words, with a bar at a terminal."""
    if coefficients is None:
        return
    table = plain_table()
    table.add_column("column", overflow="fold")
    table.add_column("coefficient", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, header_style="not bold not underline")
    largest = max(abs(entry["coefficient"]) for entry in coefficients)
    digits = _digits([entry["coefficient"] for entry in coefficients])
    group = None
    for entry in coefficients[:MOST_LINES]:
        name = entry["column"]
        if "level" in entry:
            if name != group:
                table.add_row(Text(name))
            name = "  " + (format_value(entry["level"]) or "(blank)")
        group = entry["column"]
        bar = _bar(out, entry["coefficient"], largest) if out.is_terminal else Text()
        table.add_row(Text(name), Text(f"{entry['coefficient']:+.{digits}f}"), bar)
    more = len(coefficients) - MOST_LINES
    rest = f"and {plural(more, 'smaller one')}, which --json has\n" if more > 0 else ""
    print_table(out, table, "\n", f"{rest}\n")


def _digits(values: Sequence[float]) -> int:
    """Decimals that show three figures of the largest value."""
    largest = max(map(abs, values))
    return max(0, 2 - math.floor(math.log10(largest))) if largest > 0 else 2


def _bar(out: Console, value: float, largest: float) -> Text:
    sign = "#" if out.options.ascii_only else "█"
    length = round(_BAR * abs(value) / largest) if largest > 0 else 0
    return Text(sign * length, style=_COLOURS[value > 0])
