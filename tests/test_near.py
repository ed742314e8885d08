"""Rows near a kink, and the quadratic model that stands for the others."""

from dataclasses import replace

import numpy as np
import pytest

import csvor._solvers.refine
import csvor._solvers.sample
from csvor import CSVOR
from csvor._loss.capped import CappedPower
from csvor._loss.margins import HINGE, pair_loss
from csvor._objective.near_kinks import NearKinks
from csvor._objective.ordinal import OrdinalObjective
from csvor._rows.dense import DenseMatrix, DenseRows
from csvor._rows.kinks import find_distances
from csvor._solvers.refine import DampedTrust
from csvor._solvers.state import ACTIVE, CAP, CUT_COST, make_state
from test_many_rows import rows


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(csvor._solvers.sample, "LEAST", 5000)


def whole(n=6000, constraints="explicit"):
    X, y = rows(n)
    matrix = DenseMatrix(X, np.ones(n))
    costs = np.random.default_rng(4).uniform(0.5, 2.0, n)
    pair = pair_loss(HINGE, constraints)
    return OrdinalObjective(DenseRows(matrix, y.astype(np.int32), costs, pair), 5)


def point(objective, size=1.0):
    """Slopes of a fair model, and thresholds a margin and a half apart."""
    theta = np.full(objective.size, 1.5 * size)
    theta[4] = -2.25 * size
    return theta


@pytest.mark.parametrize(
    ("score", "code", "cap", "nearer", "distance"),
    [
        # Thresholds at 0 and 3: the middle class has its margins at 1 and 2.
        (-4.0, 0, np.inf, 1.0, 3.0),  # its slack begins at -1
        (-0.5, 0, np.inf, 1.0, 0.5),  # a slack of 1/2
        (-0.5, 0, np.inf, 1.0 / 3.0, 0.5 / 3.0),
        (1.25, 1, np.inf, 1.0, 0.25),
        (0.5, 0, 4.0, 1.0, 0.5),  # r = 3/2, cut at 2
        (2.0, 0, 4.0, 1.0, 1.0),  # cut: r = 3, and no slack counts
        (-4.0, 0, 4.0, 1.0, 3.0),  # no slack, so the cap is farther than its slack
        (9.0, 1, np.inf, 1.0, 7.0),
    ],
)
def test_distances_by_hand(score, code, cap, nearer, distance):
    f, codes, b, found = np.array([score]), np.int32([code]), np.array([0.0, 3.0]), np.empty(1)
    side = np.array([code > 0, code > 1])
    met = np.array([code in (0, 1), code in (1, 2)])
    excess = np.where(side, 1.0 - (f - b), 1.0 + (f - b))
    g = np.array([np.sum(np.maximum(excess, 0.0)[met] ** 2)])
    find_distances(f, codes, b, pair_loss(HINGE, "explicit"), g, cap, nearer, found)
    assert found[0] == pytest.approx(distance)


def test_implicit_constraints_meet_all_thresholds():
    f, codes, b, found = np.array([-0.5]), np.int32([0]), np.array([2.0, 0.75]), np.empty(1)
    g = np.zeros(1)
    find_distances(f, codes, b, pair_loss(HINGE, "implicit"), g, np.inf, 1.0, found)
    assert found[0] == pytest.approx(0.25)


@pytest.mark.parametrize("constraints", ["explicit", "implicit"])
@pytest.mark.parametrize(
    "loss",
    [
        CappedPower(1.0),
        CappedPower(1.0, 2.0),
        CappedPower(2.0, 3.0),
        CappedPower(1.0, trim=0.1),
        CappedPower(1.5, trim=0.1),
        CappedPower(0.7, trim=0.1),
    ],
    ids=str,
)
def test_the_model_is_the_objective_as_long_as_no_row_comes_to_a_kink(loss, constraints):
    """To third order, where a loss is no quadratic; below p = 1 it lies above, as a tangent."""
    objective = whole(constraints=constraints)
    near = NearKinks(objective)
    at = near.evaluate(point(objective), loss, 4.0)
    model = near.reduced_model(at, loss, 0.2)
    part, trim = model.objective, model.trim
    assert 0.2 <= part.n_samples / objective.n_samples < 0.25
    step = np.random.default_rng(0).normal(size=objective.size)
    for size in (0.0, 1e-4, 1e-3):
        theta = at.theta + size * step
        whole_value = near.evaluate(theta, loss, float(at.cap[1])).value
        told, slope = looked_at(part, theta, replace(loss, trim=trim), float(at.cap[1]))
        change = told - whole_value
        exact = 1e-9 * whole_value
        if loss.p < 1.0:
            assert -exact <= change <= 2.0 * size**2 * whole_value + exact
        else:
            assert abs(change) <= 10.0 * size**3 * whole_value + exact
        if size == 0.0:
            of_all = looked_at(objective, theta, loss, float(at.cap[1]))[1]
            np.testing.assert_allclose(slope, of_all, rtol=1e-9, atol=1e-9 * abs(of_all).max())


def test_what_margins_move_by_grows_as_the_step(rng):
    objective = whole()
    near = NearKinks(objective)
    model = near.reduced_model(
        near.evaluate(point(objective), CappedPower(1.0), 4.0), CappedPower(1.0), 1.0
    )
    step = 0.1 * rng.normal(size=objective.size)
    once = model.reach(model.at.theta + step)
    assert model.reach(model.at.theta + 3.0 * step) == pytest.approx(3.0 * once)


def looked_at(objective, theta, loss, cap):
    """What a run sees at a point: the objective and its gradient."""
    state = make_state(
        theta, np.zeros((1, 7)), 1, p=loss.p, epsilon=loss.epsilon, trim=loss.trim, damping=1.0
    )
    state.best.parts[CAP : CAP + 2] = cap
    objective.evaluate(state, theta)
    return float(state.to.parts[ACTIVE] + state.to.parts[CUT_COST]), state.to.gradient


@pytest.mark.parametrize("share", [1e-3, 1.0])
@pytest.mark.parametrize("parameters", [{}, {"p": 0.7}, {"epsilon": 2.0}, {"p": 2.0}], ids=str)
def test_the_end_hardly_depends_on_how_many_are_near(share, parameters, small_sample, monkeypatch):
    X, y = rows()
    usual = CSVOR(**parameters).fit(X, y)
    monkeypatch.setattr(csvor._solvers.refine, "SHARE", share)
    monkeypatch.setattr(csvor._objective.near_kinks, "_OF_ERROR", 0.0)
    other = CSVOR(**parameters).fit(X, y)
    assert other.converged_
    assert other.objective_ == pytest.approx(usual.objective_, rel=1e-3)


def test_a_limit_of_iterations_is_told(small_sample):
    X, y = rows()
    with pytest.warns(UserWarning, match="stopped after 1 iteration"):
        model = CSVOR(max_iter=1).fit(X, y)
    assert not model.converged_
    assert model.n_iter_ == 1


def test_a_step_that_promises_nothing_is_no_fault():
    """What rounding lowers the objective by, where the model is at its end: there is no ratio."""
    objective = whole()
    near, loss = NearKinks(objective), CappedPower(2.0)
    at = near.evaluate(point(objective), loss, np.inf)
    trust = DampedTrust(0.05)
    assert trust.update(near.reduced_model(at, loss, 0.05), at.theta, 1e-12, 0.0) is None
    assert trust.damping == 0.0
