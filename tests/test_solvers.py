"""The solvers on problems that are not ordinal: they know requests, points and bounds only."""

from contextlib import ExitStack
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize
from threadpoolctl import threadpool_info

from csvor import SVOREX
from csvor._loss.capped import CappedPower
from csvor._solvers.iterate import iterate, newton
from csvor._solvers.line import LINE, search_line
from csvor._solvers.reweight import reweight
from csvor._solvers.smoothing import follow_smoothing
from csvor._solvers.solution import SolverStatus
from csvor._solvers.state import (
    ACTIVE,
    BEGIN,
    CAP,
    CUT_COST,
    ENDED,
    EVALUATE,
    QUANTILE,
    SLOPE,
    SMOOTHED,
    STEP,
    make_state,
)
from csvor._solvers.step import bounded_step, find_step
from csvor._utils.threads import threads_for


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
        hessian, gradient = A.T @ A, A.T @ (A @ theta - r)
        compiled = np.empty(6)
        assert bounded_step(hessian, gradient, theta, n_bounded, compiled)
        for step in (find_step(hessian, gradient, theta, n_bounded), compiled):
            np.testing.assert_allclose(theta + step, expected, atol=1e-7)
            assert np.all((theta + step)[6 - n_bounded :] >= 0)


def test_a_large_bounded_step_against_scipy(rng):
    """LAPACK takes more than forty coordinates."""
    A, r, theta = rng.normal(size=(90, 60)), rng.normal(size=90), np.zeros(60)
    lower = np.full(60, -np.inf)
    lower[40:] = 0.0
    expected = lsq_linear(A, r, (lower, np.full(60, np.inf)), tol=1e-14).x
    step = find_step(A.T @ A, -A.T @ r, theta, 20)
    np.testing.assert_allclose(step, expected, atol=1e-7)
    assert np.any(step[40:] == 0.0) and np.all(step[40:] >= 0.0)


def test_bounded_step_with_a_coordinate_that_nothing_pulls():
    H = np.diag([2.0, 0.0])
    np.testing.assert_allclose(find_step(H, np.array([-4.0, 0.0]), np.ones(2), 0), [2.0, 0.0])


def test_bounded_step_does_not_mind_units(rng):
    A, r = rng.normal(size=(12, 4)), rng.normal(size=12)
    units = np.array([1.0, 1e-9, 1e7, 1.0])
    plain = find_step(A.T @ A, -A.T @ r, np.zeros(4), 2)
    B = A * units
    np.testing.assert_allclose(find_step(B.T @ B, -B.T @ r, np.zeros(4), 2) * units, plain)


def test_singular_hessian_still_gives_a_descent_step(rng):
    A = rng.normal(size=(5, 2))[:, [0, 1, 0]]  # a copied column
    gradient = -A.T @ rng.normal(size=5)
    step = find_step(A.T @ A, gradient, np.zeros(3), 0)
    assert np.all(np.isfinite(step))
    assert gradient @ step < 0


def least_on_line(slope):
    line = LINE.copy()
    while not search_line(line, *slope(line[2])):
        pass
    return line[2]


def test_look_along_by_hand():
    """(t - 1/4)^2 + 3 max(0, t - 1/2)^2 is least at 1/4; past 1 the step is cut to 1."""

    def slope(t):
        return 2 * (t - 0.25) + 6 * max(0.0, t - 0.5), 2.0 + 6.0 * (t > 0.5)

    assert least_on_line(slope) == pytest.approx(0.25)
    assert least_on_line(lambda t: (2 * (t - 3.0), 2.0)) == 1.0


