"""Small rows: every request of an iteration is answered in compiled code."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from csvor._loss.capped import LOSS, lift_cap
from csvor._loss.row_terms import add_slopes
from csvor._objective.theta import assemble_point, set_loss, slope_on_line, to_thresholds
from csvor._rows.dense_pass import add_rows, begin_line
from csvor._rows.quantile import weighted_quantile
from csvor._rows.trim import find_cap, moved_rows
from csvor._solvers.iterate import iterate, newton
from csvor._solvers.state import (
    BEGIN,
    CAP,
    EVALUATE,
    FAILED,
    GOING,
    QUANTILE,
    SLOPE,
    Point,
    State,
)
from csvor._solvers.step import bounded_step
from csvor._utils.compile import compiled, without_refcount

# Numbers that an iteration reads, times iterations, before an interrupt is heard again.
_AT_ONCE = 10_000_000

Small = namedtuple(
    "Small", "rows on_line pair ridge threshold_ridge frozen loss sums curvature b db"
)


def small_problem(
    rows: Any, on_line: Any, pair: Any, ridge: Any, threshold_ridge: float, frozen: Any, m: int
) -> Small:
    """Rows with the arrays to work in."""
    size = ridge.size + m
    sums, curvature = np.empty(size + 3), np.empty((size, size))
    loss, b, db = np.zeros(1, LOSS), np.empty(m), np.empty(m)
    return Small(rows, on_line, pair, ridge, threshold_ridge, frozen, loss, sums, curvature, b, db)


@compiled()
def serve_reweighting(problem, run, at, to, best, step, line, slopes, stages, history):
    state = _state_without_refcount(run, at, to, best, step, line, slopes, stages, history)
    for request in iterate(*state):
        _answer(request, problem, run, at, to, step, line, slopes)


@compiled()
def serve_newton(problem, run, at, to, best, step, line, slopes, stages, history):
    state = _state_without_refcount(run, at, to, best, step, line, slopes, stages, history)
    for request in newton(*state):
        _answer(request, problem, run, at, to, step, line, slopes)


def serve(policy: str, problem: Small, state: State, tell: Callable[[int], None]) -> bool:
    """Let a run go on until its end or its limit; whether the compiled steps sufficed.

    ``tell`` is called with the first iteration that it has not heard of.
    """
    run, until = state.run, int(state.run["until"][0])
    # Some tenths of a second at a time.
    at_once = 1 + _AT_ONCE // (problem.rows.X.shape[0] * state.step.size)
    while run["ended"][0] == GOING and run["n"][0] < until:
        begin = int(run["n"][0])
        run["until"] = min(begin + at_once, until)
        _SERVE[policy](problem, *state)
        tell(begin)
    run["until"] = until
    if run["ended"][0] != FAILED:
        return True
    run["ended"] = GOING  # LAPACK knows more than the compiled steps
    return False


def evaluate(problem: Small, state: State) -> None:
    """Set ``state.to`` from its theta, as the run does that ends where it begins."""
    run, to = state.run.copy(), state.to
    run["n"] = run["until"] = 0
    at, best = (Point(*(part.copy() for part in to)) for _ in range(2))
    step = np.zeros_like(state.step)
    serve_reweighting(problem, *state._replace(run=run, at=at, best=best, step=step))


_SERVE = {"reweight": serve_reweighting, "newton": serve_newton}


@compiled()
def _state_without_refcount(run, at, to, best, step, line, slopes, stages, history):
    points = _point_without_refcount(at), _point_without_refcount(to), _point_without_refcount(best)
    arrays = (
        without_refcount(step),
        without_refcount(line),
        without_refcount(slopes),
        without_refcount(stages),
        without_refcount(history),
    )
    return State(without_refcount(run), *points, *arrays)


@compiled()
def _point_without_refcount(point):
    parts = without_refcount(point.parts)
    return Point(
        without_refcount(point.theta),
        without_refcount(point.gradient),
        without_refcount(point.hessian),
        parts,
    )


@compiled(inline="always")
def _answer(request, problem, run, at, to, step, line, slopes):
    rows, pair, ridge = problem.rows, problem.pair, problem.ridge
    loss, b, db = problem.loss, problem.b, problem.db
    d, frozen = ridge.size, problem.frozen
    if request == EVALUATE:
        set_loss(run[0], to.parts, loss)
        pair[0].majorant = run[0].damping
        to_thresholds(to.theta, d, b)
        problem.sums.fill(0.0)
        problem.curvature.fill(0.0)
        part, again = rows, run[0].trim > 0.0
        while True:
            add_rows(part, to.theta[:d], b, pair, loss, problem.sums, problem.curvature)
            if not again:
                break
            # Under a trimmed loss, those that the cap found here counts otherwise count anew.
            find_cap(rows.losses, rows.costs, run[0].trim, to.parts[CAP:])
            part, again = moved_rows(rows, loss, to.parts[CAP:], problem.sums), False
            lift_cap(loss)
        assemble_point(
            run[0], to, ridge, problem.threshold_ridge, frozen, b, problem.sums, problem.curvature
        )
    elif request == BEGIN:
        set_loss(run[0], at.parts, loss)
        to_thresholds(at.theta, d, b)
        begin_line(rows, at.theta[:d], b, step[:d], pair, loss, problem.on_line)
    elif request == SLOPE:
        to_thresholds(at.theta, d, b)
        to_thresholds(step, d, db)
        slope_on_line(
            at.theta, step, b, db, ridge, problem.threshold_ridge, frozen, line[2], slopes
        )
        add_slopes(problem.on_line, rows.codes, b, db, line[2], pair, slopes)
    elif request == QUANTILE:
        run[0].quantile = weighted_quantile(rows.losses, run[0].level, rows.costs)
    else:
        solved = bounded_step(at.hessian, at.gradient, at.theta, to.theta.size - d - 1, step)
        run[0].solved = 1 if solved else 0
