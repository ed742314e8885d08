"""Which rows are cut when a share of the weight is, against sorting."""

import numpy as np
import pytest

from csvor._loss.capped import LOSS, TIE, counted_share
from csvor._rows.dense_pass import Rows
from csvor._rows.trim import find_cap, moved_rows
from reference_objective import Power, trimmed_sum

OPEN = (np.inf, np.inf, 1.0)


def found(losses, weights, share, start=OPEN):
    cap = np.array(start, dtype=float)
    find_cap(np.asarray(losses, float), np.asarray(weights, float), share, cap)
    return cap


def kept(losses, cap):
    return np.array([counted_share(g, *cap) for g in losses])


def test_caps_by_hand():
    """g = 1..10 of weight 1: a share of 0.3 cuts 8, 9 and 10, and the cap is 7.

    0.25 is two rows and a half: 8 is on the cap and half of it counts. 0.95 would leave half of the
    row at 1, which stays: all above it are cut.
    """
    g, ones = np.arange(1.0, 11.0), np.ones(10)
    np.testing.assert_allclose(found(g, ones, 0.3), [7.0, 7.0, 1.0], rtol=2e-9)
    np.testing.assert_allclose(found(g, ones, 0.25), [8.0, 8.0, 0.5], rtol=2e-9)
    np.testing.assert_array_equal(found(g, ones, 0.95), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(kept(g, found(g, ones, 0.3)), [1] * 7 + [0] * 3)
    np.testing.assert_allclose(kept(g, found(g, ones, 0.25)), [1] * 7 + [0.5, 0, 0])
    np.testing.assert_array_equal(kept(g, found(g, ones, 0.95)), [1] + [0] * 9)


def test_rows_on_the_right_side_are_never_cut():
    """Two of ten rows lie beyond a threshold (g > 1): these are cut and no more."""
    g = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0, 1.5, 9.0])
    for share in (0.2, 0.3, 0.5):
        cap = found(g, np.ones(10), share)
        np.testing.assert_array_equal(cap, [1.0, 1.0, 1.0])
        np.testing.assert_array_equal(kept(g, cap), [1] * 8 + [0] * 2)
    np.testing.assert_array_equal(kept(g, found(g, np.ones(10), 0.1)), [1] * 9 + [0])


def test_rows_of_one_loss_are_cut_in_equal_parts():
    """Six rows at 4, two at 9; half of 8 is both of these and a third of each of the six."""
    g = np.array([4.0, 9.0, 4.0, 4.0, 9.0, 4.0, 4.0, 4.0])
    cap = found(g, np.ones(8), 0.5)
    np.testing.assert_allclose(cap, [4.0, 4.0, 2 / 3], rtol=2e-9)
    np.testing.assert_allclose(kept(g, cap), np.where(g == 9.0, 0.0, 2 / 3))
    # What differs by rounding is one loss.
    jittered = g * (1.0 + 1e-15 * np.arange(8))
    np.testing.assert_allclose(kept(jittered, found(jittered, np.ones(8), 0.5)), kept(g, cap))


def drawn(rng, n, ties):
    losses = np.exp(1.5 * rng.normal(size=n))
    if ties:
        losses = np.ceil(4.0 * losses) / 4.0
    weights = rng.exponential(size=n)
    weights[rng.random(n) < 0.1] = 0.0
    weights[0] = 1.0
    return losses, weights


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [1, 2, 7, 500])
def test_the_cap_cuts_what_sorting_cuts(rng, n, ties):
    for _ in range(20):
        losses, weights = drawn(rng, n, ties)
        for share in (0.01, 0.1, 1 / 3, 0.5):
            cap = found(losses, weights, share)
            counts = kept(losses, cap)
            power = Power(1.0, trim=share)
            np.testing.assert_allclose(
                weights * counts, weights * power.kept(losses, weights), atol=1e-7
            )
            by_cap = weights @ (counts * losses**0.5 + (1.0 - counts))
            by_sorting = trimmed_sum(losses, weights, share, 1.0)
            assert by_cap == pytest.approx(by_sorting, rel=1e-7)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25, 1 / 3, 0.5])
