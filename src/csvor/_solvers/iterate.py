"""The iterations, stated once: compiled generators that ask for what only the rows can tell.

They know requests, not rows. Where rows are few the requests are answered in compiled code; where
they are many, or lie elsewhere, the same generators are driven from Python.

``run`` holds where a run stands, so that a generator made anew goes on where the last one was left.
A `Point` is a place with what is known there; ``at`` is where the run is, ``to`` where it looks,
``best`` the lowest one under the loss in force.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from csvor._solvers.line import LINE, search_line
from csvor._utils.compile import compiled

# Set ``to`` from its theta; begin a line from ``at`` along ``step``; set ``slopes`` at its place
# ``line[2]``; set ``step`` and ``run.solved`` from at; set ``run.quantile`` from ``run.level``
# where the last look was.
EVALUATE, BEGIN, SLOPE, STEP, QUANTILE = 1, 2, 3, 4, 5

# Less than this share of the objective cannot be told from rounding.
ROUNDING = 1e-14
# Less than this share is nothing even where all that is left is the samples that are cut away.
NOTHING = 1e-20

# Why a run is over: not yet, by tol, or since no model has a minimum.
GOING, ENDED, FAILED = 0, 1, 2

# ``parts``: the objective less its constant, the same of the smoothed loss that gradient and
# Hessian belong to, the constant (what the rows that are cut away add, which can be so large that
# it hides the rest), and the cap in force, as (below, cap, tied).
Point = namedtuple("Point", "theta gradient hessian parts")
ACTIVE, SMOOTHED, CUT_COST, CAP = 0, 1, 2, 3

# Of a stage, a row of numbers as `_loss.schedule.Stage` names them.
LEVEL = 1
_NUMBERS = (
    "p epsilon delta trim damping first_damping damping_factor least_damping level quantile"
    " tol kink corner"
)
_COUNTS = "stage waited n until fixed_from fixed ended lowered went_back bound warm solved warmup"
RUN = np.dtype([(f, "f8") for f in _NUMBERS.split()] + [(c, "i8") for c in _COUNTS.split()])


State = namedtuple("State", "run at to best step line slopes stages history")


def make_state(  # type: ignore[no-untyped-def]
    theta, stages, max_iter: int, holds_hessian: bool = True, **run: float
) -> State:
    """A run that begins at theta; ``run`` sets fields of `RUN`.

    Points whose Hessian is not held, since it is too large, have one of no size.
    """
    size = theta.size
    at, to, best = (_make_point(theta, size if holds_hessian else 0) for _ in range(3))
    state = State(
        np.zeros(1, RUN), at, to, best, np.zeros(size), LINE.copy(), np.zeros(2), stages,
        np.empty(max_iter),
    )  # fmt: skip
    for name, value in run.items():
        state.run[name] = value
    return state


def _make_point(theta, order: int) -> Point:  # type: ignore[no-untyped-def]
    parts = np.array([np.inf, np.inf, 0.0, np.inf, np.inf, 1.0])
    return Point(theta.copy(), np.zeros(theta.size), np.zeros((order, order)), parts)


@compiled()
def copy_point(one, other):
    size = one.theta.size
    for i in range(size):
        other.theta[i], other.gradient[i] = one.theta[i], one.gradient[i]
    for i in range(one.hessian.shape[0]):
        for j in range(size):
            other.hessian[i, j] = one.hessian[i, j]
    _copy(one.parts, other.parts)


@compiled()
def _copy(one, other):
    for i in range(one.size):
        other[i] = one[i]


@compiled()
def _keep(best, at):
    _copy(at.theta, best.theta)
    _copy(at.parts, best.parts)


@compiled()
def _towards(to, at, t, step):
    for i in range(step.size):
        to.theta[i] = at.theta[i] + t * step[i]
    _copy(at.parts, to.parts)


@compiled()
def _decrease(at, to, part):
    return (at.parts[part] - to.parts[part]) + (at.parts[CUT_COST] - to.parts[CUT_COST])


@compiled()
def closing_cap(quantile, p, epsilon):
    """The cap at a quantile of g, but at least epsilon.

    A hair above, so that rounding does not decide on the row whose residual it is.
    """
    return max(quantile ** (0.5 * p) * (1.0 + 1e-9), epsilon)


@compiled(keep=False)
def iterate(run, at, to, best, step, line, slopes, stages, history):
    """Re-weighting: minimise ``h(x) + sum_i c_i v(g_i(x))`` with concave v of several stages.

    With a supergradient ``D_i`` of v at g_i, the surrogate ``h + sum c_i D_i g_i`` touches the
    objective and lies above it: what lowers the one lowers the other. Each iteration takes one
    Newton step; ``run.damping`` is the share of v's curvature that is left out of the model: 1 is
    the surrogate, 0 Newton's model. Once the loss is fixed, it falls as far as steps prove good.
    A step that does not lower the objective enough is cut to the least value of the surrogate on
    its line, which always does. Trimming fits in: the rows that are cut are the worst at hand, and
    cutting the worst again lowers the objective once more.
    """
    bound, warm = run[0].bound == 1, run[0].warm == 1
    if run[0].n == 0:
        _towards(to, at, 0.0, step)
        yield EVALUATE
        copy_point(to, at)
        _keep(best, at)
    while run[0].n < run[0].until and run[0].ended == GOING:
        active = at.parts[ACTIVE]
        share_of = active + at.parts[CUT_COST] if bound else active
        enough = max(run[0].tol, ROUNDING) * share_of if warm and run[0].fixed == 1 else 0.0
        yield STEP
        # Below p = 1 the curvature of rows near a kink is huge and cancels but for rounding: more
        # of the surrogate where the model has no minimum.
        lift, damping = 1e-6, run[0].damping
        while run[0].solved == 0 and lift <= 1.0:
            run[0].damping = lift
            _towards(to, at, 0.0, step)
            yield EVALUATE
            copy_point(to, at)
            yield STEP
            lift = 1.0 if lift < 1.0 else 2.0
        run[0].damping = damping
        if run[0].solved == 0:
            run[0].ended = FAILED
            break
        predicted_decrease = 0.0
        for i in range(step.size):
            predicted_decrease -= at.gradient[i] * step[i]
        moved = predicted_decrease > enough
        if moved:
            damping = max(run[0].damping_factor * run[0].damping, run[0].least_damping)
            run[0].damping = damping if run[0].fixed == 1 and not bound else 1.0
            _towards(to, at, 1.0, step)
            yield EVALUATE
            good = bound or _decrease(at, to, SMOOTHED) >= 1e-4 * predicted_decrease
            if not good and warm:  # where the objective has many small bends
                t = 0.5
                while not good and t > 0.1:
                    _towards(to, at, t, step)
                    run[0].damping = run[0].first_damping
                    yield EVALUATE
                    good = _decrease(at, to, SMOOTHED) >= 0.1 * t * predicted_decrease
                    t *= 0.5
            if not good:
                _copy(LINE, line)
                yield BEGIN
                yield SLOPE
                while not search_line(line, slopes[0], slopes[1]):
                    yield SLOPE
                run[0].damping = 1.0
                if line[2] < 1.0 or warm:
                    _towards(to, at, line[2], step)
                    yield EVALUATE
        actual_decrease = _decrease(at, to, ACTIVE) if moved else 0.0
        lowered = not moved or _decrease(at, to, SMOOTHED) >= -ROUNDING * active
        run[0].lowered = 1 if lowered else 0
        if moved and lowered:
            copy_point(to, at)
            if _decrease(best, at, ACTIVE) > 0.0:
                _keep(best, at)
        history[run[0].n] = best.parts[ACTIVE] + best.parts[CUT_COST]
        run[0].n += 1
        # The next loss, and whether the run is over.
        active = at.parts[ACTIVE]
        value = active + at.parts[CUT_COST]
        least = max(run[0].tol, ROUNDING) * (value if bound else active)
        least = max(least, NOTHING * value)
        run[0].waited += 1
        if run[0].stage <= run[0].warmup and not bound:
            early = max(stages[run[0].stage, 5], run[0].tol)
            patience = stages[run[0].stage, 6]
            if actual_decrease <= max(early * active, NOTHING * value) or run[0].waited >= patience:
                run[0].stage, run[0].waited = run[0].stage + 1, 0
        else:
            run[0].stage, run[0].waited = run[0].stage + 1, 0
        stage = stages[min(run[0].stage, stages.shape[0] - 1)]
        p, level, epsilon, delta, trim = stage[0], stage[1], stage[2], stage[3], stage[4]
        if level < 1.0:
            if not lowered:
                _towards(to, at, 0.0, step)
                yield EVALUATE
            run[0].level = level
            yield QUANTILE
            epsilon = closing_cap(run[0].quantile, p, epsilon)
        comparable = p == run[0].p and epsilon == run[0].epsilon and trim == run[0].trim
        same = comparable and delta == run[0].delta
        run[0].fixed = 1 if same and run[0].stage > run[0].warmup else 0
        slack = 3.0 if warm else 1.0  # Newton's next step would promise a part of this one
        small = actual_decrease <= least and (predicted_decrease <= slack * least or bound)
        if run[0].fixed == 1 and (small or not lowered):
            run[0].ended = ENDED
        if run[0].ended == ENDED and _decrease(at, best, ACTIVE) > least and run[0].went_back == 0:
            # What an earlier stage passed by is lower than the end: on from there.
            _towards(to, best, 0.0, step)
            run[0].damping, run[0].went_back, run[0].ended = run[0].first_damping, 1, GOING
            yield EVALUATE
            copy_point(to, at)
        if not same:
            run[0].p, run[0].epsilon, run[0].delta, run[0].trim = p, epsilon, delta, trim
            run[0].fixed_from, run[0].damping = run[0].n, run[0].first_damping
            _towards(to, at, 0.0, step)
            yield EVALUATE
            copy_point(to, at)
            if not comparable or trim == 0.0 or _decrease(best, at, ACTIVE) > 0.0:
                _keep(best, at)


@compiled(keep=False)
def newton(run, at, to, best, step, line, slopes, stages, history):
    """Newton's method for a convex problem, each step to the least value on its line.

    ``run.damping`` is the share of the parabolas above the kinks that stand for the curvature that
    they have not: less of it after full steps, more after short ones. The end is reached by a step
    that promises less than tol of the value.
    """
    if run[0].n == 0:
        _towards(to, at, 0.0, step)
        yield EVALUATE
        copy_point(to, at)
    while run[0].n < run[0].until and run[0].ended == GOING:
        yield STEP
        if run[0].solved == 0:
            run[0].ended = FAILED
            break
        predicted_decrease = 0.0
        for i in range(step.size):
            predicted_decrease -= at.gradient[i] * step[i]
        if 0.5 * predicted_decrease <= max(run[0].tol, ROUNDING) * abs(at.parts[ACTIVE]):
            run[0].ended = ENDED
            break
        _copy(LINE, line)
        yield BEGIN
        yield SLOPE
        while not search_line(line, slopes[0], slopes[1]):
            yield SLOPE
        _towards(to, at, line[2], step)
        run[0].damping = 0.1 * run[0].damping if line[2] > 0.9 else min(4.0 * run[0].damping, 1.0)
        yield EVALUATE
        copy_point(to, at)
        history[run[0].n] = at.parts[ACTIVE]
        run[0].n += 1
    _keep(best, at)


# The same, to be driven from Python.
DRIVEN = {"reweight": compiled()(iterate.py_func), "newton": compiled()(newton.py_func)}
