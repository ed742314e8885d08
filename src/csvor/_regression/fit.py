"""Which cumulative link model, with which labels wrong, is the most likely for rows?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._estimators import CSVOR
from csvor._parts.engine import take
from csvor._regression.checks import is_steep
from csvor._regression.likelihood import Model, Rows
from csvor._regression.links import LINKS
from csvor._regression.optimum import LEAST_SHARE, Optimum, Search
from csvor._regression.terms import Terms
from csvor._rows.storage import matrix_of
from csvor._utils.cached import cached_property
from csvor._utils.sampling import random_rows
from csvor._utils.warn import warn

Array = NDArray[np.float64]

# The share that a search starts from; that a capped fit cuts; rows that tell where to start.
_STARTS, _CUT, _MOST_ROWS = 0.05, 0.2, 5_000
# Of a box plot: lengths of the box to the whiskers, and to values that are far.
_WHISKER, _FAR = 1.5, 3.0
# Of log-likelihood: less is rounding.
_GAIN = 1e-6
# A share of wrong labels beyond which separated rows are no model of the labels.
_NO_MODEL = 0.5


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """What fits of one model were found to be worth.

    Attributes
    ----------
    best : Optimum
        The chosen one.
    plain : Optimum
        Where no label is wrong; the same where none is found to be.
    by_channel : dict of Optimum
        Those with labels that go wrong in a way; empty where none was tried.
    """

    best: Optimum
    plain: Optimum
    by_channel: dict[str, Optimum]


@dataclass(frozen=True, eq=False)
class Fitting:
    """Rows and a model whose parameters are sought.

    Attributes
    ----------
    rows : Rows
    mass : ndarray of shape (n_classes,)
        The weight of each class.
    terms : Terms
        Without wrong labels.
    link : str
    center, factor : ndarrays of shape (n_features,)
        Parameters are sought for ``(x - center) factor``.
    penalty : float
        Of half the squared coefficients, in the units of X.
    counted : ndarray of shape (n_samples,), bool, or None
        Which rows of X these are, those of weight 0 among them; None in partitions.
    index : Index or None
        Of X, or else of the labels, in pandas.
    """

    rows: Rows
    mass: Array
    terms: Terms
    link: str
    center: Array
    factor: Array
    penalty: float = 0.0
    counted: Any = None
    index: Any = None

    def search(self, terms: Terms, held: NDArray[np.bool_] | None = None) -> Search:
        """The likelihood by the parameters of these terms, of which some are held."""
        ridge, q = np.zeros(terms.size), terms.n_cuts
        if self.penalty:
            columns = (*np.repeat(terms.nominal, q), *terms.location, *terms.scale)
            ridge[q : q + len(columns)] = self.penalty * self.factor[np.array(columns, int)] ** 2
        held = np.zeros(terms.size, dtype=bool) if held is None else held
        return Search(self.rows, float(self.mass.sum()), ridge, held)

    def model(self, terms: Terms, theta: Array) -> Model:
        """At some parameters."""
        return Model(terms, self.link, theta, self.center, self.factor)

    def log_likelihood_of(self, end: Optimum) -> float:
        """What a search ended at, less its ridge."""
        return end.value + 0.5 * float(self.search(end.model.terms).ridge @ end.model.theta**2)

    def without_wrong(self) -> Optimum:
        """The fit in which all labels are right, from equal odds."""
        shares = np.cumsum(self.mass)[:-1] / self.mass.sum()
        theta = np.zeros(self.terms.size)
        theta[: self.terms.n_cuts] = LINKS[self.link].quantile(shares)
        return self.search(self.terms).maximise(self.model(self.terms, theta))

    def with_wrong(self, channel: str, starts: list[Array], share: float | None = None) -> Optimum:
        """The best fit from several starts with labels that go wrong in one way.

        Of many rows some say which start leads to it.
        """
        terms, sample = self.terms.with_channels(channel), self.sample
        held = np.zeros(terms.size, dtype=bool)
        held[-1] = share is not None
        first = _STARTS if share is None else share
        begin = [np.append(start, first) for start in starts]
        if len(begin) > 1 or sample is self:
            search = sample.search(terms, held)
            ends = [search.maximise(sample.model(terms, theta)) for theta in begin]
            # Few separated rows with all others wrong may be more likely, and are no model.
            best = max(ends, key=lambda end: (not is_steep(end.model), end.value))
            if sample is self:
                return best
            begin = [best.model.theta]
            begin[0][-1] = max(begin[0][-1], first)
        return self.search(terms, held).maximise(self.model(terms, begin[0]))

    def _best_of(self, channel: str, starts: list[Array], plain: Optimum) -> Optimum:
        """The best fit with labels that go wrong in one way, or none of them.

        Where columns tell little, a few separated rows with all others wrong are the most likely.
        """
        end, none = self.with_wrong(channel, starts), self._at_none(channel, plain)
        share = float(end.model.theta[-1])
        if is_steep(end.model) and share > _NO_MODEL and not is_steep(plain.model):
            warn(
                f"With {share:.0%} of the labels wrong, columns separate the others without an "
                "exception: such a model says nothing, and all labels are taken to be right. The "
                "columns tell too little to say how many are wrong."
            )
            return none
        return max(end, none, key=lambda one: one.value)

    def _at_none(self, channel: str, plain: Optimum) -> Optimum:
        """The fit in which all labels are right, as one of a share of 0: none may be worse."""
        terms = self.terms.with_channels(channel)
        model = self.model(terms, np.append(plain.model.theta, 0.0))
        _, _, curve = self.search(terms).terms_at(model, 2)
        return replace(plain, model=model, information=-curve)

    @cached_property
    def sample(self) -> Fitting:
        """Some of many rows, in memory; these, where they are few."""
        n = self.rows.codes.shape[0]
        if n <= _MOST_ROWS:
            return self
        X, codes, weights = take(
            random_rows(n, _MOST_ROWS), self.rows.X, self.rows.codes, self.rows.weights
        )
        mass = np.bincount(codes, weights, self.mass.size).astype(np.float64)
        return replace(self, rows=Rows(X, codes, weights), mass=mass)

    def starts(self, plain: Array) -> list[Array]:
        """Where searches start: from the fit without wrong labels, and from a capped one.

        A capped fit, of columns without their far values, is not bent by rows that are far and
        wrong. Without such rows both lead to the same optimum.
        """
        rows, terms = self.sample.rows, self.terms
        columns = [*terms.nominal, *terms.location]
        scaled = (np.asarray(rows.X, dtype=np.float64)[:, columns] - self.center[columns]) * (
            self.factor[columns]
        )
        near = _without_far(scaled)
        # A class of so few rows that the sample has none has no place in its curves.
        if near is scaled or not self.sample.mass.all():
            return [plain]
        (capped,) = CSVOR(
            contamination=_CUT, constraints="implicit", classes=np.arange(terms.n_cuts + 1)
        ).fit_many(near, rows.codes, [{}], rows.weights)
        slope = capped.slope_ * LINKS[self.link].spread
        theta = np.zeros(terms.size)
        theta[: terms.n_cuts] = slope * capped.cutpoints_
        by_column = slope * capped.coef_
        n_nominal = len(terms.nominal)
        theta[terms.slices["nominal"]] = -np.repeat(by_column[:n_nominal], terms.n_cuts)
        theta[terms.slices["location"]] = by_column[n_nominal:]
        return [plain, theta]

    def fitted(self, wrong: str | float) -> Likelihoods:
        """The most likely model: no label wrong, or a share of them, to any class or one beside.

        ``wrong`` is "auto", "any", "beside", or a share to any class.
        """
        plain = self.without_wrong()
        if wrong == 0:
            return Likelihoods(plain, plain, {})
        starts = self.starts(plain.model.theta)
        if not isinstance(wrong, str):
            best = self.with_wrong("any", starts, float(wrong))
            return Likelihoods(best, plain, {"any": best})
        channels = ("any", "beside") if wrong == "auto" else (wrong,)
        if self.terms.n_cuts == 1:
            channels = ("any",)
        # Only rows that are far, and wrong by many classes, ask for a start of their own.
        ends = {c: self._best_of(c, starts if c == "any" else starts[:1], plain) for c in channels}
        best = max(ends.values(), key=lambda end: end.value)
        if best.model.theta[-1] < LEAST_SHARE or best.value < plain.value + _GAIN:
            best = plain
        return Likelihoods(best, plain, ends)


def _without_far(X: Array) -> Array:
    """The same where no value is far; else all are cut to the whiskers of box plots of the columns.

    Of a column of two values none is far.
    """
    low, high = np.quantile(X, [0.25, 0.75], axis=0)
    size = np.where(high > low, high - low, np.inf)
    if np.all((low - _FAR * size <= X) & (high + _FAR * size >= X)):
        return X
    return np.clip(X, low - _WHISKER * size, high + _WHISKER * size)


def scaled_rows(data: Any) -> tuple[Rows, Array, Array]:
    """The rows that count of checked data, as columns of NumPy or of dask; center and factor."""
    codes, weights = data.present_codes, data.weights
    if data.in_memory:
        matrix = matrix_of(data.rows, weights)
        return Rows(data.rows, codes, np.array(weights)), matrix.center, matrix.factor
    from csvor._parts.graph import as_array

    matrix, X = data.matrix, data.matrix.X
    X = as_array(X.parts, X.sizes, X.dtype, (X.n_columns,))
    return Rows(X, codes, weights), matrix.center, matrix.factor
