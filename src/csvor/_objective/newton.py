"""Where is Newton's model least: told by its matrix, by one of the rows, or by its products?

The curvature is ``R + sum_i c_i z_i z_i'`` in w, a sum over the rows that have any, and what it
shares with the few thresholds. A system in w has the size of the columns, one in the multipliers
that of these rows: ``(R + Z' W Z)^-1`` follows from ``(1 + W^1/2 Z R^-1 Z' W^1/2)^-1`` (Woodbury).
Where there are too many columns for a matrix, conjugate gradients ask for its products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from csvor._loss.dual_sets import ProjectionJacobian
from csvor._objective.balance import from_thresholds
from csvor._rows.gram import Gram
from csvor._rows.product_rows import HessianTerms
from csvor._solvers.conjugate import BorderedModel, find_conjugate_step
from csvor._solvers.step import IndefiniteError, find_step

Array = NDArray[np.float64]

# A row whose curvature is less than this share of its pairs' has none in w.
_NONE = 1e-12
# What the curvature by a threshold is at least, as a share of that of all rows.
_LIFT = 1e-6
# Conjugate gradients end after so many products (found by trial).
_MOST = 500


@dataclass(frozen=True, eq=False)
class Curvature(HessianTerms):
    """``reduced_bb`` remains of ``hess_bb`` where the score of each row follows the thresholds."""

    reduced_bb: Array


def curvature(
    jacobian: ProjectionJacobian, side: Array, k: NDArray[np.intp], m: int, rate: float
) -> Curvature:
    """From that of the pairs, of slack argument ``1 + side (b_k - f)``; a side of 0 does not count.

    ``rate`` is the sum of those of all samples.
    """
    towards = side * jacobian.towards
    n_on, total = jacobian.on.sum(axis=0), towards.sum(axis=0)
    spare = n_on - total**2  # what a row's features are multiplied with twice, by its factor
    bends = spare > _NONE * n_on
    hess_ff = np.where(bends, jacobian.factor * spare, 0.0)
    on, pull = np.zeros((2, m, total.size))
    each = np.arange(total.size)
    for j in range(k.shape[0]):  # a pair of its own threshold; one that does not count adds 0
        on[k[j], each] += jacobian.on[j]
        pull[k[j], each] += towards[j]
    bent = jacobian.factor * pull
    hess_bb = -bent @ pull.T
    hess_bb[range(m), range(m)] += on @ jacobian.factor
    hess_fb = jacobian.factor * on - bent * total
    # A row's score follows its thresholds when all move alike: what is left is known by what
    # it has off the diagonal, where a row on one kink has nothing.
    of_row = np.where(bends, jacobian.factor / np.where(bends, spare, 1.0), 0.0)
    turned = pull * total
    reduced_bb = -(of_row * (on - turned)) @ (on - turned).T - bent @ pull.T
    np.fill_diagonal(reduced_bb, 0.0)
    reduced_bb[range(m), range(m)] = -reduced_bb.sum(axis=0)
    # A threshold that is pulled where nothing bends has far to go: the line is searched.
    lift = np.maximum(_LIFT * rate - hess_bb.diagonal(), 0.0)
    hess_bb[range(m), range(m)] += lift
    reduced_bb[range(m), range(m)] += lift
    return Curvature(jacobian.samples, hess_ff, hess_fb, hess_bb, reduced_bb)


def newton_step(
    at: HessianTerms,
    products: Any,
    ridge: Array,
    ridge_of_b: float,
    theta: Array,
    gradient: Array,
    precision: float,
) -> Array:
    """The step to the least of the model, with all gaps between thresholds not negative.

    Conjugate gradients end when what is left of the gradient is at most the share ``precision``.
    """
    n_bounded = at.hess_fb.shape[0] - 1
    if ridge.size <= products.most_columns:
        return find_step(by_columns(at, products, ridge, ridge_of_b), gradient, theta, n_bounded)
    weights = products.scatter(at.samples, at.hess_ff)
    squares, cross = products.sandwich_diagonal(weights, products.scatter(at.samples, at.hess_fb))

    def times(v: Array) -> Array:
        return ridge * v + products.sandwich_matvec(weights, v)

    border = _by_gaps(at.hess_bb, ridge_of_b)
    model = BorderedModel(times, ridge + squares, -from_thresholds(cross.T).T, border)
    return find_conjugate_step(model, gradient, theta, n_bounded, precision, _MOST)


def by_columns(at: HessianTerms, products: Any, ridge: Array, ridge_of_b: float) -> Array:
    """The Hessian by theta."""
    d, m = ridge.size, at.hess_bb.shape[0]
    hess_ww, cross = products.sandwich(at.samples, at.hess_ff, at.hess_fb)
    H = np.empty((d + m, d + m))
    H[:d, :d] = hess_ww
    H[range(d), range(d)] += ridge
    H[:d, d:] = -from_thresholds(cross.T).T
    H[d:, :d] = H[:d, d:].T
    H[d:, d:] = _by_gaps(at.hess_bb, ridge_of_b)
    return H


def step_by_rows(
    at: Curvature,
    gram: Gram,
    products: Any,
    ridge: Array,
    ridge_of_b: float,
    theta: Array,
    gradient: Array,
    n_bounded: int,
) -> Array | None:
    """Newton's step from a system in the rows; None where rounding has made it indefinite."""
    d, has_curvature = ridge.size, at.hess_ff > 0.0
    rows, root = at.samples[has_curvature], np.sqrt(at.hess_ff[has_curvature])
    along = at.hess_fb[:, has_curvature] / root
    pulled = root * products.matvec_rows(rows, gradient[:d] / ridge)
    solved = np.column_stack([pulled, along.T])
    if rows.size:  # LAPACK refuses none
        lower, failed = dpotrf(gram.system(rows, root), lower=True, clean=False, overwrite_a=True)
        if failed:
            return None
        solved = dpotrs(lower, solved, lower=True)[0]
    # What is left for the thresholds, w following them.
    reduced_bb = at.reduced_bb + along @ solved[:, 1:]
    pull = gradient[d:] + from_thresholds(along @ solved[:, 0])
    step = np.empty_like(theta)
    try:
        step[d:] = find_step(_by_gaps(reduced_bb, ridge_of_b), pull, theta[d:], n_bounded)
    except IndefiniteError:
        return None
    change = root * (solved[:, 0] + solved[:, 1:] @ step[d:].cumsum())
    step[:d] = (products.transpose_matvec_rows(rows, change) - gradient[:d]) / ridge
    return step


def _by_gaps(hess_bb: Array, ridge_of_b: float) -> Array:
    bends = from_thresholds(from_thresholds(hess_bb).T)
    if ridge_of_b > 0.0:  # it holds the gaps alone; rounding must not hold the first threshold
        m = hess_bb.shape[0]
        after = m - np.arange(1.0, m)
        bends[1:, 1:] += ridge_of_b * (np.minimum.outer(after, after) - np.outer(after, after) / m)
    return bends