class Requests:
    """A problem that answers from Python what the compiled generators ask for.

    A subclass has `evaluate_into`, which sets gradient, Hessian and parts of a point, and `slopes`,
    the derivatives of its surrogate at t on the line from a point.
    """

    is_hinge, holds_hessian, n_bounded = True, True, 0

    def go_on(self, policy, state, report=None):
        generator, told = {"reweight": iterate, "newton": newton}[policy], 0
        for request in generator(*state):
            assert request in (EVALUATE, BEGIN, SLOPE, STEP, QUANTILE)
            told = self.tell(state, report, told)
            self.answer(request, state)
        self.tell(state, report, told)

    def tell(self, state, report, told):
        done = int(state.run["n"][0])
        for i in range(told, done if report else told):
            report(i + 1, state.history[i])
        return done

    def evaluate(self, state, theta):
        state.to.theta[:] = theta
        self.evaluate_into(state.run[0], state.to)

    def answer(self, request, state):
        run, at = state.run[0], state.at
        if request == EVALUATE:
            self.evaluate_into(run, state.to)
        elif request == BEGIN:
            self.begun = at.theta.copy()
        elif request == SLOPE:
            np.testing.assert_array_equal(self.begun, at.theta)
            state.slopes[:] = self.slopes(run, at.theta, state.step, state.line[2])
        elif request == STEP:
            run["solved"] = self.step(at, state.step)
        else:
            g = self.losses(at.theta)
            run["quantile"] = np.quantile(g, run["level"], method="inverted_cdf")

    def step(self, at, step):
        return bounded_step(at.hessian, at.gradient, at.theta, self.n_bounded, step)


class RobustMean(Requests):
    """min m^2 / 2 + sum v((x_i - m)^2), theta = [m]."""

    def __init__(self, x, pace=1.0):
        self.x = np.asarray(x)
        self.pace = pace  # a share of the way to the minimum of the model

    def losses(self, theta):
        return (self.x - theta[0]) ** 2

    def kept(self, run, g):
        """The cap on g, and which points are not cut away."""
        cap = run["epsilon"] ** (2.0 / run["p"])
        if run["trim"] > 0.0:
            cap = max(np.quantile(g, 1.0 - run["trim"], method="inverted_cdf"), 1.0)
        return cap, g <= cap

    def weights(self, run, theta):
        g, half = self.losses(theta), 0.5 * run["p"]
        return half * (g + run["delta"]) ** (half - 1.0) * self.kept(run, g)[1]

    def evaluate_into(self, run, to):
        g, m, half, delta = self.losses(to.theta), to.theta[0], 0.5 * run["p"], run["delta"]
        cap, kept = self.kept(run, g)
        each = 1.0 if run["trim"] > 0.0 else run["epsilon"]
        cut = np.sum(~kept)
        smoothed = (g[kept] + delta) ** half - delta**half
        end = (each ** (1.0 / half) + delta) ** half - delta**half if cut else 0.0
        constant = cut * each if cut else 0.0
        to.parts[ACTIVE] = 0.5 * m**2 + np.sum(g[kept] ** half)
        to.parts[SMOOTHED] = 0.5 * m**2 + smoothed.sum() + cut * end - constant
        to.parts[CUT_COST] = constant
        to.parts[CAP:] = cap, cap, 1.0
        weights = self.weights(run, to.theta)
        to.gradient[0] = m - 2.0 * weights @ (self.x - m)
        bent = min((1.0 - run["damping"]) * (2.0 - run["p"]), 1.0)
        to.hessian[0, 0] = 1.0 + 2.0 * weights @ (1.0 - bent * g / (g + delta + 1e-300))
        to.hessian[:] /= self.pace

    def slopes(self, run, theta, step, t):
        weights = self.weights(run, theta)
        at = theta[0] + t * step[0]
        first = at - 2.0 * weights @ (self.x - at)
        return first * step[0], (1.0 + 2.0 * weights.sum()) * step[0] ** 2

    def value(self, m, loss):
        state = make_state(
            ORIGIN, None, 0, p=loss.p, epsilon=loss.epsilon, delta=loss.delta, trim=loss.trim
        )
        self.evaluate(state, np.array([m]))
        return state.to.parts[ACTIVE] + state.to.parts[CUT_COST]

    def centred(self, theta, cap):
        return theta


