"""The objective in theta = [w; b_1; gaps]: joins rows and solver.

``w`` are the coefficients of the scaled features, ``b_k = b_1 + gap_2 + ... + gap_k`` the
thresholds. The order of the thresholds is then ``gaps >= 0``: bounds on the last coordinates,
which is all that the solvers are told. The penalty is
``1/2 w' diag(ridge) w + threshold_ridge/2 ||b - mean(b)||^2``; a free bias added to the score, with
a ridge on its thresholds, is the same as the ridge on the thresholds about their mean.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import LOSS
from csvor._loss.margins import HINGE
from csvor._loss.pairs import centred_thresholds, free_intervals
from csvor._loss.row_terms import add_slopes
from csvor._rows.dense import DenseRows
from csvor._rows.dense_pass import Rows, add_rows, begin_line, find_losses
from csvor._rows.quantile import weighted_quantile
from csvor._rows.trim import find_cap, moved_rows
from csvor._solvers.iterate import (
    BEGIN,
    CAP,
    CONSTANT,
    EVALUATE,
    FAILED,
    GOING,
    MOVING,
    QUANTILE,
    SLOPE,
    SMOOTH,
    State,
    iterate,
    newton,
)
from csvor._solvers.step import IndefiniteError, bounded_step, find_step
from csvor._utils.compile import compiled

Array = NDArray[np.float64]
Report = Callable[[int, float], None] | None

# LAPACK solves larger systems than the compiled iterations.
_MOST_COORDINATES = 80

POLICIES = {"reweight": iterate, "newton": newton}

_Whole = namedtuple("_Whole", "rows on_line pair ridge threshold_ridge")


class OrdinalObjective:
    """Penalty plus the rows' losses, b ordered."""

    def __init__(self, rows: DenseRows, n_classes: int, threshold_ridge: float = 0.0) -> None:
        self.rows = rows
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
        return float(self.rows.costs.sum())

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
        pair = self.rows.pair.copy()
        pair["width"] = width
        rows = DenseRows(self.rows.matrix, self.rows.codes, self.rows.costs, pair)
        return OrdinalObjective(rows, self.n_classes, self.threshold_ridge)

    def sample(self, size: int) -> OrdinalObjective:
        """The objective of a part of the rows that stands for all of them."""
        part = self.rows.sample(size, self.n_classes)
        return OrdinalObjective(part, self.n_classes, self.threshold_ridge)

    def scores_and_losses(self, theta: Array) -> tuple[Array, Array]:
        return self.rows.scores_and_losses(*self.split(theta))

    def value(self, theta: Array) -> float:
        """Penalty plus losses, not capped: of the p = 2 loss."""
        pull = np.empty(self.size)
        penalty = penalise(*self.split(theta), self.ridge, self.threshold_ridge, pull)
        return float(penalty + self.rows.costs @ self.scores_and_losses(theta)[1])

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
        if self.rows.are_few and self.size <= _MOST_COORDINATES:
            whole = _Whole(*self.rows.whole(), self.rows.pair, self.ridge, self.threshold_ridge)
            run, until = state.run, int(state.run["until"][0])
            # Some tenths of a second at a time, so that an interrupt is heard.
            at_once = 1 + 10_000_000 // (self.rows.n_samples * self.size)
            while run["ended"][0] == GOING and run["n"][0] < until:
                begin = int(run["n"][0])
                run["until"] = min(begin + at_once, until)
                serve(policy == "newton", whole, *state)
                _tell(report, state, begin)
            run["until"] = until
            if run["ended"][0] != FAILED:
                return
            run["ended"] = GOING  # LAPACK knows more than the compiled steps
        for request in POLICIES[policy](*state):
            begin = int(state.run["n"][0])
            self._answer(request, state)
            _tell(report, state, begin)
        if state.run["ended"][0] == FAILED:
            raise IndefiniteError("The Hessian is not positive semi-definite.")

    def look(self, state: State, theta: Array) -> None:
        """Set ``state.to`` to theta and what is known there, under the loss in force."""
        state.to.theta[:] = theta
        state.to.parts[:] = state.best.parts
        self._evaluate(state.run, state.to)

    def _answer(self, request: int, state: State) -> None:
        run, at = state.run, state.at
        if request == EVALUATE:
            self._evaluate(run, state.to)
        elif request == BEGIN:
            loss = np.zeros(1, LOSS)
            shape(run[0], at.parts, self.size, self.rows.costs.size, loss)
            self.rows.begin_line(*self.split(at.theta), self.split(state.step)[0], loss)
        elif request == SLOPE:
            theta, step = self.split(at.theta), self.split(state.step)
            t = float(state.line[2])
            slope_on_line(*theta, *step, self.ridge, self.threshold_ridge, t, state.slopes)
            state.slopes[:] += self.rows.slopes(theta[1], step[1], t)
        elif request == QUANTILE:
            level = float(run["level"][0])
            run["quantile"] = self.rows.quantile(*self.split(at.theta), level)
        else:
            try:
                n_bounded = self.n_classes - 2
                state.step[:] = find_step(at.hessian, at.gradient, at.theta, n_bounded)
                run["solved"] = 1
            except IndefiniteError:
                run["solved"] = 0

    def _evaluate(self, run: Any, to: Any) -> None:
        loss = np.zeros(1, LOSS)
        shape(run[0], to.parts, self.size, self.rows.costs.size, loss)
        self.rows.pair["firmness"] = run["share"]
        w, b = self.split(to.theta)
        if run["trim"][0] > 0.0:
            sums, curvature, cap = self.rows.trim(w, b, loss, float(run["trim"][0]))
            to.parts[CAP:] = cap
        else:
            sums, curvature = self.rows.sums(w, b, loss)
            to.parts[CAP:] = loss["below"][0], loss["cap"][0], loss["tied"][0]
        finish(run[0], to, self.ridge, self.threshold_ridge, sums, curvature)


