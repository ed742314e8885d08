"""Few rows: every request of an iteration is answered in compiled code."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from csvor._loss.capped import LOSS
from csvor._loss.row_terms import add_slopes
from csvor._objective.theta import finish, shape, slope_on_line
from csvor._rows.dense_pass import Rows, add_rows, begin_line, find_losses
from csvor._rows.quantile import weighted_quantile
from csvor._rows.trim import find_cap, moved_rows
from csvor._solvers.iterate import BEGIN, CAP, EVALUATE, QUANTILE, SLOPE, iterate, newton
from csvor._solvers.step import bounded_step
from csvor._utils.compile import compiled

Whole = namedtuple("Whole", "rows on_line pair ridge threshold_ridge")


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
