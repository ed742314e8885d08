"""Fits on dask arrays and dataframes are those of the rows in memory."""

import pickle
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import csvor._objective.minimise
import csvor._rows.dask_evaluation
from csvor import CSVOR, PINSVOR, SVOREX
from csvor._data.prepare import prepare_fit
from csvor._labels import LabelError
from csvor._loss.capped import LOSS
from csvor._solvers.refine import refine
from csvor._solvers.solution import SolverStatus
from test_many_rows import rows

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

N = 12_000


@pytest.fixture(scope="module")
def data():
    return rows(N)


@pytest.fixture(autouse=True)
def elsewhere():
    """So little room that all rows stay in their partitions, but a sample and those near a kink."""
    with dask.config.set({"csvor.memory-limit": "250kB", "scheduler": "synchronous"}):
        yield


def lazy(X, y, chunks=3000):
    return da.from_array(X, chunks=(chunks, 2)), da.from_array(y, chunks=2500)


def same_fit(model, X, y, lazy_X, lazy_y, weights=(), rtol=1e-8):
    """The fit in memory and that on partitions agree in all that they say."""
    model.fit(X, y, *weights)
    told = {name: getattr(model, name) for name in ("coef_", "thresholds_", "objective_")}
    residuals, outliers, proba = model.residuals_, model.outliers_, model.predict_proba(X)
    model.fit(lazy_X, lazy_y, *map(da.from_array, weights))
    for name, value in told.items():
        np.testing.assert_allclose(getattr(model, name), value, rtol=rtol, atol=rtol)
    assert isinstance(model.residuals_, da.Array)
    np.testing.assert_allclose(model.residuals_, residuals, rtol=10 * rtol, atol=10 * rtol)
    np.testing.assert_array_equal(model.outliers_, outliers)
    np.testing.assert_allclose(model.predict_proba(X), proba, atol=10 * rtol)
    return model


@pytest.mark.parametrize(
    "model",
    [
        CSVOR(),
        CSVOR(p=1.5, constraints="implicit", contamination=0.2),
        CSVOR(p=2.0, epsilon=3.0),
        CSVOR(loss="logistic"),
    ],
    ids=str,
)
def test_the_fit_is_that_of_the_rows_in_memory(model, data):
    # With a fixed cap a step is the last one or the last but one by rounding.
    rtol = 1e-8 if model.epsilon == "auto" else 1e-5
    found = same_fit(model, *data, *lazy(*data), rtol=rtol)
    assert found.traffic_["passes"] > 3


def test_below_p_1_the_end_is_as_low(data):
    here = CSVOR(p=0.7).fit(*data)
    found = CSVOR(p=0.7).fit(*lazy(*data))
    assert found.objective_ == pytest.approx(here.objective_, rel=1e-4)


def test_partitions_of_any_size_give_the_same(data):
    """Empty ones and such of unknown length among them."""
    X, y = data
    cuts = [0, 1, 1, 4000, 4003, 4003, N]
    parts = [slice(a, b) for a, b in pairwise(cuts)]
    parts_of_X = [da.from_array(X[part], chunks=(-1, -1)) for part in parts]
    uneven_X = da.concatenate(parts_of_X, allow_unknown_chunksizes=True)
    uneven_y = da.concatenate([da.from_array(y[part], chunks=-1) for part in parts])
    whole = CSVOR().fit(*lazy(X, y))
    uneven = CSVOR().fit(uneven_X, uneven_y)
    np.testing.assert_allclose(uneven.coef_, whole.coef_, rtol=1e-8)

    everything = da.from_array(np.ones(N, dtype=bool), chunks=3000)
    of_unknown = [array[everything] for array in lazy(X, y)]
    unknown = CSVOR().fit(of_unknown[0], da.from_array(y, chunks=3000)[everything])
    np.testing.assert_allclose(unknown.coef_, whole.coef_, rtol=1e-8)
    assert unknown.residuals_.chunks == ((3000,) * 4,)
    assert np.isnan(unknown.predict(of_unknown[0]).shape[0])
    np.testing.assert_array_equal(unknown.predict(of_unknown[0]), whole.predict(X))


def test_small_data_are_fitted_in_memory(data):
    X, y = data[0][:500], data[1][:500]
    for model in (CSVOR(kernel="rbf"), PINSVOR(tau=0.05), CSVOR(solver="alternating", tol=1e-2)):
        here = model.fit(X, y)
        told, residuals = here.predict(X), here.residuals_
        found = model.fit(*lazy(X, y, 100))
        np.testing.assert_array_equal(found.predict(X), told)
        assert found.residuals_.chunks == ((100,) * 5,)
        np.testing.assert_array_equal(found.residuals_, residuals)


