"""How many threads linear algebra may use, and how work on rows is shared between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from functools import cache, reduce
from operator import iadd
from threading import Event, Lock, local
from typing import Any, TypeVar

from sklearn import config_context, get_config
from threadpoolctl import ThreadpoolController

from csvor._utils.sklearn_private import openmp_threads

T = TypeVar("T")

# Below this many numbers in a matrix, waiting for other threads costs more than they bring: on a
# busy machine of two cores, a fit of 200 rows took 50 times as long with two BLAS threads.
_SMALL = 5_000_000
# Numbers in a chunk of rows: some milliseconds of work.
_CHUNK = 400_000


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


@cache
def _openmp() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="openmp")


def one_openmp_thread() -> AbstractContextManager[Any]:
    """For the thread that asks: unlike that of BLAS, the number of OpenMP's belongs to each."""
    return _openmp().limit(limits=1)


class SharedContext:
    """A context of the whole process: entered by the first who asks for it, left by the last.

    No one enters or leaves while the process is forked, or the child would inherit locks, those of
    BLAS among them, that nobody opens (N58). A child begins outside of the context.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[Any]]) -> None:
        self._make = make
        self._begin()
        if hasattr(os, "register_at_fork"):  # not on Windows
            os.register_at_fork(
                before=lambda: self._lock.acquire(),
                after_in_parent=lambda: self._lock.release(),
                after_in_child=self._leave_to_parent,
            )

    def _begin(self) -> None:
        self._lock, self._users = Lock(), 0
        self._context: AbstractContextManager[Any] | None = None

    def _leave_to_parent(self) -> None:
        context = self._context
        self._begin()
        if context is not None:
            context.__exit__(None, None, None)

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                context = self._make()
                context.__enter__()
                self._context = context
            self._users += 1

    def __exit__(self, *error: Any) -> None:
        with self._lock:
            # A child that was forked within the context leaves what its process never entered.
            self._users = max(self._users - 1, 0)
            if self._users == 0 and self._context is not None:
                context, self._context = self._context, None
                context.__exit__(*error)


one_blas_thread = SharedContext(lambda: _blas().limit(limits=1))


@contextmanager
def threads_for(size: int) -> Iterator[None]:
    """One BLAS thread for work on a matrix of that many numbers, if it is small."""
    if size >= _SMALL:
        yield
        return
    with one_blas_thread:
        yield


def side_by_side(
    work: Callable[[T, Event], None], items: Iterable[T], *, most: int | None = None
) -> None:
    """Do work on items in threads; after an error or an interruption, no more of it.

    ``work`` gets an item and an event that is set when it is to stop between two of its steps.
    """
    items, stopped = list(items), Event()
    n_threads = min(openmp_threads(), len(items), len(items) if most is None else most)
    if n_threads == 1:
        for item in items:
            work(item, stopped)
        return
    config = get_config()  # scikit-learn keeps one for each thread

    def configured(item: T) -> None:
        with config_context(**config):
            work(item, stopped)

    # Else linear algebra outside of fits would have one thread or several by chance, and round so.
    with one_blas_thread, ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(configured, item) for item in items]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise


_inside = local()


@contextmanager
def one_of_many() -> Iterator[None]:
    """Work that somebody else has put beside others takes one thread."""
    before, _inside.alone = getattr(_inside, "alone", False), True
    try:
        with one_blas_thread:
            yield
    finally:
        _inside.alone = before


class RowThreads:
    """Work on rows in chunks, side by side where they are many, by threads that are kept.

    Chunks depend on the shape alone, so that sums over them have the same rounding with any number
    of threads. That number is the one that OpenMP would use: it heeds threadpoolctl, the
    environment, and the workers of an outer joblib. ``n_columns`` are the numbers of a row, in the
    mean where they differ; ``most`` limits the chunks.
    """

    def __init__(self, n_rows: int, n_columns: float, most: int | None = None) -> None:
        step = max(int(_CHUNK / max(n_columns, 1)), 256, -(-n_rows // (most or n_rows or 1)))
        self._chunks = [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]
        alone = getattr(_inside, "alone", False)
        self._n_threads = 1 if alone else min(openmp_threads(), len(self._chunks))
        self._pool: ThreadPoolExecutor | None = None

    def map(self, work: Callable[[slice], T]) -> list[T]:
        """What ``work`` gives for each chunk of rows, in their order."""
        if self._n_threads == 1:
            return [work(chunk) for chunk in self._chunks]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._n_threads)
        return list(self._pool.map(work, self._chunks))

    def sum(self, work: Callable[[slice], tuple[Any, ...]]) -> tuple[Any, ...]:
        """The sums of the arrays that ``work`` gives, always in the order of the chunks."""
        return tuple(reduce(iadd, parts) for parts in zip(*self.map(work), strict=True))
