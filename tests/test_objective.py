"""Value, gradient, Hessian and line of the surrogate; what centring and scaling must not change."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from csvor._margins import Exponential, Logistic, SquaredHinge
from csvor._matrix import DenseMatrix
from csvor._objective import OrdinalObjective
from csvor._thresholds import PAIRS

# The curvature of a rounded hinge jumps too near for differences; its slope is tested below.
LOSSES = [SquaredHinge(), Logistic(), Exponential()]


def surrogate_of(rng, loss=None, pairs="explicit", ridge=0.0, n=40, d=3, n_classes=4):
    X = rng.normal(size=(n, d)) * [1.0, 10.0, 0.1] + 5.0
    codes = rng.integers(0, n_classes, n)
    objective = OrdinalObjective(DenseMatrix(X, np.ones(n)), PAIRS[pairs](codes, n_classes), ridge)
    weights = rng.exponential(size=n)
    theta = np.concatenate([0.3 * rng.normal(size=d), [-1.0], rng.exponential(size=n_classes - 2)])
    return X, codes, objective.weighted(loss or SquaredHinge(), weights), objective.at(theta)


def every_kind(function):
    function = pytest.mark.parametrize("ridge", [0.0, 0.7])(function)
    function = pytest.mark.parametrize("pairs", ["explicit", "implicit"])(function)
    return pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)(function)


def test_value_is_the_formula(rng):
    """1/2 |w|^2 + sum D (max(0, 1 - f + b_{y-1})^2 + max(0, 1 + f - b_y)^2) in units of X."""
    X, codes, surrogate, point = surrogate_of(rng)
    weights = surrogate.pair_weights.max(axis=1)
    scaled, thresholds = surrogate.objective.split(point.theta)
    w, shift = surrogate.objective.matrix.in_given_units(scaled)
    b = np.concatenate([[-np.inf], thresholds + shift, [np.inf]])
    f = X @ w
    g = np.maximum(0, 1 - f + b[codes]) ** 2 + np.maximum(0, 1 + f - b[codes + 1]) ** 2
    assert surrogate.value(point) == pytest.approx(0.5 * w @ w + weights @ g)


def test_ridge_on_thresholds_is_that_of_a_free_bias(rng):
    """min over the bias of 1/2 |b + bias|^2 is 1/2 |b - mean(b)|^2."""
    _, _, plain, point = surrogate_of(rng)
    objective = OrdinalObjective(plain.objective.matrix, plain.objective.pairs, 1.0)
    _, b = objective.split(point.theta)
    best = minimize_scalar(lambda bias: 0.5 * np.sum((b + bias) ** 2))
    extra = objective.at(point.theta).penalty - point.penalty
    assert extra == pytest.approx(best.fun, rel=1e-9)
    assert best.x == pytest.approx(-b.mean(), abs=1e-6)


@every_kind
def test_gradient_by_finite_differences(rng, loss, pairs, ridge):
    _, _, surrogate, point = surrogate_of(rng, loss, pairs, ridge)
    step = 1e-6
    slope = [
        (
            surrogate.value(surrogate.at(point.theta + step * e))
            - surrogate.value(surrogate.at(point.theta - step * e))
        )
        / (2 * step)
        for e in np.eye(point.theta.size)
    ]
    np.testing.assert_allclose(surrogate.gradient(point), slope, rtol=1e-6, atol=1e-6)


@every_kind
def test_hessian_by_finite_differences(rng, loss, pairs, ridge):
    """A squared hinge's gradient is linear while no pair changes sides."""
    _, _, surrogate, point = surrogate_of(rng, loss, pairs, ridge)
    step = 1e-7
    columns = [
        (
            surrogate.gradient(surrogate.at(point.theta + step * e))
            - surrogate.gradient(surrogate.at(point.theta - step * e))
        )
        / (2 * step)
        for e in np.eye(point.theta.size)
    ]
    np.testing.assert_allclose(surrogate.hessian(point), columns, rtol=1e-5, atol=1e-4)


@every_kind
def test_line_is_the_surrogate_on_a_line(rng, loss, pairs, ridge):
    _, _, surrogate, point = surrogate_of(rng, loss, pairs, ridge)
    direction = 0.3 * rng.normal(size=point.theta.size)
    line = surrogate.along(point, direction)
    for t in (0.0, 0.3, 1.0):
        step = 1e-6
        ahead = surrogate.value(surrogate.at(point.theta + (t + step) * direction))
        behind = surrogate.value(surrogate.at(point.theta + (t - step) * direction))
        first, second = line.slope(t)
        assert first == pytest.approx((ahead - behind) / (2 * step), rel=1e-5, abs=1e-5)
        assert second == pytest.approx(
            direction @ surrogate.hessian(line.move(t)) @ direction, rel=1e-9
        )
        np.testing.assert_allclose(
            line.move(t).scores, surrogate.at(point.theta + t * direction).scores, atol=1e-12
        )


def test_matrix_products_are_those_of_the_centred_scaled_array(rng):
    X = rng.normal(size=(30, 4)) * [1, 100, 1e-3, 1] + [0, 1e4, 1, 3]
    X[:, 3] = 7.0  # constant
    weights = rng.integers(0, 3, 30).astype(float)
    matrix = DenseMatrix(X, weights)
    mean = np.average(X, axis=0, weights=weights)
    std = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    std[3] = 7.0
    Z = (X - mean) / std
    Z[:, 3] = 0.0
    v, u, a = rng.normal(size=4), rng.normal(size=(30, 2)), rng.exponential(size=30)
    a[::3] = 0.0
    np.testing.assert_allclose(matrix.matvec(v), Z @ v, atol=1e-9)
    np.testing.assert_allclose(matrix.rmatvec(u), Z.T @ u, atol=1e-9)
    np.testing.assert_allclose(matrix.gram(a), Z.T @ (a[:, None] * Z), atol=1e-9)
    coef, shift = matrix.in_given_units(v)
    np.testing.assert_allclose(coef, v / std, rtol=1e-9)
    assert shift == pytest.approx(mean @ coef)
    assert 0.5 * matrix.ridge @ v**2 == pytest.approx(0.5 * coef @ coef)


def test_matrix_leaves_its_input_alone(rng):
    X = rng.normal(size=(10, 2))
    before = X.copy()
    DenseMatrix(X, np.ones(10))
    np.testing.assert_array_equal(X, before)
