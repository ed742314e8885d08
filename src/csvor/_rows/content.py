"""Which order of rows follows from what they hold, wherever they stand?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.blocks import row_blocks
from csvor._rows.csr import is_sparse

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# Numbers that differ by less, in their spread and in their size, are one: it may be rounding.
_SPREAD, _SIZE = 1e-12, 1e-14


def order_by_content(X: Any, *columns: NDArray[Any]) -> tuple[Rows, Rows]:
    """`order_of` rows of an array, CSR, or a sequence of columns; NaN counts as the mean."""
    centre = None
    if not is_sparse(X):
        seen, sums = ask(X, None, _seen)[0]
        centre = sums / np.maximum(seen, 1.0)
    return order_of(partial(ask, X, centre), centre, *columns)


def order_of(
    ask: Callable[..., Any], centre: Array | None, *columns: NDArray[Any]
) -> tuple[Rows, Rows]:
    """The places of rows, first to last, and numbers of them, one for rows that are alike.

    With Z for X in columns of mean 0 and deviation 1, rows lie along ``Z Z' q``, where q are their
    squared lengths, and the first of the columns beside X. That is the same in any order of rows
    and of columns of X, in any units, dense, sparse, or rounded otherwise. Of rows that meet there,
    a second such direction, the columns, and at last their places decide.

    ``ask(work, *columns, shared=())`` gives the sums and rows of `work` over blocks of X, from
    which the centre is taken if there is one.
    """

    def along(v: Array) -> Array:
        (sums,), _ = ask(_sums, v - v.mean())
        _, (values,) = ask(_products, shared=(np.nan_to_num(sums * factors),))
        return np.asarray((values - values.mean()) / (values.std() or 1.0))

    with np.errstate(all="ignore"):
        (n, means, squares), _ = ask(_moments)
        means, squares = means / n, squares / n
        size = np.sqrt(squares if centre is None else squares + centre**2)
        spread = np.sqrt(np.maximum(squares - means**2, 0.0))
        # A column whose spread is rounding is constant.
        factors = np.where(spread > 1e-12 * size, spread**-2.0, 0.0)
        _, (lengths,) = ask(_squared_lengths, shared=(factors, 2.0 * factors * means))
        first = along(lengths + sum(columns[:1]))
        known = [_numbered(first), _numbered(along(first**2)), *columns]
    order = np.lexsort(known[::-1])
    differs = np.zeros(order.size, dtype=bool)
    for column in known:
        differs[1:] |= np.diff(column[order].astype(np.float64)) != 0.0
    return order, np.cumsum(differs)


def ask(
    X: Any, centre: Array | None, work: Callable[..., Any], *columns: Array, shared: Any = ()
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Sums, and values of rows, of ``work(block of X, its parts of columns, *shared)``."""
    answers = [
        work(block, *(column[rows] for column in columns), *shared)
        for rows, block in _blocks(X, centre)
    ]
    sums = tuple(sum(of_blocks) for of_blocks in zip(*(sums for sums, _ in answers), strict=True))
    return sums, tuple(map(np.concatenate, zip(*(rows for _, rows in answers), strict=True)))


def _blocks(X: Any, centre: Array | None) -> Iterator[tuple[slice, Any]]:
    """Where each block of rows lies, and its values, less the centre if there is one."""
    several = isinstance(X, Sequence)
    n, d = (X[0].size, len(X)) if several else X.shape
    for rows in row_blocks(n, max(X.nnz // n, 1) if is_sparse(X) else d):
        block = np.column_stack([column[rows] for column in X]) if several else X[rows]
        if not is_sparse(block):
            block = block.astype(np.float64)
        if centre is not None:
            block -= centre
            block[np.isnan(block)] = 0.0
        yield rows, block


def _seen(block: Array) -> Any:
    return (np.count_nonzero(~np.isnan(block), axis=0), np.nansum(block, axis=0)), ()


def _moments(block: Any) -> Any:
    ones = np.ones(block.shape[0])
    return (ones.size, ones @ block, ones @ _squared(block)), ()


def _squared_lengths(block: Any, factors: Array, doubled: Array) -> Any:
    """But for one number, the same for all rows."""
    return (), (_squared(block) @ factors - block @ doubled,)


def _sums(block: Any, v: Array) -> Any:
    return (v @ block,), ()


def _products(block: Any, direction: Array) -> Any:
    return (), (block @ direction,)


def _squared(block: Any) -> Any:
    return block.power(2) if is_sparse(block) else block**2


def _numbered(values: Array) -> NDArray[np.int64]:
    """Values by numbers from 0 in their order, one for those that may be the same."""
    order = np.argsort(values)
    numbers = np.zeros(values.size, dtype=np.int64)
    least = _SPREAD * values.std() + _SIZE * np.abs(values).max(initial=0.0)
    numbers[order[1:]] = np.cumsum(np.diff(values[order]) > least)
    return numbers
