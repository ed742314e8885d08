"""What is minimised where a mixture is fitted: its penalised likelihood."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from csvor._mixture.channels import Channel
from csvor._mixture.likelihood import MOST_CARELESS, RaterEffects, label_likelihood
from csvor._rows.quantile import weighted_quantile
from csvor._utils.sampling import random_rows
from csvor._utils.threads import one_blas_thread

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
Mask = NDArray[np.bool_]

LOG_SLOPES, SHIFTS, LOGITS = (-4.0, 5.0), (-5.0, 5.0), (-9.0, 0.0)
# The logit of the part of a share that comes by a channel.
PARTS = (-6.0, 6.0)
_RARE = 1e-3
# Rows without errors that are taken to have been seen before.
RARITY = 10.0
# What a slope that is e times the one beside it costs. (Without it every class has a curve of its
# own: held-out probabilities of boosting with 11 classes, none wrong, gave a share of .42, with it
# 0. On twelve sets with 10 % changed, rankings are alike between 1 and 9, esl's best from 2 on.)
# On a scale m times as fine as one of ten thresholds, a jump is the m-th part and costs as much.
# (150 clean classes of 4 rows: .03 was said to be wrong, now 0 to .02 in 20 draws; case N54.)
SMOOTH, _COARSE = 2.0, 10.0
# More rows tell nothing more of some ten parameters.
_ENOUGH = 20_000


def rows_to_fit(n: int) -> NDArray[np.intp]:
    """The rows of n that a mixture is fitted to: of many a random part, in random order."""
    return random_rows(n, _ENOUGH)


def margins_of_score(score: Any, n_classes: int) -> Any:
    """One score as margins to each threshold: a mixture says itself where these are."""
    return score[:, None] + np.zeros(n_classes - 1)


def problem_of(
    margins: Array,
    codes: Codes,
    weights: Array | None,
    confirmed: Mask | None,
    original: Codes | None,
    raters: Codes | None = None,
) -> Problem:
    """With what is left open filled in."""
    n = codes.size
    codes = np.ascontiguousarray(codes, dtype=np.int64)  # one version of the loop is compiled
    original = codes if original is None else np.ascontiguousarray(original, dtype=np.int64)
    weights = np.ones(n) if weights is None else np.array(weights, dtype=np.float64)
    confirmed = np.zeros(n, dtype=bool) if confirmed is None else confirmed
    return Problem(margins, codes, weights, confirmed, original, raters)


class Problem:
    """The penalised likelihood in ``theta = [log a, c, logit eta(, logit nu)]``.

    Margins are moved so that each is above 0 for as many rows as labels are above its threshold:
    a curve turns there when its slope changes, wherever the thresholds of the model are. (Those
    of 20 grades meet, and curves about them would cross: case N54.)

    What sets raters apart, `effects`, is taken as it is; logits of these are in the units of
    `theta`.
    """

    def __init__(
        self,
        margins: Array,
        codes: Codes,
        weights: Array,
        confirmed: Mask,
        original: Codes,
        raters: Codes | None = None,
    ) -> None:
        self.codes, self.weights = codes, weights
        self.confirmed, self.original = confirmed, original
        self.raters = np.zeros(codes.size, dtype=np.int64) if raters is None else raters
        self.n_raters = int(self.raters.max(initial=0)) + 1
        self.effects: RaterEffects | None = None
        self.q = margins.shape[1]
        self.n = weights.sum()
        self.no_table = np.zeros((self.q + 1, self.q + 1))
        self.smooth = SMOOTH * max(1.0, self.q / _COARSE) ** 2
        self.counts = np.bincount(codes, weights, self.q + 1).astype(np.float64)
        self.moves = -_cuts(margins, codes, weights)
        self.margins = np.ascontiguousarray(margins + self.moves)

    def with_effects(self, effects: RaterEffects) -> Problem:
        """The same, with raters set apart like that."""
        other = copy(self)
        other.effects = effects
        return other

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
        shifts = np.clip(shifts, *SHIFTS)
        return np.concatenate([np.full(self.q, log_slope), shifts, [logit_eta]])

    def minimise(
        self, start: Array, *, channel: Channel | None = None, share: float | None = None
    ) -> tuple[Array, float]:
        """The least point and its value, with errors of that channel beside those to any class.

        ``share``, if any, is kept, and made up of both kinds as fits best.
        """
        bounds = [LOG_SLOPES] * self.q + [SHIFTS] * self.q
        func = partial(self.loss, channel=channel)
        if share is None:
            bounds += [LOGITS] * (1 if channel is None else 2)
        else:
            func = partial(self.loss_at, share, channel=channel)
            start = np.append(start[: 2 * self.q], _logit_part(start, self.q))
            bounds += [PARTS] * (start.size - 2 * self.q)
        with one_blas_thread:
            result = minimize(
                func, start, jac=True, method="L-BFGS-B", bounds=bounds,
                options={"maxiter": 500, "ftol": 1e-10},
            )  # fmt: skip
        point = result.x if share is None else self._with_share(result.x, share)
        return point, float(result.fun)

    def _with_share(self, theta: Array, share: float) -> Array:
        """Rates that make up the share: of the part ``expit(theta[-1])`` by a channel, if any."""
        part = expit(theta[2 * self.q :])
        rates = share * np.append((1.0 - part.sum()) * (self.q + 1) / self.q, part)
        return np.append(theta[: 2 * self.q], logit(rates))

    def loss_at(
        self, share: float, theta: Array, channel: Channel | None = None
    ) -> tuple[float, Array]:
        """The same at a share: ``theta`` ends with the logit of the part by a channel, if any."""
        point = self._with_share(theta, share)
        value, slope = self.loss(point, channel)
        rates, part = rates_of(point, self.q), expit(theta[2 * self.q :])
        by_rate = slope[2 * self.q :] / (rates * (1.0 - rates))
        of_any = by_rate[0] * (self.q + 1) / self.q
        by_part = share * (by_rate[1:] - of_any) * part * (1.0 - part)
        return value, np.append(slope[: 2 * self.q], by_part)

    def loss(self, theta: Array, channel: Channel | None = None) -> tuple[float, Array]:
        q = self.q
        rates, slope = rates_of(theta, q), np.zeros(theta.size)
        value, of_raters = self.log_likelihood(theta, channel, slope=slope)
        value, gradient = -value, -slope
        gradient[2 * q] = -of_raters[2].sum()
        # Weak knowledge: slopes and shifts of the size of those of a fit, and rather few errors.
        size = float(theta[: 2 * q] @ theta[: 2 * q])
        value += size / 8.0 - RARITY * float(np.log1p(-rates).sum())
        gradient[: 2 * q] += theta[: 2 * q] / 4.0
        # Of many classes some have few rows: a slope is like those beside it.
        jumps = np.diff(theta[:q])
        value += self.smooth * float(jumps @ jumps)
        gradient[: q - 1] -= 2.0 * self.smooth * jumps
        gradient[1:q] += 2.0 * self.smooth * jumps
        gradient[2 * q :] += RARITY * rates
        return value, gradient

    def log_likelihood(
        self,
        theta: Array,
        channel: Channel | None,
        effects: RaterEffects | None = None,
        slope: Array | None = None,
    ) -> tuple[float, Array]:
        """Its value, and of each rater derivatives by his effects, and what his labels have of it.

        ``slope`` gets the derivatives by theta, but for that by the logit of eta.
        """
        q = self.q
        effects = effects or self.effects or RaterEffects.none(self.n_raters)
        slopes, shifts = np.exp(theta[:q]), theta[q : 2 * q]
        nu = float(rates_of(theta, q)[1]) if theta.size > 2 * q + 1 else 0.0
        etas = effects.etas(theta[2 * q], nu)
        way = (self.no_table, 0) if channel is None else (channel.table, channel.reach)
        data = self.margins, self.codes, self.weights, self.confirmed, self.original, self.raters
        gradient, of_raters = np.empty(2 * q + 1), np.empty((4, etas.size))
        how = slopes, shifts, effects.shifts, np.exp(effects.log_scales), etas, nu
        value = label_likelihood(*data, *how, *way, gradient, of_raters)
        most = etas >= MOST_CARELESS * (1.0 - nu)
        if slope is not None:
            slope[:q], slope[q : 2 * q] = gradient[:q] * slopes, gradient[q : 2 * q]
            by_nu = gradient[2 * q] - MOST_CARELESS * of_raters[2, most].sum()
            slope[2 * q + 1 :] = by_nu * nu * (1.0 - nu)
        of_raters[2] *= etas * (1.0 - etas) * ~most
        return value, of_raters


def _cuts(margins: Array, codes: Codes, weights: Array) -> Array:
    """Of each column the value that as much weight lies above as labels lie above its class."""
    shares = np.cumsum(np.bincount(codes, weights, margins.shape[1] + 1)) / weights.sum()
    columns = zip(margins.T, shares, strict=False)
    return np.array([weighted_quantile(np.array(m), share, weights) for m, share in columns])


def rates_of(theta: Array, q: int) -> Array:
    """``eta``, and ``nu`` where it is among the parameters."""
    rates: Array = expit(theta[2 * q :])
    return rates


def share_of(rates: Array, n_classes: int) -> float:
    """The share of labels that are wrong."""
    return float(rates[0] * (n_classes - 1) / n_classes + rates[1:].sum())


def _logit_part(theta: Array, q: int) -> Array:
    """The logit of the part of the share that comes by a channel; blank without one."""
    rates = rates_of(theta, q)
    return np.clip(logit(rates[1:] / share_of(rates, q + 1)), *PARTS)
