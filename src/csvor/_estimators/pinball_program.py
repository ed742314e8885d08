"""The quadratic program of pin-SVOR: distances to class centres beside the ordinal hinges.

Zhong et al., "Ordinal Regression With Pinball Loss", IEEE TNNLS 35(8), 2024,
doi 10.1109/TNNLS.2023.3258464. K classes have K + 1 finite boundaries ``b_0 <= ... <= b_K`` and
centres ``m_j = (b_{j-1} + b_j) / 2``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[np.float64]


def pinball_losses(
    scores: Array, codes: NDArray[np.integer], boundaries: Array, tau: float, form: str
) -> Array:
    """The loss of each row, under the paper's constraints or those of the authors' code."""
    low, high = boundaries[codes], boundaries[codes + 1]
    off = scores - 0.5 * (low + high)
    above = np.maximum(scores - (high - 1.0), 0.0)
    below = np.maximum((low + 1.0) - scores, 0.0)
    if form == "code":
        return (1.0 - tau) * (above + below) + tau * np.abs(off)
    upper = np.maximum(tau * off + (1.0 - tau) * above, 0.0)
    lower = np.maximum(-tau * off + (1.0 - tau) * below, 0.0)
    return upper + lower


def pinball_program(
    X: Array,
    ridge: Array,
    codes: NDArray[np.integer],
    n_classes: int,
    *,
    costs: Array,
    spread_cost: float,
    tau: float,
    form: str,
) -> tuple[sparse.csc_matrix, Array, sparse.csc_matrix, Array, int]:
    """P, q, A, b, n of ``1/2 x'Px + q'x`` over ``Ax <= b``, the first n rows with equality.

    x = [w, b_0..b_K, scores, slacks...]: with the scores ``f = Xw`` as variables, X stands in A
    once. ``costs`` are the rows' C, ``spread_cost`` that of ``b_K - b_0``. In the paper's form a
    row has two slacks, each above two of its four terms; in the code's form the terms have one each
    but for the distance to the centre, which takes one slack from both sides.
    """
    n, d = X.shape
    rows = np.arange(n)
    shape = (n, n_classes + 1)
    at_low = sparse.csr_matrix((np.ones(n), (rows, codes)), shape)
    at_high = sparse.csr_matrix((np.ones(n), (rows, codes + 1)), shape)
    centre = 0.5 * (at_low + at_high)
    score = sparse.eye(n, format="csr")
    ones = np.ones(n)
    # Each term t of a row reads  t = on_score * f + on_boundaries . b + constant.
    off = (1.0, -centre, 0.0)
    above = (1.0, -at_high, 1.0)
    below = (-1.0, at_low, 1.0)
    negative_off = (-1.0, centre, 0.0)
    if form == "paper":
        mixed_above = _mix(off, above, tau)
        mixed_below = _mix(negative_off, below, tau)
        terms = [
            (_times(off, tau), 0),
            (_times(negative_off, tau), 1),
            (mixed_above, 0),
            (mixed_below, 1),
        ]
        slack_costs = [costs, costs]
    else:
        terms = [(above, 0), (below, 1), (off, 2), (negative_off, 2)]
        slack_costs = [(1.0 - tau) * costs, (1.0 - tau) * costs, tau * costs]
    n_slacks = len(slack_costs)
    blocks = []
    bounds = []
    for (on_score, on_boundaries, constant), slack in terms:
        columns = [sparse.csr_matrix((n, n))] * n_slacks
        columns[slack] = -sparse.eye(n, format="csr")
        blocks.append([None, on_boundaries, on_score * score, *columns])
        bounds.append(-constant * ones)
    blocks.insert(0, [sparse.csr_matrix(-X), None, score, *[None] * n_slacks])
    nothing = n_slacks * n
    order = sparse.eye(n_classes, n_classes + 1) - sparse.eye(n_classes, n_classes + 1, k=1)
    before = d + n_classes + 1 + n  # the variables that are no slacks
    A = sparse.vstack(
        [
            sparse.bmat(blocks),
            sparse.hstack(
                [
                    sparse.csr_matrix((n_classes, d)),
                    order,
                    sparse.csr_matrix((n_classes, n + nothing)),
                ]
            ),
            sparse.hstack([sparse.csr_matrix((nothing, before)), -sparse.eye(nothing)]),
        ],
        format="csc",
    )
    b = np.concatenate([0.0 * ones, *bounds, np.zeros(n_classes + nothing)])
    width = np.zeros(n_classes + 1)
    width[0], width[-1] = -spread_cost, spread_cost
    q = np.concatenate([np.zeros(d), width, 0.0 * ones, *slack_costs])
    P = sparse.diags(np.concatenate([ridge, np.zeros(before - d + nothing)]), format="csc")
    return P, q, A, b, n


Term = tuple[float, sparse.csr_matrix, float]


def _times(term: Term, factor: float) -> Term:
    return factor * term[0], factor * term[1], factor * term[2]


def _mix(one: Term, other: Term, tau: float) -> Term:
    """``tau * one + (1 - tau) * other``."""
    a, b = _times(one, tau), _times(other, 1.0 - tau)
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]
