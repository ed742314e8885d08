"""How much do columns change the probability of each class, and what is predicted how surely?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from csvor._labels import index_of
from csvor._parts.engine import sums
from csvor._regression.kept import Kept
from csvor._regression.slopes import Change, average_changes, probability_errors, two_values
from csvor._regression.summary import reach_of, wald_table
from csvor._regression.terms import column_positions

Array = NDArray[np.float64]


class Effects(Kept):
    """Effects of columns, and predictions with their errors."""

    _column_names: Any

    def marginal_effects(
        self,
        X: ArrayLike | None = None,
        *,
        columns: ArrayLike | None = None,
        at: str | Mapping[Any, float] | None = None,
        level: float = 0.95,
        covariance: ArrayLike | None = None,
    ) -> pd.DataFrame:
        r"""How much the probability of each class changes with a column.

        .. math::

            \frac{1}{\sum_i w_i} \sum_i w_i \frac{\partial P(y = k \mid x_i)}{\partial x_{ij}},

        or at one point. Of a column with two values in the training rows it is the difference
        between them, :math:`P(y = k \mid x_j = high) - P(y = k \mid x_j = low)`, the other columns
        as they are. Classes are true ones: the share of wrong labels is not in them. Effects of a
        column on all classes sum to 0. Errors are those of the delta method,
        :math:`\nabla^T V \nabla` with the covariance V of the estimates.

        Each column is changed alone: one that stands for another beside it (a square, a product,
        one level of several) has no effect of its own that means anything.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows over which effects are averaged, each counting once; by default the training
            rows with their weights. Raters count as the middle of all.
        columns : array-like of str or int, default=None
            Names or positions; by default all.
        at : "mean" or mapping of columns to values, default=None
            One point instead of an average: the mean of the rows, or these values and the mean
            of all other columns.
        level : float, default=0.95
            Of the intervals.
        covariance : array-like of shape (n_parameters, n_parameters), default=None
            In place of ``covariance_``, such as `sandwich` gives.

        Returns
        -------
        effects : DataFrame
            A row for each column and class: column, class, effect, error, z, p, low, high.

        Raises
        ------
        ValueError
            If a column is not known, or the model came from a file and has no training rows.

        References
        ----------
        W. H. Greene and D. A. Hensher, *Modeling Ordered Choices*, Cambridge University Press,
        2010, :doi:`10.1017/CBO9780511845062`.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(500, 2))
        >>> y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=500), [-1.0, 1.0])
        >>> model = OrdinalRegression(wrong=0).fit(X, y)
        >>> model.marginal_effects(columns=["x0"])[["column", "class", "effect"]].round(2)
          column  class  effect
        0     x0      0   -0.20
        1     x0      1    0.01
        2     x0      2    0.19
        """
        training, names = self._training, self._column_names()
        asked = (
            range(len(names)) if columns is None else column_positions("columns", columns, names)
        )
        of_rows = training.rows.X[:, : len(names)]
        binary = two_values(of_rows)
        weights = training.rows.weights if X is None else None
        rows = of_rows if X is None else self._known_columns(X)
        if at is not None:
            rows, weights = self._point(at, rows, weights), None
        changes: list[Change] = [binary[j] for j in asked]
        effects, slopes = average_changes(self._model, rows, weights, asked, changes)
        within = self._covariance_within(covariance)
        errors = np.sqrt(np.einsum("jkp,pr,jkr->jk", slopes, within, slopes).clip(0.0))
        n_classes = self.classes_.size
        table = wald_table(np.arange(effects.size), effects.ravel(), errors.ravel(), level)
        table = table.rename(columns={"estimate": "effect"}).rename_axis(None)
        table.insert(0, "column", np.repeat([names[j] for j in asked], n_classes))
        table.insert(1, "class", np.tile(self.classes_, len(asked)))
        return table

    def _point(self, at: Any, rows: Any, weights: Any) -> Array:
        """The mean of rows, or a point of which the user names values, as one row."""
        mass, total = sums(_sums_of_part, *([rows] if weights is None else [rows, weights]))
        point: Array = total / mass
        if isinstance(at, Mapping):
            for column, value in at.items():
                (position,) = column_positions("at", [column], self._column_names())
                point[position] = float(value)
        elif not (isinstance(at, str) and at == "mean"):
            raise ValueError(
                f'at must be "mean", or values by columns such as {{"age": 60}}, got {at!r}.'
            )
        return point[None]

    def predict_proba_interval(
        self, X: ArrayLike, level: float = 0.95, covariance: ArrayLike | None = None
    ) -> pd.DataFrame:
        r"""The probability of each true class with its error and interval.

        .. math::

            \operatorname{logit} P(y = k \mid x) \pm
            z \frac{\sqrt{\nabla P^T V \nabla P}}{P (1 - P)},

        as ``predict(se.fit = TRUE, interval = TRUE)`` of R's ``clm``: intervals are symmetric on
        the logit scale, whatever the link, and stay between 0 and 1. V is the covariance of the
        estimates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows in memory.
        level : float, default=0.95
            Of the intervals.
        covariance : array-like of shape (n_parameters, n_parameters), default=None
            In place of ``covariance_``, such as `sandwich` gives.

        Returns
        -------
        predicted : DataFrame
            A line for each row and class, which are its index: probability, error, low, high.
            ``.unstack()`` puts the classes side by side.

        Raises
        ------
        TypeError
            If X lies in partitions of dask.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(500, 2))
        >>> y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=500), [-1.0, 1.0])
        >>> model = OrdinalRegression(wrong=0).fit(X, y)
        >>> model.predict_proba_interval([[0.0, 0.0]]).round(2)
                        probability  error   low  high
        position class
        0        0             0.33   0.02  0.28  0.37
                 1             0.38   0.03  0.33  0.43
                 2             0.29   0.02  0.25  0.34
        """
        rows = self._in_memory(X, "Intervals")
        within = self._covariance_within(covariance)
        proba, error = probability_errors(self._model, rows, within, _each_class)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = reach_of(level) * error / (proba * (1.0 - proba))
            middle = np.log(proba) - np.log1p(-proba)
            low, high = expit(middle - reach), expit(middle + reach)
        sure = ~np.isfinite(middle)  # where a probability is 0 or 1 but for rounding
        low, high = np.where(sure, proba, low), np.where(sure, proba, high)
        classes = pd.Categorical(self.classes_, categories=self.classes_, ordered=True)
        of_rows = _named_rows(X)
        index = pd.MultiIndex.from_product([of_rows, classes], names=[of_rows.name, "class"])
        of_lines = {"probability": proba, "error": error, "low": low, "high": high}
        return pd.DataFrame({k: v.ravel() for k, v in of_lines.items()}, index=index)

    def expected_level(
        self, X: ArrayLike, level: float = 0.95, covariance: ArrayLike | None = None
    ) -> pd.DataFrame:
        r"""The mean of the true class, with its error and interval.

        .. math::

            E(y \mid x) = \sum_k l_k P(y = k \mid x)

        where :math:`l_k` is the class itself, where classes are numbers or their text, else
        1, ..., K. Errors are those of the delta method, intervals symmetric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows in memory.
        level : float, default=0.95
            Of the intervals.
        covariance : array-like of shape (n_parameters, n_parameters), default=None
            In place of ``covariance_``, such as `sandwich` gives.

        Returns
        -------
        predicted : DataFrame
            A line for each row: expected, error, low, high.

        Raises
        ------
        TypeError
            If X lies in partitions of dask.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(500, 2))
        >>> y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=500), [-1.0, 1.0])
        >>> model = OrdinalRegression(wrong=0).fit(X, y)
        >>> model.expected_level([[0.0, 0.0], [1.0, 0.0]]).round(2)
                  expected  error   low  high
        position
        0             0.97   0.04  0.89  1.04
        1             1.42   0.05  1.32  1.52
        """
        rows = self._in_memory(X, "Errors")
        within = self._covariance_within(covariance)
        mean_of = partial(_mean_of_levels, _levels(self.classes_))
        expected, error = (
            of[:, 0] for of in probability_errors(self._model, rows, within, mean_of)
        )
        reach = reach_of(level) * error
        columns = {
            "expected": expected, "error": error,
            "low": expected - reach, "high": expected + reach,
        }  # fmt: skip
        return pd.DataFrame(columns, index=_named_rows(X))


def _sums_of_part(X: Any, weights: Array | None = None) -> tuple[Any, ...]:
    weights = np.ones(X.shape[0]) if weights is None else weights
    return float(weights.sum()), weights @ np.asarray(X, dtype=np.float64)


def _each_class(of_classes: Array) -> Array:
    return of_classes


def _mean_of_levels(levels: Array, of_classes: Array) -> Array:
    return np.tensordot(levels, of_classes, axes=1)[None]


def _levels(classes: NDArray[Any]) -> Array:
    """Classes as numbers where all are or spell one, else 1, ..., K."""
    try:
        return classes.astype(np.float64)
    except (TypeError, ValueError):
        return np.arange(1.0, classes.size + 1.0)


def _named_rows(X: Any) -> Any:
    """The index of a frame, or the positions of its rows where it has none that says more."""
    index = index_of(X)
    return pd.RangeIndex(len(X), name="position") if index is None else index
