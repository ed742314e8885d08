"""The model of an iteration: derivatives by differences, and what it must lie above."""

import numpy as np
import pytest

from csvor._solvers.state import BEGIN, CUT_COST, SLOPE, SMOOTHED
from objective_case import CAPS, Case, both_constraints, by_sums, every_cap, every_kind
from reference_objective import Power


def differences(values, theta, step=1e-6):
    """Central differences of a function of theta, one row a coordinate."""
    return np.array(
        [(values(theta + step * e) - values(theta - step * e)) / (2 * step)
         for e in np.eye(theta.size)]
    )  # fmt: skip


def smooth(point):
    return point.parts[SMOOTHED] + point.parts[CUT_COST]


@every_kind
@both_constraints
@every_cap
@pytest.mark.parametrize("p", [0.7, 1.0, 2.0])
def test_gradient_by_finite_differences(rng, kind, constraints, cap, p):
    """Also of the trimmed loss, whose rows change under the differences."""
    case = Case(rng, kind, constraints, n=60, threshold_ridge=0.5)
    power = Power(p, delta=1e-2 if p < 2.0 else 0.0, **CAPS[cap])
    slope = differences(lambda theta: smooth(case.evaluated(by_sums, theta, power)), case.theta)
    found = case.evaluated(by_sums, case.theta, power).gradient
    np.testing.assert_allclose(found, slope, rtol=1e-5, atol=1e-4)


@both_constraints
@pytest.mark.parametrize("kind", ["hinge", "logistic", "exponential"])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_the_model_without_damping_is_the_hessian(rng, kind, constraints, p):
    """With all of v's curvature; that of a rounded slack jumps too near for differences."""
    case, power = Case(rng, kind, constraints, n=60), Power(p, delta=1e-2)
    columns = differences(
        lambda theta: case.evaluated(by_sums, theta, power).gradient, case.theta, 1e-7
    )
    hessian = case.evaluated(by_sums, case.theta, power, 0.0).hessian
    np.testing.assert_allclose(hessian, columns, rtol=1e-4, atol=1e-4 * np.abs(hessian).max())


@both_constraints
@every_cap
@pytest.mark.parametrize("p", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("share", [1e-6, 0.5, 1.0])
def test_the_model_is_convex(rng, constraints, cap, p, share):
    case = Case(rng, "hinge", constraints, n=60)
    hessian = case.evaluated(by_sums, case.theta, Power(p, delta=1e-8, **CAPS[cap]), share).hessian
    values = np.linalg.eigvalsh(hessian)
    assert values[0] >= -1e-9 * values[-1]


@both_constraints
@every_cap
def test_the_surrogate_lies_above(rng, constraints, cap):
    """Of v: value(theta + s) <= value(theta) + its rise on the surrogate, for any step.

    Also of the trimmed loss: what is cut anew at theta + s lowers it further.
    """
    case, power = Case(rng, "hinge", constraints, n=60), Power(0.7, delta=1e-3, **CAPS[cap])
    start = case.evaluated(by_sums, case.theta, power)
    t = np.linspace(0, 1, 501)
    for _ in range(20):
        state = case.state(case.theta, power)
        state.at.parts[:] = start.parts
        state.step[:] = 0.5 * rng.normal(size=state.step.size)
        by_sums(case.objective, state, BEGIN)
        slopes = np.empty(t.size)
        for i in range(t.size):
            state.line[2] = t[i]
            by_sums(case.objective, state, SLOPE)
            slopes[i] = state.slopes[0]
        rise = np.concatenate([[0.0], np.cumsum(0.5 * (slopes[1:] + slopes[:-1]) * np.diff(t))])
        for at in (125, 250, 500):
            reached = case.evaluated(by_sums, case.theta + t[at] * state.step, power)
            assert smooth(reached) - smooth(start) <= rise[at] + 1e-3 * abs(rise[at])


def test_the_bound_of_the_alternating_scheme_lies_above(rng):
    case, power = Case(rng, bounded=True, n=60), Power(2.0)
    start = case.evaluated(by_sums, case.theta, power)
    for _ in range(50):
        step = rng.normal(size=case.theta.size)
        model = smooth(start) + start.gradient @ step + 0.5 * step @ start.hessian @ step
        reached = smooth(case.evaluated(by_sums, case.theta + step, power))
        assert reached <= model * (1 + 1e-12)
