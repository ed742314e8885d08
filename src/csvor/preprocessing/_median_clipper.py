"""How are values far from the others brought to a limit?"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from csvor._data.tables import read_features
from csvor._rows.csr import is_sparse
from csvor._utils.sklearn_private import Interval
from csvor._utils.version import Versioned


class MedianClipper(Versioned, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Bring values far from the middle of their column to a limit learnt from training rows.

    Column j is limited to

    .. math:: m_j \pm \text{spreads} \cdot s_j, \qquad
        m_j = \operatorname{median}_i x_{ij}, \quad
        s_j = \operatorname{median}_i |x_{ij} - m_j|,

    so that one mistyped value (3000 where 3.000 was meant) neither stretches the scale of the
    column nor turns the model. Unlike the mean and the standard deviation, both statistics stay
    put until half of the rows are wrong. Use it before a scaler.

    Parameters
    ----------
    spreads : float, default=5.0
        Half the width that is kept, in median absolute deviations; greater than 0. About 1.5 of
        them are one standard deviation of a normal column, so 5 keeps 99.9 % of its values.

    Attributes
    ----------
    lower_, upper_ : ndarray of shape (n_features,)
        The limits. They are infinite for a column of which more than half of the values are
        equal: it has no median deviation, so there is nothing to measure a distance with.
    n_features_in_ : int
        Number of columns in `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, set only if all of them are strings.

    Raises
    ------
    ValueError
        If a value is infinite. NaN is passed through, so an imputer may come before or after.
    TypeError
        If X is sparse: more than half of a column is 0 there, and nothing would be limited.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.preprocessing import MedianClipper
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0], [3000.0]])
    >>> MedianClipper(spreads=5).fit_transform(X).ravel()
    array([1., 2., 3., 4., 8.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "spreads": [Interval(Real, 0, None, closed="neither")]
    }

    def __init__(self, spreads: float = 5.0) -> None:
        self.spreads = spreads

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn the limits of each column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; NaN is passed over.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        self._validate_params()
        values = self._check(X, reset=True)
        middle = _median(values)
        spread = _median(np.abs(values - middle))
        reach = np.where(spread > 0, self.spreads * spread, np.inf)
        self.lower_ = middle - reach
        self.upper_ = middle + reach
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.floating[Any]]:
        """Limit the values of each column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            A copy within the limits.
        """
        check_is_fitted(self)
        values = self._check(X, reset=False)
        dtype = values.dtype
        limited: NDArray[np.floating[Any]] = np.clip(
            values, self.lower_.astype(dtype), self.upper_.astype(dtype)
        )
        return limited

    def _check(self, X: ArrayLike, *, reset: bool) -> NDArray[np.floating[Any]]:
        if is_sparse(X):
            raise TypeError(
                "X is a sparse matrix: of a column that is mostly 0 MedianClipper would limit "
                "nothing. Clip the dense columns alone, for example in a ColumnTransformer, before "
                "they are put beside sparse ones."
            )
        checked: NDArray[np.floating[Any]] = read_features(
            self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        return checked

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _median(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Median of each column without its NaN; 0 where a column holds nothing else."""
    middle = np.zeros(values.shape[1])
    for j, column in enumerate(values.T):
        kept = column[~np.isnan(column)]
        if kept.size:
            middle[j] = np.median(kept)
    return middle
