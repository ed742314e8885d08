"""Tests between regressions and profile intervals, where R has none: wrong labels, Brant, dask."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import chi2

from csvor import OrdinalRegression, compare_models
from csvor._regression import SeparationError
from csvor.formula import clm

LEVEL = chi2.ppf(0.95, 1)


def draw(n, wrong=0.0, seed=0, curved=False):
    """Labels of four classes by three columns, of which a share is any other class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 2.0, 0.5] + [0.0, 3.0, -1.0]
    score = X @ [2.0, -1.0, 0.0] + 3.0 + rng.logistic(size=n) * (1.0 + curved * (X[:, 2] > -1.0))
    y = np.digitize(score, [-2.0, 0.0, 2.0])
    changed = rng.random(n) < wrong
    return X, np.where(changed, (y + rng.integers(1, 4, n)) % 4, y)


@pytest.fixture(scope="module")
def clean():
    X, y = draw(400, seed=1)
    return OrdinalRegression(wrong=0).fit(X, y)


@pytest.fixture(scope="module")
def spoilt():
    X, y = draw(600, wrong=0.15)
    return OrdinalRegression(wrong="any").fit(X, y), X, y


def test_interval_of_the_share(spoilt):
    """At its ends a model with that share is worse by half the quantile; the summary has them."""
    model, X, y = spoilt
    low, high = model.confint(parameters="wrong.any").loc["wrong.any"]
    assert 0.0 < low < model.wrong_share_ < high
    for share in (low, high):
        at_end = OrdinalRegression(wrong=share).fit(X, y)
        worse = 2.0 * (model.log_likelihood_ - at_end.log_likelihood_)
        assert worse == pytest.approx(LEVEL, abs=1e-3)
    wrong = model.summary().wrong
    assert (wrong["low"], wrong["high"]) == (low, high)


@pytest.mark.parametrize(("wrong", "start"), [(0.0, 3), (0.02, 4)])
def test_share_whose_interval_begins_at_0(wrong, start):
    """Nothing is refused there; where no label is found to be wrong there is an upper end."""
    X, y = draw(200, wrong, start)
    model = OrdinalRegression(wrong="any").fit(X, y)
    of_share = model.summary().wrong
    assert 2.0 * (model.log_likelihood_ - model.log_likelihood_plain_) < LEVEL
    assert of_share["low"] == 0.0
    at_end = OrdinalRegression(wrong=of_share["high"]).fit(X, y)
    worse = 2.0 * (model.log_likelihood_ - at_end.log_likelihood_)
    assert worse == pytest.approx(LEVEL, abs=1e-3)


def test_profile_with_wrong_labels(spoilt):
    """By a search with the parameter held, from elsewhere; thresholds are of a row of zeros."""
    model, X, y = spoilt
    fitting, terms = model._training, model._model.terms
    held = np.zeros(terms.size, dtype=bool)
    held[terms.slices["location"].start] = True
    for end in model.confint(parameters="x0").loc["x0"]:
        theta = model._model.theta.copy()
        theta[held] = end / fitting.factor[0]
        worse = (
            model.log_likelihood_
            - fitting.search(terms, held).maximise(fitting.model(terms, theta)).value
        )
        assert 2.0 * worse == pytest.approx(LEVEL, abs=1e-3)
    # Where columns are moved so that a row of zeros is elsewhere, thresholds follow.
    moved = OrdinalRegression(wrong="any").fit(X + np.array([2000.0, 0.0, 0.0]), y)
    names = ["x0", "x1", "wrong.any"]
    np.testing.assert_allclose(
        moved.confint(parameters=names), model.confint(parameters=names), atol=1e-4
    )
    low, high = moved.confint(parameters="1|2").loc["1|2"]
    assert low < moved.thresholds_[1] < high
    wald = moved.confint(method="wald", parameters="1|2").loc["1|2"]
    np.testing.assert_allclose([low, high], wald, rtol=0.1)


def test_profile_where_no_label_is_found_to_be_wrong():
    """At another slope some may be: the interval is wider than that of a model without."""
    X, y = draw(300, 0.1, 53)
    model = OrdinalRegression(wrong="any").fit(X, y)
    assert model.wrong_channel_ is None
    low, high = model.confint(parameters="x0").loc["x0"]
    plain_low, plain_high = OrdinalRegression(wrong=0).fit(X, y).confint(parameters="x0").loc["x0"]
    assert high > plain_high + 0.02
    assert low == pytest.approx(plain_low, abs=1e-3)
    fitting = model._training
    terms = fitting.terms.with_channels("any")
    held = np.zeros(terms.size, dtype=bool)
    held[terms.slices["location"].start] = True
    theta = np.append(model._likelihoods.plain.model.theta, 0.05)
    theta[held] = high / fitting.factor[0]
    end = fitting.search(terms, held).maximise(fitting.model(terms, theta))
    assert 2.0 * (model.log_likelihood_ - end.value) == pytest.approx(LEVEL, abs=1e-3)


