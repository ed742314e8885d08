"""Work on rows in chunks: order, threads, and what ends it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import csvor._utils.chunks
from csvor import CSVOR
from csvor._utils.chunks import in_chunks
from problems import g, mislabel


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(csvor._utils.chunks, "_NUMBERS", 600)


def rows():
    X, y = g(0, 1000)
    return X, mislabel(y, 0.1, 0)[0]


def test_every_row_once_and_in_order(small_chunks):
    parts = in_chunks(lambda rows: np.arange(5000)[rows], 5000, 2)
    assert len(parts) > 5
    np.testing.assert_array_equal(np.concatenate(parts), np.arange(5000))


def test_a_limit_on_threads_is_heeded(small_chunks):
    def thread(rows):
        time.sleep(0.005)
        return threading.get_ident()

    with threadpool_limits(1):
        assert set(in_chunks(thread, 5000, 2)) == {threading.get_ident()}


def test_the_number_of_threads_changes_no_bit(small_chunks):
    X, y = rows()
    model = CSVOR().fit(X, y)
    with threadpool_limits(1):
        alone = CSVOR().fit(X, y)
    np.testing.assert_array_equal(model.coef_, alone.coef_)
    np.testing.assert_array_equal(model.objective_history_, alone.objective_history_)


def test_fits_side_by_side_do_not_meet(small_chunks):
    X, y = rows()
    strengths = [0.01, 0.1, 1.0, 10.0]
    alone = [CSVOR(C).fit(X, y).coef_ for C in strengths]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda C: CSVOR(C).fit(X, y).coef_, strengths))
    np.testing.assert_array_equal(together, alone)


def test_an_error_in_a_chunk_ends_the_work(small_chunks):
    def fail(rows):
        if rows.start >= 1024:
            raise RuntimeError(f"row {rows.start}")

    with pytest.raises(RuntimeError, match="row 1200"):
        in_chunks(fail, 5000, 2)
