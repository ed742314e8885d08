"""What does each row, or group of rows, do to the estimates?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from csvor._data.tables import masked_as_nan
from csvor._labels import refuse_other_order
from csvor._parts.engine import sums, total
from csvor._regression.kept import Kept
from csvor._regression.likelihood import Model, RowTerms, blocks
from csvor._utils.lazy import is_lazy

Array = NDArray[np.float64]
Codes = NDArray[np.integer]


class Influence(Kept):
    """Errors that hold where rows hang together, and the pull of each row."""

    n_parameters_: int

    def sandwich(self, groups: ArrayLike | None = None) -> Array:
        r"""The covariance of the estimates by what rows, or groups of rows, add to the slope.

        .. math::

            \frac{G}{G - 1} V \Big(\sum_{g=1}^G S_g S_g^T\Big) V, \qquad
            S_g = \sum_{i \in g} w_i \nabla \log P(y_i \mid x_i),

        with V the inverse of the observed information. It holds where rows of a group depend on
        each other (visits of one patient, grades of one school), and where the model is not quite
        the truth. Without groups each of the rows that weights stand for is one:
        :math:`G = \sum_i w_i`, and the sum is over :math:`w_i \nabla_i \nabla_i^T`. Give
        ``groups=range(n_samples)`` where weights are those of a survey: then it is over
        :math:`w_i^2 \nabla_i \nabla_i^T`. With a ridge its slope is a part of each row's.

        Few groups tell little: with less than some 30 the errors are too small.

        Parameters
        ----------
        groups : array-like of shape (n_samples,), default=None
            To which group each training row belongs, in the order of the rows.

        Returns
        -------
        covariance : ndarray of shape (n_parameters, n_parameters)
            In the order of ``parameter_names_``, for ``covariance=`` of `summary`,
            `marginal_effects` and `expected_level`.

        Raises
        ------
        ValueError
            If there are not as many groups as rows, they have the index of the rows in another
            order, a group is missing, all are one, or the model came from a file and has no
            training rows.

        References
        ----------
        P. J. Huber, "The behavior of maximum likelihood estimates under nonstandard conditions",
        Proceedings of the Fifth Berkeley Symposium 1, 1967, 221-233.
        K.-Y. Liang and S. L. Zeger, "Longitudinal data analysis using generalized linear models",
        Biometrika 73(1), 1986, :doi:`10.1093/biomet/73.1.13`.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> school = np.repeat(np.arange(50), 10)
        >>> X = rng.normal(size=(500, 2))
        >>> X[:, 1] = X[10 * school, 1]
        >>> scores = X @ [1.0, -0.5] + rng.normal(size=50)[school] + rng.logistic(size=500)
        >>> model = OrdinalRegression(wrong=0).fit(X, np.digitize(scores, [-1.0, 1.0]))
        >>> robust = model.sandwich(groups=school)
        >>> (np.sqrt(np.diag(robust) / np.diag(model.covariance_))[2:]).round(1)
        array([1. , 1.2])
        """
        training, model = self._training, self._model
        search = training.search(model.terms)
        pull = search.ridge * model.theta / search.mass
        rows, n_groups = training.rows, search.mass
        if groups is None and n_groups < 2.0:
            raise ValueError(
                f"The weights sum to {n_groups:g}, and without groups each is a number of rows: "
                "give groups=range(n_samples)."
            )
        if groups is None:
            (outer,) = sums(partial(_outer_of_part, model, pull), rows.X, rows.codes, rows.weights)
        else:
            n, of_rows = _groups_of(groups, training)
            work, n_groups = partial(_sums_by_group, model, pull, n), float(n)
            (slopes,), _ = total(work, rows.X, rows.codes, rows.weights, shared=(of_rows,))
            outer = slopes.T @ slopes
        inverse = self._inner_covariance
        inner = n_groups / (n_groups - 1.0) * (inverse @ outer @ inverse)
        change = model.terms.in_given_units(model.center, model.factor)
        return np.asarray(change @ inner @ change.T)

    def influence(self) -> pd.DataFrame:
        r"""How far each training row pulls each estimate, in standard errors.

        .. math::

            \frac{\theta - \theta_{(i)}}{\sqrt{V_{jj}}} \approx
            \frac{(V w_i \nabla \log P(y_i \mid x_i))_j}{\sqrt{V_{jj}}}, \qquad
            D_i = \frac{w_i^2}{p} \nabla_i^T V \nabla_i

        where :math:`\theta_{(i)}` are the estimates without row i, to first order, and V is
        ``covariance_``. :math:`D_i` is Cook's distance, over all p parameters that were sought.
        Rows beyond about :math:`2 / \sqrt n` pull much. Where wrong labels are in the model, a
        row whose label is probably wrong pulls the share, and little else.

        Returns
        -------
        influence : DataFrame
            A line for each training row, in memory: a column for each of ``parameter_names_``,
            and ``cooks_distance``. A row of weight 0 pulls nothing.

        Raises
        ------
        ValueError
            If the model came from a file and has no training rows.

        References
        ----------
        D. A. Belsley, E. Kuh and R. E. Welsch, *Regression Diagnostics*, Wiley, 1980,
        :doi:`10.1002/0471725153`.
        R. D. Cook, "Detection of influential observation in linear regression", Technometrics
        19(1), 1977, :doi:`10.1080/00401706.1977.10489493`.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 1))
        >>> y = np.digitize(X[:, 0] + rng.logistic(size=200), [-1.0, 1.0])
        >>> X[7], y[7] = 5.0, 0
        >>> influence = OrdinalRegression(wrong=0).fit(X, y).influence()
        >>> int(influence["cooks_distance"].idxmax())
        7
        """
        training, model, inverse = self._training, self._model, self._inner_covariance
        change = model.terms.in_given_units(model.center, model.factor)
        errors = np.sqrt(np.diag(change @ inverse @ change.T))
        scale = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0.0)
        rows = training.rows
        work = partial(_pull_of_part, model, scale[:, None] * (change @ inverse), inverse)
        _, (pulls,) = total(work, rows.X, rows.codes, rows.weights)
        pulls[:, -1] /= self.n_parameters_
        table = pd.DataFrame(pulls, columns=[*self.parameter_names_, "cooks_distance"])
        if training.counted is None:
            return table
        table.index = pd.Index(np.flatnonzero(training.counted))
        return table.reindex(range(training.counted.size), fill_value=0.0)


def _groups_of(groups: Any, training: Any) -> tuple[int, Codes]:
    """How many groups there are, and that of each row that counts."""
    refuse_other_order(training.index, groups=groups)
    values = masked_as_nan(groups.compute() if is_lazy(groups) else groups)
    codes, names = pd.factorize(pd.Series(np.asarray(values, dtype=object)))
    counted = training.counted
    n_rows = training.rows.codes.shape[0] if counted is None else counted.size
    if codes.size != n_rows:
        raise ValueError(f"groups has {codes.size} entries and X {n_rows} rows: give one a row.")
    if np.any(codes < 0):
        row = int(np.argmax(codes < 0))
        raise ValueError(f"groups has no entry in row {row}: name its group.")
    if counted is not None:
        distinct, codes = np.unique(codes[counted], return_inverse=True)
        names = names[distinct]
    if len(names) < 2:
        raise ValueError(f"All rows are in one group, {names[0]!r}: errors need several.")
    return len(names), codes


def _outer_of_part(model: Model, pull: Array, X: Any, codes: Codes, weights: Array) -> tuple[Array]:
    outer = np.zeros((model.terms.size, model.terms.size))
    for block in blocks(X.shape[0], model):
        scores = RowTerms.of(model, X[block], codes[block]).scores - pull
        outer += (weights[block, None] * scores).T @ scores
    return (outer,)


def _sums_by_group(
    model: Model, pull: Array, n_groups: int, start: int, X: Any, codes: Codes, weights: Array,
    groups: Codes,
) -> tuple[tuple[Array], tuple[()]]:  # fmt: skip
    slopes = np.zeros((n_groups, model.terms.size))
    of_part = groups[start : start + X.shape[0]]
    for block in blocks(X.shape[0], model):
        scores = RowTerms.of(model, X[block], codes[block]).scores - pull
        np.add.at(slopes, of_part[block], weights[block, None] * scores)
    return (slopes,), ()


def _pull_of_part(
    model: Model, to_errors: Array, inverse: Array, start: int, X: Any, codes: Codes,
    weights: Array,
) -> tuple[tuple[()], tuple[Array]]:  # fmt: skip
    pulls = np.empty((X.shape[0], model.terms.size + 1))
    for block in blocks(X.shape[0], model):
        scores = weights[block, None] * RowTerms.of(model, X[block], codes[block]).scores
        pulls[block, :-1] = scores @ to_errors.T
        pulls[block, -1] = ((scores @ inverse) * scores).sum(axis=1)
    return (), (pulls,)
