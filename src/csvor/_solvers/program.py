"""A convex quadratic program by Clarabel, with its failures reported."""

from __future__ import annotations

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from csvor._solvers.solution import Solution, Status

Array = NDArray[np.float64]

_ENDS = {
    "Solved": Status.CONVERGED,
    "AlmostSolved": Status.CONVERGED,
    "MaxIterations": Status.MAX_ITER,
}


def solve_program(
    P: sparse.csc_matrix, q: Array, A: sparse.csc_matrix, b: Array, *, tol: float, max_iter: int
) -> Solution:
    """Minimise ``1/2 x'Px + q'x`` over ``Ax <= b``; P is positive semi-definite.

    Parameters
    ----------
    P, A : sparse matrices of shape (n, n) and (m, n)
    q, b : ndarrays of shape (n,) and (m,)
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
    cone = [clarabel.NonnegativeConeT(b.size)]
    upper = sparse.triu(P, format="csc")
    found = clarabel.DefaultSolver(upper, q, A.tocsc(), b, cone, settings).solve()
    status = _ENDS.get(str(found.status))
    if status is None:
        raise RuntimeError(
            f"The quadratic program was not solved ({found.status}). "
            "Scale the features, or use a smaller C."
        )
    x = np.asarray(found.x)
    return Solution(x, None, found.obj_val, [found.obj_val], 0, status, int(found.iterations))
