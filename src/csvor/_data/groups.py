"""Which groups of rows are held out together?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._data.tables import masked_as_nan
from csvor._labels.factors import is_missing

# So many groups, and fewer, are dealt out by what they hold; more of them by their names alone.
MOST_GROUPS = 20_000
_REMEDIES = {
    "groups": "give a row that belongs to no other a group of its own.",
    "raters": "leave such rows out, or give them a name of their own, such as 'unknown'.",
}


def group_names(groups: ArrayLike, n: int, argument: str = "groups") -> list[Any]:
    """The name of each row's group, or rater, 1 and 1.0 one name; rows without one are refused."""
    values = np.asarray(masked_as_nan(groups))
    if values.shape != (n,):
        raise ValueError(
            f"{argument} must have one name for each of the {n} rows, got shape {values.shape}."
        )
    names: list[Any] = values.tolist()
    without = np.flatnonzero([is_missing(name) for name in names])
    if without.size:
        raise ValueError(
            f"{argument} has no name for {without.size} of {n} rows (first for row {without[0]}): "
            + _REMEDIES[argument]
        )
    return names


def group_numbers(names: list[Any]) -> NDArray[np.intp]:
    """Groups as numbers from 0, in the order in which they come first."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)


@dataclass(frozen=True)
class GroupCounts:
    """The rows of each class in each group; None where there are more than `MOST_GROUPS`."""

    rows: dict[Any, NDArray[np.int64]] | None

    @classmethod
    def of(cls, names: list[Any], codes: NDArray[np.integer], n_classes: int) -> Self:
        """Those of a part of the data."""
        distinct = list(dict.fromkeys(names))
        if len(distinct) > MOST_GROUPS:
            return cls(None)
        cells = group_numbers(names) * n_classes + codes
        counts = np.bincount(cells, minlength=len(distinct) * n_classes)
        return cls(dict(zip(distinct, counts.reshape(-1, n_classes), strict=True)))

    @classmethod
    def total(cls, parts: Iterable[GroupCounts]) -> Self:
        """Those of all parts of the data."""
        rows: dict[Any, NDArray[np.int64]] = {}
        for part in parts:
            if part.rows is None:
                return cls(None)
            for name, counts in part.rows.items():
                rows[name] = rows[name] + counts if name in rows else counts
            if len(rows) > MOST_GROUPS:
                return cls(None)
        return cls(rows)

    @property
    def effective_rows(self) -> float:
        """How many independent rows tell as much as these, whose labels are alike within groups.

        ``n / (1 + (m - 1) r)``, m the mean size of a group and r the intraclass correlation of the
        labels (analysis of variance): the groups where all labels of one are equal, else more. Of
        more than `MOST_GROUPS` these are taken, the least that it can be.
        """
        if self.rows is None:
            return float(MOST_GROUPS)
        counts = np.array(list(self.rows.values()), dtype=np.float64)
        sizes, codes = counts.sum(axis=1), np.arange(counts.shape[1])
        n, g = sizes.sum(), sizes.size
        if g in (1, n):
            return float(n)
        means = counts @ codes / sizes
        between = float(sizes @ (means - sizes @ means / n) ** 2) / (g - 1)
        within = float((counts * (codes - means[:, None]) ** 2).sum()) / (n - g)
        size = (n - float(sizes @ sizes) / n) / (g - 1)
        spread = between + (size - 1.0) * within
        alike = max((between - within) / spread, 0.0) if spread > 0.0 else 1.0
        return float(n / (1.0 + (n / g - 1.0) * alike))

    def folds(self, cv: int, seed: int) -> GroupFolds:
        """Groups dealt out so that each fold has as even a share of each class as can be.

        The largest first, each to the fold in which it adds least to the sum of squares of the
        classes' shares; ties are settled by a hash of the name and the seed.
        """
        if self.rows is None:
            return GroupFolds(cv, seed, None)
        if not 2 <= cv <= len(self.rows):
            raise ValueError(
                f"cv={cv} must lie between 2 and the number of groups, {len(self.rows)}."
            )
        names = sorted(self.rows, key=lambda name: _hash_of_name(name, seed))
        counts = np.array([self.rows[name] for name in names], dtype=np.float64)
        shares = np.column_stack([counts, counts.sum(axis=1)])
        shares /= np.maximum(shares.sum(axis=0), 1.0)
        held, folds = np.zeros((cv, shares.shape[1])), {}
        for i in np.argsort(-(shares**2).sum(axis=1), kind="stable").tolist():
            fold = int(np.argmin(held @ shares[i]))
            held[fold] += shares[i]
            folds[names[i]] = fold
        return GroupFolds(cv, seed, folds)


@dataclass(frozen=True)
class GroupFolds:
    """The fold of each group: that in ``folds``, or by a hash of its name."""

    cv: int
    seed: int
    folds: dict[Any, int] | None

    def of(self, names: list[Any]) -> NDArray[np.int8]:
        """The fold of each row."""
        folds = self.folds
        if folds is None:
            folds = {name: _hash_of_name(name, self.seed) % self.cv for name in set(names)}
        kind = np.int8 if self.cv < 128 else np.int64
        return np.array([folds[name] for name in names], dtype=kind)


def _hash_of_name(name: Any, seed: int) -> int:
    whole = isinstance(name, float) and name.is_integer()
    text = f"{seed}:{int(name) if whole else name}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest())
