"""Displays: what they hold and draw is what they were given."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import csvor.plots._arrays
from csvor import CSVOR, SVOREX, audit_labels, audit_scores
from csvor.corruption import flip_labels
from csvor.metrics import mean_zero_one_error
from csvor.plots import (
    ConvergenceDisplay,
    ReliabilityDisplay,
    RobustnessDisplay,
    SuspectsDisplay,
    ThresholdDisplay,
    method_style,
)

NAMES = np.array(["poor", "fair", "good"])


def axes():
    return Figure(layout="constrained").subplots()


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    truth = np.digitize(X[:, 0] + 0.1 * rng.normal(size=150), [-0.5, 0.5])
    y, wrong = flip_labels(truth, 0.1, random_state=0)
    model = make_pipeline(StandardScaler(), CSVOR(classes=NAMES)).fit(X, NAMES[y])
    audit = audit_labels(X, NAMES[y], model)
    return SimpleNamespace(X=X, y=y, wrong=wrong, model=model, audit=audit)


def test_displays_know_where_they_were_drawn(case):
    for display in (
        ThresholdDisplay.from_audit(case.audit, ax=axes()),
        SuspectsDisplay.from_audit(case.audit, ax=axes()),
        ReliabilityDisplay.from_audit(case.audit, case.wrong, ax=axes()),
        ConvergenceDisplay.from_estimator(case.model, ax=axes()),
        RobustnessDisplay({"A": [0.1, 0.2]}).plot(axes()),
    ):
        first = display.ax_
        assert display.figure_ is first.figure
        again = axes()
        assert display.plot(again) is display
        assert display.ax_ is again is not first
        assert display.figure_ is again.figure
        display.figure_.canvas.draw()


def test_thresholds_of_an_estimator_are_over_its_own_scores(case):
    display = ThresholdDisplay.from_estimator(case.model, case.X, NAMES[case.y], ax=axes(), bins=25)
    final, Z = case.model[-1], case.model[:-1].transform(case.X)
    np.testing.assert_array_equal(display.scores, final.predict_projection(Z))
    drawn = [line.get_xdata()[0] for line in display.lines_]
    np.testing.assert_array_equal(drawn, final.thresholds_)
    assert display.counts_.shape == (3, 25)
    np.testing.assert_array_equal(display.counts_.sum(axis=1), np.bincount(case.y))
    for k in range(3):  # bars hold the scores of their class
        inside = np.clip(display.scores[case.y == k], *display.edges_[[0, -1]])
        np.testing.assert_array_equal(display.counts_[k], np.histogram(inside, display.edges_)[0])
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert ticks == [f"{n}\nn = {c}" for n, c in zip(NAMES, np.bincount(case.y), strict=True)]
    assert not display.flagged.any()
    assert display.ax_.get_legend() is None


def test_thresholds_of_an_audit_mark_what_is_flagged(case):
    audit = case.audit
    display = ThresholdDisplay.from_audit(audit, ax=axes())
    np.testing.assert_array_equal(display.scores, audit.score)
    np.testing.assert_array_equal(display.thresholds, audit.thresholds)
    np.testing.assert_array_equal(display.flagged, audit.flagged)
    assert audit.flagged.any()
    # Red bars are inside the others, and of the same scale.
    bars, reds = {}, {}
    for patch in display.ax_.patches:
        values, edges, baseline = patch.get_data()
        np.testing.assert_array_equal(edges, display.edges_)
        k = int(np.ravel(baseline)[0])
        (reds if k in bars else bars)[k] = np.asarray(values) - k
    for k, red in reds.items():
        unit = 0.86 / display.counts_[k].max()
        assert round(red.sum() / unit) == np.sum(audit.flagged & (audit.given == NAMES[k]))
        assert (red <= bars[k] + 1e-12).all()
    assert display.ax_.get_legend().get_texts()[0].get_text() == "flagged"


def test_thresholds_in_one_place_share_a_label():
    display = ThresholdDisplay.from_predictions(
        [-1.0, 0.0, 1.0, 2.0], [1, 2, 3, 4], [0.0, 0.0, 1.5], ax=axes()
    )
    assert [text.get_text() for text in display.ax_.texts] == ["$b_{1}$, $b_{2}$", "$b_{3}$"]


def test_wrong_thresholds_are_refused(case):
    scores, y = [0.0, 1.0, 2.0], [1, 2, 3]
    for thresholds, options, complaint in (
        ([0.5], {}, "thresholds are 1; 3 classes have 2"),
        ([1.0, 0.5], {}, "must be in order"),
        ([0.5, np.nan], {}, r"thresholds holds NaN or infinity \(first at position 1\)"),
        ([0.5, 1.5], {"flagged": [True]}, "flagged must have an entry for each of the 3 rows: 1"),
        ([0.5, 1.5], {"flagged": [0.0, 1.0, 2.0]}, "flagged must be one row of True and False"),
    ):
        with pytest.raises(ValueError, match=complaint):
            ThresholdDisplay.from_predictions(scores, y, thresholds, **options)
    with pytest.raises(ValueError, match="scores must be one row of numbers"):
        ThresholdDisplay([[0.0]], [1], [])
    with pytest.raises(ValueError, match="classes="):  # never sorted by the alphabet
        ThresholdDisplay(scores, NAMES, [0.5, 1.5])
    found = audit_scores(case.audit.score, case.y)
    for display in (ThresholdDisplay, SuspectsDisplay):
        with pytest.raises(TypeError, match=rf"got WrongLabels.*{display.__name__}.from_pred"):
            display.from_audit(found)


def test_suspects_stand_at_their_score_and_log_odds(case):
    audit = case.audit
    display = SuspectsDisplay.from_audit(audit, ax=axes(), most=3)
    clear, flagged = display.points_
    for points, rows in ((clear, ~audit.flagged), (flagged, audit.flagged)):
        np.testing.assert_array_equal(points.get_xdata(), audit.score[rows])
        odds = np.clip(audit.probability[rows], 1e-4, 1.0 - 1e-4)
        np.testing.assert_allclose(points.get_ydata(), np.log(odds / (1.0 - odds)))
    np.testing.assert_array_equal(display.named_, audit.order[:3])
    words = {text.get_text() for text in display.ax_.texts}
    assert words == {
        f"{row}: {audit.given[row]} → {audit.suggested[row]}" for row in audit.order[:3]
    }
    assert display.ax_.get_yticklabels()[0].get_text() == "≤ 0.0001"
    own = [f"patient {row}" for row in range(150)]
    named = SuspectsDisplay.from_audit(audit, names=own, ax=axes(), most=1)
    assert named.ax_.texts[0].get_text().startswith(f"patient {audit.order[0]}: ")


def test_suspects_of_any_source(case):
    display = SuspectsDisplay.from_predictions([3.0, 2.0, 1.0], [0.2, 0.6, 0.9], ax=axes())
    assert display.flagged.tolist() == [False, True, True]
    assert display.named_.tolist() == [2, 1]
    none = SuspectsDisplay.from_predictions([3.0, 2.0], [0.2, 0.6], flagged=[0, 0], ax=axes())
    assert not none.named_.size
    assert not none.ax_.texts
    for options, complaint in (
        ({"probability": [0.1, 1.2]}, r"probability must lie in 0\.\.1; position 1 holds 1\.2"),
        ({"probability": [0.1]}, "probability must have an entry for each of the 2 rows: 1"),
        ({"names": ["a"]}, "names must be one for each of the 2 rows: 1"),
    ):
        with pytest.raises(ValueError, match=complaint):
            SuspectsDisplay(**{"scores": [0.0, 1.0], "probability": [0.1, 0.2], **options})


def test_reliability_is_means_and_shares_by_group():
    probability = np.array([0.0, 0.02, 0.3, 0.5, 0.7, 0.99, 1.0])
    wrong = np.array([0, 0, 1, 0, 1, 1, 1], bool)
    display = ReliabilityDisplay.from_predictions(wrong, probability, ax=axes(), label="mine")
    np.testing.assert_allclose(display.promised, [0.01, 0.3, 0.6, 0.995])
    np.testing.assert_allclose(display.found, [0.0, 1.0, 0.5, 1.0])
    assert display.counts.tolist() == [2, 1, 2, 2]
    # Wilson's interval of 1 of 2.
    assert (display.low[2], display.high[2]) == pytest.approx((0.0945, 0.9055), abs=1e-4)
    points = display.line_[0]
    np.testing.assert_array_equal(points.get_xdata(), display.promised)
    np.testing.assert_array_equal(points.get_ydata(), display.found)
    assert [text.get_text() for text in display.ax_.texts] == ["2", "1", "2", "2"]
    assert display.ax_.get_legend().get_texts()[0].get_text() == "mine"
    for edges in ((0.0, 0.5), (0.1, 1.0), (0.0, 0.5, 0.5, 1.0)):
        with pytest.raises(ValueError, match="edges must rise from 0 to 1"):
            ReliabilityDisplay(wrong, probability, edges=edges)
    with pytest.raises(ValueError, match="wrong must have an entry for each of the 7 rows: 6"):
        ReliabilityDisplay(wrong[1:], probability)


def test_convergence_is_the_history_of_a_fit(case):
    final = case.model[-1]
    display = ConvergenceDisplay.from_estimator(case.model, ax=axes())
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), final.objective_history_)
    (dotted,) = [line for line in display.ax_.lines if line.get_gid() == "settled"]
    assert dotted.get_xdata()[0] == final.settled_from_
    convex = SVOREX().fit(case.X, case.y)
    display = ConvergenceDisplay.from_estimator(convex, name="convex", ax=axes())
    assert [line.get_label() for line in display.ax_.lines] == ["convex"]
    several = ConvergenceDisplay.from_results({"A": [3, 2], "B": [3, 2.5, 2.4]}, ax=axes())
    assert [t.get_text() for t in several.ax_.get_legend().get_texts()] == ["A", "B"]
    with pytest.raises(ValueError, match="The history B holds NaN"):
        ConvergenceDisplay({"A": [1.0], "B": [1.0, np.nan]})
    with pytest.raises(ValueError, match="not fitted"):
        ConvergenceDisplay.from_estimator(CSVOR())


def test_robustness_fits_to_changed_labels_and_judges_on_given_ones(case):
    folds = [(np.arange(50, 150), np.arange(50)), (np.arange(100), np.arange(100, 150))]
    models = {"CSVOR": CSVOR(), "scaled": make_pipeline(StandardScaler(), SVOREX())}
    display = RobustnessDisplay.from_estimator(
        models, case.X, case.y, shares=(0.0, 0.3), cv=folds, ax=axes()
    )
    assert display.errors.index.tolist() == [0.0, 30.0]
    assert list(display.errors) == ["CSVOR", "scaled"]
    for name, model in models.items():  # at 0 nothing is changed
        errors = [
            mean_zero_one_error(
                case.y[test], model.fit(case.X[train], case.y[train]).predict(case.X[test])
            )
            for train, test in folds
        ]
        assert display.errors.loc[0.0, name] == pytest.approx(np.mean(errors))
        assert display.spread.loc[0.0, name] == pytest.approx(np.std(errors, ddof=1) / 2**0.5)
    spoilt, _ = flip_labels(
        case.y[folds[0][0]], 0.3, classes=[0, 1, 2], random_state=np.random.default_rng([0, 1, 0])
    )
    alone = RobustnessDisplay.from_estimator(
        SVOREX(), case.X, case.y, shares=(0.0, 0.3), cv=folds[:1] * 2, ax=axes()
    )
    error = mean_zero_one_error(case.y[:50], SVOREX().fit(case.X[50:], spoilt).predict(case.X[:50]))
    again, _ = flip_labels(
        case.y[50:], 0.3, classes=[0, 1, 2], random_state=np.random.default_rng([0, 1, 1])
    )
    other = mean_zero_one_error(case.y[:50], SVOREX().fit(case.X[50:], again).predict(case.X[:50]))
    assert alone.errors.loc[30.0, "SVOREX"] == pytest.approx((error + other) / 2)
    for line, name in zip(display.lines_, models, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), display.errors[name])
        assert line.get_color() == method_style(name).colour


def test_robustness_of_a_study_has_gaps_where_cells_are_missing():
    cells = [
        {"dataset": d, "level": level, "split": s, "method": m, "mze": 0.1 * s + 0.01 * level}
        for d in "ab" for level in (0, 10) for s in (0, 1) for m in ("POM", "CSVOR")
    ]  # fmt: skip
    display = RobustnessDisplay.from_results(pd.DataFrame(cells), ax=axes())
    assert list(display.errors) == ["POM", "CSVOR"]
    np.testing.assert_allclose(display.errors["CSVOR"], [0.05, 0.15])
    assert display.ax_.get_ylabel() == "mean zero-one error"
    failed = [dict(cell) for cell in cells]
    failed[0]["mze"] = np.nan  # POM at level 0
    for table in (failed, cells[1:]):
        errors = RobustnessDisplay.from_results(pd.DataFrame(table), ax=axes()).errors
        assert np.isnan(errors.loc[0, "POM"])
        np.testing.assert_allclose(errors["CSVOR"], [0.05, 0.15])
        assert errors.loc[10, "POM"] == pytest.approx(0.15)
    with pytest.raises(ValueError, match="more than one row for a, 0, 0, POM"):
        RobustnessDisplay.from_results(pd.DataFrame([*cells, cells[0]]))
    with pytest.raises(ValueError, match="no column split, mze"):
        RobustnessDisplay.from_results(pd.DataFrame(cells).drop(columns=["split", "mze"]))


def test_wrong_tables_are_refused():
    with pytest.raises(ValueError, match="errors is empty"):
        RobustnessDisplay(pd.DataFrame())
    with pytest.raises(ValueError, match=r"spread has shape \(1, 1\), errors \(2, 1\)"):
        RobustnessDisplay({"A": [0.1, 0.2]}, spread={"A": [0.1]})


def test_few_numbers_of_dask_are_brought_here_and_many_refused(case, monkeypatch):
    pytest.importorskip("dask")
    da = pytest.importorskip("dask.array")
    parts = da.from_array(case.X, chunks=(60, -1)), da.from_array(case.y, chunks=60)
    audit, here = audit_labels(*parts, CSVOR()), audit_labels(case.X, case.y, CSVOR())
    found = SuspectsDisplay.from_audit(audit, ax=axes())
    np.testing.assert_array_equal(found.named_, SuspectsDisplay.from_audit(here, ax=axes()).named_)
    found = ThresholdDisplay.from_audit(audit, ax=axes())
    np.testing.assert_array_equal(
        found.counts_, ThresholdDisplay.from_audit(here, ax=axes()).counts_
    )
    wrong = da.from_array(here.flagged, chunks=60)
    assert ReliabilityDisplay.from_audit(audit, wrong, ax=axes()).counts.sum() == 150
    for model in (CSVOR(), make_pipeline(StandardScaler(), CSVOR())):
        model.fit(case.X, case.y)
        found = ThresholdDisplay.from_estimator(model, *parts, ax=axes())
        whole = ThresholdDisplay.from_estimator(model, case.X, case.y, ax=axes())
        np.testing.assert_array_equal(found.counts_, whole.counts_)

    monkeypatch.setattr(csvor.plots._arrays, "_MOST", 100)
    many = r"audit\.score lies .* has 150 numbers; .*such as audit\.score\[::2\]\.compute\(\)"
    for display in (SuspectsDisplay, ThresholdDisplay):
        with pytest.raises(TypeError, match=many):
            display.from_audit(audit)
    with pytest.raises(TypeError, match=r"audit\.probability lies in partitions"):
        ReliabilityDisplay.from_audit(audit, wrong)
    with pytest.raises(TypeError, match="X lies in partitions of dask and has 300 numbers"):
        ThresholdDisplay.from_estimator(model, *parts)
    with pytest.raises(TypeError, match="X lies in partitions of dask"):
        RobustnessDisplay.from_estimator(model, *parts)
    unknown = audit.score[audit.score > -np.inf]
    with pytest.raises(TypeError, match="lies in partitions of dask and has 150 numbers"):
        ThresholdDisplay.from_predictions(unknown, case.y, here.thresholds)
    monkeypatch.setattr(csvor.plots._arrays, "_MOST", 150)
    ThresholdDisplay.from_predictions(unknown, case.y, here.thresholds, ax=axes())
