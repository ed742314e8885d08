"""Which labels are wrong, by models that have not seen them: one estimator, several, or none."""

import re
import time
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import DataConversionWarning
from sklearn.impute import SimpleImputer
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from threadpoolctl import threadpool_limits

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM, audit_labels
from csvor._data.content import rows_in_order
from csvor._data.folds import held_out_parts
from csvor._data.ranges import FarValueWarning
from csvor._labels import CodedLabels
from csvor._mixture.mixture import fit_mixture
from csvor.audit import candidate_models
from problems import g, mislabel, read_set


def precision_of_ranking(audit, wrong):
    suspicion = np.empty(wrong.size)
    suspicion[audit.order] = -np.arange(wrong.size)
    return average_precision_score(wrong, suspicion)


def test_parts_are_dealt_out_class_by_class(rng):
    codes = rng.permutation(np.repeat([0, 1, 2], [23, 11, 3]))
    parts = held_out_parts(codes, 5, None, 0)
    assert sorted(np.concatenate([test for _, test in parts]).tolist()) == list(range(37))
    for train, test in parts:
        assert set(train) | set(test) == set(range(37)) and not set(train) & set(test)
        for code, n in enumerate([23, 11, 3]):
            assert n // 5 <= np.sum(codes[test] == code) <= -(-n // 5)


def test_a_row_is_judged_by_a_model_that_has_not_seen_it():
    """By hand: scores and residuals of each part are those of a fit on the other parts.

    The mixture takes the scores, and thresholds in the mean over the parts.
    """
    X, y = g(0, 60)
    y, _ = mislabel(y, 0.1, 1)
    audit = audit_labels(X, y, CSVOR(), cv=3, random_state=7)
    scores, thresholds = np.empty(y.size), np.empty((y.size, np.unique(y).size - 1))
    for train, test in held_out_parts(
        y, 3, None, 7, rows_in_order(X, np.unique(y, return_inverse=True)[1])[0]
    ):
        model = CSVOR(classes=np.unique(y)).fit(X[train], y[train])
        scores[test] = model.predict_projection(X[test]) - model.thresholds_.mean()
        thresholds[test] = model.thresholds_ - model.thresholds_.mean()
        np.testing.assert_allclose(audit.residual[test], model.residuals(X[test], y[test]))
    np.testing.assert_allclose(audit.score, scores)
    margins = scores[:, None] - thresholds.mean(axis=0)
    mixture = fit_mixture(margins, y)
    truth = mixture.truth(margins, y)
    np.testing.assert_allclose(audit.probability, 1 - truth[np.arange(y.size), y], atol=1e-6)
    assert audit.share == pytest.approx(mixture.share, abs=1e-6)
    np.testing.assert_array_equal(audit.flagged, audit.probability > 0.5)
    np.testing.assert_array_equal(audit.model.coef_, CSVOR(classes=np.unique(y)).fit(X, y).coef_)


def test_finds_the_wrong_rows_says_which_way_and_what_instead():
    X, true = g(1, 200)
    given, wrong = mislabel(true, 0.1, 2)
    audit = audit_labels(X, given, CSVOR())
    assert precision_of_ranking(audit, wrong) >= 0.97
    assert np.all(np.diff(audit.probability[audit.order]) <= 0)
    named = audit.flagged
    assert wrong[named].mean() >= 0.95 and named.sum() >= 0.9 * wrong.sum()
    expected = np.where(given > true, "too high", "too low")
    sure = named & wrong
    assert np.mean(audit.direction[sure] == expected[sure]) >= 0.95
    assert np.mean(audit.suggested[sure] == true[sure]) >= 0.9
    np.testing.assert_array_equal(audit.direction == "", audit.suggested == given)
    np.testing.assert_array_equal(audit.given, given)


def test_the_table_of_rows():
    X, true = g(1, 200)
    given, _ = mislabel(true, 0.1, 2)
    audit = audit_labels(X, given, CSVOR())
    frame = audit.to_frame()
    assert frame.index.tolist() == audit.order.tolist()
    assert list(frame)[:3] == ["given", "suggested", "probability"] and "residual" in frame
    np.testing.assert_array_equal(frame.sort_index()["probability"], audit.probability)
    assert audit.summary in repr(audit) and repr(audit).startswith("LabelAudit(share=0.")
    assert f"of {given.size} labels are wrong; {audit.named} rows are flagged" in audit.summary


