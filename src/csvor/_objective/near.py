"""Which rows are near a kink, and what stands for the others?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import LOSS, CappedPower
from csvor._objective.ordinal import OrdinalObjective
from csvor._objective.theta import Far
from csvor._rows.trim import find_cap

Array = NDArray[np.float64]

# Rows that tell where a share of all lies.
_TOLD = 20_000
# Rows for each coordinate that tell the density at a kink, and the widest that they are sought in.
_ENOUGH, _KINK, _CORNER = 50.0, 1e-2, 0.5


@dataclass(frozen=True, eq=False)
class Place:
    """A point and the objective there; ``cap`` is what cuts the rows' losses."""

    theta: Array
    cap: Array
    moving: float
    constant: float

    @property
    def value(self) -> float:
        return self.moving + self.constant


class NearKinks:
    """An objective as `_solvers.refine` asks for it."""

    def __init__(self, objective: OrdinalObjective) -> None:
        self._whole = objective
        # Of the last place alone: they are as long as there are rows.
        self._told: tuple[Array, Array, Array] | None = None

    def _rows_at(self, theta: Array) -> tuple[Array, Array]:
        """Scores and losses g of all rows."""
        if self._told is None or self._told[0] is not theta:
            self._told = None
            self._told = (theta, *self._whole.scores_and_losses(theta))
        return self._told[1:]

    def place(self, theta: Array, loss: CappedPower, cap: float) -> Place:
        """theta under a loss, whose cap is about the one given where it is trimmed."""
        whole, rows = self._whole, self._whole.rows
        g = self._rows_at(theta)[1]
        found = np.array([loss.cap, loss.cap, 1.0])
        each = loss.epsilon
        if loss.trim > 0.0:
            found[:2], each = cap, 1.0
            find_cap(g, rows.costs, loss.trim, found)
        value, _, cut = rows.totals(g, _as_read(loss, found))
        moving = whole.penalty(theta) + float(value)
        return Place(theta, found, moving, float(each * cut) if cut > 0.0 else 0.0)

    def near(self, at: Place, loss: CappedPower, share: float) -> tuple[OrdinalObjective, float]:
        """The objective with the rows that are not near a kink as their model, and its trim.

        That is of second order, but for p < 1 of first, the tangent: there losses bend down.
        ``share`` of the rows, or all, are near.
        """
        whole, rows = self._whole, self._whole.rows
        w, b = whole.split(at.theta)
        # Rows count as near from three times as far where the loss of a slack is no quadratic.
        nearer = 1.0 if loss.p in (1.0, 2.0) else 1.0 / 3.0
        told, seen = (*self._rows_at(at.theta), b, float(at.cap[1]), nearer), np.inf
        if share < 1.0:
            seen = float(np.quantile(rows.distances(*told, every=_step(rows.n_samples)), share))
        read = _as_read(loss, at.cap)
        read["concave"] = min(2.0 - loss.p, 1.0)
        near, sums, upper = rows.beyond(seen, *told, w, read)
        far = Far(np.concatenate([w, b]), sums, np.triu(upper) + np.triu(upper, 1).T)
        part = rows.take(np.flatnonzero(near))
        found = OrdinalObjective(part, whole.n_classes, whole.threshold_ridge, far)
        if loss.trim == 0.0:
            return found, 0.0
        left = (loss.trim * rows.costs.sum() - sums[-1]) / part.costs.sum()
        return found, float(np.clip(left, 1e-12, 1.0 - 1e-12))

    def widths(self, at: Place, loss: CappedPower) -> tuple[float, float]:
        """Over which g the kink at 0, and over which share of it a cap, are matters of density."""
        g = _some(self._rows_at(at.theta)[1])
        enough = int(_ENOUGH * self._whole.size * g.size / self._whole.n_samples)
        kink, corner = min(_least(g[g > 0.0], enough), _KINK), 0.0
        if at.cap[1] < np.inf:
            corner = min(_least(np.abs(g / at.cap[1] - 1.0), enough), _CORNER)
        return kink, corner


def _step(n: int) -> int:
    return max(n // _TOLD, 1)


def _some(of_rows: Array) -> Array:
    return of_rows[:: _step(of_rows.size)]


def _least(values: Array, count: int) -> float:
    """Up to where so many values lie."""
    if values.size <= count:
        return np.inf
    return float(np.partition(values, count)[count])


def _as_read(loss: CappedPower, cap: Array) -> Any:
    read = np.zeros(1, LOSS)
    read["p"], read["delta"], read["kink"] = loss.p, loss.delta, loss.delta
    read["below"], read["cap"], read["tied"] = cap
    return read
