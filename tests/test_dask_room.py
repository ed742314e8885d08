"""Fits of rows of which few have room at once: as good, in tens of passes."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import csvor._objective.minimise
from csvor import CSVOR, REDSVM, SVOREX, SVORIM
from csvor._data.prepare import prepare_fit
from csvor._loss.capped import LOSS, CappedPower
from csvor._objective.near_kinks import NearKinks
from csvor._objective.ordinal import OrdinalObjective
from csvor._rows.dask import DaskRows
from csvor._rows.dask_near_rows import _merged
from csvor._solvers.refine import refine
from csvor._solvers.solution import SolverStatus

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")


def generated(n, d, noise, wrong, n_classes=5):
    """Quantiles of a noisy score; a share of the labels is another one."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)).astype(np.float32)
    score = X @ rng.normal(size=d) + noise * np.sqrt(d) * rng.standard_normal(n)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    moved = rng.random(n) < wrong
    y[moved] = (y[moved] + rng.integers(1, n_classes, moved.sum())) % n_classes
    return X, y


def ratings(n=12_000):
    """Whole numbers: few distinct rows, each very often."""
    rng = np.random.default_rng(1)
    X = rng.integers(1, 4, (n, 4)).astype(np.float32)
    score = X @ np.array([1.0, 2.0, 1.0, 1.0]) + rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, [0.25, 0.5, 0.75]))


