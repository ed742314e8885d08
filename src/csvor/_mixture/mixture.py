"""How many labels are wrong, and which: a mixture over margins of a model that saw other rows.

With ``P(y | t)`` and ``P_i(t)`` of `_mixture/likelihood.py`, ``P(y_i) = sum_t P(y_i | t) P_i(t)``,
and the share of wrong labels is ``eta (K - 1) / K + nu``. Slopes a, shifts c, eta and nu have the
greatest penalised likelihood, from two starts, since it has more than one hill. A channel other
than "any class" (`_mixture/channels.py`) costs a parameter, which has to be worth it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from csvor._mixture.channels import Channel, channels_of, label_probabilities
from csvor._mixture.likelihood import LEAST, RaterEffects, class_masses
from csvor._mixture.objective import Problem, problem_of, rates_of, share_of
from csvor._mixture.rater_effects import RatersFit, about_the_middle, fit_effects, shared_masses
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
Mask = NDArray[np.bool_]

# Where to start: logarithm of the slopes and logit of eta (found by trial on 240 sets of margins:
# the best of nine such starts is never more than 0.4 lower).
_STARTS = ((0.0, -4.0), (1.0, -2.0))
LOGIT_NU = -2.0
# Log-likelihood that a channel has to gain: that of a parameter, and two to be sure.
_SURE = 2.0


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
    effects : RaterEffects or None
        What sets raters apart, where the likelihood gains by it.
    errors : ndarray of shape (3, n_raters) or None
        Standard errors of these, as `RatersFit` has them.
    of_raters : float or None
        The share of labels that are wrong, of raters who differ.
    """

    slopes: Array
    shifts: Array
    eta: float
    nu: float
    loss: float
    channel: Channel | None = None
    effects: RaterEffects | None = None
    errors: Array | None = None
    of_raters: float | None = None

    @property
    def share(self) -> float:
        """The share of labels that are wrong."""
        return self.astray if self.of_raters is None else self.of_raters

    @property
    def astray(self) -> float:
        """The share of labels that are another class than the one that their rater sees."""
        return share_of(np.array([self.eta, self.nu]), self.slopes.size + 1)

    @cached_property
    def label_probabilities(self) -> Array:
        """``P(y = k | t)``, shape (n_classes, n_classes), a column for each true class."""
        return label_probabilities(self.eta, self.nu, self.slopes.size + 1, self.channel)

    def class_probabilities(self, margins: Array) -> Array:
        """``P_i(t)`` before the label is seen, shape (n, n_classes)."""
        return class_masses(self.slopes, self.shifts, margins)

    def truth(
        self,
        margins: Array,
        codes: Codes,
        confirmed: Mask | None = None,
        raters: Codes | None = None,
    ) -> Array:
        """The same given the label: ``P(t | y_i)``. A label is wrong with what is left of 1."""
        if self.effects is None or raters is None:
            joint = self.label_probabilities[codes] * self.class_probabilities(margins)
        else:
            joint = self._shared(margins, raters, codes)
        truth = joint / np.maximum(joint.sum(axis=1, keepdims=True), LEAST)
        if confirmed is not None:
            truth[confirmed] = np.eye(truth.shape[1])[codes[confirmed]]
        return truth

    def chance_wrong(self, margins: Array, raters: Codes | None = None) -> Array:
        """That a label is wrong before it is seen: of all the share, or as each rater labels."""
        if self.effects is None or raters is None:
            return np.full(margins.shape[0], self.share)
        return np.asarray(1.0 - self._shared(margins, raters).sum(axis=1))

    def share_of_raters(self, margins: Array, raters: Codes, weights: Array) -> float:
        """The share of labels that are wrong, of raters who differ."""
        return float(np.average(self.chance_wrong(margins, raters), weights=weights))

    def effects_of(self, n_raters: int) -> tuple[RaterEffects, Array]:
        """What sets so many raters apart, and its standard errors.

        Who has no label that the mixture was fitted to is like the others, who vary.
        """
        effects = np.zeros((3, n_raters))
        if self.effects is not None:
            effects[:, : self.effects.shifts.size] = self.effects
        if self.errors is None:
            return RaterEffects(*effects), np.zeros((3, n_raters))
        known = self.errors.shape[1]
        errors = np.empty((3, n_raters))
        errors[:, :known] = self.errors
        errors[:, known:] = np.sqrt((effects[:, :known] ** 2 + self.errors**2).mean(1))[:, None]
        return RaterEffects(*effects), errors

    def _shared(self, margins: Array, raters: Codes, codes: Codes | None = None) -> Array:
        """``P(t, y_i)``, or ``P(t, y = t)`` without labels."""
        assert self.effects is not None
        effects, _ = self.effects_of(max(self.effects.shifts.size, int(raters.max(initial=0)) + 1))
        K = self.slopes.size + 1
        etas = effects.etas(float(logit(self.eta)), self.nu)[raters, None]
        labels = np.arange(K)[None, :] if codes is None else codes[:, None]

        def chances(u: int) -> Array:
            others = 0.0 if self.channel is None else self.nu * self.channel.table[:, u][labels]
            return (1.0 - etas - self.nu) * (labels == u) + etas / K + others

        logits = self.slopes * margins + self.shifts
        return shared_masses(logits, effects, raters, chances)


