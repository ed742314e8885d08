"""Losses of one pair: values by hand, derivatives by differences, parabolas that lie above."""

import numpy as np
import pytest

from csvor._loss.margins import EXPONENTIAL, HINGE, LOGISTIC, ROUNDED, pair_loss, pair_losses
from csvor._loss.pairs import losses_at
from reference_objective import Exponential, Hinge, Logistic, Reference, Rounded

# Kind, width, and the statement by arrays.
ALL = {
    "hinge": (HINGE, 0.0, Hinge()),
    "rounded": (ROUNDED, 0.5, Rounded(0.5)),
    "logistic": (LOGISTIC, 0.0, Logistic()),
    "exponential": (EXPONENTIAL, 0.0, Exponential()),
}
each_loss = pytest.mark.parametrize("name", ALL)
both_constraints = pytest.mark.parametrize("constraints", ["explicit", "implicit"])


def met(scores, codes, b, pair):
    """Losses, slopes by threshold and curvatures of the pairs, and what pulls at the score."""
    n, m = scores.size, b.size
    g, pull, slope, curve = np.empty(n), np.empty(n), np.empty((m, n)), np.empty((m, n))
    pair_losses(n, scores, codes.astype(float), b, pair, g, slope, curve, pull)
    return g, slope, curve, pull


def of_margins(name, margins, **form):
    """Value, slope and curvature by the excess, from rows of class 0 against a threshold at 0.

    They belong below it: the margin is -f.
    """
    kind, width, _ = ALL[name]
    margins = np.asarray(margins, dtype=float)
    pair = pair_loss(kind, "explicit", width=width, **form)
    g, slope, curve, pull = met(-margins, np.zeros(margins.size), np.zeros(1), pair)
    np.testing.assert_array_equal(pull, slope[0])
    return g, -slope[0], curve[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Margins 2, 1, 3/4, 0, -2: slacks 0, 0, 1/4, 1, 3.
        ("hinge", [0, 0, 1 / 16, 1, 9]),
        # Width 1/2: u^2 below it, u - 1/4 above.
        ("rounded", [0, 0, 1 / 16, 3 / 4, 11 / 4]),
        ("logistic", np.log1p(np.exp([-2.0, -1.0, -0.75, 0.0, 2.0]))),
        ("exponential", np.exp([-2.0, -1.0, -0.75, 0.0, 2.0])),
    ],
)
def test_values_by_hand(name, expected):
    margins = np.array([2, 1, 0.75, 0, -2])
    np.testing.assert_allclose(of_margins(name, margins)[0], expected, rtol=1e-14)
    np.testing.assert_allclose(ALL[name][2].value(1.0 - margins), expected, rtol=1e-14)


@each_loss
def test_derivatives_by_differences(name):
    m, step = np.array([4.1, 1.7, 0.8, 0.6, 0.1, -0.7, -3.3]), 1e-6
    ahead, behind = of_margins(name, m - step), of_margins(name, m + step)
    _, slope, curvature = of_margins(name, m)
    near = {"rtol": 1e-7, "atol": 1e-9}
    np.testing.assert_allclose(slope, (ahead[0] - behind[0]) / (2 * step), **near)
    np.testing.assert_allclose(curvature, (ahead[1] - behind[1]) / (2 * step), **near)


@pytest.mark.parametrize(
    ("name", "form"), [("hinge", {"bounded": True}), ("rounded", {"majorant": 1.0})]
)
def test_parabolas_lie_above(name, form):
    """From points with a slack; for the rounded one the majorant adds it to the curvature."""
    margins = np.linspace(-7, 6, 400)
    values = of_margins(name, margins)[0]
    plain = of_margins(name, margins)[2]
    for m in (0.9, 0.7, 0.5, 0.0, -3.0):
        value, slope, curve = (float(part[0]) for part in of_margins(name, [m], **form))
        if name == "rounded":
            curve -= float(of_margins(name, [m])[2][0])
        above = value + slope * (m - margins) + 0.5 * curve * (m - margins) ** 2
        assert np.all(values <= above + 1e-12)
        assert curve == pytest.approx(float(ALL[name][2].parabola(np.array([1.0 - m]))[0]))
    if name == "hinge":  # and it spans the pairs without a slack, which have no curvature
        assert set(plain) == {0.0, 2.0}
        assert set(of_margins(name, margins, **form)[2]) == {2.0}


