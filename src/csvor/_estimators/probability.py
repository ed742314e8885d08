"""Class probabilities from scores: proportional odds with the score as the one covariate.

``P(y <= k) = 1 / (1 + exp(-a (c_k - f)))``, slope ``a`` and cuts ``c`` of greatest likelihood.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded
from scipy.special import expit, logit

from csvor._parts.engine import rows_where, take
from csvor._utils.cached import cached_property
from csvor._utils.threads import threads_for

Array = NDArray[np.float64]

# Rows that tell the slope to a percent, and rows of a rare class that tell its cuts as well.
_ENOUGH, _ENOUGH_OF_CLASS = 10_000, 100
# Of (slope times the mean distance of the scores from their mean)^2 / 2, per row. It ends the
# growth of the slope on rows that the score separates, and hardly moves that of others.
_PENALTY = 1e-6
# In the same units. A slope of 0 or below means that the scores tell nothing.
_LEAST_SLOPE = 1e-6
# Of the total weight, counted for a class that has less.
_LEAST_SHARE = 1e-6


class Calibration:
    """The rows that tell slope and cuts, and these once they are asked for.

    A copy that leaves the process (pickle, skops) holds slope and cuts alone.
    """

    scores: Array
    codes: NDArray[np.integer]
    weights: Array
    present: NDArray[np.bool_]
    shift: float

    def __init__(
        self,
        scores: Array,
        codes: NDArray[np.integer],
        weights: Array,
        kept: NDArray[np.bool_],
        present: NDArray[np.bool_],
        shift: float,
    ) -> None:
        """``codes`` count the classes that are ``present``; the score is ``scores + shift``."""
        self.scores, self.codes, self.weights = _telling_rows(
            scores, codes, weights, kept, int(present.sum())
        )
        self.present, self.shift = present, shift

    @cached_property
    def curve(self) -> tuple[float, Array]:
        """Slope and cuts; the cut is infinite between an end and a class with rows."""
        slope, cuts = fit_curve(self.scores, self.codes, self.weights)
        passed = np.cumsum(self.present)[:-1]
        return slope, np.concatenate([[-np.inf], cuts + self.shift, [np.inf]])[passed]

    def __getstate__(self) -> dict[str, Any]:
        return {"curve": self.curve}


def _telling_rows(
    scores: Array,
    codes: NDArray[np.integer],
    weights: Array,
    kept: NDArray[np.bool_],
    n_classes: int,
) -> tuple[Array, NDArray[np.integer], Array]:
    """Scores, codes and weights of kept rows, or a fixed random part of many, which weighs as much.

    A class that the part has few of is drawn for itself; one that was cut away whole is told by
    its cut rows, for want of others.
    """
    n = codes.size
    drawn = n > _ENOUGH
    rng = np.random.default_rng(0)
    rows = rng.choice(n, _ENOUGH, replace=False) if drawn else np.arange(n)
    *usual, is_kept = take(rows, scores, codes, weights, kept)
    usual = [column[is_kept] for column in usual]
    counts = np.bincount(usual[1], minlength=n_classes)
    few = np.flatnonzero(counts < (_ENOUGH_OF_CLASS if drawn else 1))
    is_usual = ~np.isin(usual[1], few)
    parts = [[column[is_usual] for column in usual]]
    for k in few:
        members = rows_where((codes == k) & kept)
        members = members if members.size else rows_where(codes == k)
        size = min(members.size, _ENOUGH_OF_CLASS) if drawn else members.size
        of_class = take(rng.choice(members, size, replace=False), scores, codes, weights)
        of_class[2] = of_class[2] * (members.size / size * (_ENOUGH / n if drawn else 1.0))
        parts.append(of_class)
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return columns[0], columns[1], columns[2]


def fit_curve(scores: Array, codes: NDArray[np.integer], weights: Array) -> tuple[float, Array]:
    """Slope and rising cuts of greatest penalised likelihood; every class has rows.

    In the mean over the rows minus ``log(P(y <= y_i) - P(y <= y_i - 1))`` plus a light penalty on
    the slope, which is convex in ``(a, a c)``.
    """
    weights = np.maximum(weights / weights.max(), 1e-200)
    of_class = np.bincount(codes, weights)
    weights = weights * np.maximum(1.0, _LEAST_SHARE * weights.sum() / of_class)[codes]
    weights /= weights.sum()
    centre = float(weights @ scores)
    spread = float(weights @ np.abs(scores - centre))
    # Rounding of one and the same score is no spread, nor what has no reciprocal.
    spread = spread if spread > max(1e-12 * abs(centre), 1e-280) else 1.0
    likelihood = _Likelihood((scores - centre) / spread, codes, weights)
    with threads_for(scores.size):
        point = likelihood.maximum()
    if point[0] < _LEAST_SLOPE:
        point = np.append(_LEAST_SLOPE, likelihood.start[1:])
    return float(point[0] / spread), centre + spread * point[1:] / point[0]


class _Likelihood:
    """Loss in ``theta = (a, a c_1, ..., a c_{K-1})`` of scores about 0 and weights of sum 1."""

    def __init__(self, scores: Array, codes: NDArray[np.integer], weights: Array) -> None:
        self.of_class = np.bincount(codes, weights)
        n_cuts = self.of_class.size - 1
        # Each row meets the cut above its class and the one below; a side is +1 below its cut.
        below, above = codes < n_cuts, codes > 0
        self.scores = np.concatenate([scores[below], scores[above]])
        self.cut = np.concatenate([codes[below], codes[above] - 1])
        self.side = np.concatenate([np.ones(below.sum()), -np.ones(above.sum())])
        self.weights = np.concatenate([weights[below], weights[above]])
        self.start = np.append(0.0, logit(np.cumsum(self.of_class)[:-1]))

    def value(self, theta: Array) -> float:
        """The loss; log-sums, so that no row is too far off to count with its whole misfit."""
        inner = np.log(-np.expm1(-np.diff(theta[1:])))
        inside = self.side * (theta[1:][self.cut] - theta[0] * self.scores)
        # log(expit(inside)), ten times as fast as SciPy's.
        log_likelihood = self.weights @ (
            np.minimum(inside, 0.0) - np.log1p(np.exp(-np.abs(inside)))
        )
        penalty = 0.5 * _PENALTY * theta[0] ** 2
        return float(penalty - log_likelihood - self.of_class[1:-1] @ inner)

    def derivatives(self, theta: Array) -> tuple[Array, float, Array, Array]:
        """Gradient of `value`, and of its Hessian the corner, the border and the three bands."""
        n_cuts = theta.size - 1
        wrong = expit(-self.side * (theta[1:][self.cut] - theta[0] * self.scores))
        pull = -self.weights * self.side * wrong
        bend = self.weights * wrong * (1.0 - wrong)
        gradient, bands = np.empty(theta.size), np.zeros((3, n_cuts))
        gradient[0] = _PENALTY * theta[0] - pull @ self.scores
        gradient[1:] = np.bincount(self.cut, pull, n_cuts)
        gaps = np.diff(theta[1:])
        with np.errstate(over="ignore"):  # of a gap so wide that nothing pushes its cuts apart
            push = self.of_class[1:-1] / np.expm1(gaps)
        gradient[1:-1] += push
        gradient[2:] -= push
        stiff = push / -np.expm1(-gaps)
        bands[0, 1:] = bands[2, :-1] = -stiff
        bands[1] = np.bincount(self.cut, bend, n_cuts)
        bands[1, :-1] += stiff
        bands[1, 1:] += stiff
        border = np.zeros(n_cuts)
        border -= np.bincount(self.cut, bend * self.scores, n_cuts)
        return gradient, float(_PENALTY + bend @ self.scores**2), border, bands

    def newton_step(self, theta: Array) -> tuple[Array, float]:
        """The step, and the fall that it promises."""
        gradient, corner, border, bands = self.derivatives(theta)
        bands[1] += 1e-12 * bands[1] + 1e-18  # for cuts that no row is near
        sides = np.column_stack([gradient[1:], border])
        by_cuts, by_slope = solve_banded((1, 1), bands, sides).T
        slope = (border @ by_cuts - gradient[0]) / max(corner - border @ by_slope, _PENALTY)
        step = np.append(slope, -by_cuts - slope * by_slope)
        return step, -float(gradient @ step)

    def maximum(self) -> Array:
        """By Newton steps, cut short where gaps would close or the loss would not fall."""
        theta = self.start
        value = self.value(theta)
        for _ in range(200):
            step, promised = self.newton_step(theta)
            closing = -np.diff(step[1:]) / np.diff(theta[1:])
            t = min(1.0, 0.9 / max(closing.max(initial=0.0), 1e-300))
            trial, fallen = theta + t * step, self.value(theta + t * step)
            while fallen > value - 1e-4 * t * promised and t > 1e-10:
                t *= 0.5
                trial, fallen = theta + t * step, self.value(theta + t * step)
            if not fallen < value:
                break
            theta, value = trial, fallen
            if promised <= 1e-14:
                break
        return theta


def interval_probabilities(
    scores: Array, cuts: Array, slope: float, predicted: NDArray[np.integer]
) -> Array:
    """Mass of each class, with the predicted class never below another.

    Where another class holds more mass than the predicted one, the predicted class is raised to
    that mass and the row is scaled back to 1.
    """
    infinite = np.full((scores.size, 1), np.inf)
    # Far rows may overflow to infinity; a class without rows lies between two infinite cuts.
    with np.errstate(over="ignore", invalid="ignore"):
        at = slope * (cuts - scores[:, None])
        width = np.nan_to_num(slope * np.diff(cuts, prepend=-np.inf, append=np.inf), posinf=np.inf)
    # expit(u) - expit(l) without cancellation in the tails.
    mass = expit(np.hstack([at, infinite])) * expit(-np.hstack([-infinite, at])) * -np.expm1(-width)
    rows = np.arange(scores.size)
    largest = mass.max(axis=1)
    behind = mass.argmax(axis=1) != predicted
    # A hair above, so that argmax does not fall on the earlier of two equal classes.
    mass[rows[behind], predicted[behind]] = largest[behind] * (1.0 + 1e-12)
    return mass / mass.sum(axis=1, keepdims=True)
