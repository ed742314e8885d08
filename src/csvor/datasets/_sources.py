"""What do the archive of the AYRNA group and OpenML hold, and in which form?

In the archive of their review of ordinal methods lie ``.../<set>/matlab/train_<set>.<k>`` and
``test_<set>.<k>``: lines of numbers, the label last. The parts of each k make up the whole set, so
the published splits are in it.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import numpy as np
from numpy.typing import NDArray

from csvor._utils.atomic_files import written_whole
from csvor.datasets._catalogue import DatasetError, DatasetInfo
from csvor.datasets._folders import cache_folder
from csvor.datasets._protocol import Split, equal_frequency

Array = NDArray[np.float64]

URL = "https://www.uco.es/grupos/ayrna/ucobigfiles/datasets-orreview.zip"
_TIMEOUT = 60.0
# UCI counts normal 1, hyper 2, hypo 3.
_THYROID = {3: 1, 1: 2, 2: 3}


class Content(NamedTuple):
    """What a source has of a data set."""

    data: Array
    labels: NDArray[np.int64]
    raw_target: Array | None = None
    splits: tuple[Split, ...] = ()


def read_archive(known: DatasetInfo) -> Content:
    """All rows of a set, those of the first training part first, and its published splits."""
    if known.ayrna is None:
        raise DatasetError(f"The archive of AYRNA does not have the data set {known.name!r}.")
    name, path = known.ayrna, _downloaded()
    try:
        with zipfile.ZipFile(path) as archive:
            parts = _parts(archive, name)
    except zipfile.BadZipFile as error:
        path.unlink()
        raise DatasetError(f"What {URL} sent is not a zip file ({error}).") from None
    table = np.vstack(parts[0])
    splits = tuple(_rows_of(table, pair, name, k) for k, pair in enumerate(parts))
    return Content(table[:, :-1], table[:, -1].astype(np.int64), None, splits)


def _downloaded() -> Path:
    path = cache_folder() / "datasets-orreview.zip"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            urlopen(URL, timeout=_TIMEOUT) as response,
            written_whole(path) as part,
            part.open("wb") as file,
        ):
            shutil.copyfileobj(response, file)
    return path


def _parts(archive: zipfile.ZipFile, name: str) -> list[tuple[Array, Array]]:
    """Training and test part of each split, in the order of their numbers."""
    pattern = re.compile(rf"(?:^|/){re.escape(name)}/matlab/(train|test)_{re.escape(name)}\.(\d+)$")
    members: dict[int, dict[str, str]] = defaultdict(dict)
    for member in archive.namelist():
        if match := pattern.search(member):
            members[int(match[2])][match[1]] = member
    numbers = sorted(k for k, pair in members.items() if len(pair) == 2)
    if not numbers:
        raise DatasetError(f"The archive {URL} has no folder {name!r} with parts of a data set.")

    def read(member: str) -> Array:
        with archive.open(member) as file:
            return np.loadtxt(file, dtype=np.float64, ndmin=2)

    return [(read(members[k]["train"]), read(members[k]["test"])) for k in numbers]


def _rows_of(table: Array, pair: tuple[Array, Array], name: str, k: int) -> Split:
    """Positions of the rows of a split in the table; equal rows stand for one another."""
    positions: dict[bytes, list[int]] = defaultdict(list)
    for row in range(len(table) - 1, -1, -1):
        positions[table[row].tobytes()].append(row)
    try:
        train, test = (
            np.array([positions[row.tobytes()].pop() for row in part], dtype=np.int64)
            for part in pair
        )
    except IndexError:
        raise DatasetError(f"Split {k} of {name!r} in {URL} has rows that split 0 lacks.") from None
    return train, test


def read_openml(known: DatasetInfo) -> Content:
    """Features in the order of the catalogue, labels, and the target of a discretised set."""
    if known.openml is None:
        raise DatasetError(f"csvor knows no data set {known.name!r} at OpenML; use source='ayrna'.")
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(data_id=known.openml, as_frame=True, cache=False, n_retries=1)
    data = _numbers(bunch.data, known)
    target = _numbers(bunch.target.to_frame(), known)[:, 0]
    if known.name == "tae":
        return Content(_tae(data), target.astype(np.int64))
    if known.name == "newthyroid":
        return Content(data, np.array([_THYROID.get(int(label), 0) for label in target]))
    data = data[:, _positions(list(bunch.data.columns), known.feature_names)]
    if not np.isfinite(target).all() or len(target) < known.n_classes:
        raise DatasetError(f"The target of {known.name!r} at OpenML is not one number a row.")
    return Content(data, equal_frequency(target, known.n_classes), target)


def _numbers(frame: Any, known: DatasetInfo) -> Array:
    """Columns as numbers, categories by what they spell."""
    try:
        return np.column_stack([frame[name].astype(str).astype(float) for name in frame])
    except ValueError as error:
        raise DatasetError(f"{known.name!r} at OpenML holds no numbers: {error}") from None


def _positions(columns: list[str], names: tuple[str, ...]) -> list[int]:
    """The position of each named column; the order of the columns where the names are others."""
    plain, sought = (
        [re.sub(r"[^a-z0-9]", "", name.lower()) for name in listed] for listed in (columns, names)
    )
    if sorted(plain) != sorted(sought):
        # The means of the columns, which are checked next, tell a wrong order.
        return list(range(len(columns)))
    return [plain.index(name) for name in sought]


def _tae(data: Array) -> Array:
    """Native speaker 1/2, instructor 1..25, course 1..26, summer/regular 1/2, class size."""
    if data.shape[1] != 5:
        raise DatasetError(f"'tae' at OpenML has {data.shape[1]} columns, expected 5.")
    native, instructor, course, semester, size = data.T
    instructors = instructor[:, None] == np.arange(1, 26)
    courses = course[:, None] == np.arange(1, 27)
    columns = [native == 2, instructors, courses, semester == 2, size]
    return np.column_stack(columns).astype(np.float64)
