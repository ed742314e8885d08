"""Regressions where names clash, settings change, thresholds cross, weights are small."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from csvor import OrdinalRegression, compare_models
from csvor._regression.wrong_test import wrong_test
from csvor.plots import CoefficientsDisplay

RATERS = np.resize(["a", "b", "c"], 400)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    return X, np.digitize(X @ [1.5, -1.0, 0.5] + rng.logistic(size=400), [-2.0, -0.5, 0.7, 2.0])


def test_settings_that_change_after_a_fit_change_no_answer(rows):
    X, y = rows
    model = OrdinalRegression(wrong=0.05).fit(X, y)
    smaller = OrdinalRegression(wrong=0.05).fit(X[:, :2], y)

    def answers():
        return [str(model.summary()), *(
            table.to_string() for table in (
                model.confint(parameters="wrong.any"), model.nominal_test({"x0": "x0"}),
                compare_models(smaller, model), model.scale_test({"x0": "x0"}),
            )
        )]  # fmt: skip

    before = answers()
    model.set_params(wrong="auto", link="probit", penalty=3.0)
    assert answers() == before


@pytest.mark.parametrize("name", ["wrong.any", "1|2", "rater.a"])
def test_columns_called_like_other_parameters_are_refused(rows, name):
    X, y = rows
    data = pd.DataFrame(X, columns=["age", name, "dose"])
    with pytest.raises(ValueError, match="Two parameters of this model are called"):
        OrdinalRegression(wrong=0).fit(data, y, raters=RATERS)


def test_columns_called_like_raters_and_lines_of_a_table(rows):
    X, y = rows
    model = OrdinalRegression(wrong=0).fit(
        pd.DataFrame(X, columns=["rater.age", "all", "raters"]), y, raters=RATERS
    )
    plain = OrdinalRegression(wrong=0).fit(X, y, raters=RATERS)
    pd.testing.assert_frame_equal(model.rater_shifts(), plain.rater_shifts())
    for ask in ("drop1", "proportional_odds_test"):
        ours, theirs = getattr(model, ask)(), getattr(plain, ask)()
        np.testing.assert_array_equal(ours.to_numpy(), theirs.to_numpy())
    assert CoefficientsDisplay.from_estimator(model).names_[0] == "rater.age"


def test_positions_are_integers_of_any_kind_and_no_truth_values(rows):
    X, y = rows
    model = OrdinalRegression(wrong=0, nominal=[np.int64(1)]).fit(X, y)
    assert "0|1.x1" in model.parameter_names_
    with pytest.raises(ValueError, match="nominal names False, which is no column"):
        OrdinalRegression(nominal=[False, True, False]).fit(X, y)


def test_the_likelihood_has_no_ridge_in_it(rows):
    X, y = rows
    model = OrdinalRegression(wrong=0, penalty=20.0).fit(X, y)
    likelihood = np.log(model.predict_proba(X)[np.arange(400), y]).sum()
    for value in (model.log_likelihood_, model.log_likelihood_plain_, 7.0 - model.aic_ / 2.0):
        assert value == pytest.approx(likelihood, abs=1e-8)


def test_probabilities_where_thresholds_cross_are_none_below_0(rows):
    X, y = rows
    model = OrdinalRegression(wrong=0, nominal=[0, 1]).fit(X, y)
    far = np.random.default_rng(1).normal(size=(500, 3)) * 3.0
    cuts = model.thresholds_ + far[:, :2] @ model.nominal_effects_
    assert np.any(np.diff(cuts) < 0.0)
    proba = model.predict_proba(far)
    assert proba.min() >= 0.0
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    intervals = model.predict_proba_interval(far)
    np.testing.assert_allclose(intervals["probability"].unstack(), proba)
    assert intervals["low"].min() >= 0.0


def test_a_class_of_one_row_in_many():
    """The sample that says where to start has none of it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8_000, 1))
    X[0] = 20.0  # far, so that there is a capped start
    score = X[:, 0] + rng.logistic(size=8_000)
    y = np.digitize(score, [-1.0, 1.0])
    y[1 + np.argmax(score[1:])] = 3
    with pytest.warns(UserWarning, match="All labels '3' are taken to be wrong"):
        model = OrdinalRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, 1.0, atol=0.1)


def test_separation_is_refused_with_effects_on_the_scale(rows):
    X, _ = rows
    with pytest.raises(ValueError, match="'x0' of X separates classes"):
        OrdinalRegression(wrong=0, scale=[1]).fit(X, np.digitize(X[:, 0], [-1.0, 1.0]))


def test_a_column_of_the_scale_that_is_far_from_0_is_named(rows):
    X, y = rows
    year = 150.0 + np.arange(400) % 9
    with pytest.warns(UserWarning, match="'x3' in scale lies more than 50 standard deviations"):
        OrdinalRegression(wrong=0, scale=[3]).fit(np.column_stack([X, year]), y)


