"""The step of a quadratic model with bounds."""

import numpy as np
import pytest
from scipy.optimize import nnls

from csvor._solvers.line import LINE, search_line
from csvor._solvers.step import bounded_step, find_step


def least(hessian, gradient, theta, n_bounded):
    """theta + s by non-negative least squares: with H = L L', ||L'(theta + s) - c|| is least.

    The free coordinates stand as differences of two that are not negative.
    """
    size = theta.size
    free = size - n_bounded
    lower = np.linalg.cholesky(hessian)
    c = -np.linalg.solve(lower, gradient) + lower.T @ theta
    z, _ = nnls(np.hstack([lower.T, -lower.T[:, :free]]), c)
    reached = z[:size].copy()
    reached[:free] -= z[size:]
    return reached


@pytest.mark.parametrize("n_bounded", [0, 1, 4, 7])
def test_a_bounded_step_is_the_least_one(rng, n_bounded):
    for _ in range(50):
        root = rng.normal(size=(7, 7))
        hessian, gradient = root @ root.T + 0.1 * np.eye(7), 3 * rng.normal(size=7)
        theta = np.abs(rng.normal(size=7)) * rng.integers(0, 2, 7)
        expected, step = least(hessian, gradient, theta, n_bounded), np.empty(7)
        assert bounded_step(hessian, gradient, theta, n_bounded, step)
        np.testing.assert_allclose(theta + step, expected, atol=1e-8)
        by_lapack = find_step(hessian, gradient, theta, n_bounded)
        np.testing.assert_allclose(theta + by_lapack, expected, atol=1e-8)


def test_a_large_step_is_the_least_one(rng, monkeypatch):
    """Past the size that is compiled."""
    monkeypatch.setattr("csvor._solvers.step._SMALL", 0)
    for n_bounded in (0, 4, 9):
        root = rng.normal(size=(12, 12))
        hessian, gradient = root @ root.T + 0.1 * np.eye(12), 3 * rng.normal(size=12)
        theta = np.abs(rng.normal(size=12)) * rng.integers(0, 2, 12)
        step = find_step(hessian, gradient, theta, n_bounded)
        np.testing.assert_allclose(
            theta + step, least(hessian, gradient, theta, n_bounded), atol=1e-8
        )
        assert np.all((theta + step)[12 - n_bounded :] >= 0.0)


@pytest.mark.parametrize(
    ("slopes", "expected"),
    [
        # (t - 1/4)^2 + 3 max(0, t - 1/2)^2 is least at 1/4.
        (lambda t: (2 * (t - 0.25) + 6 * max(0.0, t - 0.5), 2.0 + 6.0 * (t > 0.5)), 0.25),
        # Least beyond 1: the whole step. Rising from the start: no step.
        (lambda t: (2 * (t - 3.0), 2.0), 1.0),
        (lambda t: (2 * (t + 1.0), 2.0), 0.0),
        # A kink at 0.3 has no slope of 0; |t - 0.3| without curvature is halved.
        (lambda t: (np.sign(t - 0.3), 0.0), 0.3),
    ],
)
def test_least_on_a_line_by_hand(slopes, expected):
    line = LINE.copy()
    while not search_line(line, *slopes(line[2])):
        pass
    assert line[2] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("size", [4, 50])
def test_what_rounding_has_made_indefinite_has_a_step_downhill(size):
    """By 9e-6 of the diagonal, where a hundred classes had six rows each."""
    hessian, gradient = np.eye(size), np.linspace(1.0, 2.0, size)
    hessian[0, 1] = hessian[1, 0] = 1.0 + 9e-6
    step = find_step(hessian, gradient, np.ones(size), 0)
    assert np.isfinite(step).all() and gradient @ step < 0.0
