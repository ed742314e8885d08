"""Is a copy of a known data set what it should be?"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor.datasets._catalogue import DatasetInfo
from csvor.datasets._discretise import equal_frequency

# Copies differ in the digits that they keep; other data differ by far more than this
# part of a standard deviation.
_NEAR = 1e-3


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
    found = []
    wrong = (labels < 1) | (labels > info.n_classes)
    if wrong.any():
        row = int(np.argmax(wrong))
        found.append(f"label {labels[row]} in row {row + 1} is not in 1..{info.n_classes}")
    else:
        counts = tuple(np.bincount(labels, minlength=info.n_classes + 1)[1:].tolist())
        if counts != info.class_counts:
            found.append(f"class counts {_slashed(counts)}, expected {_slashed(info.class_counts)}")
    found += _columns(info, data)
    if raw_target is not None and info.target_mean is not None and info.target_spread is not None:
        mean = float(raw_target.mean())
        if not abs(mean - info.target_mean) <= _NEAR * info.target_spread:
            found.append(f"the target has the mean {mean:.6g}, expected {info.target_mean:.6g}")
        mismatches = int((equal_frequency(raw_target, info.n_classes) != labels).sum())
        if mismatches:
            found.append(f"{mismatches} labels are not those that the target gives")
    return found


def _columns(info: DatasetInfo, data: NDArray[np.float64]) -> list[str]:
    means, expected = data.mean(axis=0), np.array(info.means)
    # Not >: a mean that is NaN is far too.
    far = ~(np.abs(means - expected) <= _NEAR * np.array(info.spreads))
    names = [name for name, bad in zip(info.feature_names, far, strict=True) if bad]
    if not names:
        return []
    j = int(np.argmax(far))
    more = f" (and {len(names) - 1} other columns)" if len(names) > 1 else ""
    return [f"column {names[0]!r} has the mean {means[j]:.6g}, expected {expected[j]:.6g}{more}"]


def _slashed(counts: Any) -> str:
    return "/".join(map(str, counts))


def is_reference(info: DatasetInfo, data: NDArray[np.float64], labels: NDArray[np.int64]) -> bool:
    """Whether values and order of rows are those that the published index sets refer to."""
    values = np.column_stack([data, labels]).ravel().tolist()
    text = "\n".join(f"{value:.9g}" for value in values)
    return hashlib.sha256(text.encode()).hexdigest() == info.reference
