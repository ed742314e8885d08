"""A convex quadratic program by Clarabel, with its failures reported."""

from __future__ import annotations

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from csvor._solvers.solution import Solution, Status

Array = NDArray[np.float64]

_ENDS = {
    "Solved": Status.OPTIMAL,
    "AlmostSolved": Status.INEXACT,
    "MaxIterations": Status.MAX_ITER,
}


def solve_program(
    P: sparse.csc_matrix,
    q: Array,
    A: sparse.csc_matrix,
    b: Array,
    n_equal: int = 0,
    *,
    tol: float,
    max_iter: int,
) -> Solution:
    """Minimise ``1/2 x'Px + q'x`` over ``Ax <= b``; P is positive semi-definite.

    Parameters
    ----------
    P, A : sparse matrices of shape (n, n) and (m, n)
    q, b : ndarrays of shape (n,) and (m,)
    n_equal : int, default=0
        So many first rows of A hold with equality.
    tol : float
        Gap between primal and dual objective, relative and absolute, and infeasibility.
    max_iter : int

    Returns
    -------
    solution : Solution
        ``point`` is x; ``history`` holds the primal objective at the end.

    Raises
    ------
    RuntimeError
        If the solver ends without a solution, with its own word for why.
    """
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = max(tol, 1e-10)
    settings.max_iter = max_iter
    settings.max_threads = 1
    cones = [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(b.size - n_equal)]
    # Costs of 1e10 look like an infeasible program to the solver.
    scale = np.abs(q).max() or 1.0
    upper = sparse.triu(P / scale, format="csc")
    found = clarabel.DefaultSolver(upper, q / scale, A.tocsc(), b, cones, settings).solve()
    status = _ENDS.get(str(found.status))
    if status is None:
        raise RuntimeError(
            f"The quadratic program was not solved ({found.status}). "
            "Scale the features, or use a smaller C."
        )
    objective = scale * found.obj_val
    return Solution(
        np.asarray(found.x), None, objective, [objective], 0, status, int(found.iterations)
    )