def lazy(X, y, parts=5):
    chunk = -(-len(y) // parts)
    return da.from_array(X, chunks=(chunk, -1)), da.from_array(y, chunks=chunk)


def room_of(X, share):
    """Bytes of so many of the rows, with code, cost, score and loss."""
    n, d = X.shape
    return int(share * n * (d * X.itemsize + 28))


def fit_in(room, model, X, y):
    with dask.config.set({"csvor.memory-limit": room, "scheduler": "synchronous"}):
        return model.fit(*lazy(X, y))


@pytest.fixture(scope="module")
def many_columns():
    return generated(15_000, 60, 0.5, 0.07)


@pytest.mark.parametrize(
    ("model", "passes", "rel"),
    [
        (CSVOR(), 50, 1e-4),  # a trimmed loss has local optima
        (CSVOR(p=1.5, constraints="implicit"), 50, 1e-5),
        (CSVOR(epsilon=np.inf), 25, 1e-5),
        (SVOREX(), 25, 1e-6),
        (SVORIM(), 25, 1e-6),
        (REDSVM(), 25, 1e-6),
    ],
    ids=str,
)
def test_a_small_room_costs_tens_of_passes(model, passes, rel, many_columns):
    """They were 100 to 700, and for the sums of slacks as many in any room."""
    here = model.fit(*many_columns).objective_
    found = fit_in(room_of(many_columns[0], 1 / 50), model, *many_columns)
    assert found.converged_
    assert found.traffic_["passes"] <= passes
    assert found.objective_ == pytest.approx(here, rel=rel)


def test_the_share_that_is_sought_costs_another_fit_of_part(many_columns):
    model = CSVOR(contamination="auto")
    here = model.fit(*many_columns).objective_
    found = fit_in(room_of(many_columns[0], 1 / 20), model, *many_columns)
    assert found.traffic_["passes"] <= 50
    assert found.objective_ == pytest.approx(here, rel=1e-4)  # of two local optima


def test_where_labels_are_almost_sure(passes=60):
    """The sample's fit lies far from that of all rows."""
    X, y = generated(15_000, 60, 0.3, 0.07)
    here = CSVOR(contamination=0.05).fit(X, y).objective_
    found = fit_in(room_of(X, 1 / 30), CSVOR(contamination=0.05), X, y)
    assert found.traffic_["passes"] <= passes
    assert found.objective_ == pytest.approx(here, rel=1e-5)


def test_n69_the_end_of_sums_of_slacks_is_near_and_tells_no_bound(many_columns):
    X, y = many_columns
    found = fit_in(room_of(X, 1 / 20), SVOREX(C=0.01), X, y)
    assert found.status_ == SolverStatus.OPTIMAL.value
    assert np.isnan(found.gap_)
    here = SVOREX(C=0.01).fit(X, y).objective_
    assert found.objective_ <= here * (1.0 + found.tol)


def test_where_few_slacks_do_not_tell_the_way_all_do(monkeypatch):
    X, y = generated(12_000, 5, 0.5, 0.07)
    here = SVOREX(tol=1e-3).fit(X, y).objective_

    def without_descent(*given, **options):
        return replace(refine(*given, **{**options, "max_iter": 1}), status=SolverStatus.NO_DESCENT)

    monkeypatch.setattr(csvor._objective.minimise, "refine", without_descent)
    with pytest.warns(UserWarning, match=r"took \d+ passes"):
        found = fit_in(room_of(X, 1 / 50), SVOREX(tol=1e-3), X, y)
    assert found.converged_
    assert found.objective_ == pytest.approx(here, rel=1e-3)
    assert (np.diff(found.objective_history_) <= 0.0).all()


@pytest.mark.parametrize(
    "data", [(12_000, 20, 0.02, 0.0, 4), (12_000, 10, 0.02, 0.25, 3)], ids=["sure", "wrong"]
)
def test_an_end_that_the_bound_shows_to_be_far_is_brought_nearer(data):
    """All rows were asked, which took 207 and 134 passes."""
    X, y = generated(*data)
    here = SVOREX(C=1e-4).fit(X, y).objective_
    found = fit_in(room_of(X, 1 / 10), SVOREX(C=1e-4), X, y)
    assert found.status_ == SolverStatus.OPTIMAL.value
    assert found.traffic_["passes"] <= 40
    assert found.objective_ <= here * (1.0 + found.tol)
    assert len(found.objective_history_) == found.n_iter_
    assert (np.diff(found.objective_history_) <= 0.0).all()


@pytest.mark.filterwarnings("ignore:column", "ignore:predict never", "ignore:CSVOR took")
def test_a_sample_that_lacks_the_farthest_rows_is_no_start():
    """No step led from where these cost 1e65, and that was the end, converged."""
    rng = np.random.default_rng(3)
    X = rng.standard_t(1.2, (12_000, 30))
    y = np.digitize(rng.random(12_000), [0.001, 0.01, 0.1])
    model = CSVOR(0.05, loss="exponential", contamination=0.0)
    here = model.fit(X, y).objective_
    found = fit_in(room_of(X, 1 / 200), model, X, y)
    assert found.converged_
    assert found.objective_ == pytest.approx(here, rel=1e-4)
    assert len(found.objective_history_) == found.n_iter_


def test_lines_that_have_no_minimum_certify_nothing():
    """They ran off until the numbers overflowed, which was an error of the fit."""
    rng = np.random.default_rng(3)
    X = np.clip(np.rint(rng.standard_normal((12_000, 3))), -1.0, 1.0)
    score = X.sum(axis=1) + rng.normal(size=len(X))
    y = np.digitize(score, np.quantile(score, [0.001, 0.01, 0.2]))
    weights = 10.0 ** rng.uniform(-4.0, 4.0, len(X))
    model = SVOREX(C=2000.0, tol=1e-3)
    here = model.fit(X, y, sample_weight=weights).objective_
    room = {"csvor.memory-limit": room_of(X, 1 / 180), "scheduler": "synchronous"}
    with dask.config.set(room), pytest.warns(UserWarning, match=r"took \d+ passes"):
        found = model.fit(*lazy(X, y), sample_weight=weights)
    assert found.converged_
    assert found.objective_ == pytest.approx(here, rel=1e-3)


def test_a_part_without_near_rows_has_none_to_merge():
    first, together = _merged(np.empty((0, 3)), np.empty(0, np.int8), np.empty(0))
    assert first.size == together.size == 0
    X, codes = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0], [1.0, 2.0]]), np.array([0, 0, 1, 0])
    first, together = _merged(X, codes, np.array([1.0, 2.0, 4.0, 8.0]))
    assert dict(zip(first.tolist(), together.tolist(), strict=True)) == {0: 9.0, 1: 2.0, 2: 4.0}


def test_what_is_known_of_each_row_stays_with_the_rows(many_columns):
    X, y = many_columns
    here = SVOREX(C=0.01).fit(X, y)
    found = fit_in(room_of(X, 1 / 8), SVOREX(C=0.01), X, y)
    np.testing.assert_allclose(found.coef_, here.coef_, atol=1e-2 * np.abs(here.coef_).max())
    assert isinstance(found.residuals_, da.Array)
    expected = here.residuals_
    with dask.config.set(scheduler="synchronous"):
        np.testing.assert_allclose(found.residuals_, expected, atol=2e-2 * expected.max())
        proba = found.predict_proba(lazy(X, y)[0]).compute()
    np.testing.assert_allclose(proba, here.predict_proba(X), atol=5e-2)


