"""How are raters drawn, each with an interval, along one axis?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from csvor.audit import RaterTable
from csvor.report.audit._distributions import round_numbers
from csvor.report.audit._suspects import text_of

MOST_RATERS = 50


@dataclass(frozen=True)
class DrawnRater:
    """A rater, and where the interval of the shift lies in a bar, in shares of its length."""

    name: str
    n: int
    shift: str
    careless: str
    agreement: float
    kappa: str
    gold: str
    apart: bool
    left: float
    width: float
    mark: float


@dataclass(frozen=True)
class DrawnRaters:
    """The raters, those apart from the reference first; places on the axis, 0 among them."""

    raters: tuple[DrawnRater, ...]
    ticks: tuple[tuple[float, str], ...]
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

    ticks = tuple((place(shift), _signed(shift)) for shift in round_numbers(low, high))
    apart = set(table.apart.tolist())
    raters = tuple(_drawn(table, i, i in apart, place) for i in order.tolist())
    return DrawnRaters(raters, ticks, place(0.0), table.names.size - order.size)


def _signed(shift: float) -> str:
    return f"{shift:+g}".replace("-", "−") if shift else "0"


def _drawn(table: RaterTable, i: int, apart: bool, place: Callable[[float], float]) -> DrawnRater:
    low, high = map(place, table.shift_interval[i])
    return DrawnRater(
        name=text_of(table.names[i]),
        n=int(table.n[i]),
        shift=table.shift_in_words(i),
        careless=table.careless_in_words(i),
        agreement=float(table.agreement[i]),
        kappa=table.kappa_in_words(i),
        gold=table.gold_in_words(i),
        apart=apart,
        left=low,
        width=high - low,
        mark=place(float(table.shift[i])),
    )
