"""Cases N14, N16, N22, N25, N29 and N30: how CSVOR behaves under its callers."""

import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR, REDSVM, SVOREX, SVORIM
from problems import b12, g, logistic_rows

WORDS = ["low", "medium", "high"]


def fitted(model):
    """The bits of a fit."""
    names = ("coef_", "thresholds_", "objective_history_", "residuals_", "outliers_", "slope_")
    return [np.asarray(getattr(model, name)).tobytes() for name in names]


# N14: read-only arrays, layouts, and nothing written.


def test_n14_read_only_arrays_give_the_same_bits_and_stay_as_they_are():
    X, y = b12()
    weights = 1.0 + np.arange(12) % 2
    expected = fitted(CSVOR().fit(X, y, sample_weight=weights))
    before = [array.tobytes() for array in (X, y, weights)]
    for array in (X, y, weights):
        array.flags.writeable = False
    model = CSVOR(classes=np.unique(y)).fit(X, y, sample_weight=weights)
    assert fitted(model) == expected
    model.predict_proba(X)
    model.residuals(X, y)
    assert [array.tobytes() for array in (X, y, weights)] == before


def test_n14_a_memory_map_of_40_000_rows(tmp_path):
    X, y = g(0, 40000)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    before = (tmp_path / "X.npy").read_bytes()
    mapped_X, mapped_y = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "Xy")
    plain, model = CSVOR(p=2).fit(X, y), CSVOR(p=2).fit(mapped_X, mapped_y)
    # Loops for read-only arrays are compiled on their own, and may add in another order.
    for name in ("coef_", "thresholds_", "residuals_", "objective_history_"):
        one, other = getattr(model, name), getattr(plain, name)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.outliers_, plain.outliers_)
    assert type(model.outliers_) is type(model.predict(mapped_X)) is np.ndarray
    np.testing.assert_array_equal(model.predict(mapped_X), plain.predict(X))
    # The first rows, still a read-only map, in other processes.
    grid = {"C": [0.1, 10.0]}
    part, alone = slice(4000), GridSearchCV(CSVOR(p=2), grid, cv=2).fit(X[:4000], y[:4000])
    search = GridSearchCV(CSVOR(p=2), grid, cv=2, n_jobs=2, error_score="raise")
    search.fit(mapped_X[part], mapped_y[part])
    assert fitted(search.best_estimator_) == fitted(alone.best_estimator_)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )
    assert (tmp_path / "X.npy").read_bytes() == before


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype("f4"),
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed view": lambda X: X[::-1].copy()[::-1],
    "big endian": lambda X: X.astype(">f8"),
    "list": np.ndarray.tolist,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pandas float32": lambda X: pd.DataFrame(X.astype("f4")),
    "object": lambda X: X.astype(object),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_n14_any_layout_gives_the_same_model(layout):
    X, y = g(3, 300)
    other = LAYOUTS[layout](X)
    plain, model = CSVOR().fit(X, y), CSVOR().fit(other, y)
    close = 1e-4 if "float32" in layout else 1e-9
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=close)
    np.testing.assert_array_equal(model.predict(other), plain.predict(X))
    assert model.coef_.dtype == model.predict_proba(other).dtype == np.float64


def test_n14_integer_features():
    X, y = b12()
    for dtype in ("i1", "u1", "i8", bool, "f2"):
        values = (X > 5 if dtype is bool else X).astype(dtype)
        model, plain = CSVOR(p=2).fit(values, y), CSVOR(p=2).fit(values.astype(float), y)
        assert fitted(model) == fitted(plain)


