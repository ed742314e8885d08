"""The solvers: nothing ordinal beyond "the last coordinates of theta are not negative"."""

from csvor._solvers.alternating import alternate_once
from csvor._solvers.newton import minimise_newton
from csvor._solvers.reweight import reweight
from csvor._solvers.solution import Solution, Status

__all__ = ["Solution", "Status", "alternate_once", "minimise_newton", "reweight"]
