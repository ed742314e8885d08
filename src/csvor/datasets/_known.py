"""How is a copy of a known data set read and checked?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor.datasets._catalogue import DatasetError, DatasetInfo
from csvor.datasets._check import differences
from csvor.datasets._discretise import equal_frequency
from csvor.datasets._places import files_of
from csvor.datasets._splits import read_splits
from csvor.datasets._table import as_bunch, numbers, read_table


def read_known(known: DatasetInfo, place: Path) -> Any:
    """The set in a folder that holds it, refused where it is not the known one."""
    paths = files_of(known.name, place)
    raw_target = None
    if known.discretised and paths.raw.is_file():
        table = read_table(paths.raw, "target")
        raw_target = numbers(table.target, paths.raw)
        labels = equal_frequency(raw_target, known.n_classes)
        path = paths.raw
    if paths.labelled.is_file():
        path = paths.labelled
        labelled = read_table(path, "y")
        if raw_target is not None and not _same(labelled.data, table.data):
            raise DatasetError(f"{path} and {paths.raw} do not hold the same features and rows")
        table = labelled
        labels = _whole(numbers(table.target, path), path)
    wrong = differences(known, table.data, labels, raw_target)
    if wrong:
        raise DatasetError(
            f"{path} is not the data set {known.name}: {'; '.join(wrong)}. Replace the file, or "
            "load it under another name with load_csv."
        )
    published = read_splits(paths.splits, known) if paths.splits.is_file() else []
    return as_bunch(
        known.name,
        table,
        labels,
        list(known.classes),
        describe(known),
        path,
        raw_target,
        published,
    )


def _same(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-6, atol=0))


def _whole(values: NDArray[np.float64], path: Path) -> NDArray[np.int64]:
    labels = values.astype(np.int64)
    if (labels != values).any():
        row = int(np.argmax(labels != values))
        raise DatasetError(f"{path}, column 'y', row {row + 1}: {values[row]:g} is no class number")
    return labels


def describe(known: DatasetInfo) -> str:
    """The text that goes with a data set."""
    counts = "/".join(map(str, known.class_counts))
    lines = [
        f"{known.title} ({known.name})",
        "",
        known.about,
        "",
        f"Rows {known.n_rows}, features {known.n_features}, classes {known.n_classes}: "
        f"{', '.join(known.classes)} ({counts} rows).",
    ]
    if known.discretised:
        lines += [
            "The classes are five parts of equal size of a regression target, in its order; equal "
            "targets may be parted (equal_frequency).",
        ]
    lines += ["", f"Source: {known.origin}"]
    return "\n".join(lines)