@pytest.mark.parametrize(("start", "ends"), [(0, False), (3, True)])
def test_interval_without_an_end(start, ends):
    """Rows that no slope explains may be wrong: then the steepest one of all is not refused."""
    rng = np.random.default_rng(start)
    n = 40
    x = rng.normal(size=n)
    y = 4.0 * x + rng.logistic(size=n) > 0.0
    model = OrdinalRegression(wrong=0.1).fit(x[:, None], y)
    low, high = model.confint(parameters="x0").loc["x0"]
    right = max(np.sum((x > cut) == y) for cut in x)
    steepest = right * np.log(0.9) + (n - right) * np.log(0.1)
    assert (2.0 * (model.log_likelihood_ - steepest) > LEVEL) == ends
    assert np.isfinite(high) == ends
    assert 0.0 < low < model.coef_[0]


def test_parameter_of_another_name(clean):
    with pytest.raises(ValueError, match="'age' is no parameter of this model"):
        clean.confint(parameters="age")
    with pytest.raises(ValueError, match="method must be"):
        clean.confint(method="bootstrap")


def test_known_share_is_both_ends(spoilt):
    _, X, y = spoilt
    model = OrdinalRegression(wrong=0.1).fit(X, y)
    for method in ("profile", "wald"):
        assert model.confint(method=method).loc["wrong.any"].tolist() == [0.1, 0.1]


def test_share_beside_a_model_without(spoilt):
    """0 is an edge: half chi-square, and with a coefficient besides a mixture of two."""
    model, X, y = spoilt
    plain = OrdinalRegression(wrong=0).fit(X, y)
    smaller = OrdinalRegression(wrong=0).fit(X[:, :2], y)
    table = compare_models(model, plain)
    assert table["p"].iloc[1] == model.summary().wrong["p"]
    statistic, _, p = compare_models(smaller, model).iloc[1][["statistic", "df", "p"]]
    assert p == pytest.approx(0.5 * (chi2.sf(statistic, 1) + chi2.sf(statistic, 2)))


def test_refused_comparisons(clean, spoilt):
    model, X, y = spoilt
    with pytest.raises(ValueError, match="not of the same rows"):
        compare_models(clean, model)
    with pytest.raises(ValueError, match="not of the same rows"):
        compare_models(OrdinalRegression(wrong=0).fit(X, 3 - y), model)
    with pytest.raises(ValueError, match="Links differ"):
        compare_models(OrdinalRegression(link="probit").fit(X, y), model)
    with pytest.raises(ValueError, match="penalty=0"):
        compare_models(OrdinalRegression(penalty=1.0).fit(X, y), model)
    with pytest.raises(ValueError, match="must be nested"):
        compare_models(model, OrdinalRegression(wrong=0, nominal=[0, 1, 2]).fit(X, y))
    with pytest.raises(ValueError, match="two models or more"):
        compare_models(model)


def test_tests_keep_the_share(spoilt):
    """The larger model has labels that go wrong in the same way, as when it is fitted."""
    model, X, y = spoilt
    larger = OrdinalRegression(wrong="any", nominal=["x1"]).fit(X, y)
    line = model.nominal_test().loc["x1"]
    assert line["log_likelihood"] == pytest.approx(larger.log_likelihood_, abs=1e-6)
    assert line["aic"] == pytest.approx(larger.aic_, abs=1e-5)
    scaled = OrdinalRegression(wrong="any", scale=["x1"]).fit(X, y)
    assert model.scale_test()["aic"]["x1"] == pytest.approx(scaled.aic_, abs=1e-5)
    smaller = OrdinalRegression(wrong="any").fit(X[:, [0, 2]], y)
    assert model.drop1()["aic"]["x1"] == pytest.approx(smaller.aic_, abs=1e-5)


def test_terms_of_several_columns(clean):
    """A term is tested as one; what is nominal, or on the scale, already is left out."""
    table = clean.nominal_test({"both": ["x0", 2], "x1": "x1"})
    assert table["df"].tolist()[1:] == [4.0, 2.0]
    X, y = draw(300, seed=5)
    model = OrdinalRegression(wrong=0, nominal=["x0"], scale=["x1"]).fit(X, y)
    assert model.nominal_test().index.tolist() == ["<none>", "x1", "x2"]
    assert model.scale_test().index.tolist() == ["<none>", "x0", "x2"]
    assert model.drop1()["df"].tolist()[1:] == [3.0, 2.0, 1.0]
    with pytest.raises(ValueError, match="terms names 'x7'"):
        model.nominal_test({"age": "x7"})


def test_terms_of_a_formula_and_raters():
    X, y = draw(300, seed=6)
    data = pd.DataFrame(
        {"age": X[:, 0], "site": np.array(["a", "b", "c"])[np.arange(300) % 3], "y": y}
    )
    model = clm("y ~ age * site", data, wrong=0)
    assert model.drop1().index.tolist() == ["<none>", "age:site"]
    assert model.scale_test()["df"].tolist()[1:] == [1.0, 2.0, 2.0]
    rated = OrdinalRegression(wrong=0).fit(X, y, raters=data["site"])
    assert rated.drop1()["df"]["raters"] == 2.0


