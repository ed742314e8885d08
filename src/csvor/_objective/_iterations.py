"""The iterations of re-weighting on few rows, as one call of compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor import _loops
from csvor._losses import CappedPower, CapSchedule
from csvor._solvers import Run
from csvor._solvers.reweight import EARLY, NOTHING, PATIENCE, ROUNDING

Array = NDArray[np.float64]


def iterate(
    rows: tuple[Any, ...],
    implicit: bool,
    ridge: Array,
    schedule: CapSchedule,
    run: Run,
    tol: float,
    n_most: int,
) -> int:
    """Up to ``n_most`` iterations of `_solvers.descend`; what ended them, as `_loops` says it."""
    damping = run.damping
    limits = (tol, ROUNDING, NOTHING, EARLY, float(PATIENCE), damping.factor, damping.least)
    loss = (run.loss.p, run.loss.epsilon, run.loss.delta)
    state = np.array([*loss, run.stage, run.waited, damping.share, run.fixed, 1.0, 0.0, -1.0])
    point, best, history = run.point.copy(), run.best.copy(), np.empty(n_most)
    outcome = _loops.descend(
        rows,
        implicit,
        ridge,
        schedule.importance,
        schedule.stages,
        float(schedule.warmup),
        schedule.floor,
        limits,
        point,
        best,
        state,
        history,
    )
    p, epsilon, delta, stage, waited, share, fixed, lowered, done, changed = state.tolist()
    if changed >= 0:
        run.loss, run.fixed_from = CappedPower(p, epsilon, delta), len(run.history) + int(changed)
    run.point, run.best, damping.share = point, best, share
    run.stage, run.waited, run.fixed, run.lowered = int(stage), int(waited), fixed > 0, lowered > 0
    run.history += history[: int(done)].tolist()
    return int(outcome)
