"""Errors in which every class counts alike; distances are ranks in the class order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor.metrics._pairs import rank_pairs


def per_class_mean_absolute_error(
    y_true: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Mean distance between true and predicted class, for each true class.

    ::

        e_k = sum_{i: y_i = k} s_i |k - rank(yhat_i)| / sum_{i: y_i = k} s_i

    The distance of two labels is the number of steps between them in the class order, whatever
    their values: with the classes 1, 5, 9 the labels 1 and 9 are 2 apart.

    This is what `average_mean_absolute_error` averages and `maximum_mean_absolute_error`
    takes the largest of; it shows which classes had no rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    classes : array-like of shape (n_classes,), default=None
        All classes, lowest first. None takes the order of an ordered pandas dtype or a polars
        Enum; else the numbers that occur in `y_true` or `y_pred`, sorted. Words are refused.
    sample_weight : array-like of shape (n_samples,), default=None
        Not negative. A weight of 2 counts as the row twice, 0 as the row left out.

    Returns
    -------
    errors : ndarray of shape (n_classes,)
        NaN for a class without rows (of positive weight) in `y_true`; lower is better.

    Raises
    ------
    LabelError
        For labels without an order, labels outside `classes`, and missing labels.
    ValueError
        For a wrong number of labels or weights, and for weights that are negative, not finite
        or all zero.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.metrics import per_class_mean_absolute_error
    >>> errors = per_class_mean_absolute_error([0, 0, 1, 3, 3], [0, 1, 1, 3, 4], classes=range(5))
    >>> errors
    array([0.5, 0. , nan, 0.5, nan])
    >>> int(np.isfinite(errors).sum())
    3
    """
    return rank_pairs(y_true, y_pred, classes, sample_weight).mean_distance_of_classes()


def average_mean_absolute_error(
    y_true: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean over the classes of their mean absolute error.

    ::

        sum_{k with rows} e_k / #{k with rows},   e_k = mean of |k - rank(yhat_i)| where y_i = k

    The distance of two labels is the number of steps between them in the class order, whatever
    their values: with the classes 1, 5, 9 the labels 1 and 9 are 2 apart.

    The average is over the classes that have rows (of positive weight) in `y_true`; a class
    that is only declared or only predicted does not count. `per_class_mean_absolute_error` shows
    which classes count.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    classes : array-like of shape (n_classes,), default=None
        All classes, lowest first. None takes the order of an ordered pandas dtype or a polars
        Enum; else the numbers that occur in `y_true` or `y_pred`, sorted. Words are refused.
    sample_weight : array-like of shape (n_samples,), default=None
        Not negative. A weight of 2 counts as the row twice, 0 as the row left out.

    Returns
    -------
    error : float
        From 0 to n_classes - 1; lower is better.

    Raises
    ------
    LabelError
        For labels without an order, labels outside `classes`, and missing labels.
    ValueError
        For a wrong number of labels or weights, and for weights that are negative, not finite
        or all zero.

    Examples
    --------
    >>> from csvor.metrics import average_mean_absolute_error
    >>> average_mean_absolute_error([0, 0, 1, 3, 3], [0, 1, 1, 3, 4])  # doctest: +ELLIPSIS
    0.333...
    """
    errors = rank_pairs(y_true, y_pred, classes, sample_weight).mean_distance_of_classes()
    return float(np.nanmean(errors))


def maximum_mean_absolute_error(
    y_true: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Largest of the classes' mean absolute errors.

    ::

        max_{k with rows} e_k,   e_k = mean of |k - rank(yhat_i)| where y_i = k

    The distance of two labels is the number of steps between them in the class order, whatever
    their values: with the classes 1, 5, 9 the labels 1 and 9 are 2 apart.

    The maximum is over the classes that have rows (of positive weight) in `y_true`; a class
    that is only declared or only predicted does not count. `per_class_mean_absolute_error` shows
    which classes count.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    classes : array-like of shape (n_classes,), default=None
        All classes, lowest first. None takes the order of an ordered pandas dtype or a polars
        Enum; else the numbers that occur in `y_true` or `y_pred`, sorted. Words are refused.
    sample_weight : array-like of shape (n_samples,), default=None
        Not negative. A weight of 2 counts as the row twice, 0 as the row left out.

    Returns
    -------
    error : float
        From 0 to n_classes - 1; lower is better.

    Raises
    ------
    LabelError
        For labels without an order, labels outside `classes`, and missing labels.
    ValueError
        For a wrong number of labels or weights, and for weights that are negative, not finite
        or all zero.

    Examples
    --------
    >>> from csvor.metrics import maximum_mean_absolute_error
    >>> maximum_mean_absolute_error([0, 0, 1, 3, 3], [0, 1, 1, 3, 4])
    0.5
    """
    errors = rank_pairs(y_true, y_pred, classes, sample_weight).mean_distance_of_classes()
    return float(np.nanmax(errors))