def fixed(loss):
    """A schedule whose loss is the same from the start."""
    stages = np.array([[loss.p, 1.0, loss.epsilon, loss.delta, loss.trim, 1e-2, 20]])
    return SimpleNamespace(stages=stages, final=loss, last_warmup=-1)


ORIGIN = np.zeros(1)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("epsilon", [2.0, np.inf])
def test_reweight_on_a_robust_mean(p, epsilon):
    """Not an ordinal problem: the history falls to a point that no grid value near it beats."""
    problem, loss = RobustMean([0.1, 0.2, 0.4, 0.5, 9.0]), CappedPower(p, epsilon, 1e-12)
    run = reweight(problem, ORIGIN, fixed(loss), tol=1e-12, max_iter=5000)
    assert run.status.converged
    assert run.fixed_from == 0
    history = np.array(run.history)
    assert np.all(np.diff(history) <= 1e-12 * history[:-1])
    assert run.objective == history[-1]
    near = run.point[0] + np.linspace(-0.01, 0.01, 201)
    assert run.objective <= min(problem.value(m, loss) for m in near) + 1e-6
    if epsilon == 2.0:
        cut = run.loss.capped(problem.losses(run.point))
        assert cut.tolist() == [False] * 4 + [True]


@pytest.mark.parametrize("is_hinge", [True, False])
def test_reweight_on_a_trimmed_mean(is_hinge):
    """0, 1 and 9 at p = 2 with a third cut: m^2/2 + m^2 + (m - 1)^2 is least at m = 2/5.

    It is 3/5 there, and what is cut costs 1; the cap is the larger loss that is left, 0.36 or 1.
    """
    problem, loss = RobustMean([0.0, 1.0, 9.0]), CappedPower(2.0, trim=1 / 3)
    problem.is_hinge = is_hinge
    run = reweight(problem, ORIGIN, fixed(loss), tol=1e-12, max_iter=100)
    assert run.status.converged
    assert run.point[0] == pytest.approx(0.4, abs=1e-9)
    assert run.objective == pytest.approx(1.6)
    assert run.constant == 1.0
    assert run.loss.epsilon == 1.0
    assert run.loss.capped(problem.losses(run.point)).tolist() == [False, False, True]


def test_reweight_on_a_trimmed_mean_keeps_the_cap_that_cuts_the_share():
    """-1, 1, 5, 30 at p = 2, a quarter cut: 7 m = 2 (-1 + 1 + 5), so m = 10/7, and 25/7 is left.

    The cap on r^2 is its square.
    """
    problem = RobustMean([-1.0, 1.0, 5.0, 30.0])
    run = reweight(problem, ORIGIN, fixed(CappedPower(2.0, trim=0.25)), tol=1e-12, max_iter=100)
    assert run.point[0] == pytest.approx(10 / 7, rel=1e-9)
    assert run.loss.epsilon == pytest.approx((25 / 7) ** 2, rel=1e-9)
    assert run.objective == pytest.approx(0.5 * (10 / 7) ** 2 + 17**2 / 49 + 9 / 49 + 625 / 49 + 1)


def test_a_cap_that_closes_is_the_quantile_of_its_stage():
    """Five points at p = 2, 60 % of them within the cap at first, then eps = 2, from m = 0."""
    problem, asked = RobustMean([0.1, 0.2, 0.4, 5.0, 9.0]), []
    problem.tell = lambda state, report, told: asked.append(state.run["epsilon"][0])
    rows = [(2.0, 1.0, np.inf), (2.0, 0.6, 2.0), (2.0, 1.0, 2.0)]
    rows = [(*row, 0.0, 0.0, 1e-2, 20) for row in rows]
    schedule = SimpleNamespace(stages=np.array(rows), final=CappedPower(2.0, 2.0), last_warmup=1)
    run = reweight(problem, ORIGIN, schedule, tol=1e-12, max_iter=100)
    # From the mean of all, 2 * 14.7 / 11, the third nearest of the five is 0.2.
    first, second, *_ = dict.fromkeys(asked)
    assert first == np.inf
    assert second == pytest.approx((2 * 14.7 / 11 - 0.2) ** 2, rel=1e-6)
    assert run.loss.epsilon == 2.0
    assert run.point[0] == pytest.approx(2 * 0.7 / 7, rel=1e-9)
    assert run.fixed_from > 0