# N16: weights (as repetitions: test_estimator_invariances.py).


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([-1.0] + [1.0] * 89, r"sample_weight has negative values \(first: -1\.0 in row 0\)"),
        ([1.0] * 88 + [-0.5, -2.0], r"negative values \(first: -0\.5 in row 88\)"),
        ([1.0, np.nan] + [1.0] * 88, "sample_weight contains NaN"),
        ([1.0, np.inf] + [1.0] * 88, "sample_weight contains infinity"),
        ([1.0] * 5, r"sample_weight\.shape == \(5,\), expected \(90,\)"),
        ([[1.0, 1.0]] * 90, "must be 1D array or scalar"),
        ([0.0] * 90, r"(?i)sample.weight.*(zero for every row|at least one non-zero)"),
        (["a"] * 90, "could not convert string to float: 'a'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_n16_wrong_weights_are_refused(weights, complaint):
    X, y = logistic_rows()
    with pytest.raises(ValueError, match=complaint):
        CSVOR().fit(X, y, sample_weight=weights)


def test_n16_weights_reach_the_scaler_of_a_pipeline_and_the_model():
    X, y = logistic_rows()
    times = 1 + np.arange(90) % 3
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=True),
            CSVOR().set_fit_request(sample_weight=True),
        )
        weighted = clone(model).fit(X, y, sample_weight=times)
        repeated = clone(model).fit(
            np.repeat(X, times, axis=0), np.repeat(y, times), sample_weight=np.ones(times.sum())
        )
    np.testing.assert_allclose(weighted[-1].coef_, repeated[-1].coef_, rtol=1e-6)
    np.testing.assert_allclose(weighted[-1].thresholds_, repeated[-1].thresholds_, rtol=1e-6)


# N22: convergence.


@pytest.mark.parametrize("max_iter", [1, 2, 7, 12])
@pytest.mark.parametrize("parameters", [{}, {"epsilon": 1.5}, {"C": 100.0, "p": 0.5}], ids=str)
def test_n22_an_early_stop_warns_once_and_says_what_to_do(max_iter, parameters):
    X, y = g(0, 200)
    model = CSVOR(max_iter=max_iter, **parameters)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    (warning,) = caught
    message = str(warning.message)
    assert f"CSVOR stopped after {max_iter} iteration" in message
    assert f"max_iter={max_iter}" in message
    assert message.count("raise max_iter") == 1
    assert "raise max_iter, say to 200." in message
    assert warning.filename == __file__  # it points at the call, not into the package
    assert model.n_iter_ == max_iter
    assert model.converged_ is False
    assert model.status_ == "the limit of iterations was reached"


def test_n22_the_remedy_fits_the_cause():
    X, y = g(0, 200)
    with pytest.warns(ConvergenceWarning, match=r"still fell by .* use solver='newton'"):
        CSVOR(solver="alternating", max_iter=30, epsilon=1.5).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"still fell by .* raise max_iter, say to 200\."):
        CSVOR(max_iter=45, tol=0.0, epsilon=1.5).fit(*logistic_rows())


@pytest.mark.parametrize("kind", [CSVOR, SVOREX, SVORIM, REDSVM])
def test_n21_without_a_penalty_a_smaller_c_is_advised_and_helps(kind):
    """More iterations never ended it."""
    with pytest.warns(ConvergenceWarning, match="use a smaller C, for rounding hides the penalty"):
        free = kind(C=1e12, max_iter=8).fit(*b12())
    settled = kind(C=1e9).fit(*b12())
    assert settled.converged_
    assert free.score(*b12()) == settled.score(*b12()) == 1.0


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("parameters", [{}, {"C": 0.01}, {"C": 1e6}, {"p": 0.5}], ids=str)
def test_n22_default_limits_are_enough(number, parameters):
    model = CSVOR(**parameters).fit(*g(number, 200))
    assert model.converged_ is True
    assert 1 <= model.n_iter_ < model.max_iter
    assert model.status_ != "the limit of iterations was reached"


# N25: score.


@pytest.mark.parametrize(
    "names",
    [[0, 1, 2], WORDS, ["2", "9", "10"], [0.0, 1.0, 2.0], [-5, 0, 90]],
    ids=str,
)
def test_n25_score_is_the_accuracy_for_any_labels(names):
    X, rank = logistic_rows()
    y = np.array(names)[rank]
    model = CSVOR(classes=names).fit(X, y)
    assert model.score(X, y) == np.mean(model.predict(X) == y) == 59 / 90
    weights = np.arange(90.0)
    expected = np.average(model.predict(X) == y, weights=weights)
    assert model.score(X, y, sample_weight=weights) == pytest.approx(expected)
    assert "accuracy" in CSVOR.score.__doc__.lower()