def test_a_weight_is_a_repetition(rng, share):
    """Also where the share ends inside a row of weight 3."""
    losses, weights = np.exp(rng.normal(size=40)), rng.integers(0, 4, 40)
    weights[0] = 3
    weighted = found(losses, weights, share)
    repeated = found(np.repeat(losses, weights), np.ones(weights.sum()), share)
    np.testing.assert_allclose(weighted[:2], repeated[:2], rtol=1e-15)
    # A repetition on the cap is cut whole or not, but for one; equal losses share what is cut.
    assert weighted[2] == pytest.approx(repeated[2], abs=1e-9)
    total = weights @ kept(losses, weighted)
    left_over = weights[losses <= 1.0].sum()
    assert total == pytest.approx(max((1.0 - share) * weights.sum(), left_over), rel=1e-7)


@pytest.mark.parametrize("ties", [False, True])
def test_any_start_finds_the_same_cap(rng, ties):
    losses, weights = drawn(rng, 500, ties)
    for share in (0.02, 0.1, 0.4):
        cap = found(losses, weights, share)
        for start in (
            1.0,
            1.05,
            2.0,
            *np.quantile(losses, [0.1, 0.5, 0.85, 0.9, 0.99]),
            1e3,
            1e300,
        ):
            again = found(losses, weights, share, (start, start, 1.0))
            np.testing.assert_allclose(again, cap, rtol=1e-12, atol=1e-7)
        again = found(losses, weights, share, cap)
        np.testing.assert_allclose(again, cap, rtol=1e-12, atol=1e-7)


def test_the_cap_is_a_hair_wide():
    cap = found(np.arange(1.0, 11.0), np.ones(10), 0.25)
    assert cap[0] == 8.0 * (1.0 - TIE)
    assert cap[1] == 8.0 * (1.0 + TIE)


def one_loss(cap):
    loss = np.zeros(1, LOSS)
    loss["below"], loss["cap"], loss["tied"] = cap
    return loss


def moved(losses, costs, loss, cap):
    """Positions of the rows, by their only column, and the change of their costs."""
    n, sums = losses.size, np.zeros(1)
    rows = Rows(
        np.arange(n)[:, None] + 0.0, np.zeros(1), np.ones(1), np.arange(n), costs + 0.0, losses
    )
    part = moved_rows(rows, loss, cap, sums)
    assert sums[0] == pytest.approx(-part.costs.sum(), abs=1e-9)
    np.testing.assert_array_equal(part.codes, part.X[:, 0])
    return part.codes, part.costs


def test_moved_rows_by_hand():
    """From a cap of 3 to one of 5 where half counts: 4 all, 5 half, of the costs 10, 20, ... 60."""
    g, costs = np.arange(1.0, 7.0), 10.0 * np.arange(1.0, 7.0)
    rows, changes = moved(g, costs, one_loss((3.0, 3.0, 1.0)), np.array([4.5, 5.0, 0.5]))
    np.testing.assert_array_equal(rows, [3, 4])
    np.testing.assert_array_equal(changes, [40.0, 25.0])
    rows, changes = moved(g, costs, one_loss((4.5, 5.0, 0.5)), np.array([3.0, 3.0, 1.0]))
    np.testing.assert_array_equal(rows, [3, 4])
    np.testing.assert_array_equal(changes, [-40.0, -25.0])
    # From nothing cut, and to the same cap.
    rows, changes = moved(g, costs, one_loss(OPEN), np.array([5.0, 5.0, 1.0]))
    np.testing.assert_array_equal(rows, [5])
    np.testing.assert_array_equal(changes, [-60.0])
    assert moved(g, costs, one_loss((3.0, 3.0, 1.0)), np.array([3.0, 3.0, 1.0]))[0].size == 0


@pytest.mark.parametrize("ties", [False, True])
def test_moved_rows_are_what_differs_between_two_caps(rng, ties):
    losses, weights = drawn(rng, 500, ties)
    caps = [found(losses, weights, share) for share in (0.02, 0.1, 0.13, 0.5)] + [np.array(OPEN)]
    for one in caps:
        for other in caps:
            rows, changes = moved(losses, weights, one_loss(one), other)
            expected = weights * (kept(losses, other) - kept(losses, one))
            all_changes = np.zeros(500)
            all_changes[rows] = changes
            np.testing.assert_allclose(all_changes, expected, atol=1e-12)
            assert np.unique(rows).size == rows.size
