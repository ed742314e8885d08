"""Folds: each row is held out once, classes alike, and the same however the data are cut."""

from itertools import pairwise

import numpy as np
import pytest

from csvor._data import groups as groups_module
from csvor._data.folds import (
    bin_counts,
    first_ranks,
    folds_by_class,
    held_out_parts,
)
from csvor._data.groups import GroupCounts, group_names


def in_parts(codes, cuts, cv, seed, n_classes):
    """The folds of data cut into parts."""
    parts = [(start, codes[start:stop]) for start, stop in pairwise([0, *cuts, codes.size])]
    ranks = first_ranks(bin_counts(*part, n_classes, seed) for part in parts)
    folds = [
        folds_by_class(*part, first, cv, seed) for part, first in zip(parts, ranks, strict=True)
    ]
    return np.concatenate(folds)


@pytest.mark.parametrize("cuts", [[], [0, 17, 17, 400], [1, 2, 3], [999]])
def test_folds_do_not_depend_on_how_data_are_cut(rng, cuts):
    codes = rng.choice(4, 1000, p=[0.5, 0.4, 0.09, 0.01])
    whole = in_parts(codes, [], 5, 7, 4)
    np.testing.assert_array_equal(in_parts(codes, cuts, 5, 7, 4), whole)


def test_each_class_and_all_rows_differ_by_at_most_one_between_folds(rng):
    codes = rng.choice(6, 503, p=[0.5, 0.3, 0.1, 0.08, 0.015, 0.005])
    folds = in_parts(codes, [100], 5, 3, 6)
    assert np.ptp(np.bincount(folds, minlength=5)) <= 1
    for k in range(6):
        assert np.ptp(np.bincount(folds[codes == k], minlength=5)) <= 1


def test_the_seed_decides_and_neighbours_tell_nothing_of_each_other():
    codes = np.zeros(10_000, dtype=int)
    whole, other = (in_parts(codes, [], 5, seed, 1) for seed in (7, 8))
    assert 0.15 < np.mean(other == whole) < 0.25
    for step in (1, 2, 5, 7):
        pairs = np.bincount(5 * whole[step:] + whole[:-step], minlength=25)
        assert np.abs(pairs - 400).max() < 5 * np.sqrt(400)


def test_rows_in_periods_are_spread_over_folds():
    """Every fifth row of one sensor: each fold has its share of it."""
    codes = np.tile([0, 0, 1, 1, 1], 400)
    folds = in_parts(codes, [], 5, 0, 2)
    table = np.bincount(5 * folds + np.tile(np.arange(5), 400), minlength=25)
    assert np.abs(table - 80).max() < 5 * np.sqrt(80)


def test_groups_stay_together_and_classes_are_even(rng):
    group = rng.integers(0, 60, 900)
    codes = (group % 3 + (rng.random(900) < 0.2)).astype(int)
    parts = held_out_parts(codes, 5, group, 0)
    assert sorted(np.concatenate([test for _, test in parts]).tolist()) == list(range(900))
    for train, test in parts:
        assert not set(group[train]) & set(group[test])
        share = np.bincount(codes[test], minlength=4) / np.bincount(codes, minlength=4)
        assert np.abs(share - 0.2).max() < 0.06


@pytest.mark.parametrize("most", [groups_module.MOST_GROUPS, 20])
def test_folds_of_groups_do_not_depend_on_how_data_are_cut(rng, monkeypatch, most):
    """Neither where groups are dealt out by what they hold, nor where their names alone decide."""
    monkeypatch.setattr(groups_module, "MOST_GROUPS", most)
    names = group_names(rng.integers(0, 30, 500), 500)
    codes = rng.integers(0, 3, 500)
    whole = GroupCounts.of(names, codes, 3).folds(4, 1).of(names)
    cuts = list(pairwise([0, 0, 13, 300, 500]))
    parts = [GroupCounts.of(names[a:b], codes[a:b], 3) for a, b in cuts]
    folds = GroupCounts.total(parts).folds(4, 1)
    np.testing.assert_array_equal(np.concatenate([folds.of(names[a:b]) for a, b in cuts]), whole)
    assert np.bincount(whole, minlength=4).min() > 50


def test_one_name_however_it_is_written():
    names, as_floats = (group_names(np.array(values), 3) for values in ([1, 2, 3], [1.0, 2.0, 3.0]))
    codes = np.array([0, 1, 0])
    folds = [GroupCounts.of(n, codes, 2).folds(3, 0).of(n) for n in (names, as_floats)]
    np.testing.assert_array_equal(*folds)


def test_a_class_rarer_than_folds_is_in_as_many_as_it_has_rows():
    codes = np.array([0] * 20 + [1] * 2 + [2] * 9)
    held = [np.count_nonzero(codes[test] == 1) for _, test in held_out_parts(codes, 5, None, 0)]
    assert sorted(held) == [0, 0, 0, 1, 1]
