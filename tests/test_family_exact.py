"""SVOREX, SVORIM, REDSVM and the uncapped losses of CSVOR against outside solvers."""

import numpy as np
import pytest

from csvor import CSVOR, REDSVM, SVOREX, SVORIM
from exact_programs import (
    descent_optimum,
    ordinal_optimum,
    random_problem,
    row_residuals,
    slack_sum_optimum,
    slack_sum_value,
    threshold_room,
)
from problems import noisy_quartiles
from reference_objective import trimmed_sum

SLACK_SUMS = {
    SVOREX: ("explicit", False),
    SVORIM: ("implicit", False),
    REDSVM: ("implicit", True),
}


def test_random_problems_are_what_they_say():
    drawn = [random_problem(number) for number in range(30)]
    assert {n_classes for *_, n_classes in drawn} == {2, 3, 4, 5, 6, 7}
    strengths = [C for *_, C, _ in drawn]
    assert (min(strengths), max(strengths)) == pytest.approx((1e-2, 1e3))
    assert sum(X.shape[1] > X.shape[0] for X, *_ in drawn) >= 4
    assert sum(np.any(weights == 0) for *_, weights, _, _ in drawn) >= 4
    assert sum(np.unique(X, axis=0).shape[0] < X.shape[0] for X, *_ in drawn) >= 4
    counts = [np.bincount(codes) for _, codes, *_ in drawn]
    assert min(count.min() for count in counts) == 1
    assert np.median([count.max() / count.min() for count in counts]) >= 4


@pytest.mark.parametrize("number", range(30))
@pytest.mark.parametrize("method", SLACK_SUMS)
def test_sum_of_slacks_is_the_optimum_of_its_program(method, number):
    X, codes, weights, C, n_classes = random_problem(number)
    pairs, ridge = SLACK_SUMS[method]
    program = X, codes, C * weights, n_classes, pairs
    primal, dual, _, _ = slack_sum_optimum(*program, ridge=ridge)
    assert primal == pytest.approx(dual, rel=1e-9)
    model = method(C).fit(X, codes, weights)
    w, b = model.coef_, model.thresholds_
    reached = slack_sum_value(w, X @ w, b, codes, C * weights, pairs, ridge)
    assert model.objective_ == pytest.approx(reached, rel=1e-9)
    assert dual * (1 - 1e-9) <= reached <= primal * (1 + 2e-6)
    assert np.all(np.diff(b) >= 0)
    assert model.converged_


@pytest.mark.parametrize("number", range(30))
@pytest.mark.parametrize("method", SLACK_SUMS)
def test_predictions_are_those_of_the_exact_solution(method, number):
    """But for rows within 1e-4 of a threshold, or of where one costs no more.

    The objective decides on w to the root of its own precision only, hence the smaller tol.
    """
    X, codes, weights, C, n_classes = random_problem(number)
    pairs, ridge = SLACK_SUMS[method]
    program = codes, C * weights, n_classes, pairs
    primal, _, w, b = slack_sum_optimum(X, *program, ridge=ridge)
    model = method(C, tol=1e-8).fit(X, codes, weights)
    rows = np.vstack([X, X.mean(axis=0) + 2.0 * np.random.default_rng(number).normal(size=X.shape)])
    f = rows @ w
    near = np.any(np.abs(f[:, None] - b) < 1e-4, axis=1)
    apart = ~near & (model.predict(rows) != np.sum(f[:, None] >= b, axis=1))
    if apart.any():
        assert not ridge, "with a ridge the thresholds are unique"
        left = primal * (1 + 1e-8) - 0.5 * w @ w
        low, high = threshold_room(X @ w, *program, left)
        assert np.any((high - low > 1e-4) & ~np.isclose(b, model.thresholds_, atol=1e-4))
        in_room = (f[:, None] > low - 1e-4) & (f[:, None] < high + 1e-4)
        assert np.all(np.any(in_room, axis=1)[apart])
    assert np.mean(apart) <= 0.25


