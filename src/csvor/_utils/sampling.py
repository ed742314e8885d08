"""Which rows stand for all, the same in every run?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def random_rows(n: int, size: int) -> NDArray[np.intp]:
    """So many of n rows in random order, the same in every run; all in their order if n is less."""
    if n <= size:
        return np.arange(n)
    return np.random.default_rng(0).choice(n, size, replace=False)
