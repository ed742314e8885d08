"""Which settings does a study try for a method, and how are they fitted?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from csvor._data.fit_data import DATA_PARAMETERS
from csvor.methods import POWERS, STRENGTHS

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Setting = Mapping[str, Any]
FitGrid = Callable[[Any, Array, Labels, Sequence[Setting], Array], Labels]


def fit_each(
    estimator: Any, X: Array, y: Labels, grid: Sequence[Setting], X_valid: Array
) -> Labels:
    """Predictions of one fit per setting, one after another.

    Parameters
    ----------
    estimator : object
        An unfitted classifier; it is cloned.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    grid : sequence of mappings
        The settings: names of parameters and their values.
    X_valid : ndarray of shape (n_valid, n_features)

    Returns
    -------
    predictions : ndarray of shape (n_grid, n_valid)

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import SVOREX
    >>> from csvor.study import fit_each
    >>> X, y = np.arange(6.0)[:, None], np.array([1, 1, 2, 2, 3, 3])
    >>> fit_each(SVOREX(), X, y, [{"C": 0.1}, {"C": 10.0}], X[[0, 5]]).shape
    (2, 2)
    """
    return np.array(
        [clone(estimator).set_params(**setting).fit(X, y).predict(X_valid) for setting in grid]
    )


def fit_together(
    estimator: Any, X: Array, y: Labels, grid: Sequence[Setting], X_valid: Array
) -> Labels:
    """The same for the estimators of csvor, which check the data of a grid once where they can.

    Parameters
    ----------
    estimator : object
        An unfitted estimator with ``fit_many``.
    X, y, grid, X_valid
        As of `fit_each`.

    Returns
    -------
    predictions : ndarray of shape (n_grid, n_valid)

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import SVOREX
    >>> from csvor.study import fit_together
    >>> X, y = np.arange(6.0)[:, None], np.array([1, 1, 2, 2, 3, 3])
    >>> fit_together(SVOREX(), X, y, [{"C": 0.1}, {"C": 10.0}], X[[0, 5]]).shape
    (2, 2)
    """
    if any(DATA_PARAMETERS & setting.keys() for setting in grid):
        return fit_each(estimator, X, y, grid, X_valid)
    return np.array([model.predict(X_valid) for model in estimator.fit_many(X, y, grid)])


def fit_at_found_share(
    estimator: Any, X: Array, y: Labels, grid: Sequence[Setting], X_valid: Array
) -> Labels:
    """As `fit_together`, for CSVOR with the share of wrong labels found once for all settings.

    Parameters
    ----------
    estimator : CSVOR
        Unfitted.
    X, y, grid, X_valid
        As of `fit_each`.

    Returns
    -------
    predictions : ndarray of shape (n_grid, n_valid)

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import CSVOR
    >>> from csvor.study import fit_at_found_share
    >>> X, y = np.arange(30.0)[:, None], np.repeat([1, 2, 3], 10)
    >>> fit_at_found_share(CSVOR(), X, y, [{"C": 0.1}, {"C": 10.0}], X[[0, 29]]).tolist()
    [[1, 3], [1, 3]]
    """
    share = clone(estimator).set_params(contamination="auto").fit(X, y).contamination_
    at_share = clone(estimator).set_params(contamination=share)
    return fit_together(at_share, X, y, grid, X_valid)


@dataclass(frozen=True)
class StudyMethod:
    """How a study chooses the parameters of a method.

    Attributes
    ----------
    grid : Mapping of str to tuple
        Values of each parameter. Of settings with equal error the one listed first is taken: the
        first parameter counts most, the first value is preferred. So C rises.
    fit_grid : callable
        ``fit_grid(estimator, X, y, grid, X_valid)`` gives predictions of shape (n_grid, n_valid);
        a method that can share work between settings puts its own here.
    cost : float
        Milliseconds of a fit, roughly: long cells start first.
    finds_outliers : bool
        Whether ``outliers_`` and ``residuals_`` of a fit are judged against the corrupted rows.
    """

    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    fit_grid: FitGrid = fit_each
    cost: float = 10.0
    finds_outliers: bool = False


# The paper's; C = 1 / (2 gamma), so C rises where gamma falls.
GAMMAS = tuple(10.0**e for e in range(-3, 4))
CAPPED_STRENGTHS = tuple(1 / (2 * gamma) for gamma in reversed(GAMMAS))
# Small first: near 0 the hinges of SVOREX remain.
TAUS = tuple(k / 10 for k in range(1, 10))

# A method of csvor.methods that has no line here is fitted as it is.
STUDY_METHODS: dict[str, StudyMethod] = {
    "CSVOR": StudyMethod(
        {"C": CAPPED_STRENGTHS, "p": POWERS}, fit_together, cost=5.0, finds_outliers=True
    ),
    "CSVOR-auto": StudyMethod(
        {"C": CAPPED_STRENGTHS, "p": POWERS}, fit_at_found_share, cost=6.0, finds_outliers=True
    ),
    "SVOREX": StudyMethod({"C": STRENGTHS}, fit_together, cost=4.0),
    "SVORIM": StudyMethod({"C": STRENGTHS}, fit_together, cost=5.0),
    "PINSVOR": StudyMethod({"C": STRENGTHS, "tau": TAUS}, fit_together, cost=4.0),
    "REDSVM": StudyMethod({"C": STRENGTHS}, fit_together, cost=5.0),
    # Its penalty is too weak to be chosen.
    "POR": StudyMethod(cost=40.0),
    # Maximum likelihood without a penalty, as published.
    "POM": StudyMethod(cost=10.0),
    # Its C does not change what it predicts.
    "KDLOR": StudyMethod(cost=5.0),
}


@dataclass(frozen=True, eq=False)
class MethodRun:
    """A method as a cell needs it: ready to be sent to another process.

    ``estimator`` is unfitted, ``settings`` are the grid written out, preferred ones first.
    """

    name: str
    estimator: Any
    settings: tuple[Setting, ...] = ({},)
    fit_grid: FitGrid = fit_each
    finds_outliers: bool = False