def test_sample_weights_count_as_repetitions_and_0_as_left_out(data):
    weights = np.random.default_rng(2).integers(0, 6, N).astype(float)
    found = same_fit(CSVOR(class_weight="balanced"), *data, *lazy(*data), weights=[weights])
    assert found.residuals_.shape == (N,)
    # Nothing is pickled for a name of what is made of rows: the curve is found on first use.
    found.fit(*lazy(*data), da.from_array(weights))
    assert "curve" not in vars(found._calibration)


def test_a_class_without_weight_is_a_class_without_rows(data):
    model = CSVOR(class_weight={0: 0.0})
    with pytest.warns(UserWarning, match="No rows of class 0"):
        same_fit(model, *data, *lazy(*data))


def test_csr_blocks(data):
    X = np.where(np.abs(data[0]) > 0.3, data[0], 0.0)
    blocks = da.from_array(X, chunks=(4000, 4)).map_blocks(sparse.csr_matrix)
    here = SVOREX(C=0.01, tol=1e-2).fit(sparse.csr_matrix(X), data[1])
    found = SVOREX(C=0.01, tol=1e-2).fit(blocks, data[1])
    np.testing.assert_allclose(found.coef_, here.coef_, rtol=1e-8)
    here = CSVOR().fit(sparse.csr_matrix(X), data[1])
    with pytest.warns(UserWarning, match=r"let all rows come to this process.*: \d+") as said:
        found = CSVOR().fit(blocks, data[1])
    room = int(str(said[0].message).partition("'csvor.memory-limit': ")[2].partition("}")[0])
    with dask.config.set({"csvor.memory-limit": room}):
        assert not hasattr(CSVOR().fit(blocks, data[1]), "traffic_")
    assert found.objective_ == pytest.approx(here.objective_, rel=1e-5)
    np.testing.assert_array_equal(found.predict(blocks), found.predict(X))


def test_methods_answer_lazily_and_as_in_memory(data):
    X, y = data
    lazy_X, lazy_y = lazy(X, y)
    model = CSVOR().fit(X, y)
    for name in ("predict", "predict_projection", "decision_function", "predict_proba"):
        found = getattr(model, name)(lazy_X)
        assert isinstance(found, da.Array)
        expected = getattr(model, name)(X)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        assert found.chunks[0] == lazy_X.chunks[0]
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(model.residuals(lazy_X, lazy_y), model.residuals(X, y))
    assert model.score(lazy_X, lazy_y) == pytest.approx(model.score(X, y))


def test_dataframes_keep_names_and_the_order_of_categories(data):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    words = np.array(["poor", "fair", "good", "better", "best"])
    frame = pd.DataFrame(data[0], columns=list("abcd"))
    frame["grade"] = pd.Categorical(words[data[1]], categories=words, ordered=True)
    lazy_frame = dd.from_pandas(frame, npartitions=5)
    X, lazy_X = frame[list("abcd")], lazy_frame[list("abcd")]
    model = same_fit(CSVOR(), X, frame["grade"], lazy_X, lazy_frame["grade"])
    assert model.feature_names_in_.tolist() == list("abcd")
    assert model.classes_.tolist() == words.tolist()
    np.testing.assert_array_equal(model.predict(lazy_X), model.predict(X))
    with pytest.raises(ValueError, match=r"X holds text: .*column 'grade', row 0.*In partition"):
        CSVOR().fit(lazy_frame, lazy_frame["grade"])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(lazy_frame[["a"]])


def test_columns_of_a_parquet_folder(data, tmp_path):
    """Dask reads few columns in fewer parts than many."""
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(data[0], columns=list("abcd")).assign(y=data[1].astype(str))
    for i in range(6):
        frame[i * 2000 : (i + 1) * 2000].to_parquet(tmp_path / f"part{i}.parquet")
    lazy_frame = dd.read_parquet(tmp_path)
    X, lazy_X = frame[list("abcd")], lazy_frame[list("abcd")]
    same_fit(CSVOR(), X, frame["y"], lazy_X, lazy_frame["y"])


