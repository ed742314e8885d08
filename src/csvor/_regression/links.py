"""What is the probability of a class, given how far its thresholds are from the predictor?

A link is the inverse of a distribution function F. With thresholds c and predictor f,
``P(y <= k) = F(c_k - f)``, as in R's package ordinal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri

Array = NDArray[np.float64]
# Beyond it exp overflows.
_MOST = 700.0


@dataclass(frozen=True)
class Link:
    """A distribution.

    Attributes
    ----------
    name : str
    curves : callable
        Of u: F, 1 - F, density and slope of the density, each with the precision of its own size.
    quantile, upper_quantile : callable
        The inverses of F and of 1 - F.
    mean : float
        Of the distribution; of the Cauchy, which has none, the middle.
    spread : float
        By how much wider than the logistic the distribution is, about its middle.
    """

    name: str
    curves: Callable[[Array], tuple[Array, Array, Array, Array]]
    quantile: Callable[[Array], Array]
    upper_quantile: Callable[[Array], Array]
    mean: float
    spread: float


def _logit(u: Array) -> tuple[Array, Array, Array, Array]:
    below, above = expit(u), expit(-u)
    density = below * above
    return below, above, density, density * (above - below)


def _probit(u: Array) -> tuple[Array, Array, Array, Array]:
    density = np.exp(-0.5 * u * u) / np.sqrt(2.0 * np.pi)
    return ndtr(u), ndtr(-u), density, -u * density


def _cloglog(u: Array) -> tuple[Array, Array, Array, Array]:
    rate = np.exp(np.minimum(u, _MOST))
    above = np.exp(-rate)
    density = rate * above
    return -np.expm1(-rate), above, density, density * (1.0 - rate)


def _loglog(u: Array) -> tuple[Array, Array, Array, Array]:
    above, below, density, slope = _cloglog(-u)
    return below, above, density, -slope


def _cauchit(u: Array) -> tuple[Array, Array, Array, Array]:
    density = 1.0 / (np.pi * (1.0 + u * u))
    return (
        np.arctan2(1.0, -u) / np.pi, np.arctan2(1.0, u) / np.pi,
        density, -2.0 * np.pi * u * density * density,
    )  # fmt: skip


def _cloglog_quantile(p: Array) -> Array:
    return np.log(-np.log1p(-p))


def _cloglog_upper(p: Array) -> Array:
    return np.log(-np.log(p))


LINKS = {
    link.name: link
    for link in (
        Link("logit", _logit, logit, lambda p: -logit(p), 0.0, 1.0),
        Link("probit", _probit, ndtri, lambda p: -ndtri(p), 0.0, 0.6),
        Link("cloglog", _cloglog, _cloglog_quantile, _cloglog_upper, -np.euler_gamma, 0.75),
        Link(
            "loglog", _loglog, lambda p: -_cloglog_upper(p), lambda p: -_cloglog_quantile(p),
            np.euler_gamma, 0.75,
        ),
        Link(
            "cauchit", _cauchit, lambda p: -1.0 / np.tan(np.pi * p),
            lambda p: 1.0 / np.tan(np.pi * p), 0.0, 0.8,
        ),
    )
}  # fmt: skip


def class_probabilities(below: Array, above: Array) -> Array:
    """Of each class, from ``F`` and ``1 - F`` at the thresholds: precise where F is near 1, too.

    Shapes (n, q) give (n, q + 1).
    """
    n, q = below.shape
    classes = np.empty((n, q + 1))
    classes[:, 0], classes[:, q] = below[:, 0], above[:, q - 1]
    upper = below[:, :-1] > 0.5
    classes[:, 1:q] = np.where(upper, above[:, :-1] - above[:, 1:], below[:, 1:] - below[:, :-1])
    return classes


def ordered_probabilities(below: Array, above: Array) -> Array:
    """The same, where thresholds may cross: none is negative, and rows sum to 1."""
    classes = class_probabilities(below, above)
    if np.any(classes < 0.0):
        classes = np.maximum(classes, 0.0)
        classes /= classes.sum(axis=1, keepdims=True)
    return classes
