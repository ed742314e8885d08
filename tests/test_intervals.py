"""Classes without rows and classes without an interval, in all estimators (cases N37, N38)."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM, audit_labels
from csvor._estimators.intervals import (
    EmptyIntervalWarning,
    depths,
    predicted_codes,
    warn_of_empty_intervals,
)
from problems import b12, g
from test_probability import n37

FAMILY = [CSVOR, SVOREX, SVORIM, REDSVM, PINSVOR]
each_estimator = pytest.mark.parametrize("estimator", FAMILY)
ignore_empty = pytest.mark.filterwarnings("ignore:No rows of class")


def assert_never(model, gone, X):
    """Classes at the positions `gone` are not predicted, wherever a row lies."""
    far = np.vstack([X, X[:1] * 0.0, 1e3 * X, -1e3 * X, 1e9 * X, -1e9 * X])
    predicted = model.predict(far)
    left = np.setdiff1d(np.arange(model.classes_.size), gone)
    assert set(predicted.tolist()) <= set(model.classes_[left].tolist())
    proba, decision = model.predict_proba(far), model.decision_function(far)
    assert np.all(proba[:, gone] <= 1e-12)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-12)
    for columns in (proba, decision):
        np.testing.assert_array_equal(model.classes_[columns.argmax(axis=1)], predicted)
    assert np.all(np.isfinite(decision)) and np.all(decision[:, gone] < 0)
    assert np.all(np.isfinite(model.thresholds_)) and np.all(np.isfinite(model.residuals_))
    assert {left[0], left[-1]} <= set(np.searchsorted(model.classes_, predicted).tolist())


@ignore_empty
@each_estimator
@pytest.mark.parametrize("gone", [[0], [1], [2], [3], [4], [0, 1], [3, 4], [0, 4], [1, 2, 3]])
@pytest.mark.parametrize("how", ["lacking", "weight", "class_weight"])
def test_n38_a_class_without_rows_is_never_predicted(estimator, gone, how):
    X, y = g(0, 120)
    model, weight = estimator(classes=range(5)), None
    if how == "lacking":
        X, y = X[~np.isin(y, gone)], y[~np.isin(y, gone)]
    elif how == "weight":
        weight = 1.0 - np.isin(y, gone)
    else:
        model.set_params(class_weight={k: float(k not in gone) for k in range(5)})
    model.fit(X, y, weight)
    assert_never(model, gone, X)
    assert np.all(np.isfinite(model.residuals(X, np.full(len(X), gone[0]))))


@ignore_empty
@each_estimator
@pytest.mark.parametrize("top", [0, 1, 2])
def test_n38_b12_without_the_weight_of_a_class(estimator, top):
    X, y = b12()
    model = estimator().fit(X, y, (y != top).astype(float))
    assert_never(model, [top], X)


@ignore_empty
@each_estimator
def test_n38_of_twenty_classes_those_without_rows_are_never_predicted(estimator):
    X = np.linspace(0.0, 1.0, 200)[:, None]
    y = np.repeat(np.arange(20), 10)
    gone = [0, 1, 7, 12, 13, 19]
    seen = ~np.isin(y, gone)
    assert_never(estimator(100.0, classes=range(20)).fit(X[seen], y[seen]), gone, X)


@each_estimator
def test_a_class_of_one_row_is_not_empty(estimator):
    X, y = b12()
    y[:] = np.repeat([0, 1, 2], [5, 6, 1])
    model = estimator(100.0).fit(X, y)
    assert model.predict([[40.0]]) == [2]
    assert model.predict_proba([[40.0]])[0, 2] > 0.9


def test_a_class_that_was_cut_away_whole_is_not_empty():
    """Its one row lies at the other end: cut, but far below, the class has its place."""
    X, y = b12()
    y = y + 1
    y[10] = 0
    model = CSVOR(epsilon=1.0).fit(X, y)
    assert model.outliers_[10] and np.all(np.isfinite(model.thresholds_))
    assert model.predict([[-1e6]]) == [0]
    assert model.predict_proba([[-1e6]]).argmax() == 0


def test_an_audit_whose_folds_lack_a_class_is_finite():
    X, y = b12()
    y[0] = -1
    audit = audit_labels(X, y, SVOREX(), cv=4)
    for name in ("residual", "score", "thresholds", "probability", "class_probabilities"):
        assert np.all(np.isfinite(getattr(audit, name))), name
    np.testing.assert_allclose(audit.class_probabilities.sum(axis=1), 1.0)
    assert audit.suggested.tolist() == y.tolist()  # it is the lowest row, where the class belongs


def test_an_audit_moves_the_one_row_of_a_class_that_lies_elsewhere():
    X, y = g(0, 120)
    true, y[7] = y[7], -1
    audit = audit_labels(X, y, SVOREX(), cv=4)
    assert np.flatnonzero(audit.flagged).tolist() == [7] and true == 2
    assert (audit.given[7], audit.direction[7]) == (-1, "too low")
    assert abs(audit.suggested[7] - true) <= 1
    assert set(audit.suggested.tolist()) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("present", [[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [1, 0, 1, 0]])
def test_codes_and_depths_by_definition(present, rng):
    """The nearest class with rows on the side of the count, and the largest column."""
    present, thresholds = np.array(present, bool), np.array([-2.0, 0.0, 0.0 + 2.0 * present[1]])
    if present.tolist() == [True, False, True, False]:
        thresholds = np.array([0.0, 0.0, 5.0])
    scores = np.concatenate([thresholds, rng.normal(size=30) * 4])
    codes = predicted_codes(scores, thresholds, present)
    assert np.all(present[codes])
    rows = np.flatnonzero(present)
    counted = np.array([sum(f >= b for b in thresholds) for f in scores])
    np.testing.assert_array_equal(codes, np.clip(counted, rows[0], rows[-1]))
    depth = depths(scores, thresholds, present)
    np.testing.assert_array_equal(depth.argmax(axis=1), codes)
    assert np.all(depth[:, ~present] < 0) and np.all(depth.max(axis=1) >= 0)


# A class with rows whose interval is empty.


def warnings_of(model, X, y, **fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, **fit)
    return [str(warning.message) for warning in caught]


def rare_grades():
    """The grades of case N33: 448, 33, 14 and 5 rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 2))
    return X, np.digitize(X[:, 0] + 0.6 * rng.normal(size=500), [1.3, 1.8, 2.4]) + 1


