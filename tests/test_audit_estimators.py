"""Audits by classifiers and regressors of any maker."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

from csvor import CSVOR, audit_labels, audit_scores
from csvor._data.content import rows_in_order
from csvor._data.folds import held_out_parts
from csvor.audit import candidate_models
from csvor.audit._data import estimators_of
from csvor.report import write_audit_report
from problems import g

BOOSTING = HistGradientBoostingClassifier(max_iter=5, random_state=0)


def spoilt(seed=0, n=200):
    X, y = g(seed, n)
    bad = np.random.default_rng(seed).choice(n, n // 20, replace=False)
    z = y.copy()
    z[bad] = (z[bad] + 2) % 5
    return X, z, bad


def same(audit, scores):
    for name in ("share", "low", "high", "log_likelihood", "named"):
        assert getattr(audit, name) == pytest.approx(getattr(scores, name), abs=1e-6), name
    np.testing.assert_allclose(audit.probability, scores.probability, atol=1e-6)
    np.testing.assert_array_equal(audit.suggested, scores.suggested)


@pytest.mark.parametrize(
    "model",
    [
        BOOSTING,
        ExtraTreesClassifier(20, random_state=0),
        GaussianNB(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
)
def test_a_classifier_is_audited_as_its_out_of_fold_probabilities(model):
    X, y, _ = spoilt()
    parts = held_out_parts(y, 5, None, 0, rows_in_order(X, y)[0])
    P = cross_val_predict(model, X, y, cv=parts, method="predict_proba")
    audit = audit_labels(X, y, model)
    same(audit, audit_scores(P, y))
    np.testing.assert_allclose(audit.residual, np.abs(P @ np.arange(5) - y))
    assert {one.reading for one in audit.candidates} == {"probabilities", "expected class"}
    assert audit.models["estimator"] == 1.0
    np.testing.assert_array_equal(audit.model.predict(X), model.fit(X, y).predict(X))


def test_a_regressor_is_audited_as_one_score_of_codes():
    X, y, _ = spoilt()
    parts = held_out_parts(y, 5, None, 0, rows_in_order(X, y)[0])
    audit = audit_labels(X, 10 * y, Ridge())
    codes = cross_val_predict(Ridge(), X, y, cv=parts)
    same(audit, audit_scores(codes, 10 * y))
    np.testing.assert_array_equal(audit.residual, np.abs(codes - y))
    np.testing.assert_array_equal(np.argsort(audit.score), np.argsort(codes))
    predicted = (audit.score[:, None] > audit.thresholds).sum(axis=1)
    assert np.abs(np.bincount(predicted) - np.bincount(y)).max() <= 1
    assert [one.settings for one in audit.candidates] == [{"model": "Ridge", "reading": "score"}]


def test_words_have_their_own_order_and_groups_and_weights_arrive():
    X, y, _ = spoilt()
    words = np.array(["poor", "fair", "good", "better", "best"])
    groups, weights = np.arange(200) // 2, 1.0 + np.arange(200) % 3
    by_number = audit_labels(
        X, y, GaussianNB(), groups=groups, cv=GroupKFold(4), sample_weight=weights
    )
    by_word = audit_labels(
        X, words[y], GaussianNB(), classes=words, groups=groups, cv=GroupKFold(4),
        sample_weight=weights,
    )  # fmt: skip
    np.testing.assert_allclose(by_word.probability, by_number.probability, atol=1e-9)
    assert by_word.model.predict(X[:1])[0] in words
    P = np.empty((200, 5))
    for train, test in GroupKFold(4).split(X, y, groups):
        P[test] = GaussianNB().fit(X[train], y[train], weights[train]).predict_proba(X[test])
    scores = audit_scores(P, y, sample_weight=weights)
    np.testing.assert_allclose(by_number.probability, scores.probability, atol=1e-6)


def test_weights_reach_the_last_step():
    X, y, _ = spoilt()
    weights = 1.0 + np.arange(200) % 3
    alone = audit_labels(X, y, GaussianNB(), sample_weight=weights)
    behind = audit_labels(X, y, make_pipeline("passthrough", GaussianNB()), sample_weight=weights)
    np.testing.assert_array_equal(alone.probability, behind.probability)


def test_a_class_that_a_part_has_not_seen_has_no_probability_there():
    X, y, _ = spoilt()
    y[y == 4] = 3
    y[7] = 4
    audit = audit_labels(X, y, GaussianNB())
    P = np.zeros((200, 5))
    for train, test in held_out_parts(y, 5, None, 0, rows_in_order(X, y)[0]):
        model = GaussianNB().fit(X[train], y[train])
        P[np.ix_(test, model.classes_)] = model.predict_proba(X[test])
    assert P[7, 4] == 0.0
    np.testing.assert_allclose(audit.probability, audit_scores(P, y).probability, atol=1e-6)


def test_of_several_the_likelihood_decides_and_trees_judge_beside_them(tmp_path):
    X, y, bad = spoilt(n=300)
    models = [GaussianNB(), make_pipeline(LogisticRegression())]
    done = []
    audit = audit_labels(X, y, models, models="all", progress=lambda *so_far: done.append(so_far))
    assert len(audit.candidates) == 4
    assert sum(one.weight for one in audit.candidates) == pytest.approx(1.0)
    assert list(audit.models) == ["estimator", "boosting", "extra trees"]
    assert audit.flagged[bad].sum() >= 10
    assert done[-1][0] == done[-1][1]
    assert [k for k, _ in done] == sorted(k for k, _ in done)
    page = write_audit_report(audit, X, tmp_path / "page.html").read_text()
    assert "4 readings of your models were compared" in page
    assert "GaussianNB, read as " in page
    trees = {name: f"{audit.models[name]:.0%}" for name in ("boosting", "extra trees")}
    for name, share in trees.items():
        assert (f"{name} {share}" in page) is (audit.models[name] >= 0.005)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (LinearSVC(), {}, r"CalibratedClassifierCV\(LinearSVC\(\)\)"),
        (make_pipeline(StandardScaler(), SVC()), {}, r"CalibratedClassifierCV\(SVC\(\)\)"),
        (StandardScaler(), {}, "must be a classifier or regressor"),
        (GaussianMixture(2), {}, "must be a classifier or regressor"),
        (GaussianNB, {}, "must be a classifier or regressor"),
        (5, {}, "must be a classifier or regressor"),
        ([CSVOR(), Ridge()], {}, "audit them apart"),
        (
            KNeighborsClassifier(),
            {"sample_weight": np.ones(60)},
            r"KNeighborsClassifier\(\) takes no sample_weight",
        ),
    ],
)
def test_what_cannot_judge_is_refused_with_a_remedy(model, options, message):
    X, y = g(0, 60)
    with pytest.raises(TypeError, match=message):
        audit_labels(X, y, model, **options)


@pytest.mark.parametrize(
    "model", [Ridge(), LogisticRegression(), DummyRegressor(strategy="median"), DummyClassifier()]
)
def test_a_model_that_predicts_nothing_says_so(model, rng):
    """Of groups with one label each, held-out predictions fall where the labels rise."""
    X, groups = rng.normal(size=(300, 3)), np.arange(300) // 30
    y = np.repeat([0, 1, 2, 2, 0], 2)[groups]
    parts = GroupKFold(5, shuffle=True, random_state=0)
    audit = audit_labels(X, y, model, groups=groups, cv=parts)
    assert not audit.conclusive
    assert audit.named == 0


def test_rows_in_partitions_are_refused_with_a_remedy():
    dask = pytest.importorskip("dask")
    da = pytest.importorskip("dask.array")
    X, y = g(0, 12_000)
    with (
        dask.config.set({"csvor.memory-limit": 100}),
        pytest.raises(TypeError, match=r"needs its rows in memory: .* audit_scores"),
    ):
        audit_labels(da.from_array(X, chunks=(4_000, 2)), da.from_array(y, chunks=4_000), Ridge())


@pytest.mark.parametrize("n_neighbors", [5, 25])
def test_probabilities_that_claim_more_than_they_keep_are_noted(n_neighbors):
    """Case N53: five neighbours promise 58 % of 11 levels, and hit 44 %."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    score = X @ [1.0, 2.0, -1.0] + 0.6 * rng.normal(size=1000)
    y = np.digitize(score, np.quantile(score, np.arange(1, 11) / 11))
    model = KNeighborsClassifier(n_neighbors)
    audit = audit_labels(X, y, model)
    parts = held_out_parts(y, 5, None, 0, rows_in_order(X, y)[0])
    P = cross_val_predict(model, X, y, cv=parts, method="predict_proba")
    assert audit.notes == audit_scores(P, y).notes
    promised, kept = P.max(axis=1).mean(), (P.argmax(axis=1) == y).mean()
    if n_neighbors == 5:
        assert f"promise {promised:.0%} of the labels and hit {kept:.0%}" in audit.notes[0]
        assert repr(audit).endswith(audit.notes[0])
    else:
        assert audit.notes == ()


