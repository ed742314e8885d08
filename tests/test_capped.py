"""The capped lp norm of a row's losses, its weight, and its curvature."""

import numpy as np
import pytest

from csvor._loss.capped import LOSS, CappedPower, counted_share, row_weights
from reference_objective import Power


def weighed(g, cost=None, *, p, epsilon=np.inf, delta=0.0, concave=0.0, edge=0.0, width=None):
    """What `row_weights` sets and adds up: weight, firm, bent, and (value, smooth, cut)."""
    g = np.asarray(g, dtype=float)
    cap = epsilon ** (2.0 / p)
    width = delta if width is None else width
    loss = np.array([(p, cap, cap, 1.0, delta, concave, edge, width)], dtype=LOSS)
    weight, firm, bent, totals = *np.empty((3, g.size)), np.zeros(3)
    row_weights(
        g.size, g, np.ones(g.size) if cost is None else cost, loss, weight, firm, bent, totals
    )
    return weight, firm, bent, totals


def test_values_by_hand():
    """r = 0, 1/2, 1, 2, 3 at p = 1, eps = 2: min(r, 2); cut away only where r > 2."""
    g = np.array([0.0, 0.25, 1.0, 4.0, 9.0])
    loss = CappedPower(p=1.0, epsilon=2.0)
    np.testing.assert_array_equal(loss.value(g), [0, 0.5, 1, 2, 2])
    np.testing.assert_array_equal(loss.uncapped(g), [0, 0.5, 1, 2, 3])
    np.testing.assert_array_equal(loss.capped(g), [False] * 4 + [True])
    # Kept: 0 + 1/2 + 1 + 2; one row of cost 1 is cut.
    np.testing.assert_array_equal(weighed(g, p=1.0, epsilon=2.0)[3], [3.5, 3.5, 1.0])


def test_of_a_row_on_the_threshold_its_share_counts():
    """Of g 2 between 1 and 4 a quarter of its cost 8: 1/2 + 2 sqrt(2), and 6 + 2 are cut."""
    loss = np.array([(1.0, 1.0, 4.0, 0.25, 0.0, 0.0, 0.0, 0.0)], dtype=LOSS)
    weight, firm, bent, totals = *np.empty((3, 3)), np.zeros(3)
    g, cost = np.array([0.25, 2.0, 9.0]), np.array([1.0, 8.0, 2.0])
    row_weights(3, g, cost, loss, weight, firm, bent, totals)
    np.testing.assert_allclose(totals, [0.5 + 2.0 * np.sqrt(2.0)] * 2 + [8.0])
    np.testing.assert_allclose(weight, [1.0, 1.0 / np.sqrt(2.0), 0.0])


def test_the_cap_of_a_trimmed_loss_is_the_one_found():
    """On g 4 at p = 1: 2. A loss with a cap of its own keeps it."""
    assert CappedPower(1.0, np.inf, trim=0.1).with_cap(4.0) == CappedPower(1.0, 2.0, trim=0.1)
    assert CappedPower(1.0, 1.5).with_cap(4.0) == CappedPower(1.0, 1.5)


def test_weight_is_cut_at_the_residual_not_at_g():
    """Erratum 3: p = 1, eps = 2, g = 3: r = 1.73 <= 2 keeps its weight though g > eps.

    Weight (1/2) 3^(-1/2) = 0.288675.
    """
    weight = weighed([3.0, 4.1], p=1.0, epsilon=2.0)[0]
    np.testing.assert_allclose(weight, [0.2886751345948129, 0.0], rtol=1e-12)


