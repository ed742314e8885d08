"""Work on rows in chunks: order, threads, and what ends it."""

import gc
import os
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import csvor._utils.threads
import forks
from csvor import CSVOR
from csvor._rows.dense import DenseRows
from csvor._utils.threads import RowThreads, SharedContext
from problems import g, mislabel


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks of 300 rows of two columns, and the way through Python for them."""
    monkeypatch.setattr(csvor._utils.threads, "_CHUNK", 600)
    monkeypatch.setattr("csvor._rows.dense._SMALL", 0)


@pytest.fixture
def two_threads(monkeypatch):
    monkeypatch.setattr(csvor._utils.threads, "openmp_threads", lambda: 2)


@pytest.fixture
def pools(monkeypatch):
    """Weak references to the pools that were made."""
    made = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(weakref.ref(self))

    monkeypatch.setattr(csvor._utils.threads, "ThreadPoolExecutor", Pool)
    return made


def rows():
    X, y = g(0, 1000)
    return X, mislabel(y, 0.1, 0)[0]


def test_every_row_once_and_in_order(small_chunks, two_threads):
    parts = RowThreads(5000, 2).map(lambda rows: np.arange(5000)[rows])
    assert len(parts) > 5
    np.testing.assert_array_equal(np.concatenate(parts), np.arange(5000))


def test_a_limit_on_threads_is_heeded(small_chunks):
    def thread(rows):
        time.sleep(0.005)
        return threading.get_ident()

    with threadpool_limits(1):
        assert set(RowThreads(5000, 2).map(thread)) == {threading.get_ident()}


def test_threads_are_those_of_the_first_pass(small_chunks, two_threads):
    def thread(rows):
        time.sleep(0.001)
        return threading.current_thread()

    work = RowThreads(5000, 2)
    first = set(work.map(thread))
    assert len(first) == 2 and threading.current_thread() not in first
    for _ in range(5):
        assert set(work.map(thread)) <= first


def test_a_fit_keeps_its_threads_and_leaves_none(small_chunks, two_threads, pools, monkeypatch):
    """One pool for the rows, whatever the passes over them, and one to see where columns lie."""
    passes, sums = [], DenseRows.sums

    def counted(*args, **options):
        passes.append(1)
        return sums(*args, **options)

    monkeypatch.setattr(DenseRows, "sums", counted)
    before = set(threading.enumerate())
    X, y = rows()
    model = CSVOR().fit(X, y)
    assert model.n_iter_ > 5 and len(passes) > 5
    assert len(pools) == 2
    gc.collect()
    deadline = time.monotonic() + 10.0
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(threading.enumerate()) <= before
    assert [pool() for pool in pools] == [None, None]


def test_the_number_of_threads_changes_no_bit(small_chunks, two_threads, pools, monkeypatch):
    X, y = rows()
    model = CSVOR().fit(X, y)
    assert pools
    n_pools = len(pools)
    monkeypatch.setattr(csvor._utils.threads, "openmp_threads", lambda: 1)
    alone = CSVOR().fit(X, y)
    assert len(pools) == n_pools
    np.testing.assert_array_equal(model.coef_, alone.coef_)
    np.testing.assert_array_equal(model.objective_history_, alone.objective_history_)


def test_fits_side_by_side_do_not_meet(small_chunks, two_threads):
    X, y = rows()
    strengths = [0.01, 0.1, 1.0, 10.0]
    alone = [CSVOR(C).fit(X, y).coef_ for C in strengths]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda C: CSVOR(C).fit(X, y).coef_, strengths))
    np.testing.assert_array_equal(together, alone)


def test_an_error_in_a_chunk_ends_the_work(small_chunks, two_threads):
    def fail(rows):
        if rows.start >= 1024:
            raise RuntimeError(f"row {rows.start}")

    with pytest.raises(RuntimeError, match="row 1200"):
        RowThreads(5000, 2).map(fail)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_n58_a_fork_waits_for_who_enters_and_its_child_begins_outside() -> None:
    limits, entering = [4], Event()

    @contextmanager
    def limited() -> Iterator[None]:
        entering.set()
        time.sleep(0.2)
        limits.append(1)
        yield
        limits.pop()

    context = SharedContext(limited)

    def enter() -> None:
        with context:
            leave.wait(20)

    leave = Event()
    thread = Thread(target=enter, daemon=True)
    thread.start()
    assert entering.wait(20)
    child = os.fork()
    if child == 0:  # the parent had entered, the child has not; it can enter and leave
        outside = limits == [4]
        with context:
            inside = limits == [4, 1]
        os._exit(0 if outside and inside and limits == [4] else 1)
    leave.set()
    thread.join(20)
    assert forks.status_of(child) == 0
    assert limits == [4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_n58_children_forked_during_fits_fit() -> None:
    """200 of them were tried once: ``python tests/forks.py 200``."""
    assert forks.children(8, n_threads=1) == {0: 8}
