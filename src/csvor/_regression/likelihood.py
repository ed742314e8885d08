"""What is the likelihood of labels under a cumulative link model, and how does it change?

Row i has ``u_ij = (c_j + z_i' g_j - x_i' b) exp(-s_i' t)`` at threshold j and
``P(y_i) = sum_t M[y_i, t] (F(u_it) - F(u_i,t-1))``. The sums over rows are made in blocks, in
memory or in partitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._parts.engine import each, sums
from csvor._regression.links import LINKS, Link, class_probabilities, ordered_probabilities
from csvor._regression.terms import Terms
from csvor._regression.wrong import by_cuts, label_table, table_slopes
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]
Codes = NDArray[np.integer]

# Numbers in the columns of a block.
_BLOCK = 2**18
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns of labelled rows, of NumPy or of dask: features, codes of classes, weights."""

    X: Any
    codes: Any
    weights: Any


@dataclass(frozen=True, eq=False)
class Model:
    """A cumulative link model at some parameters; it sees any rows.

    Features are read as ``(x - center) factor``; those of the scale are not centred.
    """

    terms: Terms
    link: str
    theta: Array
    center: Array
    factor: Array

    @property
    def _curves(self) -> Link:
        return LINKS[self.link]

    @property
    def table(self) -> Array:
        """``M[k, t]``, the probability of label k where the class is t."""
        shares = self.terms.part(self.theta, "wrong")
        return label_table(self.terms.channels, shares, self.terms.n_cuts + 1)

    def columns(self, X: Any) -> tuple[Array, Array, Array]:
        """Features of location, of nominal effects (with a column of ones), and of the scale."""
        terms = self.terms
        centred = (X - self.center) * self.factor
        ones, scale = np.ones((X.shape[0], 1)), list(terms.scale)
        nominal = np.hstack([ones, centred[:, list(terms.nominal)]])
        return centred[:, list(terms.location)], nominal, X[:, scale] * self.factor[scale]

    def predictors(self, x: Array, z: Array, s: Array) -> tuple[Array, Array]:
        """``u`` of shape (n, q), and ``exp(-s' t)`` of shape (n, 1)."""
        terms, theta = self.terms, self.theta
        by_column = theta[: terms.slices["nominal"].stop].reshape(-1, terms.n_cuts)
        inverse = np.exp(-(s @ terms.part(theta, "scale")))[:, None]
        return (z @ by_column - (x @ terms.part(theta, "location"))[:, None]) * inverse, inverse

    def probabilities(self, X: Any) -> Array:
        """Of the true classes, of shape (n, n_classes)."""
        u, _ = self.predictors(*self.columns(X))
        below, above, _, _ = self._curves.curves(u)
        return ordered_probabilities(below, above)


