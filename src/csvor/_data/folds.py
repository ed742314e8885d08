"""Which rows are held out together?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from csvor._data.groups import GroupCounts, group_numbers

Rows = NDArray[np.intp]
Parts = list[tuple[Rows, Rows]]


# Rows of a class are shuffled into so many bins, and within one stay in the order of the data.
_BINS = 256


def splits_of(fold_of: NDArray[np.integer], cv: int) -> Parts:
    """Train and test rows of each fold, by the number of the fold that each row is held out in."""
    return [(np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)) for k in range(cv)]


def stratified(codes: NDArray[np.integer], cv: int, seed: int) -> NDArray[np.int8]:
    """The fold of each row, dealt out in the order of the data."""
    counts = bin_counts(0, codes, int(codes.max()) + 1, seed)
    return folds_by_class(0, codes, first_ranks([counts])[0], cv, seed)


def bin_counts(
    start: int, codes: NDArray[np.integer], n_classes: int, seed: int
) -> NDArray[np.int64]:
    """The rows in each bin of each class, of a part of the data that begins at row ``start``."""
    return np.bincount(_bins(start, codes, seed), minlength=n_classes * _BINS)


def first_ranks(counts: Iterable[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """The rank, by class and bin, of the first row that each part has in each bin."""
    table = np.array(list(counts))
    before = np.cumsum(table, axis=0) - table
    totals = table.sum(axis=0)
    return list(before + np.cumsum(totals) - totals)


def folds_by_class(
    start: int, codes: NDArray[np.integer], ranks: NDArray[np.int64], cv: int, seed: int
) -> NDArray[np.int8]:
    """The fold of each row of a part: rows sorted by class and bin are dealt out in turn.

    A row has the same fold however the data are cut into parts, and a class differs by at most one
    row between folds.
    """
    bins = _bins(start, codes, seed)
    order = np.argsort(bins, kind="stable")
    sizes = np.bincount(bins, minlength=ranks.size)
    within = np.arange(bins.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    folds: NDArray[Any] = np.empty(bins.size, dtype=np.int8 if cv < 128 else np.int64)
    folds[order] = (np.repeat(ranks, sizes) + within) % cv
    return folds


def _bins(start: int, codes: NDArray[np.integer], seed: int) -> NDArray[np.int64]:
    """Class and bin of each row, the bin by its number among all rows."""
    hashed = _hash_of_rows(start, codes.size, seed) % np.uint64(_BINS)
    return codes.astype(np.int64) * _BINS + hashed.astype(np.int64)


def _hash_of_rows(start: int, n: int, seed: int) -> NDArray[np.uint64]:
    """The number of each row and the seed, scattered by the steps of splitmix64."""
    z = np.arange(start, start + n, dtype=np.uint64) + np.uint64(seed << 32)
    z *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return z ^ (z >> np.uint64(31))


def held_out_parts(
    codes: NDArray[np.integer],
    cv: Any,
    groups: list[Any] | None,
    random_state: Any,
    order: Rows | None = None,
) -> Parts:
    """Train and test rows of each part; each row is held out once.

    Parameters
    ----------
    codes : ndarray of shape (n,)
    cv : int, splitter or iterable of (train, test)
    groups : list of n names or None
        Rows of one group are held out together.
    random_state : int, RandomState instance or None
        Decides the parts where `cv` is a number.
    order : ndarray of shape (n,), default=None
        The places of rows in the order in which they are dealt out class by class, and are in each
        part, where `cv` is a number; by default that of the data.
    """
    if not isinstance(cv, (int, np.integer)):
        return _given_parts(codes, cv, None if groups is None else group_numbers(groups))
    if groups is None:
        if not 2 <= cv <= codes.size:
            raise ValueError(f"cv={cv} must lie between 2 and the number of rows, {codes.size}.")
        order = np.arange(codes.size) if order is None else order
        parts = splits_of(stratified(codes[order], int(cv), seed_of(random_state)), int(cv))
        return [(order[train], order[test]) for train, test in parts]
    counts = GroupCounts.of(groups, codes, int(codes.max()) + 1)
    folds = counts.folds(int(cv), seed_of(random_state))
    return splits_of(folds.of(groups), int(cv))


def seed_of(random_state: Any) -> int:
    """A number that stands for it."""
    return int(check_random_state(random_state).randint(2**31))


def _given_parts(codes: NDArray[np.integer], cv: Any, groups: Rows | None) -> Parts:
    """Those of a splitter or of the caller; refused where they do not hold out each row once."""
    splits: Iterable[Any] | None
    if isinstance(cv, str):
        splits = None
    elif hasattr(cv, "split"):
        splits = cv.split(codes[:, None], codes, groups)
    else:
        splits = cv if isinstance(cv, Iterable) else None
    if splits is None:
        raise TypeError(
            f"cv={cv!r} must be a number of parts, a splitter of scikit-learn or a list of "
            "(train, test) row positions."
        )
    parts = [
        (_positions(train, codes.size), _positions(test, codes.size)) for train, test in splits
    ]
    times = np.zeros(codes.size, dtype=np.intp)
    for train, test in parts:
        np.add.at(times, test, 1)
        both = np.intersect1d(train, test)
        if both.size:
            raise ValueError(
                f"cv has row {both[0]} among the training and the test rows of one part: a row is "
                "judged by a model fitted without it."
            )
    if np.any(times != 1):
        row = int(np.argmax(times != 1))
        raise ValueError(
            f"cv holds out row {row} {times[row]} times: each row has to be in the test rows of "
            "one part. Give a splitter that parts all rows once, such as KFold or GroupKFold."
        )
    return [(train, test) for train, test in parts if test.size]


def _positions(rows: Any, n: int) -> Rows:
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (n,):
        return np.flatnonzero(rows)
    if rows.size and (rows.ndim != 1 or rows.dtype.kind not in "iu"):
        raise ValueError(
            f"cv has {rows.dtype} of shape {rows.shape} in place of rows: give their positions, "
            f"whole numbers from 0, or True or False for each of the {n} rows."
        )
    rows = rows.astype(np.intp)
    if rows.size and (rows.min() < 0 or rows.max() >= n):
        wrong = rows[(rows < 0) | (rows >= n)][0]
        raise ValueError(f"cv names row {wrong}, and there are {n} rows, counted from 0.")
    return rows
