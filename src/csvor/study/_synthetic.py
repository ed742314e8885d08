"""What do methods find where the truth is known: in clusters with outliers, in blocked images?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR
from csvor.corruption import occlude
from csvor.datasets import make_ordinal_clusters
from csvor.methods import make_method
from csvor.study._cell import quiet

PROJECTED = ("CSVOR", "SVOREX", "SVORIM")


@dataclass(frozen=True, eq=False)
class Projection:
    """Rows in the plane, and the direction that each method projects them on.

    Attributes
    ----------
    X, y, outlier : ndarray
        As `csvor.datasets.make_ordinal_clusters` gives them.
    directions : dict of str to ndarray of shape (2,)
        ``coef_`` by method, of length 1.
    angles : dict of str to float
        Degrees between that direction and the one in which the clean classes lie, 0 to 180.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    outlier: NDArray[np.bool_]
    directions: dict[str, NDArray[np.float64]]
    angles: dict[str, float]


@dataclass(frozen=True, eq=False)
class Occlusion:
    """Which images with a black block a fit has flagged.

    Attributes
    ----------
    images : ndarray of shape (n_samples, height, width[, n_channels])
        With the blocks.
    occluded, flagged : ndarray of shape (n_samples,), bool
        The truth, and ``outliers_``.
    residuals : ndarray of shape (n_samples,)
    auc : float
        Of the residuals against the truth.
    """

    images: NDArray[Any]
    occluded: NDArray[np.bool_]
    flagged: NDArray[np.bool_]
    residuals: NDArray[np.float64]
    auc: float


def projection(
    n_outliers: int,
    *,
    distance: ArrayLike = 8.0,
    C: float = 0.1,
    methods: Sequence[str] = PROJECTED,
    random_state: Any = 0,
) -> Projection:
    """Directions that methods find in three Gaussian classes with outliers.

    Both synthetic experiments of the paper are calls of this: five outliers at a growing distance,
    and 20 or 60 outliers at one.

    Parameters
    ----------
    n_outliers : int
        Rows of the lowest class that lie beyond the highest.
    distance : float or array-like of shape (n_outliers,), default=8.0
        How far they lie from the middle.
    C : float, default=0.1
        Strength of every method.
    methods : sequence of str, default=("CSVOR", "SVOREX", "SVORIM")
        Linear methods of ``csvor.methods.METHODS``.
    random_state : int, RandomState, Generator or None, default=0
        Decides the rows.

    Returns
    -------
    projection : Projection

    Raises
    ------
    ValueError
        For what `csvor.datasets.make_ordinal_clusters` or a method refuses.

    Examples
    --------
    >>> from csvor.study import projection
    >>> result = projection(5, distance=20.0)
    >>> result.angles["CSVOR"] < 2 < result.angles["SVOREX"]
    True
    """
    X, y, outlier = make_ordinal_clusters(
        n_outliers=n_outliers, distance=distance, random_state=random_state
    )
    clean = X[~outlier]
    truth = clean[y[~outlier] == 3].mean(axis=0) - clean[y[~outlier] == 1].mean(axis=0)
    directions, angles = {}, {}
    with quiet():
        for name in methods:
            w = np.asarray(make_method(name, C=C).fit(X, y).coef_, dtype=np.float64).ravel()
            directions[name] = w / np.linalg.norm(w)
            cosine = directions[name] @ truth / np.linalg.norm(truth)
            angles[name] = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return Projection(X, y, outlier, directions, angles)


def occlusion(
    images: ArrayLike,
    y: ArrayLike,
    *,
    share: float = 0.1,
    C: float = 0.001,
    p: float = 1.0,
    random_state: Any = 0,
) -> Occlusion:
    """Put a black block on a share of images and see which ones CSVOR flags.

    The pixels, standardised, are the features; `share` is also the contamination.

    Parameters
    ----------
    images : array-like of shape (n_samples, height, width[, n_channels])
    y : array-like of shape (n_samples,)
        Their classes, numbers.
    share : float, default=0.1
        Share of images that get a block, in (0, 0.5].
    C, p : float, default=0.001, 1.0
        Parameters of the fit.
    random_state : int, RandomState, Generator or None, default=0
        Decides images and blocks.

    Returns
    -------
    occlusion : Occlusion

    Raises
    ------
    ValueError
        For what `csvor.corruption.occlude` or `CSVOR` refuses.

    Examples
    --------
    >>> from csvor.datasets import make_ordinal_images
    >>> from csvor.study import occlusion
    >>> images, y = make_ordinal_images(300, random_state=0)
    >>> occlusion(images, y).auc > 0.7
    True
    """
    blocked, mask = occlude(images, share, random_state=random_state)
    pixels = blocked.reshape(len(blocked), -1).astype(np.float64)
    X = StandardScaler().fit_transform(pixels[:, np.ptp(pixels, axis=0) > 0])
    with quiet():
        model = CSVOR(C=C, p=p, contamination=share).fit(X, y)
    residuals = np.asarray(model.residuals_)
    auc = float(roc_auc_score(mask, residuals))
    return Occlusion(blocked, mask, np.asarray(model.outliers_), residuals, auc)