def _tell(report: Report, state: State, begin: int) -> None:
    if report is not None:
        for i in range(begin, int(state.run["n"][0])):
            report(i + 1, float(state.history[i]))


@compiled()
def serve(is_newton, whole, run, at, to, best, step, line, slopes, stages, history):
    """Few rows: every request of a generator is answered in compiled code."""
    size = to.theta.size
    loss, sums, curvature = np.zeros(1, LOSS), np.zeros(size + 3), np.zeros((size, size))
    if is_newton:
        for request in newton(run, at, to, best, step, line, slopes, stages, history):
            _serve_one(request, whole, run, at, to, step, line, slopes, loss, sums, curvature)
    else:
        for request in iterate(run, at, to, best, step, line, slopes, stages, history):
            _serve_one(request, whole, run, at, to, step, line, slopes, loss, sums, curvature)


@compiled()
def _serve_one(request, whole, run, at, to, step, line, slopes, loss, sums, curvature):
    rows, pair, ridge = whole.rows, whole.pair, whole.ridge
    d, n = ridge.size, rows.costs.size
    if request == EVALUATE:
        shape(run[0], to.parts, to.theta.size, n, loss)
        pair[0].firmness = run[0].share
        w, b = to.theta[:d], np.cumsum(to.theta[d:])
        sums[:] = 0.0
        curvature[:, :] = 0.0
        add_rows(rows, w, b, pair, loss, sums, curvature)
        cap = np.array([loss[0].below, loss[0].cap, loss[0].tied])
        if run[0].trim > 0.0:
            find_cap(rows.losses, rows.costs, run[0].trim, cap)
            moved, changes = moved_rows(rows.losses, rows.costs, loss, cap)
            if moved.size > 0:
                loss[0].below = loss[0].cap = np.inf
                X, codes, nowhere = rows.X[moved], rows.codes[moved], np.empty(0)
                part = Rows(X, rows.center, rows.factor, codes, changes, nowhere)
                add_rows(part, w, b, pair, loss, sums, curvature)
                sums[-1] -= changes.sum()
        to.parts[CAP:] = cap
        finish(run[0], to, ridge, whole.threshold_ridge, sums, curvature)
    elif request == BEGIN:
        shape(run[0], at.parts, to.theta.size, n, loss)
        begin_line(rows, at.theta[:d], np.cumsum(at.theta[d:]), step[:d], pair, loss, whole.on_line)
    elif request == SLOPE:
        w, b, dw, db = at.theta[:d], np.cumsum(at.theta[d:]), step[:d], np.cumsum(step[d:])
        slope_on_line(w, b, dw, db, ridge, whole.threshold_ridge, line[2], slopes)
        f, df, weights = whole.on_line
        add_slopes(f, df, weights, rows.codes, b, db, line[2], pair, slopes)
    elif request == QUANTILE:
        f = np.empty(n)
        find_losses(rows, at.theta[:d], np.cumsum(at.theta[d:]), pair, f, rows.losses)
        run[0].quantile = weighted_quantile(rows.losses, run[0].level, rows.costs)
    else:
        solved = bounded_step(at.hessian, at.gradient, at.theta, to.theta.size - d - 1, step)
        run[0].solved = 1 if solved else 0


