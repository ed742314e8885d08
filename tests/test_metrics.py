"""Measures of ordered labels, by hand; and scorers inside scikit-learn's searches."""

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LearningCurveDisplay,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR, metrics
from csvor._labels import LabelError

WORDS = ["low", "medium", "high"]
MEASURES: dict[str, Callable[..., Any]] = {
    name: getattr(metrics, name) for name in metrics.__all__ if not name.startswith("get_")
}


def b12() -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(12.0)
    return x[:, None], np.digitize(x, [4, 8])


class Cuts(ClassifierMixin, BaseEstimator):
    """Predicts ``classes[number of cuts at or below x]``; right on B12 when shift is 0."""

    def __init__(self, shift: float = 0.0, classes: Any = None) -> None:
        self.shift = shift
        self.classes = classes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Cuts":
        self.classes_ = np.unique(y) if self.classes is None else np.asarray(self.classes)
        return self

    def predict(self, X: Any) -> np.ndarray:
        steps = np.digitize(np.ravel(X) + self.shift, [4, 8])
        return self.classes_[np.minimum(steps, len(self.classes_) - 1)]


# Truth and prediction of most tests: 5 classes 0..4, of which 3 have rows.
TRUE = [0, 0, 1, 3, 3]
PREDICTED = [0, 1, 1, 3, 4]

# Distances are 0, 1, 0, 0, 1: two of five are wrong and all are within 1.
# Class means 1/2, 0, 1/2: average 1/3, maximum 1/2.
# Kappa by hand: truth has 0, 1, 3 with 2, 1, 2 rows, prediction 0, 1, 3, 4 with 1, 2, 1, 1.
# Without a class list the ranks are 0, 1, 2, 3. Quadratic: observed 2/5; expected, over 5 x 5
# pairs, true 0: 2(0 + 2 + 4 + 9) = 30; true 1: 1 + 0 + 1 + 4 = 6; true 3: 2(4 + 2 + 0 + 1) = 14;
# 50/25 = 2. Linear: observed 2/5; expected 2(0 + 2 + 2 + 3) + (1 + 0 + 1 + 2) +
# 2(2 + 2 + 0 + 1) = 28, 28/25. So 1 - 0.4/2 = 0.8 and 1 - 10/28 = 9/14.
BY_HAND = {
    "mean_zero_one_error": 0.4,
    "mean_absolute_error": 0.4,
    "average_mean_absolute_error": 1 / 3,
    "maximum_mean_absolute_error": 0.5,
    "accuracy_off1_score": 1.0,
    "weighted_kappa": 0.8,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_n24_values_by_hand(name: str) -> None:
    value = MEASURES[name](TRUE, PREDICTED)
    assert type(value) is float
    assert value == pytest.approx(BY_HAND[name], rel=1e-12)


def test_linear_kappa_by_hand() -> None:
    value = metrics.weighted_kappa(TRUE, PREDICTED, weights="linear")
    assert value == pytest.approx(9 / 14, rel=1e-12)


@pytest.mark.parametrize("classes", [None, range(5)])
def test_n24_only_classes_with_rows_count(classes: Any) -> None:
    # Class 4 is predicted but has no row, class 2 does not occur at all.
    given = {"classes": classes}
    assert metrics.average_mean_absolute_error(TRUE, PREDICTED, **given) == pytest.approx(1 / 3)
    assert metrics.maximum_mean_absolute_error(TRUE, PREDICTED, **given) == 0.5
    errors = metrics.per_class_mean_absolute_error(TRUE, PREDICTED, **given)
    expected = [0.5, 0.0, 0.5, np.nan] if classes is None else [0.5, 0.0, np.nan, 0.5, np.nan]
    np.testing.assert_array_equal(errors, expected)


def test_n10_how_many_classes_have_rows_is_seen() -> None:
    y = pd.Categorical(["low", "high", "high"], categories=WORDS, ordered=True)
    errors = metrics.per_class_mean_absolute_error(y, ["low", "low", "high"])
    # "high" is predicted right once and 2 steps off once; "medium" has no rows.
    np.testing.assert_array_equal(errors, [0.0, np.nan, 1.0])
    assert metrics.average_mean_absolute_error(y, ["low", "low", "high"]) == 0.5


KINDS: dict[str, Callable[[list[int]], Any]] = {
    "renamed in order": lambda codes: [[3, 5, 7, 20, 99][c] for c in codes],
    "tuple": tuple,
    "uint8": lambda codes: np.array(codes, dtype=np.uint8),
    "int8": lambda codes: np.array(codes, dtype=np.int8) + np.int8(100),
    "float": lambda codes: np.array(codes, dtype=np.float32),
    "text": lambda codes: [str(c + 8) for c in codes],  # '8', '9', '10': not in text order
    "object": lambda codes: np.array(codes, dtype=object),
    "Series": lambda codes: pd.Series(codes, index=codes),
    "nullable": lambda codes: pd.Series(codes, dtype="Int8"),
    "categorical of numbers": lambda codes: pd.Categorical(codes),
    "ordered": lambda codes: pd.Series(
        pd.Categorical.from_codes(codes, categories=["e", "d", "c", "b", "a"], ordered=True)
    ),
    "polars": pl.Series,
    "polars Enum": lambda codes: pl.Series(
        [["e", "d", "c", "b", "a"][c] for c in codes], dtype=pl.Enum(["e", "d", "c", "b", "a"])
    ),
    "column": lambda codes: np.array(codes)[:, None],
}


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BY_HAND)
def test_n24_the_kind_of_label_does_not_matter(name: str, kind: str) -> None:
    value = MEASURES[name](KINDS[kind](TRUE), KINDS[kind](PREDICTED))
    expected = BY_HAND[name]
    if name == "weighted_kappa" and ("ordered" in kind.split() or "Enum" in kind):
        # All five classes are known here: expected, true 0: 2(0 + 2 + 9 + 16) = 54;
        # true 1: 1 + 0 + 4 + 9 = 14; true 3: 2(9 + 8 + 0 + 1) = 36; 104/25 against 2/5.
        expected = 1 - 10 / 104
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize("order", [["a", "b", "c", "d", "e"], ["e", "d", "c", "b", "a"]])
def test_words_with_their_order(name: str, order: list[str]) -> None:
    y_true, y_pred = ([order[code] for code in codes] for codes in (TRUE, PREDICTED))
    value = MEASURES[name](y_true, y_pred, classes=order)
    assert value == MEASURES[name](TRUE, PREDICTED, classes=range(5))