@pytest.mark.parametrize("p", [0.3, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("epsilon", [1.0, 1.5, 4.0, np.inf])
def test_supergradient_lies_above_a_concave_loss(p, epsilon):
    """v(h) <= v(g) + v'(g) (h - g) for all g, h > 0: what re-weighting rests on."""
    g = np.linspace(0.01, 30, 300)
    value = CappedPower(p, epsilon).value(g)
    weight = weighed(g, p=p, epsilon=epsilon)[0]
    tangents = value[:, None] + weight[:, None] * (g - g[:, None])
    assert np.all(value <= tangents + 1e-12)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("epsilon", [1.5, np.inf])
def test_the_weight_is_the_slope_of_the_smoothed_loss(p, epsilon):
    form, step = {"p": p, "epsilon": epsilon, "delta": 1e-3}, 1e-6
    for g in (0.01, 0.3, 1.0, 40.0):
        ahead, behind = weighed([g + step], **form)[3], weighed([g - step], **form)[3]
        slope = (ahead[1] - behind[1]) / (2 * step)
        assert weighed([g], **form)[0][0] == pytest.approx(slope, rel=1e-6)
        value, smooth, _ = weighed([g], **form)[3]
        assert smooth <= value * (1 + 1e-12)


def test_delta_keeps_the_weight_finite():
    """(1/2) (0 + 1e-4)^(-1/2) = 50; (1/4) 1e-4^(-3/4) = 250. Without it, nothing pulls."""
    assert weighed([0.0], p=1.0, delta=1e-4)[0][0] == pytest.approx(50.0)
    assert weighed([0.0], p=0.5, delta=1e-4)[0][0] == pytest.approx(250.0)
    for p in (0.5, 1.0, 1.5):
        weight, firm, bent, totals = weighed([0.0], p=p, concave=1.0)
        assert weight[0] == firm[0] == bent[0] == totals[0] == 0.0


def test_kept_share_by_hand():
    """Below 3 all of a row counts, on the cap up to 4 a fourth, above nothing."""
    shares = [counted_share(g, 3.0, 4.0, 0.25) for g in (0.0, 3.0, 3.1, 4.0, 4.1)]
    assert shares == [1.0, 1.0, 0.25, 0.25, 0.0]


def test_curvature_is_that_of_the_smoothed_loss():
    """-v'' = (p/2) (1 - p/2) (g + delta)^(p/2 - 2), where ``concave`` is 2 - p."""
    g = np.array([0.2, 1.3, 2.1])
    for p in (0.5, 1.0, 1.5, 2.0):
        bent = weighed(g, p=p, delta=1e-2, concave=2.0 - p)[2]
        by_hand = 0.5 * p * (1.0 - 0.5 * p) * (g + 1e-2) ** (0.5 * p - 2.0)
        np.testing.assert_allclose(bent, by_hand, rtol=1e-12)


def test_the_corner_is_spread_about_the_cap():
    """p = 2, eps = 4, edge 1: the slope falls from 1 to 0 between 3 and 5, by 1/2 each unit."""
    costs = np.array([1.0, 1.0, 3.0, 1.0, 1.0])
    bent = weighed([2.9, 3.1, 4.0, 4.9, 5.1], costs, p=2.0, epsilon=4.0, edge=1.0)[2]
    np.testing.assert_allclose(bent, [0.0, 0.5, 1.5, 0.5, 0.0])


@pytest.mark.parametrize("p", [0.3, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("epsilon", [1.5, np.inf])
@pytest.mark.parametrize("delta", [0.0, 1e-14, 1e-2])
@pytest.mark.parametrize("widened", [False, True])
def test_the_statement_by_arrays_is_met(rng, p, epsilon, delta, widened):
    g, cost = np.exp(2.0 * rng.normal(size=300)), rng.exponential(size=300)
    cost[::7] = 0.0
    width = delta + 1e-3 if widened else delta
    weight, firm, _, totals = weighed(g, cost, p=p, epsilon=epsilon, delta=delta, width=width)
    power = Power(p, epsilon, delta)
    kept = cost * power.kept(g, cost)
    np.testing.assert_allclose(weight, kept * power.slope(g), rtol=1e-12)
    np.testing.assert_allclose(firm, kept * power.slope(g, width), rtol=1e-12)
    expected = kept @ power.value(g), kept @ power.smoothed(g), cost.sum() - kept.sum()
    np.testing.assert_allclose(totals, expected, rtol=1e-12, atol=1e-12)
