"""How many threads linear algebra may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

# Below this many numbers in a matrix, waiting for other threads costs more than they bring: on a
# busy machine of two cores, a fit of 200 rows took 50 times as long with two BLAS threads.
_SMALL = 5_000_000


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


class _SharedLimit:
    """One thread for as long as anyone asks for it; the limit is one of the whole process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._holders = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._limit = _blas().limit(limits=1)
                self._limit.__enter__()
            self._holders += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self._limit.__exit__(*error)


_one_thread = _SharedLimit()


@contextmanager
def threads_for(size: int) -> Iterator[None]:
    """One BLAS thread for work on a matrix of that many numbers, if it is small."""
    if size >= _SMALL:
        yield
        return
    with _one_thread:
        yield
