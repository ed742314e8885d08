"""Fits and audits on worker processes: the same numbers, whoever dies meanwhile."""

import os
import signal
import time

import numpy as np
import pytest

import csvor._mixture.objective
from csvor import CSVOR, audit_labels
from test_many_rows import rows

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

N = 12_000


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
        dask.config.set({"csvor.memory-limit": "300kB"}),
    ):
        yield client


@pytest.fixture(scope="module")
def here():
    return CSVOR().fit(*rows(N))


def lazy(n=N, chunks=3000):
    X, y = rows(n)
    return da.from_array(X, chunks=(chunks, 4)), da.from_array(y, chunks=chunks)


def test_workers_find_what_one_process_finds(client, here):
    """And what they keep of rows can be computed after the data have been let go of."""
    X, y = dask.persist(*lazy())
    found = CSVOR().fit(X, y)
    rows_kept = {future.key for future in distributed.futures_of([X, y])}
    assert rows_kept <= {future.key for future in distributed.futures_of(found.outliers_)}
    np.testing.assert_allclose(found.coef_, here.coef_, rtol=1e-8)
    np.testing.assert_allclose(found.thresholds_, here.thresholds_, rtol=1e-8)
    np.testing.assert_array_equal(found.predict(X), here.predict(rows(N)[0]))
    del X, y
    np.testing.assert_allclose(found.residuals_.compute(), here.residuals_, atol=1e-8)
    np.testing.assert_array_equal(found.outliers_.compute(), here.outliers_)


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


def test_results_hold_on_to_rows_that_the_workers_keep(client):
    """Of a dataframe too, numbers of rows can be computed after the data have been let go of."""
    X, y = rows(N)
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    kept = dd.from_pandas(frame, npartitions=3).persist()
    X, y = kept[list("abcd")], kept["y"]
    del kept
    outliers = CSVOR().fit(X, y).outliers_
    held = {future.key for future in distributed.futures_of(outliers)}
    assert {future.key for future in distributed.futures_of([X, y])} <= held
    del X, y
    assert outliers.compute().shape == (N,)


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


MODEL, AUDITED = CSVOR(contamination=0.1), (20_400, 6800)  # half of them stay where they are


@pytest.fixture
def few(monkeypatch):
    """Few passes, and mixtures of some rows."""
    monkeypatch.setattr(csvor._mixture.objective, "_ENOUGH", 2500)
    with dask.config.set({"csvor.memory-limit": "640kB"}):
        yield


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")
@pytest.mark.slow
def test_a_worker_that_dies_in_mid_audit_changes_nothing(client, few):
    X, y = dask.persist(*lazy(*AUDITED))
    victims, done = list(client.run(os.getpid).values())[:1], []

    def progress(*of):
        done.append(of)
        while victims:
            os.kill(victims.pop(), signal.SIGKILL)

    found = audit_labels(X, y, MODEL, cv=2, progress=progress)
    assert not victims and done[0][0] < done[-1][0] == done[-1][1]
    with dask.config.set(scheduler="synchronous"):
        undisturbed = audit_labels(*lazy(*AUDITED), MODEL, cv=2)
        expected = undisturbed.probability.compute(), undisturbed.flagged.compute()
    assert found.summary == undisturbed.summary
    np.testing.assert_allclose(found.probability, expected[0], atol=1e-10)
    np.testing.assert_array_equal(found.flagged, expected[1])


@pytest.mark.slow
def test_an_interrupted_audit_leaves_nothing_on_the_workers(client, few):
    X, y = dask.persist(*lazy(*AUDITED))
    distributed.wait([X, y])
    before = held(client)

    def progress(done, _):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit_labels(X, y, MODEL, cv=2, progress=progress)
    wait_until(lambda: held(client) == before)
    wait_until(lambda: not any(client.processing().values()))


def held(client):
    """The keys that workers hold, beside what is on its way."""
    return {key for keys in client.has_what().values() for key in keys}


def wait_until(condition):
    for _ in range(100):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("what the workers hold does not become what it was")
