"""In which order are cells begun, how far is a study, and how long will the rest take?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor.study._cell import Cell

Array = NDArray[np.float64]

# Of the cells that are to be run: from all over the study, to tell by them how long it takes.
PILOT = 0.1
# Of the fit of two factors: passes, pairs that the pull counts as, and the least pace.
ROUNDS, PULL, TINY = 20, 0.5, 1e-9


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    done, failed, total : int
        Cells with a record, those of them that failed, and all.
    seconds_left : float or None
        By the seconds that cells of the same method and data set took; None as long as no cell
        has ended.
    """

    done: int
    failed: int
    total: int
    seconds_left: float | None


def in_order(cells: Sequence[Cell]) -> list[Cell]:
    """A tenth of the cells from all over the study, then the long ones first.

    The first tenth takes methods and data sets in turn, so that the time left is known by then;
    of the others no core shall wait for a long one at the end. Splits and levels come in an order
    that means nothing, that of the keys.
    """
    spread = sorted(cells, key=_turns(cells).__getitem__)
    n_pilot = ceil(PILOT * len(cells))
    rest = sorted(spread[n_pilot:], key=lambda cell: (-cell.cost, cell.key))
    return spread[:n_pilot] + rest


def _turns(cells: Sequence[Cell]) -> dict[Cell, tuple[int, int, float]]:
    """In which turn of its method and data set a cell comes, and where in that turn.

    Each method meets another data set at each place, as in a Latin square.
    """
    datasets, methods = _places(cells)
    size = max(len(datasets), len(methods))
    met: Counter[tuple[str, str]] = Counter()
    turns = {}
    for cell in sorted(cells, key=lambda cell: cell.key):
        part = cell.dataset, cell.method
        place = (datasets[cell.dataset] - methods[cell.method]) % size
        turns[cell] = met[part], place, -cell.cost
        met[part] += 1
    return turns


def _places(cells: Iterable[Cell]) -> tuple[dict[str, int], dict[str, int]]:
    """Data sets and methods, numbered in the order in which they come."""
    cells = list(cells)
    datasets = dict.fromkeys(cell.dataset for cell in cells)
    methods = dict.fromkeys(cell.method for cell in cells)
    return {d: i for i, d in enumerate(datasets)}, {m: j for j, m in enumerate(methods)}


class Tally:
    """Counts by data set and method, with the seconds that a cell of each took."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        cells = list(cells)
        self._datasets, self._methods = _places(cells)
        shape = len(self._datasets), len(self._methods)
        self._done, self._failed, self._total = (np.zeros(shape, dtype=int) for _ in range(3))
        self._seconds, self._cost, self._whole_cost = (np.zeros(shape) for _ in range(3))
        for cell in cells:
            self._total[self._part(cell)] += 1
            self._whole_cost[self._part(cell)] += cell.cost

    def _part(self, cell: Cell) -> tuple[int, int]:
        return self._datasets[cell.dataset], self._methods[cell.method]

    def add(self, cell: Cell, record: dict[str, Any]) -> None:
        """Count one record."""
        part = self._part(cell)
        self._done[part] += 1
        self._failed[part] += record["status"] == "failed"
        self._seconds[part] += record["seconds"]
        self._cost[part] += cell.cost

    def seconds_left(self, jobs: int) -> float | None:
        """What is left at the pace so far; None as long as no cell has ended."""
        if not self._done.any():
            return None
        n_left = self._total - self._done
        left = paces(self._seconds, self._cost) * (self._whole_cost - self._cost) * (n_left > 0)
        longest = (left / np.maximum(n_left, 1)).max()
        return float(max(left.sum() / jobs, longest))

    def progress(self, jobs: int) -> Progress:
        """The counts of all together."""
        done, failed, total = (int(n.sum()) for n in (self._done, self._failed, self._total))
        return Progress(done, failed, total, self.seconds_left(jobs))

    def table(self) -> pd.DataFrame:
        """The counts of each method on each data set that it meets."""
        rows = [
            [dataset, method, self._done[i, j], self._failed[i, j], self._total[i, j]]
            for dataset, i in self._datasets.items()
            for method, j in self._methods.items()
            if self._total[i, j]
        ]
        return pd.DataFrame(rows, columns=["dataset", "method", "done", "failed", "total"])


def paces(seconds: Array, cost: Array) -> Array:
    """Seconds per unit of cost for each data set (row) and method (column).

    Where no cell has ended (cost 0), by the law::

        log(seconds / cost) = m + a(data set) + b(method)

    with a and b pulled to 0 as half a pair would, then scaled to the sum of all seconds.
    """
    seen = cost > 0
    known = np.divide(seconds, cost, out=np.ones_like(cost), where=seen)
    if seen.all():
        return known
    logs = np.log(np.maximum(known, TINY))
    middle = logs[seen].mean()
    of_set, of_method = np.zeros((len(cost), 1)), np.zeros(cost.shape[1])
    for _ in range(ROUNDS):
        of_method = _pulled(seen * (logs - middle - of_set), seen, axis=0)
        of_set = _pulled(seen * (logs - middle - of_method), seen, axis=1)[:, None]
    law = np.exp(middle + of_set + of_method)
    return np.where(seen, known, law * seconds.sum() / (law * cost).sum())


def _pulled(sums: Array, seen: NDArray[np.bool_], axis: int) -> Array:
    return np.asarray(sums.sum(axis=axis) / (seen.sum(axis=axis) + PULL))
