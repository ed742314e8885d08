"""What does a run of iterations hold, and what can it ask for?

``run`` holds where a run stands, so that a generator made anew goes on where the last one was left.
A `Point` is a place with what is known there; ``at`` is where the run is, ``to`` where it looks,
``best`` the lowest one under the loss in force.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from csvor._solvers.line import LINE
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
POWER, LEVEL, EPSILON, DELTA, TRIM, LEAST_FALL, PATIENCE = range(7)
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
    copy_values(one.parts, other.parts)


@compiled()
def copy_values(one, other):
    for i in range(one.size):
        other[i] = one[i]


@compiled()
def keep_best(best, at):
    copy_values(at.theta, best.theta)
    copy_values(at.parts, best.parts)


@compiled()
def step_towards(to, at, t, step):
    for i in range(step.size):
        to.theta[i] = at.theta[i] + t * step[i]
    copy_values(at.parts, to.parts)


@compiled()
def decrease_of(at, to, part):
    return (at.parts[part] - to.parts[part]) + (at.parts[CUT_COST] - to.parts[CUT_COST])


@compiled()
def closing_cap(quantile, p, epsilon):
    """The cap at a quantile of g, but at least epsilon.

    A hair above, so that rounding does not decide on the row whose residual it is.
    """
    return max(quantile ** (0.5 * p) * (1.0 + 1e-9), epsilon)
