"""The objective: both ways to evaluate it and its model, against the statement by arrays."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from csvor._loss.margins import HINGE, pair_loss
from csvor._loss.pairs import centred_thresholds, free_intervals
from csvor._objective.ordinal import OrdinalObjective
from csvor._objective.theta import FrozenRows
from csvor._rows.dense import DenseMatrix, DenseRows
from csvor._solvers.state import (
    ACTIVE,
    BEGIN,
    CAP,
    CUT_COST,
    EVALUATE,
    QUANTILE,
    SLOPE,
    SMOOTHED,
)
from objective_case import (
    CAPS,
    Case,
    assert_is,
    both_constraints,
    both_ways,
    every_cap,
    every_kind,
    every_p,
)
from reference_objective import Power


@both_ways
@pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
@every_cap
@every_p
@both_constraints
@every_kind
def test_model_and_line_are_the_stated_ones(rng, kind, constraints, p, cap, weighted, ask):
    case = Case(rng, kind, constraints, weighted=weighted)
    power = Power(p, delta=1e-3 if p < 2.0 else 0.0, **CAPS[cap])
    for share, near in ((1.0, False), (0.5, False), (1e-6, True), (0.0, False), (0.0, True)):
        point = case.evaluated(ask, case.theta, power, share, near)
        assert_is(point, case.model(case.theta, power, share, near))
    # From the cap of some other point, near and far, the same.
    state = case.state(case.theta, power, cap=None if cap != "trimmed" else point.parts[CAP] * 1.2)
    ask(case.objective, state, EVALUATE)
    assert_is(state.to, case.model(case.theta, power))
    # A line, under the cap that was found.
    state.at.parts[:] = state.to.parts
    state.step[:] = 0.3 * rng.normal(size=state.step.size)
    ask(case.objective, state, BEGIN)
    for t in (0.0, 0.3, 1.0):
        state.line[2] = t
        ask(case.objective, state, SLOPE)
        stated = case.reference.slopes(case.theta, state.step, power, t)
        np.testing.assert_allclose(state.slopes, stated, rtol=1e-10, atol=1e-8)


@both_ways
@pytest.mark.parametrize(("n", "d", "n_classes"), [(7, 1, 2), (700, 20, 4), (40, 2, 7)])
def test_any_size_is_the_stated_one(rng, n, d, n_classes, ask):
    for constraints in ("explicit", "implicit"):
        case = Case(rng, "hinge", constraints, n=n, d=d, n_classes=n_classes)
        for given in CAPS.values():
            power = Power(1.0, delta=1e-4, **given)
            assert_is(
                case.evaluated(ask, case.theta, power, 0.3), case.model(case.theta, power, 0.3)
            )


@both_ways
@both_constraints
@pytest.mark.parametrize("kind", ["hinge", "rounded"])
def test_threshold_ridge_and_bound_are_the_stated_ones(rng, kind, constraints, ask):
    power = Power(2.0)
    for form in ({"threshold_ridge": 0.7}, {"bounded": True}):
        if kind == "rounded" and "bounded" in form:
            continue  # the bound is that of the paper's squared hinge
        case = Case(rng, kind, constraints, **form)
        assert_is(case.evaluated(ask, case.theta, power), case.model(case.theta, power))
        plain = Case(rng, kind, constraints).evaluated(ask, case.theta, power)
        assert np.abs(plain.hessian - case.model(case.theta, power).hessian).max() > 1e-3
        state = case.state(case.theta, power)
        ask(case.objective, state, EVALUATE)
        state.step[:] = rng.normal(size=state.step.size)
        ask(case.objective, state, BEGIN)
        state.line[2] = 0.4
        ask(case.objective, state, SLOPE)
        stated = case.reference.slopes(case.theta, state.step, power, 0.4)
        np.testing.assert_allclose(state.slopes, stated, rtol=1e-10)


@both_ways
def test_rows_that_stand_as_their_model_add_a_quadratic(rng, ask):
    """Of (w, b), about their anchor: value, gradient, curvature, and slopes on a line."""
    case, power, size, cut = Case(rng), Power(2.0, epsilon=1.5), 7, 0.25
    plain, root = case.objective, rng.normal(size=(size, size))
    curvature, sums = root @ root.T, np.append(rng.normal(size=size), [3.0, 4.0, cut])
    frozen = FrozenRows(rng.normal(size=size), sums, curvature)
    joined = OrdinalObjective(plain.rows, 5, 0.0, frozen)
    by_theta = np.eye(size)
    by_theta[3:, 3:] = np.tri(4)
    away = by_theta @ case.theta - frozen.anchor
    change = sums[:size] @ away + 0.5 * away @ curvature @ away
    assert joined.value(case.theta) == pytest.approx(plain.value(case.theta) + 3.0 + change)
    step, states = 0.3 * rng.normal(size=size), []
    for objective in (plain, joined):
        state = case.state(case.theta, power)
        ask(objective, state, EVALUATE)
        states.append(state)
    alone, both = (state.to for state in states)
    for part, added in ((ACTIVE, 3.0 + change), (SMOOTHED, 4.0 + change), (CUT_COST, 1.5 * cut)):
        assert both.parts[part] - alone.parts[part] == pytest.approx(added)
    pull = sums[:size] + curvature @ away
    np.testing.assert_allclose(both.gradient - alone.gradient, by_theta.T @ pull)
    np.testing.assert_allclose(both.hessian - alone.hessian, by_theta.T @ curvature @ by_theta)
    along = by_theta @ step
    bend = along @ curvature @ along
    for t in (0.0, 0.3, 1.0):
        for objective, state in zip((plain, joined), states, strict=True):
            state.step[:], state.line[2] = step, t
            ask(objective, state, BEGIN)
            ask(objective, state, SLOPE)
        added = states[1].slopes - states[0].slopes
        np.testing.assert_allclose(added, [along @ pull + t * bend, bend])


@both_ways
def test_quantile_is_that_of_the_losses(rng, ask):
    """The least loss up to which 0.7 of the weight lies."""
    case = Case(rng)
    state = case.state(case.theta, Power(1.0))
    state.run["level"] = 0.7
    ask(case.objective, state, EVALUATE)
    ask(case.objective, state, QUANTILE)
    g, costs = case.reference.losses(case.theta), case.reference.costs
    reached = [costs[g <= each].sum() >= 0.7 * costs.sum() for each in np.sort(g)]
    expected = np.sort(g)[np.argmax(reached)]
    assert state.run["quantile"][0] == pytest.approx(expected, rel=1e-10)


def test_value_is_the_formula(rng):
    """1/2 |w|^2 + sum c (max(0, 1 - f + b_{y-1})^2 + max(0, 1 + f - b_y)^2) in units of X."""
    case = Case(rng)
    rows = case.objective.rows
    scaled, thresholds = case.objective.split(case.theta)
    w, shift = rows.matrix.in_given_units(scaled)
    b = np.concatenate([[-np.inf], thresholds + shift, [np.inf]])
    f = rows.matrix.X @ w
    g = np.maximum(0, 1 - f + b[rows.codes]) ** 2 + np.maximum(0, 1 + f - b[rows.codes + 1]) ** 2
    assert case.objective.value(case.theta) == pytest.approx(0.5 * w @ w + rows.costs @ g)
    assert case.reference.at(case.theta, Power(2.0)).moving == pytest.approx(
        0.5 * w @ w + rows.costs @ g
    )


def test_ridge_on_thresholds_is_that_of_a_free_bias(rng):
    """min over the bias of 1/2 |b + bias|^2 is 1/2 |b - mean(b)|^2."""
    case = Case(rng)
    ridged = OrdinalObjective(case.objective.rows, 5, 1.0)
    _, b = ridged.split(case.theta)
    best = minimize_scalar(lambda bias: 0.5 * np.sum((b + bias) ** 2))
    extra = ridged.value(case.theta) - case.objective.value(case.theta)
    assert extra == pytest.approx(best.fun, rel=1e-9)
    assert best.x == pytest.approx(-b.mean(), abs=1e-6)


def test_thresholds_are_centred_by_hand():
    """Classes at f = 0, 4 and 10: free from 1 to 3 and 5 to 9; one without rows opens its side."""
    scores, codes = np.array([0.0, 4.0, 10.0]), np.array([0, 1, 2])
    low, high = free_intervals(scores, codes, 3, implicit=False)
    np.testing.assert_array_equal(low, [1.0, 5.0])
    np.testing.assert_array_equal(high, [3.0, 9.0])
    np.testing.assert_array_equal(centred_thresholds(np.array([1.2, 8.0]), low, high), [2.0, 7.0])
    # A row pulls at the first; it stays, and the second is centred.
    np.testing.assert_array_equal(centred_thresholds(np.array([0.5, 8.0]), low, high), [0.5, 7.0])
    low, high = free_intervals(scores[:2], codes[:2], 3, implicit=False)
    np.testing.assert_array_equal(centred_thresholds(np.array([2.0, 99.0]), low, high), [2.0, 5.0])
    # Implicit: rows of class 0 bind the second threshold too.
    low, high = free_intervals(np.array([0.0, 4.0, 7.0]), np.array([1, 0, 2]), 3, implicit=True)
    np.testing.assert_array_equal(low, [5.0, 5.0])
    np.testing.assert_array_equal(high, [-1.0, 6.0])


def test_centred_points_cost_the_same():
    """Rows at -2 and 2 with w = 2: the threshold between -3 and 3 costs nothing; it goes to 0."""
    X, codes = np.array([[-2.0], [2.0]]), np.int32([0, 1])
    rows = DenseRows(DenseMatrix(X, np.ones(2)), codes, np.ones(2), pair_loss(HINGE, "explicit"))
    objective = OrdinalObjective(rows, 2)
    off = np.array([4.0, 1.3])  # the scaled feature is x / 2
    centred = objective.centred(off, np.inf)
    np.testing.assert_allclose(centred, [4.0, 0.0], atol=1e-15)
    assert objective.value(centred) == objective.value(off) == pytest.approx(0.5 * 2.0**2)
    np.testing.assert_array_equal(objective.centred(np.array([4.0, 3.7]), np.inf), [4.0, 3.7])
