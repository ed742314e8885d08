"""What holds the numbers of X, an array or a CSR matrix, and what follows from that?

All that is asked of either before it becomes a `ScaledMatrix`; none makes a sparse one dense.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.blocks import float64_blocks
from csvor._rows.csr import is_sparse
from csvor._rows.dense import DenseMatrix
from csvor._rows.matrix import ScaledMatrix
from csvor._rows.spans import Spans, spans_of
from csvor._rows.sparse import SparseMatrix

Array = NDArray[np.float64]


def matrix_of(X: Any, weights: Array, spans: Spans | None = None) -> ScaledMatrix:
    """The features of the rows of X, scaled inside."""
    return (SparseMatrix if is_sparse(X) else DenseMatrix)(X, weights, spans)


def canonical(X: Any) -> Any:
    """X with each number but 0 stored once and in order; a copy where that has to be made so.

    Zeros that are stored would group sums otherwise (N70).
    """
    if not is_sparse(X) or (X.has_canonical_format and X.data.all()):
        return X
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def stored(X: Any) -> NDArray[Any]:
    """The numbers that are held, in the order of the rows."""
    return X.data if is_sparse(X) else X


def places_of(X: Any, at: tuple[NDArray[np.intp], ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows and columns of some of the numbers that are held."""
    if not is_sparse(X):
        return at[0], at[1]
    return np.searchsorted(X.indptr, at[0], side="right") - 1, X.indices[at[0]]


def columns_of(X: Any, columns: NDArray[np.intp]) -> Iterator[NDArray[Any]]:
    """All numbers of some columns, one after the other."""
    chosen = X[:, columns].tocsc() if is_sparse(X) else X
    for place, j in enumerate(columns):
        yield chosen[:, [place]].toarray().ravel() if is_sparse(X) else X[:, j]


def variance_of(X: Any, weights: Array) -> float:
    """Of all numbers of X together, rows by weight."""
    if is_sparse(X):
        spans = spans_of(X, weights)
        return float((spans.spread**2).mean() + spans.mean.var())
    share, of_rows = weights / weights.sum(), np.empty(X.shape[0])
    for rows, block in float64_blocks(X):
        of_rows[rows] = block.mean(axis=1)
    middle = share @ of_rows
    for rows, block in float64_blocks(X):
        of_rows[rows] = ((block - middle) ** 2).mean(axis=1)
    return float(share @ of_rows)


def basis_of_rows(X: Any) -> Array | None:
    """An orthonormal basis of fewer vectors than columns, where there is one that helps.

    Sparse rows would be dense in it.
    """
    n, d = X.shape
    if d <= n or is_sparse(X):
        return None
    basis: Array = np.linalg.qr(X.T.astype(np.float64, copy=False))[0]
    return basis


def as_array(values: Any) -> Array:
    """What a function has returned, sparse or not."""
    return np.asarray(values.toarray() if is_sparse(values) else values, dtype=np.float64)
