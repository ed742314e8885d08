"""By how many classes does a rater label higher than the others, and how sure is that?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from csvor._mixture.rater_model import RaterModel, rater_covariances
from csvor._mixture.rater_tables import N_OF_RATER, Scale, label_tables

Array = NDArray[np.float64]

# Above so many parameters each rater's are taken to be independent of those of the others.
_MOST = 700
_STEP = 1e-4
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

        ``sum_t P(t) sum_k k P(k | t, r)``

    and his shift is that less the one of the reference: the median of the raters, one of them, or
    where true classes are known ``sum_t P(t) t``.
    """
    by_raters, by_common = _shift_slopes(model, reference)
    variances, careless = _variances(model, reference, by_raters, by_common)
    shift = _shifts(model, model.scale, model.raters, reference)
    half = NORMAL_95 * np.sqrt(variances)
    logit = model.raters[:, 2]
    wide = NORMAL_95 * np.sqrt(careless)
    return RaterFigures(
        shift=shift,
        shift_interval=np.column_stack([shift - half, shift + half]),
        careless=np.asarray(expit(logit)),
        careless_interval=np.column_stack([expit(logit - wide), expit(logit + wide)]),
        spread=np.exp(-model.raters[:, 1]),
    )


def _expected(model: RaterModel, scale: Scale, raters: Array) -> Array:
    """The label that a rater gives in the mean over the items, when he looks."""
    looking = raters.copy()
    looking[:, 2] = -np.inf
    tables = label_tables(scale, looking)
    return np.einsum("k,rkt,t->r", np.arange(scale.values.size), tables, model.masses)


def _shifts(model: RaterModel, scale: Scale, raters: Array, reference: int | None) -> Array:
    expected = _expected(model, scale, raters)
    if model.has_truth:
        return expected - model.masses @ np.arange(scale.values.size)
    if reference is not None:
        return expected - expected[reference]
    return np.asarray(expected - np.median(expected))


def _shift_slopes(model: RaterModel, reference: int | None) -> tuple[Array, Array]:
    """Derivatives of what each labels, by his d and log s, and of shifts by what all share.

    Shapes (n_raters, 3) and (n_raters, n_scale).
    """
    scale, raters = model.scale, model.raters
    by_rater = np.zeros((raters.shape[0], N_OF_RATER))
    for a in range(2):
        unit = _STEP * np.eye(N_OF_RATER)[a]
        up, down = (_expected(model, scale, raters + sign * unit) for sign in (1.0, -1.0))
        by_rater[:, a] = (up - down) / (2.0 * _STEP)
    part = model.theta[: model.problem.n_scale]
    common = np.empty((raters.shape[0], part.size))
    for i in range(part.size):
        ends = []
        for sign in (1.0, -1.0):
            moved = part.copy()
            moved[i] += sign * _STEP
            ends.append(_shifts(model, Scale(moved, scale.values.size), raters, reference))
        common[:, i] = (ends[0] - ends[1]) / (2.0 * _STEP)
    return by_rater, common


def _variances(
    model: RaterModel, reference: int | None, by_rater: Array, common: Array
) -> tuple[Array, Array]:
    """Of the shifts and of the logits of careless shares."""
    R, size = by_rater.shape[0], model.theta.size
    if size > _MOST:
        covariances = rater_covariances(model.problem, model.theta)
        shifts = np.einsum("ra,rab,rb->r", by_rater, covariances, by_rater)
        if reference is not None and not model.has_truth:
            shifts += shifts[reference]
            shifts[reference] = 0.0
        return shifts, covariances[:, 2, 2]
    slopes = np.zeros((R, size))
    slopes[:, : common.shape[1]] = common
    at = model.problem.n_common + N_OF_RATER * np.arange(R)
    for a in range(2):
        slopes[np.arange(R), at + a] += by_rater[:, a]
        if reference is not None and not model.has_truth:
            slopes[:, at[reference] + a] -= by_rater[reference, a]
        elif not model.has_truth:
            slopes[:, at + a] -= by_rater[:, a] / R  # the middle moves with all
    covariance = _covariance(model)
    shifts = np.einsum("ri,ij,rj->r", slopes, covariance, slopes)
    return np.maximum(shifts, 0.0), np.diagonal(covariance)[at + 2]


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
