"""The trimmed objective, and where its fits end."""

import numpy as np
import pytest

from csvor import CSVOR
from csvor._solvers.state import ACTIVE, CAP, CUT_COST
from objective_case import KINDS, Case, both_constraints, by_sums, compiled, every_p
from problems import noisy_quartiles
from reference_objective import Power, Reference


@every_p
@both_constraints
def test_the_trimmed_objective_is_the_stated_one(rng, p, constraints):
    """From its definition: sorted, the worst cut, the last of these in part."""
    case = Case(rng, "hinge", constraints)
    for share in (0.01, 0.1, 0.25, 0.5):
        point = case.evaluated(by_sums, case.theta, Power(p, trim=share))
        stated = case.reference.trimmed(case.theta, p, share)
        assert point.parts[ACTIVE] + point.parts[CUT_COST] == pytest.approx(stated, rel=1e-10)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_the_trimmed_objective_has_no_jumps(rng, p):
    """On a line where rows are cut and come back: finer steps, smaller changes."""
    case, power = Case(rng, n=60), Power(p, trim=0.2)
    step = rng.normal(size=case.theta.size)

    def largest_change(n):
        caps, values = set(), []
        for t in np.linspace(0.0, 1.0, n):
            point = case.evaluated(compiled, case.theta + t * step, power)
            values.append(point.parts[ACTIVE] + point.parts[CUT_COST])
            caps.add(int(np.argmin(abs(case.reference.losses(point.theta) - point.parts[CAP]))))
        assert len(caps) > 3
        return np.abs(np.diff(values)).max()

    # Below p = 1 the slope is steep at a kink: as the root of the root of the step.
    assert largest_change(1281) < (0.75 if p < 1.0 else 0.3) * largest_change(161)


def theta_of(model):
    return np.concatenate([model.coef_, np.diff(model.thresholds_, prepend=0.0)])


def in_given_units(X, y, weights, constraints="explicit", kind="hinge"):
    d = X.shape[1]
    return Reference(X, np.ones(d), y - 1, 4, weights, constraints, KINDS[kind][1])


@both_constraints
@every_p
@pytest.mark.parametrize("share", [0.1, 0.2])
def test_a_trimmed_fit_ends_at_its_objective(constraints, p, share):
    """It never rises once the loss is the final one; epsilon_ cuts the share, here whole rows."""
    X, y = noisy_quartiles(2)
    model = CSVOR(p=p, contamination=share, constraints=constraints).fit(X, y)
    assert model.converged_
    history = model.objective_history_[model.settled_from_ :]
    assert history.size >= 1
    assert np.all(np.diff(history) <= 0)
    reference, theta = in_given_units(X, y, np.ones(300), constraints), theta_of(model)
    assert model.objective_ == history[-1]
    assert model.objective_ == pytest.approx(reference.trimmed(theta, p, share), rel=1e-9)
    worst = np.sort(model.residuals_)[::-1]
    n_cut = round(share * 300)
    assert worst[n_cut] > 1.0
    assert model.outliers_.sum() == n_cut
    assert model.epsilon_ == pytest.approx(worst[n_cut], rel=1e-8)
    np.testing.assert_allclose(
        model.residuals_, reference.losses(theta) ** (0.5 * p), rtol=1e-9, atol=1e-8
    )


def test_epsilon_is_at_least_one():
    """Where fewer rows than that share lie beyond a threshold, these are cut."""
    X, y = noisy_quartiles(2)
    model = CSVOR(10.0, contamination=0.5, constraints="implicit").fit(X, y)
    assert model.epsilon_ == 1.0
    assert 0 < model.outliers_.sum() == np.sum(model.residuals_ > 1.0) < 0.5 * 300


@both_constraints
@pytest.mark.parametrize(
    ("kind", "p"), [("hinge", 1.5), ("hinge", 2.0), ("logistic", 2.0), ("exponential", 2.0)]
)
def test_a_trimmed_fit_is_stationary_for_its_cap_too(constraints, kind, p):
    """For the capped loss with epsilon_ no coordinate pulls but gaps at their bound, upwards."""
    X, y = noisy_quartiles(2)
    model = CSVOR(p=p, constraints=constraints, loss=kind, tol=1e-13).fit(X, y)
    assert model.converged_
    reference, theta = in_given_units(X, y, np.ones(300), constraints, kind), theta_of(model)
    capped = reference.at(theta, Power(p, model.epsilon_, 1e-14))
    trimmed = reference.at(theta, Power(p, delta=1e-14, trim=0.1))
    scale = np.abs(reference.at(0.0 * theta, Power(p, delta=1.0)).gradient).max()
    np.testing.assert_allclose(capped.gradient, trimmed.gradient, atol=1e-9 * scale)
    free = np.concatenate([np.ones(7, bool), theta[7:] > 0.0])
    assert np.abs(capped.gradient[free]).max() <= 1e-5 * scale
    assert capped.gradient[~free].min(initial=0.0) >= -1e-5 * scale


def test_p_1_ends_where_no_small_step_is_lower(rng):
    """Of the trimmed objective, and of the capped one with a cap between the rows it parts.

    With epsilon_ itself, the residual of a row, that row would be cut by any step that raises it.
    """
    X, y = noisy_quartiles(2)
    model = CSVOR(tol=1e-10).fit(X, y)
    reference, theta = in_given_units(X, y, np.ones(300)), theta_of(model)
    between = np.sort(model.residuals_)[269:271].mean()
    assert model.epsilon_ < between

    def capped(at):
        part = reference.at(at, Power(1.0, between))
        return part.moving + part.constant

    for _ in range(200):
        near = theta + 10.0 ** rng.uniform(-6, -3) * rng.normal(size=theta.size)
        near[7:] = np.maximum(near[7:], 0.0)
        assert reference.trimmed(near, 1.0, 0.1) >= model.objective_ * (1 - 1e-8)
        assert capped(near) >= capped(theta) * (1 - 1e-8)
