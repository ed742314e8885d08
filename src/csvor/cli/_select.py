"""--tune: C and p by cross-validation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from csvor._labels import CodedLabels

C_GRID = tuple(10.0**e for e in range(-3, 4))
P_GRID = (0.5, 0.7, 1.0, 1.5, 1.7, 2.0)
N_PAIRS = len(C_GRID) * len(P_GRID)


@dataclass(frozen=True)
class Choice:
    """The chosen parameters and their mean share of wrong predictions."""

    C: float
    p: float
    error: float
    n_fits: int


def tune(
    pipeline: Pipeline,
    frame: pd.DataFrame,
    labels: CodedLabels,
    *,
    folds: int,
    seed: int,
    update: Callable[[int, int], None],
) -> Choice:
    """The pair with the lowest mean error; of equal ones the smaller C, then the p nearest 1."""
    errors = np.zeros((len(C_GRID), len(P_GRID)))
    n_fits = folds * N_PAIRS
    done = 0
    for part in _parts(pipeline, frame, labels, folds, seed):
        for i, C in enumerate(C_GRID):
            settings = [{"C": C, "p": p} for p in P_GRID]
            models = pipeline[-1].fit_many(part.train, part.train_labels, settings)
            wrong = [np.mean(model.predict(part.test) != part.test_labels) for model in models]
            errors[i] += np.array(wrong) / folds
            done += len(models)
            update(done, n_fits)
    near = np.abs(np.log(P_GRID))
    # Sums of the same shares in another order differ by rounding.
    tied = np.argwhere(errors <= errors.min() + 1e-12)
    i, j = min(tied.tolist(), key=lambda pair: (pair[0], near[pair[1]]))
    return Choice(C_GRID[i], P_GRID[j], float(errors[i, j]), n_fits)


@dataclass(frozen=True)
class _Part:
    train: Any
    train_labels: CodedLabels
    test: Any
    test_labels: NDArray[Any]


def _parts(
    pipeline: Pipeline, frame: pd.DataFrame, labels: CodedLabels, folds: int, seed: int
) -> Iterator[_Part]:
    """Each fold, encoded by its training rows once for all pairs of parameters."""
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    given = labels.decoded
    for train, test in splitter.split(frame, given):
        encoder = clone(pipeline[:-1])
        fitted = encoder.fit_transform(frame.iloc[train])
        yield _Part(fitted, labels[train], encoder.transform(frame.iloc[test]), given[test])