def test_a_rounded_slack_lies_at_most_half_a_width_below():
    m = np.linspace(-2, 3, 1001)
    for width in (1.0, 0.1, 1e-6):
        pair = pair_loss(ROUNDED, "explicit", width=width)
        below = np.maximum(1 - m, 0) - met(-m, np.zeros(m.size), np.zeros(1), pair)[0]
        assert below.min() >= -1e-15
        assert below.max() == pytest.approx(0.5 * width)


@each_loss
def test_huge_margins_stay_numbers(name):
    m = np.array([1e300, 1e6, 800.0, -800.0, -1e6])
    for part in of_margins(name, m):
        assert np.all(np.isfinite(part))
    value, slope, curvature = of_margins(name, [1e6])
    assert value[0] == pytest.approx(0.0, abs=1e-200)
    assert slope[0] == pytest.approx(0.0, abs=1e-200)
    assert curvature[0] == pytest.approx(0.0, abs=1e-200)


def test_pairs_by_hand():
    """K = 3, thresholds -1 and 2, classes 0, 1, 2; the squared slacks.

    Score 0.5, explicit: class 0 stays below -1: 1 + 0.5 + 1 = 2.5; class 1 above -1 by 1.5 and
    below 2 by 1.5: none; class 2 above 2: 1 - 0.5 + 2 = 2.5. Implicit: class 0 below 2 and class 2
    above -1 add nothing. Score 3: class 0 has 1 + 3 + 1 = 5, and implicit 1 + 3 - 2 = 2 too; class
    1 has 2 below 2; class 2 is above 2 by 1.
    """
    b, codes = np.array([-1.0, 2.0]), np.arange(3)
    explicit, implicit = (pair_loss(HINGE, pairs) for pairs in ("explicit", "implicit"))
    for scores, pair, expected in [
        (0.5, explicit, [6.25, 0, 6.25]),
        (0.5, implicit, [6.25, 0, 6.25]),
        (3.0, explicit, [25, 4, 0]),
        (3.0, implicit, [29, 4, 0]),
    ]:
        np.testing.assert_array_equal(met(np.full(3, scores), codes, b, pair)[0], expected)
    # Slopes by b_k - f: 2 u, with the side's sign; class 1 at 3 ought to lie below 2.
    _, slope, _, pull = met(np.full(3, 3.0), codes, b, implicit)
    np.testing.assert_array_equal(slope, [[-10, 0, 0], [-4, -4, 0]])
    np.testing.assert_array_equal(pull, [-14, -4, 0])


@both_constraints
@each_loss
def test_the_statement_by_arrays_is_met(rng, name, constraints):
    kind, width, margin = ALL[name]
    scores, codes, b = 3.0 * rng.normal(size=300), rng.integers(0, 5, 300), np.arange(4.0) - 1.5
    for majorant in (0.0, 0.3) if name == "rounded" else (0.0,):
        reference = Reference(
            scores[:, None], np.zeros(1), codes, 5, np.ones(300), constraints, margin,
            majorant=majorant,
        )  # fmt: skip
        theta = np.concatenate([[1.0], np.diff(b, prepend=0.0)])
        u = reference.excess(theta)
        pair = pair_loss(kind, constraints, width=width, majorant=majorant)
        g, slope, curve, pull = met(scores, codes, b, pair)
        tight = {"rtol": 1e-13, "atol": 1e-13}
        np.testing.assert_allclose(g, reference.losses(theta), **tight)
        by_pairs = reference.met * reference.side * margin.slope(u)
        np.testing.assert_allclose(slope, by_pairs.T, **tight)
        np.testing.assert_allclose(pull, by_pairs.sum(axis=1), **tight)
        np.testing.assert_allclose(curve, reference.curvature(u).T, **tight)
        losses = np.empty(300)
        losses_at(scores, codes, b, pair, losses)
        np.testing.assert_allclose(losses, g, **tight)