def test_ties_on_the_cap(data):
    """Integers: whole heaps of rows have one and the same loss."""
    X = np.round(data[0])
    here = CSVOR(contamination=0.15).fit(X, data[1])
    objective, n_cut = here.objective_, here.outliers_.sum()
    found = CSVOR(contamination=0.15).fit(*lazy(X, data[1]))
    assert found.objective_ == pytest.approx(objective, rel=1e-4)
    assert found.outliers_.sum().compute() == pytest.approx(n_cut, abs=0.01 * N)


def test_a_cap_far_from_where_it_was_thought_is_found(data, monkeypatch):
    whole = CSVOR().fit(*lazy(*data))
    monkeypatch.setattr(csvor._rows.dask_evaluation, "_WITHIN", 1e-9)
    found = CSVOR().fit(*lazy(*data))
    assert found.traffic_["passes"] > whole.traffic_["passes"]
    assert found.epsilon_ == pytest.approx(whole.epsilon_, rel=1e-9)
    np.testing.assert_allclose(found.coef_, whole.coef_, rtol=1e-8)


def test_few_rows_near_a_kink_do(data):
    """A tenth of the room: more rounds, the same end."""
    whole = CSVOR().fit(*lazy(*data))
    with dask.config.set({"csvor.memory-limit": "20kB"}):
        found = CSVOR().fit(*lazy(*data))
    assert found.converged_
    assert found.objective_ == pytest.approx(whole.objective_, rel=1e-5)


def test_many_columns_are_fitted_without_products_of_rows(data):
    """In memory, by multipliers: so many columns, and fewer rows than twice their square."""
    X = np.hstack([data[0], np.random.default_rng(1).normal(size=(N, 76))])
    parts = da.from_array(X, chunks=(6000, 80)), data[1]
    for model, rel in ((CSVOR(C=0.01, contamination=0.1), 1e-3), (SVOREX(C=1e-3, tol=1e-2), 1e-2)):
        here = model.fit(X, data[1]).objective_
        with dask.config.set({"csvor.memory-limit": "4MB"}):
            assert model.fit(*parts).objective_ == pytest.approx(here, rel=rel)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_fault_in_X_is_named_by_column_row_and_partition(value, data):
    X, y = data
    X = X.copy()
    X[7005, 2] = value
    with pytest.raises(ValueError, match=r"column 2, row 1005.*partition 2.*begins at row 6000"):
        CSVOR().fit(*lazy(X, y))
    model = CSVOR().fit(*data)
    with pytest.raises(ValueError, match=r"column 2, row 1005.*partition 2"):
        model.predict(da.from_array(X, chunks=(3000, 4))).compute()


def test_faults_in_labels_and_weights(data):
    X, y = lazy(*data)
    with pytest.raises(ValueError, match="X has 12000 rows, y has 100"):
        CSVOR().fit(X, y[:100])
    with pytest.raises(ValueError, match=r"missing \(row 0.*partition 0"):
        CSVOR().fit(X, da.where(da.arange(N, chunks=2500) == 0, np.nan, y))
    with pytest.raises(ValueError, match=r"not whole numbers, such as 0\.5"):
        CSVOR().fit(X, y + 0.5)
    with pytest.raises(ValueError, match="words without an order"):
        CSVOR().fit(X, y.map_blocks(lambda of_part: np.array(list("abcde"))[of_part], dtype="U1"))
    with pytest.raises(ValueError, match=r"negative values.*partition 1"):
        CSVOR().fit(X, y, da.where(da.arange(N, chunks=2500) == 4000, -1.0, 1.0))
    with pytest.raises(ValueError, match="zero for every row"):
        CSVOR().fit(X, y, da.zeros(N))
    with pytest.raises(ValueError, match="Label 4 is not among the classes"):
        CSVOR(classes=[0, 1, 2, 3]).fit(X, y)


WORDS = np.array(list("abcde"), dtype=object)


