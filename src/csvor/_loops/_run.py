"""Iterations of re-weighting on few rows, as `_solvers.reweight.descend` states them."""

from __future__ import annotations

import numpy as np

from csvor._loops._compile import compiled
from csvor._loops._rows import add_rows, add_slope, squared_slacks
from csvor._loops._steps import LINE, bounded_step, look_along, to_theta, weighted_quantile

# What ends a call: its share of the iterations, the run itself, or a step that needs other means.
GOING, ENDED, STUCK = 0, 1, 2


@compiled()
def _least_on_line(rows, implicit, ridge, theta, step, power, cap, delta):
    """The step in (0, 1] where the surrogate at theta is least."""
    d = ridge.size
    w, dw = theta[:d], step[:d]
    b, db = np.cumsum(theta[d:]), np.cumsum(step[d:])
    at_start, along = (ridge * w) @ dw, (ridge * dw) @ dw
    line, slopes = LINE.copy(), np.zeros(2)
    add_slope(*rows, w, b, dw, db, 1.0, implicit, power, cap, delta, slopes)
    while not look_along(line, at_start + line[2] * along + slopes[0], along + slopes[1]):
        slopes[:] = 0.0
        add_slope(*rows, w, b, dw, db, line[2], implicit, power, cap, delta, slopes)
    return line[2]


@compiled()
def _evaluate(rows, implicit, ridge, theta, power, epsilon, delta, share, gradient, hessian):
    """Set gradient and Hessian; the moving, smooth and constant parts of the objective."""
    d, size = ridge.size, theta.size
    half = 0.5 * power
    cap = epsilon ** (2.0 / power)
    sums, curvature = np.zeros(size + 3), np.zeros((size, size))
    bend = min((1.0 - share) * (2.0 - power), 1.0)
    form = (implicit, power, cap, delta, bend, 0.0, delta)
    add_rows(*rows, theta[:d], np.cumsum(theta[d:]), *form, sums, curvature)
    penalty = to_theta(theta, ridge, sums, curvature, gradient, hessian)
    cut = sums[size + 2]
    constant, shortfall = 0.0, 0.0
    if epsilon < np.inf:
        constant = cut * epsilon
        shortfall = (cap + delta) ** half - delta**half - epsilon
    return penalty + sums[size], penalty + sums[size + 1] + cut * shortfall, constant


@compiled()
def _advance(rows, implicit, ridge, loss, share, fixed, damped, at, to):
    """`_solvers.reweight._advance`: sets the trial ``to`` from the point ``at``.

    A point is theta, gradient, Hessian, and the parts of the objective. Returns the share of the
    damping from then on, what the slope of the whole step promised, and whether there was a step.
    """
    power, epsilon, delta = loss
    theta, gradient, hessian, parts = at
    trial, new_gradient, new_hessian, new_parts = to
    step = np.empty(theta.size)
    if not bounded_step(hessian, gradient, theta, theta.size - ridge.size - 1, step):
        return share, 0.0, False
    slope = gradient @ step
    new_share = max(damped[0] * share, damped[1]) if fixed else 1.0
    trial[:] = theta + step
    new_parts[:] = _evaluate(
        rows, implicit, ridge, trial, power, epsilon, delta, new_share, new_gradient, new_hessian
    )
    if (parts[1] - new_parts[1]) + (parts[2] - new_parts[2]) >= -1e-4 * slope:
        return new_share, -slope, True
    cap = epsilon ** (2.0 / power)
    t = _least_on_line(rows, implicit, ridge, theta, step, power, cap, delta)
    if t < 1.0:
        trial[:] = theta + t * step
        new_parts[:] = _evaluate(
            rows, implicit, ridge, trial, power, epsilon, delta, 1.0, new_gradient, new_hessian
        )
    return 1.0, -slope, True


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
    tol, rounding, nothing, early, patience = limits[:5]
    loss = (state[0], state[1], state[2])
    stage, waited, share, fixed = state[3], state[4], state[5], state[6] > 0.0
    lowered, n, changed, outcome = True, 0, -1, GOING
    at = (theta.copy(), np.empty(size), np.empty((size, size)), np.empty(3))
    to = (np.empty(size), np.empty(size), np.empty((size, size)), np.empty(3))
    best_parts, f, g = np.empty(3), np.empty(weights.size), np.empty(weights.size)
    best_parts[:] = _evaluate(rows, implicit, ridge, best, *loss, share, at[1], at[2])
    at[3][:] = _evaluate(rows, implicit, ridge, at[0], *loss, share, at[1], at[2])
    while outcome == GOING and n < history.size:
        share, promised, found = _advance(
            rows, implicit, ridge, loss, share, fixed, limits[5:7], at, to
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
                best[:] = at[0]
                best_parts[:] = at[3]
        history[n] = best_parts[0] + best_parts[2]
        n += 1
        least = nothing * (at[3][0] + at[3][2])
        waited += 1.0
        small = fall <= max(early * at[3][0], least)
        if stage > warmup or small or waited >= patience:
            stage, waited = stage + 1.0, 0.0
        row = stages[min(int(stage), stages.shape[0] - 1)]
        epsilon = loss[1]
        if row[1] < 1.0:
            w, b = at[0][: ridge.size], np.cumsum(at[0][ridge.size :])
            squared_slacks(*rows[:4], w, b, implicit, f, g)
            epsilon = weighted_quantile(g, row[1], weights) ** (0.5 * row[0]) * (1.0 + 1e-9)
            epsilon = max(epsilon, floor)
        elif not np.isnan(row[2]):
            epsilon = row[2]
        same = loss == (row[0], epsilon, row[3])
        fixed = same and stage > warmup
        least = max(max(tol, rounding) * at[3][0], least)
        if fixed and ((fall <= least and promised <= least) or not lowered):
            outcome = ENDED
        if not same:
            loss, share, changed = (row[0], epsilon, row[3]), 1.0, n
            at[3][:] = _evaluate(rows, implicit, ridge, at[0], *loss, share, at[1], at[2])
            best[:] = at[0]
            best_parts[:] = at[3]
    theta[:] = at[0]
    state[:3] = loss
    state[3], state[4], state[5], state[6] = stage, waited, share, 1.0 * fixed
    state[7], state[8], state[9] = 1.0 * lowered, n, changed
    return outcome
