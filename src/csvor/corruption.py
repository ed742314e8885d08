"""Corrupt labels, features or images on purpose, and say which rows were corrupted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d

from csvor._data.tables import masked_as_nan
from csvor._utils.random_state import generator

__all__ = ["flip_labels", "occlude", "spoil_features"]

Mask = NDArray[np.bool_]

# The sides of a black block, as parts of those of the image.
_SIDES = (0.25, 0.5)


def flip_labels(
    y: ArrayLike, share: float, *, classes: ArrayLike | None = None, random_state: Any = None
) -> tuple[NDArray[Any], Mask]:
    """Change a share of the labels to another class, each other class alike probable.

    ::

        exactly round(share n) rows, drawn without replacement;  P(new = k) = 1 / (K - 1), k != old

    `round` is Python's: a half goes to the even number.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of any type; none may be missing.
    share : float
        Part of the rows, 0 to 1.
    classes : array-like of shape (n_classes,), default=None
        All classes, in any order. None takes those that occur.
    random_state : int, RandomState, Generator or None, default=None
        Decides the rows and their new labels.

    Returns
    -------
    y_new : ndarray of shape (n_samples,)
        Labels, a copy.
    mask : ndarray of shape (n_samples,), bool
        True where the label was changed.

    Raises
    ------
    ValueError
        For a `share` outside 0..1, missing labels, labels that `classes` lacks, and a single class
        when a label is to change.

    Examples
    --------
    >>> from csvor.corruption import flip_labels
    >>> y_new, mask = flip_labels([1, 2, 3, 1, 2, 3], 1 / 3, random_state=0)
    >>> y_new, mask.sum()
    (array([1, 2, 3, 2, 3, 3]), np.int64(2))
    """
    labels = column_or_1d(masked_as_nan(y))
    kinds, codes = _coded(labels, classes)
    rng = generator(random_state)
    mask = _drawn(len(labels), share, rng)
    if mask.any():
        if len(kinds) < 2:
            raise ValueError(
                f"There is only the class {kinds.tolist()[0]!r}; name the others in classes=[...]."
            )
        codes[mask] = (codes[mask] + rng.integers(1, len(kinds), mask.sum())) % len(kinds)
    changed = np.array(kinds[codes]) if len(codes) else labels.copy()
    return changed, mask


def spoil_features(
    X: ArrayLike,
    share: float,
    *,
    value: float = -1.0,
    features: float = 0.5,
    random_state: Any = None,
) -> tuple[NDArray[np.floating[Any]], Mask]:
    """Set a part of the features of a share of the rows to one value, as a failed sensor does.

    ::

        exactly round(share n) rows, drawn without replacement;
        in each, max(1, round(features d)) features, drawn anew for each row

    `round` is Python's: a half goes to the even number. The paper's data outliers are the defaults
    on features scaled to [0, 1].

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    share : float
        Part of the rows, 0 to 1.
    value : float, default=-1.0
        What the features are set to.
    features : float, default=0.5
        Part of the features of such a row; greater than 0, at most 1.
    random_state : int, RandomState, Generator or None, default=None
        Decides rows and features.

    Returns
    -------
    X_new : ndarray of shape (n_samples, n_features)
        Features, a copy; float32 stays, all else becomes float64.
    mask : ndarray of shape (n_samples,), bool
        True for the rows that were corrupted.

    Raises
    ------
    ValueError
        For a `share` outside 0..1, `features` outside (0, 1], or `X` that is no table of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.corruption import spoil_features
    >>> X_new, mask = spoil_features(np.zeros((4, 4)), 0.5, random_state=0)
    >>> mask.tolist(), (X_new == -1).sum(axis=1).tolist()
    ([False, False, True, True], [0, 0, 2, 2])
    """
    table: NDArray[np.floating[Any]] = check_array(
        masked_as_nan(X),
        dtype=[np.float64, np.float32],
        copy=True,
        ensure_all_finite="allow-nan",
        input_name="X",
    )
    if not 0 < features <= 1:
        raise ValueError(f"features={features!r} must be greater than 0 and at most 1.")
    rng = generator(random_state)
    mask = _drawn(len(table), share, rng)
    n_features = table.shape[1]
    n_changed = max(1, round(features * n_features))
    order = rng.permuted(np.tile(np.arange(n_features), (int(mask.sum()), 1)), axis=1)
    table[np.flatnonzero(mask)[:, None], order[:, :n_changed]] = value
    return table, mask


def occlude(
    images: ArrayLike, share: float, *, random_state: Any = None
) -> tuple[NDArray[Any], Mask]:
    """Put a black block of random size and place on a share of the images.

    ::

        exactly round(share n) images, drawn without replacement;
        each side of a block is uniform on a quarter to a half of that of the image (whole pixels,
        at least 1), its place uniform among those inside the image

    `round` is Python's: a half goes to the even number. Black is 0.

    Parameters
    ----------
    images : array-like of shape (n_samples, height, width[, n_channels])
        Grey or colour images.
    share : float
        Part of the images, 0 to 1.
    random_state : int, RandomState, Generator or None, default=None
        Decides images and blocks.

    Returns
    -------
    images_new : ndarray of the shape and dtype of `images`
        Images, a copy.
    mask : ndarray of shape (n_samples,), bool
        True for the images that got a block, also where it hides nothing but black.

    Raises
    ------
    ValueError
        For a `share` outside 0..1, or images that are not three- or four-dimensional numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.corruption import occlude
    >>> images_new, mask = occlude(np.ones((3, 8, 8)), 1 / 3, random_state=0)
    >>> mask.tolist(), (images_new == 0).sum(axis=(1, 2)).tolist()
    ([False, False, True], [0, 0, 6])
    """
    copy = np.array(images)
    if copy.ndim not in (3, 4) or copy.dtype.kind not in "uif" or 0 in copy.shape[1:]:
        raise ValueError(
            f"images has the shape {copy.shape} and the dtype {copy.dtype}; give numbers of shape "
            "(n_samples, height, width) or (n_samples, height, width, n_channels)."
        )
    rng = generator(random_state)
    mask = _drawn(len(copy), share, rng)
    height, width = copy.shape[1:3]
    for row in np.flatnonzero(mask):
        top, bottom = _stretch(height, rng)
        left, right = _stretch(width, rng)
        copy[row, top:bottom, left:right] = 0
    return copy, mask


def _stretch(length: int, rng: np.random.Generator) -> tuple[int, int]:
    """Where a block begins and ends along one side."""
    least, most = (max(1, round(part * length)) for part in _SIDES)
    size = int(rng.integers(least, most, endpoint=True))
    begin = int(rng.integers(0, length - size, endpoint=True))
    return begin, begin + size


def _drawn(n_rows: int, share: float, rng: np.random.Generator) -> Mask:
    """A mask with exactly round(share n) rows."""
    if not (isinstance(share, int | float | np.number) and 0 <= share <= 1):
        raise ValueError(f"share={share!r} must be a number from 0 to 1, such as 0.1.")
    mask = np.zeros(n_rows, dtype=bool)
    mask[rng.choice(n_rows, round(float(share) * n_rows), replace=False)] = True
    return mask


def _coded(
    labels: NDArray[Any], classes: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes, in the dtype of the labels where that holds them, and the code of each row."""
    blank = np.array([label is None or label != label for label in labels.tolist()], dtype=bool)
    if blank.any():
        raise ValueError(f"y is missing in row {int(np.argmax(blank))}; leave such rows out.")
    if classes is None:
        unique, codes = np.unique(labels, return_inverse=True)
        return unique, codes
    kinds = np.asarray(classes)
    table = {label: code for code, label in enumerate(kinds.tolist())}
    if kinds.ndim != 1 or len(table) < kinds.size:
        raise ValueError(f"classes={classes!r} must be one list without repetitions.")
    unknown = [label for label in labels.tolist() if label not in table]
    if unknown:
        raise ValueError(f"Label {unknown[0]!r} is not among the classes {kinds.tolist()}.")
    codes = np.array([table[label] for label in labels.tolist()], dtype=np.intp)
    if labels.dtype.kind == kinds.dtype.kind and labels.dtype.kind in "iufb":
        kinds = kinds.astype(labels.dtype) if _fits(kinds, labels.dtype) else kinds
    elif labels.dtype == object:
        kinds = kinds.astype(object)
    return kinds, codes


def _fits(kinds: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    return bool((kinds.astype(dtype) == kinds).all()) and not math.isnan(float(kinds.sum()))