def test_n37_one_warning_names_the_class_and_its_remedy_mends_it():
    x, y = n37()
    words = np.array(["bad", "fair", "good"])
    (told,) = warnings_of(CSVOR(classes=words), x, words[y])
    assert told == (
        "predict never returns class 'fair', whose rows leave no interval in thresholds_: use "
        "constraints='implicit', where each row meets all thresholds."
    )
    mended = CSVOR(constraints="implicit")
    assert warnings_of(mended, x, y) == [] and set(mended.predict(x)) == {0, 1, 2}

    (told,) = warnings_of(SVOREX(), x, y)
    assert "class 1, " in told and told.endswith("use SVORIM, where each row meets all thresholds.")
    mended = SVORIM()
    assert warnings_of(mended, x, y) == [] and set(mended.predict(x)) == {0, 1, 2}


def test_n37_rare_classes_are_told_to_be_weighted():
    X, y = rare_grades()
    (told,) = warnings_of(CSVOR(), X, y)
    assert told == (
        "predict never returns class 2, 3, whose rows leave no interval in thresholds_: "
        "give rare classes more weight with class_weight='balanced'."
    )
    mended = CSVOR(class_weight="balanced")
    assert warnings_of(mended, X, y) == [] and set(mended.predict(X)) == {1, 2, 3, 4}


@pytest.mark.parametrize(("n_classes", "weighted"), [(4, True), (12, False)])
def test_rare_marks_of_a_scale_are_not_told_to_be_weighted(n_classes, weighted):
    mass = np.where(np.arange(n_classes) == 2, 1.0, 10.0)
    data = SimpleNamespace(classes=np.arange(n_classes), present=mass > 0.0, mass=mass)
    thresholds = np.arange(n_classes - 1.0)
    thresholds[1] = thresholds[2]
    with pytest.warns(EmptyIntervalWarning, match="never returns class 2") as told:
        warn_of_empty_intervals(CSVOR(constraints="implicit"), thresholds, data)
    assert ("class_weight='balanced'" in str(told[0].message)) is weighted


def test_n37_pinball_speaks_once():
    x, y = n37()
    (told,) = warnings_of(PINSVOR(), x, y)
    assert "boundaries coincide" in told
    X, y = rare_grades()
    (told,) = warnings_of(PINSVOR(), X, y)
    assert "predict never returns class 3, " in told or "boundaries coincide" in told


def test_n37_where_thresholds_that_all_rows_meet_coincide_too_a_class_is_merged():
    x, y = n37()
    (told,) = warnings_of(CSVOR(constraints="implicit", p=0.5, epsilon=1.2), x, y)
    assert "class 1, " in told and told.endswith("merge it with a class beside it.")
    for merged in (np.maximum(y, 1), np.minimum(y, 1)):
        assert warnings_of(CSVOR(constraints="implicit", p=0.5, epsilon=1.2), x, merged) == []


@each_estimator
def test_classes_with_an_interval_and_classes_without_rows_are_not_named(estimator):
    X, y = b12()
    told = warnings_of(estimator(10.0, classes=[0, 1, 2, 3]), X, np.array([0, 2, 3])[y])
    assert len(told) == 1 and told[0].startswith("No rows of class 1")
    assert warnings_of(estimator(10.0), X, y) == []
