"""Which rows are held out together?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Rows = NDArray[np.intp]


def stratified_folds(
    codes: NDArray[np.integer], cv: int, random_state: Any
) -> Iterator[tuple[Rows, Rows]]:
    """Train and test rows of parts dealt out class by class, classes rarer than cv included."""
    shuffled = check_random_state(random_state).permutation(codes.size)
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]
    part = np.empty(codes.size, dtype=np.intp)
    part[dealt] = np.arange(codes.size) % cv
    for k in range(cv):
        yield np.flatnonzero(part != k), np.flatnonzero(part == k)
