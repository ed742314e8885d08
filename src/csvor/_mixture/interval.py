"""Within which ends does the share of wrong labels lie, and which other channel may be so?"""

from __future__ import annotations

from operator import attrgetter

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from csvor._mixture.channels import Channel, channels_of
from csvor._mixture.likelihood import RaterEffects
from csvor._mixture.mixture import (
    LOGIT_NU,
    Mixture,
    cost_of_channel,
    curves_of,
    keeps_classes,
    mixture_of,
    theta_of,
)
from csvor._mixture.objective import LOGITS, RARITY, Problem, problem_of, rates_of, share_of
from csvor._mixture.rater_effects import about_the_middle
from csvor._utils.sampling import random_rows

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
Mask = NDArray[np.bool_]

_PARAMETER = 1.0  # what a channel has to gain to be a rival of errors to any class (Akaike)
# The largest share that is sought, as a part of (K - 1) / K.
MOST = 0.5
# Half of the 95 % point of chi-squared with one degree of freedom.
DROP = 1.92
# Draws of raters' effects, and rows in each, by which the error of the share is told.
_DRAWS, _DRAWN_ROWS = 50, 2_000


def share_interval(
    mixture: Mixture,
    margins: Array,
    codes: Codes,
    weights: Array | None = None,
    confirmed: Mask | None = None,
    original: Codes | None = None,
    raters: Codes | None = None,
    reference: int | None = None,
    *,
    information: float = 1.0,
) -> tuple[float, float]:
    """The 95 % profile-likelihood interval of the share, for the data of the fit.

    Where errors by distance, or to any class alone, explain the labels about as well, it holds the
    interval of these too. It takes several times as long as the fit. ``information``, at most 1,
    is what each row tells beside one that is independent of the others. Where raters differ, what
    is uncertain of their effects is added.
    """
    problem = problem_of(margins, codes, weights, confirmed, original, raters)
    if mixture.effects is not None:
        problem = problem.with_effects(mixture.effects)
    low, high = profile_interval(problem, mixture, DROP / information)
    other = rival_of(problem, mixture, information)
    if other is not None:
        ends = profile_interval(problem, other, DROP / information)
        low, high = min(low, ends[0]), max(high, ends[1])
    if mixture.effects is None and reference is None:
        return low, high
    error = _error_of_effects(problem, mixture, reference) / np.sqrt(information)
    below, above = np.hypot([low - mixture.astray, high - mixture.astray], 1.96 * error)
    return max(0.0, mixture.share - below), min(1.0, mixture.share + above)


def _error_of_effects(problem: Problem, mixture: Mixture, reference: int | None) -> float:
    """The error of the share that comes from effects of raters, the reference's too.

    Where raters are not set apart it is the reference's alone, whose labels may be few.
    """
    assert mixture.errors is not None
    rng = np.random.default_rng(0)
    rows = random_rows(problem.codes.size, _DRAWN_ROWS)
    known = (problem.margins - problem.moves)[rows], problem.raters[rows], problem.weights[rows]
    theta, shares = theta_of(problem, mixture), []
    errors = mixture.errors
    if mixture.effects is None:
        errors = errors * (np.arange(errors.shape[1]) == reference) * [[1.0], [1.0], [0.0]]
    modes = np.array(mixture.effects or RaterEffects.none(problem.n_raters))
    for _ in range(_DRAWS):
        moved, effects = theta, modes + errors * rng.normal(size=errors.shape)
        if reference is not None:
            moved, effects = about_the_middle(theta, effects, problem.q, reference)
        other = problem.with_effects(RaterEffects(*effects))
        shares.append(mixture_of(other, moved, 0.0, mixture.channel).share_of_raters(*known))
    if mixture.effects is None:
        return float(np.sqrt(np.mean((np.array(shares) - mixture.share) ** 2)))
    return float(np.std(shares))


def rival_of(problem: Problem, mixture: Mixture, information: float = 1.0) -> Mixture | None:
    """Another channel that explains the labels about as well, or far better, if there is one.

    Of two classes there is one wrong label, whatever the channel. One that leaves a class without
    half of its labels is not believed (`keeps_classes`), but the share may be as it says.
    """
    if problem.q == 1:
        return None
    channels: list[Channel | None] = [None]
    rates, behind = [mixture.astray], cost_of_channel(problem) + DROP
    if mixture.channel is None:
        channels = [*channels_of(problem.counts)]
        rates, behind = [mixture.eta, expit(LOGIT_NU)], -_PARAMETER
    start = np.append(curves_of(problem, mixture), np.clip(logit(rates), *LOGITS))
    others = [mixture_of(problem, *problem.minimise(start, channel=c), c) for c in channels]
    most = mixture.loss + behind / information
    far_better = mixture.loss - (cost_of_channel(problem) + DROP) / information

    def likely(other: Mixture) -> bool:
        if other.loss < far_better:
            return True
        usual = other.channel is None or other.channel.name == "distance"
        return usual and other.loss < most and keeps_classes(problem, other)

    return min(filter(likely, others), key=attrgetter("loss"), default=None)


def profile_interval(problem: Problem, mixture: Mixture, drop: float) -> tuple[float, float]:
    """Where the profile of the likelihood over the share has fallen by so much.

    Without the penalty on the share: where labels tell nothing of it, it alone would set the ends.
    """
    q, share, channel = problem.q, mixture.astray, mixture.channel
    theta = theta_of(problem, mixture)

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
