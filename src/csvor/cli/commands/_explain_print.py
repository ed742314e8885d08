"""How do the coefficients of a regression look at a terminal?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from csvor._utils.spelling import format_value
from csvor.cli._render import plain_table, print_facts, print_table
from csvor.cli.commands._effects import p_text, ratio_texts, shown_level

_MOST_RATERS = 20


def table_lines(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The table of effects: of each line ``name``, whether it is ``inner``, ``cells``, ``effect``.

    Levels, and the effects of a column at several thresholds, stand under the name of the column.
    """
    effects = document["effects"]
    beside = has_other(document)
    p_of = {test["column"]: _p_cell(document, test["p"]) for test in document["columns_tested"]}
    lines = []
    for name, group in groupby(effects, key=lambda effect: effect["column"]):
        of_column = list(group)
        first = of_column[0]
        if first["level"] is None and len(of_column) == 1:
            cells = _cells(document, first, beside)
            lines.append(_line(f"{name}{_units(first)}", False, cells, first))
            continue
        words = first["level"] is not None
        more = f" (beside {shown_level(first['base'])})" if words else _units(first)
        cells = ["", "", p_of[name], *[""] * beside]
        lines.append(_line(f"{name}{more}", False, cells, None))
        lines += [
            _line(_in_column(one), True, _cells(document, one, beside), one) for one in of_column
        ]
    return lines


def has_other(document: dict[str, Any]) -> bool:
    """Whether estimates have others beside them, of all labels right."""
    return any(effect["if_none_wrong"] is not None for effect in document["effects"])


def _line(name: str, inner: bool, cells: list[str], effect: Any) -> dict[str, Any]:
    return {"name": name, "inner": inner, "cells": cells, "effect": effect}


def print_effects(out: Console, document: dict[str, Any]) -> None:
    """Print the table of effects, and the surest one in words."""
    effects = document["effects"]
    table = plain_table()
    table.add_column("column", overflow="fold")
    value = "odds ratio" if document["model"]["link"] == "logit" else "coefficient"
    names = [value, f"{100 * document['level']:g} % interval", "p"]
    for name in [*names, *["if none wrong"] * has_other(document)]:
        table.add_column(name, justify="right", no_wrap=True)
    for line in table_lines(document):
        table.add_row(Text(f"{'  ' * line['inner']}{line['name']}"), *map(Text, line["cells"]))
    print_table(out, table, "\n", "\n")
    surest = max(effects, key=lambda effect: abs(effect["coefficient"]) / (effect["error"] or 1.0))
    print_facts(out, [("Read", surest["sentence"])])


def _in_column(effect: dict[str, Any]) -> str:
    parts = [] if effect["level"] is None else [shown_level(effect["level"])]
    if effect["kind"] == "nominal":
        parts.append(f"above {effect['above']}")
    elif effect["kind"] == "scale":
        parts.append("spread (log)")
    elif not parts:
        parts.append("all thresholds")
    return ", ".join(parts)


def _units(effect: dict[str, Any]) -> str:
    return "" if effect["units"] == 1.0 else f" ({format_value(effect['units'])} more)"


def _p_cell(document: dict[str, Any], p: float) -> str:
    """A p-value; none of a ridge, whose estimates have no known distribution."""
    return "-" if document["model"]["penalty"] else p_text(p)


def _cells(document: dict[str, Any], effect: dict[str, Any], beside: bool) -> list[str]:
    value, interval = _value_of(effect, effect["units"])
    other = [_value_of(effect["if_none_wrong"], effect["units"])[0]] if beside else []
    return [value, interval, _p_cell(document, effect["p"]), *other]


def _value_of(estimate: dict[str, Any], units: float) -> tuple[str, str]:
    """The odds ratio with its interval, or the coefficient where there is none."""
    ratios = [estimate[f"odds_ratio{end}"] for end in ("", "_low", "_high")]
    if ratios[0] is not None:
        value, low, high = ratio_texts(*ratios)
    else:
        value, low, high = (f"{units * estimate[k]:+.3g}" for k in ("coefficient", "low", "high"))
    return value, f"{low} to {high}"


def print_thresholds(out: Console, thresholds: Sequence[dict[str, Any]]) -> None:
    """Print the thresholds of a row of zeros, with their errors."""
    table = plain_table("threshold", right=["estimate", "error", "interval"])
    for cut in thresholds:
        interval = f"{cut['low']:.3g} to {cut['high']:.3g}"
        between = f"{cut['below']} | {cut['above']}"
        cells = [between, f"{cut['estimate']:.3f}", f"{cut['error']:.3f}", interval]
        table.add_row(*map(Text, cells))
    print_table(out, table, "\n", "\n")


def print_shifts(out: Console, raters: Sequence[dict[str, Any]]) -> None:
    """Print how much higher than the mean of them each rater labels, furthest first."""
    if not raters:
        return
    table = plain_table("rater", right=["shift from the mean", "interval", "p"])
    for rater in sorted(raters, key=lambda rater: -abs(rater["shift"]))[:_MOST_RATERS]:
        interval = f"{rater['low']:+.2f} to {rater['high']:+.2f}"
        cells = [rater["rater"], f"{rater['shift']:+.2f}", interval, p_text(rater["p"])]
        table.add_row(*map(Text, cells))
    more = len(raters) - _MOST_RATERS
    print_table(out, table, "\n", f"... {more} more in --json\n\n" if more > 0 else "\n")
