"""Which order of rows follows from what they hold, wherever they stand?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.blocks import float64_blocks, product
from csvor._rows.csr import is_sparse

Array = NDArray[np.float64]

# Projections that differ by less, in their spread and in their size, are one: it may be rounding.
_SPREAD, _SIZE = 1e-9, 1e-12


def order_by_content(X: Any, *columns: NDArray[Any], by_column: bool = True) -> NDArray[np.intp]:
    """Rows, array or CSR, and columns of numbers beside them, by a random projection of X.

    It is the same of the same rows in any order, dense, sparse, or rounded otherwise. ``by_column``
    says whether it matters in which column a number stands: in a kernel of all rows it doesn't.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        values = _projections(X) if by_column else _squares(X)
        step = _SPREAD * values.std() + _SIZE * np.abs(values).max(initial=0.0)
        return np.lexsort((*columns, np.round(values / (step or 1.0))))


def _projections(X: Any) -> Array:
    direction = np.random.default_rng(0).standard_normal(X.shape[1])
    return np.asarray(X @ direction) if is_sparse(X) else product(X, direction)


def _squares(X: Any) -> Array:
    return np.concatenate([np.square(block).sum(axis=1) for _, block in float64_blocks(X)])
