"""Iterations of re-weighting on few rows, as `_solvers.reweight.descend` states them."""

from __future__ import annotations

import numpy as np

from csvor._loops._rows import add_rows, add_slope, squared_slacks
from csvor._loops._steps import LINE, bounded_step, look_along, to_theta, weighted_quantile
from csvor._utils.compile import compiled

# What ends a call: its share of the iterations, the run itself, or a step that needs other means.
GOING, ENDED, STUCK = 0, 1, 2


@compiled()
def _least_on_line(rows, implicit, ridge, theta, step, power, cap, delta):
    """The step in (0, 1] where the surrogate at theta is least."""
    d = ridge.size
    w, dw = theta[:d], step[:d]
    b, db = np.cumsum(theta[d:]), np.cumsum(step[d:])
    at_start, along = 0.0, 0.0
    for i in range(d):
        at_start += ridge[i] * w[i] * dw[i]
        along += ridge[i] * dw[i] * dw[i]
    X, center, factor, codes, costs = rows
    line, slopes = LINE.copy(), np.empty(2)
    while True:
        t = line[2]
        slopes[0], slopes[1] = at_start + t * along, along
        add_slope(
            X, center, factor, codes, costs, w, b, dw, db, t, implicit, power, cap, delta, slopes
        )
        if look_along(line, slopes[0], slopes[1]):
            return line[2]


@compiled()
def _evaluate(rows, implicit, ridge, loss, share, point):
    """Set gradient, Hessian, and the moving, smooth and constant parts of the objective.

    A point is an array of each, behind its theta.
    """
    power, epsilon, delta = loss
    theta, gradient, hessian, parts = point
    d, size = ridge.size, theta.size
    half = 0.5 * power
    cap = epsilon ** (2.0 / power)
    sums, curvature = np.zeros(size + 3), np.zeros((size, size))
    bend = min((1.0 - share) * (2.0 - power), 1.0)
    X, center, factor, codes, costs = rows
    w, b = theta[:d], np.cumsum(theta[d:])
    add_rows(
        X, center, factor, codes, costs, w, b, implicit, power, cap, delta, bend, 0.0, delta,
        sums, curvature,
    )  # fmt: skip
    penalty = to_theta(theta, ridge, sums, curvature, gradient, hessian)
    cut = sums[size + 2]
    constant, shortfall = 0.0, 0.0
    if epsilon < np.inf:
        constant = cut * epsilon
        shortfall = (cap + delta) ** half - delta**half - epsilon
    parts[0] = penalty + sums[size]
    parts[1] = penalty + sums[size + 1] + cut * shortfall
    parts[2] = constant


@compiled()
def _copy(one, other):
    for i in range(one.size):
        other[i] = one[i]


@compiled()
def _advance(rows, implicit, ridge, loss, share, fixed, damped, at, to):
    """`_solvers.reweight._advance`: sets the point ``to`` from the point ``at``.

    Returns the share of the damping from then on, what the slope of the whole step promised, and
    whether there was a step.
    """
    theta, gradient, hessian, parts = at
    trial, new_parts = to[0], to[3]
    step = np.empty(theta.size)
    if not bounded_step(hessian, gradient, theta, theta.size - ridge.size - 1, step):
        return share, 0.0, False
    slope = 0.0
    for i in range(theta.size):
        slope += gradient[i] * step[i]
        trial[i] = theta[i] + step[i]
    new_share = max(damped[0] * share, damped[1]) if fixed else 1.0
    _evaluate(rows, implicit, ridge, loss, new_share, to)
    if (parts[1] - new_parts[1]) + (parts[2] - new_parts[2]) >= -1e-4 * slope:
        return new_share, -slope, True
    power, epsilon, delta = loss
    cap = epsilon ** (2.0 / power)
    t = _least_on_line(rows, implicit, ridge, theta, step, power, cap, delta)
    if t < 1.0:
        for i in range(theta.size):
            trial[i] = theta[i] + t * step[i]
        _evaluate(rows, implicit, ridge, loss, 1.0, to)
    return 1.0, -slope, True


@compiled()
def _next_loss(rows, implicit, ridge, weights, row, floor, loss, theta, f, g):
    """The loss that a row of the schedule asks for at theta."""
    epsilon = loss[1]
    if row[1] < 1.0:
        d = ridge.size
        X, center, factor, codes, _ = rows
        squared_slacks(X, center, factor, codes, theta[:d], np.cumsum(theta[d:]), implicit, f, g)
        epsilon = weighted_quantile(g, row[1], weights) ** (0.5 * row[0]) * (1.0 + 1e-9)
        epsilon = max(epsilon, floor)
    elif row[2] == row[2]:
        epsilon = row[2]
    return row[0], epsilon, row[3]


@compiled()
def descend(
    rows, implicit, ridge, weights, stages, warmup, floor, limits, theta, best, state, history
):
    """Iterate until the history is full or the run ends.

    ``limits`` are tol, the constants of `_solvers.reweight` and those of its damping; ``state`` is
    p, cap and delta in force, stage, waited, share, fixed, lowered, iterations done, and after
    which of them the loss changed last (-1: none).
    """
    size = theta.size
    tol, rounding, nothing, early, patience, factor, least_share = limits
    loss = (state[0], state[1], state[2])
    stage, waited, share, fixed = state[3], state[4], state[5], state[6] > 0.0
    lowered, n, changed, outcome = True, 0, -1, GOING
    at = (np.empty(size), np.empty(size), np.empty((size, size)), np.empty(3))
    to = (np.empty(size), np.empty(size), np.empty((size, size)), np.empty(3))
    best_parts, f, g = np.empty(3), np.empty(weights.size), np.empty(weights.size)
    _copy(best, at[0])
    _evaluate(rows, implicit, ridge, loss, share, at)
    _copy(at[3], best_parts)
    _copy(theta, at[0])
    _evaluate(rows, implicit, ridge, loss, share, at)
    while outcome == GOING and n < history.size:
        share, promised, found = _advance(
            rows, implicit, ridge, loss, share, fixed, (factor, least_share), at, to
        )
        if not found:
            outcome = STUCK
            break
        parts, new = at[3], to[3]
        fall = (parts[0] - new[0]) + (parts[2] - new[2])
        lowered = (parts[1] - new[1]) + (parts[2] - new[2]) >= -rounding * parts[0]
        if lowered:
            at, to = to, at
            if (best_parts[0] - at[3][0]) + (best_parts[2] - at[3][2]) > 0.0:
                _copy(at[0], best)
                _copy(at[3], best_parts)
        history[n] = best_parts[0] + best_parts[2]
        n += 1
        moving = at[3][0]
        least = nothing * (moving + at[3][2])
        waited += 1.0
        if stage > warmup or fall <= max(early * moving, least) or waited >= patience:
            stage, waited = stage + 1.0, 0.0
        row = stages[min(int(stage), stages.shape[0] - 1)]
        upcoming = _next_loss(rows, implicit, ridge, weights, row, floor, loss, at[0], f, g)
        same = loss == upcoming
        fixed = same and stage > warmup
        least = max(max(tol, rounding) * moving, least)
        if fixed and ((fall <= least and promised <= least) or not lowered):
            outcome = ENDED
        if not same:
            loss, share, changed = upcoming, 1.0, n
            _evaluate(rows, implicit, ridge, loss, share, at)
            _copy(at[0], best)
            _copy(at[3], best_parts)
    _copy(at[0], theta)
    state[0], state[1], state[2] = loss
    state[3], state[4], state[5], state[6] = stage, waited, share, 1.0 * fixed
    state[7], state[8], state[9] = 1.0 * lowered, n, changed
    return outcome