@pytest.mark.parametrize("number", range(30))
@pytest.mark.parametrize("loss", ["hinge", "logistic", "exponential"])
def test_uncapped_loss_with_p_2_is_the_convex_optimum(loss, number):
    X, codes, weights, C, n_classes = random_problem(number)
    pairs = ("explicit", "implicit")[number // 6 % 2]
    program = X, codes, C * weights, n_classes, pairs
    model = CSVOR(C, p=2, epsilon=np.inf, loss=loss, constraints=pairs).fit(X, codes, weights)
    w, b = model.coef_, model.thresholds_
    residuals = row_residuals(X @ w, b, codes, pairs, loss, 2)
    reached = 0.5 * w @ w + C * weights @ residuals
    assert model.objective_ == pytest.approx(reached, rel=1e-9)
    assert reached == pytest.approx(ordinal_optimum(*program, loss), rel=1e-6)
    if loss == "hinge":
        assert reached == pytest.approx(slack_sum_optimum(*program, power=2)[0], rel=1e-9)
    else:
        descended = descent_optimum(*program, loss)
        assert descended * (1 - 1e-8) <= reached <= descended * (1 + 1e-9)
    assert np.all(np.diff(b) >= 0)
    assert not model.outliers_.any()


@pytest.mark.parametrize("number", range(30))
def test_uncapped_hinge_with_p_1_is_the_optimum_of_a_cone_program(number):
    """A sum over rows of the 2-norm of their slacks; tol is of one step, not of the gap."""
    X, codes, weights, C, n_classes = random_problem(number)
    pairs = ("implicit", "explicit")[number // 6 % 2]
    model = CSVOR(C, p=1, epsilon=np.inf, constraints=pairs, tol=1e-8, max_iter=2000)
    model.fit(X, codes, weights)
    w, b = model.coef_, model.thresholds_
    reached = 0.5 * w @ w + C * weights @ row_residuals(X @ w, b, codes, pairs, "hinge", 1)
    assert model.objective_ == pytest.approx(reached, rel=1e-9)
    least = ordinal_optimum(X, codes, C * weights, n_classes, pairs, "hinge", p=1)
    assert least * (1 - 1e-6) <= reached <= least * (1 + 1e-5)


@pytest.mark.parametrize("epsilon", ["auto", 1.5])
@pytest.mark.parametrize("p", [0.7, 1.0, 2.0])
@pytest.mark.parametrize("loss", ["hinge", "logistic", "exponential"])
@pytest.mark.parametrize("pairs", ["explicit", "implicit"])
def test_capped_losses_do_not_rise_once_settled(pairs, loss, p, epsilon):
    X, y = noisy_quartiles(1)
    weights = np.random.default_rng(0).exponential(size=300)
    model = CSVOR(2.0, p=p, epsilon=epsilon, loss=loss, constraints=pairs).fit(X, y, weights)
    history = model.objective_history_[model.settled_from_ :]
    assert history.size >= 1
    assert np.all(np.diff(history) <= 0)
    assert model.objective_ == history[-1]
    residuals = row_residuals(X @ model.coef_, model.thresholds_, y - 1, pairs, loss, p)
    np.testing.assert_allclose(model.residuals_, residuals, rtol=1e-9, atol=1e-8)
    if epsilon == "auto":  # a tenth of the weight is cut
        losses = trimmed_sum(residuals ** (2.0 / p), weights, 0.1, p)
    else:
        losses = weights @ np.minimum(residuals, epsilon)
    reached = 0.5 * model.coef_ @ model.coef_ + 2.0 * losses
    assert model.objective_ == pytest.approx(reached, rel=1e-9)
    np.testing.assert_array_equal(model.outliers_, residuals > model.epsilon_)
    assert model.outliers_.any()


@pytest.mark.parametrize("method", SLACK_SUMS)
@pytest.mark.parametrize("number", range(0, 30, 5))
def test_compiled_steps_are_the_stated_ones(method, number, monkeypatch):
    X, codes, weights, C, _ = random_problem(number)
    kept = np.isin(codes, np.unique(codes[weights > 0]))
    X, codes, weights = X[kept], codes[kept], weights[kept]
    in_loops = method(C=C).fit(X, codes, weights)
    monkeypatch.setattr("csvor._rows.dense._SMALL", 0)
    stated = method(C=C).fit(X, codes, weights)
    np.testing.assert_allclose(
        in_loops.objective_history_[:2], stated.objective_history_[:2], rtol=1e-9
    )
    assert in_loops.objective_ == pytest.approx(stated.objective_, rel=2e-6)
