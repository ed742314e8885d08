"""Ordered clusters in the plane, and outliers that pull a fitted direction away."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._utils.random_state import generator

# Where the classes lie: one diagonal, a step of this length between neighbours.
_ORDER = np.array([1.0, 1.0]) / np.sqrt(2)
_STEP = 4.0
# Outliers lie at this angle from the diagonal, beyond the highest class and aside of it: far enough
# beyond for their label to be wrong, far enough aside for a direction to turn away from them.
_ANGLE = np.pi / 6


def make_ordinal_clusters(
    n_per_class: int = 200,
    *,
    n_outliers: int = 0,
    distance: ArrayLike = 8.0,
    spread: float = 1.0,
    random_state: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    r"""Draw three Gaussian classes in the plane, and outliers with the label of the lowest.

    .. math:: x_i \sim N(4 (y_i - 2) u,\; \text{spread}^2 I), \qquad
        u = (1, 1) / \sqrt{2}, \quad y_i \in \{1, 2, 3\}

    Clean rows differ along u alone, so the right direction is u. An outlier has label 1 and lies
    `distance` from the middle, turned by 30 degrees from u. Both synthetic experiments of the
    paper are made of this: five outliers of growing `distance`, and 20 or 60 outliers. The same
    seed gives the same clean rows whatever the outliers, and of more outliers the first are the
    same.

    Parameters
    ----------
    n_per_class : int, default=200
        Clean rows of each class, at least 1.
    n_outliers : int, default=0
        Number of outliers.
    distance : float or array-like of shape (n_outliers,), default=8.0
        How far the outliers lie from the middle of the classes: one number for all or one each.
        They scatter about that place with a standard deviation of half the `spread`.
    spread : float, default=1.0
        Standard deviation of a class; greater than 0.
    random_state : int, RandomState, Generator or None, default=None
        Decides the rows.

    Returns
    -------
    X : ndarray of shape (3 * n_per_class + n_outliers, 2)
        Rows, the outliers last.
    y : ndarray of shape (3 * n_per_class + n_outliers,), int64
        Classes 1, 2, 3.
    outlier : ndarray of shape (3 * n_per_class + n_outliers,), bool
        True for the outliers.

    Raises
    ------
    ValueError
        For counts, a distance or a spread out of range.

    References
    ----------
    Xiang et al., Robust Capped lp-Norm Support Vector Ordinal Regression, arXiv:2404.16616. The
    paper does not state its means and distances; those here are csvor's own.

    Examples
    --------
    >>> from csvor.datasets import make_ordinal_clusters
    >>> X, y, outlier = make_ordinal_clusters(50, n_outliers=5, distance=20, random_state=0)
    >>> X.shape, y[outlier], X[outlier].mean(axis=0).round()
    ((155, 2), array([1, 1, 1, 1, 1]), array([ 5., 19.]))
    """
    if n_per_class < 1 or n_outliers < 0:
        raise ValueError(
            f"n_per_class={n_per_class} must be at least 1, n_outliers={n_outliers} at least 0."
        )
    if not 0 < spread < np.inf:
        raise ValueError(f"spread={spread!r} must be a finite number greater than 0.")
    far = np.asarray(distance, dtype=np.float64)
    if far.shape not in {(), (n_outliers,)} or not np.isfinite(far).all():
        raise ValueError(
            f"distance has the shape {far.shape}; give one finite number, or one for each of the "
            f"{n_outliers} outliers."
        )
    clean_rng, outlier_rng = generator(random_state).spawn(2)
    labels = np.repeat([1, 2, 3], n_per_class)
    centres = _STEP * (labels - 2)[:, None] * _ORDER
    clean = centres + spread * clean_rng.standard_normal((labels.size, 2))
    turn = np.array([[np.cos(_ANGLE), -np.sin(_ANGLE)], [np.sin(_ANGLE), np.cos(_ANGLE)]])
    places = np.broadcast_to(far, n_outliers)[:, None] * (turn @ _ORDER)
    outliers = places + 0.5 * spread * outlier_rng.standard_normal((n_outliers, 2))
    return (
        np.vstack([clean, outliers]),
        np.concatenate([labels, np.ones(n_outliers, dtype=np.int64)]).astype(np.int64),
        np.arange(labels.size + n_outliers) >= labels.size,
    )
