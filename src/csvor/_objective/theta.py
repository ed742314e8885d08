"""From sums over rows, by (w, b), to a point in theta = [w; b_1; gaps], and the penalty.

``b_k = b_1 + gap_2 + ... + gap_k``: the order of the thresholds is ``gaps >= 0``, bounds on the
last coordinates, which is all that the solvers are told. The penalty is
``1/2 w' diag(ridge) w + threshold_ridge/2 ||b - mean(b)||^2``; a free bias added to the score, with
a ridge on its thresholds, is the same as the ridge on the thresholds about their mean.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import cut_cost
from csvor._solvers.state import ACTIVE, CAP, CUT_COST, SMOOTHED
from csvor._utils.compile import compiled

Array = NDArray[np.float64]

# Rows that stand as their quadratic model about ``anchor``, a point (w, b): what they add to sums
# and curvature there. Of size 0 where there are none.
FrozenRows = namedtuple("FrozenRows", "anchor sums curvature")
NO_FROZEN_ROWS = FrozenRows(np.empty(0), np.empty(0), np.empty((0, 0)))


def frozen_value(frozen: FrozenRows, w: Array, b: Array) -> float:
    """What the rows add that stand as their quadratic model."""
    size = frozen.anchor.size
    if size == 0:
        return 0.0
    away = np.concatenate([w, b]) - frozen.anchor
    return float(frozen.sums[size] + (frozen.sums[:size] + 0.5 * frozen.curvature @ away) @ away)


@compiled()
def set_loss(run, parts, loss):
    """Set the loss of a pass from the run, and what of v's curvature is in the model.

    The smooth part, in units of that of p = 1: up to 1 the model of the hinge is convex, whatever
    p is. Without damping it is all there, but for p < 1, where it would bend down almost
    everywhere; then the corner at a fixed cap is there too, as if it were spread about it, and the
    kink at 0, a matter of the rows near it, is spread so wide that some fifty rows for each
    parameter tell it. A trimmed loss is evaluated about the cap of the point that it comes from.
    """
    loss[0].p, loss[0].delta, loss[0].kink = run.p, run.delta, run.delta
    loss[0].below = loss[0].cap = run.epsilon ** (2.0 / run.p)
    loss[0].tied = 1.0
    if run.trim > 0.0:
        loss[0].below, loss[0].cap, loss[0].tied = parts[CAP], parts[CAP + 1], parts[CAP + 2]
    loss[0].concave, loss[0].corner = min((1.0 - run.damping) * (2.0 - run.p), 1.0), 0.0
    if run.damping == 0.0 and run.warm == 1:
        loss[0].concave = 2.0 - run.p
        if loss[0].cap < np.inf and (run.trim == 0.0 or loss[0].cap == 1.0):
            loss[0].corner = run.corner * loss[0].cap
        loss[0].kink = max(run.kink, run.delta)


@compiled()
def to_thresholds(theta, d, b):
    """Set b to the thresholds of theta, or of a step."""
    total = 0.0
    for k in range(b.size):
        total += theta[d + k]
        b[k] = total


@compiled()
def assemble_point(run, to, ridge, threshold_ridge, frozen, b, sums, curvature):
    """From sums over all rows, by (w, b), to a point in theta with the penalty."""
    _add_frozen(frozen, to.theta, b, sums, curvature)
    size, d, m = to.theta.size, ridge.size, b.size
    penalty = penalise(to.theta, b, ridge, threshold_ridge, to.gradient)
    for i in range(size):
        sums[i] += to.gradient[i]
    _gradient_to_theta(d, sums, to.gradient)
    if to.hessian.size > 0:
        for i in range(d):
            curvature[i, i] += ridge[i]
        if threshold_ridge > 0.0:
            for k in range(m):
                curvature[d + k, d + k] += threshold_ridge
                for other in range(k, m):
                    curvature[d + k, d + other] -= threshold_ridge / m
        _hessian_to_theta(d, curvature, to.hessian)
    each = cut_cost(run.trim, run.epsilon)
    cut, half = sums[size + 2], 0.5 * run.p
    constant, shortfall = 0.0, 0.0
    if cut != 0.0:
        constant = cut * each
        shortfall = (each ** (2.0 / run.p) + run.delta) ** half - run.delta**half - each
    to.parts[ACTIVE] = penalty + sums[size]
    to.parts[SMOOTHED] = penalty + sums[size + 1] + cut * shortfall
    to.parts[CUT_COST] = constant


@compiled()
def _add_frozen(frozen, theta, b, sums, curvature):
    """Add what the rows add that stand as their quadratic model."""
    size, d = frozen.anchor.size, frozen.anchor.size - b.size
    if size == 0:
        return
    away = np.empty(size)
    for i in range(size):
        away[i] = (theta[i] if i < d else b[i - d]) - frozen.anchor[i]
    change = 0.0
    for i in range(size):
        bent = 0.0
        for j in range(size):
            bent += frozen.curvature[i, j] * away[j]
            if j >= i:
                curvature[i, j] += frozen.curvature[i, j]
        change += (frozen.sums[i] + 0.5 * bent) * away[i]
        sums[i] += frozen.sums[i] + bent
    sums[size] += frozen.sums[size] + change
    sums[size + 1] += frozen.sums[size + 1] + change
    sums[size + 2] += frozen.sums[size + 2]


@compiled()
def penalise(theta, b, ridge, threshold_ridge, pull):
    """Set ``pull`` to the gradient of the penalty by w and b; its value."""
    d, m = ridge.size, b.size
    middle, value = 0.0, 0.0
    for i in range(d):
        pull[i] = ridge[i] * theta[i]
        value += 0.5 * pull[i] * theta[i]
    for k in range(m):
        middle += b[k] / m
    for k in range(m):
        pull[d + k] = threshold_ridge * (b[k] - middle)
        value += 0.5 * pull[d + k] * b[k]
    return value


@compiled()
def slope_on_line(theta, step, b, db, ridge, threshold_ridge, frozen, t, slopes):
    """Set first and second derivative of the penalty at t on ``(w, b) + t (dw, db)``."""
    d = ridge.size
    pull = np.empty(theta.size)
    slopes[1] = 2.0 * penalise(step, db, ridge, threshold_ridge, pull)
    penalise(theta, b, ridge, threshold_ridge, pull)
    slopes[0] = t * slopes[1]
    for i in range(d):
        slopes[0] += pull[i] * step[i]
    for k in range(b.size):
        slopes[0] += pull[d + k] * db[k]
    for i in range(frozen.anchor.size):
        along = step[i] if i < d else db[i - d]
        slopes[0] += frozen.sums[i] * along
        for j in range(frozen.anchor.size):
            other = step[j] if j < d else db[j - d]
            away = (theta[j] if j < d else b[j - d]) - frozen.anchor[j]
            slopes[0] += along * frozen.curvature[i, j] * (away + t * other)
            slopes[1] += along * frozen.curvature[i, j] * other


@compiled()
def _gradient_to_theta(d, sums, gradient):
    """Chain rule from (w, b) to theta: a gap moves all thresholds from its own on."""
    for i in range(d):
        gradient[i] = sums[i]
    total = 0.0
    for k in range(gradient.size - 1, d - 1, -1):
        total += sums[k]
        gradient[k] = total


@compiled()
def _hessian_to_theta(d, curvature, hessian):
    """The same for the Hessian."""
    size = hessian.shape[0]
    for i in range(d):
        for j in range(i, d):
            hessian[i, j] = hessian[j, i] = curvature[i, j]
        total = 0.0
        for k in range(size - 1, d - 1, -1):
            total += curvature[i, k]
            hessian[i, k] = hessian[k, i] = total
    for k in range(size - 1, d - 1, -1):
        from_k = 0.0
        for other in range(size - 1, d - 1, -1):
            from_k += curvature[min(k, other), max(k, other)]
            below = hessian[k + 1, other] if k + 1 < size else 0.0
            hessian[k, other] = from_k + below
