"""Pairs, the counting rule, and thresholds for classes without rows. Values worked by hand."""

import numpy as np
import pytest

from csvor._loss.margins import HINGE, pair_loss, pair_losses
from csvor._loss.pairs import count_passed, losses_at, spread_over_classes


def losses(scores, codes, thresholds, constraints):
    found = np.empty(len(scores))
    pair = pair_loss(HINGE, constraints)
    losses_at(np.array(scores), np.array(codes), np.array(thresholds), pair, found)
    return found


def test_explicit_slacks_by_hand():
    """K = 3, thresholds -1 and 2, one row of each class with score 0.5.

    Class 0: stays below -1:            1 + 0.5 - (-1) = 2.5.
    Class 1: above -1: 1 - 0.5 + (-1) = -0.5 -> 0; below 2: 1 + 0.5 - 2 = -0.5 -> 0.
    Class 2: above 2:                   1 - 0.5 + 2    = 2.5.
    """
    found = losses([0.5] * 3, [0, 1, 2], [-1.0, 2.0], "explicit")
    np.testing.assert_array_equal(found, [6.25, 0, 6.25])


def test_implicit_slacks_by_hand():
    """The same, against all thresholds: class 0 also below 2 (1 + 0.5 - 2 < 0), class 2 also
    above -1 (1 - 0.5 - 1 < 0): nothing is added. With a score of 3, class 0 has 5 and 2."""
    found = losses([3.0, 0.5, 0.5], [0, 1, 2], [-1.0, 2.0], "implicit")
    np.testing.assert_array_equal(found, [25 + 4, 0, 6.25])
    assert losses([3.0], [0], [-1.0, 2.0], "explicit") == [25]


def test_losses_of_many_rows_are_those_of_each(rng):
    """More than a block, and not a whole number of them."""
    scores, codes = 2 * rng.normal(size=300), rng.integers(0, 4, 300)
    b = np.array([-1.0, 0.5, 0.5])
    for constraints, reach in (("explicit", 1), ("implicit", 4)):
        expected = np.zeros(300)
        for i, (f, y) in enumerate(zip(scores, codes, strict=True)):
            for k in range(max(y - reach, 0), min(y + reach, 3)):
                side = 1.0 if y > k else -1.0
                expected[i] += max(1.0 - side * (f - b[k]), 0.0) ** 2
        np.testing.assert_allclose(losses(scores, codes, b, constraints), expected, atol=1e-14)


def test_only_neighbouring_thresholds_count():
    """Four classes with one row each, all scores far on the wrong side of every threshold."""
    pair, y, b = pair_loss(HINGE, "explicit"), np.arange(4.0), np.zeros(3)
    slope, curve, g, pull = np.empty((3, 4)), np.empty((3, 4)), np.empty(4), np.empty(4)
    counted = np.zeros((3, 4), dtype=bool)
    for f in (-5.0, 5.0):
        pair_losses(4, np.full(4, f), y, b, pair, g, slope, curve, pull)
        counted |= slope != 0.0
    np.testing.assert_array_equal(counted.T, [[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])


def test_a_score_on_a_threshold_has_passed_it():
    thresholds = np.array([-1.0, 0.0, 0.0, 2.0])
    scores = np.array([-1.5, -1.0, -0.5, 0.0, 2.0, 3.0])
    np.testing.assert_array_equal(count_passed(scores, thresholds), [0, 1, 1, 3, 4, 4])


@pytest.mark.parametrize(
    ("present", "thresholds", "expected"),
    [
        ([1, 1, 1], [0.0, 4.0], [0.0, 4.0]),
        ([1, 0, 1], [0.0], [0.0, 0.0]),
        ([1, 0, 0, 1, 1], [0.0, 4.0], [0.0, 0.0, 0.0, 4.0]),
        # Scores of the rows run from -3 to 7.
        ([0, 1, 1], [0.0], [-4.0, 0.0]),
        ([0, 0, 1, 1], [0.0], [-6.0, -4.0, 0.0]),
        ([1, 1, 0], [0.0], [0.0, 8.0]),
        ([1, 1, 0, 0], [0.0], [0.0, 8.0, 10.0]),
        ([0, 1, 0, 1, 0], [0.0], [-4.0, 0.0, 0.0, 8.0]),
    ],
)
def test_thresholds_of_classes_without_rows(present, thresholds, expected):
    spread = spread_over_classes(np.array(thresholds), np.array(present, bool), -3.0, 7.0)
    np.testing.assert_array_equal(spread, expected)
