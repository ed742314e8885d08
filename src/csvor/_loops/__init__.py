"""Compiled loops over the rows, for the hinge: what `_objective` states with arrays, in one pass.

Nothing is compiled at import; the compiled code is kept on disk.
"""

from csvor._loops._columns import add_spans
from csvor._loops._rows import add_rows, add_slope, squared_slacks
from csvor._loops._run import ENDED, GOING, STUCK, descend
from csvor._loops._steps import bounded_step, to_theta, weighted_quantile

__all__ = [
    "ENDED",
    "GOING",
    "STUCK",
    "add_rows",
    "add_slope",
    "add_spans",
    "bounded_step",
    "descend",
    "squared_slacks",
    "to_theta",
    "weighted_quantile",
]