def test_a_model_that_sees_wrong_labels_claims_no_more_than_it_keeps():
    """A fifth of the labels is wrong, and missed; probabilities are those of the true ones."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=(1000, 1)) * 3.0
    P = np.diff(expit(np.array([-np.inf, -2.0, 0.0, 2.0, np.inf]) - 3.0 * score), axis=1)
    y = (P.cumsum(axis=1) < rng.random((1000, 1))).sum(axis=1)
    y[:200] = (y[:200] + rng.integers(1, 4, 200)) % 4
    assert P.max(axis=1).mean() - (P.argmax(axis=1) == y).mean() > 0.12
    assert audit_scores(P, y).notes == ()


def test_steps_are_compared_by_what_they_do_not_by_where_they_lie():
    """Copies of a selector of columns have addresses of their own, and are alike."""
    columns = make_column_selector(dtype_include="number")
    steps = make_column_transformer((StandardScaler(), columns), (MinMaxScaler(), ["a"]))
    models = [make_pipeline(clone(steps), CSVOR(C=C)) for C in (1.0, 2.0)]
    assert estimators_of(models) == models
    other = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="object")), (MinMaxScaler(), ["a"])
    )
    with pytest.raises(ValueError, match="differ before their last step"):
        estimators_of([models[0], make_pipeline(other, CSVOR())])
    frame = pd.DataFrame({"a": range(40), "word": ["x", "y"] * 20})
    assert estimators_of(candidate_models(frame, before=clone(steps)))
