"""Which values of a parameter do the rows not refuse, whatever the others are?

The signed root of the likelihood ratio, ``r(v) = sign(v - v0) sqrt(2 (l - l(v)))``, has the normal
distribution: an interval ends where it is the normal quantile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from csvor._regression.fit import Fitting, Likelihoods
from csvor._regression.likelihood import Model
from csvor._regression.optimum import LEAST_SHARE, Optimum, Search, most_wrong
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]

# Of the signed root at an end; steps until then.
_CLOSE, _MOST_STEPS = 1e-5, 50
# How much farther from the estimate the next step may go, and the farthest, in standard errors.
_GROWTH, _FARTHEST = 3.0, 1e4
# Newton's steps at a value, and what the last one may gain of log-likelihood.
_MOST_NEWTON, _SMALL = 5, 1e-4


@dataclass(frozen=True, eq=False)
class Point:
    """The likelihood near its greatest at one value of the parameter.

    Attributes
    ----------
    model : Model
    value : float
        The greatest log-likelihood, by a quadratic from that of the model.
    slope : float
        Its derivative by the parameter.
    information : ndarray of shape (n_parameters, n_parameters)
        Minus the Hessian at the model.
    gain : float
        By how much the value is more than that of the model.
    step : ndarray of shape (n_free,)
        From the model to where it is greatest.
    """

    model: Model
    value: float
    slope: float
    information: Array
    gain: float
    step: Array


@dataclass(frozen=True, eq=False)
class Profile:
    """The greatest likelihood at each value of one parameter.

    Attributes
    ----------
    search : Search
        Over the other parameters; this one is held.
    best : Optimum
        Over all.
    position : int
        Which parameter it is.
    """

    search: Search
    best: Optimum
    position: int

    @classmethod
    def of(
        cls, fitting: Fitting, best: Optimum, position: int, fixed: NDArray[np.bool_]
    ) -> Profile:
        """Of the parameter at a position; some of the others are fixed."""
        held = fixed.copy()
        held[position] = True
        return cls(fitting.search(best.model.terms, held), best, position)

    @cached_property
    def error(self) -> float:
        """The standard error of the parameter; 0.1 where the likelihood has no clear peak."""
        J, free, i = self.best.information, ~self.search.held, self.position
        curve = J[i, i] - J[i, free] @ self._response(J)
        return float(1.0 / np.sqrt(curve)) if curve > 0.0 and self.best.converged else 0.1

    def _response(self, J: Array) -> Array:
        """By how much the others fall where the parameter rises by 1."""
        free = ~self.search.held
        return np.asarray(np.linalg.lstsq(J[np.ix_(free, free)], J[free, self.position])[0])

    def _point(self, model: Model) -> Point:
        """Refused (LinAlgError) where the likelihood of the other parameters has no peak."""
        value, slope, curve = self.search.terms_at(model, 2)
        free, i = ~self.search.held, self.position
        step = cho_solve(cho_factor(-curve[np.ix_(free, free)]), slope[free])
        gain = 0.5 * float(slope[free] @ step)
        return Point(
            model, value + gain, float(slope[i] + curve[i, free] @ step), -curve, gain, step
        )

    def _start(self, value: float, near: Point | Optimum) -> Model:
        """Where the likelihood is about greatest at a value, from that at a value near it."""
        free, wrong = ~self.search.held, near.model.terms.slices["wrong"]
        theta = near.model.theta.copy()
        theta[free] -= (value - theta[self.position]) * self._response(near.information)
        shares = np.clip(theta[wrong], LEAST_SHARE, most_wrong(near.model.terms) / 2.0)
        theta[wrong] = np.where(free[wrong], shares, theta[wrong])
        return with_value(replace(near.model, theta=theta), self.position, value)

    def point_from(self, start: Model) -> Point:
        """The greatest likelihood at the value of a start: by Newton's steps, or by the search."""
        free, model, wrong = ~self.search.held, start, start.terms.slices["wrong"]
        try:
            for _ in range(_MOST_NEWTON):
                point = self._point(model)
                if point.gain < _SMALL:
                    return point
                theta = model.theta.copy()
                theta[free] += point.step
                if np.any(theta[wrong] < 0.0):
                    break
                model = replace(model, theta=theta)
        except np.linalg.LinAlgError:
            pass
        return self._searched(start)

    def _searched(self, start: Model) -> Point:
        end = self.search.maximise(start)
        slope = self.search.terms_at(end.model, 1)[1]
        none = np.zeros(int(np.sum(~self.search.held)))
        return Point(end.model, end.value, float(slope[self.position]), end.information, 0.0, none)

    def end(self, sign: int, reach: float, limit: float) -> float:
        """Where the signed root is ``reach``, below or above the estimate; it is more at the limit.

        Newton's steps, between distances of which one is too near and one too far; the slope of
        the greatest likelihood is that of the likelihood. Where thresholds would cross on the
        way to a distance, half of the way is gone first. Where the root never gets so far, the
        end is infinite.
        """
        middle = float(self.best.model.theta[self.position])
        near: Point | Optimum = self.best
        inside, outside = 0.0, abs(limit - middle)
        distance, most_fall = min(reach * self.error, outside / 2.0), 4.0 * reach**2 + 10.0
        for _ in range(_MOST_STEPS):
            start = self._start(middle + sign * distance, near)
            if self._falls(start, near, most_fall):  # thresholds that are one would part, or cross
                start = with_value(near.model, self.position, middle + sign * distance)
            if self._falls(start, near, most_fall):
                distance = 0.5 * (distance + abs(near.model.theta[self.position] - middle))
                continue
            point = self.point_from(start)
            root = np.sqrt(max(2.0 * (self.best.value - point.value), 0.0))
            if abs(root - reach) < _CLOSE:
                break
            inside, outside = (distance, outside) if root < reach else (inside, distance)
            # A point beyond the end may be of another optimum, from which no search comes back.
            near, slope = point if root < reach else near, abs(point.slope)
            step = distance + (reach - root) * root / slope if slope > 0.0 else np.inf
            farthest = _GROWTH * distance
            if inside < step < min(outside, farthest):
                distance = step
            else:
                distance = min((inside + outside) / 2.0, farthest)
            if distance > _FARTHEST * self.error:
                return float(sign * np.inf)
        return float(middle + sign * distance)

    def _falls(self, start: Model, near: Point | Optimum, most: float) -> bool:
        return bool(near.value - self.search.terms_at(start, 0)[0] > most)

    def interval(self, reach: float) -> tuple[float, float]:
        """Both ends."""
        return self.end(-1, reach, -np.inf), self.end(1, reach, np.inf)