def test_reweight_says_that_the_limit_ended_it():
    problem = RobustMean([0.1, 0.2, 0.4, 0.5, 9.0])
    run = reweight(problem, ORIGIN, fixed(CappedPower(1.0, delta=1e-6)), tol=0.0, max_iter=3)
    assert run.status is SolverStatus.MAX_ITER
    assert run.n_iter == 3
    assert run.objective == pytest.approx(problem.value(run.point[0], run.loss), rel=1e-14)


def test_reweight_keeps_the_best_point_where_a_step_fails():
    class Wrong(RobustMean):
        """Every step leads up: the line says that its far end is least."""

        def evaluate_into(self, run, to):
            super().evaluate_into(run, to)
            to.gradient[:] *= -1.0

        def slopes(self, run, theta, step, t):
            return -1.0, 1.0

    problem = Wrong([0.1, 0.2, 0.4, 0.5])
    run = reweight(problem, np.array([0.3]), fixed(CappedPower(2.0)), tol=0.0, max_iter=10)
    assert run.status is SolverStatus.NO_DESCENT
    assert run.point[0] == 0.3
    assert run.history == [run.objective]


def test_reweight_cuts_a_step_that_goes_too_far():
    """A model of a tenth of the curvature asks for steps of ten times the length."""
    problem, plain = (RobustMean([0.1, 0.2, 0.4, 0.5, 9.0], pace) for pace in (10.0, 1.0))
    problem.is_hinge = plain.is_hinge = False  # the model is that of the surrogate
    loss = CappedPower(1.0, 2.0, 1e-12)
    run = reweight(problem, ORIGIN, fixed(loss), tol=1e-12, max_iter=5000)
    exact = reweight(plain, ORIGIN, fixed(loss), tol=1e-12, max_iter=5000)
    assert run.objective == pytest.approx(exact.objective, rel=1e-9)
    assert np.all(np.diff(run.history) <= 1e-12)


def test_reweight_goes_back_to_the_surrogate_where_the_model_is_not_convex():
    refused = []

    class Bent(RobustMean):
        def evaluate_into(self, run, to):
            super().evaluate_into(run, to)
            if run["damping"] < 1.0:
                to.hessian[:] *= -1.0

        def step(self, at, step):
            solved = at.hessian[0, 0] > 0.0 and super().step(at, step)
            refused.append(not solved)
            return solved

    loss, x = CappedPower(1.0, 2.0, 1e-12), [0.1, 0.2, 0.4, 0.5, 9.0]
    surrogate = RobustMean(x)
    surrogate.is_hinge = False
    bent, plain = (
        reweight(problem, ORIGIN, fixed(loss), tol=1e-12, max_iter=5000)
        for problem in (Bent(x), surrogate)
    )
    assert any(refused) and not all(refused)
    assert bent.objective == pytest.approx(plain.objective, rel=1e-9)


def test_reweight_reports_each_iteration():
    seen = []
    run = reweight(
        RobustMean([1.0, 2.0]), ORIGIN, fixed(CappedPower(1.0, delta=1e-6)),
        tol=1e-6, max_iter=100, report=lambda i, value: seen.append((i, value)),
    )  # fmt: skip
    assert seen == list(enumerate(run.history, start=1))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_hessian_that_is_no_number_is_refused(bad):
    hessian = np.eye(3)
    hessian[1, 1] = bad
    with pytest.raises(FloatingPointError, match="no number"):
        find_step(hessian, np.ones(3), np.ones(3), 1)