@dataclass(frozen=True, eq=False)
class RowTerms:
    """What the likelihood of a block of rows is made of; derivatives are by ``u`` and by shares."""

    x: Array
    z: Array
    s: Array
    u: Array
    inverse: Array
    likelihood: Array  # P(y_i)
    first: Array  # d log P / du, (n, q)
    second: Array  # (d2 P / du2) / P, (n, q)
    by_share: Array  # (dP / d share) / P, (n, channels)
    crossed: list[Array]  # (d2 P / du d share) / P, each (n, q)

    @classmethod
    def of(cls, model: Model, X: Any, codes: Codes) -> RowTerms:
        """At the parameters of a model."""
        x, z, s = model.columns(X)
        u, inverse = model.predictors(x, z, s)
        below, above, density, slope = model._curves.curves(u)
        classes, table = class_probabilities(below, above), model.table
        likelihood = np.einsum("ik,ik->i", table[codes], classes)
        if model.terms.channels:  # an error would make up for thresholds that cross
            at_label = classes[np.arange(codes.size), codes]
            likelihood = np.where(at_label < 0.0, 0.0, likelihood)
        likelihood = np.maximum(likelihood, _LEAST)
        # Thresholds that cross leave no likelihood, and nothing to go by: a step there is undone.
        per_row = np.where(likelihood > _LEAST, 1.0 / likelihood, 0.0)[:, None]
        factors = by_cuts(table)[codes]
        slopes = table_slopes(model.terms.channels, classes.shape[1])
        by_share = np.array([np.einsum("ik,ik->i", t[codes], classes) for t in slopes])
        return cls(
            x, z, s, u, inverse, likelihood,
            factors * density * per_row, factors * slope * per_row,
            by_share.reshape(len(slopes), codes.size).T * per_row,
            [by_cuts(t)[codes] * density * per_row for t in slopes],
        )  # fmt: skip

    def _total(self, of_cuts: Array) -> Array:
        """The sum over the thresholds, of shape (n, 1)."""
        return of_cuts @ np.ones((of_cuts.shape[1], 1))

    @cached_property
    def scores(self) -> Array:
        """The derivatives of ``log P(y_i)`` by the parameters, of shape (n, n_parameters)."""
        inner = self.first * self.inverse
        of_cuts = [inner, *(inner * column[:, None] for column in self.z.T[1:])]
        parts = [*of_cuts, -self._total(inner) * self.x]
        if self.s.shape[1]:
            parts.append(-self._total(self.first * self.u) * self.s)
        return np.hstack([*parts, self.by_share])

    def hessian(self, weights: Array) -> Array:
        """Of the weighted log-likelihood."""
        w, x, z = weights[:, None], self.x, self.z
        q, n_columns = self.u.shape[1], z.shape[1]
        curve = w * self.second * self.inverse * self.inverse
        crossed = [w * of_share for of_share in self.crossed]
        b = n_columns * q
        c = b + x.shape[1]
        d = c + self.s.shape[1]
        H = np.zeros((d + len(crossed), d + len(crossed)))
        for i in range(n_columns):
            at = np.arange(i * q, (i + 1) * q)
            for k in range(i, n_columns):
                H[at, at + (k - i) * q] = (z[:, i] * z[:, k]) @ curve
            H[at, b:c] = -(z[:, [i]] * curve).T @ x
            for k, of_share in enumerate(crossed):
                H[at, d + k] = (z[:, i] * self.inverse[:, 0]) @ of_share
        H[b:c, b:c] = x.T @ (self._total(curve) * x)
        for k, of_share in enumerate(crossed):
            H[b:c, d + k] = -(self._total(of_share * self.inverse).T @ x)
        if d > c:
            self._add_scale(H, w, crossed)
        scores = np.sqrt(w) * self.scores
        upper = np.triu(H, 1)
        return upper + upper.T + np.diag(np.diag(H)) - scores.T @ scores

    def _add_scale(self, H: Array, w: Array, crossed: list[Array]) -> None:
        """The entries of columns that change the spread, on which ``u`` depends by exp."""
        x, z, s, q = self.x, self.z, self.s, self.u.shape[1]
        turn = w * (self.second * self.u + self.first)
        b, d = z.shape[1] * q, H.shape[0] - len(crossed)
        c = d - s.shape[1]
        for i, column in enumerate(z.T):
            H[i * q : (i + 1) * q, c:d] = -(column[:, None] * turn * self.inverse).T @ s
        H[b:c, c:d] = x.T @ (self._total(turn * self.inverse) * s)
        H[c:d, c:d] = s.T @ (self._total(turn * self.u) * s)
        for k, of_share in enumerate(crossed):
            H[c:d, d + k] = -(self._total(of_share * self.u).T @ s)


def log_likelihood(model: Model, rows: Rows, order: int = 2) -> tuple[Any, ...]:
    """Its value, gradient and Hessian by the parameters, up to that order of derivative."""
    return sums(partial(_sums_of_part, model, order), rows.X, rows.codes, rows.weights)


def _sums_of_part(
    model: Model, order: int, X: Any, codes: Codes, weights: Array
) -> tuple[Any, ...]:
    size = model.terms.size
    totals: list[Any] = [0.0, np.zeros(size), np.zeros((size, size))][: order + 1]
    for block in blocks(X.shape[0], model):
        of_rows, w = RowTerms.of(model, X[block], codes[block]), weights[block]
        totals[0] += float(w @ np.log(of_rows.likelihood))
        if order > 0:
            totals[1] += w @ of_rows.scores
        if order > 1:
            totals[2] += of_rows.hessian(w)
    return tuple(totals)


def blocks(n: int, model: Model) -> Iterator[slice]:
    """Rows that are worked on at once."""
    step = max(_BLOCK // (model.terms.size + 4 * model.terms.n_cuts), 64)
    return (slice(first, first + step) for first in range(0, n, step))


def probability_right(model: Model, rows: Rows) -> Any:
    """Of each row, the probability that its label is its class."""
    return each(partial(_right_of_part, model), np.float64, rows.X, rows.codes)


def _right_of_part(model: Model, X: Any, codes: Codes) -> Array:
    classes, table = model.probabilities(X), model.table
    right = np.diag(table)[codes] * classes[np.arange(codes.size), codes]
    return right / np.maximum(np.einsum("ik,ik->i", table[codes], classes), _LEAST)
