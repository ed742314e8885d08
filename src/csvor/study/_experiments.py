"""Which experiments go into a report beside its tables?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from csvor.datasets import load_faces, make_ordinal_images
from csvor.study._data_experiments import convergence, error_map
from csvor.study._synthetic import occlusion, projection

# Five outliers at a growing distance, then more of them: what the paper's synthetic figures vary.
PROJECTIONS = (
    ("5 outliers, near", 5, 8.0),
    ("5 outliers, further", 5, 16.0),
    ("5 outliers, far", 5, 32.0),
    ("20 outliers", 20, 8.0),
    ("60 outliers", 60, 8.0),
)
IMAGES = 300


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
