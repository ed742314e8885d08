"""Ranking rows by residuals of models that did not train on them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM, audit_labels
from csvor._data.folds import stratified_folds
from problems import g, mislabel, read_set


def precision_of_ranking(audit, wrong):
    suspicion = np.empty(wrong.size)
    suspicion[audit.order] = -np.arange(wrong.size)
    return average_precision_score(wrong, suspicion)


def test_parts_are_dealt_out_class_by_class(rng):
    codes = rng.permutation(np.repeat([0, 1, 2], [23, 11, 3]))
    parts = list(stratified_folds(codes, 5, 0))
    assert sorted(np.concatenate([test for _, test in parts]).tolist()) == list(range(37))
    for train, test in parts:
        assert set(train) | set(test) == set(range(37)) and not set(train) & set(test)
        for code, n in enumerate([23, 11, 3]):
            assert n // 5 <= np.sum(codes[test] == code) <= -(-n // 5)


def test_a_row_is_judged_by_a_model_that_has_not_seen_it():
    """By hand: the residual of each part is that of a fit on the other parts."""
    X, y = g(0, 60)
    y, _ = mislabel(y, 0.1, 1)
    audit = audit_labels(CSVOR(), X, y, cv=3, random_state=7)
    for train, test in stratified_folds(y, 3, 7):
        model = CSVOR(classes=np.unique(y)).fit(X[train], y[train])
        np.testing.assert_allclose(audit.residual[test], model.residuals(X[test], y[test]))
        np.testing.assert_array_equal(audit.suggested[test], model.predict(X[test]))
    np.testing.assert_array_equal(audit.flagged, CSVOR().fit(X, y).outliers_)


def test_finds_the_wrong_rows_says_which_way_and_what_instead():
    X, true = g(1, 200)
    given, wrong = mislabel(true, 0.1, 2)
    audit = audit_labels(CSVOR(), X, given)
    assert precision_of_ranking(audit, wrong) >= 0.97
    worst = audit.order[:10]
    assert np.all(wrong[worst])
    expected = np.where(given > true, "too high", "too low")
    np.testing.assert_array_equal(audit.direction[worst], expected[worst])
    np.testing.assert_array_equal(audit.suggested[worst], true[worst])
    assert np.all(np.diff(audit.residual[audit.order]) <= 0)
    assert set(audit.direction[audit.residual == 0]) <= {""}
    assert np.all(audit.direction[audit.residual > 0] != "")


def test_rows_without_a_residual_are_ranked_by_the_margin_they_have_left():
    X = np.linspace(-10, 10, 81)[:, None]
    y = (X[:, 0] > 0).astype(int)
    audit = audit_labels(CSVOR(), X, y, cv=3)
    free = audit.order[audit.residual[audit.order] == 0]
    # Far from the threshold at 0 is far from suspicion, but for what differs between the parts.
    assert free.size > 60
    distance = np.abs(X[free, 0])
    assert np.corrcoef(np.arange(free.size), distance)[0, 1] > 0.95


def test_word_labels_in_a_dataframe_through_a_pipeline():
    x = np.arange(60.0)
    codes = np.digitize(x, [20, 40])
    given = codes.copy()
    given[5] = 2
    words = np.array(["low", "medium", "high"])
    y = pd.Categorical.from_codes(given, words, ordered=True)
    frame = pd.DataFrame({"x": x})
    audit = audit_labels(make_pipeline(StandardScaler(), CSVOR()), frame, y, cv=3)
    assert (audit.order[0], audit.suggested[5], audit.direction[5]) == (5, "low", "too high")
    assert np.mean(audit.model.predict(frame) == words[codes]) >= 0.95


def test_a_class_with_one_row_is_ranked_like_any_other():
    X = np.linspace(0, 10, 41)[:, None]
    y = np.digitize(X[:, 0], [3, 6])
    y[-1] = 3
    audit = audit_labels(CSVOR(), X, y)
    assert np.all(np.isfinite(audit.residual))
    assert audit.suggested.shape == (41,)


def test_neither_estimator_nor_data_are_changed():
    X, y = g(0, 60)
    before = X.copy(), y.copy()
    model = CSVOR()
    audit_labels(model, X, y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert not hasattr(model, "coef_") and model.classes is None


@pytest.mark.parametrize("estimator", [SVOREX(), SVORIM(), REDSVM(), PINSVOR(tau=0.1)])
def test_estimators_without_a_cap_rank_too(estimator):
    X, true = g(1, 200)
    given, wrong = mislabel(true, 0.1, 2)
    audit = audit_labels(make_pipeline(StandardScaler(), estimator), X, given, cv=3)
    assert precision_of_ranking(audit, wrong) >= 0.8
    assert not audit.flagged.any()


def test_progress_counts_the_fits():
    X, y = g(0, 60)
    seen = []
    audit_labels(CSVOR(), X, y, cv=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("cv", [0, 1, 61])
def test_senseless_cv_is_refused(cv):
    X, y = g(0, 60)
    with pytest.raises(ValueError, match=f"cv={cv} must lie between 2 and the number of rows, 60"):
        audit_labels(CSVOR(), X, y, cv=cv)


def test_a_part_that_leaves_one_class_is_refused_with_the_counts():
    with pytest.raises(ValueError, match=r"the classes \[0, 1\] have \[9, 1\] rows"):
        audit_labels(CSVOR(), np.arange(10.0)[:, None], [0] * 9 + [1])


def test_other_estimators_are_refused():
    X, y = g(0, 60)
    with pytest.raises(TypeError, match="must be a csvor estimator"):
        audit_labels(StandardScaler(), X, y)


@pytest.mark.parametrize(
    ("name", "reach"), [("newthyroid", 0.99), ("esl", 0.87), ("lev", 0.61), ("balance_scale", 0.88)]
)
def test_finds_wrong_labels_in_real_sets(name, reach, request):
    """Mean average precision over 4 draws of 10 % wrong labels, C = 1, p = 1."""
    if name == "newthyroid":
        X, y = read_set(request.getfixturevalue("data_dir"), name)
    else:
        datasets = pytest.importorskip("skordinal.datasets", reason="the sets come with skordinal")
        data = getattr(datasets, f"load_{name}")()
        X, y = data.data, data.target
    found = []
    for draw in range(4):
        given, wrong = mislabel(y, 0.1, draw)
        audit = audit_labels(make_pipeline(StandardScaler(), CSVOR()), X, given)
        found.append(precision_of_ranking(audit, wrong))
    assert np.mean(found) >= reach
