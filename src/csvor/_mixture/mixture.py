"""How many labels are wrong, and which: a mixture over margins of a model that saw other rows.

With ``P(y | t)`` and ``P_i(t)`` of `_mixture/likelihood.py`, ``P(y_i) = sum_t P(y_i | t) P_i(t)``,
and the share of wrong labels is ``eta (K - 1) / K + nu``. Slopes a, shifts c, eta and nu have the
greatest penalised likelihood, from two starts, since it has more than one hill. A channel other
than "any class" (`_mixture/channels.py`) costs a parameter, which has to be worth it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter, itemgetter

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from csvor._mixture.channels import Channel, channels_of, label_probabilities
from csvor._mixture.likelihood import LEAST, class_masses
from csvor._mixture.objective import LOGITS, RARITY, Problem, problem_of, rates_of, share_of

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
Mask = NDArray[np.bool_]

# Where to start: logarithm of the slopes and logit of eta (found by trial on 240 sets of margins:
# the best of nine such starts is never more than 0.4 lower).
_STARTS = ((0.0, -4.0), (1.0, -2.0))
_LOGIT_NU = -2.0
# Log-likelihood that a channel has to gain: that of a parameter, and two to be sure.
_SURE = 2.0
_PARAMETER = 1.0  # what it has to gain to be a rival of errors to any class (Akaike)
# The largest share that is sought, as a part of (K - 1) / K.
MOST = 0.5
# Half of the 95 % point of chi-squared with one degree of freedom.
DROP = 1.92


@dataclass(frozen=True, eq=False)
class Mixture:
    """The fitted mixture.

    Attributes
    ----------
    slopes, shifts : ndarrays of shape (n_classes - 1,)
    eta, nu : float
        Probabilities of a label drawn from all classes, and of one by the channel.
    loss : float
        The negative log-likelihood, penalties included: it also ranks models.
    channel : Channel or None
        None where labels err to any class alone.
    """

    slopes: Array
    shifts: Array
    eta: float
    nu: float
    loss: float
    channel: Channel | None = None

    @property
    def share(self) -> float:
        """The share of labels that are wrong."""
        return share_of(np.array([self.eta, self.nu]), self.slopes.size + 1)

    @cached_property
    def label_probabilities(self) -> Array:
        """``P(y = k | t)``, shape (n_classes, n_classes), a column for each true class."""
        return label_probabilities(self.eta, self.nu, self.slopes.size + 1, self.channel)

    def class_probabilities(self, margins: Array) -> Array:
        """``P_i(t)`` before the label is seen, shape (n, n_classes)."""
        return class_masses(self.slopes, self.shifts, margins)

    def truth(self, margins: Array, codes: Codes, confirmed: Mask | None = None) -> Array:
        """The same given the label: ``P(t | y_i)``. A label is wrong with what is left of 1."""
        joint = self.label_probabilities[codes] * self.class_probabilities(margins)
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
    *,
    information: float = 1.0,
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
    information : float, default=1.0
        What each row tells beside one that is independent of the others, at most 1: a channel has
        to gain as much by that.
    """
    problem = problem_of(margins, codes, weights, confirmed, original)
    plain = min((problem.minimise(problem.start(*start)) for start in _STARTS), key=itemgetter(1))
    best = _mixture(problem, *plain)
    least = best.loss - _cost(problem) / information
    for channel in channels_of(problem.counts):
        fit = problem.minimise(np.append(plain[0], _LOGIT_NU), channel=channel)
        other = _mixture(problem, *fit, channel)
        if other.loss < min(least, best.loss) and keeps_classes(problem, other):
            best = other
    return best


def share_interval(
    mixture: Mixture,
    margins: Array,
    codes: Codes,
    weights: Array | None = None,
    confirmed: Mask | None = None,
    original: Codes | None = None,
    *,
    information: float = 1.0,
) -> tuple[float, float]:
    """The 95 % profile-likelihood interval of the share, for the data of the fit.

    Where errors by distance, or to any class alone, explain the labels about as well, it holds the
    interval of these too. It takes several times as long as the fit. ``information``, at most 1,
    is what each row tells beside one that is independent of the others.
    """
    problem = problem_of(margins, codes, weights, confirmed, original)
    low, high = profile_interval(problem, mixture, DROP / information)
    other = rival_of(problem, mixture, information)
    if other is None:
        return low, high
    ends = profile_interval(problem, other, DROP / information)
    return min(low, ends[0]), max(high, ends[1])


