"""The solvers on problems that are not ordinal: they know bounds, points and weights only."""

from contextlib import ExitStack
from dataclasses import dataclass
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from threadpoolctl import threadpool_info

from csvor._losses import CappedPower
from csvor._solvers import Status, follow_smoothing, reweight, threads_for
from csvor._solvers.newton import bounded_step, least_on_line


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


@dataclass(frozen=True)
class Location:
    """A point of the problem min_m m^2 / 2 + sum min(|x_i - m|^p, eps)."""

    m: float
    x: np.ndarray

    @property
    def penalty(self):
        return 0.5 * self.m**2


def squared_distances(point):
    return (point.x - point.m) ** 2


class Fixed:
    """A schedule that is settled from the start."""

    def __init__(self, loss):
        self.loss = loss

    def loss_at(self, iteration, g, last):
        return self.loss

    def steady(self, iteration):
        return True

    def reopened(self, g, last):
        return last

    def settled(self, iteration, g, last):
        return self.loss


def weighted_mean(weights, point):
    """argmin m^2 / 2 + sum weights (x - m)^2."""
    return Location(float(2 * weights @ point.x / (1 + 2 * weights.sum())), point.x)


ROBUST_MEAN = (squared_distances, weighted_mean)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("epsilon", [2.0, np.inf])
def test_reweight_on_a_robust_mean(p, epsilon):
    """Not an ordinal problem: the history falls to a point that no grid value near it beats."""
    x = np.array([0.1, 0.2, 0.4, 0.5, 9.0])
    loss = CappedPower(p, epsilon, 1e-12)
    run = reweight(
        Location(0.0, x),
        Fixed(loss),
        squared_distances,
        weighted_mean,
        np.ones(5),
        tol=1e-12,
        max_iter=5000,
    )
    assert run.status.converged
    assert run.fixed_from == 0
    history = np.array(run.history)
    assert np.all(np.diff(history) <= 1e-12 * history[:-1])
    assert run.objective == history[-1]
    near = run.point.m + np.linspace(-0.01, 0.01, 201)
    values = [0.5 * m**2 + loss.value((x - m) ** 2).sum() for m in near]
    assert run.objective <= min(values) + 1e-6
    if epsilon == 2.0:
        assert run.loss.capped(squared_distances(run.point)).tolist() == [False] * 4 + [True]


def test_reweight_says_that_the_limit_ended_it():
    x = np.array([0.1, 0.2, 0.4, 0.5, 9.0])
    run = reweight(
        Location(0.0, x), Fixed(CappedPower(1.0, delta=1e-6)), *ROBUST_MEAN, np.ones(5),
        tol=0.0, max_iter=3,
    )  # fmt: skip
    assert run.status is Status.MAX_ITER
    assert run.n_iter == 3


def test_reweight_keeps_the_best_point_where_a_step_fails():
    start = Location(0.3, np.array([0.1, 0.2, 0.4, 0.5]))
    steps = iter([0.3, 5.0])
    run = reweight(
        start,
        Fixed(CappedPower(2.0)),
        squared_distances,
        lambda weights, point: Location(next(steps), point.x),
        np.ones(4),
        tol=0.0,
        max_iter=10,
    )
    assert run.status is Status.NO_DESCENT
    assert run.point.m == 0.3
    assert run.history == [run.objective]


def test_reweight_reports_each_iteration():
    seen = []
    run = reweight(
        Location(0.0, np.array([1.0, 2.0])), Fixed(CappedPower(1.0, delta=1e-6)), *ROBUST_MEAN,
        np.ones(2), tol=1e-6, max_iter=100, report=lambda i, value: seen.append((i, value)),
    )  # fmt: skip
    assert seen == list(enumerate(run.history, start=1))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_hessian_that_is_no_number_is_refused(bad):
    hessian = np.eye(3)
    hessian[1, 1] = bad
    with pytest.raises(FloatingPointError, match="scale the features"):
        bounded_step(hessian, np.ones(3), np.ones(3), 1)


def test_reweight_refuses_an_objective_that_is_no_number():
    def explode(weights, point):
        return Location(np.nan, point.x)

    with pytest.raises(FloatingPointError, match="smaller C"):
        reweight(
            Location(0.0, np.arange(5.0)),
            Fixed(CappedPower(2.0)),
            squared_distances,
            explode,
            np.ones(5),
            tol=1e-9,
            max_iter=10,
        )


def test_what_is_cut_does_not_loosen_the_tolerance():
    """0 and 1 at p = 2: m^2/2 + m^2 + (m - 1)^2 is least at m = 2/5, where it is 3/5.

    A thousand rows beside them add the constant 1e3 * eps = 1e12, of which 1e-9 would be 1e3.
    """
    x = np.concatenate([[0.0, 1.0], np.full(1000, 1e9)])

    def creep(weights, point):
        """A tenth of the way to the minimum."""
        return Location(point.m + 0.1 * (weighted_mean(weights, point).m - point.m), x)

    solution = reweight(
        Location(0.0, x),
        Fixed(CappedPower(2.0, epsilon=1e9)),
        squared_distances,
        creep,
        np.ones(x.size),
        tol=1e-3,
        max_iter=1000,
    )
    assert solution.status is Status.CONVERGED
    assert solution.point.m == pytest.approx(0.4, abs=0.05)
    assert solution.point.penalty + np.sum(squared_distances(solution.point)[:2]) < 0.61


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
