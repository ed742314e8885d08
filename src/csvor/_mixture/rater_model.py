"""Who rates how, and which class has each item: the fit of raters to their ratings.

The likelihood is that of `ratings.py` with the tables of `rater_tables.py`. Shifts d and log s of
raters come from normal distributions, so that a rater with few ratings stays near the others; how
wide these are, the ratings say (empirical Bayes, by the fixed point of MacKay 1992: a variance is
the sum of squares by the number of raters of whom the ratings tell, a part of each).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from csvor._mixture.rater_problem import Population, RaterProblem, Ratings
from csvor._mixture.rater_tables import (
    CARELESS,
    LIKING,
    SHIFT,
    SLOPE,
    Scale,
    label_tables,
    looking_tables,
)
from csvor._utils.threads import one_blas_thread

Array = NDArray[np.float64]

# The population is found again so many times at most, or until it changes by less than a part.
_ROUNDS, _CHANGE = 12, 0.03
_STEPS = 60
# Added to spreads of which a part is taken: raters who are this alike are alike.
_NARROW = 0.1
# Bounds of what all share, of d, log s and logit e, and of likings.
_COMMON, _RATER, _LIKING = (-8.0, 8.0), ((-9.0, 9.0), (-4.0, 3.0), (-9.0, 2.0)), (-9.0, 9.0)
# Bounds of the spreads of d, log s and likings, and of the mean of logit e.
_SPREADS, _CARELESS = ((0.02, 0.02, 0.02), (3.0, 1.2, 3.0)), (-6.0, -1.5)


@dataclass(frozen=True, eq=False)
class RaterModel:
    """The fitted model.

    Attributes
    ----------
    problem : RaterProblem
    theta : ndarray
        Where its loss is least.
    loss : float
    posterior : ndarray of shape (n_items, n_classes)
        ``P(t | ratings)``.
    """

    problem: RaterProblem
    theta: Array
    loss: float
    posterior: Array

    @property
    def population(self) -> Population:
        return self.problem.population

    @property
    def scale(self) -> Scale:
        return self.problem.scale_of(self.theta)

    @property
    def raters(self) -> Array:
        """d, log s, logit e and likings of each rater."""
        return self.problem.raters_of(self.theta)

    @property
    def has_truth(self) -> bool:
        """Whether the true class of some items is known, by which raters are measured."""
        return bool((self.problem.ratings.known >= 0).any())

    @property
    def tables(self) -> Array:
        """``P(y = k | t, r)``, shape (n_raters, n_classes, n_classes) in the order r, k, t."""
        return label_tables(self.scale, self.raters)

    def classes_by(self, rater: int | None) -> Array:
        """1 where k is what a rater gives most to class t, shape (t, k); None is the middle."""
        K = self.scale.values.size
        if rater is None:
            return np.eye(K)
        return np.eye(K)[looking_tables(self.scale, self.raters[[rater]])[0].argmax(axis=0)]

    @property
    def masses(self) -> Array:
        """The share of the items in each class."""
        return np.asarray(self.posterior.mean(axis=0))


def fit_raters(ratings: Ratings, margins: Array | None = None) -> RaterModel:
    """The model of greatest penalised likelihood.

    The cuts of the scale are those of the middle (median) of the raters, or where true classes are
    known, theirs.

    Parameters
    ----------
    ratings : Ratings
    margins : ndarray of shape (n_items, n_classes - 1), default=None
        Held-out margins of each item, falling in k.
    """
    problem = RaterProblem(ratings, margins)
    theta = problem.start()
    variances = _variances(problem, theta)
    has_truth = bool((ratings.known >= 0).any())
    with one_blas_thread:
        for _ in range(_ROUNDS):
            theta = _minimise(problem, theta, variances)
            before = problem.population
            variances = _variances(problem, theta)
            problem.population = _population(problem, theta, variances, free=has_truth)
            if not has_truth:
                theta = _recentred(problem, theta)
            if _change(before, problem.population) < _CHANGE:
                break
        theta = _minimise(problem, theta, variances)
        loss, _ = problem.loss(theta)
    return RaterModel(problem, theta, loss, problem.posterior.copy())


def rater_covariances(problem: RaterProblem, theta: Array) -> Array:
    """Posterior covariances of the parameters of each rater, all else given."""
    known = problem.population.spreads(problem.n_of_rater) ** -2.0
    # Where a loss is no bowl in all directions, what the population tells is left.
    values, vectors = np.linalg.eigh(problem.curvature(theta) + np.diag(known))
    values = np.maximum(values, 0.2 * known.min())
    return np.asarray(np.einsum("rab,rb,rcb->rac", vectors, 1.0 / values, vectors))


def _minimise(problem: RaterProblem, theta: Array, variances: Array) -> Array:
    """By steps measured in units of how sure each parameter is."""
    unit = _units(problem, variances)
    of_rater = [*_RATER, *[_LIKING] * (problem.n_of_rater - LIKING)]
    limits = np.vstack(
        [np.tile(_COMMON, (problem.n_common, 1)), np.tile(of_rater, (problem.ratings.n_raters, 1))]
    )

    def scaled(x: Array) -> tuple[float, Array]:
        value, gradient = problem.loss(x * unit)
        return value, gradient * unit

    result = minimize(
        scaled, theta / unit, jac=True, method="L-BFGS-B",
        bounds=Bounds(*(limits / unit[:, None]).T),
        options={"maxiter": _STEPS, "ftol": 1e-9, "maxcor": 15},
    )  # fmt: skip
    return np.asarray(result.x * unit)


def _variances(problem: RaterProblem, theta: Array) -> Array:
    """Of the parameters of each rater, shape (n_raters, n_of_rater)."""
    return np.diagonal(rater_covariances(problem, theta), axis1=1, axis2=2)


def _units(problem: RaterProblem, variances: Array) -> Array:
    """About the standard error of each parameter."""
    n = problem.ratings.codes.size
    common = np.full(problem.n_common, 1.0 / np.sqrt(1.0 + 0.2 * n))
    items = problem.ratings.n_items
    common[problem.n_scale :] = 1.0 / np.sqrt(1.0 + 0.2 * items)
    return np.concatenate([common, np.sqrt(variances).ravel()])


def _population(problem: RaterProblem, theta: Array, variances: Array, *, free: bool) -> Population:
    before, raters = problem.population, problem.raters_of(theta)
    # Of each parameter the part that the ratings tell: the rest is the population's.
    parts = np.clip(1.0 - variances / before.spreads(problem.n_of_rater) ** 2, 1e-3, 1.0)
    mean = raters[:, SHIFT].mean()
    squares = (raters - [mean, *np.zeros(problem.n_of_rater - 1)]) ** 2
    groups = [slice(SHIFT, SHIFT + 1), slice(SLOPE, SLOPE + 1), slice(LIKING, None)]
    sums = np.array([squares[:, group].sum() for group in groups])
    n = np.array([parts[:, group].sum() for group in groups]) - (1.0, 0.0, 0.0)  # for the mean
    spreads = np.clip(np.sqrt(sums / np.maximum(n, 0.5)), *_SPREADS)
    moved = (raters[:, CARELESS] - before.careless).sum() / parts[:, CARELESS].sum()
    careless = np.clip(before.careless + np.clip(moved, -1.0, 1.0), *_CARELESS)
    middle = mean if free else mean - np.median(raters[:, SHIFT])
    return Population(float(middle), float(careless), *map(float, spreads))


def _recentred(problem: RaterProblem, theta: Array) -> Array:
    """With the middle of the raters at 0."""
    theta = theta.copy()
    raters = problem.raters_of(theta)
    raters[:, SHIFT] -= np.median(raters[:, SHIFT])
    return theta


def _change(before: Population, after: Population) -> float:
    """By which part the spreads changed, and by how much the mean logit of careless shares."""
    one, other = before.spreads(LIKING + 1), after.spreads(LIKING + 1)
    spreads = (np.abs(other - one) / (_NARROW + one)).max()
    return float(max(spreads, 0.2 * abs(after.careless - before.careless)))
