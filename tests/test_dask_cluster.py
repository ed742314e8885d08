"""Fits on worker processes: the same numbers, whoever dies meanwhile."""

import os
import signal
import time

import numpy as np
import pytest

from csvor import CSVOR
from test_many_rows import rows

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

N = 12_000


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
        dask.config.set({"csvor.room": "200kB"}),
    ):
        yield client


@pytest.fixture(scope="module")
def here():
    return CSVOR().fit(*rows(N))


def lazy():
    X, y = rows(N)
    return da.from_array(X, chunks=(3000, 4)), da.from_array(y, chunks=3000)


def test_workers_find_what_one_process_finds(client, here):
    X, y = dask.persist(*lazy())
    found = CSVOR().fit(X, y)
    np.testing.assert_allclose(found.coef_, here.coef_, rtol=1e-8)
    np.testing.assert_allclose(found.thresholds_, here.thresholds_, rtol=1e-8)
    np.testing.assert_array_equal(found.predict(X), here.predict(rows(N)[0]))
    np.testing.assert_allclose(found.residuals_.compute(), here.residuals_, atol=1e-8)


def test_a_worker_that_dies_in_mid_fit_changes_nothing(client, here, monkeypatch):
    X, y = dask.persist(*lazy())
    victims = list(client.run(os.getpid).values())[:1]

    def report(*_):
        while victims:
            os.kill(victims.pop(), signal.SIGKILL)

    monkeypatch.setattr(CSVOR, "_report_to", lambda self: report)
    found = CSVOR().fit(X, y)
    assert not victims
    np.testing.assert_allclose(found.coef_, here.coef_, rtol=1e-8)


def test_a_fault_on_a_worker_is_told_in_its_words(client):
    X, y = lazy()
    X = da.where(da.arange(N, chunks=3000)[:, None] == 4000, np.nan, X)
    with pytest.raises(ValueError, match=r"row 1000.*partition 1, which begins at row 3000"):
        CSVOR().fit(X, y)


def test_an_interrupted_fit_leaves_nothing_on_the_workers(client, monkeypatch):
    X, y = dask.persist(*lazy())
    distributed.wait([X, y])
    before = held(client)

    def report(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(CSVOR, "_report_to", lambda self: report)
    with pytest.raises(KeyboardInterrupt):
        CSVOR().fit(X, y)
    wait_until(lambda: held(client) == before)


def held(client):
    """The keys that workers hold, beside what is on its way."""
    return {key for keys in client.has_what().values() for key in keys}


def wait_until(condition):
    for _ in range(100):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("what the workers hold does not become what it was")


@pytest.mark.parametrize("as_frame", [False, True])
def test_results_hold_on_to_rows_that_the_workers_keep(client, as_frame):
    """Numbers of rows can be computed after the data have been let go of."""
    X, y = rows(N)
    if as_frame:
        pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
        frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
        kept = dd.from_pandas(frame, npartitions=3).persist()
        X, y = kept[list("abcd")], kept["y"]
        del kept
    else:
        X, y = dask.persist(da.from_array(X, chunks=(N // 2, 4)), da.from_array(y, chunks=N // 2))
    outliers = CSVOR().fit(X, y).outliers_
    held = {future.key for future in distributed.futures_of(outliers)}
    assert {future.key for future in distributed.futures_of([X, y])} <= held
    del X, y
    assert outliers.compute().shape == (N,)