def test_a_room_that_costs_passes_is_named(many_columns, monkeypatch):
    X, y = many_columns
    monkeypatch.setattr("csvor._estimators.endings._MANY_PASSES", 30)
    with pytest.warns(UserWarning, match=r"took \d+ passes.*'csvor\.memory-limit': \d+") as caught:
        few = fit_in(room_of(X, 1 / 50), CSVOR(), X, y)
    (said,) = caught
    wanted = int(str(said.message).partition("'csvor.memory-limit': ")[2].partition("}")[0])
    assert room_of(X, 1 / 10) < wanted < room_of(X, 1 / 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        more = fit_in(wanted, CSVOR(), X, y)
    assert more.traffic_["passes"] < few.traffic_["passes"]


def test_a_run_that_does_not_end_in_a_small_room_names_it(many_columns):
    X, y = many_columns
    with pytest.warns(UserWarning, match=r"stopped after 2 iter.*'csvor\.memory-limit': \d+"):
        found = fit_in(room_of(X, 1 / 50), CSVOR(max_iter=2), X, y)
    assert not found.converged_


def objective_of(model, X, y):
    training = prepare_fit(model, *lazy(X, y), None)
    rows = training.matrix.rows(training.present_codes, training.weights, model._pair())
    return OrdinalObjective(rows, int(y.max()) + 1)


@pytest.mark.parametrize("share", [0.005, 0.2])
def test_heaps_of_identical_rows_have_room(share):
    """Near rows take no more than the room, and with the others' model they are all rows."""
    X, y = ratings()
    room = room_of(X, share)
    with dask.config.set({"csvor.memory-limit": room, "scheduler": "synchronous"}):
        objective = objective_of(CSVOR(), X, y)
        near, loss = NearKinks(objective), CappedPower(1.0)
        theta = np.concatenate([[0.5, 1.0, 0.5, 0.5], [-1.0, 1.0, 1.0]])
        at = near.evaluate(theta, loss, np.inf)
        model = near.reduced_model(at, loss, min(0.1, near.most), 0.1)
    assert 0 < model.objective.n_samples <= share * len(y)
    w, b = objective.split(theta)
    read = np.zeros(1, LOSS)
    read["p"], read["below"], read["cap"], read["tied"] = 1.0, np.inf, np.inf, 1.0
    sums = model.objective.rows.sums(w, b, read)[0] + model.objective.frozen.sums
    with dask.config.set(scheduler="synchronous"):
        expected = objective.rows.sums(w, b, read)[0]
    np.testing.assert_allclose(sums, expected, rtol=1e-9, atol=1e-9 * len(y))


def test_heaps_are_fitted_by_one_of_each():
    X, y = ratings()
    here = CSVOR(contamination=0.05).fit(X, y).objective_
    found = fit_in(room_of(X, 1 / 10), CSVOR(contamination=0.05), X, y)
    assert found.traffic_["passes"] <= 15
    assert found.objective_ <= here * (1.0 + 1e-4)


def test_a_cap_elsewhere_is_found_by_the_rows_that_tell(many_columns, monkeypatch):
    X, y = many_columns
    asked = []
    ask = DaskRows.ask

    def noted(self, func, *args, of_parts=()):
        asked.append(func.__name__)
        return ask(self, func, *args, of_parts=of_parts)

    monkeypatch.setattr(DaskRows, "ask", noted)
    with dask.config.set({"csvor.memory-limit": "1 MB", "scheduler": "synchronous"}):
        objective = objective_of(CSVOR(), X, y)
        loss = replace(CappedPower(1.0), trim=0.1)
        places = [
            NearKinks(objective).evaluate(np.full(64, 0.1), loss, guess) for guess in (3.0, 1e3)
        ]
    assert places[1].value == pytest.approx(places[0].value, rel=1e-12)
    np.testing.assert_allclose(places[1].cap, places[0].cap, rtol=1e-9)
    assert asked.count("_totals") <= 4
    assert "_counts" not in asked


def test_the_memory_limit_has_an_earlier_name() -> None:
    """``csvor.room`` counts where ``csvor.memory-limit`` is not set."""
    from csvor._parts.partitions import memory_limit

    with dask.config.set({"csvor.room": "1 MB"}):
        assert memory_limit() == 1_000_000
        with dask.config.set({"csvor.memory-limit": "2 MB"}):
            assert memory_limit() == 2_000_000
