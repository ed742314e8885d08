"""Cumulative link models with wrong labels: derivatives, optima, invariances, refusals."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import clone

import csvor
from csvor import OrdinalRegression, audit_labels
from csvor._regression.likelihood import Model, Rows, log_likelihood
from csvor._regression.links import LINKS
from csvor._regression.terms import Terms
from csvor._regression.wrong_test import wrong_test

BETA, CUTS, K = np.array([1.5, -1.0, 0.5]), np.array([-2.0, -0.7, 0.7, 2.0]), 5


def sample(n, *, share=0.0, beside=False, seed=0):
    """Features and labels, of which a share is changed."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.digitize(X @ BETA + rng.logistic(size=n), CUTS)
    rows = rng.choice(n, int(share * n), replace=False)
    if beside:
        y[rows] += np.where(
            (rng.random(rows.size) < 0.5) & (y[rows] > 0) | (y[rows] == K - 1), -1, 1
        )
    else:
        y[rows] = (y[rows] + rng.integers(1, K, rows.size)) % K
    return X, y


@pytest.mark.parametrize("link", LINKS)
def test_derivatives_are_those_of_finite_differences(link):
    X, y = sample(60)
    terms = Terms(("a", "b", "c"), tuple("12345"), (0, 1), (2,), (1,), ("any", "beside"))
    rng = np.random.default_rng(1)
    theta = rng.normal(size=terms.size) * 0.1
    theta[:4], theta[-2:] = CUTS, (0.1, 0.05)
    rows = Rows(X, y, rng.random(60))
    model = Model(terms, link, theta, X.mean(axis=0), 1.0 / X.std(axis=0))
    _, slope, curve = log_likelihood(model, rows)
    for i, step in enumerate(1e-6 * np.eye(terms.size)):
        ends = [log_likelihood(replace(model, theta=theta + s), rows) for s in (step, -step)]
        (up, slope_up, _), (down, slope_down, _) = ends
        assert slope[i] == pytest.approx((up - down) / 2e-6, abs=1e-6)
        np.testing.assert_allclose(
            curve[i], (slope_up - slope_down) / 2e-6, atol=2e-6 * abs(curve).max()
        )


def test_probabilities_of_a_tail_keep_their_digits():
    # F(41) - F(40) of the logistic is e^-40 (1 - e^-1) / ((1 + e^-40) (1 + e^-41)).
    model = Model(
        Terms(("a",), tuple("123"), (0,)), "logit", np.array([0.0, 1.0, 1.0]), *np.zeros((2, 1))
    )
    model = replace(model, factor=np.ones(1))
    proba = model.probabilities(np.array([[-40.0]]))[0]
    assert proba[1] == pytest.approx(np.exp(-40.0) * (1.0 - np.exp(-1.0)), rel=1e-12)


@pytest.mark.parametrize("wrong", ["any", "beside"])
def test_the_optimum_is_that_of_a_general_search(wrong):
    X, y = sample(400, share=0.15, beside=wrong == "beside")
    model = OrdinalRegression(wrong=wrong).fit(X, y)

    def loss(theta):
        cuts = np.cumsum([theta[0], *np.exp(theta[1:4])])
        below = np.hstack(
            [np.zeros((400, 1)), expit(cuts - (X @ theta[4:7])[:, None]), np.ones((400, 1))]
        )
        proba, share = np.diff(below), expit(theta[7])
        if wrong == "any":
            other = (1.0 - proba) / (K - 1)
        else:
            half = 0.5 * proba
            half[:, [0, -1]] *= 2.0  # all go to the only class beside
            other = np.pad(half, ((0, 0), (1, 1)))[:, :-2] + np.pad(half, ((0, 0), (1, 1)))[:, 2:]
        return -np.log(((1.0 - share) * proba + share * other)[np.arange(400), y]).sum()

    start = [-2.0, *np.log(np.diff(CUTS)), *BETA, -2.0]
    ended = minimize(loss, start, method="BFGS")
    assert model.log_likelihood_ == pytest.approx(-ended.fun, abs=1e-6)
    np.testing.assert_allclose(model.coef_, ended.x[4:7], atol=2e-3)
    assert model.wrong_share_ == pytest.approx(expit(ended.x[7]), abs=1e-3)


def test_wrong_labels_do_not_bend_coefficients():
    X, y = sample(3_000, share=0.15)
    model, plain = OrdinalRegression().fit(X, y), OrdinalRegression(wrong=0).fit(X, y)
    errors = np.sqrt(np.diag(model.covariance_))[4:7]
    assert np.all(np.abs(model.coef_ - BETA) < 2.5 * errors)
    assert plain.coef_[0] < 1.2
    assert (model.wrong_channel_, model.wrong_share_) == ("any", pytest.approx(0.15, abs=0.05))
    assert model.summary().wrong["p"] < 1e-6
    np.testing.assert_allclose(plain.log_likelihood_, model.log_likelihood_plain_)