def fit_mixture(
    margins: Array,
    codes: Codes,
    weights: Array | None = None,
    confirmed: Mask | None = None,
    original: Codes | None = None,
    raters: Codes | None = None,
    reference: int | None = None,
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
    raters : ndarray of shape (n,), default=None
        Who gave each label, as 0..n_raters - 1. They are set apart if that is likelier.
    reference : int, default=None
        The rater by whom the others are measured; None is the middle of them.
    information : float, default=1.0
        What each row tells beside one that is independent of the others, at most 1: a channel has
        to gain as much by that.
    """
    problem = problem_of(margins, codes, weights, confirmed, original, raters)
    plain = min((problem.minimise(problem.start(*start)) for start in _STARTS), key=itemgetter(1))
    best = _by_channels(problem, *plain, information)
    if raters is None:
        return best
    fit = fit_effects(problem, plain[0], None, reference)
    apart = _by_channels(fit.problem, fit.theta, fit.problem.loss(fit.theta)[0], information)
    if apart.channel is not None:
        fit = fit_effects(fit.problem, theta_of(problem, apart), apart.channel, reference)
    if fit.loss > best.loss - cost_of_channel(problem) / information:
        return replace(best, errors=np.hypot(fit.errors, np.array(fit.problem.effects)))
    return _apart(fit, apart.channel, reference)


def _by_channels(problem: Problem, theta: Array, loss: float, information: float) -> Mixture:
    """From a fit with errors to any class: the best channel that is worth it."""
    best = mixture_of(problem, theta, loss)
    least = best.loss - cost_of_channel(problem) / information
    for channel in channels_of(problem.counts):
        fit = problem.minimise(np.append(theta, LOGIT_NU), channel=channel)
        other = mixture_of(problem, *fit, channel)
        if other.loss < min(least, best.loss) and keeps_classes(problem, other):
            best = other
    return best


def _apart(fit: RatersFit, channel: Channel | None, reference: int | None) -> Mixture:
    """The mixture of raters who differ, told relative to the reference."""
    problem, theta = fit.problem, fit.theta
    if reference is not None:
        theta, effects = about_the_middle(theta, np.array(problem.effects), problem.q, reference)
        problem = problem.with_effects(RaterEffects(*effects))
    mixture = replace(mixture_of(problem, theta, fit.loss, channel), errors=fit.errors)
    share = mixture.share_of_raters(
        problem.margins - problem.moves, problem.raters, problem.weights
    )
    return replace(mixture, of_raters=share)


def cost_of_channel(problem: Problem) -> float:
    """The log-likelihood that a channel has to gain."""
    return float(0.5 * np.log(problem.n) + _SURE)


def curves_of(problem: Problem, mixture: Mixture) -> Array:
    """Slopes and shifts of a mixture as a problem has them."""
    return np.append(np.log(mixture.slopes), mixture.shifts - mixture.slopes * problem.moves)


def theta_of(problem: Problem, mixture: Mixture) -> Array:
    """The parameters of a mixture as a problem has them."""
    rates = [mixture.eta] if mixture.channel is None else [mixture.eta, mixture.nu]
    return np.append(curves_of(problem, mixture), logit(rates))


def keeps_classes(problem: Problem, mixture: Mixture) -> bool:
    """Whether of no class more than half of the labels are wrong, by more than chance.

    A class that takes labels of two others beside it, and hardly has rows of its own, fits
    many data that the curves do not: no evidence of errors.
    """
    codes, weights, K = problem.codes, problem.weights, problem.q + 1
    truth = mixture.truth(problem.margins - problem.moves, codes, problem.confirmed, problem.raters)
    right = truth[np.arange(codes.size), codes]
    counts = np.bincount(codes, weights, K)
    wrong = counts - np.bincount(codes, weights * right, K)
    return bool((wrong <= 0.5 * counts + np.sqrt(counts)).all())


def mixture_of(
    problem: Problem, theta: Array, loss: float, channel: Channel | None = None
) -> Mixture:
    q, slopes = problem.q, np.exp(theta[: problem.q])
    eta, nu = np.append(rates_of(theta, q), 0.0)[:2].tolist()
    shifts = theta[q : 2 * q] + slopes * problem.moves
    return Mixture(slopes, shifts, eta, nu, loss, channel, problem.effects)
