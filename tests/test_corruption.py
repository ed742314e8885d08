"""Spoilt labels, features and images: exactly as many as said, only those, and the same again."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from csvor.corruption import flip_labels, occlude, spoil_features

SHARES = [0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 0.5, 1.0]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n", [1, 7, 50, 113])
def test_counts_are_exact(share: float, n: int, rng: np.random.Generator) -> None:
    y = rng.permutation(np.arange(n) % 3 + 1)
    y_new, flipped = flip_labels(y, share, classes=[1, 2, 3], random_state=rng)
    X_new, spoilt = spoil_features(np.ones((n, 4)), share, random_state=rng)
    images_new, hidden = occlude(np.ones((n, 8, 8)), share, random_state=rng)
    for mask in (flipped, spoilt, hidden):
        assert mask.dtype == bool
        assert mask.sum() == round(share * n)
    np.testing.assert_array_equal(y_new != y, flipped)
    np.testing.assert_array_equal((X_new == -1).sum(axis=1), np.where(spoilt, 2, 0))
    np.testing.assert_array_equal((images_new == 0).any(axis=(1, 2)), hidden)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (flip_labels, np.arange(40) % 4),
        (spoil_features, np.linspace(0, 1, 200).reshape(40, 5)),
        (occlude, np.linspace(0.1, 1, 40 * 36).reshape(40, 6, 6)),
    ],
)
def test_same_seed_same_result_and_input_untouched(call: Any, argument: Any) -> None:
    before = argument.copy()
    argument.setflags(write=False)
    first, mask = call(argument, 0.25, random_state=3)
    again, mask_again = call(argument, 0.25, random_state=3)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(mask, mask_again)
    np.testing.assert_array_equal(argument, before)
    assert not np.shares_memory(first, argument)
    others = [call(argument, 0.25, random_state=seed)[1] for seed in range(4, 8)]
    assert any((other != mask).any() for other in others)
    # A RandomState and a Generator are used up, as by scikit-learn's functions.
    for kind in (np.random.RandomState, np.random.default_rng):
        a, b = kind(0), kind(0)
        np.testing.assert_array_equal(
            call(argument, 0.25, random_state=a)[0], call(argument, 0.25, random_state=b)[0]
        )
        first_of_a = kind(0)
        once = call(argument, 0.25, random_state=first_of_a)[1]
        assert any(
            (call(argument, 0.25, random_state=first_of_a)[1] != once).any() for _ in range(4)
        )
    assert call(argument, 0.25)[1].sum() == 10


def test_other_classes_are_alike_probable(seed: int) -> None:
    y = np.repeat([1, 2, 3, 4], 3000)
    y_new, mask = flip_labels(y, 1.0, random_state=seed)
    assert mask.all()
    table = pd.crosstab(y, y_new).to_numpy()
    assert (np.diag(table) == 0).all()
    # Binomial(3000, 1/3): a standard deviation is 26.
    off = table[~np.eye(4, dtype=bool)]
    assert np.abs(off - 1000).max() < 5 * 26


def test_labels_keep_their_kind() -> None:
    words, mask = flip_labels(["a", "b"] * 5, 0.2, classes=["a", "b", "excellent"], random_state=1)
    assert set(words[mask]) <= {"a", "b", "excellent"}
    assert all(flip_labels(["a"] * 9, 1.0, classes=["a", "excellent"])[0] == "excellent")
    series = pd.Series([3, 1, 2] * 4, index=range(12, 24))
    assert flip_labels(series, 0.5)[0].dtype == series.dtype
    assert flip_labels(np.array([1, 2], dtype=np.int8), 1.0, classes=[1, 2])[0].dtype == np.int8
    category = pd.Series(pd.Categorical(["x", "y", "x"], ["x", "y"], ordered=True))
    assert flip_labels(category, 1.0)[0].tolist() == ["y", "x", "y"]
    assert flip_labels([True, False], 1.0)[0].tolist() == [False, True]
    assert flip_labels([1, 1], 0.0)[0].tolist() == [1, 1]


def test_classes_that_do_not_occur_are_reached() -> None:
    y_new, _ = flip_labels(np.ones(200, dtype=int), 1.0, classes=[1, 2, 3], random_state=0)
    assert set(y_new) == {2, 3}


def test_features_are_drawn_anew_for_each_row(seed: int) -> None:
    X_new, mask = spoil_features(np.zeros((400, 9)), 0.5, value=7.0, random_state=seed)
    spoilt = X_new[mask] == 7
    assert (spoilt.sum(axis=1) == 4).all()
    assert len(np.unique(spoilt, axis=0)) > 50
    assert np.abs(spoilt.mean(axis=0) - 4 / 9).max() < 5 * np.sqrt(0.25 / 200)
    one = spoil_features(np.zeros((4, 3)), 1.0, features=0.01)[0]
    assert ((one == -1).sum(axis=1) == 1).all()
    assert (spoil_features(np.zeros((4, 3)), 1.0, features=1.0)[0] == -1).all()


def test_features_keep_their_precision_and_gaps() -> None:
    X = pd.DataFrame({"a": [0.5, np.nan, 0.25], "b": [1.0, 2.0, 3.0]}, dtype=np.float32)
    X_new, mask = spoil_features(X, 0.0)
    assert X_new.dtype == np.float32
    np.testing.assert_array_equal(X_new, X)
    assert not mask.any()


def test_blocks_are_blocks(seed: int) -> None:
    images = np.full((300, 16, 24), 200, dtype=np.uint8)
    hidden, mask = occlude(images, 1.0, random_state=seed)
    assert mask.all()
    assert hidden.dtype == np.uint8
    black = hidden == 0
    rows, columns = black.any(axis=2), black.any(axis=1)
    heights, widths = rows.sum(axis=1), columns.sum(axis=1)
    # What is black is a full rectangle of consecutive rows and columns.
    np.testing.assert_array_equal(black, rows[:, :, None] & columns[:, None, :])
    assert (np.abs(np.diff(rows.astype(int), axis=1, prepend=0, append=0)).sum(axis=1) == 2).all()
    assert set(heights) == set(range(4, 9))
    assert set(widths) == set(range(6, 13))
    assert rows.any(axis=0).all()
    assert columns.any(axis=0).all()
    colour, _ = occlude(np.ones((2, 8, 8, 3)), 1.0, random_state=seed)
    assert ((colour == 0).all(axis=3) == (colour == 0).any(axis=3)).all()
    assert (occlude(np.ones((5, 1, 1)), 1.0)[0] == 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flip_labels([1, 2], 1.5), "share=1.5 must be a number from 0 to 1"),
        (lambda: flip_labels([1, 2], float("nan")), "share=nan must be"),
        (lambda: flip_labels([1, 2], "0.1"), "share='0.1' must be"),
        (lambda: flip_labels([1, 1], 0.5), "There is only the class 1; name the others"),
        (lambda: flip_labels([1, 4], 0.5, classes=[1, 2]), r"Label 4 is not among .*\[1, 2\]"),
        (lambda: flip_labels([1, 2], 0.5, classes=[1, 2, 2]), "without repetitions"),
        (lambda: flip_labels([1.0, np.nan], 0.5), "y is missing in row 1"),
        (lambda: flip_labels(np.array(["a", None]), 0.5), "y is missing in row 1"),
        (lambda: flip_labels([[1, 2]], 0.5), "1d array"),
        (lambda: flip_labels([1, 2], 0.5, random_state="x"), "random_state='x' is no seed"),
        (lambda: flip_labels([1, 2], 0.5, random_state=-1), "random_state=-1 is no seed"),
        (lambda: spoil_features([[1.0]], -0.1), "share=-0.1 must be"),
        (lambda: spoil_features([[1.0]], 0.1, features=0), "features=0 must be greater than 0"),
        (lambda: spoil_features([["a"]], 0.1), "could not convert string"),
        (lambda: spoil_features([[np.inf]], 0.1), "contains infinity"),
        (lambda: occlude(np.ones((4, 4)), 0.1), r"images has the shape \(4, 4\)"),
        (lambda: occlude(np.full((2, 4, 4), "a"), 0.1), "give numbers of shape"),
    ],
)
def test_wrong_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
