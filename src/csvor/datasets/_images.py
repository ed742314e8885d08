"""Generated grey images whose class is how much of something they show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._utils.random_state import generator

Images = NDArray[np.float64]

# Pixels from one line to the next.
_PITCH = 4
_GREY = 0.5


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
    place = (centred[:, 0] / side + 0.5) * n_lines
    dark = np.clip(share[:, None, None] * n_lines - np.floor(place), 0.0, 1.0)
    return -0.4 * dark * (place - np.floor(place) < 0.5)


_DRAWN: dict[str, Callable[[Images, Images, int], Images]] = {
    "size": _size,
    "brightness": _brightness,
    "lines": _lines,
}