def test_a_class_beside_is_told_from_any_class():
    model = OrdinalRegression().fit(*sample(3_000, share=0.2, beside=True))
    assert (model.wrong_channel_, model.wrong_share_) == ("beside", pytest.approx(0.2, abs=0.05))


def test_a_known_share_is_kept():
    model = OrdinalRegression(wrong=0.1).fit(*sample(400, share=0.1))
    assert model.wrong_share_ == 0.1
    assert model.covariance_[-1].tolist() == [0.0] * 8
    assert model.n_parameters_ == 7


def test_rows_that_are_far_and_wrong_do_not_lead_the_search_astray():
    X, y = sample(300)
    rows = np.random.default_rng(0).choice(300, 15, replace=False)
    X[rows], y[rows] = [-8.0, 8.0, -8.0], 4
    model = OrdinalRegression(wrong="any").fit(X, y)
    fitting, plain = model._fitting_, model._likelihoods.plain.model.theta
    from_plain = fitting.with_wrong("any", [plain])
    assert model.log_likelihood_ > from_plain.value + 5.0
    assert np.sign(model.coef_).tolist() == np.sign(BETA).tolist()


@pytest.mark.parametrize("wrong", [0, "auto"])
def test_a_weight_is_as_many_rows(wrong):
    X, y = sample(300, share=0.1)
    weights = np.random.default_rng(2).integers(0, 3, 300)
    weighted = OrdinalRegression(wrong=wrong).fit(X, y, weights)
    repeated = OrdinalRegression(wrong=wrong).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_, rel=1e-10)
    np.testing.assert_allclose(weighted.parameters_, repeated.parameters_, atol=1e-6)
    np.testing.assert_allclose(weighted.covariance_, repeated.covariance_, rtol=1e-4, atol=1e-7)
    assert weighted.bic_ == pytest.approx(repeated.bic_)


def test_units_and_order_of_rows_change_nothing_but_units():
    X, y = sample(300, share=0.1)
    scale, shift = np.array([100.0, 0.01, -3.0]), np.array([1960.0, -5.0, 0.3])
    options = {"nominal": [1], "scale": [2]}
    model = OrdinalRegression(**options).fit(X, y)
    order = np.random.default_rng(3).permutation(300)
    other = OrdinalRegression(**options).fit((X * scale + shift)[order], y[order])
    assert model.log_likelihood_ == pytest.approx(other.log_likelihood_, abs=1e-7)
    np.testing.assert_allclose(
        other.coef_[[0]] * scale[0] * np.exp(-other.scale_effects_ @ shift[[2]]),
        model.coef_[[0]],
        rtol=1e-4,
    )
    np.testing.assert_allclose(other.scale_effects_ * scale[2], model.scale_effects_, atol=1e-5)
    np.testing.assert_allclose(
        model.predict_proba(X), other.predict_proba(X * scale + shift), atol=1e-6
    )


def test_rows_in_partitions_give_the_same_sums():
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    import dask

    X, y = sample(12_000, share=0.1)
    here = OrdinalRegression().fit(X, y)
    with dask.config.set({"csvor.memory-limit": "100 kB", "scheduler": "synchronous"}):
        lazy = da.from_array(X, chunks=(5_000, 3))
        there = OrdinalRegression().fit(lazy, da.from_array(y, chunks=5_000))
        assert there.log_likelihood_ == pytest.approx(here.log_likelihood_, rel=1e-11)
        np.testing.assert_allclose(there.parameters_, here.parameters_, atol=1e-7)
        assert (there.predict(lazy).compute() == here.predict(X)).all()


def test_raters_move_thresholds_and_sum_to_zero():
    X, y = sample(2_000)
    raters = np.array(["ann", "bo", "cy", "di"])[np.arange(2_000) % 4]
    y = np.where(raters == "cy", np.minimum(y + 1, K - 1), y)
    model = OrdinalRegression().fit(X, y, raters=raters)
    shifts = model.rater_shifts()
    assert shifts.index.tolist() == ["ann", "bo", "cy", "di"]
    assert shifts["estimate"].sum() == pytest.approx(0.0, abs=1e-10)
    assert shifts["estimate"].idxmax() == "cy" and shifts.loc["cy", "low"] > 0.5
    np.testing.assert_allclose(model.coef_, BETA, atol=0.25)
    assert model.predict_proba(X[:3]).shape == (3, K)


