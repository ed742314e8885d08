"""How does a data set that is not here come here?"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np

from csvor._utils.atomic_files import written_whole
from csvor.datasets._catalogue import DatasetError, DatasetInfo, info
from csvor.datasets._folders import cache_folder, files_of
from csvor.datasets._sources import Content, read_archive, read_openml
from csvor.datasets._verify import differences, read_known

Writer = Callable[[Path], object]

SOURCES = ("auto", "ayrna", "openml")


def fetch(name: str, folder: str | Path | None = None, *, source: str | Path = "auto") -> Path:
    """Bring one of the ten data sets of the paper into a folder, checked.

    Parameters
    ----------
    name : str
        One of ``names()``.
    folder : str or Path, default=None
        Where to write; made if it does not exist. None is the cache (`cache_folder`), which `load`
        looks into by itself. Files of the set that are there are replaced.
    source : {"auto", "ayrna", "openml"} or Path, default="auto"
        ``"ayrna"`` downloads the archive of the review by Gutiérrez et al. (doi:10.1109/TKDE.2015.\
2457911) from the University of Córdoba, kept in the cache, and brings the published splits;
        ``"openml"`` downloads the set from OpenML through
        :func:`sklearn.datasets.fetch_openml`, and brings the regression targets. ``"auto"`` is the
        archive for the four real sets and OpenML for the six discretised ones. Another value is a
        folder to copy from.

    Returns
    -------
    folder : Path
        Where the set is now.

    Raises
    ------
    DatasetError
        If the source cannot be reached, does not have the set, or what it has is not the known
        set. Nothing is written then.
    ValueError
        If the name is none of the ten.

    Notes
    -----
    Each file is written whole or not at all. Rows keep the order of the source. Seeded splits
    refer to positions, so they pick other rows of a copy in another order.

    Examples
    --------
    >>> from csvor.datasets import fetch
    >>> fetch("tae", "data")            # doctest: +SKIP
    PosixPath('data')
    """
    known = info(name)
    target = cache_folder() if folder is None else Path(folder).expanduser()
    chosen = str(source)
    if chosen == "auto":
        chosen = "ayrna" if known.spoiled == "labels" else "openml"
    if chosen not in SOURCES:
        return _copy(known, Path(source).expanduser(), target)
    try:
        content = read_archive(known) if chosen == "ayrna" else read_openml(known)
    except (URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise DatasetError(
            f"Data set {name!r} could not be downloaded ({chosen}: {reason}). Try again, or put "
            f"{name}.csv into {target} by hand."
        ) from error
    wrong = differences(known, content.data, content.labels, content.raw_target)
    if wrong:
        raise DatasetError(f"What {chosen} has is not the data set {name}: {'; '.join(wrong)}.")
    return _write(known, target, _writers(known, content))


def _copy(known: DatasetInfo, source: Path, target: Path) -> Path:
    if not source.is_dir():
        raise DatasetError(
            f"source {str(source)!r} is neither a folder nor one of {', '.join(SOURCES)}."
        )
    files = files_of(known.name, source)
    if not (files.labelled.is_file() or files.raw.is_file()):
        raise DatasetError(f"{source} does not hold the data set {known.name!r}.")
    read_known(known, source)
    if target.resolve() == source.resolve():
        return target
    copies = [partial(shutil.copyfile, file) if file.is_file() else None for file in files]
    return _write(known, target, copies)


def _writers(known: DatasetInfo, content: Content) -> list[Writer | None]:
    """How each file of a set is written, in the order of `Files`; None for one that it lacks."""
    import pandas as pd

    frame = pd.DataFrame(content.data, columns=list(known.feature_names))

    def table(name: str, column: Any) -> Writer:
        return partial(frame.assign(**{name: column}).to_csv, index=False, lineterminator="\n")

    def splits(path: Path) -> None:
        trains, tests = (np.stack(rows) for rows in zip(*content.splits, strict=True))
        with path.open("wb") as file:
            np.savez_compressed(file, train_idx=trains, test_idx=tests)

    raw = None if content.raw_target is None else table("target", content.raw_target)
    return [table("y", content.labels), raw, splits if content.splits else None]


def _write(known: DatasetInfo, target: Path, writers: Iterable[Writer | None]) -> Path:
    """Write the files of a set whole, and remove those that it lacks."""
    if target.exists() and not target.is_dir():
        raise DatasetError(f"{target} is a file; name a folder.")
    target.mkdir(parents=True, exist_ok=True)
    files = files_of(known.name, target)
    # Index sets of the copy that is replaced would point at other rows.
    files.splits.unlink(missing_ok=True)
    for file, writer in zip(files, writers, strict=True):
        if writer is None:
            file.unlink(missing_ok=True)
            continue
        with written_whole(file) as part:
            writer(part)
    return target
