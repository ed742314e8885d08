"""In which order are cells begun, how far is a study, and how long will the rest take?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import pandas as pd

from csvor.study._cell import Cell

# Share of the cells that comes first, from all over the study: they show how long it takes (N51).
PILOT = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    done, failed, total : int
        Cells with a record, those of them that failed, and all.
    seconds_left : float or None
        By the mean seconds that cells of the same method took, in proportion to what a cell was
        expected to take; None as long as no cell has ended.
    """

    done: int
    failed: int
    total: int
    seconds_left: float | None


def in_order(cells: Sequence[Cell]) -> list[Cell]:
    """A tenth of the cells from all over the study, then the long ones first.

    The first tenth takes methods and data sets in turn, as in a Latin square, so that the time left
    is known by then; of the others no core shall wait for a long one at the end. Splits and levels
    come in an order that means nothing, that of the keys.
    """
    datasets, methods = (
        {name: i for i, name in enumerate(dict.fromkeys(names))}
        for names in ([c.dataset for c in cells], [c.method for c in cells])
    )
    size = max(len(datasets), len(methods))
    turns: Counter[tuple[str, str]] = Counter()
    ranked = []
    for cell in sorted(cells, key=lambda cell: cell.key):
        pair = cell.dataset, cell.method
        diagonal = (datasets[cell.dataset] - methods[cell.method]) % size
        ranked.append((turns[pair], diagonal, -cell.cost, cell.key, cell))
        turns[pair] += 1
    spread = [cell for *_, cell in sorted(ranked, key=lambda row: row[:4])]
    n_pilot = ceil(PILOT * len(cells))
    return spread[:n_pilot] + sorted(spread[n_pilot:], key=lambda cell: (-cell.cost, cell.key))


class Tally:
    """Counts by data set and method, and the seconds that cells of each method took."""

    def __init__(
        self, cells: Iterable[Cell], records: Mapping[Cell, Mapping[str, Any]] | None = None
    ) -> None:
        cells = list(cells)
        self._total = Counter((cell.dataset, cell.method) for cell in cells)
        self._done: Counter[tuple[str, str]] = Counter()
        self._failed: Counter[tuple[str, str]] = Counter()
        # By method: expected seconds of cells left and done, and seconds that the latter took.
        self._left = dict.fromkeys((cell.method for cell in cells), 0.0)
        self._expected, self._seconds = dict(self._left), dict(self._left)
        self._n_left = Counter(cell.method for cell in cells)
        for cell in cells:
            self._left[cell.method] += cell.cost
        for cell, record in (records or {}).items():
            self.add(cell, record)

    def add(self, cell: Cell, record: Mapping[str, Any]) -> None:
        """Count one record."""
        pair = cell.dataset, cell.method
        self._done[pair] += 1
        self._failed[pair] += record["status"] == "failed"
        self._n_left[cell.method] -= 1
        self._left[cell.method] -= cell.cost
        self._expected[cell.method] += cell.cost
        self._seconds[cell.method] += record["seconds"]

    def seconds_left(self, jobs: int) -> float | None:
        """Seconds until all cells have ended; None as long as none has.

        A method without a cell that has ended takes its expected seconds times the ratio of
        actual to expected ones over all methods.
        """
        if not self._done.total():
            return None
        ratio = sum(self._seconds.values()) / sum(self._expected.values())
        left = {
            method: expected
            * (self._seconds[method] / self._expected[method] if self._expected[method] else ratio)
            for method, expected in self._left.items()
            if self._n_left[method]
        }
        longest = max((left[method] / self._n_left[method] for method in left), default=0.0)
        return max(sum(left.values()) / jobs, longest)

    def progress(self, jobs: int) -> Progress:
        """The counts of all together."""
        done, failed, total = (n.total() for n in (self._done, self._failed, self._total))
        return Progress(done, failed, total, self.seconds_left(jobs))

    def table(self) -> pd.DataFrame:
        """The counts of each method on each data set that it is run on."""
        rows = [
            [*pair, self._done[pair], self._failed[pair], total]
            for pair, total in self._total.items()
        ]
        return pd.DataFrame(rows, columns=["dataset", "method", "done", "failed", "total"])
