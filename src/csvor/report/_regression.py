"""What does the page of a regression hold: odds ratios as a forest plot, and what they rest on?"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from csvor._utils.atomic_files import write_whole
from csvor.report._templates import rendered
from csvor.report.audit._distributions import ticks_between

# Ends of intervals beyond it, on the scale of logarithms, are cut off in the picture.
_MOST = float(np.log(1000.0))


@dataclass(frozen=True)
class ForestLine:
    """An effect, or the name of a column above its levels; places are shares of the axis."""

    name: str
    inner: bool
    cells: tuple[str, ...]
    sentence: str = ""
    low: float | None = None
    high: float | None = None
    mark: float | None = None
    if_none_wrong: float | None = None


@dataclass(frozen=True)
class Forest:
    """The lines, round numbers along the axis, and the place of no effect."""

    lines: tuple[ForestLine, ...]
    ticks: tuple[tuple[float, str], ...]
    none: float


def write_regression_page(
    document: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    path: str | os.PathLike[str],
    *,
    source: str,
    facts: Mapping[str, str],
    command: str,
) -> Path:
    """Write the page of a regression; it needs no other file, and no script.

    Parameters
    ----------
    document : mapping
        What ``csvor explain --json`` prints.
    rows : sequence of mappings
        The lines of its table: ``name``, whether it is ``inner``, its ``cells``, and the ``effect``
        of the document (None above the levels of a column).
    path : path-like
        The file to write, whole or not at all.
    source : str
        Name of the data.
    facts : mapping of str to str
        What was read and how, by name.
    command : str
        The command that wrote it.
    """
    target = document["target"]
    page = rendered(
        "regression.html",
        title=f"{source}: {target}" if source else target,
        document=document,
        by_odds=document["model"]["link"] == "logit",
        forest=forest_of(document, rows),
        beside=any(effect["if_none_wrong"] is not None for effect in document["effects"]),
        facts=dict(facts),
        notes=document["notes"],
        command=command,
    )
    write_whole(Path(path), page.encode())
    return Path(path)


def forest_of(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Forest:
    """Where the effects lie on one axis: of logarithms where they are odds ratios."""
    shown = [row["effect"] for row in rows if row["effect"] is not None]
    ends = [0.0]
    for effect in shown:
        ends += np.clip([_at(effect, "low"), _at(effect, "high")], -_MOST, _MOST).tolist()
    low, high = min(ends), max(ends)
    room = 0.05 * (high - low or 1.0)
    low, high = low - room, high + room

    def place(value: float) -> float:
        return float(np.clip((value - low) / (high - low), 0.0, 1.0))

    by_odds = document["model"]["link"] == "logit"
    ticks = _odds_ticks(low, high) if by_odds else ticks_between(low, high)
    lines = tuple(_line(row, place) for row in rows)
    return Forest(lines, tuple((place(value), text) for value, text in ticks), place(0.0))


def _at(effect: Mapping[str, Any], key: str) -> float:
    """A value of an effect for as many units as it is told for."""
    return float(effect[key] * effect["units"])


def _line(row: Mapping[str, Any], place: Callable[[float], float]) -> ForestLine:
    effect = row["effect"]
    name, inner, cells = row["name"], row["inner"], tuple(row["cells"])
    if effect is None:
        return ForestLine(name, inner, cells)
    plain = effect["if_none_wrong"]
    other = None if plain is None else place(plain["coefficient"] * effect["units"])
    low, high, mark = (place(_at(effect, key)) for key in ("low", "high", "coefficient"))
    return ForestLine(name, inner, cells, effect["sentence"], low, high, mark, other)


def _odds_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """1, 2, 5, 10 and their like, as far as they lie on the axis; of many the powers of ten."""
    steps: tuple[float, ...] = (1.0, 2.0, 5.0) if high - low < np.log(300.0) else (1.0,)
    if high - low < np.log(3.0):
        steps = (1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    values = [step * 10.0**power for power in range(-3, 4) for step in steps]
    return [(float(np.log(v)), f"{v:g}") for v in values if low <= np.log(v) <= high]