@compiled()
def shape(run, parts, size, n, loss):
    """Set the loss of a pass from the run, and what of v's curvature is in the model.

    The smooth part, in units of that of p = 1: up to 1 the model of the hinge is convex, whatever
    p is. Without damping (share 0) it is all there, but for p < 1, where it would bend down almost
    everywhere; then the corner at a fixed cap is there too, as if it were spread about it, and the
    kink at 0, a matter of the rows near it, is spread so wide that some fifty rows for each
    parameter tell it. A trimmed loss is evaluated about the cap of the point that it comes from.
    """
    loss[0].p, loss[0].delta, loss[0].width = run.p, run.delta, run.delta
    loss[0].below = loss[0].cap = run.epsilon ** (2.0 / run.p)
    loss[0].tied = 1.0
    if run.trim > 0.0:
        loss[0].below, loss[0].cap, loss[0].tied = parts[CAP], parts[CAP + 1], parts[CAP + 2]
    loss[0].concave, loss[0].edge = min((1.0 - run.share) * (2.0 - run.p), 1.0), 0.0
    if run.share == 0.0 and run.near == 1:
        loss[0].concave = 2.0 - run.p
        if run.epsilon < np.inf and run.trim == 0.0:
            loss[0].edge = 0.1 * loss[0].cap
        wanted = 50.0 * size / n if run.p >= 1.0 else np.inf
        loss[0].width = max(min(wanted**2, 1e-2), run.delta)


@compiled()
def finish(run, to, ridge, threshold_ridge, sums, curvature):
    """From sums over all rows, by (w, b), to a point in theta with the penalty."""
    theta, size, d = to.theta, to.theta.size, ridge.size
    w, b = theta[:d], np.cumsum(theta[d:])
    pull = np.empty(size)
    penalty = penalise(w, b, ridge, threshold_ridge, pull)
    m = b.size
    for i in range(size):
        pull[i] += sums[i]
    for i in range(d):
        curvature[i, i] += ridge[i]
    if threshold_ridge > 0.0:
        for k in range(m):
            curvature[d + k, d + k] += threshold_ridge
            for other in range(k, m):
                curvature[d + k, d + other] -= threshold_ridge / m
    _to_theta(d, pull, curvature, to.gradient, to.hessian)
    # A row that is cut costs epsilon; under a trimmed loss, what a row on its threshold costs.
    each = 1.0 if run.trim > 0.0 else run.epsilon
    cut, half = sums[size + 2], 0.5 * run.p
    constant, shortfall = 0.0, 0.0
    if each < np.inf:
        constant = cut * each
        shortfall = (each ** (2.0 / run.p) + run.delta) ** half - run.delta**half - each
    to.parts[MOVING] = penalty + sums[size]
    to.parts[SMOOTH] = penalty + sums[size + 1] + cut * shortfall
    to.parts[CONSTANT] = constant


@compiled()
def penalise(w, b, ridge, threshold_ridge, pull):
    """Set ``pull`` to the gradient of the penalty by w and b; its value."""
    d, m = w.size, b.size
    middle, value = b.mean(), 0.0
    for i in range(d):
        pull[i] = ridge[i] * w[i]
        value += 0.5 * pull[i] * w[i]
    for k in range(m):
        pull[d + k] = threshold_ridge * (b[k] - middle)
        value += 0.5 * pull[d + k] * b[k]
    return value


@compiled()
def slope_on_line(w, b, dw, db, ridge, threshold_ridge, t, slopes):
    """Set first and second derivative of the penalty at t on ``(w, b) + t (dw, db)``."""
    d = w.size
    pull = np.empty(d + b.size)
    slopes[1] = 2.0 * penalise(dw, db, ridge, threshold_ridge, pull)
    penalise(w, b, ridge, threshold_ridge, pull)
    slopes[0] = t * slopes[1]
    for i in range(d):
        slopes[0] += pull[i] * dw[i]
    for k in range(b.size):
        slopes[0] += pull[d + k] * db[k]


@compiled()
def _to_theta(d, pull, curvature, gradient, hessian):
    """Chain rule from (w, b) to theta: a gap moves all thresholds from its own on."""
    size = pull.size
    for i in range(d):
        gradient[i] = pull[i]
        for j in range(i, d):
            hessian[i, j] = hessian[j, i] = curvature[i, j]
        total = 0.0
        for k in range(size - 1, d - 1, -1):
            total += curvature[i, k]
            hessian[i, k] = hessian[k, i] = total
    total = 0.0
    for k in range(size - 1, d - 1, -1):
        total += pull[k]
        gradient[k] = total
        from_k = 0.0
        for other in range(size - 1, d - 1, -1):
            from_k += curvature[min(k, other), max(k, other)]
            below = hessian[k + 1, other] if k + 1 < size else 0.0
            hessian[k, other] = from_k + below
