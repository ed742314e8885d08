"""Class probabilities of the cumulative logistic form."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
from scipy.special import expit

from csvor._estimators.probability import fit_slope as fit_slope_of
from csvor._estimators.probability import interval_probabilities
from csvor._thresholds import count_passed


def probabilities(scores, thresholds, slope=1.0):
    scores, thresholds = np.asarray(scores, float), np.asarray(thresholds, float)
    return interval_probabilities(scores, thresholds, slope, count_passed(scores, thresholds))


def test_values_by_hand():
    """f = 0, b = (-1, 1), a = ln 3: P(y <= 1) = 1/(1 + 3) = 1/4, P(y <= 2) = 3/4."""
    np.testing.assert_allclose(probabilities([0.0], [-1, 1], np.log(3.0)), [[0.25, 0.5, 0.25]])


def test_predicted_class_in_a_narrow_interval_is_raised_and_the_row_scaled():
    """f = 0, b = (-1/10, 1/10), a = 1: tails expit(-0.1) = 0.47502, middle 0.04996 -> 0.47502."""
    tail = expit(-0.1)
    proba = probabilities([0.0], [-0.1, 0.1])
    np.testing.assert_allclose(proba, [[1 / 3, 1 / 3, 1 / 3]], rtol=1e-9)
    assert tail > 1 - 2 * tail
    assert proba.argmax() == 1


def test_valid_everywhere(rng):
    for thresholds in ([0.0], [-1, 0, 0, 5], [0, 0, 0], [-1e6, 3]):
        scores = np.concatenate([rng.normal(size=200) * 3, thresholds, [-1e6, 1e6, 1e300]])
        proba = probabilities(scores, thresholds, 2.0)
        assert np.all((proba >= 0) & (proba <= 1))
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_array_equal(proba.argmax(axis=1), count_passed(scores, thresholds))


def test_an_empty_interval_has_no_mass_away_from_it():
    assert probabilities([3.0], [0, 0])[0, 1] == 0.0


def fit_slope(scores, codes, thresholds, weights):
    return fit_slope_of(scores, codes, thresholds, weights, np.ones(scores.size, dtype=bool))


def test_slope_of_greatest_likelihood(rng):
    """Labels drawn from the model itself give its slope back."""
    scores = rng.uniform(-4, 4, 20000)
    thresholds = np.array([-1.0, 1.0])
    latent = scores + rng.logistic(size=20000) / 1.7
    codes = np.digitize(latent, thresholds)
    slope = fit_slope(scores, codes, thresholds, np.ones(20000))
    assert slope == pytest.approx(1.7, rel=0.05)


def test_slope_counts_a_weight_as_repetitions(rng):
    scores = rng.normal(size=30)
    codes = np.digitize(scores + rng.logistic(size=30), [0.0])
    weights = rng.integers(0, 4, 30)
    weighted = fit_slope(scores, codes, np.zeros(1), weights.astype(float))
    repeated = fit_slope(
        np.repeat(scores, weights), np.repeat(codes, weights), np.zeros(1), np.ones(weights.sum())
    )
    assert weighted == pytest.approx(repeated, rel=1e-6)


def test_a_row_far_on_the_wrong_side_counts_with_its_whole_misfit(rng):
    """The likelihood in 60 digits, where 1e-12 is no floor: one row 400 margins off."""
    getcontext().prec = 400
    scores = np.append(rng.normal(size=40) * 2, 400.0)
    thresholds, weights = np.array([-1.0, 1.0]), np.ones(41)
    codes = np.append(count_passed(scores[:40] + rng.logistic(size=40), thresholds), 0)

    def likelihood(slope):
        total = Decimal(0)
        for score, code in zip(scores, codes, strict=True):
            passed = [1 / (1 + Decimal(-slope * (b - score)).exp()) for b in thresholds]
            low, high = ([Decimal(0), *passed, Decimal(1)][code + k] for k in (0, 1))
            total += (high - low).ln()
        return float(total)

    slope = fit_slope(scores, codes, thresholds, weights)
    assert slope < 0.2
    for factor in (0.99, 1.01):
        assert likelihood(slope) > likelihood(factor * slope)


def test_the_slope_of_many_rows_is_that_of_all(rng):
    """Classes in a cycle, which a part taken at even distances would see only one of."""
    scores = 2.0 * rng.normal(size=60_000) + np.arange(60_000) % 3
    thresholds, weights = np.array([-1.0, 1.0]), np.ones(60_000)
    codes = count_passed(scores + rng.logistic(size=60_000), thresholds)
    part = fit_slope(scores, codes, thresholds, weights)
    halves = [fit_slope(scores[i::2], codes[i::2], thresholds, weights[i::2]) for i in (0, 1)]
    assert part == pytest.approx(1.0, rel=0.03)
    assert part == pytest.approx(np.mean(halves), rel=0.03)