def test_without_an_estimator_the_likelihood_decides():
    """N32: a clean set and its twin with 10 % wrong are told apart; nothing has to be chosen."""
    X, true = g(3, 300)
    clean = audit_labels(X, true)
    assert clean.flagged.mean() <= 0.01
    assert clean.share <= 0.01 and "looks wrong" in clean.summary
    given, wrong = mislabel(true, 0.1, 4)
    audit = audit_labels(X, given)
    assert audit.share == pytest.approx(wrong.mean(), abs=0.02)
    assert audit.low <= wrong.mean() <= audit.high
    assert wrong[audit.flagged].mean() >= 0.9
    assert audit.expected_right == pytest.approx(wrong[audit.flagged].sum(), abs=0.15 * wrong.sum())
    weights = [candidate.weight for candidate in audit.candidates]
    assert sum(weights) == pytest.approx(1.0) and weights == sorted(weights)[::-1]
    assert len({str(c.settings) for c in audit.candidates}) == len(weights) > 9
    assert audit.model[-1].contamination == pytest.approx(audit.share)
    assert audit.model[-1].outliers_.mean() <= audit.share + 1e-9
    np.testing.assert_allclose(audit.class_probabilities.sum(axis=1), 1.0)


def test_curved_classes_get_a_curve(rng):
    X = rng.normal(size=(400, 2))
    true = np.digitize(np.hypot(X[:, 0], X[:, 1]), [0.8, 1.5])
    given, wrong = mislabel(true, 0.1, 0)
    audit = audit_labels(X, given)
    assert audit.candidates[0].settings["kernel"] == "rbf"
    assert precision_of_ranking(audit, wrong) >= 0.85
    line = audit_labels(X, given, CSVOR(contamination="auto"))
    assert precision_of_ranking(line, wrong) <= 0.5


def test_every_mirrored_label_is_found_and_no_other():
    """Clean G(0, 300) with 10 % mirrored: all named and none else."""
    X, true = g(0, 300)
    wrong = np.zeros(300, bool)
    middle = (true.max() + true.min()) / 2
    may = np.flatnonzero(true != middle)
    wrong[np.random.default_rng(0).choice(may, 30, replace=False)] = True
    given = np.where(wrong, true.max() + true.min() - true, true)
    np.testing.assert_array_equal(audit_labels(X, given).flagged, wrong)


def test_n33_rare_grades_are_not_flagged_whole():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 2))
    y = np.digitize(X[:, 0] + 0.6 * rng.normal(size=500), [1.3, 1.8, 2.4]) + 1
    assert np.bincount(y)[1:].tolist() == [448, 33, 14, 5]
    audit = audit_labels(X, y)
    assert audit.flagged.mean() <= 0.01


def test_two_classes(rng):
    X = rng.normal(size=(800, 3))
    true = (X @ [1, 1, 0] + 0.3 * rng.normal(size=800) > 0).astype(int)
    given, wrong = mislabel(true, 0.1, 0)
    audit = audit_labels(X, given)
    assert audit.share == pytest.approx(0.1, abs=0.03)
    assert wrong[audit.flagged].mean() >= 0.85


def test_n36_probabilities_and_predictions_stand_in_the_order_of_the_classes():
    x = np.random.default_rng(0).permutation(np.linspace(0, 12, 120))[:, None]
    words = np.array(["low", "medium", "high"])
    rank = np.digitize(x[:, 0], [4, 8])
    column = pd.Series(pd.Categorical(words[rank], categories=words, ordered=True))
    for audit in (audit_labels(x, column), audit_labels(x, words[rank], classes=words)):
        assert audit.classes.tolist() == words.tolist()
        assert np.mean(audit.class_probabilities.argmax(axis=1) == rank) >= 0.95
        assert np.mean(audit.predicted == words[rank]) >= 0.95


