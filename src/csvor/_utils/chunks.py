"""Work on rows in chunks, side by side where they are many."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

T = TypeVar("T")

# Numbers in a chunk: some milliseconds of work. Chunks depend on the shape alone, so that sums over
# them have the same rounding with any number of threads.
_NUMBERS = 400_000


def in_chunks(work: Callable[[slice], T], n_rows: int, n_columns: int) -> list[T]:
    """What ``work`` gives for each chunk of rows, in their order.

    The number of threads is the one that OpenMP would use: it heeds threadpoolctl, the
    environment, and the workers of an outer joblib.
    """
    step = max(_NUMBERS // n_columns, 256)
    if n_rows <= step:
        return [work(slice(0, n_rows))]
    chunks = [slice(start, start + step) for start in range(0, n_rows, step)]
    n_threads = min(_openmp_effective_n_threads(), len(chunks))
    if n_threads == 1:
        return [work(chunk) for chunk in chunks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, chunks))
