"""The solvers: nothing ordinal beyond "the last coordinates of theta are not negative"."""

from csvor._solvers.newton import minimise_newton
from csvor._solvers.program import solve_program
from csvor._solvers.reweight import Run, descend, reweight
from csvor._solvers.sample import reweight_from_sample
from csvor._solvers.smoothing import follow_smoothing
from csvor._solvers.solution import Solution, Status
from csvor._utils.threads import threads_for

__all__ = [
    "Run",
    "Solution",
    "Status",
    "descend",
    "follow_smoothing",
    "minimise_newton",
    "reweight",
    "reweight_from_sample",
    "solve_program",
    "threads_for",
]
