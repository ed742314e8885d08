"""What is in the archive of the review of ordinal methods by the AYRNA group?

``.../<set>/matlab/train_<set>.<k>`` and ``test_<set>.<k>``: lines of numbers, the label last. The
parts of each k make up the whole set, so the published splits are in it.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from collections import defaultdict
from pathlib import Path
from urllib.request import urlopen

import numpy as np
from numpy.typing import NDArray

from csvor._utils.atomic_files import written_whole
from csvor.datasets._catalogue import DatasetError
from csvor.datasets._places import cache_folder
from csvor.datasets._splits import Split

URL = "https://www.uco.es/grupos/ayrna/ucobigfiles/datasets-orreview.zip"
_TIMEOUT = 60.0


def read_archive(name: str) -> tuple[NDArray[np.float64], tuple[Split, ...]]:
    """All rows of a set, those of the first training part first, and its published splits."""
    path = _downloaded()
    try:
        with zipfile.ZipFile(path) as archive:
            parts = _parts(archive, name)
    except zipfile.BadZipFile as error:
        path.unlink()
        raise DatasetError(f"What {URL} sent is not a zip file ({error}).") from None
    table = np.vstack(parts[0])
    return table, tuple(_rows_of(table, pair, name, k) for k, pair in enumerate(parts))


def _downloaded() -> Path:
    path = cache_folder() / "datasets-orreview.zip"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            urlopen(URL, timeout=_TIMEOUT) as response,
            written_whole(path) as part,
            part.open("xb") as file,
        ):
            shutil.copyfileobj(response, file)
    return path


def _parts(
    archive: zipfile.ZipFile, name: str
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Training and test part of each split, in the order of their numbers."""
    pattern = re.compile(rf"(?:^|/){re.escape(name)}/matlab/(train|test)_{re.escape(name)}\.(\d+)$")
    members: dict[int, dict[str, str]] = defaultdict(dict)
    for member in archive.namelist():
        if found := pattern.search(member):
            members[int(found[2])][found[1]] = member
    whole = sorted(k for k, pair in members.items() if len(pair) == 2)
    if not whole:
        raise DatasetError(f"The archive {URL} has no folder {name!r} with parts of a data set.")

    def read(member: str) -> NDArray[np.float64]:
        with archive.open(member) as file:
            return np.loadtxt(file, dtype=np.float64, ndmin=2)

    return [(read(members[k]["train"]), read(members[k]["test"])) for k in whole]


def _rows_of(
    table: NDArray[np.float64],
    pair: tuple[NDArray[np.float64], NDArray[np.float64]],
    name: str,
    k: int,
) -> Split:
    """Positions of the rows of a split in the table; equal rows stand for one another."""
    places: dict[bytes, list[int]] = defaultdict(list)
    for row in range(len(table) - 1, -1, -1):
        places[table[row].tobytes()].append(row)
    try:
        train, test = (
            np.array([places[row.tobytes()].pop() for row in part], dtype=np.int64) for part in pair
        )
    except IndexError:
        raise DatasetError(f"Split {k} of {name!r} in {URL} has rows that split 0 lacks.") from None
    return train, test
