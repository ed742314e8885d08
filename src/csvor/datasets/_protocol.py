"""Which classes, and which training and test rows, does the protocol of the study give?"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from csvor.datasets._catalogue import DatasetError, DatasetInfo, catalogue

Split = tuple[NDArray[np.int64], NDArray[np.int64]]

# Of sets that are not of the paper: its protocol for real sets.
_N_SPLITS = 30
_TRAIN_SHARE = 0.75


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


def splits(bunch: Any, n_splits: int | None = None) -> list[Split]:
    """Return the training and test rows of each split of the study.

    The four real sets of the paper have 30 splits with three quarters of the rows for training, the
    six discretised sets 20 splits with a fixed number of training rows (`info`); any other set is
    treated as a real one. All are stratified by class. Published index sets come first where the
    folder holds them; split k of the others is drawn by a seed that depends on the name of the
    set and on k alone.

    Parameters
    ----------
    bunch : Bunch
        What `load` or `load_csv` returned.
    n_splits : int, default=None
        Number of splits, the first ones; None takes the number of the protocol.

    Returns
    -------
    splits : list of (ndarray, ndarray)
        Row positions for training and for testing, int64; together all rows once.

    Raises
    ------
    DatasetError
        If a class has a single row, or there are fewer test rows than classes: such a set cannot
        be stratified.
    ValueError
        If `n_splits` is less than 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.utils import Bunch
    >>> from csvor.datasets import splits
    >>> bunch = Bunch(name="wear", target=np.repeat([1, 2, 3], 8), published_splits=[])
    >>> train, test = splits(bunch)[0]
    >>> len(splits(bunch)), len(train), np.bincount(bunch.target[test])[1:].tolist()
    (30, 18, [2, 2, 2])
    """
    known = catalogue().get(bunch.name)
    n_rows = len(bunch.target)
    n_train = known.n_train if known else int(_TRAIN_SHARE * n_rows)
    if n_splits is None:
        n_splits = known.n_splits if known else _N_SPLITS
    if n_splits < 1:
        raise ValueError(f"n_splits={n_splits} must be at least 1.")
    published = list(bunch.get("published_splits", ()))[:n_splits]
    labels = np.asarray(bunch.target)
    drawn = range(len(published), n_splits)
    return published + [_drawn(bunch.name, labels, n_train, k) for k in drawn]


def _drawn(name: str, labels: NDArray[Any], n_train: int, k: int) -> Split:
    seed = int.from_bytes(hashlib.sha256(f"{name}/{k}".encode()).digest()[:4], "big")
    splitter = StratifiedShuffleSplit(
        1, train_size=n_train, test_size=len(labels) - n_train, random_state=seed
    )
    try:
        train, test = next(splitter.split(np.zeros((len(labels), 1)), labels))
    except ValueError as error:
        raise DatasetError(f"Data set {name!r} cannot be split by class: {error}") from None
    return np.sort(train).astype(np.int64), np.sort(test).astype(np.int64)


def read_splits(path: Path, known: DatasetInfo) -> list[Split]:
    """Published index sets of a file, each a partition of the rows with the known sizes."""
    try:
        with np.load(path, allow_pickle=False) as file:
            trains, tests = file["train_idx"], file["test_idx"]
    except (OSError, ValueError, KeyError) as error:
        raise DatasetError(f"{path}: not a file of splits ({error})") from None
    if trains.ndim != 2 or tests.ndim != 2 or len(trains) != len(tests):
        raise DatasetError(f"{path}: train_idx and test_idx must have one line for each split")
    if len(trains) > known.n_splits or trains.shape[1] != known.n_train:
        raise DatasetError(
            f"{path}: {len(trains)} splits with {trains.shape[1]} training rows, expected at most "
            f"{known.n_splits} with {known.n_train}"
        )
    rows = np.arange(known.n_rows)
    for k, (train, test) in enumerate(zip(trains, tests, strict=True), start=1):
        if not np.array_equal(np.sort(np.concatenate([train, test])), rows):
            raise DatasetError(f"{path}: split {k} does not hold each of the rows once")
    pairs = zip(trains.astype(np.int64), tests.astype(np.int64), strict=True)
    return list(pairs)
