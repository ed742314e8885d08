"""Losses of one pair: values by hand, derivatives by differences, parabolas that lie above."""

import numpy as np
import pytest

from csvor._margins import Exponential, Logistic, SmoothHinge, SquaredHinge

ALL = [SquaredHinge(), SmoothHinge(0.5), Logistic(), Exponential()]
IDS = [type(loss).__name__ for loss in ALL]


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        # Excess -1, 0, 1/4, 1, 3 is a margin of 2, 1, 3/4, 0, -2.
        (SquaredHinge(), [0, 0, 1 / 16, 1, 9]),
        # Width 1/2: u^2 below it, u - 1/4 above.
        (SmoothHinge(0.5), [0, 0, 1 / 16, 3 / 4, 11 / 4]),
        (Logistic(), np.log1p(np.exp([-2.0, -1.0, -0.75, 0.0, 2.0]))),
        (Exponential(), np.exp([-2.0, -1.0, -0.75, 0.0, 2.0])),
    ],
    ids=IDS,
)
def test_values_by_hand(loss, expected):
    np.testing.assert_allclose(loss.value(np.array([-1, 0, 0.25, 1, 3])), expected, rtol=1e-14)


@pytest.mark.parametrize("loss", ALL, ids=IDS)
def test_derivatives_by_differences(loss):
    u, step = np.array([-3.1, -0.7, 0.2, 0.4, 0.9, 1.7, 4.3]), 1e-6
    slope = (loss.value(u + step) - loss.value(u - step)) / (2 * step)
    np.testing.assert_allclose(loss.slope(u), slope, rtol=1e-7, atol=1e-9)
    curvature = (loss.slope(u + step) - loss.slope(u - step)) / (2 * step)
    np.testing.assert_allclose(loss.curvature(u), curvature, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("loss", ALL[:3], ids=IDS[:3])
def test_parabola_of_the_bound_lies_above(loss):
    """From points with a slack; the exponential has no such parabola."""
    v = np.linspace(-5, 8, 400)
    for u in (0.1, 0.3, 0.5, 1.0, 4.0):
        at = np.array([u])
        above = loss.value(at) + loss.slope(at) * (v - u) + 0.5 * loss.bound(at) * (v - u) ** 2
        assert np.all(loss.value(v) <= above + 1e-12)


def test_smooth_hinge_lies_at_most_half_a_width_below_the_hinge():
    u = np.linspace(-2, 3, 1001)
    for width in (1.0, 0.1, 1e-6):
        below = np.maximum(u, 0) - SmoothHinge(width).value(u)
        assert below.min() >= -1e-15
        assert below.max() == pytest.approx(0.5 * width)


@pytest.mark.parametrize("loss", ALL, ids=IDS)
def test_huge_arguments_stay_numbers(loss):
    u = np.array([-1e300, -1e6, 1e6])
    with np.errstate(under="ignore"):
        for f in (loss.value, loss.slope, loss.curvature, loss.bound):
            assert np.all(np.isfinite(f(u)))


def test_pieces_change_where_the_formula_does():
    u = np.array([-1.0, 0.1, 0.4, 0.6])
    assert SquaredHinge().piece(u).tolist() == [False, True, True, True]
    assert SmoothHinge(0.5).piece(u).tolist() == [0, 1, 1, 2]
    assert Logistic().piece(u) is None
