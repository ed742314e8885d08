"""How much do raters differ, and which labels do they give who do not look?

Empirical Bayes, by the fixed point of MacKay (1992): a variance is the sum of squares by the number
of raters of whom the ratings tell, a part of each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from csvor._mixture.rater_data import Population
from csvor._mixture.rater_problem import RaterProblem
from csvor._mixture.rater_tables import CARELESS, LIKING, SHIFT, SLOPE, label_tables

Array = NDArray[np.float64]

# Raters that are taken to have been seen before, with the spreads of a `Population`.
_SEEN = 2.0
_SEEN_CARELESS = 10.0  # labels, of all classes alike
# Added to spreads of which a part is taken: raters who are this alike are alike.
_NARROW = 0.1
# Bounds of the spreads of d, log s and likings, and of the mean of logit e.
_SPREADS, _CARELESS = ((0.02, 0.02, 0.02), (3.0, 1.2, 3.0)), (-6.0, -1.5)


def population_of(
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


def careless_labels(problem: RaterProblem, theta: Array) -> Array:
    """Which labels raters give who do not look; all alike where these are few."""
    raters, scale = problem.raters_of(theta), problem.scale_of(theta)
    share = expit(raters[:, CARELESS])[:, None, None] * scale.careless
    n = (problem.counts * share / label_tables(scale, raters)).sum(axis=(0, 2))
    n += _SEEN_CARELESS / n.size
    return np.asarray(n / n.sum())


def recentred(problem: RaterProblem, theta: Array) -> Array:
    """With the middle of the raters at 0."""
    theta = theta.copy()
    raters = problem.raters_of(theta)
    raters[:, SHIFT] -= np.median(raters[:, SHIFT])
    return theta


def change_of(before: Population, after: Population) -> float:
    """By which part the spreads changed, and by how much the mean logit of careless shares."""
    one, other = before.spreads(LIKING + 1), after.spreads(LIKING + 1)
    spreads = (np.abs(other - one) / (_NARROW + one)).max()
    return float(max(spreads, 0.2 * abs(after.careless - before.careless)))