@pytest.mark.parametrize(
    ("spoil", "options", "where"),
    [
        (lambda y: np.where(np.arange(len(y)) == len(y) - 5, np.nan, y), {}, "In partition 3"),
        (lambda y: np.where(np.arange(len(y)) == 2, np.inf, y), {}, "In partition "),
        (lambda y: y.astype(complex), {}, "In partition "),
        (lambda y: np.where(np.arange(len(y)) == 2, "a", y.astype(object)), {}, "In partition 0"),
        (lambda y: y + 0.5, {}, ""),
        (lambda y: WORDS[y], {}, ""),
        (lambda y: y, {"classes": [0, 1, 2, 3]}, ""),
        (lambda y: np.stack([y, y], axis=1), {}, ""),
    ],
    ids=["missing", "infinite", "complex", "mixed", "halves", "words", "unknown", "2-D"],
)
def test_label_errors_are_those_of_labels_in_memory(spoil, options, where, data):
    X, y = data[0], spoil(data[1])
    with pytest.raises(LabelError) as here:
        CSVOR(**options).fit(X, y)
    with pytest.raises(LabelError) as there:
        CSVOR(**options).fit(*lazy(X, y))
    assert there.value.remedy == here.value.remedy
    assert str(there.value).startswith(there.value.problem)
    # Rows are counted within a partition, or where all are needed to tell, not at all.
    numbers = re.compile(r"^\d+ of \d+")
    assert numbers.sub("", there.value.problem) == numbers.sub("", here.value.problem)
    assert where in str(there.value)
    assert str(pickle.loads(pickle.dumps(there.value))) == str(there.value)


@pytest.mark.parametrize("text_first", [True, False])
def test_text_in_one_partition_and_numbers_in_another_are_refused(text_first, data):
    X, y = data
    is_text = (np.arange(N) < 6000) == text_first
    mixed = da.from_array(np.where(is_text, WORDS[y], y.astype(object)), chunks=3000)
    kinds = "text and numbers" if text_first else "numbers and text"
    with pytest.raises(LabelError, match=f"The labels mix {kinds}, .* in different partitions"):
        CSVOR().fit(da.from_array(X, chunks=(3000, 2)), mixed)


@pytest.mark.parametrize("convert", [True, False])
def test_text_in_columns_is_read_or_refused_as_in_memory(data, convert):
    """Dask turns columns of objects into text."""
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(data[0], columns=list("abcd"))
    texts = frame.assign(b=[str(value) for value in frame["b"]], c=pd.Categorical(data[1]))
    frame["c"] = data[1]
    faults = {
        r"convert string to float: '\?' in column 'b', row 4 .*In partition 1": "?",
        "contains NaN: column 'b', row 4 .*In partition 1": None,
    }
    with dask.config.set({"dataframe.convert-string": convert}):
        model = CSVOR().fit(dd.from_pandas(texts.astype({"b": object}), npartitions=3), data[1])
        whole = CSVOR().fit(dd.from_pandas(frame, npartitions=3), data[1])
        np.testing.assert_array_equal(model.coef_, whole.coef_)
        for message, value in faults.items():
            texts.loc[4004, "b"] = value
            with pytest.raises(ValueError, match=message):
                CSVOR().fit(dd.from_pandas(texts, npartitions=3), data[1])
            with pytest.raises(ValueError, match=message):
                model.predict(dd.from_pandas(texts, npartitions=3)).compute()
    texts["a"] = pd.date_range("2020", periods=N)
    with pytest.raises(ValueError, match=r"dates or times.*column 'a'"):
        model.predict(dd.from_pandas(texts, npartitions=3))


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (CSVOR(kernel="rbf"), "kernel='linear'"),
        (CSVOR(solver="alternating"), "solver='newton'"),
        (PINSVOR(), "Fit CSVOR, SVOREX, SVORIM or REDSVM"),
    ],
    ids=str,
)
def test_what_needs_all_rows_says_so(model, remedy, data):
    with pytest.raises(ValueError, match=remedy) as caught:
        model.fit(*lazy(*data))
    assert "csvor.memory-limit" in str(caught.value)


def test_what_is_known_of_each_row_does_not_travel_with_the_model(data):
    lazy_X, lazy_y = lazy(*data)
    model = CSVOR().fit(lazy_X, lazy_y)
    copy = pickle.loads(pickle.dumps(model))
    assert len(pickle.dumps(model)) < 10_000
    np.testing.assert_array_equal(copy.predict(data[0]), model.predict(data[0]))
    with pytest.raises(AttributeError, match=r"residuals\(X, y\)"):
        _ = copy.residuals_
    with pytest.raises(AttributeError, match=r"residuals\(X, y\)"):
        _ = copy.outliers_


def test_one_reading_serves_many_settings(data):
    one, other = CSVOR().fit_many(*lazy(*data), [{"C": 1.0}, {"C": 0.1}])
    assert one.objective_ == pytest.approx(CSVOR().fit(*data).objective_, rel=1e-8)
    assert other.objective_ == pytest.approx(CSVOR(C=0.1).fit(*data).objective_, rel=1e-8)
    assert other.traffic_ == CSVOR(C=0.1).fit(*lazy(*data)).traffic_


