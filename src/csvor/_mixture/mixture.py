"""How many labels are wrong, and which: a mixture over margins of a model that saw other rows.

With ``P(y | t)`` and ``P_i(t)`` of `_mixture/likelihood.py`, ``P(y_i) = sum_t P(y_i | t) P_i(t)``,
and the share of wrong labels is ``eta (K - 1) / K + nu``. Slopes a, shifts c, eta and nu have the
greatest penalised likelihood, from two starts, since it has more than one hill. The class beside
costs a parameter, which has to be worth it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.special import expit, logit

from csvor._mixture.likelihood import LEAST, channel, class_masses, label_likelihood
from csvor._utils.sampling import random_rows

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
Mask = NDArray[np.bool_]

# Where to start: logarithm of the slopes and logit of eta (found by trial on 240 sets of margins:
# the best of nine such starts is never more than 0.4 lower).
_STARTS = ((0.0, -4.0), (1.0, -2.0))
_LOGITS_BESIDE = (-4.0, -2.0)
_RARE = 1e-3
_LOG_SLOPES, _SHIFTS, _LOGITS = (-4.0, 5.0), (-5.0, 5.0), (-9.0, 0.0)
# Log-likelihood that a class beside has to gain: that of a parameter, and two to be sure.
_SURE = 2.0
# Rows without errors that are taken to have been seen before.
_RARITY = 10.0
# Half of the 95 % point of chi-squared with one degree of freedom.
_DROP = 1.92
# More rows tell nothing more of some ten parameters.
_ENOUGH = 20_000


@dataclass(frozen=True, eq=False)
class Mixture:
    """The fitted mixture.

    Attributes
    ----------
    slopes, shifts : ndarrays of shape (n_classes - 1,)
    eta, nu : float
        Probabilities of a label drawn from all classes, and of one beside the true class.
    loss : float
        The negative log-likelihood, penalties included: it also ranks models.
    """

    slopes: Array
    shifts: Array
    eta: float
    nu: float
    loss: float

    @property
    def share(self) -> float:
        """The share of labels that are wrong."""
        return _share(self.eta, self.nu, self.slopes.size + 1)

    @cached_property
    def channel(self) -> Array:
        """``P(y = k | t)``, shape (n_classes, n_classes), a column for each true class."""
        return channel(self.eta, self.nu, self.slopes.size + 1)

    def class_probabilities(self, margins: Array) -> Array:
        """``P_i(t)`` before the label is seen, shape (n, n_classes)."""
        return class_masses(self.slopes, self.shifts, margins)

    def truth(self, margins: Array, codes: Codes, confirmed: Mask | None = None) -> Array:
        """The same given the label: ``P(t | y_i)``. A label is wrong with what is left of 1."""
        joint = self.channel[codes] * self.class_probabilities(margins)
        truth = joint / np.maximum(joint.sum(axis=1, keepdims=True), LEAST)
        if confirmed is not None:
            truth[confirmed] = np.eye(truth.shape[1])[codes[confirmed]]
        return truth


def fit_mixture(
    margins: Array,
    codes: Codes,
    weights: Array | None = None,
    confirmed: Mask | None = None,
    original: Codes | None = None,
) -> Mixture:
    """The mixture of greatest penalised likelihood.

    Parameters
    ----------
    margins : ndarray of shape (n, n_classes - 1)
        ``f_i - b_k`` of a model that has not seen the row, falling in k.
    codes : ndarray of shape (n,)
        Labels as 0..n_classes - 1.
    weights : ndarray of shape (n,), default=None
    confirmed : ndarray of shape (n,), default=None
        True for labels that are known to be right.
    original : ndarray of shape (n,), default=None
        What these were before: they tell, of rows that may have been picked for being suspect, how
        many labels are wrong. By default they were right.
    """
    q = margins.shape[1]
    problem = _problem_of(margins, codes, weights, confirmed, original)
    plain = min((problem.minimise(problem.start(*start)) for start in _STARTS), key=_height)
    best = _mixture(*plain)
    least = best.loss - (0.5 * np.log(problem.codes.size) + _SURE)
    if q > 1:
        for start in _LOGITS_BESIDE:
            found = _mixture(*problem.minimise(np.append(plain[0], start), beside=True))
            if found.loss < min(least, best.loss) and problem.keeps_classes(found):
                best = found
    return best


def share_interval(
    mixture: Mixture,
    margins: Array,
    codes: Codes,
    weights: Array | None = None,
    confirmed: Mask | None = None,
    original: Codes | None = None,
) -> tuple[float, float]:
    """The 95 % profile-likelihood interval of the share, for the data of the fit.

    It takes several times as long as the fit.
    """
    parts = np.array([mixture.eta, mixture.nu] if mixture.nu else [mixture.eta])
    theta = np.concatenate([np.log(mixture.slopes), mixture.shifts, logit(parts)])
    problem = _problem_of(margins, codes, weights, confirmed, original)
    return _interval(problem, theta)


def rows_to_fit(n: int) -> NDArray[np.intp]:
    """The rows of n that a mixture is fitted to: of many a random part, in random order."""
    return random_rows(n, _ENOUGH)


def _problem_of(
    margins: Array,
    codes: Codes,
    weights: Array | None,
    confirmed: Mask | None,
    original: Codes | None,
) -> _Problem:
    """Of many rows, a part of them."""
    n = codes.size
    original = codes if original is None else original
    weights = np.ones(n) if weights is None else weights
    confirmed = np.zeros(n, dtype=bool) if confirmed is None else confirmed
    if n > _ENOUGH:
        rows = rows_to_fit(n)
        margins, codes, weights = margins[rows], codes[rows], weights[rows]
        confirmed, original = confirmed[rows], original[rows]
    return _Problem(margins, codes, weights, confirmed, original)


class _Problem:
    """The penalised likelihood in ``theta = [log a, c, logit eta(, logit nu)]``."""

    def __init__(
        self, margins: Array, codes: Codes, weights: Array, confirmed: Mask, original: Codes
    ) -> None:
        self.margins = np.ascontiguousarray(margins)
        self.codes, self.weights = codes, weights
        self.confirmed, self.original = confirmed, original
        self.q = margins.shape[1]
        self.n = weights.sum()

    def start(self, log_slope: float, logit_eta: float) -> Array:
        """One slope for all, and shifts by which each ``P(t > k)`` has the mean that it should.

        Shifts that leave two of them equal, where thresholds are, would be a kink to start from.
        """
        scaled = np.exp(log_slope) * self.margins
        shares = self.weights / self.n
        want = np.array([shares[self.codes > k].sum() for k in range(self.q)])
        want = np.clip(want, _RARE, 1.0 - _RARE)
        shifts = np.zeros(self.q)
        for _ in range(12):
            above = expit(scaled + shifts)
            slope = np.maximum(shares @ (above * (1.0 - above)), _RARE)
            shifts += np.clip((want - shares @ above) / slope, -1.0, 1.0)
        shifts = np.clip(shifts, *_SHIFTS)
        return np.concatenate([np.full(self.q, log_slope), shifts, [logit_eta]])

    def minimise(
        self, start: Array, *, beside: bool = False, share: float | None = None
    ) -> tuple[Array, float]:
        """The least point and its value; with ``share`` held where it is given."""
        bounds = [_LOG_SLOPES] * self.q + [_SHIFTS] * self.q + [_LOGITS] * (1 + beside)
        if share is not None:
            scale = _logit_for(share, start, self.q)
            bounds[2 * self.q :] = [(held, held) for held in scale]
            start = np.concatenate([start[: 2 * self.q], scale])
        found = minimize(
            self.loss, start, jac=True, method="L-BFGS-B", bounds=bounds,
            options={"maxiter": 500, "ftol": 1e-10},
        )  # fmt: skip
        return found.x, float(found.fun)

    def keeps_classes(self, mixture: Mixture) -> bool:
        """Whether of no class more than half of the labels are wrong, by more than chance.

        A class that takes labels of two others beside it, and hardly has rows of its own, fits
        many data that the curves do not: no evidence of errors.
        """
        truth = mixture.truth(self.margins, self.codes, self.confirmed)
        right = truth[np.arange(self.codes.size), self.codes]
        counts = np.bincount(self.codes, self.weights, self.q + 1)
        wrong = counts - np.bincount(self.codes, self.weights * right, self.q + 1)
        return bool((wrong <= 0.5 * counts + np.sqrt(counts)).all())

    def loss(self, theta: Array) -> tuple[float, Array]:
        q = self.q
        slopes, shifts = np.exp(theta[:q]), theta[q : 2 * q]
        parts = np.zeros(2)
        parts[: theta.size - 2 * q] = expit(theta[2 * q :])
        slope = np.empty(2 * q + 2)
        data = self.margins, self.codes, self.weights, self.confirmed, self.original
        value = -label_likelihood(*data, slopes, shifts, *parts, slope)
        gradient = -slope[: theta.size]
        gradient[:q] *= slopes
        parts = parts[: theta.size - 2 * q]
        gradient[2 * q :] *= parts * (1.0 - parts)
        # Weak knowledge: slopes and shifts of the size of those of a fit, and rather few errors.
        value += float(theta[: 2 * q] @ theta[: 2 * q]) / 8.0 - _RARITY * float(
            np.log1p(-parts).sum()
        )
        gradient[: 2 * q] += theta[: 2 * q] / 4.0
        gradient[2 * q :] += _RARITY * parts
        return value, gradient


def _interval(problem: _Problem, theta: Array) -> tuple[float, float]:
    """Where the profile of the likelihood over the share has fallen by `_DROP`.

    Without the penalty on the share: where labels tell nothing of it, it alone would set the ends.
    """
    q, beside = problem.q, theta.size > 2 * problem.q + 1
    share = _share(*_parts(theta, q), q + 1)

    def height(at: float) -> float:
        # Always from the best point: from the last one the way can lead up another hill.
        point, value = problem.minimise(theta, beside=beside, share=at)
        return value + _RARITY * float(np.log1p(-np.array(_parts(point, q))).sum())

    base = height(share)

    def fall(at: float) -> float:
        return height(at) - base - _DROP

    ends = []
    least, most = _share(expit(_LOGITS[0]), 0.0, q + 1), 0.5 * q / (q + 1)
    for end in (least, most):
        if abs(end - share) < 1e-6 or fall(end) <= 0.0:
            ends.append(0.0 if end == least else end)
            continue
        ends.append(float(brentq(fall, share, end, xtol=5e-4, maxiter=20)))
    return ends[0], ends[1]


def _mixture(theta: Array, loss: float) -> Mixture:
    q = (theta.size - 1) // 2
    return Mixture(np.exp(theta[:q]), theta[q : 2 * q], *_parts(theta, q), loss)


def _height(found: tuple[Array, float]) -> float:
    return found[1]


def _parts(theta: Array, q: int) -> tuple[float, float]:
    eta = float(expit(theta[2 * q]))
    return eta, float(expit(theta[2 * q + 1])) if theta.size > 2 * q + 1 else 0.0


def _share(eta: float, nu: float, n_classes: int) -> float:
    return eta * (n_classes - 1) / n_classes + nu


def _logit_for(share: float, theta: Array, q: int) -> Array:
    """The logits of eta (and nu) that make up a share, in the proportion that they have."""
    eta, nu = _parts(theta, q)
    factor = share / _share(eta, nu, q + 1)
    parts = np.array([eta, nu] if theta.size > 2 * q + 1 else [eta])
    scaled = np.clip(factor * parts, 1e-9, 0.999)
    return logit(scaled)
