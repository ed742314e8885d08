"""By how many classes does a rater label higher than the others, and how sure is that?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from csvor._mixture.rater_model import RaterModel, rater_covariances
from csvor._mixture.rater_tables import CARELESS, SHIFT, SLOPE, Scale, looking_tables

Array = NDArray[np.float64]

# Above so many parameters each rater's are taken to be independent of those of the others.
_MOST = 1_000
_STEP = 1e-4
# Draws by which the middle of the raters is found, and where these are many.
_DRAWS, _FEW_DRAWS = 1_000, 100
NORMAL_95 = 1.959964


@dataclass(frozen=True, eq=False)
class RaterFigures:
    """What is said of each rater, arrays of shape (n_raters,) or (n_raters, 2) for intervals."""

    shift: Array
    shift_interval: Array
    careless: Array
    careless_interval: Array
    spread: Array


def rater_figures(model: RaterModel, reference: int | None) -> RaterFigures:
    """Shifts in classes, careless shares and spreads, with intervals of 95 %.

    The label that r gives in the mean over the items, when he is not careless, is

        ``E_r = sum_t P(t) sum_k k P(k | t, r)``

    and his shift is that less the one of the reference: the median of the raters, one of them, or
    where true classes are known ``sum_t P(t) t``.
    """
    expected = _expected(model, model.scale, model.raters)
    covariance, careless = _covariances(model)
    if model.has_truth:
        shift = expected - (model.masses @ model.classes_by(None)) @ np.arange(
            model.scale.n_classes
        )
        spread = np.sqrt(_diagonal(covariance))
    elif reference is not None:
        shift = expected - expected[reference]
        spread = np.sqrt(_of_differences(covariance, reference))
    else:
        shift, spread = _from_the_middle(expected, covariance)
    logit = model.raters[:, CARELESS]
    half, wide = NORMAL_95 * spread, NORMAL_95 * np.sqrt(careless)
    return RaterFigures(
        shift=shift,
        shift_interval=np.column_stack([shift - half, shift + half]),
        careless=np.asarray(expit(logit)),
        careless_interval=np.column_stack([expit(logit - wide), expit(logit + wide)]),
        spread=np.exp(-model.raters[:, SLOPE]),
    )


def _from_the_middle(expected: Array, covariance: Array) -> tuple[Array, Array]:
    """Means and standard deviations of differences from the median, by draws.

    The median of estimates that are shrunk is nearer to their mean than that of the raters is.
    """
    R = expected.size
    draws = np.random.default_rng(0).normal(size=(_DRAWS if covariance.ndim > 1 else _FEW_DRAWS, R))
    draws = np.vstack([draws, -draws])  # whose mean is 0
    if covariance.ndim > 1:
        values, vectors = np.linalg.eigh(covariance)
        draws = draws @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    else:
        draws *= np.sqrt(covariance)
    middle = np.median(expected + draws, axis=1)
    differences = draws - middle[:, None]
    return np.asarray(expected - middle.mean()), np.asarray(differences.std(axis=0))


def _of_differences(covariance: Array, reference: int) -> Array:
    """Variances of differences from one of the raters."""
    variances = _diagonal(covariance)
    both = variances + variances[reference]
    if covariance.ndim > 1:
        both = both - 2.0 * covariance[reference]
    both[reference] = 0.0
    return np.asarray(np.maximum(both, 0.0))


def _diagonal(covariance: Array) -> Array:
    return np.maximum(np.diagonal(covariance) if covariance.ndim > 1 else covariance, 0.0)


def _expected(model: RaterModel, scale: Scale, raters: Array) -> Array:
    """The label that a rater gives in the mean over the items, when he looks."""
    tables = looking_tables(scale, raters)
    return np.einsum("k,rkt,t->r", np.arange(scale.n_classes), tables, model.masses)


def _covariances(model: RaterModel) -> tuple[Array, Array]:
    """Of expected labels, shape (n_raters, n_raters), and variances of logits of careless shares.

    With many raters only the variances of the former, each rater's parameters known but for his.
    """
    scale, raters, problem = model.scale, model.raters, model.problem
    R, size = raters.shape[0], model.theta.size
    by_rater = np.empty_like(raters)
    for a in range(problem.n_of_rater):
        unit = _STEP * np.eye(problem.n_of_rater)[a]
        ends = [_expected(model, scale, raters + sign * unit) for sign in (1.0, -1.0)]
        by_rater[:, a] = (ends[0] - ends[1]) / (2.0 * _STEP)
    if size > _MOST:
        covariances = rater_covariances(problem, model.theta)
        covariances[:, SHIFT, SHIFT] += _of_population(model, covariances[:, SHIFT, SHIFT])
        of_expected = np.einsum("ra,rab,rb->r", by_rater, covariances, by_rater)
        return of_expected, covariances[:, CARELESS, CARELESS]
    slopes = np.zeros((R, size))
    for i in range(problem.n_scale):
        step = _STEP * np.eye(problem.n_scale)[i]
        scales = [problem.scale_of(model.theta[: step.size] + sign * step) for sign in (1.0, -1.0)]
        ends = [_expected(model, its, raters) for its in scales]
        slopes[:, i] = (ends[0] - ends[1]) / (2.0 * _STEP)
    first = problem.n_common + problem.n_of_rater * np.arange(R)
    for a in range(problem.n_of_rater):
        slopes[np.arange(R), first + a] = by_rater[:, a]
    covariance = _covariance(model)
    unsure = _of_population(model, np.diagonal(covariance)[first]) * by_rater[:, SHIFT] ** 2
    return slopes @ covariance @ slopes.T + np.diag(unsure), np.diagonal(covariance)[
        first + CARELESS
    ]


def _of_population(model: RaterModel, variances: Array) -> Array:
    """What the variance of each d gains as mean and variance of all are estimates themselves.

    As Kass and Steffey (1989) have it: squares of derivatives of d by these, times their variances.
    """
    spread = model.population.spread_of_shift
    left = np.clip(variances / spread**2, 0.0, 1.0)
    n = max(float((1.0 - left).sum()) - 1.0, 1.0)
    deviation = model.raters[:, SHIFT] - model.raters[:, SHIFT].mean()
    return left**2 * (spread**2 + 2.0 * deviation**2) / n


def _covariance(model: RaterModel) -> Array:
    """The inverse of the Hessian of the loss, by differences of its gradient."""
    problem, theta = model.problem, model.theta
    size = theta.size
    hessian = np.empty((size, size))
    for i in range(size):
        moved = theta.copy()
        moved[i] += _STEP
        up = problem.loss(moved)[1]
        moved[i] -= 2.0 * _STEP
        hessian[i] = (up - problem.loss(moved)[1]) / (2.0 * _STEP)
    hessian = (hessian + hessian.T) / 2.0
    values, vectors = np.linalg.eigh(hessian)
    least = 1e-2  # no direction is less known than the widest of what is weakly known
    return np.asarray((vectors / np.maximum(values, least)) @ vectors.T)
