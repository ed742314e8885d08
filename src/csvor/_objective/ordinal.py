"""The objective: penalty plus the rows' losses, thresholds in order. Joins rows and solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import LOSS, cap_of
from csvor._loss.margins import HINGE, with_width
from csvor._loss.pairs import centred_thresholds, free_intervals
from csvor._objective.newton import newton_step
from csvor._objective.small import Small, evaluate, serve, small_problem
from csvor._objective.theta import (
    NO_FROZEN_ROWS,
    FrozenRows,
    assemble_point,
    frozen_value,
    set_loss,
    slope_on_line,
)
from csvor._solvers.iterate import POLICIES
from csvor._solvers.state import BEGIN, CAP, EVALUATE, FAILED, LEVEL, QUANTILE, SLOPE, State
from csvor._solvers.step import IndefiniteError, find_step

Array = NDArray[np.float64]
Report = Callable[[int, float], None] | None

# LAPACK solves larger systems than the compiled iterations.
_MOST_COORDINATES = 80
# What a step that is found without a Hessian may leave of the gradient.
_LEFT = 3e-3


class OrdinalObjective:
    """Penalty plus the rows' losses, b ordered; ``frozen`` are rows that stand as their model."""

    def __init__(
        self,
        rows: Any,
        n_classes: int,
        threshold_ridge: float = 0.0,
        frozen: FrozenRows = NO_FROZEN_ROWS,
    ) -> None:
        self.rows = rows
        self.frozen = frozen
        self.n_classes = n_classes
        self.ridge = rows.matrix.ridge
        self.threshold_ridge = threshold_ridge
        self.size = self.ridge.size + n_classes - 1

    @property
    def n_samples(self) -> int:
        return self.rows.n_samples

    @property
    def weight(self) -> float:
        """The sum of what the rows' losses are multiplied with."""
        return float(self.rows.weight)

    @property
    def holds_hessian(self) -> bool:
        return bool(self.rows.holds_hessian)

    @property
    def is_hinge(self) -> bool:
        return bool(self.rows.pair["kind"][0] == HINGE)

    @property
    def origin(self) -> Array:
        return np.zeros(self.size)

    def split(self, theta: Array) -> tuple[Array, Array]:
        """Coefficients of the scaled features, and thresholds."""
        d = self.ridge.size
        return theta[:d], theta[d:].cumsum()

    def rounded(self, width: float) -> OrdinalObjective:
        """The same objective with its slacks rounded at their kinks."""
        rows = self.rows.with_loss(with_width(self.rows.pair, width))
        return OrdinalObjective(rows, self.n_classes, self.threshold_ridge, self.frozen)

    def sample(self, size: int) -> OrdinalObjective:
        """The objective of a part of the rows that stands for all of them."""
        part = self.rows.sample(size, self.n_classes)
        return OrdinalObjective(part, self.n_classes, self.threshold_ridge)

    def scores_and_losses(self, theta: Array) -> tuple[Array, Array]:
        return self.rows.scores_and_losses(*self.split(theta))

    def value(self, theta: Array) -> float:
        """Penalty plus losses, not capped: of the p = 2 loss."""
        w, b = self.split(theta)
        return self.penalty(theta) + float(self.rows.loss(w, b)) + frozen_value(self.frozen, w, b)

    def penalty(self, theta: Array) -> float:
        return self.penalise(theta)[0]

    def penalise(self, theta: Array) -> tuple[float, Array]:
        """The penalty, and its gradient by w and b."""
        w, b = self.split(theta)
        pull = np.concatenate([self.ridge * w, self.threshold_ridge * (b - b.mean())])
        return 0.5 * float(pull @ np.concatenate([w, b])), pull

    def centred(self, theta: Array, cap: float) -> Array:
        """theta with each threshold that no row pulls at in the middle of its interval.

        Such a threshold of a hinge costs the same anywhere between the rows that would begin to
        pull; where it came to rest is an accident of rounding, and a cap may depend on it.
        """
        thresholds = self.split(theta)[1]
        scores, g = self.scores_and_losses(theta)
        counts = g <= cap
        implicit = bool(self.rows.pair["implicit"][0])
        low, high = free_intervals(
            scores[counts], self.rows.codes[counts], self.n_classes, implicit=implicit
        )
        moved = theta.copy()
        centred = centred_thresholds(thresholds, low, high)
        moved[self.ridge.size :] = np.diff(centred, prepend=0.0)
        return moved

    def go_on(self, policy: str, state: State, report: Report = None) -> None:
        """Let a run go on until it ends or ``run.until`` is reached."""
        small = self._small
        if small and serve(policy, small, state, lambda begin: _tell(report, state, begin)):
            return
        begin = int(state.run["n"][0])
        for request in POLICIES[policy](*state):
            _tell(report, state, begin)
            begin = int(state.run["n"][0])
            self._answer(request, state)
        _tell(report, state, begin)
        if state.run["ended"][0] == FAILED:
            raise IndefiniteError("The Hessian is not positive semi-definite.")

    def evaluate(self, state: State, theta: Array) -> None:
        """Set ``state.to`` to theta and what is known there, under the loss in force."""
        state.to.theta[:] = theta
        state.to.parts[:] = state.best.parts
        small = self._small
        if small is None:
            self._evaluate_into(state)
        else:
            evaluate(small, state)

    @property
    def _small(self) -> Small | None:
        """The problem for compiled code, if it is small."""
        if not self.rows.is_small or self.size > _MOST_COORDINATES:
            return None
        whole, on_line = self.rows.whole()
        return small_problem(
            whole, on_line, self.rows.pair, self.ridge, self.threshold_ridge, self.frozen,
            self.n_classes - 1,
        )  # fmt: skip

    def _answer(self, request: int, state: State) -> None:
        run, at = state.run, state.at
        if request == EVALUATE:
            self._evaluate_into(state)
        elif request == BEGIN:
            loss = np.zeros(1, LOSS)
            set_loss(run[0], at.parts, loss)
            step, keep = self.split(state.step)[0], _asks_for_quantiles(state)
            self.rows.begin_line(*self.split(at.theta), step, loss, keep)
        elif request == SLOPE:
            b, db = self.split(at.theta)[1], self.split(state.step)[1]
            of_penalty = (self.ridge, self.threshold_ridge, self.frozen)
            t = float(state.line[2])
            slope_on_line(at.theta, state.step, b, db, *of_penalty, t, state.slopes)
            state.slopes[:] += self.rows.slopes(b, db, t)
        elif request == QUANTILE:
            level = float(run["level"][0])
            run["quantile"] = self.rows.quantile(level)
        else:
            try:
                state.step[:] = self._step_from(at)
                run["solved"] = 1
            except IndefiniteError:
                run["solved"] = 0

    def _step_from(self, at: Any) -> Array:
        if self.holds_hessian:
            return find_step(at.hessian, at.gradient, at.theta, self.n_classes - 2)
        if np.array_equal(self._evaluated_at[0], at.theta):
            self._model = self._evaluated_at
        penalty = self.ridge, self.threshold_ridge
        products = self.rows.matrix.products
        return newton_step(self._model[1], products, *penalty, at.theta, at.gradient, _LEFT)

    def _evaluate_into(self, state: State) -> None:
        run, to, loss = state.run, state.to, np.zeros(1, LOSS)
        set_loss(run[0], to.parts, loss)
        self.rows.pair["majorant"] = run["damping"]
        w, b = self.split(to.theta)
        if run["trim"][0] > 0.0:
            sums, curvature, cap = self.rows.trim(w, b, loss, float(run["trim"][0]))
            to.parts[CAP:] = cap
        else:
            sums, curvature = self.rows.sums(w, b, loss, _asks_for_quantiles(state))
            to.parts[CAP:] = cap_of(loss)
        if not self.holds_hessian:
            self._evaluated_at = to.theta.copy(), curvature
            curvature = np.empty((0, 0))
        penalty = self.ridge, self.threshold_ridge, self.frozen
        assemble_point(run[0], to, *penalty, b, sums, curvature)


def _asks_for_quantiles(state: State) -> bool:
    """Whether a stage takes its cap from the losses of the last pass."""
    return bool(np.any(state.stages[:, LEVEL] < 1.0))


def _tell(report: Report, state: State, begin: int) -> None:
    if report is not None:
        for i in range(begin, int(state.run["n"][0])):
            report(i + 1, float(state.history[i]))