def test_what_is_cut_does_not_loosen_the_tolerance():
    """0 and 1 at p = 2: m^2/2 + m^2 + (m - 1)^2 is least at m = 2/5, where it is 3/5.

    A thousand rows beside them add the constant 1e3 * eps = 1e12, of which 1e-9 would be 1e3.
    """
    problem = RobustMean(np.concatenate([[0.0, 1.0], np.full(1000, 1e9)]), pace=0.1)
    loss = CappedPower(2.0, epsilon=1e9)
    solution = reweight(problem, ORIGIN, fixed(loss), tol=1e-3, max_iter=1000)
    assert solution.status is SolverStatus.CONVERGED
    assert solution.point[0] == pytest.approx(0.4, abs=0.05)
    assert 0.5 * solution.point[0] ** 2 + problem.losses(solution.point)[:2].sum() < 0.61


class LogisticSum(Requests):
    """min |x|^2 / 2 + sum log(1 + exp(a_i'x - b_i)), the last coordinates not negative."""

    def __init__(self, A, b, n_bounded):
        self.A, self.b, self.n_bounded = A, b, n_bounded

    def value(self, x):
        return 0.5 * x @ x + np.logaddexp(0.0, self.A @ x - self.b).sum()

    def derivatives(self, x):
        s = 1.0 / (1.0 + np.exp(self.b - self.A @ x))
        return x + self.A.T @ s, np.eye(x.size) + (self.A.T * (s * (1 - s))) @ self.A

    def evaluate_into(self, run, to):
        to.gradient[:], to.hessian[:] = self.derivatives(to.theta)
        to.parts[ACTIVE] = self.value(to.theta)

    def slopes(self, run, theta, step, t):
        gradient, hessian = self.derivatives(theta + t * step)
        return gradient @ step, step @ hessian @ step


@pytest.mark.parametrize("n_bounded", [0, 2, 4])
def test_newton_on_a_convex_problem_against_scipy(rng, n_bounded):
    problem = LogisticSum(4.0 * rng.normal(size=(30, 4)), rng.normal(size=30), n_bounded)
    state = make_state(np.ones(4), None, 100, tol=1e-14, until=100, damping=1e-2)
    problem.go_on("newton", state)
    bounds = [(None, None)] * (4 - n_bounded) + [(0.0, None)] * n_bounded
    expected = minimize(
        problem.value, np.ones(4), jac=lambda x: problem.derivatives(x)[0], bounds=bounds,
        method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    assert state.run["ended"][0] == ENDED
    assert 0 < state.run["n"][0] < 30
    np.testing.assert_allclose(state.best.theta, expected.x, atol=1e-6)
    assert state.best.parts[ACTIVE] == pytest.approx(expected.fun, rel=1e-10)
    assert np.all(state.best.theta[4 - n_bounded :] >= 0.0)
    assert np.all(np.diff(state.history[: state.run["n"][0]]) <= 0.0)


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


class Kinked(Requests):
    """A smooth problem that stays 1/2 below the objective at every width: it shows nothing."""

    def value(self, theta):
        return 1.0

    def rounded(self, width):
        return self

    def evaluate_into(self, run, to):
        to.parts[ACTIVE], to.gradient[:], to.hessian[:] = 0.5, 0.0, 1.0


def test_smoothing_that_shows_nothing_is_not_converged():
    solution = follow_smoothing(Kinked(), ORIGIN, tol=1e-6, max_iter=10)
    assert solution.status is SolverStatus.INEXACT
    assert not solution.status.converged


@pytest.mark.filterwarnings("ignore:SVOREX stopped")
@pytest.mark.parametrize("max_iter", [3, 4, 6])
def test_smoothing_that_is_cut_short_bounds_nothing(max_iter, rng):
    """What a smooth problem has come to lies above its least value, and above the optimum too."""
    X = rng.standard_normal((1000, 5))
    score = X.sum(axis=1) + rng.standard_normal(1000)
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    best = SVOREX(tol=1e-9).fit(X, y).objective_
    model = SVOREX(tol=1e-2, max_iter=max_iter).fit(X, y)
    assert not model.converged_
    assert model.objective_ * (1.0 - model.gap_) <= best
