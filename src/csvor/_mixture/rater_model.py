"""Who rates how, and which class has each item: the fit of raters to their ratings.

The likelihood is that of `ratings.py` with the tables of `rater_tables.py`. Shifts d and log s of
raters come from normal distributions, so that a rater with few ratings stays near the others; how
wide these are, the ratings say (`rater_population.py`).

A class is one node, or several. With one, items of a class are all alike, and errors of raters are
independent of each other; with several, raters see one quality, which each of them cuts, and items
near a cut mislead all. Which of the two is so, the likelihood tells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from csvor._mixture.rater_data import Population, Ratings
from csvor._mixture.rater_population import (
    careless_labels,
    change_of,
    population_of,
    recentred,
)
from csvor._mixture.rater_problem import RaterProblem
from csvor._mixture.rater_tables import LEAST, Scale, label_tables, looking_tables
from csvor._utils.threads import one_blas_thread

Array = NDArray[np.float64]

# The population is found again so many times at most, or until it changes by less than a part.
_ROUNDS, _CHANGE = 12, 0.03
# Steps of the minimisation in each round, and in the last.
_STEPS, _LAST_STEPS = 30, 100
# Nodes of a class where they are several, and of all classes at most.
_SEVERAL, _MOST_NODES = 5, 90
# Log-likelihood that a parameter has to gain (Akaike).
_PARAMETER = 1.0


@dataclass(frozen=True, eq=False)
class RaterModel:
    """The fitted model.

    Attributes
    ----------
    problem : RaterProblem
    theta : ndarray
        Where its loss is least.
    loss : float
        Minus the logarithm of the evidence, by Laplace's method: what raters may be is integrated
        out. At theta alone, a model of wider spreads would seem likelier where ratings are few.
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
        """Which part of node t is in class k, shape (n_nodes, n_classes).

        A single node is in the class of which the rater gives the label most. Several are cut, so
        that as many items are in a class or above as are labelled so by the rater. None is the
        middle (median) of the raters, or where true classes are known, these.
        """
        scale, n = self.scale, self.scale.n_classes
        if rater is None and (self.has_truth or scale.per_class == 1):
            return np.repeat(np.eye(n), scale.per_class, axis=0)
        tables = looking_tables(scale, self.raters if rater is None else self.raters[[rater]])
        if scale.per_class == 1:
            return np.eye(n)[tables[0].argmax(axis=0)]
        masses = np.maximum(self.masses, LEAST)
        above = np.cumsum((tables @ masses)[:, ::-1], axis=1)[:, -2::-1]
        beyond = masses.sum() - np.cumsum(masses)
        parts = np.clip((np.median(above, axis=0) - beyond[:, None]) / masses[:, None], 0.0, 1.0)
        ends = np.ones((masses.size, 1))
        return -np.diff(np.hstack([ends, parts, 0.0 * ends]), axis=1)

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
        Nodes of each class; None is one or several, whichever is likelier, less Akaike's toll.
    start : RaterModel, default=None
        Of the same ratings, whose raters are the first.
    """
    if per_class is None:
        several = max(1, min(_SEVERAL, _MOST_NODES // ratings.n_classes))
        models = [fit_raters(ratings, margins, 1, start)]
        if several > 1:
            models.append(fit_raters(ratings, margins, several, start or models[0]))
        return min(models, key=lambda model: model.loss + _PARAMETER * model.problem.n_common)
    problem = RaterProblem(ratings, margins, per_class)
    theta = problem.start()
    if start is not None:
        problem.population, problem.careless = start.population, start.problem.careless
        # Places of single nodes come last.
        n = min(problem.n_scale, start.problem.n_scale)
        theta[:n] = start.theta[:n]
        theta[problem.n_common :] = start.raters.ravel()
    covariances = rater_covariances(problem, theta)
    has_truth = bool((ratings.known >= 0).any())
    with one_blas_thread:
        for _ in range(_ROUNDS):
            theta = _minimise(problem, theta, covariances)
            before = problem.population
            covariances = rater_covariances(problem, theta)
            problem.population = population_of(problem, theta, covariances, free=has_truth)
            problem.careless = careless_labels(problem, theta)
            if not has_truth:
                theta = recentred(problem, theta)
            if change_of(before, problem.population) < _CHANGE:
                break
        theta = _minimise(problem, theta, covariances, _LAST_STEPS)
        tables = _mean_tables(problem, theta, covariances)
        loss, posterior = _loss(problem, theta), problem.posterior_by(theta, tables)
        return RaterModel(problem, theta, loss, tables, posterior)


def _loss(problem: RaterProblem, theta: Array) -> float:
    value, _ = problem.loss(theta)
    _, sizes = np.linalg.slogdet(rater_covariances(problem, theta))
    spreads = problem.population.spreads(problem.n_of_rater)
    return float(value + sizes.size * np.log(spreads).sum() - 0.5 * sizes.sum())


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
