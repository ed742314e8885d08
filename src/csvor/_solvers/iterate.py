"""The iterations, stated once: compiled generators that ask for what only the rows can tell.

They know requests, not rows. Where rows are few the requests are answered in compiled code; where
they are many, or lie elsewhere, the same generators are driven from Python.
"""

from __future__ import annotations

from csvor._solvers.accept import (
    NEW_DELTA,
    NEW_LOSS,
    NO_CHANGE,
    accept,
    go_on,
    least_decrease,
    least_worth_a_step,
    next_stage,
    predicted_decrease_of,
    try_whole_step,
)
from csvor._solvers.line import LINE, search_line
from csvor._solvers.state import (
    ACTIVE,
    BEGIN,
    ENDED,
    EVALUATE,
    FAILED,
    GOING,
    LEVEL,
    QUANTILE,
    ROUNDING,
    SLOPE,
    SMOOTHED,
    STEP,
    copy_point,
    copy_values,
    decrease_of,
    keep_best,
    step_towards,
)
from csvor._utils.compile import compiled


@compiled()
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
    if run[0].n == 0:
        step_towards(to, at, 0.0, step)
        yield EVALUATE
        copy_point(to, at)
        keep_best(best, at)
    while run[0].n < run[0].until and run[0].ended == GOING:
        active, enough = at.parts[ACTIVE], least_worth_a_step(run, at)
        yield STEP
        # Below p = 1 the curvature of rows near a kink is huge and cancels but for rounding: more
        # of the surrogate where the model has no minimum.
        lift, damping = 1e-6, run[0].damping
        while run[0].solved == 0 and lift <= 1.0:
            run[0].damping = lift
            step_towards(to, at, 0.0, step)
            yield EVALUATE
            copy_point(to, at)
            yield STEP
            lift = 1.0 if lift < 1.0 else 2.0
        run[0].damping = damping
        if run[0].solved == 0:
            run[0].ended = FAILED
            break
        predicted_decrease = predicted_decrease_of(at, step)
        moved = predicted_decrease > enough
        if moved:
            try_whole_step(run, at, to, step)
            yield EVALUATE
            good = run[0].bound == 1 or decrease_of(at, to, SMOOTHED) >= 1e-4 * predicted_decrease
            t = 0.5
            while not good and run[0].warm == 1 and t > 0.1:  # over many small bends
                step_towards(to, at, t, step)
                run[0].damping = run[0].first_damping
                yield EVALUATE
                good = decrease_of(at, to, SMOOTHED) >= 0.1 * t * predicted_decrease
                t *= 0.5
            if not good:
                copy_values(LINE, line)
                yield BEGIN
                yield SLOPE
                while not search_line(line, slopes[0], slopes[1]):
                    yield SLOPE
                run[0].damping = 1.0
                if line[2] < 1.0 or run[0].warm == 1:
                    step_towards(to, at, line[2], step)
                    yield EVALUATE
        decrease, least = accept(run, at, to, best, history, moved, active), least_decrease(run, at)
        stage = stages[next_stage(run, at, stages, decrease)]
        if stage[LEVEL] < 1.0:
            if run[0].lowered == 0:
                step_towards(to, at, 0.0, step)
                yield EVALUATE
            run[0].level = stage[LEVEL]
            yield QUANTILE
        change = go_on(run, at, to, best, step, stage, decrease, predicted_decrease, least)
        if change != NO_CHANGE:
            yield EVALUATE
            copy_point(to, at)
            if change == NEW_LOSS or (change == NEW_DELTA and decrease_of(best, at, ACTIVE) > 0.0):
                keep_best(best, at)


@compiled()
def newton(run, at, to, best, step, line, slopes, stages, history):
    """Newton's method for a convex problem, each step to the least value on its line.

    ``run.damping`` is the share of the parabolas above the kinks that stand for the curvature that
    they have not: less of it after full steps, more after short ones. The end is reached by a step
    that promises less than tol of the value.
    """
    if run[0].n == 0:
        step_towards(to, at, 0.0, step)
        yield EVALUATE
        copy_point(to, at)
    while run[0].n < run[0].until and run[0].ended == GOING:
        yield STEP
        if run[0].solved == 0:
            run[0].ended = FAILED
            break
        predicted_decrease = predicted_decrease_of(at, step)
        if 0.5 * predicted_decrease <= max(run[0].tol, ROUNDING) * abs(at.parts[ACTIVE]):
            run[0].ended = ENDED
            break
        copy_values(LINE, line)
        yield BEGIN
        yield SLOPE
        while not search_line(line, slopes[0], slopes[1]):
            yield SLOPE
        step_towards(to, at, line[2], step)
        run[0].damping = 0.1 * run[0].damping if line[2] > 0.9 else min(4.0 * run[0].damping, 1.0)
        yield EVALUATE
        copy_point(to, at)
        history[run[0].n] = at.parts[ACTIVE]
        run[0].n += 1
    keep_best(best, at)


POLICIES = {"reweight": iterate, "newton": newton}