@pytest.mark.parametrize("name", [n for n in MEASURES if n != "mean_zero_one_error"])
def test_words_without_an_order_are_refused(name: str) -> None:
    with pytest.raises(LabelError, match="words without an order: 'high', 'low'"):
        MEASURES[name](["low", "high"], ["low", "low"])


def test_the_share_of_wrong_words_needs_no_order() -> None:
    assert metrics.mean_zero_one_error(["low", "high", "low", "mid"], ["low"] * 4) == 0.5


def test_distances_are_ranks_not_values() -> None:
    # 1 and 9 are two steps apart on the scale 1, 5, 9, and one step where 5 is no class.
    assert metrics.mean_absolute_error([1, 5], [9, 5]) == 1.0
    assert metrics.mean_absolute_error([1, 1], [9, 9]) == 1.0
    assert metrics.mean_absolute_error([1, 1], [9, 9], classes=[1, 5, 9]) == 2.0
    assert metrics.accuracy_off1_score([1, 1], [9, 1], classes=[1, 5, 9]) == 0.5


def test_n05_uint8_does_not_wrap() -> None:
    # |1 - 3|, 0, |3 - 1|: 4/3, where uint8 arithmetic gives 85.3.
    y_true, y_pred = np.array([1, 2, 3], dtype=np.uint8), np.array([3, 2, 1], dtype=np.uint8)
    assert metrics.mean_absolute_error(y_true, y_pred) == 4 / 3


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.float32])
def test_n05_narrow_types_give_the_same_bits(
    name: str, dtype: type, rng: np.random.Generator
) -> None:
    low = 0 if dtype is np.uint8 else -100
    y_true, y_pred = rng.integers(low, 100, size=(2, 400))
    narrow = MEASURES[name](y_true.astype(dtype), y_pred.astype(dtype))
    np.testing.assert_array_equal(narrow, MEASURES[name](y_true, y_pred))


