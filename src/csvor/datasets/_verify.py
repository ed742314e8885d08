"""How is a copy of a known data set read, and is it what it should be?"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor.datasets._catalogue import DatasetError, DatasetInfo
from csvor.datasets._folders import files_of
from csvor.datasets._protocol import equal_frequency, read_splits
from csvor.datasets._table import as_bunch, numbers, read_table

# Copies differ in the digits that they keep; other data differ by far more than this
# part of a standard deviation.
_NEAR = 1e-3


def read_known(known: DatasetInfo, folder: Path) -> Any:
    """The set in a folder that holds it, refused where it is not the known one."""
    paths = files_of(known.name, folder)
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
    splits = read_splits(paths.splits, known) if paths.splits.is_file() else []
    more = {"raw_target": raw_target, "published_splits": splits}
    classes = list(known.classes)
    return as_bunch(known.name, table, labels, classes, describe(known), path, **more)


def _same(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-6, atol=0))


def _whole(values: NDArray[np.float64], path: Path) -> NDArray[np.int64]:
    labels = values.astype(np.int64)
    if (labels != values).any():
        row = int(np.argmax(labels != values))
        raise DatasetError(f"{path}, column 'y', row {row + 1}: {values[row]:g} is no class number")
    return labels


def differences(
    info: DatasetInfo,
    data: NDArray[np.float64],
    labels: NDArray[np.int64],
    raw_target: NDArray[np.float64] | None,
) -> list[str]:
    """What differs from the known figures, a sentence each; none for a good copy."""
    if len(data) != info.n_rows:
        return [f"{len(data)} rows where {info.n_rows} are expected"]
    if data.shape[1] != info.n_features:
        return [f"{data.shape[1]} features where {info.n_features} are expected"]
    faults = []
    wrong = (labels < 1) | (labels > info.n_classes)
    if wrong.any():
        row = int(np.argmax(wrong))
        faults.append(f"label {labels[row]} in row {row + 1} is not in 1..{info.n_classes}")
    else:
        counts = tuple(np.bincount(labels, minlength=info.n_classes + 1)[1:].tolist())
        if counts != info.class_counts:
            faults.append(
                f"class counts {_slashed(counts)}, expected {_slashed(info.class_counts)}"
            )
    faults += _columns(info, data)
    if raw_target is not None and info.target_mean is not None and info.target_spread is not None:
        mean = float(raw_target.mean())
        if not abs(mean - info.target_mean) <= _NEAR * info.target_spread:
            faults.append(f"the target has the mean {mean:.6g}, expected {info.target_mean:.6g}")
        mismatches = int((equal_frequency(raw_target, info.n_classes) != labels).sum())
        if mismatches:
            faults.append(f"{mismatches} labels are not those that the target gives")
    return faults


def _columns(info: DatasetInfo, data: NDArray[np.float64]) -> list[str]:
    means, expected = data.mean(axis=0), np.array(info.means)
    # Not >: a mean that is NaN is wrong too.
    differs = ~(np.abs(means - expected) <= _NEAR * np.array(info.spreads))
    names = [name for name, bad in zip(info.feature_names, differs, strict=True) if bad]
    if not names:
        return []
    j = int(np.argmax(differs))
    more = f" (and {len(names) - 1} other columns)" if len(names) > 1 else ""
    return [f"column {names[0]!r} has the mean {means[j]:.6g}, expected {expected[j]:.6g}{more}"]


def _slashed(counts: Any) -> str:
    return "/".join(map(str, counts))


def is_reference(info: DatasetInfo, data: NDArray[np.float64], labels: NDArray[np.int64]) -> bool:
    """Whether values and order of rows are those that the published index sets refer to."""
    values = np.column_stack([data, labels]).ravel().tolist()
    text = "\n".join(f"{value:.9g}" for value in values)
    return hashlib.sha256(text.encode()).hexdigest() == info.reference


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
