"""Do the odds at each threshold follow each column alike? The test of Brant (1990).

A logistic regression of "above the threshold or not" at each threshold has coefficients of its
own; they are compared by the covariance that they have as regressions of the same rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._parts.engine import each, sums
from csvor._regression.checks import SeparationError, refuse_separation
from csvor._regression.fit import Fitting
from csvor._regression.likelihood import Model, Rows, blocks, probability_right
from csvor._regression.optimum import Optimum
from csvor._regression.terms import Terms

Array = NDArray[np.float64]


def separate_coefficients(fitting: Fitting) -> tuple[Array, Array]:
    """Of a logistic regression at each threshold, with their covariance.

    Returns
    -------
    coef : ndarray of shape (n_thresholds, n_columns)
        Of scaled columns, in the order of the location.
    covariance : ndarray of shape (n_thresholds, n_columns, n_thresholds, n_columns)

    Raises
    ------
    SeparationError
        If a column separates the rows above and below a threshold.
    """
    q = fitting.terms.n_cuts
    ends = [_above_or_not(fitting, k) for k in range(q)]
    (meat,) = sums(
        partial(_crossed, [end.model for end in ends]), fitting.rows.X, fitting.rows.weights
    )
    inverses = [np.linalg.inv(end.information) for end in ends]
    p = inverses[0].shape[0]
    covariance = np.empty((q, p, q, p))
    for k, bread in enumerate(inverses):
        for m, other in enumerate(inverses):
            covariance[k, :, m] = bread @ meat[min(k, m), max(k, m)] @ other
    coef = np.array([end.model.theta for end in ends])
    return coef[:, 1:], covariance[:, 1:, :, 1:]


def _above_or_not(fitting: Fitting, k: int) -> Optimum:
    """The logistic regression of "class above threshold k"."""
    rows, mass, names = fitting.rows, fitting.mass, fitting.terms.classes
    codes = each(partial(_above, k), np.intp, rows.codes)
    pair = replace(
        fitting,
        rows=Rows(rows.X, codes, rows.weights),
        mass=np.array([mass[: k + 1].sum(), mass[k + 1 :].sum()]),
        terms=Terms(fitting.terms.names, (names[k], names[k + 1]), fitting.terms.location),
        link="logit",
    )
    end = pair.without_wrong()
    right = probability_right(end.model, pair.rows)
    try:
        refuse_separation(end.model, pair.rows, right, end.peaked)
    except SeparationError as error:
        raise SeparationError(
            f"{str(error).partition(': no finite')[0]} at the threshold {names[k]}|{names[k + 1]}, "
            "where Brant's test has a regression of its own: ask for method='likelihood'."
        ) from error
    return end


def _above(k: int, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
    return codes > k


def _crossed(models: list[Model], X: Any, weights: Array) -> tuple[Array]:
    """Of thresholds k <= m, the sum of ``w P(above m) P(not above k) x x'``, with ones before x."""
    q, p = len(models), models[0].theta.size
    total = np.zeros((q, q, p, p))
    for block in blocks(X.shape[0], models[0]):
        x, ones, _ = models[0].columns(X[block])
        x = np.hstack([ones, -x])
        pairs = [model.probabilities(X[block]) for model in models]
        for k in range(q):
            for m in range(k, q):
                w = weights[block] * pairs[m][:, 1] * pairs[k][:, 0]
                total[k, m] += (w[:, None] * x).T @ x
    return (total,)


def wald(coef: Array, covariance: Array, columns: list[int]) -> tuple[float, int]:
    """The statistic that these columns have the same coefficient at each threshold, and its df."""
    q, p = coef.shape
    differences = np.hstack([-np.ones((q - 1, 1)), np.eye(q - 1)])
    D = np.kron(differences, np.eye(p)[columns])
    change = D @ coef.ravel()
    spread = D @ covariance.reshape(q * p, q * p) @ D.T
    return float(change @ np.linalg.solve(spread, change)), change.size
