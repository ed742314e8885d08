"""How far is the label of a row from what its features say, and is it wrong?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._parts.engine import each
from csvor._regression.kept import Kept
from csvor._regression.likelihood import Model, blocks, probability_right
from csvor._regression.links import LINKS
from csvor._regression.slopes import CutSlopes
from csvor._utils.lazy import is_lazy
from csvor._utils.random_state import generator

Array = NDArray[np.float64]
Codes = NDArray[np.integer]

# The spacing of the generator's numbers in [0, 1): none is then 0.
_HALF_STEP = 2.0**-54


class Residuals(Kept):
    """Residuals of labels, and the probability of each to be wrong."""

    def residuals(
        self,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        kind: str = "surrogate",
        random_state: Any = None,
    ) -> Any:
        r"""How far each label is from what its features say, as one number.

        "surrogate": a draw of the error that stands behind the label,

        .. math::

            R = \epsilon - E\,\epsilon, \qquad \epsilon \sim F \text{ between } u_{k-1}
            \text{ and } u_k,

        with :math:`u_k` the predictor of threshold k and k the class of the label. Where the model
        holds, R has the distribution of the link (less its mean; the Cauchy has none, and stays
        as it is), whatever the features: plot it against them, or its quantiles against those of
        the link. Where labels may be wrong, the class is drawn too, from its probabilities
        given the label.

        "probability": :math:`P(Y < y \mid x) - P(Y > y \mid x)` for the label y, between -1 and
        1, with mean 0 where the model holds. Nothing is drawn.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            By default the training rows, with the shifts of their raters.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        kind : {"surrogate", "probability"}, default="surrogate"
            Which residual.
        random_state : int, RandomState, Generator or None, default=None
            For the draws.

        Returns
        -------
        residuals : ndarray of shape (n_samples,)
            Of dask where X, or the training rows, are; nan for training rows of weight 0.

        Raises
        ------
        ValueError
            If only one of X and y is given, the kind is not known, or the model came from a file
            and has no training rows.

        References
        ----------
        D. Liu and H. Zhang, "Residuals and diagnostics for ordinal regression models: a surrogate
        approach", Journal of the American Statistical Association 113(522), 2018,
        :doi:`10.1080/01621459.2017.1292915`.
        C. Li and B. E. Shepherd, "A new residual for ordinal outcomes", Biometrika 99(2), 2012,
        :doi:`10.1093/biomet/asr073`.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(500, 2))
        >>> y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=500), [-1.0, 1.0])
        >>> model = OrdinalRegression(wrong=0).fit(X, y)
        >>> model.residuals([[0.0, 0.0]] * 3, [0, 1, 2], kind="probability").round(2)
        array([-0.67,  0.03,  0.71])
        >>> round(float(model.residuals(random_state=0).std() / (np.pi / np.sqrt(3))), 1)
        1.0
        """
        if kind not in ("surrogate", "probability"):
            raise ValueError(f'kind must be "surrogate" or "probability", got {kind!r}.')
        rows = self._labelled(X, y)
        if kind == "probability":
            work, columns = partial(_probability_scale, self._model), [rows.X, rows.codes]
        else:
            draws = _draws(rows.X, random_state)
            work, columns = partial(_surrogates, self._model), [rows.X, rows.codes, draws]
        return self._for_all_rows(X, each(work, np.float64, *columns))

    def wrong_probability(self, X: ArrayLike | None = None, y: ArrayLike | None = None) -> Any:
        r"""The probability that a label is not the true class.

        .. math::

            1 - \frac{M_{yy} P(y \mid x)}{\sum_t M_{yt} P(t \mid x)}

        with :math:`M_{yt}` the probability of label y where the class is t. It is 0 where the
        model has no wrong labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            By default the training rows, with the shifts of their raters.
        y : array-like of shape (n_samples,), default=None
            Their labels.

        Returns
        -------
        probability : ndarray of shape (n_samples,)
            Of dask where X, or the training rows, are; nan for training rows of weight 0.

        Raises
        ------
        ValueError
            If only one of X and y is given, or the model came from a file and has no training
            rows.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(500, 2))
        >>> y = np.digitize(X @ [9.0, -6.0] + rng.logistic(size=500), [-6.0, 6.0])
        >>> y[:50] = (y[:50] + 1) % 3
        >>> wrong = OrdinalRegression().fit(X, y).wrong_probability()
        >>> bool(wrong[:50].mean() > 0.5), bool(wrong[50:].mean() < 0.05)
        (True, True)
        """
        right = probability_right(self._model, self._labelled(X, y))
        return self._for_all_rows(X, 1.0 - right)


def _draws(X: Any, random_state: Any) -> Any:
    """Two uniform numbers a row, where the rows lie."""
    rng, n = generator(random_state), X.shape[0]
    if not is_lazy(X):
        return rng.random((n, 2)) + _HALF_STEP
    if np.isnan(n):
        raise ValueError(
            "X has an unknown number of rows, for which nothing can be drawn: call "
            "X.compute_chunk_sizes(), of a dataframe X.to_dask_array(lengths=True)."
        )
    import dask.array as da

    seeded: Any = da.random.default_rng(int(rng.integers(2**32)))
    return seeded.random((n, 2), chunks=(X.chunks[0], 2)) + _HALF_STEP


def _surrogates(model: Model, X: Any, codes: Codes, draws: Array) -> Array:
    residuals = np.empty(X.shape[0])
    for block in blocks(X.shape[0], model):
        residuals[block] = _surrogates_of(model, X[block], codes[block], draws[block])
    return residuals


def _surrogates_of(model: Model, X: Any, codes: Codes, draws: Array) -> Array:
    link, rows = LINKS[model.link], CutSlopes.of(model, X)
    classes, position = rows.probabilities, np.arange(codes.size)
    if model.terms.channels:
        chance = np.cumsum(model.table[codes] * classes, axis=1)
        codes = (draws[:, :1] * chance[:, -1:] > chance[:, :-1]).sum(axis=1)
    edge = np.zeros((codes.size, 1))
    of_class = classes[position, codes]
    below = np.hstack([edge, rows.below])[position, codes] + draws[:, 1] * of_class
    above = np.hstack([rows.above, edge])[position, codes] + (1.0 - draws[:, 1]) * of_class
    with np.errstate(divide="ignore", invalid="ignore"):  # of the one that is not taken
        error = np.where(below < 0.5, link.quantile(below), link.upper_quantile(above))
    # So far out that the class has no probability in numbers, all of it is at the nearer threshold.
    lower = np.hstack([edge - np.inf, rows.u])[position, codes]
    upper = np.hstack([rows.u, edge + np.inf])[position, codes]
    nearer = np.where(lower > 0.0, lower, upper)
    return np.where(np.isfinite(error), error, nearer) - link.mean


def _probability_scale(model: Model, X: Any, codes: Codes) -> Array:
    residuals = np.empty(X.shape[0])
    ranks = np.arange(model.terms.n_cuts + 1)
    for block in blocks(X.shape[0], model):
        labels = model.probabilities(X[block]) @ model.table.T
        residuals[block] = (np.sign(codes[block, None] - ranks) * labels).sum(axis=1)
    return residuals