def test_word_labels_in_a_dataframe_through_a_pipeline():
    x = np.arange(60.0)
    codes = np.digitize(x, [20, 40])
    given = codes.copy()
    given[5] = 2
    words = np.array(["low", "medium", "high"])
    y = pd.Categorical.from_codes(given, words, ordered=True)
    frame = pd.DataFrame({"x": x})
    audit = audit_labels(frame, y, make_pipeline(StandardScaler(), CSVOR()), cv=3)
    assert (audit.order[0], audit.suggested[5], audit.direction[5]) == (5, "low", "too high")
    assert np.mean(audit.model.predict(frame) == words[codes]) >= 0.95


def copied_records(seed):
    """120 records, each entered four times; one in ten has a wrong label in all its copies."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 2))
    true = np.digitize(X[:, 0] + 0.2 * rng.normal(size=120), [-0.6, 0.6])
    given, wrong = mislabel(true, 0.1, seed)
    copy = np.repeat(np.arange(120), 4)
    return X[copy], given[copy], wrong[copy], copy


@pytest.mark.slow
def test_n35_copies_share_a_part():
    """Copies judge each other where they may: many wrong records pass for right then."""
    X, y, wrong, record = copied_records(0)
    alone = audit_labels(X, y, models="own")
    together = audit_labels(X, y, groups=record, models="own")
    assert alone.share <= 0.07
    assert precision_of_ranking(together, wrong) >= max(0.9, precision_of_ranking(alone, wrong))
    assert together.share == pytest.approx(0.1, abs=0.02)
    by_splitter = audit_labels(X, y, cv=GroupKFold(5), groups=record, models="own")
    assert precision_of_ranking(by_splitter, wrong) >= 0.85


def test_parts_of_a_splitter_or_of_the_caller():
    X, y = g(0, 60)
    splits = list(KFold(4, shuffle=True, random_state=3).split(X))
    by_list = audit_labels(X, y, CSVOR(), cv=splits)
    by_splitter = audit_labels(X, y, CSVOR(), cv=KFold(4, shuffle=True, random_state=3))
    np.testing.assert_array_equal(by_list.probability, by_splitter.probability)
    for parts in (held_out_parts(y, 5, np.arange(60) // 3, 0), held_out_parts(y, splits, None, 0)):
        assert sorted(np.concatenate([test for _, test in parts]).tolist()) == list(range(60))
    for train, test in held_out_parts(y, 5, np.arange(60) // 3, 0):
        assert not set(train // 3) & set(test // 3)


def _of_columns(columns):
    chosen = ColumnTransformer([("scaled", StandardScaler(), list(columns))])
    return make_pipeline(chosen, CSVOR())


def test_parts_without_test_rows_and_groups_of_any_kind_are_fine():
    X, y = g(0, 60)
    halves = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    expected = audit_labels(X, y, CSVOR(), cv=halves).probability
    more = [*halves, (np.arange(60), [])]
    np.testing.assert_array_equal(audit_labels(X, y, CSVOR(), cv=more).probability, expected)
    names = np.array([("a", 1)[i % 2] if i < 20 else i for i in range(60)], dtype=object)
    parts = held_out_parts(y, 5, names, 0)
    for name in ("a", 1):
        assert sum(name in names[test] for _, test in parts) == 1


def test_threads_have_the_settings_of_scikit_learn(monkeypatch):
    monkeypatch.setattr("csvor._utils.threads.openmp_threads", lambda: 2)
    X, y = g(0, 100)
    frame = pd.DataFrame(X).add_prefix("x")
    steps = make_pipeline(
        SimpleImputer(), ColumnTransformer([("scaled", StandardScaler(), ["x0", "x1"])])
    )
    models = [make_pipeline(*(step for _, step in steps.steps), CSVOR(C=C)) for C in (0.1, 1.0)]
    with sklearn.config_context(transform_output="pandas"):
        found = audit_labels(frame, y, models)
    same = [make_pipeline(StandardScaler(), CSVOR(C=C)) for C in (0.1, 1.0)]
    expected = audit_labels(X[:, :2], y, same)
    np.testing.assert_allclose(found.probability, expected.probability, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 0}, "cv=0 must lie between 2 and the number of rows, 60"),
        ({"cv": 61}, "cv=61 must lie between 2 and the number of rows, 60"),
        ({"groups": np.arange(60) // 20}, "cv=5 must lie between 2 and the number of groups, 3"),
        ({"groups": [1, 2]}, r"one name for each of the 60 rows, got shape \(2,\)"),
        ({"groups": "patient"}, r"one name for each of the 60 rows, got shape \(\)"),
        (
            {"groups": [None, np.nan, *"abc" * 20][:60]},
            "no name for 2 of 60 rows .first for",
        ),
        ({"cv": ["ab"]}, "cv has <U1 of shape .* whole numbers from 0"),
        ({"cv": [(np.arange(30) + 0.5, np.arange(30, 60))]}, "cv has float64 of shape"),
        ({"cv": [([True, False], [False, True])]}, "True or False for each of the 60 rows"),
        ({"cv": RepeatedKFold(n_splits=2, n_repeats=2, random_state=0)}, "holds out row 0 2 times"),
        ({"cv": [(np.arange(30), np.arange(30, 59))]}, "holds out row 0 0 times"),
        ({"cv": [(np.arange(40), np.arange(30, 60))]}, "has row 30 among the training and the"),
        ({"cv": [(np.arange(30), np.arange(30, 61))]}, "names row 60, and there are 60 rows"),
        ({"fdr": 1.0}, "fdr=1.0 must lie between 0 and 1"),
        ({"confirmed": np.zeros(60)}, "confirmed must be True or False for each of the 60 rows"),
        ({"sample_weight": -np.ones(60)}, "sample_weight has negative values"),
        ({"estimator": []}, "estimator is an empty list"),
        (
            {"estimator": [CSVOR(), make_pipeline(StandardScaler(), CSVOR())]},
            "differ before their last step",
        ),
        (
            {"estimator": [_of_columns(range(100)), _of_columns([*range(50), *range(51, 100)])]},
            "differ before their last step",
        ),
    ],
)
def test_bad_arguments_are_named(options, message):
    X, y = g(0, 60)
    with pytest.raises(ValueError, match=message):
        audit_labels(X, y, **{"estimator": CSVOR(), **options})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: audit_labels(CSVOR(), X, y), "takes the data first"),
        (lambda X, y: audit_labels(X, y, StandardScaler()), "must be a classifier or regressor"),
        (lambda X, y: audit_labels(X, y, CSVOR(), cv="five"), "must be a number of parts"),
    ],
)
def test_what_is_no_data_no_estimator_and_no_parts(call, message):
    X, y = g(0, 60)
    with pytest.raises(TypeError, match=message):
        call(X, y)


def test_a_part_that_leaves_one_class_is_refused_with_the_counts():
    with pytest.raises(ValueError, match=r"the classes \[0, 1\] have \[9, 1\] rows"):
        audit_labels(np.arange(10.0)[:, None], [0] * 9 + [1], CSVOR())


def test_a_weight_is_a_repetition():
    """Whole weights against rows repeated, in parts that keep repetitions together.

    Without a cap: of several optima, rounding may choose.
    """
    X, y = g(2, 80)
    weights = np.random.default_rng(0).integers(1, 4, 80)
    rows = np.repeat(np.arange(80), weights)
    parts = held_out_parts(y, 4, None, 0)
    repeated = [[np.flatnonzero(np.isin(rows, part)) for part in split] for split in parts]
    model = CSVOR(contamination=0.0, tol=1e-10)
    weighted = audit_labels(X, y, model, cv=parts, sample_weight=weights)
    whole = audit_labels(X[rows], y[rows], model, cv=repeated)
    np.testing.assert_allclose(weighted.residual[rows], whole.residual, rtol=1e-3, atol=1e-4)
    assert weighted.share == pytest.approx(whole.share, abs=2e-3)


def test_confirmed_labels_are_never_flagged_and_the_share_is_of_the_rest():
    X, true = g(1, 300)
    given, wrong = mislabel(true, 0.1, 2)
    first = audit_labels(X, given, CSVOR(contamination="auto"))
    known = first.flagged & ~wrong
    known[np.flatnonzero(~wrong)[:100]] = True
    audit = audit_labels(X, given, CSVOR(contamination="auto"), confirmed=known)
    assert not audit.flagged[known].any() and np.all(audit.probability[known] == 0)
    assert audit.n_judged == 300 - known.sum()
    assert audit.share == pytest.approx(wrong.sum() / (300 - known.sum()), abs=0.03)
    assert f"of {audit.n_judged} labels" in audit.summary
    lenient = audit_labels(X, given, CSVOR(contamination="auto"), confirmed=known, fdr=0.95)
    assert lenient.named == lenient.n_judged and not lenient.flagged[known].any()


def test_a_false_discovery_rate_changes_what_is_named_alone():
    X, true = g(1, 300)
    given, _ = mislabel(true, 0.1, 2)
    X = X + 0.5 * np.random.default_rng(0).normal(size=X.shape)
    half = audit_labels(X, given, CSVOR())
    strict = audit_labels(X, given, CSVOR(), fdr=0.02)
    assert 0 < strict.named < half.named
    np.testing.assert_array_equal(strict.probability, half.probability)
    assert (1 - strict.probability[strict.flagged]).mean() <= 0.02


@pytest.mark.parametrize("estimator", [SVOREX(), SVORIM(), REDSVM(), PINSVOR(tau=0.1)])
def test_estimators_without_a_cap_tell_too(estimator):
    X, true = g(1, 200)
    given, wrong = mislabel(true, 0.1, 2)
    audit = audit_labels(X, given, make_pipeline(StandardScaler(), estimator), cv=3)
    assert precision_of_ranking(audit, wrong) >= 0.8
    assert audit.share == pytest.approx(0.1, abs=0.05)
    assert wrong[audit.flagged].mean() >= 0.7


def test_of_several_estimators_the_likelihood_decides():
    X, true = g(1, 200)
    given, _ = mislabel(true, 0.1, 2)
    tried = [make_pipeline(StandardScaler(), CSVOR(C)) for C in (1e-6, 1.0)]
    audit = audit_labels(X, given, tried)
    assert audit.model[-1].C == 1.0 and audit.candidates[0].weight > 0.99
    assert [model[-1].classes for model in tried] == [None, None]  # and none is changed


def test_candidates_narrowed_by_what_is_fixed():
    X, _ = g(0, 60)
    C = {model[-1].C for model in candidate_models(X, fixed={"kernel": "linear"})}
    assert {0.1, 1.0, 10.0} == C
    same = candidate_models(X, fixed={"C": 5.0})
    assert {model[-1].C for model in same} == {5.0} and len(same) == 1 + 3  # the line, and gammas
    (one,) = candidate_models(X, fixed={"C": 5.0, "kernel": "linear"})
    assert one[-1].kernel == "linear"
    cosines = candidate_models(X, fixed={"kernel": "cosine"})
    assert len(cosines) == 2  # it has no gamma


def test_of_many_rows_the_best_audits_all():
    X, true = g(0, 8000)
    given, wrong = mislabel(true, 0.05, 1)
    lines = candidate_models(X, fixed={"kernel": "linear"})
    audit = audit_labels(X, given, lines)
    assert audit.probability.shape == audit.residual.shape == (8000,)
    assert np.isfinite(audit.residual).all() and audit.n_judged == 8000
    assert audit.share == pytest.approx(0.05, abs=0.01)
    assert wrong[audit.flagged].mean() >= 0.9


@pytest.mark.slow
def test_threads_change_nothing_and_progress_counts_to_the_end():
    X, true = g(1, 150)
    given, _ = mislabel(true, 0.1, 2)
    seen = []
    both = audit_labels(X, given, cv=3, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len({total for _, total in seen}) == 1 and seen[-1][0] == seen[-1][1]
    with threadpool_limits(1):
        alone = audit_labels(X, given, cv=3)
    np.testing.assert_array_equal(both.probability, alone.probability)
    assert both.share == alone.share


def test_an_interruption_ends_the_work():
    X, y = g(1, 300)
    fits = []

    def interrupt(done, total):
        fits.append(time.monotonic())
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit_labels(X, y, progress=interrupt)
    assert len(fits) < 30  # of some ninety


def test_a_class_with_one_row_is_ranked_like_any_other():
    X = np.linspace(0, 10, 41)[:, None]
    y = np.digitize(X[:, 0], [3, 6])
    y[-1] = 3
    audit = audit_labels(X, y, CSVOR())
    assert np.all(np.isfinite(audit.residual)) and np.all(np.isfinite(audit.probability))
    assert audit.suggested.shape == (41,)


def test_neither_estimator_nor_data_are_changed():
    X, y = g(0, 60)
    before = X.copy(), y.copy()
    model = CSVOR()
    audit_labels(X, y, model)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert not hasattr(model, "coef_") and model.classes is None


@pytest.mark.parametrize(
    ("name", "draw", "reach"),
    [("newthyroid", 0, 0.98), ("esl", 1, 0.86), ("lev", 1, 0.6), ("balance_scale", 0, 0.98)],
)
@pytest.mark.slow
def test_finds_wrong_labels_in_real_sets(name, draw, reach, request):
    """Average precision on 10 % wrong labels, all automatic."""
    if name == "newthyroid":
        X, y = read_set(request.getfixturevalue("data_dir"), name)
    else:
        datasets = pytest.importorskip("skordinal.datasets", reason="the sets come with skordinal")
        data = getattr(datasets, f"load_{name}")()
        X, y = data.data, data.target
    given, wrong = mislabel(y, 0.1, draw)
    audit = audit_labels(X, given)
    assert precision_of_ranking(audit, wrong) >= reach
    assert audit.share == pytest.approx(0.1, abs=0.04)


def test_without_an_estimator_features_are_checked_once_and_in_their_units():
    X, y = g(0, 60)
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(y > 2, "x", "y")})
    with pytest.raises(ValueError, match="to float: 'y' in column 'b', row 0"):
        audit_labels(frame, y)
    far = X.copy()
    far[7, 0] = 1e9
    with pytest.warns(FarValueWarning, match="column 0 has the value 1e.09 in row 7") as told:
        audit_labels(far, y)
    assert len(told) == 1


@pytest.mark.parametrize("draw", range(2))
def test_a_review_of_the_first_suspects_does_not_make_the_rest_look_clean(draw):
    """The reviewed were picked for being suspect: what was found among them has to count."""
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(1500, 4))
    true = np.digitize(X @ [2, 1, 0, -1] + 0.8 * rng.normal(size=1500), [-3, -1, 1, 3])
    given, wrong = mislabel(true, 0.06, draw)
    line = CSVOR(contamination="auto")
    first = audit_labels(X, given, line)
    reviewed = np.zeros(1500, bool)
    reviewed[first.order[:70]] = True
    after = np.where(reviewed, true, given)
    second = audit_labels(X, after, line, confirmed=reviewed, original=given)
    left = (wrong & ~reviewed).sum()
    assert left >= 15
    assert second.low * 1430 <= left <= second.high * 1430
    assert second.share * 1430 == pytest.approx(left, abs=20)
    errors = second.expected_errors(70)
    among = (wrong & ~reviewed)[second.order[:70]].sum()
    assert errors.low <= among <= errors.high
    assert second.model.contamination == pytest.approx(second.share * 1430 / 1500)
    with pytest.raises(ValueError, match=r"original has another label than y for \d+ rows"):
        audit_labels(X, after, line, original=given)


def test_a_class_that_its_judges_have_not_seen_is_named():
    X, y = g(0, 60)
    groups = np.where(y == 4, 100, np.arange(60) % 20)
    with pytest.warns(UserWarning, match="All rows of class 4 are held out together"):
        audit_labels(X, y, CSVOR(), groups=groups)


def test_copies_of_the_label_and_measurements_are_noted():
    """As in files; who declares the classes, or has them coded, has been told."""
    X, y = g(0, 200)
    copy = np.where(np.arange(200) < 4, (y + 1) % 5, y)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(copy=copy)
    said = r"Column {} of X alone gives the label of 98.0 % of the rows .* leave it out"
    model = CSVOR()
    for data, name in (
        (frame, "'copy'"),
        (frame.to_numpy(), "2"),
        (pl.from_pandas(frame), "'copy'"),
    ):
        (note,) = audit_labels(data, y, model, cv=2).notes
        assert re.match(said.format(name), note), note
    many = np.arange(200) % 60
    (note,) = audit_labels(X, many, model, cv=2).notes
    assert note.startswith("60 whole numbers differ in 200 labels") and "numpy.digitize" in note
    assert audit_labels(X, many, model, cv=2, classes=range(60)).notes == ()
    ordered = pd.Categorical(many, ordered=True)
    assert audit_labels(X, ordered, model, cv=2).notes == ()
    assert audit_labels(frame, CodedLabels.from_data(y), model, cv=2).notes == ()


@pytest.mark.parametrize("make", [np.asarray, partial(pd.DataFrame, columns=list("abc"))])
@pytest.mark.parametrize("of_rows", [np.arange, lambda n: np.random.default_rng(0).permutation(n)])
def test_n34_row_numbers_are_noted(make, of_rows):
    """Of 1 000 rows sorted by their labels, 60 of them wrong, none looked wrong, without a word."""
    X, y = g(0, 200)
    order = np.argsort(y, kind="stable")
    numbered = np.column_stack([X[order], of_rows(200)])
    (note,) = audit_labels(make(numbered), y[order], CSVOR()).notes
    assert re.match(r"Column (2|'c') of X looks like row numbers \(0 to 199, .* leave it out", note)
    numbered[:, 2] //= 2
    assert audit_labels(make(numbered), y[order], CSVOR()).notes == ()


@pytest.mark.parametrize(
    "made",
    [
        lambda X: np.array([f"{a} {b}" for a, b in X], dtype=object),
        lambda X: np.repeat(X[:, :, None], 2, axis=2),
        lambda X: pd.DataFrame({"pair": X.tolist(), "other": 0.0}),
        lambda X: pl.DataFrame({"pair": X.tolist()}),
    ],
    ids=["texts", "pictures", "lists", "lists of polars"],
)
def test_data_that_are_no_table_of_numbers_need_steps_alone(made):
    """Notes on columns ended an audit of texts or pictures by a pipeline, after all fits."""
    X, y = g(0, 200)

    def numbers(data):
        if hasattr(data, "columns"):
            return np.vstack([np.asarray(pair) for pair in data["pair"]])
        return data[:, :, 0] if data.ndim == 3 else np.array([text.split() for text in data], float)

    model = make_pipeline(FunctionTransformer(numbers), CSVOR())
    audit = audit_labels(made(X), y, model, cv=2)
    assert audit.notes == ()
    np.testing.assert_allclose(audit.share, audit_labels(X, y, CSVOR(), cv=2).share, atol=0.05)


def test_texts_may_have_labels_in_a_column():
    X, y = np.repeat(["no", "so so", "yes"], 40), np.repeat([1, 2, 3], 40)
    model = make_pipeline(FunctionTransformer(lambda X: np.char.str_len(X)[:, None]), CSVOR())
    with pytest.warns(DataConversionWarning, match="ravel"):
        audit_labels(X, y[:, None], model)


def test_a_fit_of_a_subclass_is_its_own():
    """Held-out models were fitted past it, in silence."""

    class Counting(CSVOR):
        def fit(self, X, y, sample_weight=None):
            self.n_fits = getattr(self, "n_fits", 0) + 1
            return super().fit(X, y, sample_weight)

    X, y = g(0, 200)
    assert audit_labels(X, y, Counting(), cv=2).model.n_fits >= 1
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    parts = da.from_array(X, chunks=(50, -1)), da.from_array(y, chunks=50)
    assert audit_labels(*parts, Counting(), cv=2).model.n_fits >= 1
