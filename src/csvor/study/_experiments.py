"""Which experiments go into a report beside its tables, and what do those on the data sets show?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor import CSVOR
from csvor.datasets import load_faces, make_ordinal_images
from csvor.methods import POWERS
from csvor.study._cell import quiet
from csvor.study._methods import GAMMAS, STUDY_METHODS, MethodRun
from csvor.study._select import Fold, expand, mean_errors
from csvor.study._splits import StudyData, load_data, prepare_split
from csvor.study._synthetic import occlusion, projection

RISING = tuple(sorted(POWERS))
FOLDS = 5
# Five outliers at a growing distance, then more of them: what the paper's synthetic figures vary.
PROJECTIONS = (
    ("5 outliers, near", 5, 8.0),
    ("5 outliers, further", 5, 16.0),
    ("5 outliers, far", 5, 32.0),
    ("20 outliers", 20, 8.0),
    ("60 outliers", 60, 8.0),
)
IMAGES = 300


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


def experiments(
    datasets: Sequence[str],
    *,
    data: str | Path | None = None,
    faces: str | Path | None = None,
    seed: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
    """The paper's further experiments, as `csvor.report.write_report` draws them.

    Errors over the grid of p and gamma and the objective by iteration for each data set, the
    directions found in three Gaussian classes with outliers, and images with black blocks.

    Parameters
    ----------
    datasets : sequence of str
        As `csvor.datasets.load` takes them.
    data : str or Path, default=None
        Folder of the data sets.
    faces : str or Path, default=None
        Folder of face images as `csvor.datasets.load_faces` reads it (FG-NET); generated images
        unless given.
    seed : int, default=0
        As the seed of a `Spec`.
    progress : callable (done, total, name), default=None
        Called after each experiment.

    Returns
    -------
    experiments : dict
        By name: sensitivity, convergence, settled_from, projections, occlusion.

    Raises
    ------
    ValueError
        If there is no such data set, or no faces in the folder.

    Examples
    --------
    >>> from csvor.study import experiments
    >>> figures = experiments([])
    >>> sorted(figures["projections"])[0]
    '20 outliers'
    """
    names = ("sensitivity", "convergence", "settled_from", "projections")
    figures: dict[str, Any] = {name: {} for name in names}
    total = 2 * len(datasets) + len(PROJECTIONS) + 1
    for done, name in enumerate(_filled(figures, datasets, data, faces, seed), start=1):
        if progress is not None:
            progress(done, total, name)
    return figures


def _filled(
    figures: dict[str, Any],
    datasets: Sequence[str],
    data: str | Path | None,
    faces: str | Path | None,
    seed: int,
) -> Iterator[str]:
    """Put in what each experiment gives, and name it."""
    for name in datasets:
        figures["sensitivity"][name] = error_map(name, data=data, seed=seed)
        yield f"{name}: grid"
        run = convergence(name, data=data, seed=seed)
        figures["convergence"][name], figures["settled_from"][name] = run.history, run.settled_from
        yield f"{name}: convergence"
    for title, n_outliers, distance in PROJECTIONS:
        result = projection(n_outliers, distance=distance, random_state=seed)
        figures["projections"][title] = {
            "X": result.X,
            "y": result.y,
            "outliers": result.outlier,
            "directions": result.directions,
        }
        yield title
    if faces is None:
        images, y = make_ordinal_images(IMAGES, random_state=seed)
    else:
        bunch = load_faces(faces)
        images, y = bunch.images, bunch.target
    figures["occlusion"] = dict(vars(occlusion(images, y, random_state=seed)))
    yield "images"
