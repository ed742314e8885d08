"""Which rows are near a kink, and what stands for the others?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import LOSS, CappedPower, cut_cost, set_cap
from csvor._loss.margins import ROUNDED, with_width
from csvor._objective.ordinal import OrdinalObjective
from csvor._objective.theta import FrozenRows
from csvor._solvers.refine import SHARE
from csvor._solvers.sample import part_size

Array = NDArray[np.float64]

# Rows for each coordinate that tell the density at a kink, and the widest that they are sought in.
_ENOUGH, _KINK, _CORNER = 50.0, 1e-2, 0.5
# Kinks of rows that are not near are spread over this share of what margins moved by last; at first
# of the distance up to which so many rows lie. Those of slacks, which have no curvature farther
# out, over so many radii of near rows at least.
_OF_MOVES, _FIRST, _BEYOND = 0.5, 0.3, 3.0
# The share of the rows that a start is likely to have on the wrong side of a kink, in units of the
# error of the sample that it comes from.
_OF_ERROR = 5.0


@dataclass(frozen=True, eq=False)
class EvaluatedPoint:
    """A point and the objective there; ``cap`` is what cuts the rows' losses."""

    theta: Array
    cap: Array
    active: float
    constant: float

    @property
    def value(self) -> float:
        return self.active + self.constant


@dataclass(frozen=True, eq=False)
class NearModel:
    """The objective about a place: near rows as they are and a model of the others.

    ``trim`` is the share of the near rows' weight that is cut, ``widths`` those of `reweight`.
    """

    objective: OrdinalObjective
    trim: float
    widths: tuple[float, float]
    at: EvaluatedPoint

    def with_damping(self, damping: float) -> NearModel:
        """The same with the curvature of the other rows raised by this share."""
        if damping == 0.0:
            return self
        model = self.objective
        frozen = model.frozen._replace(curvature=(1.0 + damping) * model.frozen.curvature)
        damped = OrdinalObjective(model.rows, model.n_classes, model.threshold_ridge, frozen)
        return replace(self, objective=damped)

    def reach(self, theta: Array) -> float:
        """What margins are likely to move by in the step after the one to theta."""
        one = self.objective
        step = theta - self.at.theta
        _, b = one.split(step)
        moved, _ = one.scores_and_losses(step)
        spread = np.sqrt(np.average((moved - b.mean()) ** 2, weights=one.rows.costs))
        return _OF_MOVES * float(spread + np.abs(b - b.mean()).max())


class NearKinks:
    """An objective as `_solvers.refine` asks for it."""

    def __init__(self, objective: OrdinalObjective) -> None:
        self._objective = objective
        # The last point alone: what rows say there is as long as there are rows.
        self._evaluated: tuple[Array, Any] | None = None

    @property
    def most(self) -> float:
        """The share of the rows that can be near at most."""
        return float(self._objective.rows.most_near)

    @property
    def wanted(self) -> float:
        """The share of the rows that a start from a sample leaves open."""
        one = self._objective
        return _OF_ERROR * math.sqrt(one.size / part_size(one.n_samples))

    @property
    def is_few(self) -> bool:
        """Whether that is fewer than are wanted."""
        return self.most < SHARE

    @property
    def is_scant(self) -> bool:
        """Whether a part of so many rows says little about all."""
        n_rows = self.most * self._objective.n_samples
        return self.is_few and n_rows < _ENOUGH * self._objective.size

    def _evaluation(self, theta: Array) -> Any:
        """What the rows say there."""
        if self._evaluated is None or self._evaluated[0] is not theta:
            self._evaluated = None
            self._evaluated = theta, self._objective.rows.evaluate(*self._objective.split(theta))
        return self._evaluated[1]

    def evaluate(self, theta: Array, loss: CappedPower, cap: float) -> EvaluatedPoint:
        """theta under a loss, whose cap is about the one given where it is trimmed."""
        caps, each = np.array([loss.cap, loss.cap, 1.0]), cut_cost(loss.trim, loss.epsilon)
        if loss.trim > 0.0:
            caps[:2] = cap
        (value, _, cut), caps = self._evaluation(theta).totals(_as_read(loss, caps), loss.trim)
        active = self._objective.penalty(theta) + float(value)
        return EvaluatedPoint(theta, caps, active, float(each * cut) if cut > 0.0 else 0.0)

    def reduced_model(
        self, at: EvaluatedPoint, loss: CappedPower, share: float, reach: float | None = 0.0
    ) -> NearModel:
        """The objective with the rows that are not near a kink as their model.

        That is of second order, but for p < 1 of first, the tangent: there losses bend down.
        ``share`` of the rows, or all, are near. Kinks of the others are spread over what margins
        are likely to move by, ``reach``; None is not known.
        """
        whole, evaluation = self._objective, self._evaluation(at.theta)
        w, b = whole.split(at.theta)
        # Rows count as near from three times as far where the loss of a slack is no quadratic.
        nearer = 1.0 if loss.p in (1.0, 2.0) else 1.0 / 3.0
        cap, radius = float(at.cap[1]), np.inf
        if share < 1.0:
            distances = evaluation.subsample.distances(b, whole.rows.pair, cap, nearer)
            radius = float(np.quantile(distances, share))
            if reach is None:
                reach = _OF_MOVES * float(np.quantile(distances, _FIRST))
        read = _as_read(loss, at.cap)
        read["concave"] = min(2.0 - loss.p, 1.0)
        read["kink"] = max(loss.delta, (reach or 0.0) ** 2)
        spread = self._spread(max(reach, _BEYOND * radius)) if reach else ()
        part, sums, upper = evaluation.split(radius, cap, nearer, read, *spread)
        frozen = FrozenRows(np.concatenate([w, b]), sums, np.triu(upper) + np.triu(upper, 1).T)
        objective = OrdinalObjective(part, whole.n_classes, whole.threshold_ridge, frozen)
        trim = 0.0
        if loss.trim > 0.0:
            left = (loss.trim * whole.weight - sums[-1]) / part.weight
            trim = float(np.clip(left, 1e-12, 1.0 - 1e-12))
        return NearModel(objective, trim, self._widths(at), at)

    def _spread(self, reach: float) -> tuple[Any, ...]:
        """Pairs whose own kinks are spread, where the power of a row's losses has none."""
        pair = self._objective.rows.pair
        if pair["kind"][0] != ROUNDED:
            return ()
        return (with_width(pair, reach),)

    def _widths(self, at: EvaluatedPoint) -> tuple[float, float]:
        """Over which g the kink at 0, and over which share of it a cap, are matters of density."""
        g = self._evaluation(at.theta).subsample.losses
        enough = int(_ENOUGH * self._objective.size * g.size / self._objective.n_samples)
        kink, corner = min(_least(g[g > 0.0], enough), _KINK), 0.0
        if at.cap[1] < np.inf:
            corner = min(_least(np.abs(g / at.cap[1] - 1.0), enough), _CORNER)
        return kink, corner


def _least(values: Array, count: int) -> float:
    """Up to where so many values lie."""
    if values.size <= count:
        return np.inf
    return float(np.partition(values, count)[count])


def _as_read(loss: CappedPower, cap: Array) -> Any:
    read = np.zeros(1, LOSS)
    read["p"], read["delta"], read["kink"] = loss.p, loss.delta, loss.delta
    set_cap(read, cap)
    return read