def test_n25_text_digits_are_numbers() -> None:
    assert metrics.mean_absolute_error(["1", "2", "3"], ["3", "2", "1"]) == 4 / 3
    # '10' is next to '9'; in text order it would be next to '1'.
    grades = [str(grade) for grade in range(1, 12)]
    assert metrics.mean_absolute_error(grades, [*grades[1:], "11"]) == 10 / 11


# N23: kappa where it is undefined, and on the right order.


@pytest.mark.parametrize("label", [2, "2"])
@pytest.mark.parametrize("weights", ["quadratic", "linear"])
def test_n23a_one_class_throughout_is_one_with_a_warning(label: Any, weights: Any) -> None:
    with pytest.warns(UndefinedMetricWarning, match=r"Kappa is undefined.*1\.0 is returned"):
        assert metrics.weighted_kappa([label] * 6, [label] * 6, weights=weights) == 1.0


def test_n23a_also_with_a_class_list_or_by_weights() -> None:
    with pytest.warns(UndefinedMetricWarning):
        assert metrics.weighted_kappa([2] * 3, [2] * 3, classes=[1, 2, 3]) == 1.0
    with pytest.warns(UndefinedMetricWarning):
        value = metrics.weighted_kappa([2, 2, 1], [2, 2, 3], sample_weight=[0.1, 0.2, 0])
    assert value == 1.0


def test_n23a_two_different_constants_are_chance() -> None:
    assert metrics.weighted_kappa([1, 1, 1], [3, 3, 3]) == 0.0


def test_n23b_words_in_their_true_order() -> None:
    y_true = ["low"] * 3 + ["medium"] * 3 + ["high"] * 3
    y_pred = ["high"] * 3 + ["medium"] * 3 + ["high"] * 3
    # Observed 3 x 4 / 9 = 12/9. Expected: truth is even, prediction has medium x 3, high x 6;
    # low: 3(3 + 24) = 81, medium: 3 x 6 = 18, high: 3 x 3 = 9; 108/81 = 12/9. So 0.
    assert metrics.weighted_kappa(y_true, y_pred, classes=WORDS) == pytest.approx(0.0, abs=1e-15)
    declared = pd.CategoricalDtype(WORDS, ordered=True)
    value = metrics.weighted_kappa(pd.Series(y_true, dtype=declared), y_pred)
    assert value == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(LabelError, match="words without an order"):
        metrics.weighted_kappa(y_true, y_pred)


def test_n23c_the_whole_scale_changes_kappa() -> None:
    y_true, y_pred = [1, 1, 2, 2, 5, 5], [1, 2, 2, 5, 5, 5]
    # Seen labels, ranks 0, 1, 2: observed 2/6; expected 2(0 + 2 + 12) + 2(1 + 0 + 3) +
    # 2(4 + 2 + 0) = 48 over 36; 1 - (1/3)/(4/3) = 0.75.
    assert metrics.weighted_kappa(y_true, y_pred) == pytest.approx(0.75)
    # On 1..5: observed (1 + 9)/6; expected 2(0 + 2 + 48) + 2(1 + 0 + 27) + 2(16 + 18 + 0) = 224
    # over 36; 1 - 60/224 = 0.732.
    assert metrics.weighted_kappa(y_true, y_pred, classes=range(1, 6)) == pytest.approx(164 / 224)


@pytest.mark.parametrize("weights", ["quadratic", "linear"])
@pytest.mark.parametrize("weighted", [False, True])
def test_kappa_agrees_with_scikit_learn(
    weights: Any, weighted: bool, rng: np.random.Generator
) -> None:
    y_true, y_pred = rng.integers(0, 6, size=(2, 300))
    weight = rng.uniform(size=300) if weighted else None
    ours = metrics.weighted_kappa(y_true, y_pred, weights=weights, sample_weight=weight)
    theirs = cohen_kappa_score(y_true, y_pred, weights=weights, sample_weight=weight)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_unknown_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="weights='cubic' is not known; use 'quadratic' or"):
        metrics.weighted_kappa([1, 2], [1, 2], weights="cubic")  # type: ignore[arg-type]


