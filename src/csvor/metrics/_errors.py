"""Errors that are means over the rows; distances are ranks in the class order."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from csvor.metrics._pairs import rank_pairs


def mean_zero_one_error(
    y_true: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of wrong predictions.

    ::

        sum_i s_i [y_i != yhat_i] / sum_i s_i

    The order of the classes does not matter here.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    classes : array-like of shape (n_classes,), default=None
        All classes, lowest first. When given, other labels are refused.
    sample_weight : array-like of shape (n_samples,), default=None
        Not negative. A weight of 2 counts as the row twice, 0 as the row left out.

    Returns
    -------
    error : float
        From 0 to 1; lower is better.

    Raises
    ------
    LabelError
        For labels without an order, labels outside `classes`, and missing labels.
    ValueError
        For a wrong number of labels or weights, and for weights that are negative, not finite
        or all zero.

    Examples
    --------
    >>> from csvor.metrics import mean_zero_one_error
    >>> mean_zero_one_error(["low", "high", "low"], ["low", "high", "high"])  # doctest: +ELLIPSIS
    0.333...
    """
    pairs = rank_pairs(y_true, y_pred, classes, sample_weight, order_matters=False)
    return pairs.mean(pairs.distance != 0)


def mean_absolute_error(
    y_true: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean distance between true and predicted class.

    ::

        sum_i s_i |rank(y_i) - rank(yhat_i)| / sum_i s_i

    The distance of two labels is the number of steps between them in the class order, whatever
    their values: with the classes 1, 5, 9 the labels 1 and 9 are 2 apart.

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

    See Also
    --------
    average_mean_absolute_error : The same with every class counting alike.
    sklearn.metrics.mean_absolute_error : Distance in the values of the labels.

    Examples
    --------
    >>> from csvor.metrics import mean_absolute_error
    >>> mean_absolute_error([1, 5, 9, 9], [1, 9, 1, 9])
    0.75
    >>> mean_absolute_error(["low", "high"], ["high", "high"], classes=["low", "mid", "high"])
    1.0
    """
    pairs = rank_pairs(y_true, y_pred, classes, sample_weight)
    return pairs.mean(pairs.distance)


def accuracy_off1_score(
    y_true: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of predictions at most one class away from the truth.

    ::

        sum_i s_i [|rank(y_i) - rank(yhat_i)| <= 1] / sum_i s_i

    The distance of two labels is the number of steps between them in the class order, whatever
    their values: with the classes 1, 5, 9 the labels 1 and 9 are 2 apart.

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
    score : float
        From 0 to 1; higher is better. Always 1 for two classes.

    Raises
    ------
    LabelError
        For labels without an order, labels outside `classes`, and missing labels.
    ValueError
        For a wrong number of labels or weights, and for weights that are negative, not finite
        or all zero.

    Examples
    --------
    >>> from csvor.metrics import accuracy_off1_score
    >>> accuracy_off1_score([1, 2, 3, 4], [1, 3, 1, 4])
    0.75
    """
    pairs = rank_pairs(y_true, y_pred, classes, sample_weight)
    return pairs.mean(pairs.distance <= 1)
