"""Which folder holds a data set, and which files?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from csvor.datasets._catalogue import DatasetNotFoundError, catalogue


class Files(NamedTuple):
    """The files of one data set."""

    labelled: Path
    raw: Path
    splits: Path


def files_of(name: str, folder: Path) -> Files:
    """The paths that the files of a data set have in a folder, there or not."""
    stems = (f"{name}.csv", f"{name}_raw.csv", f"{name}_splits.npz")
    return Files(*(folder / stem for stem in stems))


def cache_folder() -> Path:
    """Return the folder that downloaded data sets are kept in.

    It is ``csvor`` in scikit-learn's data folder (``~/scikit_learn_data``, or what the environment
    variable SCIKIT_LEARN_DATA names). It is made by the first download, not before.

    Returns
    -------
    folder : Path
        The folder, which may not exist yet.

    Examples
    --------
    >>> from csvor.datasets import cache_folder
    >>> cache_folder().name
    'csvor'
    """
    home = os.environ.get("SCIKIT_LEARN_DATA") or str(Path("~", "scikit_learn_data"))
    return Path(home).expanduser() / "csvor"


def locate(name: str, folder: str | Path | None = None) -> Path | None:
    """Return the folder that `load` would read a data set from.

    Parameters
    ----------
    name : str
        As in `load`, but for the sets of skordinal, which lie in no folder.
    folder : str or Path, default=None
        As in `load`.

    Returns
    -------
    folder : Path or None
        The first place that holds a file of the set, right or wrong; None if there is none.

    Raises
    ------
    DatasetNotFoundError
        If `folder`, or what CSVOR_DATA names, is no folder.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from csvor.datasets import locate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "wear.csv").write_text("km,y\\n10,1\\n90,2\\n", encoding="utf-8")
    ...     locate("wear", folder) == Path(folder), locate("tear", folder)
    (True, None)
    """
    for directory in folders_of(folder):
        paths = files_of(name, directory)
        # A set of one's own has labels; those of a known one can follow from its target.
        if paths.labelled.is_file() or (name in catalogue() and paths.raw.is_file()):
            return directory
    return None


def folders_of(folder: str | Path | None) -> list[Path]:
    """The folders to look in, first one first."""
    chosen = folder if folder is not None else os.environ.get("CSVOR_DATA") or None
    if chosen is None:
        return [cache_folder()]
    directory = Path(chosen).expanduser()
    if not directory.is_dir():
        what = "folder" if folder is not None else "CSVOR_DATA"
        raise DatasetNotFoundError(f"{what} {str(directory)!r}: there is no such folder")
    return [directory, cache_folder()]
