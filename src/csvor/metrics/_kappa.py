"""Agreement beyond chance; distances are ranks in the class order."""

from __future__ import annotations

import warnings
from typing import Any, Literal

from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from csvor.metrics._pairs import rank_pairs


def weighted_kappa(
    y_true: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    sample_weight: ArrayLike | None = None,
    weights: Literal["quadratic", "linear"] = "quadratic",
) -> float:
    """Cohen's kappa with weights: agreement beyond chance.

    ::

        1 - sum_i s_i d(y_i, yhat_i)^q / E

        E = sum_ij s_i s_j d(y_i, yhat_j)^q / sum_i s_i,   q = 2 (quadratic) or 1 (linear)

    The distance of two labels is the number of steps between them in the class order, whatever
    their values: with the classes 1, 5, 9 the labels 1 and 9 are 2 apart. Classes without rows are
    steps too, so give `classes` when some may be missing.

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
    weights : {"quadratic", "linear"}, default="quadratic"
        How the cost grows with the distance.

    Returns
    -------
    kappa : float
        At most 1; 0 is the agreement of chance; higher is better. Where truth and prediction are
        one and the same class throughout, E is 0 and kappa is undefined: 1.0 is returned, with
        an `UndefinedMetricWarning`.

    Raises
    ------
    LabelError
        For labels without an order, labels outside `classes`, and missing labels.
    ValueError
        For a wrong number of labels or weights, and for sample weights that are negative,
        not finite or all zero; for unknown `weights`.

    See Also
    --------
    sklearn.metrics.cohen_kappa_score : Unweighted kappa.

    Examples
    --------
    >>> from csvor.metrics import weighted_kappa
    >>> truth, predicted = [1, 1, 2, 2, 5, 5], [1, 2, 2, 5, 5, 5]
    >>> round(weighted_kappa(truth, predicted), 3)
    0.75
    >>> round(weighted_kappa(truth, predicted, classes=[1, 2, 3, 4, 5]), 3)
    0.732
    """
    if weights not in ("quadratic", "linear"):
        raise ValueError(f"weights={weights!r} is not known; use 'quadratic' or 'linear'.")
    pairs = rank_pairs(y_true, y_pred, classes, sample_weight)
    true, predicted = pairs.true, pairs.predicted
    if true.min() == true.max() == predicted.min() == predicted.max():
        warnings.warn(
            "Kappa is undefined: truth and prediction are one class throughout. 1.0 is returned.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        return 1.0
    power = 2.0 if weights == "quadratic" else 1.0
    return 1.0 - pairs.mean(pairs.distance**power) / pairs.expected(power)