def rival_of(problem: Problem, mixture: Mixture, information: float = 1.0) -> Mixture | None:
    """Another channel that explains the labels about as well, or far better, if there is one.

    Of two classes there is one wrong label, whatever the channel. One that leaves a class without
    half of its labels is not believed (`keeps_classes`), but the share may be as it says.
    """
    if problem.q == 1:
        return None
    channels: list[Channel | None] = [None]
    rates, behind = [mixture.share], _cost(problem) + DROP
    if mixture.channel is None:
        channels = [*channels_of(problem.counts)]
        rates, behind = [mixture.eta, expit(_LOGIT_NU)], -_PARAMETER
    start = np.append(_theta(problem, mixture), np.clip(logit(rates), *LOGITS))
    others = [_mixture(problem, *problem.minimise(start, channel=c), c) for c in channels]
    most = mixture.loss + behind / information
    far_better = mixture.loss - (_cost(problem) + DROP) / information

    def likely(other: Mixture) -> bool:
        if other.loss < far_better:
            return True
        usual = other.channel is None or other.channel.name == "distance"
        return usual and other.loss < most and keeps_classes(problem, other)

    return min(filter(likely, others), key=attrgetter("loss"), default=None)


def _cost(problem: Problem) -> float:
    """The log-likelihood that a channel has to gain."""
    return float(0.5 * np.log(problem.n) + _SURE)


def _theta(problem: Problem, mixture: Mixture) -> Array:
    """Slopes and shifts of a mixture as a problem has them."""
    return np.append(np.log(mixture.slopes), mixture.shifts - mixture.slopes * problem.moves)


def profile_interval(problem: Problem, mixture: Mixture, drop: float) -> tuple[float, float]:
    """Where the profile of the likelihood over the share has fallen by so much.

    Without the penalty on the share: where labels tell nothing of it, it alone would set the ends.
    """
    q, share, channel = problem.q, mixture.share, mixture.channel
    parts = [mixture.eta] if channel is None else [mixture.eta, mixture.nu]
    theta = np.append(_theta(problem, mixture), logit(parts))

    def height(share: float) -> float:
        # Always from the best point: from the last one the way can lead up another hill.
        point, value = problem.minimise(theta, channel=channel, share=share)
        return value + RARITY * float(np.log1p(-rates_of(point, q)).sum())

    base = height(share)

    def fall(share: float) -> float:
        return height(share) - base - drop

    ends = []
    least, most = share_of(expit(np.array(LOGITS[:1])), q + 1), MOST * q / (q + 1)
    if channel is not None:
        most = max(MOST, share)  # by a channel
    for end in (least, most):
        if abs(end - share) < 1e-6 or fall(end) <= 0.0:
            ends.append(0.0 if end == least else end)
            continue
        ends.append(float(brentq(fall, share, end, xtol=5e-4, maxiter=20)))
    return ends[0], ends[1]


def keeps_classes(problem: Problem, mixture: Mixture) -> bool:
    """Whether of no class more than half of the labels are wrong, by more than chance.

    A class that takes labels of two others beside it, and hardly has rows of its own, fits
    many data that the curves do not: no evidence of errors.
    """
    codes, weights, K = problem.codes, problem.weights, problem.q + 1
    truth = mixture.truth(problem.margins - problem.moves, codes, problem.confirmed)
    right = truth[np.arange(codes.size), codes]
    counts = np.bincount(codes, weights, K)
    wrong = counts - np.bincount(codes, weights * right, K)
    return bool((wrong <= 0.5 * counts + np.sqrt(counts)).all())


def _mixture(
    problem: Problem, theta: Array, loss: float, channel: Channel | None = None
) -> Mixture:
    q, slopes = problem.q, np.exp(theta[: problem.q])
    eta, nu = np.append(rates_of(theta, q), 0.0)[:2].tolist()
    shifts = theta[q : 2 * q] + slopes * problem.moves
    return Mixture(slopes, shifts, eta, nu, loss, channel)
