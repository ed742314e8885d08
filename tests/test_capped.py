"""The capped objective: its two forms agree, its model is the stated one, thresholds settle."""

import numpy as np
import pytest
from scipy.optimize import nnls

from csvor import CSVOR
from csvor._loops import bounded_step as bounded_step_compiled
from csvor._losses import SQUARED, CappedPower
from csvor._margins import MARGIN_LOSSES, SquaredHinge
from csvor._matrix import DenseMatrix
from csvor._objective import CappedArrays, CappedHinge
from csvor._thresholds import rooms, settle

LOSSES = [
    SQUARED,
    CappedPower(2.0, 1.5),
    CappedPower(1.0, 1.5, 1e-2),
    CappedPower(1.0, np.inf, 1e-14),
    CappedPower(0.7, 1.2, 1e-3),
    CappedPower(1.5, 2.0, 1e-12),
]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)
both_constraints = pytest.mark.parametrize("constraints", ["explicit", "implicit"])


def problem(rng, n=300, d=3, n_classes=5):
    X = rng.normal(size=(n, d)) * np.resize([1.0, 10.0, 0.1], d) + 5.0
    codes = rng.integers(0, n_classes, n)
    codes[:n_classes] = np.arange(n_classes)
    matrix = DenseMatrix(X, np.ones(n))
    theta = np.concatenate([0.3 * rng.normal(size=d), [-1.0], rng.exponential(size=n_classes - 2)])
    return (matrix, codes, n_classes, rng.exponential(size=n)), theta


@each_loss
@both_constraints
@pytest.mark.parametrize(("n", "d", "n_classes"), [(300, 3, 5), (7, 1, 2), (1000, 20, 4)])
def test_loops_and_arrays_agree(rng, loss, constraints, n, d, n_classes):
    given, theta = problem(rng, n, d, n_classes)
    loops = CappedHinge(*given, constraints)
    arrays = CappedArrays(*given, constraints, SquaredHinge())
    tight = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(loops.losses(theta), arrays.losses(theta), **tight)
    for damping in (1.0, 0.5, 0.0):
        one, other = loops.at(theta, loss, damping), arrays.at(theta, loss, damping)
        for name in ("value", "moving", "smooth"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12)
        for name in ("gradient", "hessian"):
            a, b = getattr(one, name), getattr(other, name)
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())
    step = rng.normal(size=theta.size)
    for t in (0.0, 0.3, 1.0):
        one, other = loops.line(theta, step, loss)(t), arrays.line(theta, step, loss)(t)
        np.testing.assert_allclose(one, other, rtol=1e-12)