def test_all_columns_at_once():
    """Where the spread differs by a column the odds are not proportional: both tests say so."""
    X, y = draw(1500, seed=7, curved=True)
    model = OrdinalRegression(wrong=0).fit(X, y)
    for method in ("likelihood", "brant"):
        table = model.proportional_odds_test(method)
        assert table.index.tolist() == ["x0", "x1", "x2", "all"]
        assert table["df"].tolist() == [2.0, 2.0, 2.0, 6.0]
        assert table["p"]["all"] < 1e-3
        np.testing.assert_allclose(table["p"], chi2.sf(table["statistic"], table["df"]))


def logistic_regression(X, above):
    beta = np.zeros(X.shape[1])
    for _ in range(30):
        p = expit(X @ beta)
        beta += np.linalg.solve((X.T * (p * (1.0 - p))) @ X, X.T @ (above - p))
    return beta


def test_brant_by_stacked_equations(clean):
    """The sandwich of the scores of all regressions, summed over the labels of each row."""
    X, y = draw(400, seed=1)
    X = np.column_stack([np.ones(400), X])
    betas = np.array([logistic_regression(X, y > k) for k in range(3)])
    p = np.column_stack([expit(X @ beta) for beta in betas])
    bread = np.zeros((12, 12))
    for k in range(3):
        bread[4 * k : 4 * k + 4, 4 * k : 4 * k + 4] = (X.T * (p[:, k] * (1 - p[:, k]))) @ X
    of_class = -np.diff(np.column_stack([np.ones(400), p, np.zeros(400)]), axis=1)
    meat = np.zeros((12, 12))
    for label in range(4):
        scores = [((label > k) - p[:, [k]]) * X for k in range(3)]
        stacked = np.hstack(scores)
        meat += (stacked.T * of_class[:, label]) @ stacked
    covariance = np.linalg.inv(bread) @ meat @ np.linalg.inv(bread)
    table = clean.proportional_odds_test("brant")
    for name, columns in {"x0": [1], "x1": [2], "x2": [3], "all": [1, 2, 3]}.items():
        D = np.array(
            [np.eye(12)[4 * k + j] - np.eye(12)[4 * (k + 1) + j] for k in range(2) for j in columns]
        )
        change = D @ betas.ravel()
        statistic = change @ np.linalg.solve(D @ covariance @ D.T, change)
        assert table["statistic"][name] == pytest.approx(statistic, rel=1e-6)


def test_refused_tests(clean, spoilt):
    X, y = draw(200, seed=8)
    with pytest.raises(ValueError, match="of the labels are wrong"):
        spoilt[0].proportional_odds_test("brant")
    with pytest.raises(ValueError, match="logit link"):
        OrdinalRegression(wrong=0, link="probit").fit(X, y).proportional_odds_test("brant")
    with pytest.raises(ValueError, match="without nominal and scale"):
        OrdinalRegression(wrong=0, scale=[0]).fit(X, y).proportional_odds_test("brant")
    with pytest.raises(ValueError, match="Of two classes"):
        OrdinalRegression(wrong=0).fit(X, y > 1).proportional_odds_test()
    with pytest.raises(ValueError, match="method must be"):
        clean.proportional_odds_test("score")
    with pytest.raises(ValueError, match="penalty=0"):
        OrdinalRegression(penalty=1.0).fit(X, y).nominal_test()
    y[X[:, 2] > -1.0] = np.maximum(y[X[:, 2] > -1.0], 1)
    with pytest.raises(
        SeparationError, match=r"'x2'.* at the threshold .* ask for method='likelihood'"
    ):
        OrdinalRegression(wrong=0).fit(
            np.column_stack([X[:, :2], X[:, 2] > -1.0]), y
        ).proportional_odds_test("brant")


def test_a_stored_model_has_no_rows(clean):
    stored = pickle.loads(pickle.dumps(clean))
    for ask in (stored.confint, stored.nominal_test, stored.proportional_odds_test, stored.summary):
        with pytest.raises(ValueError, match="Fit it again"):
            ask()
    with pytest.raises(ValueError, match="Fit it again"):
        compare_models(stored, clean)
    pd.testing.assert_frame_equal(stored.confint(method="wald"), clean.confint(method="wald"))


def test_partitions(clean):
    """The same sums."""
    da = pytest.importorskip("dask.array")
    X, y = draw(400, seed=1)
    model = OrdinalRegression(wrong=0).fit(
        da.from_array(X, chunks=(150, 3)), da.from_array(y, chunks=150)
    )
    pd.testing.assert_frame_equal(
        model.confint(parameters=["x0", "1|2"]), clean.confint(parameters=["x0", "1|2"]), atol=1e-4
    )
    pd.testing.assert_frame_equal(model.nominal_test(), clean.nominal_test(), atol=1e-6)
    pd.testing.assert_frame_equal(
        model.proportional_odds_test("brant"), clean.proportional_odds_test("brant"), atol=1e-6
    )
    smaller = OrdinalRegression(wrong=0).fit(
        da.from_array(X[:, :2], chunks=(150, 2)), da.from_array(y, chunks=150)
    )
    assert compare_models(smaller, model)["df"].iloc[1] == 1.0
