"""What sets the raters of labels apart: how strict, how sharp and how careless is each one?

Effects x of a rater (shift d, log s, log-odds of carelessness) are normal about 0, and how much
they vary among raters is found by empirical Bayes: those with few labels stay near the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from csvor._mixture.channels import Channel
from csvor._mixture.likelihood import RaterEffects, survivals
from csvor._mixture.objective import Problem

Array = NDArray[np.float64]

# Standard deviations of effects among raters, to start from and at the least.
_SPREADS, _LEAST_SPREAD = (1.0, 0.3, 1.0), 0.01
_ROUNDS, _STEPS = 12, 3
# By which derivatives of second order are taken (where labels are confirmed there is a kink at the
# reference's cuts: seen from afar it has a width), and how far one step goes at most.
_DELTA, _FAR = 0.1, 2.0
# Where effects end.
_ENDS = np.array([[8.0], [2.0], [9.0]])


class RatersFit(NamedTuple):
    """A fit with raters.

    Attributes
    ----------
    problem : Problem
        With the effects.
    theta : ndarray
    loss : float
        Penalised, and integrated over the effects (Laplace): comparable with a fit without raters.
    errors : ndarray of shape (3, n_raters)
        Standard errors of the effects: relative to the middle of the raters, or where there is a
        reference each rater's own, his among them.
    """

    problem: Problem
    theta: Array
    loss: float
    errors: Array


def fit_effects(
    problem: Problem, theta: Array, channel: Channel | None, reference: int | None = None
) -> RatersFit:
    """Curves and effects in turn, from `theta`, without effects at first.

    How much the others vary says nothing of the reference, who may be chosen for being unlike them.
    """
    effects = np.zeros((3, problem.n_raters))
    spreads = first = np.tile(_SPREADS, (problem.n_raters, 1)).T
    loss = before = np.inf
    for _ in range(_ROUNDS):
        effects, information = _modes(problem, theta, channel, effects, spreads)
        theta, effects = about_the_middle(theta, effects, problem.q)
        problem = problem.with_effects(RaterEffects(*effects))
        theta, loss = problem.minimise(theta, channel=channel)
        loss += _penalty(effects, information, spreads)
        variances = _variances(information, spreads)
        spread = np.sqrt((effects**2 + variances).mean(axis=1, keepdims=True))
        spreads = np.maximum(spread, _LEAST_SPREAD) + 0.0 * first
        if reference is not None:
            spreads[:, reference] = _SPREADS
        if abs(before - loss) < 0.01:
            break
        before = loss
    if reference is None:
        # The middle, a median, is no surer than they are; what is careless is measured by nobody.
        variances[:2] += np.pi / 2.0 * variances[:2].mean(axis=1, keepdims=True) / problem.n_raters
    return RatersFit(problem, theta, float(loss), np.sqrt(variances))


def about_the_middle(
    theta: Array, effects: Array, q: int, reference: int | None = None
) -> tuple[Array, Array]:
    """The same curves and effects, told relative to one rater, or to the middle of all."""
    shifts, log_scales, log_odds = effects
    scale = np.median(log_scales) if reference is None else log_scales[reference]
    log_scales = log_scales - scale
    cuts = shifts * np.exp(-log_scales)
    cut = np.median(cuts) if reference is None else cuts[reference]
    theta = theta.copy()
    theta[:q] += scale
    theta[q : 2 * q] = theta[q : 2 * q] * np.exp(scale) + cut
    return theta, np.array([shifts - np.exp(log_scales) * cut, log_scales, log_odds])


def _modes(
    problem: Problem, theta: Array, channel: Channel | None, effects: Array, spreads: Array
) -> tuple[Array, Array]:
    """The likeliest effects, and their information in the data."""
    slopes, information, values = _curvature(problem, theta, channel, effects)
    prior = _precisions(spreads)
    for _ in range(_STEPS):
        pull = slopes - effects / spreads**2
        step = np.linalg.solve(information + prior, pull.T[:, :, None])[:, :, 0].T
        step = np.clip(step, -_FAR, _FAR)
        height = values - (effects**2 / spreads**2).sum(axis=0) / 2.0
        for _ in range(8):
            tried = np.clip(effects + step, -_ENDS, _ENDS)
            (_, of_raters) = problem.log_likelihood(theta, channel, RaterEffects(*tried))
            worse = of_raters[3] - (tried**2 / spreads**2).sum(axis=0) / 2.0 < height - 1e-9
            if not worse.any():
                break
            step = np.where(worse, step / 4.0, step)
        effects = np.where(worse, effects, tried)
        slopes, information, values = _curvature(problem, theta, channel, effects)
    return effects, information


def _curvature(
    problem: Problem, theta: Array, channel: Channel | None, effects: Array
) -> tuple[Array, Array, Array]:
    """Slopes, negative second derivatives (n_raters, 3, 3), and log-likelihoods of the raters.

    A rater's labels depend on his effects alone, so all are moved at once.
    """

    def of_raters(moved: Array) -> Array:
        return problem.log_likelihood(theta, channel, RaterEffects(*moved))[1]

    here = of_raters(effects)
    columns = [
        (of_raters(effects - move)[:3] - of_raters(effects + move)[:3]) / (2.0 * _DELTA)
        for move in _DELTA * np.eye(3)[:, :, None]
    ]
    curvature = np.moveaxis(np.array(columns), 2, 0)
    curvature = (curvature + curvature.transpose(0, 2, 1)) / 2.0
    # Only where it is positive is it information.
    values, vectors = np.linalg.eigh(curvature)
    information = (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
    return here[:3], information, here[3]


def _variances(information: Array, spreads: Array) -> Array:
    inverse = np.linalg.inv(information + _precisions(spreads))
    return np.diagonal(inverse, axis1=1, axis2=2).T.copy()


def _precisions(spreads: Array) -> Array:
    return np.eye(3) / spreads.T[:, :, None] ** 2


def _penalty(effects: Array, information: Array, spreads: Array) -> float:
    """What integrating over effects, instead of having the likeliest, takes off."""
    scaled = spreads.T[:, :, None] * information * spreads.T[:, None, :]
    _, log_volumes = np.linalg.slogdet(np.eye(3) + scaled)
    return float((effects**2 / spreads**2).sum() / 2.0 + log_volumes.sum() / 2.0)


def shared_masses(
    logits: Array,
    effects: RaterEffects,
    raters: NDArray[np.integer],
    chances: Callable[[int], Array],
) -> Array:
    """``sum_u P(t, u) chances(u)[:, t]`` of each class t, shape (n, n_classes).

    Parameters
    ----------
    logits : ndarray of shape (n, n_classes - 1)
        Those of the true class.
    effects : RaterEffects
    raters : ndarray of shape (n,)
    chances : callable
        Of a class u that a rater sees, an array that goes with shape (n, n_classes).
    """
    scale, shift = np.exp(effects.log_scales)[raters, None], effects.shifts[raters, None]
    true, seen = survivals(logits), survivals(scale * logits + shift)
    shared = np.zeros((logits.shape[0], logits.shape[1] + 1))
    for u in range(shared.shape[1]):
        common = np.minimum(true[:, :-1], seen[:, [u]]) - np.maximum(true[:, 1:], seen[:, [u + 1]])
        shared += np.maximum(common, 0.0) * chances(u)
    return shared