@both_constraints
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_chunks_and_layouts_change_nothing(rng, constraints, order, monkeypatch):
    (matrix, codes, n_classes, importance), theta = problem(rng, 3000)
    X = {"C": matrix.given, "F": np.asfortranarray(matrix.given)}.get(order)
    if X is None:
        X = np.repeat(matrix.given, 2, axis=0)[::2]
    whole = CappedHinge(matrix, codes, n_classes, importance, constraints)
    monkeypatch.setattr("csvor._utils.chunks._NUMBERS", 1000)
    parts = CappedHinge(DenseMatrix(X, np.ones(3000)), codes, n_classes, importance, constraints)
    loss = LOSSES[2]
    one, other = whole.at(theta, loss, 0.5), parts.at(theta, loss, 0.5)
    assert one.value == pytest.approx(other.value, rel=1e-12)
    np.testing.assert_allclose(one.hessian, other.hessian, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(whole.losses(theta), parts.losses(theta), rtol=1e-10, atol=1e-12)


def every_form(function):
    function = pytest.mark.parametrize("name", list(MARGIN_LOSSES))(function)
    return both_constraints(function)


def whole(point):
    """The smoothed objective."""
    return point.smooth + point.constant


def differences(values, theta, step=1e-6):
    """Central differences of a function of theta, one row a coordinate."""
    return np.array(
        [(values(theta + step * e) - values(theta - step * e)) / (2 * step)
         for e in np.eye(theta.size)]
    )  # fmt: skip


@every_form
@pytest.mark.parametrize("loss", LOSSES[:3], ids=str)
def test_gradient_by_finite_differences(rng, name, constraints, loss):
    given, theta = problem(rng, 60)
    capped = CappedArrays(*given, constraints, MARGIN_LOSSES[name])
    slope = differences(lambda at: whole(capped.at(at, loss, 1.0)), theta)
    np.testing.assert_allclose(capped.at(theta, loss, 1.0).gradient, slope, rtol=1e-5, atol=1e-4)


@both_constraints
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_the_model_without_damping_is_the_hessian(rng, constraints, p):
    given, theta = problem(rng, 60)
    capped, loss = CappedHinge(*given, constraints), CappedPower(p, np.inf, 1e-2)
    columns = differences(lambda at: capped.at(at, loss, 0.0).gradient, theta, 1e-7)
    hessian = capped.at(theta, loss, 0.0).hessian
    np.testing.assert_allclose(hessian, columns, rtol=1e-4, atol=1e-4 * np.abs(hessian).max())


@both_constraints
@pytest.mark.parametrize("p", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("damping", [1e-6, 0.5])
def test_the_model_is_convex(rng, constraints, p, damping):
    given, theta = problem(rng, 60)
    hessian = CappedHinge(*given, constraints).at(theta, CappedPower(p, 3.0, 1e-8), damping).hessian
    values = np.linalg.eigvalsh(hessian)
    assert values[0] >= -1e-9 * values[-1]


@both_constraints
def test_the_surrogate_lies_above(rng, constraints):
    """Of v: value(theta + s) <= value(theta) + its fall on the surrogate, for any step."""
    given, theta = problem(rng, 60)
    capped, loss = CappedHinge(*given, constraints), CappedPower(0.7, 1.5, 1e-3)
    start = capped.at(theta, loss, 1.0)
    for _ in range(20):
        step = 0.5 * rng.normal(size=theta.size)
        line = capped.line(theta, step, loss)
        t = np.linspace(0, 1, 2001)
        slopes = np.array([line(at)[0] for at in t])
        rise = np.concatenate([[0.0], np.cumsum(0.5 * (slopes[1:] + slopes[:-1]) * np.diff(t))])
        for at in (500, 1000, 2000):
            reached = capped.at(theta + t[at] * step, loss, 1.0)
            assert -start.smooth_fall_to(reached) <= rise[at] + 1e-4 * abs(rise[at])


@pytest.mark.parametrize("name", ["hinge", "logistic"])
def test_the_bound_of_the_alternating_scheme_lies_above(rng, name):
    given, theta = problem(rng, 60)
    capped = CappedArrays(*given, "explicit", MARGIN_LOSSES[name], bounded=True)
    start = capped.at(theta, SQUARED, 1.0)
    for _ in range(50):
        step = rng.normal(size=theta.size)
        model = start.value + start.gradient @ step + 0.5 * step @ start.hessian @ step
        assert capped.at(theta + step, SQUARED, 1.0).value <= model * (1 + 1e-12)


def test_thresholds_settle_by_hand():
    """Classes at f = 0, 4 and 10: rooms [1, 3] and [5, 9]; a class without rows opens its side."""
    scores, codes = np.array([0.0, 4.0, 10.0]), np.array([0, 1, 2])
    low, high = rooms(scores, codes, 3, implicit=False)
    np.testing.assert_array_equal(low, [1.0, 5.0])
    np.testing.assert_array_equal(high, [3.0, 9.0])
    np.testing.assert_array_equal(settle(np.array([1.2, 8.0]), low, high), [2.0, 7.0])
    # A row pulls at the first; it stays, and the second settles.
    np.testing.assert_array_equal(settle(np.array([0.5, 8.0]), low, high), [0.5, 7.0])
    low, high = rooms(scores[:2], codes[:2], 3, implicit=False)
    np.testing.assert_array_equal(settle(np.array([2.0, 99.0]), low, high), [2.0, 5.0])
    # Implicit: rows of class 0 bind the second threshold too.
    low, high = rooms(np.array([0.0, 4.0, 7.0]), np.array([1, 0, 2]), 3, implicit=True)
    np.testing.assert_array_equal(low, [5.0, 5.0])
    np.testing.assert_array_equal(high, [-1.0, 6.0])


@both_constraints
@pytest.mark.parametrize("p", [0.7, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("given", [{}, {"epsilon": 1.5}, {"epsilon": np.inf}], ids=str)
def test_compiled_iterations_are_the_stated_ones(rng, constraints, p, given, monkeypatch):
    """The same way, step by step, with ties of weights and classes without order among them."""
    X = rng.normal(size=(80, 3))
    y = np.digitize(X.sum(axis=1), [-1.0, 0.0, 1.0])
    y[:12] = rng.integers(0, 4, 12)
    weights = rng.integers(1, 4, 80)
    fit = CSVOR(p=p, constraints=constraints, **given).fit
    compiled_run = fit(X, y, weights)
    monkeypatch.setattr("csvor._objective._few._MOST_NUMBERS", 0)
    stated = CSVOR(p=p, constraints=constraints, **given).fit(X, y, weights)
    assert compiled_run.status_ == stated.status_
    n = min(20, stated.n_iter_)  # rounding grows where the objective bends
    one, other = compiled_run.objective_history_[:n], stated.objective_history_[:n]
    np.testing.assert_allclose(one, other, rtol=1e-9)
    assert compiled_run.objective_ == pytest.approx(stated.objective_, rel=1e-6 if p >= 1 else 1e-2)


def test_a_bounded_step_is_the_least_one(rng):
    """Compiled exchange of bounds against non-negative least squares, on 200 small problems."""
    for _ in range(200):
        size, n_bounded = 7, 4
        root = rng.normal(size=(size, size))
        hessian, gradient = root @ root.T + 0.1 * np.eye(size), 3 * rng.normal(size=size)
        theta = np.abs(rng.normal(size=size)) * rng.integers(0, 2, size)
        step = np.empty(size)
        assert bounded_step_compiled(hessian, gradient, theta, n_bounded, step)
        # With H = L L': least ||L'(theta + s) - c||, the free ones as differences.
        free = size - n_bounded
        lower = np.linalg.cholesky(hessian)
        c = -np.linalg.solve(lower, gradient) + lower.T @ theta
        split = np.hstack([lower.T, -lower.T[:, :free]])
        z, _ = nnls(split, c)
        expected = z[:size].copy()
        expected[:free] -= z[size:]
        np.testing.assert_allclose(theta + step, expected, atol=1e-8)
