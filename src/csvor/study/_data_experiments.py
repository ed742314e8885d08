"""What do the error over p and gamma, and the objective by iteration, show on a data set?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor import CSVOR
from csvor.methods import POWERS
from csvor.study._cell import quiet
from csvor.study._methods import GAMMAS, STUDY_METHODS, MethodRun
from csvor.study._select import Fold, expand, mean_errors
from csvor.study._splits import StudyData, load_data, prepare_split

RISING = tuple(sorted(POWERS))
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Convergence:
    """The objective of a fit after each iteration.

    Attributes
    ----------
    history : ndarray of shape (n_iter,)
        ``objective_history_``.
    settled_from : int
        ``settled_from_``: from here on nothing rises.
    """

    history: NDArray[np.float64]
    settled_from: int


def error_map(
    dataset: str,
    *,
    level: int = 0,
    splits: int = 5,
    data: str | Path | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Mean zero-one error of CSVOR on the test rows over the grid of p and gamma.

    Parameters
    ----------
    dataset : str
        As `csvor.datasets.load` takes it.
    level : int, default=0
        Share of corrupted training rows in percent.
    splits : int, default=5
        Mean over the first so many splits of the study.
    data : str or Path, default=None
        Folder of the data sets.
    seed : int, default=0
        As the seed of a `Spec`: the same rows are corrupted.

    Returns
    -------
    errors : DataFrame of shape (6, 7)
        p in the index, gamma = 1 / (2 C) in the columns.

    Raises
    ------
    ValueError
        If there is no such data set.

    Examples
    --------
    >>> from csvor.study import error_map
    >>> error_map("tae", data="../shared/data")  # doctest: +SKIP
    """
    sets = load_data([dataset], data)[dataset]
    settings = expand({"C": [1 / (2 * gamma) for gamma in GAMMAS], "p": RISING})
    method = MethodRun("CSVOR", _capped(sets), settings, STUDY_METHODS["CSVOR"].fit_grid)
    prepared_splits = (
        prepare_split(sets, level, split, n_folds=FOLDS, seed=seed)
        for split in list(sets.splits)[:splits]
    )
    with quiet():
        errors = mean_errors(method, (Fold(p.X, p.y, p.X_test, p.y_test) for p in prepared_splits))
    table = errors.reshape(len(GAMMAS), len(RISING)).T
    return pd.DataFrame(
        table, index=pd.Index(RISING, name="p"), columns=pd.Index(GAMMAS, name="gamma")
    )


def convergence(
    dataset: str,
    *,
    C: float = 5.0,
    p: float = 1.0,
    level: int = 0,
    split: int = 0,
    data: str | Path | None = None,
    seed: int = 0,
) -> Convergence:
    """How the objective of CSVOR falls on the training rows of a split.

    Parameters
    ----------
    dataset : str
        As `csvor.datasets.load` takes it.
    C, p : float, default=5.0, 1.0
        Parameters of the fit; 5 is the paper's gamma 0.1.
    level : int, default=0
        Share of corrupted training rows in percent.
    split : int, default=0
        A split of the study.
    data, seed
        As of `error_map`.

    Returns
    -------
    convergence : Convergence

    Raises
    ------
    ValueError
        If there is no such data set or split.

    Examples
    --------
    >>> from csvor.study import convergence
    >>> convergence("tae", data="../shared/data").history  # doctest: +SKIP
    """
    sets = load_data([dataset], data)[dataset]
    if split not in sets.splits:
        raise ValueError(f"split={split}: {dataset} has the splits 0 to {len(sets.splits) - 1}.")
    with quiet():
        prepared = prepare_split(sets, level, split, n_folds=FOLDS, seed=seed)
        model = _capped(sets).set_params(C=C, p=p).fit(prepared.X, prepared.y)
    return Convergence(model.objective_history_, model.settled_from_)


def _capped(data: StudyData) -> Any:
    return CSVOR(classes=list(range(1, data.n_classes + 1)))
