"""How does a regression target become ordered classes?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def equal_frequency(target: ArrayLike, n_classes: int = 5) -> NDArray[np.int64]:
    """Cut a regression target into classes of equal size.

    ::

        order = argsort(target, kind="stable")
        class k = the k-th part of array_split(order, n_classes)

    Where the size does not divide, the first classes get one row more. Rows with equal targets may
    fall into different classes: the earlier row goes to the lower one. This gives the published
    labels of the six discretised sets, which quantile bins do not.

    Parameters
    ----------
    target : array-like of shape (n_samples,)
        Finite numbers.
    n_classes : int, default=5
        Number of classes, 2 to n_samples.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int64
        1 (lowest) to n_classes.

    Raises
    ------
    ValueError
        If `target` is not one column of finite numbers, or `n_classes` does not fit it.

    Examples
    --------
    >>> from csvor.datasets import equal_frequency
    >>> equal_frequency([0.3, 7.0, 7.0, 7.0, 1.0], n_classes=2)
    array([1, 1, 2, 2, 1])
    """
    values = np.asarray(target, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"target has the shape {values.shape}; give one column of numbers.")
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"target is {values[row]} in row {row}; leave such rows out.")
    if not 2 <= n_classes <= values.size:
        raise ValueError(f"n_classes={n_classes} must be from 2 to the {values.size} rows.")
    labels = np.empty(values.size, dtype=np.int64)
    parts = np.array_split(np.argsort(values, kind="stable"), n_classes)
    for label, rows in enumerate(parts, start=1):
        labels[rows] = label
    return labels