def test_weights_that_sum_to_one(rows):
    X, y = rows
    weights = np.full(400, 1.0 / 400)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OrdinalRegression(wrong="any").fit(X, y, weights)
    plain = OrdinalRegression(wrong="any").fit(X, y)
    np.testing.assert_allclose(model.parameters_, plain.parameters_, rtol=1e-8)
    with pytest.raises(ValueError, match="give groups=range"):
        model.sandwich()
    np.testing.assert_allclose(model.sandwich(range(400)), plain.sandwich(), rtol=1e-6)
    before = model.sandwich(range(400))
    weights *= 5.0
    np.testing.assert_array_equal(model.sandwich(range(400)), before)


def test_columns_in_any_units_are_not_warned_of(rows):
    X, y = rows
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OrdinalRegression(wrong=0).fit(X * 1e8, y)
    plain = OrdinalRegression(wrong=0).fit(X, y)
    np.testing.assert_allclose(model.coef_ * 1e8, plain.coef_, rtol=1e-8)


def test_models_of_different_known_shares_are_not_nested(rows):
    X, y = rows
    larger = OrdinalRegression(wrong=0.1).fit(X, y)
    for wrong in (0, 0.05):
        smaller = OrdinalRegression(wrong=wrong).fit(X[:, :2], y)
        with pytest.raises(ValueError, match="must be nested"):
            compare_models(smaller, larger)
    other, share = OrdinalRegression(wrong=0).fit(X[:, [1]], y), OrdinalRegression(wrong="any")
    share.fit(X[:, [0]], np.where(np.arange(400) % 10, y, 4 - y))
    other.fit(X[:, [1]], np.where(np.arange(400) % 10, y, 4 - y))
    assert share.wrong_channel_ == "any"
    with pytest.raises(ValueError, match="must be nested"):
        compare_models(other, share)


def test_the_p_value_of_two_ways_to_go_wrong_does_not_vanish():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1_500, 3))
    y = np.digitize(X @ [1.5, -1.0, 0.5] + rng.logistic(size=1_500), [-2.0, -0.5, 0.7, 2.0])
    X, y = X[y != 2], np.array([0, 1, 1, 2, 3])[y[y != 2]]
    y[::3] = 3 - y[::3]
    model = OrdinalRegression().fit(X, y)
    test = wrong_test(model._fitting_, model._likelihoods)
    assert len(test.channels) == 2
    one = norm.sf(np.sqrt(test.statistic))
    assert 0.0 < one <= test.p_value <= 2.0 * one < 1e-15


def test_intervals_where_few_rows_of_a_class_may_all_be_wrong(rows):
    """A search with wrong labels ends where the class is lost, below that without them."""
    X, y = rows
    y = np.where(y == 2, 1, y)
    y[5] = 2
    model, plain = OrdinalRegression().fit(X, y), OrdinalRegression(wrong=0).fit(X, y)
    assert model.wrong_channel_ is None
    names = ["x0", "1|2"]
    ours, without = model.confint(parameters=names), plain.confint(parameters=names)
    assert np.all(ours["low"] < without["low"] + 1e-3)
    assert np.all(ours["high"] > without["high"] - 1e-3)
    assert np.all(ours.loc["x0"] - without.loc["x0"] < 0.05)


def test_of_two_classes_no_more_than_half_are_wrong():
    """Else there is a second optimum, with the opposite signs and the rest of the share."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2))
    y = (X @ [2.0, -1.0] + rng.logistic(size=200) > 0.0) ^ (rng.random(200) < 0.15)
    model = OrdinalRegression().fit(X, y)
    low, high = model.confint(parameters="x0").loc["x0"]
    plain = OrdinalRegression(wrong=0).fit(X, y).confint(parameters="x0").loc["x0", "low"]
    assert low == pytest.approx(plain, abs=0.01)
    assert low < model.coef_[0] - 0.2 and high > 10.0
    assert model.summary().wrong["high"] < 0.5


def test_the_share_where_a_class_is_lost_has_an_interval():
    rng = np.random.default_rng(15)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 4, 200)
    with pytest.warns(UserWarning, match="taken to be wrong ones|did not end"):
        model = OrdinalRegression(wrong="any").fit(X, y)
    low, high = model.confint(parameters="wrong.any").loc["wrong.any"]
    assert low == 0.0 and model.wrong_share_ + 0.05 < high <= 0.75


def test_columns_that_tell_nothing():
    """Six rows of ten wrong and the others separated is the most likely, and no model."""
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 4, 200)
    with pytest.warns(UserWarning, match="columns tell too little to say how many are wrong"):
        model = OrdinalRegression(wrong="any").fit(X, y)
    plain = OrdinalRegression(wrong=0).fit(X, y)
    np.testing.assert_allclose(model.parameters_, plain.parameters_)
    assert model.summary().wrong["high"] > 0.5


def test_columns_that_separate_all_but_some_wrong_labels_are_named():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(200, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    y[:15] = rng.integers(0, 3, 15)
    with pytest.raises(ValueError, match=r"'x0' of X separates .* rows whose labels are probably"):
        OrdinalRegression().fit(X, y)
