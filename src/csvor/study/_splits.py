"""What does a split become: corrupted and scaled training rows, clean test rows, folds."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from csvor import corruption, datasets
from csvor._labels import LabelError
from csvor._labels.order import CONTINUOUS
from csvor._utils.warn import warn
from csvor.study._select import Fold

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Rows = NDArray[np.intp]
Indices = tuple[Rows, Rows]


@dataclass(frozen=True, eq=False)
class StudyData:
    """One data set as the study uses it.

    ``corrupts`` is "labels" where labels are changed and features standardised, "features" where
    features are set to -1 after they were scaled to [0, 1].
    """

    name: str
    X: Array
    y: Labels
    n_classes: int
    corrupts: str
    splits: Mapping[int, Indices]

    @property
    def checksum(self) -> str:
        """A digest of the rows and labels."""
        return digest(self.X, self.y)

    def part(self, split: int) -> StudyData:
        """The same with one split only: what a cell needs, and what is sent to its process."""
        return replace(self, splits={split: self.splits[split]})


@dataclass(frozen=True, eq=False)
class PreparedSplit:
    """What every method meets alike on one split at one level.

    ``corrupted`` marks the corrupted training rows; ``folds`` are pairs (fitted, held out) of
    positions in the training part.
    """

    X: Array
    y: Labels
    X_test: Array
    y_test: Labels
    n_classes: int
    corrupted: NDArray[np.bool_]
    folds: tuple[Indices, ...]

    def fold_rows(self) -> Iterator[Fold]:
        """The folds with their rows."""
        for fitted, held_out in self.folds:
            yield Fold(self.X[fitted], self.y[fitted], self.X[held_out], self.y[held_out])


def digest(*arrays: NDArray[np.generic]) -> str:
    """A checksum of the shapes, types and values of arrays."""
    hasher = hashlib.sha256()
    for array in arrays:
        hasher.update(f"{array.shape}{array.dtype.str}".encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()


def seed_of(*parts: object) -> int:
    """A number below 2^32 that depends on the parts alone, on any machine."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:4], "big")


def load_data(names: Sequence[str], folder: str | Path | None) -> dict[str, StudyData]:
    """Load the data sets of a study."""
    return {name: _load(name, folder) for name in names}


def _load(name: str, folder: str | Path | None) -> StudyData:
    try:
        with warnings.catch_warnings(record=True) as caught:
            bunch = datasets.load(name, folder)
    except LabelError as error:
        problem = error.problem.removeprefix(CONTINUOUS)
        remedy = "Write whole numbers there, in the order of two classes or more."
        raise ValueError(f"datasets: {name}, column 'y': {problem}. {remedy}") from error
    except ValueError as error:
        raise ValueError(f"datasets: {error}") from error
    for one in caught:
        warn(f"datasets: {name}, column 'y': {one.message}")
    X = np.ascontiguousarray(bunch.data, dtype=np.float64)
    y = np.ascontiguousarray(bunch.target, dtype=np.int64)
    splits = {
        split: (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for split, (train, test) in enumerate(datasets.splits(bunch))
    }
    # What the paper does to its own sets; one's own sets are treated as its real ones.
    corrupts = datasets.info(name).spoiled if name in datasets.names() else "labels"
    return StudyData(name, X, y, len(bunch.target_names), corrupts, splits)


def check_folds(data: StudyData, n_folds: int) -> None:
    """Refuse more folds than any class has training rows, on whichever split has the fewest."""
    most = min(int(np.bincount(data.y[train]).max()) for train, _ in data.splits.values())
    if n_folds > most:
        raise ValueError(
            f"folds: {n_folds} are too many for {data.name}: no class has more than {most} "
            "training rows."
        )


def prepare_split(
    data: StudyData, level: int, split: int, *, n_folds: int, seed: int
) -> PreparedSplit:
    """Take a split, spoil `level` percent of its training rows, scale, and draw the folds.

    Nothing depends on the method: all of them get the same rows, outliers and folds.
    """
    train, test = data.splits[split]
    X, y, X_test = data.X[train], data.y[train], data.X[test]
    corrupted = np.zeros(train.size, dtype=bool)
    draw = seed_of("corruption", seed, data.name, level, split)
    if data.corrupts == "labels":
        varies = np.ptp(X, axis=0) > 0
        scaler = StandardScaler().fit(X[:, varies])
        X, X_test = scaler.transform(X[:, varies]), scaler.transform(X_test[:, varies])
        if level:
            classes = np.arange(1, data.n_classes + 1)
            y, corrupted = corruption.flip_labels(
                y, level / 100, classes=classes, random_state=draw
            )
    else:
        scaler = MinMaxScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
        if level:
            changed, corrupted = corruption.spoil_features(X, level / 100, random_state=draw)
            X = np.asarray(changed, dtype=np.float64)
    folds = _folds(y, n_folds, seed_of("folds", seed, data.name, level, split))
    return PreparedSplit(X, y, X_test, data.y[test], data.n_classes, corrupted, folds)


def _folds(y: Labels, n_folds: int, seed: int) -> tuple[Indices, ...]:
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return tuple(splitter.split(np.zeros((y.size, 1)), y))
