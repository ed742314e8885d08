"""How many threads linear algebra may use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController

# Below this many numbers in a matrix, waiting for other threads costs more than they bring: on a
# busy machine of two cores, a fit of 200 rows took 50 times as long with two BLAS threads.
_SMALL = 5_000_000


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def threads_for(size: int) -> AbstractContextManager[object]:
    """One BLAS thread for work on a matrix of that many numbers, if it is small."""
    return _blas().limit(limits=1) if size < _SMALL else nullcontext()
