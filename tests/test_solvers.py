"""The solvers on problems that are not ordinal: they know bounds, points and weights only."""

import sys
from contextlib import ExitStack
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from threadpoolctl import threadpool_info

from csvor._losses import CappedPower
from csvor._objective import CappedPoint
from csvor._solvers import Status, follow_smoothing, reweight, threads_for
from csvor._solvers.newton import IndefiniteError, bounded_step, least_on_line


@pytest.mark.parametrize("n_bounded", [0, 1, 3, 6])
def test_bounded_step_against_scipy(rng, n_bounded):
    """min 1/2 s'Hs + g's with the last of theta + s >= 0, as a bounded least-squares problem."""
    for _ in range(20):
        A, r = rng.normal(size=(12, 6)), rng.normal(size=12)
        theta = np.concatenate([rng.normal(size=6 - n_bounded), rng.exponential(size=n_bounded)])
        theta[-1] = 0.0 if n_bounded else theta[-1]
        lower = np.full(6, -np.inf)
        lower[6 - n_bounded :] = 0.0
        expected = lsq_linear(A, r, (lower, np.full(6, np.inf)), tol=1e-14).x
        step = bounded_step(A.T @ A, A.T @ (A @ theta - r), theta, n_bounded)
        np.testing.assert_allclose(theta + step, expected, atol=1e-7)
        assert np.all((theta + step)[6 - n_bounded :] >= 0)


def test_bounded_step_with_a_coordinate_that_nothing_pulls():
    H = np.diag([2.0, 0.0])
    np.testing.assert_allclose(bounded_step(H, np.array([-4.0, 0.0]), np.ones(2), 0), [2.0, 0.0])


def test_bounded_step_does_not_mind_units(rng):
    A, r = rng.normal(size=(12, 4)), rng.normal(size=12)
    units = np.array([1.0, 1e-9, 1e7, 1.0])
    plain = bounded_step(A.T @ A, -A.T @ r, np.zeros(4), 2)
    B = A * units
    np.testing.assert_allclose(bounded_step(B.T @ B, -B.T @ r, np.zeros(4), 2) * units, plain)


def test_singular_hessian_still_gives_a_descent_step(rng):
    A = rng.normal(size=(5, 2))[:, [0, 1, 0]]  # a copied column
    gradient = -A.T @ rng.normal(size=5)
    step = bounded_step(A.T @ A, gradient, np.zeros(3), 0)
    assert np.all(np.isfinite(step))
    assert gradient @ step < 0


def test_least_on_line_by_hand():
    """(t - 1/4)^2 + 3 max(0, t - 1/2)^2 is least at 1/4; past 1 the step is cut to 1."""

    def slope(t):
        return 2 * (t - 0.25) + 6 * max(0.0, t - 0.5), 2.0 + 6.0 * (t > 0.5)

    assert least_on_line(slope) == pytest.approx(0.25)
    assert least_on_line(lambda t: (2 * (t - 3.0), 2.0)) == 1.0


class RobustMean:
    """min m^2 / 2 + sum v((x_i - m)^2), theta = [m]; the surrogate is its own Newton model."""

    n_bounded = 0

    def __init__(self, x, pace=1.0):
        self.x = np.asarray(x)
        self.pace = pace  # a share of the way to the minimum of the surrogate

    def losses(self, theta):
        return (self.x - theta[0]) ** 2

    def at(self, theta, loss, damping):
        g, m = self.losses(theta), float(theta[0])
        weights = loss.supergradient(g)
        cut = loss.capped(g)
        return CappedPoint(
            theta,
            0.5 * m**2 + loss.value(g[~cut]).sum(),
            0.5 * m**2 + loss.smoothed(g[~cut]).sum() + cut.sum() * loss.shortfall,
            cut.sum() * loss.epsilon if cut.any() else 0.0,
            np.array([m - 2 * weights @ (self.x - m)]),
            np.array([[1 + 2 * weights.sum()]]) / self.pace,
        )

    def line(self, theta, step, loss):
        weights, m = loss.supergradient(self.losses(theta)), theta[0]

        def slope(t):
            at = m + t * step[0]
            first = at - 2 * weights @ (self.x - at)
            return float(first * step[0]), float((1 + 2 * weights.sum()) * step[0] ** 2)

        return slope

    def settled(self, theta, loss):
        return theta


class Fixed:
    """A schedule whose loss is the same from the start."""

    def __init__(self, loss):
        self.loss = loss

    def loss_at(self, iteration, losses, last):
        return self.loss

    def steady(self, iteration):
        return True

    def reopened(self, losses, last):
        return last

    def settled(self, iteration, losses, last):
        return self.loss


ORIGIN = np.zeros(1)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("epsilon", [2.0, np.inf])
def test_reweight_on_a_robust_mean(p, epsilon):
    """Not an ordinal problem: the history falls to a point that no grid value near it beats."""
    problem, loss = RobustMean([0.1, 0.2, 0.4, 0.5, 9.0]), CappedPower(p, epsilon, 1e-12)
    run = reweight(problem, ORIGIN, Fixed(loss), tol=1e-12, max_iter=5000)
    assert run.status.converged
    assert run.fixed_from == 0
    history = np.array(run.history)
    assert np.all(np.diff(history) <= 1e-12 * history[:-1])
    assert run.objective == history[-1]
    near = run.point[0] + np.linspace(-0.01, 0.01, 201)
    values = [problem.at(np.array([m]), loss, 1.0).value for m in near]
    assert run.objective <= min(values) + 1e-6
    if epsilon == 2.0:
        cut = run.loss.capped(problem.losses(run.point))
        assert cut.tolist() == [False] * 4 + [True]


