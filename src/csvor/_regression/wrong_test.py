"""Are there wrong labels at all? 0 lies on the edge of what a share can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multivariate_normal, norm

from csvor._regression.fit import Fitting, Likelihoods
from csvor._regression.likelihood import log_likelihood

Array = NDArray[np.float64]

# Of a correlation.
_MOST = 0.999


@dataclass(frozen=True)
class WrongTest:
    """The test of no wrong labels.

    Attributes
    ----------
    statistic : float
        Twice what the log-likelihood gains by wrong labels.
    p_value : float
    channels : tuple of str
        The ways in which labels could go wrong.
    """

    statistic: float
    p_value: float
    channels: tuple[str, ...]


def wrong_test(fitting: Fitting, likelihoods: Likelihoods) -> WrongTest:
    r"""The likelihood-ratio test of a share that cannot be below 0.

    Where no label is wrong, the share of one channel is found to be 0 in half of all samples, so
    the statistic is :math:`\max(Z, 0)^2` with Z standard normal: half chi-square(0) and half
    chi-square(1). Of two channels the greater is taken, and (Z1, Z2) have the correlation of
    their scores, given those of the other parameters.
    """
    channels = tuple(likelihoods.by_channel)
    gains = [end.value - likelihoods.plain.value for end in likelihoods.by_channel.values()]
    statistic = max(2.0 * max(gains), 0.0)
    z = np.sqrt(statistic)
    if statistic < 1e-8:
        p_value = 1.0
    elif len(channels) == 1:
        p_value = float(norm.sf(z))
    else:
        r = _correlation(fitting, likelihoods, channels)
        # The probability that one of both is greater, without a difference from 1.
        both = multivariate_normal([0.0, 0.0], [[1.0, r], [r, 1.0]]).cdf([-z, -z])
        p_value = float(2.0 * norm.sf(z) - both)
    return WrongTest(statistic, p_value, channels)


def _correlation(fitting: Fitting, likelihoods: Likelihoods, channels: tuple[str, ...]) -> float:
    terms = fitting.terms.with_channels(*channels)
    theta = np.append(likelihoods.plain.model.theta, np.zeros(len(channels)))
    *_, hessian = log_likelihood(fitting.model(terms, theta), fitting.rows)
    n = fitting.terms.size
    inner, cross, shares = -hessian[:n, :n], -hessian[:n, n:], -hessian[n:, n:]
    left = shares - cross.T @ np.linalg.pinv(inner, hermitian=True) @ cross
    if np.diag(left).min() <= 0.0:  # far from a model without wrong labels: the sum of both p
        return -_MOST
    return float(np.clip(left[0, 1] / np.sqrt(left[0, 0] * left[1, 1]), -_MOST, _MOST))
