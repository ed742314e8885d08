"""What do generated problems look like: clusters in the plane, images with an ordered attribute?"""

from __future__ import annotations

from collections.abc import Callable
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

Images = NDArray[np.float64]
# Pixels from one line to the next.
_PITCH = 4
_GREY = 0.5


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
    distances = np.asarray(distance, dtype=np.float64)
    if distances.shape not in {(), (n_outliers,)} or not np.isfinite(distances).all():
        raise ValueError(
            f"distance has the shape {distances.shape}; give one finite number, or one for each "
            f"of the {n_outliers} outliers."
        )
    clean_rng, outlier_rng = generator(random_state).spawn(2)
    labels = np.repeat([1, 2, 3], n_per_class)
    centres = _STEP * (labels - 2)[:, None] * _ORDER
    clean = centres + spread * clean_rng.standard_normal((labels.size, 2))
    turn = np.array([[np.cos(_ANGLE), -np.sin(_ANGLE)], [np.sin(_ANGLE), np.cos(_ANGLE)]])
    middles = np.broadcast_to(distances, n_outliers)[:, None] * (turn @ _ORDER)
    outliers = middles + 0.5 * spread * outlier_rng.standard_normal((n_outliers, 2))
    return (
        np.vstack([clean, outliers]),
        np.concatenate([labels, np.ones(n_outliers, dtype=np.int64)]).astype(np.int64),
        np.arange(labels.size + n_outliers) >= labels.size,
    )


def make_ordinal_images(
    n_samples: int = 400,
    *,
    n_classes: int = 5,
    attribute: str = "size",
    side: int = 24,
    noise: float = 0.1,
    random_state: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    r"""Draw small grey images with an ordered attribute.

    .. math:: a_i = \frac{y_i - 1 + v_i}{K}, \qquad v_i \sim U(0, 1)

    The share a of the attribute, between 0 and 1, is shown as the size of a bright disc, as its
    brightness, or as the number of dark lines across the image. The disc or the lines move by up to
    a 24th of the side, the background has a grey of its own for each image and a slope across
    it, and every pixel has noise: a linear score finds the order well, but not from one pixel, from
    the mean, or without errors at the borders of the classes.

    Parameters
    ----------
    n_samples : int, default=400
        Number of images, at least `n_classes`; the classes are as equal as can be.
    n_classes : int, default=5
        K, at least 2.
    attribute : {"size", "brightness", "lines"}, default="size"
        What grows with the class.
    side : int, default=24
        Height and width in pixels, at least 12.
    noise : float, default=0.1
        Standard deviation of the noise of a pixel; 0 or more.
    random_state : int, RandomState, Generator or None, default=None
        Decides the images.

    Returns
    -------
    images : ndarray of shape (n_samples, side, side)
        Grey values, 0 (black) to 1.
    y : ndarray of shape (n_samples,), int64
        Classes 1..K.

    Raises
    ------
    ValueError
        For a number out of its range, or an attribute that is not known.

    Examples
    --------
    >>> from csvor.datasets import make_ordinal_images
    >>> images, y = make_ordinal_images(100, random_state=0)
    >>> images.shape, [f"{images[y == k].mean():.2f}" for k in (1, 3, 5)]
    ((100, 24, 24), ['0.51', '0.56', '0.66'])
    """
    if attribute not in _DRAWN:
        raise ValueError(f"attribute={attribute!r} is not known; use one of {', '.join(_DRAWN)}.")
    if n_classes < 2 or n_samples < n_classes or side < 12:
        raise ValueError(
            f"n_classes={n_classes} must be at least 2, n_samples={n_samples} at least that, and "
            f"side={side} at least 12."
        )
    if not 0 <= noise < np.inf:
        raise ValueError(f"noise={noise!r} must be a finite number from 0.")
    rng = generator(random_state)
    labels = rng.permutation(np.arange(n_samples) % n_classes).astype(np.int64)
    share = (labels + rng.uniform(size=n_samples)) / n_classes
    shift = rng.uniform(-side / 24, side / 24, (n_samples, 2))
    rows, columns = np.mgrid[:side, :side] - (side - 1) / 2
    slope = rng.uniform(-0.1, 0.1, (n_samples, 2)) / side
    level = rng.uniform(_GREY - 0.1, _GREY + 0.1, n_samples)
    images = level[:, None, None] + np.einsum("ni,ihw->nhw", slope, np.stack([rows, columns]))
    centred = np.stack([rows, columns]) - shift[:, :, None, None]
    images += _DRAWN[attribute](share, centred, side)
    images += noise * rng.standard_normal(images.shape)
    return np.clip(images, 0.0, 1.0), labels + 1


def _disc(radius: Any, centred: Images) -> Images:
    """1 inside a disc, 0 outside, between the two over one pixel of its edge."""
    return np.clip(radius - np.hypot(centred[:, 0], centred[:, 1]) + 0.5, 0.0, 1.0)


def _size(share: Images, centred: Images, side: int) -> Images:
    return 0.4 * _disc((side * (0.1 + 0.3 * share))[:, None, None], centred)


def _brightness(share: Images, centred: Images, side: int) -> Images:
    return (0.1 + 0.4 * share)[:, None, None] * _disc(side / 4, centred)


def _lines(share: Images, centred: Images, side: int) -> Images:
    """Dark lines from the top down, the last one as dark as its part."""
    n_lines = side // _PITCH
    position = (centred[:, 0] / side + 0.5) * n_lines
    dark = np.clip(share[:, None, None] * n_lines - np.floor(position), 0.0, 1.0)
    return -0.4 * dark * (position - np.floor(position) < 0.5)


_DRAWN: dict[str, Callable[[Images, Images, int], Images]] = {
    "size": _size,
    "brightness": _brightness,
    "lines": _lines,
}
