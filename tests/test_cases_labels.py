"""Cases N01 to N10: what CSVOR does with labels and with classes that lack rows.

How labels are read and ordered is in test_labels.py; here they go through a fit.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import LinearSVC

from csvor import CSVOR
from problems import b12, g, logistic_rows

WORDS = ["low", "medium", "high"]
X12, RANK = b12()

CONTAINERS = {
    "list": lambda y: np.asarray(y).tolist(),
    "tuple": lambda y: tuple(np.asarray(y).tolist()),
    "ndarray": np.asarray,
    "object ndarray": lambda y: np.asarray(y, dtype=object),
    "Series": lambda y: pd.Series(y, index=range(12, 0, -1)),
    "unordered categorical": lambda y: pd.Series(y, dtype="category"),
    "polars": lambda y: pl.Series(np.asarray(y).tolist()),
}
each_container = pytest.mark.parametrize("container", CONTAINERS)


def assert_ranks(model, y, names):
    """`model` was fitted on B12 with ranks called `names`: 12 of 12 right, in the given labels."""
    predicted = model.predict(X12)
    assert model.classes_.tolist() == list(names)
    assert predicted.dtype == model.classes_.dtype
    assert predicted.tolist() == np.array(names, dtype=object)[RANK].tolist()
    assert model.score(X12, y) == 1.0
    return predicted


# N01: words.


@each_container
def test_n01_words_with_their_order_come_back(container):
    order = [WORDS, ["z", "y", "x"], ["10 %", "9 %", "b"]][len(container) % 3]
    y = CONTAINERS[container](np.array(order)[RANK])
    predicted = assert_ranks(CSVOR(classes=order).fit(X12, y), y, order)
    assert all(type(label) in (str, np.str_) for label in predicted)


@pytest.mark.parametrize("kind", ["Categorical", "Series", "polars Enum", "polars frame"])
def test_n01_the_order_of_a_categorical_is_used(kind):
    words = np.array(WORDS)[RANK]
    ordered = pd.Categorical(words, categories=WORDS, ordered=True)
    enum = pl.Series("y", words.tolist(), dtype=pl.Enum(WORDS))
    made = {
        "Categorical": ordered,
        "Series": pd.Series(ordered, index=range(3, 15)),
        "polars Enum": enum,
        "polars frame": enum.to_frame()["y"],
    }
    assert_ranks(CSVOR().fit(X12, made[kind]), made[kind], WORDS)


@each_container
def test_n01_words_without_an_order_are_refused(container):
    y = CONTAINERS[container](np.array(WORDS)[RANK])
    with pytest.raises(ValueError, match=r"'high', 'low', 'medium'.* in classes=\[\.\.\.\]"):
        CSVOR().fit(X12, y)


# N02: numbers that do not count from 0.


@pytest.mark.parametrize(
    ("container", "names"),
    [
        ("list", [3, 4, 5]),
        ("tuple", [1, 5, 9]),
        ("ndarray", [-1, 0, 1]),
        ("object ndarray", [-900, 2, 10**6]),
        ("Series", [1, 5, 9]),
        ("unordered categorical", [3, 4, 5]),
        ("polars", [0, 10, 100]),
    ],
)
def test_n02_numbers_are_ranks(container, names):
    y = CONTAINERS[container](np.array(names)[RANK])
    model, plain = CSVOR().fit(X12, y), CSVOR().fit(X12, RANK)
    assert_ranks(model, y, names)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.thresholds_, plain.thresholds_)
    np.testing.assert_array_equal(model.predict_proba(X12), plain.predict_proba(X12))


def test_n02_two_labels_with_a_gap_are_two_classes():
    y = np.where(RANK == 1, 2, RANK)
    model = CSVOR().fit(X12, y)
    assert model.classes_.tolist() == [0, 2]
    assert model.predict(X12).tolist() == y.tolist()
    assert model.thresholds_.shape == (1,)
    assert model.decision_function(X12).shape == (12,)


# N03: numbers as text.


@pytest.mark.parametrize("top", [11, 100])
@pytest.mark.parametrize("kind", [np.array, list, pd.Series, pl.Series])
def test_n03_text_digits_are_ordered_by_number(top, kind):
    grades = np.unique(np.linspace(1, top, 11).astype(int))
    x = np.repeat(grades, 2).astype(float)[:, None]
    y = np.repeat(grades.astype(str), 2)
    model = CSVOR(C=100.0).fit(x, kind(y))
    assert model.classes_.tolist() == [str(grade) for grade in grades]
    assert model.predict(x).tolist() == y.tolist()
    np.testing.assert_array_equal(model.predict_proba(x).argmax(axis=1), np.repeat(range(11), 2))


# N04: floats.


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_n04_whole_floats_come_back_as_floats(dtype):
    y = RANK.astype(dtype)
    assert assert_ranks(CSVOR().fit(X12, y), y, [0.0, 1.0, 2.0]).dtype == dtype


@each_container
def test_n04_half_points_need_the_class_list(container):
    y = CONTAINERS[container](np.array([1.0, 1.5, 2.0])[RANK])
    with pytest.raises(ValueError, match=r"4 of 12 .* classes=\[1\.0, 1\.5, 2\.0\]"):
        CSVOR().fit(X12, y)
    model = CSVOR(classes=[1, 1.5, 2]).fit(X12, y)
    assert model.predict(X12).tolist() == [1.0] * 4 + [1.5] * 4 + [2.0] * 4
    assert 1.5 in model.classes_


def test_n04_half_points_can_be_scored():
    y = np.array([1.0, 1.5, 2.0])[RANK]
    model = CSVOR(classes=[1, 1.5, 2])
    assert model.fit(X12, y).score(X12, y) == 1.0
    cv = KFold(3, shuffle=True, random_state=0)
    assert np.all(cross_val_score(model, X12, y, cv=cv, error_score="raise") >= 0.5)


def test_n04_a_regression_target_is_refused():
    with pytest.raises(ValueError, match="12 values differ: this is a regression target"):
        CSVOR().fit(X12, np.linspace(1.03, 4.71, 12))


# N05: small integer types.


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "f4"])
def test_n05_narrow_types_give_the_bits_of_int64(dtype):
    X = np.random.default_rng(0).normal(size=(400, 2))
    y = np.repeat(np.arange(-100, 100), 2)
    wide, narrow = CSVOR(p=2).fit(X, y), CSVOR(p=2).fit(X, y.astype(dtype))
    assert narrow.classes_.dtype == narrow.predict(X).dtype == dtype
    for attribute in ("coef_", "thresholds_", "residuals_", "outliers_", "objective_history_"):
        np.testing.assert_array_equal(getattr(narrow, attribute), getattr(wide, attribute))
    np.testing.assert_array_equal(narrow.residuals(X, y.astype(dtype)), wide.residuals(X, y))


@pytest.mark.parametrize("dtype", ["u1", "u8", "i1"])
def test_n05_unsigned_labels(dtype):
    y = (3 - RANK).astype(dtype)  # falls with x
    model = CSVOR().fit(X12, y)
    assert model.coef_[0] < 0
    assert model.predict(X12).tolist() == y.tolist()
    assert model.score(X12, y) == 1.0


# N06: missing labels.


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA], ids=str)
@pytest.mark.parametrize("classes", [None, [0, 1, 2]], ids=str)
def test_n06_missing_labels_are_counted_and_located(missing, classes):
    y = RANK.astype(object)
    y[[1, 6, 9]] = missing
    model = CSVOR(classes=classes)
    for labels in (y, pd.Series(y), pd.Series(y).convert_dtypes()):
        with pytest.raises(ValueError, match=r"3 of 12 labels are missing \(rows 1, 6, 9, "):
            model.fit(X12, labels)
    model.fit(X12, RANK)
    with pytest.raises(ValueError, match=r"3 of 12 labels are missing \(rows 1, 6, 9, "):
        model.residuals(X12, y)


# N07: codes for "no answer".


@pytest.mark.parametrize(("code", "count"), [(99, 6), (9, 3), (-9, 5)])
def test_n07_a_far_and_rare_code_is_warned_of_or_refused(code, count):
    X, y = g(0, 200)
    y = y + 1
    y[:count] = code
    with pytest.warns(UserWarning, match=rf"Label {code} is far .*{count} of 200 rows") as caught:
        model = CSVOR().fit(X, y)
    assert len(caught) == 1
    assert code in model.classes_
    with pytest.raises(ValueError, match=rf"Label {code} is not among the classes 1, 2, 3, 4, 5"):
        CSVOR(classes=[1, 2, 3, 4, 5]).fit(X, y)
    assert CSVOR(classes=np.unique(y)).fit(X, y).classes_.tolist() == np.unique(y).tolist()


# N08: one class, two classes, booleans.


@pytest.mark.parametrize("names", [[0, 1], [False, True], [-1.0, 1.0], ["no", "yes"]], ids=str)
def test_n08_two_classes(names):
    X, rank = logistic_rows()
    y = np.array(names)[(rank > 0).astype(int)]
    model = CSVOR(p=2, epsilon=np.inf, classes=names).fit(X, y)
    binary = LinearSVC(dual=False, intercept_scaling=1e4, tol=1e-8, random_state=0).fit(X, rank > 0)
    np.testing.assert_allclose(model.coef_, binary.coef_[0], rtol=1e-4)
    predicted = model.predict(X)
    assert predicted.dtype == y.dtype
    np.testing.assert_array_equal(predicted, np.array(names)[binary.predict(X).astype(int)])
    assert model.predict_proba(X).shape == (90, 2)
    np.testing.assert_array_equal(model.decision_function(X) >= 0, predicted == names[1])


def test_n08_booleans_have_an_order_and_come_back():
    model = CSVOR().fit(X12, RANK > 0)
    assert model.predict(X12).dtype == bool
    assert model.predict(X12).tolist() == (RANK > 0).tolist()


@pytest.mark.parametrize("label", [0, 7.0, True, "low"], ids=str)
@pytest.mark.parametrize("declared", [False, True])
def test_n08_one_class_is_refused_by_name(label, declared):
    y = np.full(12, label)
    names = ["high" if isinstance(label, str) else False if label is True else 8, label]
    expected = rf"(one|single) class\b.* {label!r}"
    if isinstance(label, str) and not declared:
        expected = "'low'"  # a word: its order is asked for first
    with pytest.raises(ValueError, match=expected):
        CSVOR(classes=names if declared else None).fit(X12, y)


def test_n08_one_class_of_positive_weight_is_refused_by_name():
    with pytest.raises(ValueError, match=r"single class .* 1:"):
        CSVOR().fit(X12, RANK, sample_weight=RANK == 1)


# N09: a class that the training rows lack.


@pytest.mark.parametrize("names", [[0, 1, 2], WORDS, ["9", "10", "11"], [0.5, 1, 2]], ids=str)
@pytest.mark.filterwarnings("ignore:No rows of class")
def test_n09_declared_classes_have_a_column_in_every_fold(names):
    y = np.array(names)[RANK]
    for train, test in KFold(3).split(X12):  # each training part lacks the class of the test part
        model = CSVOR(classes=names).fit(X12[train], y[train])
        assert model.classes_.tolist() == names
        proba = model.predict_proba(X12[test])
        assert proba.shape == (4, 3)
        assert np.all(np.isfinite(proba) & (proba >= 0))
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-9)
        assert np.isfinite(model.score(X12[test], y[test]))
        # Far rows belong to the outermost class that had rows.
        outer = np.unique(RANK[train])[[0, -1]]
        assert model.predict([[-50.0], [70.0]]).tolist() == [names[k] for k in outer]


@pytest.mark.filterwarnings("ignore:No rows of class")
def test_n09_cross_validated_probabilities_have_all_columns():
    model = CSVOR(classes=[0, 1, 2])
    proba = cross_val_predict(model, X12, RANK, cv=KFold(3), method="predict_proba")
    assert proba.shape == (12, 3)
    assert np.all(np.isfinite(proba))
    assert np.isfinite(cross_val_score(model, X12, RANK, cv=KFold(3), error_score="raise")).all()


def test_n09_score_counts_an_unseen_number_as_wrong():
    seen = RANK != 1
    for names in ([0, 1, 2], [10, 20, 30], ["1", "2", "3"], [0.0, 1.0, 2.0]):
        y = np.array(names)[RANK]
        model = CSVOR().fit(X12[seen], y[seen])
        assert model.score(X12, y) == pytest.approx(8 / 12)
        assert model.score(X12[seen], y[seen]) == 1.0


def test_n09_score_names_an_unseen_word():
    y = np.array(WORDS)[RANK]
    seen = RANK != 1
    model = CSVOR(classes=["low", "high"]).fit(X12[seen], y[seen])
    with pytest.raises(ValueError, match="'medium' is not among the classes 'low', 'high'"):
        model.score(X12, y)


# N10: a declared class without rows.


@pytest.mark.parametrize(
    ("gone", "kind"),
    [
        ([1], "words"),
        ([1], "categorical"),
        ([2], "numbers"),
        ([0], "words"),
        ([3], "categorical"),
        ([0, 1], "numbers"),
        ([1, 2], "categorical"),
        ([0, 3], "words"),
        ([2, 3], "numbers"),
    ],
    ids=str,
)
def test_n10_an_empty_class_keeps_its_place_and_moves_nothing(gone, kind):
    names = np.array([4, 5, 6, 7]) if kind == "numbers" else np.array(["d", "a", "c", "b"])
    X = np.random.default_rng(0).normal(size=(90, 2))
    codes = np.digitize(X @ [1.0, -0.5] + np.linspace(-0.5, 0.5, 90), [-0.6, 0.0, 0.6])
    left = np.setdiff1d(range(4), gone)
    codes = left[np.searchsorted(left, codes).clip(max=left.size - 1)]
    y, classes = names[codes], names
    if kind == "categorical":
        y, classes = pd.Categorical(y, categories=names, ordered=True), None
    with pytest.warns(UserWarning, match="No rows of class") as caught:
        model = CSVOR(classes=classes).fit(X, y)
    assert len(caught) == 1
    assert all(repr(names[k].item()) in str(caught[0].message) for k in gone)
    assert model.classes_.tolist() == names.tolist()
    fewer = CSVOR().fit(X, codes)
    np.testing.assert_allclose(model.coef_, fewer.coef_, rtol=1e-6)
    assert model.objective_ == pytest.approx(fewer.objective_, rel=1e-9)
    np.testing.assert_array_equal(model.outliers_, fewer.outliers_)
    np.testing.assert_array_equal(model.predict(X), names[fewer.predict(X)])
    assert model.thresholds_.shape == (3,)
    assert np.all(np.diff(model.thresholds_) >= 0)
    proba = model.predict_proba(X[~model.outliers_])
    assert np.all(proba[:, gone] == 0.0)
    np.testing.assert_allclose(model.residuals(X, y), model.residuals_, atol=1e-9)


# N36: wrappers that number words by the alphabet.

WRAPPERS = {
    "cross_val_predict": lambda model, X, y: cross_val_predict(model, X, y, method="predict_proba"),
    "decision_function": lambda model, X, y: cross_val_predict(
        model, X, y, method="decision_function"
    ),
    "bagging": lambda model, X, y: (
        BaggingClassifier(model, random_state=0).fit(X, y).predict_proba(X)
    ),
    "voting": lambda model, X, y: VotingClassifier([("m", model)]).fit(X, y).transform(X),
    "stacking": lambda model, X, y: StackingClassifier([("m", model)]).fit(X, y).predict_proba(X),
    "one against one": lambda model, X, y: OneVsOneClassifier(model).fit(X, y).predict(X),
}


def n36():
    x = np.random.default_rng(0).permutation(np.linspace(0, 12, 120))[:, None]
    rank = np.digitize(x[:, 0], [4, 8])
    return x, rank, np.array(WORDS)[rank]


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_n36_wrappers_that_recode_words_are_told_of(wrapper):
    x, _, y = n36()
    with pytest.raises(ValueError, match="numbered them by the alphabet") as caught:
        WRAPPERS[wrapper](CSVOR(classes=WORDS), x, y)
    assert "Give it ranks in place of the words, 0 for 'low' to 2 for 'high'" in str(caught.value)


def test_n36_ranks_as_advised_are_right():
    x, rank, _ = n36()
    for method in ("predict_proba", "decision_function"):
        assert np.mean(cross_val_predict(CSVOR(), x, rank, method=method).argmax(1) == rank) >= 0.95
    for wrapper in (BaggingClassifier(CSVOR(), random_state=0), VotingClassifier([("m", CSVOR())])):
        assert np.mean(wrapper.fit(x, rank).predict(x) == rank) >= 0.95


def test_n36_what_leaves_words_as_they_are():
    """What the guide says needs no ranks."""
    x, _, y = n36()
    model = CSVOR(classes=WORDS)
    assert np.mean(cross_val_predict(model, x, y) == y) >= 0.95
    assert cross_val_score(model, x, y).mean() >= 0.95
    assert CalibratedClassifierCV(model).fit(x, y).score(x, y) >= 0.95