def test_reweight_says_that_the_limit_ended_it():
    problem = RobustMean([0.1, 0.2, 0.4, 0.5, 9.0])
    run = reweight(problem, ORIGIN, Fixed(CappedPower(1.0, delta=1e-6)), tol=0.0, max_iter=3)
    assert run.status is Status.MAX_ITER
    assert run.n_iter == 3


def test_reweight_keeps_the_best_point_where_a_step_fails():
    class Wrong(RobustMean):
        """Every step leads up: the line says that its far end is least."""

        def at(self, theta, loss, damping):
            model = super().at(theta, loss, damping)
            return replace(model, gradient=-model.gradient)

        def line(self, theta, step, loss):
            return lambda t: (-1.0, 1.0)

    problem = Wrong([0.1, 0.2, 0.4, 0.5])
    run = reweight(problem, np.array([0.3]), Fixed(CappedPower(2.0)), tol=0.0, max_iter=10)
    assert run.status is Status.NO_DESCENT
    assert run.point[0] == 0.3
    assert run.history == [run.objective]


def test_reweight_cuts_a_step_that_goes_too_far():
    """A model of a tenth of the curvature asks for steps of ten times the length."""
    problem = RobustMean([0.1, 0.2, 0.4, 0.5, 9.0], pace=10.0)
    loss = CappedPower(1.0, 2.0, 1e-12)
    run = reweight(problem, ORIGIN, Fixed(loss), tol=1e-12, max_iter=5000)
    exact = reweight(RobustMean(problem.x), ORIGIN, Fixed(loss), tol=1e-12, max_iter=5000)
    assert run.objective == pytest.approx(exact.objective, rel=1e-9)
    assert np.all(np.diff(run.history) <= 1e-12)


def test_reweight_goes_back_to_the_surrogate_where_the_model_is_not_convex(monkeypatch):
    class Bent(RobustMean):
        def at(self, theta, loss, damping):
            model = super().at(theta, loss, damping)
            return model if damping == 1.0 else replace(model, hessian=-model.hessian)

    def step(hessian, gradient, theta, n_bounded):
        if hessian[0, 0] < 0.0:
            raise IndefiniteError("not convex")
        return -gradient / hessian[0, 0]

    monkeypatch.setattr(sys.modules["csvor._solvers.reweight"], "bounded_step", step)
    loss = CappedPower(1.0, 2.0, 1e-12)
    bent, plain = (
        reweight(make([0.1, 0.2, 0.4, 0.5, 9.0]), ORIGIN, Fixed(loss), tol=1e-12, max_iter=5000)
        for make in (Bent, RobustMean)
    )
    assert bent.objective == pytest.approx(plain.objective, rel=1e-9)


def test_reweight_reports_each_iteration():
    seen = []
    run = reweight(
        RobustMean([1.0, 2.0]), ORIGIN, Fixed(CappedPower(1.0, delta=1e-6)),
        tol=1e-6, max_iter=100, report=lambda i, value: seen.append((i, value)),
    )  # fmt: skip
    assert seen == list(enumerate(run.history, start=1))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_hessian_that_is_no_number_is_refused(bad):
    hessian = np.eye(3)
    hessian[1, 1] = bad
    with pytest.raises(FloatingPointError, match="scale the features"):
        bounded_step(hessian, np.ones(3), np.ones(3), 1)


def test_what_is_cut_does_not_loosen_the_tolerance():
    """0 and 1 at p = 2: m^2/2 + m^2 + (m - 1)^2 is least at m = 2/5, where it is 3/5.

    A thousand rows beside them add the constant 1e3 * eps = 1e12, of which 1e-9 would be 1e3.
    """
    problem = RobustMean(np.concatenate([[0.0, 1.0], np.full(1000, 1e9)]), pace=0.1)
    loss = CappedPower(2.0, epsilon=1e9)
    solution = reweight(problem, ORIGIN, Fixed(loss), tol=1e-3, max_iter=1000)
    assert solution.status is Status.CONVERGED
    assert solution.point[0] == pytest.approx(0.4, abs=0.05)
    assert 0.5 * solution.point[0] ** 2 + problem.losses(solution.point)[:2].sum() < 0.61


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_overlapping_thread_limits_end_with_the_last(order):
    """Fits in threads end in any order; the limit is that of the process."""

    def in_use():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = in_use()
    held = [ExitStack() for _ in range(3)]
    for stack in held:
        stack.enter_context(threads_for(10))
    for place in order:
        assert set(in_use()) <= {1}
        held[place].close()
    assert in_use() == before


class Kinked:
    """A smooth problem that stays 1/2 below the objective at every width: it shows nothing."""

    n_bounded, damping = 0, 0.0

    def value(self, point):
        return 0.5

    def gradient(self, point):
        return np.zeros(1)

    def hessian(self, point, damping):
        return np.eye(1)


def test_smoothing_that_shows_nothing_is_not_converged():
    start = SimpleNamespace(theta=np.zeros(1))
    solution = follow_smoothing(
        start, lambda width: Kinked(), lambda point: 1.0, tol=1e-6, max_iter=10
    )
    assert solution.status is Status.INEXACT
    assert not solution.status.converged
