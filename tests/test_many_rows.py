"""Fits that start from a sample of their rows."""

import re

import numpy as np
import pytest

import csvor._solvers.sample
from csvor import CSVOR
from problems import mislabel, stated_loss

PARAMETERS = [
    {},
    {"p": 0.7},
    {"p": 1.5, "constraints": "implicit"},
    {"p": 2.0, "epsilon": 3.0},
    {"epsilon": np.inf, "C": 0.01},
    {"contamination": 0.2},
]


def rows(n=6000, d=4, seed=0):
    """Quintiles of a noisy score, every tenth label wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X @ np.ones(d) + 0.5 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    return X, mislabel(y, 0.1, seed + 1)[0]


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(csvor._solvers.sample, "LEAST", 5000)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_the_end_is_as_low_as_without_a_sample(parameters, small_sample, monkeypatch):
    X, y = rows()
    model = CSVOR(**parameters).fit(X, y)
    assert model.converged_
    monkeypatch.setattr(csvor._solvers.sample, "LEAST", 10**9)
    whole = CSVOR(**parameters).fit(X, y)
    # Where rows are cut, another local optimum at most; otherwise the same.
    uncut = parameters.get("epsilon") == np.inf
    assert model.objective_ <= whole.objective_ * (1 + (1e-5 if uncut else 1e-2))
    if uncut:
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=5e-3)


@pytest.mark.parametrize("parameters", PARAMETERS[:4], ids=str)
def test_the_end_is_stationary(parameters, small_sample):
    """No small change of coefficients and thresholds lowers the objective by more than 1e-5.

    For p < 1, where the slope at a kink is infinite, by more than 5e-4.
    """
    X, y = rows()
    model = CSVOR(**parameters).fit(X, y)
    base, ones = model.objective_, np.ones(y.size)

    def objective(coef, thresholds):
        moved = CSVOR(**parameters)
        moved.__dict__.update(model.__dict__, coef_=coef, thresholds_=thresholds)
        return 0.5 * coef @ coef + model.C * stated_loss(moved, moved.residuals(X, y), ones)

    assert objective(model.coef_, model.thresholds_) == pytest.approx(base, rel=1e-9)
    rng = np.random.default_rng(3)
    for size in (1e-2, 1e-3, 1e-4):
        for _ in range(20):
            coef = model.coef_ + size * rng.normal(size=model.coef_.size)
            thresholds = model.thresholds_ + size * rng.normal(size=model.thresholds_.size)
            lower = 1e-5 if model.p >= 1 else 5e-4
            assert objective(coef, np.sort(thresholds)) >= base * (1 - lower)


def test_two_fits_are_the_same_to_the_bit_and_know_rare_classes(small_sample):
    X, y = rows()
    y[:2] = 5
    model, again = CSVOR().fit(X, y), CSVOR().fit(X, y)
    np.testing.assert_array_equal(model.coef_, again.coef_)
    assert model.classes_.tolist() == [0, 1, 2, 3, 4, 5]
    assert np.isfinite(model.thresholds_).all()


def test_weights_count(small_sample):
    X, y = rows()
    weights = np.random.default_rng(0).integers(0, 3, y.size)
    weighted = CSVOR(p=2, epsilon=np.inf).fit(X, y, weights)
    repeated = CSVOR(p=2, epsilon=np.inf).fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-4)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-6)


def test_the_history_is_that_of_all_rows(small_sample):
    X, y = rows()
    model = CSVOR().fit(X, y)
    assert model.n_iter_ == model.objective_history_.size <= 20
    assert np.all(np.diff(model.objective_history_) <= 0)
    assert model.objective_history_[-1] == model.objective_


@pytest.mark.parametrize("p", [0.7, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("contamination", [0.05, 0.1, 0.3])
def test_exactly_the_share_is_cut(p, contamination):
    """12 000 rows, and a third of the labels at random."""
    X, y = rows(12_000)
    rng = np.random.default_rng(2)
    wrong = rng.choice(y.size, y.size // 3, replace=False)
    y[wrong] = rng.integers(0, 5, wrong.size)
    model = CSVOR(p=p, contamination=contamination).fit(X, y)
    assert model.converged_
    assert model.n_iter_ < 100
    assert model.outliers_.sum() == round(contamination * y.size)
    assert model.epsilon_ > 1.0


def test_each_iteration_on_all_rows_is_told(small_sample, monkeypatch, capsys):
    """Also where compiled code hands each request back to Python."""
    X, y = rows()
    told = []
    for few in (10**9, 0):
        monkeypatch.setattr("csvor._rows.dense._SMALL", few)
        model = CSVOR(verbose=2).fit(X, y)
        told.append(re.sub(", [^,]+ s:", "", capsys.readouterr().out))
        assert told[-1].count("] iteration") == model.n_iter_
    assert told[0] == told[1]


def test_little_loss_a_row_is_no_loss_of_precision(small_sample, monkeypatch):
    """Classes with hardly any overlap: delta must be small beside the losses that there are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    score = X.sum(axis=1)
    kept = np.min(np.abs(score[:, None] - [-1.0, 1.0]), axis=1) > 0.05
    X, y = X[kept], np.digitize(score[kept], [-1.0, 1.0])
    model = CSVOR(C=1e3, epsilon=np.inf).fit(X, y)
    monkeypatch.setattr(csvor._solvers.sample, "LEAST", 10**9)
    whole = CSVOR(C=1e3, epsilon=np.inf, tol=1e-8, max_iter=3000).fit(X, y)
    assert model.objective_ <= whole.objective_ * (1 + 1e-4)


@pytest.mark.parametrize("kind", ["few heavy rows", "long tail"])
def test_the_sample_stands_for_the_weights(kind, small_sample, monkeypatch):
    """The part is drawn as rows weigh: the end is that of a fit without a part."""
    X, y = rows()
    rng = np.random.default_rng(1)
    weights = np.ones(y.size) if kind == "few heavy rows" else rng.pareto(0.6, y.size) + 1e-3
    if kind == "few heavy rows":
        weights[rng.choice(y.size, 20, replace=False)] = 5000.0
    model = CSVOR(epsilon=2.0).fit(X, y, weights)
    monkeypatch.setattr(csvor._solvers.sample, "LEAST", 10**9)
    whole = CSVOR(epsilon=2.0).fit(X, y, weights)
    assert model.objective_ <= 1.3 * whole.objective_
