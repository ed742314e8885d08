"""Value, gradient, Hessian and line of the surrogate; what centring and scaling must not change."""

import numpy as np
import pytest

from csvor._matrix import DenseMatrix
from csvor._objective import OrdinalObjective
from csvor._thresholds import explicit_pairs


def surrogate_of(rng, n=40, d=3, n_classes=4):
    X = rng.normal(size=(n, d)) * [1.0, 10.0, 0.1] + 5.0
    codes = rng.integers(0, n_classes, n)
    objective = OrdinalObjective(DenseMatrix(X, np.ones(n)), explicit_pairs(codes, n_classes))
    surrogate = objective.surrogate(rng.exponential(size=n))
    theta = np.concatenate([rng.normal(size=d), [-1.0], rng.exponential(size=n_classes - 2)])
    return X, codes, surrogate, objective.at(theta)


def test_value_is_the_formula(rng):
    """1/2 |w|^2 + sum D (max(0, 1 - f + b_{y-1})^2 + max(0, 1 + f - b_y)^2) in units of X."""
    X, codes, surrogate, point = surrogate_of(rng)
    scaled, thresholds = surrogate.objective.split(point.theta)
    w, shift = surrogate.objective.matrix.in_given_units(scaled)
    b = np.concatenate([[-np.inf], thresholds + shift, [np.inf]])
    f = X @ w
    g = np.maximum(0, 1 - f + b[codes]) ** 2 + np.maximum(0, 1 + f - b[codes + 1]) ** 2
    assert surrogate.value(point) == pytest.approx(0.5 * w @ w + surrogate.weights @ g)


def test_gradient_by_finite_differences(rng):
    _, _, surrogate, point = surrogate_of(rng)
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


def test_hessian_by_finite_differences(rng):
    """The gradient is linear on a piece, so differences are exact while no pair changes sides."""
    _, _, surrogate, point = surrogate_of(rng)
    step = 1e-7
    columns = [
        (
            surrogate.gradient(surrogate.at(point.theta + step * e))
            - surrogate.gradient(surrogate.at(point.theta - step * e))
        )
        / (2 * step)
        for e in np.eye(point.theta.size)
    ]
    np.testing.assert_allclose(surrogate.hessian(point), columns, rtol=1e-5, atol=1e-5)


def test_line_is_the_surrogate_on_a_line(rng):
    _, _, surrogate, point = surrogate_of(rng)
    direction = rng.normal(size=point.theta.size)
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


def test_majorizer_touches_and_lies_above(rng):
    _, _, surrogate, point = surrogate_of(rng)
    gradient, above = surrogate.gradient(point), surrogate.majorizer()
    for _ in range(50):
        step = rng.normal(size=point.theta.size)
        model = surrogate.value(point) + gradient @ step + 0.5 * step @ above @ step
        assert surrogate.value(surrogate.at(point.theta + step)) <= model * (1 + 1e-12)


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
