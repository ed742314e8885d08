"""Pairs, the counting rule, and thresholds for classes without rows. Values worked by hand."""

import numpy as np
import pytest

from csvor._thresholds import count_passed, explicit_pairs, implicit_pairs, spread_over_classes


def test_explicit_slacks_by_hand():
    """K = 3, thresholds -1 and 2, one row of each class with score 0.5.

    Class 0: stays below -1:            1 + 0.5 - (-1) = 2.5.
    Class 1: above -1: 1 - 0.5 + (-1) = -0.5 -> 0; below 2: 1 + 0.5 - 2 = -0.5 -> 0.
    Class 2: above 2:                   1 - 0.5 + 2    = 2.5.
    """
    scores, thresholds = np.full(3, 0.5), np.array([-1.0, 2.0])
    pairs = explicit_pairs(np.array([0, 1, 2]), 3)
    slacks = np.maximum(pairs.excess(scores, thresholds), 0) * pairs.counted
    np.testing.assert_array_equal(slacks, [[2.5, 0], [0, 0], [0, 2.5]])
    np.testing.assert_array_equal(pairs.sums(slacks**2), [6.25, 0, 6.25])


def test_implicit_slacks_by_hand():
    """The same, against all thresholds: class 0 also below 2 (1 + 0.5 - 2 < 0), class 2 also
    above -1 (1 - 0.5 - 1 < 0): nothing is added. With a score of 3, class 0 has 5 and 2."""
    thresholds = np.array([-1.0, 2.0])
    pairs = implicit_pairs(np.array([0, 1, 2]), 3)
    slacks = np.maximum(pairs.excess(np.array([3.0, 0.5, 0.5]), thresholds), 0) * pairs.counted
    np.testing.assert_array_equal(slacks, [[5, 2], [0, 0], [0, 2.5]])


def test_only_neighbouring_thresholds_count():
    counted = explicit_pairs(np.array([0, 1, 2, 3]), 4).counted
    np.testing.assert_array_equal(counted, [[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])


def test_lean_and_worst_excess_by_hand():
    """Score 0 between thresholds -2 and 2; a row of class 0 ought to be lower, of 2 higher.

    Class 0: excess 1 + 0 + 2 = 3, leans to a higher class (-9). Class 1: 1 - 0 - 2 = -1 on
    both sides, no lean. Class 2: excess 1 - 0 + 2 = 3, leans to a lower class (+9).
    """
    pairs = explicit_pairs(np.array([0, 1, 2]), 3)
    excess = pairs.excess(np.zeros(3), np.array([-2.0, 2.0]))
    np.testing.assert_array_equal(pairs.lean(excess), [-9, 0, 9])
    np.testing.assert_array_equal(pairs.worst_excess(excess), [3, -1, 3])


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