def test_n25_score_takes_numbers_held_as_objects():
    X, rank = logistic_rows()
    y = rank.astype(object)
    assert CSVOR().fit(X, y).score(X, y) == 59 / 90


# N29: the same again.


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_n29_workers_give_the_same_bits(backend):
    X, y = g(0, 200)
    grid, cv = {"C": [0.1, 1.0, 10.0]}, KFold(3)
    alone = GridSearchCV(CSVOR(), grid, cv=cv).fit(X, y)
    with joblib.parallel_backend(backend, n_jobs=2):
        search = GridSearchCV(CSVOR(), grid, cv=cv, error_score="raise").fit(X, y)
    assert fitted(search.best_estimator_) == fitted(alone.best_estimator_)
    for part in range(3):
        name = f"split{part}_test_score"
        np.testing.assert_array_equal(search.cv_results_[name], alone.cv_results_[name])


# N30: clone, search, refit.


@pytest.mark.parametrize("kind", [tuple, list, np.array, pd.Index, pl.Series], ids=str)
def test_n30_the_class_list_is_stored_cloned_and_searched_as_given(kind):
    X, rank = b12()
    y, classes = np.array(WORDS)[rank], kind(WORDS)
    model = CSVOR(p=2, classes=classes)
    assert model.classes is classes
    copy = clone(model)
    assert type(copy.classes) is type(classes)
    assert list(copy.classes) == WORDS
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model),
        {"csvor__C": [1.0, 100.0]},
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert search.best_estimator_[-1].classes_.tolist() == WORDS
    assert search.score(X, y) == 1.0
    assert search.classes_.tolist() == WORDS
    assert model.classes is classes
    assert "classes=" in repr(model)


def test_n30_parameters_are_stored_as_they_are():
    given = {"C": "x", "p": [], "epsilon": None, "classes": (), "tol": object(), "max_iter": -1}
    model = CSVOR(**given)
    assert {name: model.get_params()[name] for name in given} == given
    with pytest.raises(NotFittedError, match="This CSVOR instance is not fitted yet"):
        model.predict([[0.0]])
    for name in ("outliers_", "slope_", "cutpoints_"):
        with pytest.raises(NotFittedError, match="This CSVOR instance is not fitted yet"):
            getattr(model, name)


def test_n30_set_params_then_fit_is_a_fresh_fit():
    X, y = g(1, 100)
    model = CSVOR(C=3.0, epsilon=2.0).fit(X, y)
    model.set_params(C=1.0, epsilon="auto", p=1.5).fit(X, y)
    assert fitted(model) == fitted(CSVOR(p=1.5).fit(X, y))
    assert fitted(clone(model).fit(X, y)) == fitted(model)


def test_n30_a_fit_forgets_the_one_before():
    X, y = b12()
    table = pd.DataFrame({"a": X[:, 0], "b": X[::-1, 0]})
    model = CSVOR(p=2).fit(table, y)
    four = np.repeat([5, 6, 7, 8], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, four)
    assert model.classes_.tolist() == [5, 6, 7, 8]
    assert model.thresholds_.shape == (3,)
    assert model.predict(X).tolist() == four.tolist()
    assert model.n_features_in_ == 1
    assert not hasattr(model, "feature_names_in_")
    assert fitted(model) == fitted(CSVOR(p=2).fit(X, four))


def test_n30_plain_lists_will_do():
    X, y = b12()
    model = CSVOR().fit(X, y)
    assert model.predict(X.tolist()).tolist() == y.tolist()
    assert CSVOR().fit(X.tolist(), y.tolist()).predict(X).tolist() == y.tolist()
