"""The capped lp norm, its weight, and how the cap is found."""

import numpy as np
import pytest

from csvor._losses import SQUARED, CappedPower, CapSchedule


def test_values_by_hand():
    """r = 0, 1/2, 1, 2, 3 at p = 1, eps = 2: min(r, 2); cut away only where r > 2."""
    g = np.array([0.0, 0.25, 1.0, 4.0, 9.0])
    loss = CappedPower(p=1.0, epsilon=2.0)
    np.testing.assert_array_equal(loss.value(g), [0, 0.5, 1, 2, 2])
    np.testing.assert_array_equal(loss.capped(g), [False] * 4 + [True])


def test_weight_is_cut_at_the_residual_not_at_g():
    """Erratum 3: p = 1, eps = 2, g = 3: r = 1.73 <= 2 keeps its weight though g > eps.

    Weight (1/2) 3^(-1/2) = 0.288675.
    """
    weight = CappedPower(p=1.0, epsilon=2.0).supergradient(np.array([3.0, 4.1]))
    np.testing.assert_allclose(weight, [0.2886751345948129, 0.0], rtol=1e-12)


@pytest.mark.parametrize("p", [0.3, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("epsilon", [1.0, 1.5, 4.0, np.inf])
def test_supergradient_lies_above_a_concave_loss(p, epsilon):
    """v(h) <= v(g) + v'(g) (h - g) for all g, h > 0: what re-weighting rests on."""
    g = np.linspace(0.01, 30, 300)
    loss = CappedPower(p, epsilon)
    tangents = loss.value(g)[:, None] + loss.supergradient(g)[:, None] * (g - g[:, None])
    assert np.all(loss.value(g) <= tangents + 1e-12)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5])
def test_supergradient_is_the_derivative(p):
    g, step = np.array([0.2, 1.3, 2.1]), 1e-6
    loss = CappedPower(p, epsilon=5.0)
    slope = (loss.value(g + step) - loss.value(g - step)) / (2 * step)
    np.testing.assert_allclose(loss.supergradient(g), slope, rtol=1e-8)


def test_delta_keeps_the_weight_finite():
    """(1/2) (0 + 1e-4)^(-1/2) = 50."""
    assert CappedPower(1.0, delta=1e-4).supergradient(np.zeros(1))[0] == pytest.approx(50.0)


def test_auto_cap_is_a_quantile_five_times_and_then_stays():
    g = np.arange(1.0, 11.0) ** 2  # r = 1..10
    schedule = CapSchedule(1.0, None, 0.1, np.ones(10))
    loss = schedule.loss_at(0, lambda: g, None)
    assert loss == SQUARED
    caps = []
    for iteration in range(1, 8):
        grown = g * iteration**2
        loss = schedule.loss_at(iteration, lambda grown=grown: grown, loss)
        caps.append(loss.epsilon)
    # The 0.9 quantile of iteration * (1..10) is 9 * iteration: one of ten rows lies above.
    np.testing.assert_allclose(caps, [9, 18, 27, 36, 45, 45, 45], rtol=2e-9)
    assert np.all(np.array(caps[:5]) > [9, 18, 27, 36, 45])


def test_auto_cap_is_at_least_one():
    schedule = CapSchedule(1.0, None, 0.1, np.ones(10))
    assert schedule.loss_at(1, lambda: np.full(10, 0.01), SQUARED).epsilon == 1.0


def test_auto_cap_counts_a_weight_as_repetitions():
    r = np.array([1.0, 2.0, 3.0, 4.0])
    weights = np.array([3.0, 0.0, 4.0, 2.0])
    repeated = np.repeat(r, weights.astype(int))
    for share in (0.1, 0.2, 0.25, 0.3, 0.5):
        weighted = CapSchedule(1.0, None, share, weights).loss_at(1, lambda: r**2, SQUARED)
        plain = CapSchedule(1.0, None, share, np.ones(9)).loss_at(1, lambda: repeated**2, SQUARED)
        assert weighted.epsilon == plain.epsilon


def test_no_contamination_means_no_cap():
    assert (
        CapSchedule(1.0, None, 0.0, np.ones(4)).loss_at(1, lambda: np.ones(4), SQUARED).epsilon
        == np.inf
    )


def test_given_cap_closes_gradually_and_is_then_exact():
    g = np.arange(1.0, 101.0) ** 2
    schedule = CapSchedule(1.0, 1.5, 0.5, np.ones(100), warmup=10, gradual=True)
    caps = [schedule.loss_at(t, lambda: g, SQUARED).epsilon for t in range(1, 12)]
    # Shares of 5, 10, .. 50 % of r = 1..100 lie above 95, 90, .. 50.
    np.testing.assert_allclose(caps, [*range(95, 45, -5), 1.5])


def test_auto_cap_is_raised_where_it_cuts_too_many():
    """r = 1..10 with a cap of 5.5: five rows are cut; 1.5 times 20 % allow three, those above 7."""
    g = np.arange(1.0, 11.0) ** 2
    schedule = CapSchedule(1.0, None, 0.2, np.ones(10))
    raised = schedule.reopened(lambda: g, CappedPower(1.0, 5.5, 1e-10))
    assert raised == CappedPower(1.0, pytest.approx(7.0, rel=2e-9), 1e-10)
    assert raised.capped(g).sum() == 3
    assert schedule.reopened(lambda: g, raised) is raised
    assert (
        CapSchedule(1.0, 5.5, 0.5, np.ones(10)).reopened(lambda: g, CappedPower(1.0, 5.5)).epsilon
        == 5.5
    )


def test_settled_loss_is_the_stated_one():
    g = np.arange(1.0, 11.0) ** 2
    given = CapSchedule(1.5, 3.0, 0.5, np.ones(10), warmup=10, gradual=True)
    assert given.settled(1, lambda: g, SQUARED).epsilon == 3.0
    auto = CapSchedule(1.0, None, 0.1, np.ones(10))
    assert auto.settled(1, lambda: g, SQUARED).epsilon == pytest.approx(9.0)
    assert auto.settled(9, lambda: g, CappedPower(1.0, 7.0)).epsilon == 7.0


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("epsilon", [1.5, np.inf])
def test_the_weight_is_the_slope_of_the_smoothed_loss(p, epsilon):
    loss, step = CappedPower(p, epsilon, 1e-3), 1e-6
    g = np.array([0.01, 0.3, 1.0, 2.0, 40.0])
    slope = (loss.smoothed(g + step) - loss.smoothed(g - step)) / (2 * step)
    np.testing.assert_allclose(loss.supergradient(g), slope, rtol=1e-6)
    assert np.all(loss.smoothed(g) <= loss.value(g) * (1 + 1e-12))
    if epsilon < np.inf:
        assert loss.epsilon + loss.shortfall == pytest.approx(loss.smoothed(g)[-1], rel=1e-12)