def test_the_test_of_no_wrong_labels_knows_the_edge():
    X, y = sample(400, share=0.05)
    model = OrdinalRegression(wrong="any").fit(X, y)
    test = wrong_test(model._fitting_, model._likelihoods)
    gain = 2.0 * (model.log_likelihood_ - model.log_likelihood_plain_)
    assert test.statistic == pytest.approx(gain)
    assert test.p_value == pytest.approx(norm.sf(np.sqrt(gain)))
    both = OrdinalRegression().fit(X, y).summary().wrong
    assert test.p_value < both["p"] < 2.0 * test.p_value + 1e-3


def test_a_model_without_rows_still_predicts():
    X, y = sample(200)
    model = OrdinalRegression().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params() == model.get_params()


COLLINEAR = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 2)), columns=["age", "dose"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.assign(c=2 * X["age"] - X["dose"]), "'(c|age|dose)' of X is a sum of multip"),
        (lambda X: X.assign(one=3.0), "'one' of X has the same value"),
        (lambda X: X.iloc[:, [0] * 120].set_axis(range(120), axis=1), "100 rows and 120"),
    ],
)  # fmt: skip
def test_columns_whose_coefficients_cannot_be_told_are_named(change, message):
    y = np.digitize(COLLINEAR["age"] + np.random.default_rng(1).logistic(size=100), [0.0, 1.0])
    with pytest.raises(ValueError, match=message):
        OrdinalRegression().fit(change(COLLINEAR), y)


@pytest.mark.parametrize("wrong", [0, "auto"])
def test_effects_that_cannot_be_separated_are_named(wrong):
    X, y = sample(300)
    X = pd.DataFrame({"night": X[:, 0] > 0.0, "dose": X[:, 1]}, dtype=float)
    effects = {"nominal": ["night"], "scale": ["night"], "wrong": wrong}
    with pytest.raises(ValueError, match="Column 'night' of X has effects that cannot be separ"):
        OrdinalRegression(**effects).fit(X[["night"]], y)
    model = OrdinalRegression(penalty=1.0, **effects).fit(X[["night"]], y)
    assert np.all(np.diag(model.covariance_)[: 2 * (K - 1) + 1] > 0.0)
    OrdinalRegression(**effects).fit(X, y)  # the spread of what dose does tells them apart


def test_where_the_likelihood_is_flat_errors_are_large():
    rng = np.random.default_rng(16)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 4, 200)
    with pytest.warns(UserWarning, match="taken to be wrong ones|did not end"):
        model = OrdinalRegression(wrong="any").fit(X, y)
    assert model.summary().coefficients["error"].min() > 1e3


def test_a_ridge_takes_them():
    y = np.digitize(COLLINEAR["age"] + np.random.default_rng(1).logistic(size=100), [0.0, 1.0])
    X = COLLINEAR.assign(twice=2 * COLLINEAR["age"])
    model = OrdinalRegression(penalty=1.0, wrong=0).fit(X, y)
    assert model.coef_[2] == pytest.approx(2 * model.coef_[0])


@pytest.mark.parametrize("wrong", [0, "auto"])
def test_a_column_that_separates_is_named(wrong):
    X, y = COLLINEAR, np.digitize(COLLINEAR["dose"], [-0.5, 0.5])
    with pytest.raises(ValueError, match=r"'dose'.* separates classes without an exception"):
        OrdinalRegression(wrong=wrong).fit(X, y)
    assert np.isfinite(OrdinalRegression(penalty=0.1).fit(X, y).coef_).all()


@pytest.mark.parametrize("wrong", [0, "auto"])
@pytest.mark.parametrize(("code", "ends"), [(0, False), (2, True), (K - 1, False)])
def test_a_rare_value_that_only_the_lowest_or_highest_class_has_is_named(code, ends, wrong):
    """Its coefficient in standard deviations of the column is small, however far it has run."""
    X, y = sample(2_000)
    rare = np.zeros((2_000, 1))
    rare[np.flatnonzero(y == code)[:3]] = 1.0
    model, X = OrdinalRegression(wrong=wrong), np.hstack([X, rare])
    if ends:
        assert abs(model.fit(X, y).coef_[3]) < 5.0
        return
    with pytest.raises(ValueError, match=r"'x3'.* separates classes without an exception"):
        model.fit(X, y)


