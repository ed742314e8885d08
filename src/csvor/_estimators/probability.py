"""Class probabilities from scores and thresholds.

The cumulative logistic form ``P(y <= k) = 1 / (1 + exp(-a (b_k - f)))``, with one slope ``a``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit

Array = NDArray[np.float64]

# Rows that tell the slope to a percent.
_ENOUGH = 10_000
# In units of the margin: at the edge of a margin the cumulative probability is 0.501 to 0.99995.
_LOG_SLOPE_BOUNDS = (np.log(0.005), np.log(10.0))


def fit_slope(
    scores: Array,
    codes: NDArray[np.integer],
    thresholds: Array,
    weights: Array,
    kept: NDArray[np.bool_],
) -> float:
    """The slope of greatest weighted likelihood; of many rows, over a fixed random part."""
    if scores.size > 2 * _ENOUGH:
        rows = np.random.default_rng(0).integers(0, scores.size, _ENOUGH)
        rows = rows[kept[rows]]
    else:
        rows = np.flatnonzero(kept)
    scores, codes, weights = scores[rows], codes[rows], weights[rows]
    edges = np.concatenate([[-np.inf], thresholds, [np.inf]])
    above, below = edges[codes + 1] - scores, edges[codes] - scores
    width = above - below
    # A class without width has no mass at any slope and does not tell one from another.
    told = width > 0.0
    above, below, width, weights = above[told], below[told], width[told], weights[told]
    inner = np.isfinite(width)

    def loss(log_slope: float) -> float:
        a = np.exp(log_slope)
        # log(expit(a above) - expit(a below)) without cancellation, however far the row is.
        log_mass = log_expit(a * above) + log_expit(-a * below)
        log_mass[inner] += np.log(-np.expm1(-a * width[inner]))
        return -float(weights @ log_mass)

    found = minimize_scalar(loss, bounds=_LOG_SLOPE_BOUNDS, method="bounded")
    return float(np.exp(found.x))


def interval_probabilities(
    scores: Array, thresholds: Array, slope: float, predicted: NDArray[np.integer]
) -> Array:
    """Mass of each class, with the predicted class never below another.

    Where another class holds more mass than the predicted one (its interval is narrow), the
    predicted class is raised to that mass and the row is scaled back to 1.
    """
    cumulative = expit(slope * (thresholds - scores[:, None]))
    edge = np.ones((scores.size, 1))
    mass = np.diff(np.hstack([0.0 * edge, cumulative, edge]), axis=1)
    rows = np.arange(scores.size)
    largest = mass.max(axis=1)
    behind = mass.argmax(axis=1) != predicted
    # A hair above, so that argmax does not fall on the earlier of two equal classes.
    mass[rows[behind], predicted[behind]] = largest[behind] * (1.0 + 1e-12)
    return mass / mass.sum(axis=1, keepdims=True)
