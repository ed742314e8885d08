"""How does a folder of faces, named by person and age, become a data set?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor.datasets._catalogue import DatasetError, DatasetNotFoundError
from csvor.datasets._table import CsvTable, as_bunch

# Person, age, and a letter where a person has more than one picture of an age: 001A43b.JPG.
_NAME = re.compile(r"(\d+)A(\d+)[a-z]?\.(?:jpe?g|png|bmp)", re.IGNORECASE)


def load_faces(
    folder: str | Path, *, ages: Sequence[int] = (10, 20, 30, 40), side: int = 32
) -> Any:
    """Read a folder of faces in the manner of FG-NET, with age groups as ordered classes.

    Parameters
    ----------
    folder : str or Path
        A folder of pictures named ``<person>A<age>.JPG``, such as ``001A02.JPG`` or
        ``001A43b.JPG``, in it or below it. Other files are left out; all of them are named in
        ``skipped``.
    ages : sequence of int, default=(10, 20, 30, 40)
        The lowest age of the second group, the third, and so on, ascending. With the default the
        groups are 0-9, 10-19, 20-29, 30-39 and 40+.
    side : int, default=32
        Height and width to which the pictures are scaled, in grey; at least 1.

    Returns
    -------
    bunch : Bunch
        ``images``: ndarray of shape (n_samples, side, side), grey from 0 to 1;
        ``data``: the same as rows, shape (n_samples, side * side);
        ``target``: ndarray of shape (n_samples,), int64, group 1..K;
        ``target_names``: list of str, such as "10-19";
        ``raw_target``: ndarray of shape (n_samples,), the ages;
        ``subjects``: ndarray of shape (n_samples,), the persons;
        ``filenames``, ``skipped``: lists of str, below the folder;
        ``feature_names``, ``published_splits``, ``name``, ``filename``, ``DESCR``: as of `load`.

    Raises
    ------
    DatasetNotFoundError
        If there is no such folder.
    DatasetError
        If no file is named like that, a picture cannot be read, or an age group has no picture.
    ValueError
        If `ages` do not ascend or `side` is less than 1.
    ImportError
        If Pillow is not installed (extra ``plots``).

    References
    ----------
    Panis et al., Overview of research on facial ageing using the FG-NET ageing database, IET
    Biometrics 5 (2016) 37-46, doi:10.1049/iet-bmt.2014.0053.

    Examples
    --------
    >>> from csvor.datasets import load_faces
    >>> faces = load_faces("FGNET/images")    # doctest: +SKIP
    >>> faces.images.shape                    # doctest: +SKIP
    (1002, 32, 32)
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise ImportError(
            "Pictures are read with Pillow, which is not installed: pip install 'csvor[plots]'."
        ) from error
    borders = np.asarray(ages, dtype=np.int64)
    if borders.ndim != 1 or borders.size < 1 or borders[0] < 1 or (np.diff(borders) < 1).any():
        raise ValueError(f"ages={ages!r} must be ascending ages from 1, such as (10, 20, 30, 40).")
    if side < 1:
        raise ValueError(f"side={side!r} must be at least 1.")
    root = Path(folder).expanduser()
    names, persons, years, skipped = _pictures_of(root)
    images = np.empty((len(names), side, side))
    for row, name in enumerate(names):
        try:
            with Image.open(root / name) as picture:
                images[row] = np.asarray(picture.convert("L").resize((side, side))) / 255.0
        except (OSError, UnidentifiedImageError) as error:
            raise DatasetError(f"{root / name}: not a readable picture ({error})") from None
    target = np.digitize(years, borders) + 1
    groups = _groups(borders.tolist())
    counts = np.bincount(target, minlength=len(groups) + 1)[1:]
    if (counts == 0).any():
        raise DatasetError(
            f"{folder} holds no picture of the age group {groups[int(np.argmin(counts))]}; choose "
            "other ages=(...)."
        )
    pixels = [f"pixel_{i}_{j}" for i in range(side) for j in range(side)]
    table = CsvTable(images.reshape(len(images), -1), pixels, None)
    sizes = ", ".join(f"{group} ({n})" for group, n in zip(groups, counts, strict=True))
    descr = f"{len(names)} faces by age group: {sizes}"
    more = {"raw_target": years, "subjects": persons, "filenames": names, "skipped": skipped}
    labels = target.astype(np.int64)
    return as_bunch("faces", table, labels, groups, descr, folder, images=images, **more)


def _pictures_of(
    folder: Path,
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64], list[str]]:
    """Names of the pictures below a folder, their persons and ages, and the files left out."""
    if not folder.is_dir():
        raise DatasetNotFoundError(f"folder {str(folder)!r}: there is no such folder")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    matches = {path.relative_to(folder).as_posix(): _NAME.fullmatch(path.name) for path in files}
    people = [(name, int(match[1]), int(match[2])) for name, match in matches.items() if match]
    if not people:
        raise DatasetError(
            f"{folder} holds no picture that is named by person and age, such as 001A02.JPG."
        )
    names, persons, ages = zip(*people, strict=True)
    skipped = [name for name, match in matches.items() if match is None]
    return list(names), np.array(persons), np.array(ages), skipped


def _groups(borders: list[int]) -> list[str]:
    begins = [0, *borders]
    closed = [
        f"{a}-{b - 1}" if a < b - 1 else str(a) for a, b in zip(begins, borders, strict=False)
    ]
    return [*closed, f"{borders[-1]}+"]
