"""Compiled loops over the rows, for the hinge: what `_objective` states with arrays, in one pass.

Nothing is compiled at import; the compiled code is kept on disk.
"""

from csvor._loops._columns import add_spans
from csvor._loops._rows import add_rows, add_slope, squared_slacks
from csvor._loops._run import ENDED, GOING, STUCK, descend
from csvor._loops._slacks import minimise_slacks
from csvor._loops._steps import LINE, bounded_step, look_along, to_theta, weighted_quantile

__all__ = [
    "ENDED",
    "GOING",
    "LINE",
    "STUCK",
    "add_rows",
    "add_slope",
    "add_spans",
    "bounded_step",
    "descend",
    "look_along",
    "minimise_slacks",
    "squared_slacks",
    "to_theta",
    "weighted_quantile",
]
