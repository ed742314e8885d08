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
from scipy.optimize import minimize
from scipy.special import expit

from csvor._mixture.rater_data import Population, Ratings
from csvor._mixture.rater_problem import RaterProblem
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
# Steps of the minimisation in each round, and in the last.
_STEPS, _LAST_STEPS = 30, 100
# Nodes of a class where they are several, the most of all, and the ratings of which both are tried.
# (Without features several are no better: politeness .988 and .985 with 5 levels, 1.308 and 1.306
# with 9; AdultContent2 finds classes of its own, .246 and .270 are wrong.)
_SEVERAL, _MOST_NODES, _TRIED = 3, 30, 200_000
# Raters that are taken to have been seen before, with the spreads of a `Population`.
_SEEN = 2.0
_SEEN_CARELESS = 10.0  # labels, of all classes alike
# Log-likelihood that a parameter has to gain (Akaike).
_PARAMETER = 1.0
# Added to spreads of which a part is taken: raters who are this alike are alike.
_NARROW = 0.1
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
    tables : ndarray of shape (n_raters, n_classes, n_nodes)
        ``P(y = k | t, r)`` in the order r, k, t, in the mean over what raters may be.
    posterior : ndarray of shape (n_items, n_nodes)
        ``P(t | ratings)`` by these.
    """

    problem: RaterProblem
    theta: Array
    loss: float
    tables: Array
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

    def classes_by(self, rater: int | None) -> Array:
        """1 where k is the class of node t, shape (n_nodes, n_classes).

        By a rater it is the label that he gives most there; None is the middle of the raters.
        """
        scale = self.scale
        classes = np.arange(scale.values.size) // scale.per_class
        if rater is not None:
            classes = looking_tables(scale, self.raters[[rater]])[0].argmax(axis=0)
        return np.eye(scale.n_classes)[classes]

    @property
    def masses(self) -> Array:
        """The share of the items at each node."""
        return np.asarray(self.posterior.mean(axis=0))


def fit_raters(
    ratings: Ratings, margins: Array | None = None, per_class: int | None = None,
    start: RaterModel | None = None,
) -> RaterModel:  # fmt: skip
    """The model of greatest penalised likelihood.

    The cuts of the scale are those of the middle (median) of the raters, or where true classes are
    known, theirs.

    Parameters
    ----------
    ratings : Ratings
    margins : ndarray of shape (n_items, n_classes - 1), default=None
        Held-out margins of each item, falling in k.
    per_class : int, default=None
        Nodes of each class; None is one, or where there are margins, by which items of a class
        differ, several if that is likelier by more than chance.
    start : RaterModel, default=None
        Of the same ratings without margins, whose raters are the first.
    """
    if per_class is None:
        several = _SEVERAL if ratings.n_classes * _SEVERAL <= _MOST_NODES else 1
        tried = margins is not None and ratings.codes.size <= _TRIED
        numbers = {1, several if tried else 1}
        models = [fit_raters(ratings, margins, number, start) for number in sorted(numbers)]
        return min(models, key=lambda model: model.loss + _PARAMETER * model.problem.n_common)
    problem = RaterProblem(ratings, margins, per_class)
    theta = problem.start()
    if start is not None:
        problem.population, problem.careless = start.population, start.problem.careless
        theta[: problem.n_scale] = start.theta[: problem.n_scale]
        theta[problem.n_common :] = start.raters.ravel()
    covariances = rater_covariances(problem, theta)
    has_truth = bool((ratings.known >= 0).any())
    with one_blas_thread:
        for _ in range(_ROUNDS):
            theta = _minimise(problem, theta, covariances)
            before = problem.population
            covariances = rater_covariances(problem, theta)
            problem.population = _population(problem, theta, covariances, free=has_truth)
            problem.careless = _careless_labels(problem, theta)
            if not has_truth:
                theta = _recentred(problem, theta)
            if _change(before, problem.population) < _CHANGE:
                break
        theta = _minimise(problem, theta, covariances, _LAST_STEPS)
        loss, _ = problem.loss(theta)
        tables = _mean_tables(problem, theta, covariances)
        return RaterModel(problem, theta, loss, tables, problem.posterior_by(theta, tables))


def rater_covariances(problem: RaterProblem, theta: Array) -> Array:
    """Posterior covariances of the parameters of each rater, all else given."""
    known = problem.population.spreads(problem.n_of_rater) ** -2.0
    # Where a loss is no bowl in all directions, what the population tells is left.
    values, vectors = np.linalg.eigh(problem.curvature(theta) + np.diag(known))
    values = np.maximum(values, 0.2 * known.min())
    return np.asarray(np.einsum("rab,rb,rcb->rac", vectors, 1.0 / values, vectors))


def _mean_tables(problem: RaterProblem, theta: Array, covariances: Array) -> Array:
    """How raters label in the mean over what they may be: a rater of few ratings is unsure.

    By the points of a cubature, which has the mean of all polynomials of degree 3.
    """
    scale, raters, n = problem.scale_of(theta), problem.raters_of(theta), problem.n_of_rater
    moves = np.sqrt(n) * np.linalg.cholesky(covariances)
    points = [raters + sign * moves[..., a] for a in range(n) for sign in (1.0, -1.0)]
    return np.asarray(sum(label_tables(scale, point) for point in points) / len(points))


def _minimise(
    problem: RaterProblem, theta: Array, covariances: Array, steps: int = _STEPS
) -> Array:
    """By steps measured in units of how sure the parameters are, those of each rater together."""
    first = problem.n_common
    unit, roots = _unit_of_common(problem), np.linalg.cholesky(covariances)
    start = np.linalg.solve(roots, problem.raters_of(theta)[..., None])

    def unscaled(x: Array) -> Array:
        raters = np.einsum("rab,rb->ra", roots, x[first:].reshape(-1, problem.n_of_rater))
        return np.append(unit * x[:first], raters)

    def scaled(x: Array) -> tuple[float, Array]:
        value, gradient = problem.loss(unscaled(x))
        raters = np.einsum("rab,ra->rb", roots, problem.raters_of(gradient))
        return value, np.append(unit * gradient[:first], raters)

    result = minimize(
        scaled, np.append(theta[:first] / unit, start), jac=True, method="L-BFGS-B",
        options={"maxiter": steps, "ftol": 1e-9, "maxcor": 10},
    )  # fmt: skip
    return unscaled(result.x)


def _unit_of_common(problem: RaterProblem) -> Array:
    """About the standard error of each parameter that all share."""
    unit = np.full(problem.n_common, 1.0 / np.sqrt(1.0 + 0.2 * problem.ratings.codes.size))
    unit[problem.n_scale :] = 1.0 / np.sqrt(1.0 + 0.2 * problem.ratings.n_items)
    return unit


def _population(
    problem: RaterProblem, theta: Array, covariances: Array, *, free: bool
) -> Population:
    before, raters = problem.population, problem.raters_of(theta)
    # Of each parameter the part that the ratings tell: the rest is the population's.
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    parts = np.clip(1.0 - variances / before.spreads(problem.n_of_rater) ** 2, 1e-3, 1.0)
    mean = raters[:, SHIFT].mean()
    squares = (raters - [mean, *np.zeros(problem.n_of_rater - 1)]) ** 2
    groups = [slice(SHIFT, SHIFT + 1), slice(SLOPE, SLOPE + 1), slice(LIKING, None)]
    sums = np.array([squares[:, group].sum() for group in groups])
    n = np.array([parts[:, group].sum() for group in groups]) - (1.0, 0.0, 0.0)  # for the mean
    before_all = _SEEN * np.array([1.0, 1.0, squares[0, LIKING:].size])
    sums += before_all * Population().spreads(LIKING + 1)[[SHIFT, SLOPE, LIKING]] ** 2
    spreads = np.clip(np.sqrt(sums / (np.maximum(n, 0.0) + before_all + 1e-9)), *_SPREADS)
    moved = (raters[:, CARELESS] - before.careless).sum() / parts[:, CARELESS].sum()
    careless = np.clip(before.careless + np.clip(moved, -1.0, 1.0), *_CARELESS)
    middle = mean if free else mean - np.median(raters[:, SHIFT])
    return Population(float(middle), float(careless), *map(float, spreads))


def _careless_labels(problem: RaterProblem, theta: Array) -> Array:
    """Which labels raters give who do not look; all alike where these are few."""
    raters, scale = problem.raters_of(theta), problem.scale_of(theta)
    share = expit(raters[:, CARELESS])[:, None, None] * scale.careless
    n = (problem.counts * share / label_tables(scale, raters)).sum(axis=(0, 2))
    n += _SEEN_CARELESS / n.size
    return np.asarray(n / n.sum())


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
