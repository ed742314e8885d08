"""MedianClipper: limits by hand, what it leaves alone, and scikit-learn's checks."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from csvor.preprocessing import MedianClipper


@parametrize_with_checks([MedianClipper()])
def test_scikit_learn_checks(estimator: MedianClipper, check: object) -> None:
    # The checks themselves draw from the global generator.
    state = np.random.get_state()
    try:
        check(estimator)  # type: ignore[operator]
    finally:
        np.random.set_state(state)


def test_limits_by_hand() -> None:
    # Median 3, deviations 2, 1, 0, 1, 97: their median is 1.
    X = np.array([[1.0], [2.0], [3.0], [4.0], [100.0]])
    clipper = MedianClipper(spreads=1.5).fit(X)
    assert (clipper.lower_.tolist(), clipper.upper_.tolist()) == ([1.5], [4.5])
    new = [[-9.0], [1.5], [4.0], [9.0]]
    np.testing.assert_array_equal(clipper.transform(new), [[1.5], [1.5], [4.0], [4.5]])


def test_limits_come_from_the_training_rows_alone() -> None:
    train = np.random.default_rng(0).normal(size=(50, 2))
    clipper = MedianClipper().fit(train)
    far = clipper.transform([[1e9, -1e9]])
    np.testing.assert_array_equal(far, [[clipper.upper_[0], clipper.lower_[1]]])


def test_half_of_the_rows_may_be_wrong() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1001, 1))
    X[:480] *= 1e6
    assert MedianClipper().fit(X).upper_[0] < 100 * MedianClipper().fit(X[480:]).upper_[0]


def test_a_column_of_mostly_one_value_is_left_alone() -> None:
    X = np.array([[0.0], [0.0], [0.0], [1.0], [50.0]])
    np.testing.assert_array_equal(MedianClipper().fit_transform(X), X)


def test_nan_passes_and_does_not_count() -> None:
    X = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan], [3.0, np.nan], [99.0, np.nan]])
    found = MedianClipper(spreads=2).fit_transform(X)
    # Median 2.5, deviations 1.5, 0.5, 0.5, 96.5: their median is 1.
    np.testing.assert_array_equal(found[:, 0], [1.0, 2.0, np.nan, 3.0, 4.5])
    assert np.isnan(found[:, 1]).all()


def test_inputs_are_left_as_they_were_and_names_stay() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, 100.0], "b": np.arange(5.0)})
    before = frame.copy()
    clipper = MedianClipper(spreads=1).set_output(transform="pandas")
    found = clipper.fit_transform(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert list(found) == list(clipper.get_feature_names_out()) == ["a", "b"]
    X = np.asfortranarray(before.to_numpy())
    X.flags.writeable = False
    np.testing.assert_array_equal(MedianClipper(spreads=1).fit_transform(X), found)


def test_float32_stays() -> None:
    X = np.array([[1.0], [2.0], [3.0], [1e9]], dtype=np.float32)
    assert MedianClipper().fit_transform(X).dtype == np.float32


@pytest.mark.parametrize("spreads", [0, -1, float("nan"), "5"])
def test_wrong_spreads(spreads: object) -> None:
    with pytest.raises(ValueError, match="spreads"):
        MedianClipper(spreads=spreads).fit([[1.0], [2.0]])


def test_infinite_values_are_refused() -> None:
    with pytest.raises(ValueError, match="infinity"):
        MedianClipper().fit([[1.0], [np.inf]])


def test_sparse_columns_are_refused_with_a_remedy() -> None:
    X = sparse.csr_array(np.eye(3))
    clipper = MedianClipper()
    for call in (clipper.fit, clipper.fit(np.eye(3)).transform):
        with pytest.raises(TypeError, match=r"X is a sparse matrix: .* dense columns alone"):
            call(X)
