"""How do the data sets lie at OpenML?"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor.datasets._catalogue import DatasetError, DatasetInfo
from csvor.datasets._discretise import equal_frequency

Array = NDArray[np.float64]

# UCI counts normal 1, hyper 2, hypo 3.
_THYROID = {3: 1, 1: 2, 2: 3}


def read_openml(known: DatasetInfo) -> tuple[Array, NDArray[np.int64], Array | None]:
    """Features in the order of the catalogue, labels, and the target of a discretised set."""
    if known.openml is None:
        raise DatasetError(f"csvor knows no data set {known.name!r} at OpenML; use source='ayrna'.")
    from sklearn.datasets import fetch_openml

    found = fetch_openml(data_id=known.openml, as_frame=True, cache=False, n_retries=1)
    data = _numbers(found.data, known)
    target = _numbers(found.target.to_frame(), known)[:, 0]
    if known.name == "tae":
        return _tae(data), target.astype(np.int64), None
    if known.name == "newthyroid":
        return data, np.array([_THYROID.get(int(label), 0) for label in target]), None
    data = data[:, _places(list(found.data.columns), known.feature_names)]
    if not np.isfinite(target).all() or len(target) < known.n_classes:
        raise DatasetError(f"The target of {known.name!r} at OpenML is not one number a row.")
    return data, equal_frequency(target, known.n_classes), target


def _numbers(frame: Any, known: DatasetInfo) -> Array:
    """Columns as numbers, categories by what they spell."""
    try:
        return np.column_stack([frame[name].astype(str).astype(float) for name in frame])
    except ValueError as error:
        raise DatasetError(f"{known.name!r} at OpenML holds no numbers: {error}") from None


def _places(found: list[str], wanted: tuple[str, ...]) -> list[int]:
    """Where each wanted column is; by place where the names are others."""
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in found]
    asked = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in wanted]
    if sorted(plain) != sorted(asked):
        # The means of the columns, which are checked next, tell a wrong order.
        return list(range(len(found)))
    return [plain.index(name) for name in asked]


def _tae(data: Array) -> Array:
    """Native speaker 1/2, instructor 1..25, course 1..26, summer/regular 1/2, class size."""
    if data.shape[1] != 5:
        raise DatasetError(f"'tae' at OpenML has {data.shape[1]} columns, expected 5.")
    native, instructor, course, semester, size = data.T
    return np.column_stack(
        [
            native == 2,
            instructor[:, None] == np.arange(1, 26),
            course[:, None] == np.arange(1, 27),
            semester == 2,
            size,
        ]
    ).astype(np.float64)
