"""Which rows are held out together?"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils import check_random_state

from csvor._data.tables import masked_as_nan
from csvor._labels.factors import is_missing

Rows = NDArray[np.intp]
Parts = list[tuple[Rows, Rows]]


def stratified_folds(
    codes: NDArray[np.integer], cv: int, random_state: Any
) -> Iterator[tuple[Rows, Rows]]:
    """Train and test rows of parts dealt out class by class, classes rarer than cv included."""
    shuffled = check_random_state(random_state).permutation(codes.size)
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]
    part = np.empty(codes.size, dtype=np.intp)
    part[dealt] = np.arange(codes.size) % cv
    for k in range(cv):
        yield np.flatnonzero(part != k), np.flatnonzero(part == k)


def held_out_parts(
    codes: NDArray[np.integer], cv: Any, groups: ArrayLike | None, random_state: Any
) -> Parts:
    """Train and test rows of each part; each row is held out once.

    Parameters
    ----------
    codes : ndarray of shape (n,)
    cv : int, splitter or iterable of (train, test)
    groups : array-like of shape (n,) or None
        Rows of one group are held out together.
    random_state : int, RandomState instance or None
        Decides the parts where `cv` is a number.
    """
    if groups is not None:
        groups = _check_groups(groups, codes.size)
    if not isinstance(cv, (int, np.integer)):
        return _given_parts(codes, cv, groups)
    if groups is None:
        if not 2 <= cv <= codes.size:
            raise ValueError(f"cv={cv} must lie between 2 and the number of rows, {codes.size}.")
        return list(stratified_folds(codes, int(cv), random_state))
    n_groups = np.unique(groups).size
    if not 2 <= cv <= n_groups:
        raise ValueError(f"cv={cv} must lie between 2 and the number of groups, {n_groups}.")
    return _grouped_parts(codes, int(cv), groups, random_state)


def seed_of(random_state: Any) -> int:
    """A number that stands for it."""
    return int(check_random_state(random_state).randint(2**31))


def parts_by_number(start: int, n: int, cv: int, seed: int) -> NDArray[np.int8]:
    """The part of each of n rows from its number among all: wherever it lies, it is the same.

    The number and the seed, scattered by the steps of splitmix64, modulo cv.
    """
    z = np.arange(start, start + n, dtype=np.uint64) + np.uint64(seed << 32)
    z *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return ((z ^ (z >> np.uint64(31))) % np.uint64(cv)).astype(np.int8)


def parts_by_name(groups: Any, cv: int, seed: int) -> NDArray[np.int8]:
    """The part of each row from the name of its group: 1 and 1.0 are one name."""
    given = np.asarray(masked_as_nan(groups))
    if given.ndim != 1:
        raise ValueError(f"groups must have one name for each row, got shape {given.shape}.")
    found: dict[Any, int] = {}
    for name in _named(given):
        if name not in found:
            whole = isinstance(name, float) and name.is_integer()
            text = f"{seed}:{int(name) if whole else name}".encode()
            found[name] = int.from_bytes(blake2b(text, digest_size=8).digest()) % cv
    return np.array([found[name] for name in given.tolist()], dtype=np.int8)


def _check_groups(groups: ArrayLike, n: int) -> Rows:
    """Groups numbered from 0; rows without one are refused."""
    given = np.asarray(masked_as_nan(groups))
    if given.shape != (n,):
        raise ValueError(
            f"groups must have one name for each of the {n} rows, got shape {given.shape}."
        )
    numbers: dict[Any, int] = {}
    names = _named(given)
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)


def _named(given: NDArray[Any]) -> list[Any]:
    """The names of groups; rows without one are refused."""
    names: list[Any] = given.tolist()
    without = np.flatnonzero([is_missing(name) for name in names])
    if without.size:
        raise ValueError(
            f"groups names no group for {without.size} of {given.size} rows (first for row "
            f"{without[0]}): give a row that belongs to no other a group of its own."
        )
    return names


def _grouped_parts(codes: NDArray[np.integer], cv: int, groups: Rows, random_state: Any) -> Parts:
    # It refuses parts that no class can fill, though a class may be rarer than there are parts.
    frequent = np.bincount(codes) >= cv
    strata = np.where(frequent[codes], codes, -1) if frequent.any() else np.zeros_like(codes)
    splitter = StratifiedGroupKFold(cv, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        return [(train, test) for train, test in splitter.split(codes[:, None], strata, groups)]


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
                "judged by a model that has not seen it."
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
