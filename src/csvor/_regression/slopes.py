"""How do the probabilities of classes change with the parameters, and with the columns?

With ``u_k`` the predictor at threshold k, ``dP(y <= k) = f(u_k) du_k``; the change of each class is
the difference of two such.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._parts.engine import sums, total
from csvor._regression.likelihood import Model, blocks
from csvor._regression.links import LINKS, ordered_probabilities
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CutSlopes:
    """A block of rows at the thresholds, n rows and q thresholds."""

    model: Model
    x: Array
    z: Array
    s: Array
    u: Array
    inverse: Array  # exp(-s' t), (n, 1)
    below: Array  # F(u), (n, q)
    above: Array
    density: Array
    slope: Array

    @classmethod
    def of(cls, model: Model, X: Any) -> CutSlopes:
        """At the parameters of a model."""
        x, z, s = model.columns(X)
        u, inverse = model.predictors(x, z, s)
        return cls(model, x, z, s, u, inverse, *LINKS[model.link].curves(u))

    @property
    def probabilities(self) -> Array:
        """Of the classes, of shape (n, q + 1)."""
        return ordered_probabilities(self.below, self.above)

    @cached_property
    def by_parameters(self) -> Array:
        """``du / dtheta``, of shape (n, q, n_parameters)."""
        n, q = self.u.shape
        terms = self.model.terms
        slopes, cuts = np.zeros((n, q, terms.size)), np.arange(q)
        for i, column in enumerate(self.z.T):
            slopes[:, cuts, i * q + cuts] = column[:, None] * self.inverse
        slopes[:, :, terms.slices["location"]] = -(self.x * self.inverse)[:, None, :]
        slopes[:, :, terms.slices["scale"]] = -self.u[:, :, None] * self.s[:, None, :]
        return slopes

    def by_column(self, weights: Array, column: int) -> tuple[Array, Array]:
        """The weighted sum of ``dF / dx_j`` at each threshold (q), and its slopes (q, n_params)."""
        terms, theta, factor = self.model.terms, self.model.theta, self.model.factor[column]
        q, slices = terms.n_cuts, terms.slices
        effects, bend = np.zeros(q), 0.0  # on u before it is divided by the spread; on its log
        if column in terms.nominal:
            effects += terms.part(theta, "nominal").reshape(-1, q)[terms.nominal.index(column)]
        if column in terms.location:
            effects -= terms.part(theta, "location")[terms.location.index(column)]
        if column in terms.scale:
            bend = terms.part(theta, "scale")[terms.scale.index(column)]
        change = (effects * self.inverse - bend * self.u) * factor
        w = weights[:, None] * self.density
        value = (w * change).sum(axis=0)
        turn = weights[:, None] * self.slope * change - w * (bend * factor)
        slopes = np.einsum("nq,nqp->qp", turn, self.by_parameters)
        mass = w * self.inverse
        cuts, mass_of_cut = np.arange(q), mass.sum(axis=0)
        if column in terms.nominal:
            first = slices["nominal"].start + terms.nominal.index(column) * q
            slopes[cuts, first + cuts] += factor * mass_of_cut
        if column in terms.location:
            position = slices["location"].start + terms.location.index(column)
            slopes[:, position] -= factor * mass_of_cut
        slopes[:, slices["scale"]] -= factor * effects[:, None] * (mass.T @ self.s)
        if column in terms.scale:
            position = slices["scale"].start + terms.scale.index(column)
            slopes[:, position] -= factor * (w * self.u).sum(axis=0)
        return value, slopes

    def below_in_sum(self, weights: Array) -> tuple[Array, Array]:
        """The weighted sum of F at each threshold (q), and its slopes (q, n_parameters)."""
        w = weights[:, None] * self.density
        return weights @ self.below, np.einsum("nq,nqp->qp", w, self.by_parameters)


def of_classes(at_cuts: Array) -> Array:
    """Differences of what stands at the thresholds, first axis q, to classes, first axis q + 1."""
    nothing = np.zeros((1, *at_cuts.shape[1:]))
    return np.diff(np.concatenate([nothing, at_cuts, nothing]), axis=0)


# What is read of a column: its slope (None), or the difference between two of its values.
Change = tuple[float, float] | None


def average_changes(
    model: Model, X: Any, weights: Any, columns: Sequence[int], changes: Sequence[Change]
) -> tuple[Array, Array]:
    """Of each column the mean change of the probabilities over rows, in memory or in partitions.

    Parameters
    ----------
    model : Model
    X : array of shape (n, n_columns), of NumPy or dask
    weights : array of shape (n,), or None
        None is 1 for each row.
    columns : sequence of int
    changes : sequence of Change

    Returns
    -------
    effects : ndarray of shape (n_columns_asked, n_classes)
    slopes : ndarray of shape (n_columns_asked, n_classes, n_parameters)
    """
    work = partial(_changes_of_part, model, tuple(columns), tuple(changes))
    mass, value, slopes = sums(work, X) if weights is None else sums(work, X, weights)
    return (
        np.stack([of_classes(one) for one in value / mass]),
        np.stack([of_classes(one) for one in slopes / mass]),
    )


def _changes_of_part(
    model: Model, columns: tuple[int, ...], changes: tuple[Change, ...], X: Any,
    weights: Array | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    weights = np.ones(X.shape[0]) if weights is None else weights
    q = model.terms.n_cuts
    value, slopes = np.zeros((len(columns), q)), np.zeros((len(columns), q, model.terms.size))
    for block in blocks(X.shape[0], model):
        rows, w = _with_middle_raters(model, X[block]), weights[block]
        as_is = CutSlopes.of(model, rows)
        for i, (column, change) in enumerate(zip(columns, changes, strict=True)):
            if change is None:
                of_block = as_is.by_column(w, column)
            else:
                low, high = (
                    CutSlopes.of(model, _with_value(rows, column, end)).below_in_sum(w)
                    for end in change
                )
                of_block = high[0] - low[0], high[1] - low[1]
            value[i] += of_block[0]
            slopes[i] += of_block[1]
    return float(weights.sum()), value, slopes


def _with_middle_raters(model: Model, X: Any) -> Array:
    """Rows with 0 for the shifts of raters, whose columns are the last."""
    none = np.zeros((X.shape[0], model.center.size - X.shape[1]))
    return np.hstack([np.asarray(X, dtype=np.float64), none])


def _with_value(X: Array, column: int, value: float) -> Array:
    X = X.copy()
    X[:, column] = value
    return X


def two_values(X: Any) -> list[Change]:
    """Of each column its two values, low and high, where it has no others; else None."""
    _, (values,) = total(_three_values, X)
    distinct = [np.unique(column[~np.isnan(column)]) for column in values.T]
    return [(float(of[0]), float(of[1])) if of.size == 2 else None for of in distinct]


def _three_values(start: int, X: Any) -> tuple[tuple[()], tuple[Array]]:
    """The least value of each column, the greatest, and one between them, if there is any."""
    if X.shape[0] == 0:
        return (), (np.empty((0, X.shape[1])),)
    low, high = X.min(axis=0), X.max(axis=0)
    between = np.full(X.shape[1], np.nan)
    for j, column in enumerate(X.T):
        inside = (column != low[j]) & (column != high[j])
        if inside.any():
            between[j] = column[np.argmax(inside)]
    return (), (np.stack([low, high, between]).astype(np.float64),)


def probability_errors(
    model: Model, X: Array, covariance: Array, combine: Callable[[Array], Array]
) -> tuple[Array, Array]:
    """Sums of the probabilities of classes, and their standard errors.

    Parameters
    ----------
    model : Model
    X : ndarray of shape (n, n_columns)
    covariance : ndarray of shape (n_parameters, n_parameters)
    combine : callable
        From what stands on the first axis for each class to the m sums that are asked.

    Returns
    -------
    values, errors : ndarrays of shape (n, m)
    """
    values, errors = [], []
    for block in blocks(X.shape[0], model):
        rows = CutSlopes.of(model, X[block])
        at_cuts = rows.density[:, :, None] * rows.by_parameters
        slopes = combine(of_classes(np.moveaxis(at_cuts, 1, 0)))
        values.append(combine(rows.probabilities.T).T)
        variances = ((slopes @ covariance) * slopes).sum(axis=2).T
        errors.append(np.sqrt(np.maximum(variances, 0.0)))
    return np.concatenate(values), np.concatenate(errors)