@pytest.mark.parametrize("exceptions", [0, 3])
def test_separation_names_labels_that_are_no_exception_only_where_they_are_some(exceptions):
    """The remedy wrong=0 is given where it helps."""
    X, y = sample(400, share=0.1)
    late = np.where(y == K - 1, 1.0, 0.0)
    late[np.flatnonzero(y == 0)[:exceptions]] = 1.0
    late[np.flatnonzero(y == K - 1)[:exceptions]] = 0.0
    X = np.column_stack([X, late])
    with pytest.raises(ValueError, match=r"'x3'.* separates classes") as refused:
        OrdinalRegression().fit(X, y)
    assert ("probably wrong" in str(refused.value)) == bool(exceptions)
    assert ("wrong=0" in str(refused.value)) == bool(exceptions)
    if exceptions:
        assert np.isfinite(OrdinalRegression(wrong=0).fit(X, y).coef_).all()


@pytest.mark.parametrize("sizes", [None, (7, 0, 30_000, 29_993)], ids=["in memory", "in parts"])
@pytest.mark.parametrize("of_other", [0, 1])
def test_a_rare_value_is_judged_by_all_its_rows_however_many_others_there_are(of_other, sizes):
    """Of 60 000 rows a part is looked at: four in ten such values were refused, or none was."""
    dask = pytest.importorskip("dask", reason="dask is not installed")
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=60_000), np.zeros(60_000)])
    y = np.digitize(9.0 * X[:, 0] + rng.logistic(size=60_000), [-9.0, 0.0, 9.0])

    def fitted(X, y):
        if sizes is None:
            return OrdinalRegression(wrong=0).fit(X, y)
        with dask.config.set({"csvor.memory-limit": "600kB", "scheduler": "synchronous"}):
            return OrdinalRegression(wrong=0).fit(da.from_array(X, chunks=(sizes, 2)), y)

    for seed in range(3):
        draw = np.random.default_rng(seed).choice
        X[:, 1] = 0.0
        X[draw(np.flatnonzero(y == 0), 2, replace=False), 1] = 1.0
        X[draw(np.flatnonzero(y == 3), 4 * of_other, replace=False), 1] = 1.0
        if of_other:
            assert abs(fitted(X, y).coef_[1]) < 9.0
            continue
        with pytest.raises(ValueError, match=r"'x1'.* separates classes"):
            fitted(X, y)


@pytest.mark.parametrize("name", ["OrdinalRegression", "CSVOR", "audit_labels"])
def test_labels_in_the_place_of_the_features_are_told(name):
    work = audit_labels if name == "audit_labels" else getattr(csvor, name)().fit
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    X, y = sample(200)
    for swapped in ((y, X), (pd.Series(y), pd.DataFrame(X)), map(da.from_array, (y, X))):
        with pytest.raises(
            ValueError, match=r"they are swapped. The features come first, \(X, y\)"
        ):
            work(*swapped)


def test_a_class_without_rows_is_refused():
    X, y = sample(200)
    with pytest.raises(ValueError, match="No rows of class 7: its thresholds cannot be estimated"):
        OrdinalRegression(classes=[0, 1, 2, 3, 4, 7]).fit(X, y)


def test_a_class_whose_labels_are_all_wrong_is_told():
    X, y = sample(500)
    y = np.where(y == 0, 1, y)
    y[np.argsort(X @ BETA)[-2:]] = 0  # far from where that class would be
    with pytest.warns(UserWarning, match="All labels '0' are taken to be wrong ones"):
        OrdinalRegression(wrong="any").fit(X, y)


@pytest.mark.parametrize(
    ("options", "raters", "message"),
    [
        ({"nominal": ["dose"]}, None, "nominal names 'dose', which is no column of X"),
        ({"scale": [5]}, None, "scale names 5, which is no column"),
        ({}, ["a"] * 10, "raters has 10 entries and X 200 rows"),
        ({}, [None] + ["a"] * 199, "raters has no entry in row 0"),
        ({}, ["a"] * 200, "raters names only 'a'"),
        ({"wrong": 1.5}, None, "'wrong' parameter"),
    ],
)
def test_what_cannot_be_is_refused_by_name(options, raters, message):
    X, y = sample(200)
    with pytest.raises(ValueError, match=message):
        OrdinalRegression(**options).fit(X, y, raters=raters)


def test_all_columns_together_gain_what_a_fit_of_their_own_gains():
    rng = np.random.default_rng(2)
    X, y = sample(500, share=0.05, seed=2)
    X = np.hstack([X, rng.random((500, 4)) < [0.015, 0.02, 0.03, 0.02]])  # thresholds may cross
    model = OrdinalRegression().fit(X, y)
    larger = OrdinalRegression(wrong=0, nominal=list(range(7)), penalty=1e-9).fit(X, y)
    gain = 2.0 * (larger.log_likelihood_ - model.log_likelihood_)
    assert model.proportional_odds_test().loc["all", "statistic"] > gain - 1e-3 > 30.0
