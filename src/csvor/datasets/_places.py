"""Which folders and files belong to a data set?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


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
