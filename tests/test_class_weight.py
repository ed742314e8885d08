"""Factors of the weights of a class's rows."""

import numpy as np
import pytest

from csvor import CSVOR, SVOREX
from csvor.metrics import average_mean_absolute_error
from problems import g, logistic_rows


@pytest.mark.parametrize("estimator", [CSVOR(), SVOREX()], ids=lambda e: type(e).__name__)
def test_factors_multiply_the_sample_weights(estimator):
    X, y = logistic_rows()
    given = np.random.default_rng(0).uniform(0.5, 2, y.size)
    by_class = estimator.set_params(class_weight={0: 3.0, 2: 0.5})
    one = by_class.fit(X, y, sample_weight=given)
    coef, thresholds = one.coef_, one.thresholds_
    by_hand = given * np.array([3.0, 1.0, 0.5])[y]
    other = estimator.set_params(class_weight=None).fit(X, y, sample_weight=by_hand)
    np.testing.assert_allclose(coef, other.coef_, rtol=1e-9)
    np.testing.assert_allclose(thresholds, other.thresholds_, rtol=1e-9)


def test_balanced_gives_each_class_the_same_sum_and_the_rows_their_number():
    """Counts 60, 30, 10 of 100: factors 100 / (3 * 60), 100 / (3 * 30), 100 / (3 * 10)."""
    X = np.random.default_rng(1).normal(size=(100, 2))
    y = np.repeat([0, 1, 2], [60, 30, 10])
    X[:, 0] += y
    balanced = CSVOR(class_weight="balanced").fit(X, y)
    factors = {0: 100 / 180, 1: 100 / 90, 2: 100 / 30}
    by_hand = CSVOR(class_weight=factors).fit(X, y)
    assert balanced.objective_ == pytest.approx(by_hand.objective_, rel=1e-12)
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_, rtol=1e-9)


def test_balanced_counts_sample_weights_and_leaves_out_empty_classes():
    """Weight 0 leaves class 1 without rows: two classes share 8 rows, 2 and 6."""
    X = np.arange(12.0)[:, None]
    y = np.repeat([0, 1, 2], [2, 4, 6])
    weights = np.where(y == 1, 0.0, 1.0)
    with pytest.warns(UserWarning, match="No rows of class 1"):
        balanced = CSVOR(class_weight="balanced").fit(X, y, sample_weight=weights)
    with pytest.warns(UserWarning, match="No rows of class 1"):
        by_hand = CSVOR().fit(X, y, sample_weight=weights * np.array([2.0, 1.0, 2 / 3])[y])
    assert balanced.objective_ == pytest.approx(by_hand.objective_, rel=1e-12)


def test_word_labels_name_their_weights():
    X, y = g(0, 100)
    words = np.array(["awful", "poor", "fair", "good", "superb"])
    model = CSVOR(classes=words, class_weight={"superb": 4.0}).fit(X, words[y])
    expected = CSVOR(class_weight={4: 4.0}).fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({7: 2.0}, r"class_weight names \[7\], which are not among the classes \[0, 1, 2\]"),
        ({0: -1.0}, "finite numbers >= 0"),
        ({0: np.nan}, "finite numbers >= 0"),
        ({0: 0, 1: 0, 2: 0}, "leaves no row with a positive weight"),
    ],
)
def test_senseless_factors_are_refused(class_weight, message):
    X, y = logistic_rows()
    with pytest.raises(ValueError, match=message):
        CSVOR(class_weight=class_weight).fit(X, y)


def test_n17_the_rare_top_grade_is_predicted():
    def draw(seed, n):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 2))
        return X, np.digitize(X[:, 0] + 0.5 * rng.normal(size=n), [1.2, 1.7, 2.2])

    X, y = draw(0, 400)
    assert np.bincount(y).tolist() == [355, 27, 13, 5]
    X_test, y_test = draw(9, 4000)
    model = CSVOR(class_weight="balanced").fit(X, y)
    error = average_mean_absolute_error(y_test, model.predict(X_test))
    assert error <= 0.50
    assert 3 in model.predict(X_test)
    assert error < average_mean_absolute_error(y_test, CSVOR().fit(X, y).predict(X_test)) - 0.1
