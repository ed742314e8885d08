"""How are raters drawn, each with an interval, along one axis?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from csvor.audit import RaterTable
from csvor.report.audit._distributions import ticks_between
from csvor.report.audit._suspects import text_of

MOST_RATERS = 50


@dataclass(frozen=True)
class DrawnRaters:
    """The raters, those apart from the reference first; places on the axis, 0 among them.

    The interval of a rater's shift, and the shift (`mark`), lie there in shares of its length.
    """

    raters: list[dict[str, Any]]
    ticks: list[tuple[float, str]]
    zero: float
    n_more: int


def drawn_raters(table: RaterTable | None) -> DrawnRaters | None:
    """What the page draws; None where no raters are known."""
    if table is None:
        return None
    order = table.order[:MOST_RATERS]
    ends = np.append(table.shift_interval[order].ravel(), [-0.5, 0.5])
    low, high = 1.1 * ends.min(), 1.1 * ends.max()

    def place(shift: float) -> float:
        return float((shift - low) / (high - low))

    ticks = [(place(shift), text) for shift, text in ticks_between(low, high, "+g")]
    raters = [_drawn(table, i, place) for i in order.tolist()]
    return DrawnRaters(raters, ticks, place(0.0), table.names.size - order.size)


def _drawn(table: RaterTable, i: int, place: Callable[[float], float]) -> dict[str, Any]:
    low, high = map(place, table.shift_interval[i])
    return {
        "name": text_of(table.names[i]),
        "n": int(table.n[i]),
        "shift": table.shift_in_words(i),
        "careless": table.careless_in_words(i),
        "agreement": float(table.agreement[i]),
        "kappa": table.kappa_in_words(i),
        "gold": table.gold_in_words(i),
        "apart": i in table.apart,
        "left": low,
        "width": high - low,
        "mark": place(float(table.shift[i])),
    }