# Weights and wrong use.


@pytest.mark.parametrize("name", MEASURES)
def test_n16_a_weight_counts_as_repetition(name: str, rng: np.random.Generator) -> None:
    y_true, y_pred = rng.integers(0, 5, size=(2, 60))
    weight = rng.integers(0, 4, size=60)
    weight[y_true == 4] = 0  # then class 4 has no rows
    weighted = MEASURES[name](y_true, y_pred, sample_weight=weight, classes=range(5))
    repeated = MEASURES[name](
        np.repeat(y_true, weight), np.repeat(y_pred, weight), classes=range(5)
    )
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)
    # Only proportions matter.
    scaled = MEASURES[name](y_true, y_pred, sample_weight=weight / 7, classes=range(5))
    np.testing.assert_allclose(scaled, repeated, rtol=1e-12)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(
    ("weight", "complaint"),
    [
        ([1.0, -1.0], "sample_weight is -1.0 in row 1; weights must be finite and >= 0"),
        ([np.nan, 1.0], "sample_weight is nan in row 0"),
        ([1.0, np.inf], "sample_weight is inf in row 1"),
        ([0.0, 0.0], "sample_weight is zero for every row"),
        ([1.0], r"the shape \(1,\) but there are 2 labels"),
        ([[1.0, 1.0]], r"the shape \(1, 2\) but"),
    ],
)
def test_n16_wrong_weights_are_refused(name: str, weight: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        MEASURES[name]([1, 2], [1, 2], sample_weight=weight)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(
    ("y_true", "y_pred", "classes", "complaint"),
    [
        ([1, 2, 3], [1, 2], None, "y_true has 3 labels and y_pred 2"),
        ([1, 2], [1, 7], [1, 2, 3], "Label 7 is not among the classes 1, 2, 3"),
        ([7, 2], [1, 2], [1, 2, 3], "Label 7 is not among the classes 1, 2, 3"),
        ([1, None], [1, 2], None, "1 of 2 labels is missing"),
        ([1, 2], [1.0, np.nan], None, "1 of 2 labels is missing"),
        ([1, 2], ["1", "2"], None, r"one holds text, the other numbers \(1, '1'\)"),
        (["a", "b"], ["a", "b"], [1, 2], r"labels are text \('a', 'b'\) but the classes are num"),
        ([1.5, 2.0], [1.5, 2.0], None, "not a whole number"),
        ([], [], None, "y_true is empty"),
        ([1], [], None, "y_pred is empty"),
        (np.ones((2, 2)), [1, 2], None, "y_true should be a 1d array"),
    ],
)
def test_wrong_use_is_refused(
    name: str, y_true: Any, y_pred: Any, classes: Any, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        MEASURES[name](y_true, y_pred, classes=classes)


def test_two_orders_are_refused() -> None:
    y_true = pd.Categorical(WORDS, categories=WORDS, ordered=True)
    y_pred = pd.Categorical(WORDS, categories=WORDS[::-1], ordered=True)
    with pytest.raises(LabelError, match="y_true and y_pred are ordered differently"):
        metrics.mean_absolute_error(y_true, y_pred)
    assert metrics.mean_absolute_error(y_true, y_pred, classes=WORDS) == 0.0


@pytest.mark.parametrize("name", MEASURES)
def test_far_labels_do_not_warn_here(name: str) -> None:
    MEASURES[name]([*range(1, 6)] * 20 + [99], [*range(1, 6)] * 20 + [5])


# Scorers.

NAMES = [
    "accuracy_off1",
    "linear_kappa",
    "neg_average_mean_absolute_error",
    "neg_maximum_mean_absolute_error",
    "neg_mean_absolute_error",
    "neg_mean_zero_one_error",
    "quadratic_kappa",
]


def test_scorer_names() -> None:
    assert metrics.get_scorer_names() == NAMES
    with pytest.raises(ValueError, match=r"no scorer 'mae'; the names are accuracy_off1, linear_"):
        metrics.get_scorer("mae")


# B12 shifted by 2: x = 2, 3 are called 1 and x = 6, 7 are called 2, so 4 of 12 are one off.
# Class means 1/2, 1/2, 0. Counts: truth 4, 4, 4; prediction 2, 4, 6. Quadratic: observed 4/12;
# expected (0 + 4 + 24) + (2 + 0 + 6) + (8 + 4 + 0) = 48, times 4, over 144 = 4/3; 0.75.
# Linear: expected (0 + 4 + 12) + (2 + 0 + 6) + (4 + 4 + 0) = 32, times 4, over 144 = 8/9; 0.625.
SHIFTED = {
    "accuracy_off1": 1.0,
    "linear_kappa": 0.625,
    "neg_average_mean_absolute_error": -1 / 3,
    "neg_maximum_mean_absolute_error": -0.5,
    "neg_mean_absolute_error": -1 / 3,
    "neg_mean_zero_one_error": -1 / 3,
    "quadratic_kappa": 0.75,
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("labels", [[0, 1, 2], [1, 5, 9], WORDS, ["9", "10", "11"]], ids=str)
@pytest.mark.parametrize("piped", [False, True])
def test_n25_scorers_on_any_labels(name: str, labels: list[Any], piped: bool) -> None:
    X, rank = b12()
    y = np.array(labels)[rank]
    scorer = metrics.get_scorer(name)
    for shift, expected in ((2.0, SHIFTED[name]), (0.0, max(0.0, np.sign(SHIFTED[name])))):
        model: Any = Cuts(shift, classes=labels)
        if piped:
            model = make_pipeline("passthrough", model)
        value = scorer(model.fit(X, y), X, y)
        assert type(value) is float
        assert value == pytest.approx(expected, abs=1e-15)
        assert not np.signbit(value) or value < 0  # a perfect score is 0.0, not -0.0


@pytest.mark.parametrize("name", NAMES)
def test_n25_a_search_on_words_finds_the_best(name: str) -> None:
    X, rank = b12()
    y = np.array(WORDS)[rank]
    grid = {"shift": [-3.9, 0.0, 3.9]}
    with warnings.catch_warnings():
        # A fold may hold one class, all of it right.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        search = GridSearchCV(
            Cuts(classes=WORDS),
            grid,
            scoring=metrics.get_scorer(name),
            cv=KFold(2),
            error_score="raise",
        ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    if name != "accuracy_off1":  # all are within one step
        assert search.best_params_ == {"shift": 0.0}
    assert search.best_score_ == (0.0 if name.startswith("neg_") else 1.0)
    # A search is an estimator with classes_ like any other.
    assert metrics.get_scorer(name)(search, X, y) == search.best_score_


@pytest.mark.parametrize("name", NAMES)
def test_n25_a_search_over_csvor_on_words(name: str) -> None:
    X, rank = b12()
    y = np.array(WORDS)[rank]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), CSVOR(classes=WORDS)),
        {"csvor__C": [1.0, 10.0, 100.0]},
        scoring=metrics.get_scorer(name),
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert metrics.get_scorer(name)(search, X, y) == (0.0 if name.startswith("neg_") else 1.0)


@pytest.mark.filterwarnings("ignore:No rows of class")
def test_n09_folds_that_lack_a_class() -> None:
    # Each training part of the unshuffled folds lacks one of the three classes.
    X, y = b12()
    for scoring in metrics.get_scorer_names():
        if "kappa" in scoring:
            continue  # each test part is one class
        scores = cross_val_score(
            CSVOR(classes=[0, 1, 2]),
            X,
            y,
            cv=KFold(3),
            scoring=metrics.get_scorer(scoring),
            error_score="raise",
        )
        assert np.isfinite(scores).all()


def test_n09_a_number_never_seen_counts_at_its_distance() -> None:
    X, y = b12()
    seen = y != 1
    model = Cuts(classes=[0, 2]).fit(X[seen], y[seen])  # predicts 0 below 4, else 2
    # Class 1 is wrong by one step in 4 rows, the others are right. The truth widens the scale:
    # predicting 2 for a true 0 would be two steps.
    assert metrics.get_scorer("neg_mean_absolute_error")(model, X, y) == pytest.approx(-4 / 12)
    assert metrics.get_scorer("neg_maximum_mean_absolute_error")(model, X, y) == -1.0
    far = Cuts(shift=8, classes=[0, 2]).fit(X[seen], y[seen])  # predicts 2 only
    assert metrics.get_scorer("neg_mean_absolute_error")(far, X, y) == -(2 * 4 + 4) / 12
    assert metrics.get_scorer("neg_mean_absolute_error")(far, X[seen], y[seen]) == -0.5


@pytest.mark.parametrize("name", NAMES)
def test_n09_csvor_scores_a_number_it_never_saw(name: str) -> None:
    X, y = b12()
    seen = y != 1
    model = CSVOR().fit(X[seen], y[seen])
    predicted = model.predict(X)
    assert set(predicted) == {0, 2}
    measure = {
        "accuracy_off1": metrics.accuracy_off1_score,
        "linear_kappa": lambda a, b: metrics.weighted_kappa(a, b, weights="linear"),
        "quadratic_kappa": metrics.weighted_kappa,
    }.get(name) or getattr(metrics, name.removeprefix("neg_"))
    expected = measure(y, predicted)  # the union is 0, 1, 2
    sign = -1 if name.startswith("neg_") else 1
    assert metrics.get_scorer(name)(model, X, y) == sign * expected


@pytest.mark.parametrize("name", NAMES)
def test_n09_a_word_never_seen_is_named(name: str) -> None:
    X, rank = b12()
    y = np.array(WORDS)[rank]
    model = Cuts(classes=["low", "high"]).fit(X, y)
    with pytest.raises(LabelError, match="Label 'medium' is not among the classes 'low', 'high'"):
        metrics.get_scorer(name)(model, X, y)


def test_a_plain_classifier_sorts_words_by_the_alphabet() -> None:
    X, rank = b12()
    order = pd.CategoricalDtype(WORDS, ordered=True)
    y = pd.Series(np.array(WORDS)[rank], dtype=order)
    model = LogisticRegression(C=1000.0, max_iter=1000).fit(X, y)
    assert model.classes_.tolist() == ["high", "low", "medium"]
    with pytest.raises(LabelError, match=r"LogisticRegression has the classes in the order \['hi"):
        metrics.get_scorer("neg_mean_absolute_error")(model, X, y)
    scorer = metrics.get_scorer("neg_mean_absolute_error", classes=WORDS)
    assert scorer(model, X, y) == 0.0
    # low <-> high is two steps, whatever the alphabet says.
    swapped = y.astype(str).replace({"low": "high", "high": "low"})
    assert scorer(model, X, swapped) == -2 * 8 / 12


def test_an_ordered_dtype_that_agrees_is_fine() -> None:
    X, rank = b12()
    y = pd.Series(np.array(WORDS)[rank], dtype=pd.CategoricalDtype(WORDS, ordered=True))
    model = CSVOR().fit(X, y)
    assert metrics.get_scorer("neg_mean_absolute_error")(model, X, y) == 0.0


def test_an_estimator_without_classes_is_refused() -> None:
    X, y = b12()
    with pytest.raises(ValueError, match="LinearRegression has no classes_"):
        metrics.get_scorer("quadratic_kappa")(LinearRegression().fit(X, y), X, y)


@pytest.mark.parametrize("name", NAMES)
def test_scorers_can_be_cloned_and_pickled(name: str) -> None:
    X, y = b12()
    model = Cuts(2.0).fit(X, y)
    scorer = metrics.get_scorer(name, classes=[0, 1, 2])
    for again in (clone(scorer), pickle.loads(pickle.dumps(scorer))):
        assert again(model, X, y) == pytest.approx(SHIFTED[name])
    assert repr(scorer) == f"OrdinalScorer(classes=[0, 1, 2], name='{name}')"


@pytest.mark.slow
def test_scorers_work_in_other_processes() -> None:
    X, y = b12()
    scores = cross_val_score(
        Cuts(2.0), X, y, cv=3, scoring=metrics.get_scorer("neg_mean_absolute_error"), n_jobs=2
    )
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", NAMES)
def test_n16_scorers_take_weights(name: str) -> None:
    X, y = b12()
    model = Cuts(2.0).fit(X, y)
    weight = np.tile([0, 1, 2, 3], 3)
    scorer = metrics.get_scorer(name)
    repeated = scorer(model, np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert scorer(model, X, y, sample_weight=weight) == pytest.approx(repeated)
    assert scorer(model, X, y, sample_weight=weight) != scorer(model, X, y) or name == (
        "accuracy_off1"
    )


def weighted_folds(**routing: Any) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two folds, rows of the second half of each weighted 0."""
    X, y = b12()
    weight = np.tile([1.0, 1.0, 0.0, 0.0], 3)  # the wrong rows of Cuts(2) are the last of each
    scoring = {
        "mae": metrics.get_scorer("neg_mean_absolute_error"),
        "off": metrics.get_scorer("accuracy_off1"),
    }
    if routing:
        scoring = {key: scorer.set_score_request(**routing) for key, scorer in scoring.items()}
        model = Cuts(2.0, classes=[0, 1, 2]).set_fit_request(sample_weight=True)
        found = cross_validate(
            model, X, y, cv=KFold(2), scoring=scoring, params={"sample_weight": weight}
        )
        return found["test_mae"], found["test_off"]
    search = GridSearchCV(
        Cuts(classes=[0, 1, 2]), {"shift": [2.0]}, scoring=scoring, cv=KFold(2), refit=False
    ).fit(X, y, sample_weight=weight)
    results = search.cv_results_
    return tuple(
        np.array([results[f"split{k}_test_{key}"][0] for k in range(2)]) for key in scoring
    )


def test_weights_reach_the_scorers_of_a_search() -> None:
    errors, shares = weighted_folds()
    # The fold 0..5 has the wrong rows 2, 3 (weight 0); the fold 6..11 the wrong rows 6, 7 (0).
    assert errors.tolist() == [0.0, 0.0]
    assert shares.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("wanted", [True, False])
def test_weights_are_routed_where_requested(wanted: bool) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        errors, _ = weighted_folds(sample_weight=wanted)
    assert errors.tolist() == ([0.0, 0.0] if wanted else [-2 / 6, -2 / 6])


def test_plain_numbers_agree_with_scikit_learn(rng: np.random.Generator) -> None:
    # Where the classes are 0..K-1 and all occur, ranks are values.
    X, y = rng.normal(size=(80, 2)), np.tile([0, 1, 2, 3], 20)
    model = LogisticRegression().fit(X, y)
    ours = metrics.get_scorer("neg_mean_absolute_error")
    theirs = sklearn.metrics.get_scorer("neg_mean_absolute_error")
    assert ours(model, X, y) == pytest.approx(theirs(model, X, y))


@pytest.mark.parametrize("name", [n for n in BY_HAND if n != "weighted_kappa"])
def test_agrees_with_skordinal(name: str, rng: np.random.Generator) -> None:
    theirs = pytest.importorskip("skordinal.metrics", reason="skordinal is not installed")
    y_true, y_pred = rng.integers(0, 5, size=(2, 200))
    assert MEASURES[name](y_true, y_pred) == pytest.approx(getattr(theirs, name)(y_true, y_pred))


@pytest.mark.parametrize("name", metrics.get_scorer_names())
def test_n59_displays_of_scikit_learn_draw_scores(name: str) -> None:
    mpl = pytest.importorskip("matplotlib", reason="the extra plots is not installed")
    mpl.use("agg")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.digitize(X @ [1.0, 2.0], [-1.0, 0.0, 1.0])
    scorer = metrics.get_scorer(name)
    display = LearningCurveDisplay.from_estimator(
        LogisticRegression(), X, y, cv=3, scoring=scorer, train_sizes=[0.5, 1.0]
    )
    words = name.replace("neg_", "Negative ").replace("_", " ").capitalize()
    assert display.ax_.get_ylabel() == words
    values = scorer._sign * scorer._score_func(y, y[::-1])
    assert values == pytest.approx(scorer(Backwards(y), X, y))


class Backwards(ClassifierMixin, BaseEstimator):
    """Predicts labels from the last row to the first."""

    def __init__(self, y: Any) -> None:
        self.y = y
        self.classes_ = np.unique(y)

    def predict(self, X: Any) -> Any:
        return self.y[::-1]