def test_the_row_of_a_far_value_is_counted_among_all(data):
    X, weights = data[0].copy(), np.ones(N)
    X[[3, 5007], 1], weights[:4000] = 1e7, 0.0
    with pytest.warns(UserWarning, match=r"column 1 has the value 1e\+07 in row 5007"):
        CSVOR().fit(*lazy(X, data[1]), da.from_array(weights))


def test_the_room_that_is_named_is_enough(data):
    weights = np.minimum(np.arange(N) % 10, 1)
    with pytest.raises(ValueError, match=r"csvor\.memory-limit': 384000"):
        PINSVOR().fit(*lazy(*data), weights)


def test_labels_may_be_named(data):
    model = CSVOR().fit(*data)
    expected = model.residuals(*data)
    np.testing.assert_array_equal(model.residuals(X=data[0], y=data[1]), expected)
    X, y = lazy(*data)
    np.testing.assert_array_equal(model.residuals(X, y=y), expected)
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        model.residuals(X)


def test_what_is_missing_is_told_at_once(data):
    X, y = lazy(*data)
    for ask in (CSVOR().score, CSVOR().residuals):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask(X, y)
    model = CSVOR().fit(*data)
    for ask in (model.score, model.residuals):
        with pytest.raises(ValueError, match="requires y to be passed"):
            ask(X, None)


def test_a_cap_that_falls_to_1_cuts_all_beyond_it(data):
    """Totals are those under the cap that is found, not the one that the search begins with."""
    rows = [
        training.matrix.rows(training.present_codes, training.weights, CSVOR()._pair())
        for training in (prepare_fit(CSVOR(), *given, None) for given in (data, lazy(*data)))
    ]
    w, b = 10.0 * np.ones(4), np.arange(4.0)
    found = []
    for some in rows:
        loss = np.zeros(1, LOSS)
        loss["p"], loss["below"], loss["cap"], loss["tied"] = 1.5, 1e6, 1e6, 1.0
        totals, cap = some.evaluate(w, b).totals(loss, 1.0)
        found.append([*totals, *cap])
    assert found[0][3:] == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(found[1], found[0])


def test_of_many_columns_rows_stay_where_they_are():
    """In memory multipliers would end it, which need products with all rows."""
    X, y = rows(10_500, 80)
    here = CSVOR(contamination=0.0).fit(X, y)
    with dask.config.set({"csvor.memory-limit": "2 MB"}):
        found = CSVOR(contamination=0.0).fit(da.from_array(X, chunks=(3000, -1)), y)
    assert found.objective_ == pytest.approx(here.objective_, rel=1e-4)


def test_where_few_rows_do_not_tell_the_way_all_do(data, monkeypatch):
    def without_descent(*given, **options):
        return replace(refine(*given, **{**options, "max_iter": 1}), status=SolverStatus.NO_DESCENT)

    here = CSVOR().fit(*data)
    monkeypatch.setattr(csvor._objective.minimise, "refine", without_descent)
    few = pytest.warns(UserWarning, match=r"took \d+ passes .*csvor\.memory-limit")
    with dask.config.set({"csvor.memory-limit": "20kB"}), few:
        found = CSVOR().fit(*lazy(*data))
    assert found.n_iter_ > 1
    assert found.status_ == SolverStatus.CONVERGED.value
    assert found.objective_ == pytest.approx(here.objective_, rel=1e-4)
    assert (np.diff(found.objective_history_) <= 0.0).all()


def test_far_values_are_named(data):
    X = data[0].copy()
    X[7, 1] = 1e7
    with pytest.warns(UserWarning, match=r"column 1 has the value 1e\+07 in row 7"):
        CSVOR().fit(*lazy(X, data[1]))


def test_passes_are_told(data, capsys):
    model = CSVOR(verbose=1).fit(*lazy(*data))
    told = capsys.readouterr().out
    assert told.count("\n") == 1
    assert f"; {model.traffic_['passes']} passes over the partitions" in told
    assert not hasattr(model.fit(*data), "traffic_")


def test_dask_is_not_imported_for_arrays():
    code = (
        "import sys, numpy as np, csvor; X = np.arange(40.0)[:, None]; y = np.repeat([0, 1], 20);"
        "m = csvor.CSVOR().fit(X, y); m.predict_proba(X); m.residuals(X, y);"
        "sys.exit('dask' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