def with_value(model: Model, position: int, value: float) -> Model:
    """The same but for one parameter."""
    theta = model.theta.copy()
    theta[position] = value
    return replace(model, theta=theta)


def share_interval(fitting: Fitting, likelihoods: Likelihoods, reach: float) -> tuple[float, float]:
    """Of the share of wrong labels: from 0, where a model without them is not refused.

    Where no label is found to be wrong, the upper end is the greater one of the channels.
    """
    best, ends = likelihoods.best, likelihoods.by_channel
    if best.model.terms.channels:
        ends = {"": best}
    profiles = []
    for end in ends.values():
        fixed = np.zeros(end.model.terms.size, dtype=bool)
        profiles.append(Profile.of(fitting, end, fixed.size - 1, fixed))
    most = most_wrong(best.model.terms)
    high = max(profile.end(1, reach, most) for profile in profiles)
    refused = 2.0 * (best.value - likelihoods.plain.value) > reach**2
    return profiles[0].end(-1, reach, 0.0) if refused else 0.0, high


def uncentred(fitting: Fitting, best: Optimum) -> tuple[Fitting, Optimum]:
    """The same by parameters of columns that are scaled alone: thresholds are of a row of zeros."""
    bare = replace(fitting, center=np.zeros_like(fitting.center))
    terms = best.model.terms
    change = np.linalg.solve(
        terms.in_given_units(bare.center, bare.factor),
        terms.in_given_units(fitting.center, fitting.factor),
    )
    back = np.linalg.inv(change)
    model = bare.model(terms, change @ best.model.theta)
    return bare, replace(best, model=model, information=back.T @ best.information @ back)
