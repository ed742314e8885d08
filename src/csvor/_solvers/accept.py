"""Which point does an iteration accept, and under which loss does the run go on?"""

from __future__ import annotations

from csvor._solvers.state import (
    ACTIVE,
    CUT_COST,
    DELTA,
    ENDED,
    EPSILON,
    GOING,
    LEAST_FALL,
    LEVEL,
    NOTHING,
    PATIENCE,
    POWER,
    ROUNDING,
    SMOOTHED,
    TRIM,
    closing_cap,
    copy_point,
    decrease_of,
    keep_best,
    step_towards,
)
from csvor._utils.compile import compiled

# What is new where an iteration ends: the smoothing under a trimmed loss, whose lowest point counts
# on, another loss, or the place.
NO_CHANGE, NEW_DELTA, NEW_LOSS, GO_BACK = 0, 1, 2, 3


@compiled()
def predicted_decrease_of(at, step):
    """What the gradient lets expect of a step."""
    decrease = 0.0
    for i in range(step.size):
        decrease -= at.gradient[i] * step[i]
    return decrease


@compiled()
def least_worth_a_step(run, at):
    """The decrease below which a step is not worth its while."""
    if run[0].warm == 0 or run[0].fixed == 0:
        return 0.0
    share_of = at.parts[ACTIVE]
    if run[0].bound == 1:
        share_of += at.parts[CUT_COST]
    return max(run[0].tol, ROUNDING) * share_of


@compiled()
def try_whole_step(run, at, to, step):
    """With less damping after each step under the loss that counts."""
    damping = max(run[0].damping_factor * run[0].damping, run[0].least_damping)
    run[0].damping = damping if run[0].fixed == 1 and run[0].bound == 0 else 1.0
    step_towards(to, at, 1.0, step)


@compiled()
def accept(run, at, to, best, history, moved, active):
    """Go where the trial is, if that is lower, and note the iteration; its actual decrease."""
    decrease = decrease_of(at, to, ACTIVE) if moved else 0.0
    lowered = not moved or decrease_of(at, to, SMOOTHED) >= -ROUNDING * active
    run[0].lowered = 1 if lowered else 0
    if moved and lowered:
        copy_point(to, at)
        if decrease_of(best, at, ACTIVE) > 0.0:
            keep_best(best, at)
    history[run[0].n] = best.parts[ACTIVE] + best.parts[CUT_COST]
    run[0].n += 1
    return decrease


@compiled()
def least_decrease(run, at):
    """The decrease that is as good as none."""
    active = at.parts[ACTIVE]
    value = active + at.parts[CUT_COST]
    least = max(run[0].tol, ROUNDING) * (value if run[0].bound == 1 else active)
    return max(least, NOTHING * value)


@compiled()
def next_stage(run, at, stages, decrease):
    """Go to the next stage, if this one is over; the row of the one in force."""
    active = at.parts[ACTIVE]
    value = active + at.parts[CUT_COST]
    run[0].waited += 1
    is_over = True
    if run[0].stage <= run[0].warmup and run[0].bound == 0:
        early = max(stages[run[0].stage, LEAST_FALL], run[0].tol)
        patience = stages[run[0].stage, PATIENCE]
        is_over = decrease <= max(early * active, NOTHING * value) or run[0].waited >= patience
    if is_over:
        run[0].stage, run[0].waited = run[0].stage + 1, 0
    return min(run[0].stage, stages.shape[0] - 1)


@compiled()
def go_on(run, at, to, best, step, stage, decrease, predicted_decrease, least):
    """Set whether the run is over, or under which loss and from where it goes on.

    Returns what an evaluation of ``to`` is for, if one is needed.
    """
    epsilon = stage[EPSILON]
    if stage[LEVEL] < 1.0:
        epsilon = closing_cap(run[0].quantile, stage[POWER], epsilon)
    comparable = stage[POWER] == run[0].p and epsilon == run[0].epsilon
    comparable = comparable and stage[TRIM] == run[0].trim
    same = comparable and stage[DELTA] == run[0].delta
    run[0].fixed = 1 if same and run[0].stage > run[0].warmup else 0
    slack = 3.0 if run[0].warm == 1 else 1.0  # Newton's next step would promise a part of this one
    small = decrease <= least and (predicted_decrease <= slack * least or run[0].bound == 1)
    if run[0].fixed == 1 and (small or run[0].lowered == 0):
        run[0].ended = ENDED
    if run[0].ended == ENDED and decrease_of(at, best, ACTIVE) > least and run[0].went_back == 0:
        # What an earlier stage passed by is lower than the end: on from there.
        step_towards(to, best, 0.0, step)
        run[0].damping, run[0].went_back, run[0].ended = run[0].first_damping, 1, GOING
        return GO_BACK
    if same:
        return NO_CHANGE
    run[0].p, run[0].epsilon = stage[POWER], epsilon
    run[0].delta, run[0].trim = stage[DELTA], stage[TRIM]
    run[0].fixed_from, run[0].damping = run[0].n, run[0].first_damping
    step_towards(to, at, 0.0, step)
    return NEW_DELTA if comparable and run[0].trim > 0.0 else NEW_LOSS
