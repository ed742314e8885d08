"""A column of labels is read once, however many fits and scores it goes into."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from csvor import CSVOR, SVOREX, audit_labels
from csvor._labels import CodedLabels, read_column
from csvor._labels.column import Column
from csvor.cli.commands import _tune
from csvor.cli.commands._app import app
from csvor.metrics import get_scorer, mean_absolute_error
from problems import g, mislabel

WORDS = ["poor", "fair", "good", "very good", "best"]


class Counted:
    """Labels that count how often they are turned into an array."""

    def __init__(self, labels):
        self.labels, self.readings = np.asarray(labels), 0

    def __array__(self, dtype=None, copy=None):
        self.readings += 1
        return np.array(self.labels, dtype=dtype)

    def __len__(self):
        return self.labels.size


@pytest.fixture
def rows():
    X, codes = g(0, 120)
    return X, mislabel(codes, 0.1, 1)[0]


@pytest.fixture
def readings(monkeypatch):
    """One entry for each column of labels that any module of csvor reads."""
    found = []

    def counted(y, *, name="y", warn=False):
        if name != "classes" and not isinstance(y, Column):
            found.append(name)
        return read_column(y, name=name, warn=warn)

    for name, module in list(sys.modules.items()):
        if name.startswith("csvor.") and hasattr(module, "read_column"):
            monkeypatch.setattr(module, "read_column", counted)
    return found


@pytest.mark.parametrize("classes", [None, WORDS], ids=["numbers", "words"])
def test_fits_scores_and_audits_read_labels_once(rows, classes):
    X, codes = rows
    y = codes if classes is None else np.array(WORDS)[codes]
    model = CSVOR(classes=classes).fit(X, y)

    def readings_of(work):
        labels = Counted(y)
        work(labels)
        return labels.readings

    assert readings_of(lambda y: CSVOR(classes=classes).fit(X, y)) == 1
    assert readings_of(lambda y: model.fit_many(X, y, [{"C": c} for c in (0.1, 1.0, 10.0)])) == 1
    assert readings_of(lambda y: model.residuals(X, y)) == 1
    assert readings_of(lambda y: model.score(X, y)) == 1
    assert readings_of(lambda y: get_scorer("neg_mean_absolute_error")(model, X, y)) == 1
    assert readings_of(lambda y: mean_absolute_error(y, y, classes=classes)) == 2  # two columns
    for cv in (2, 7):
        assert readings_of(lambda y, cv=cv: audit_labels(X, y, model, cv=cv)) == 1
        steps = make_pipeline(StandardScaler(), model)
        assert readings_of(lambda y, cv=cv, steps=steps: audit_labels(X, y, steps, cv=cv)) == 1
    assert readings_of(lambda y: audit_labels(X, y, classes=classes, cv=2)) == 1


@pytest.fixture
def table(rows, tmp_path: Path):
    X, codes = rows
    pd.DataFrame(X).assign(grade=codes).to_csv(tmp_path / "t.csv", index=False)
    return str(tmp_path / "t.csv")


def readings_of_a_command(readings, *args):
    readings.clear()
    result = CliRunner().invoke(app, list(args))
    assert result.exit_code == 0, result.output
    return len(readings)


# For the order of the classes, and for their codes.
TWICE = 2


@pytest.mark.parametrize("folds", ["2", "4"])
@pytest.mark.parametrize("models", [["--C", "1"], []], ids=["one", "lines"])
def test_csvor_audit_reads_labels_no_more_often_for_folds_and_candidates(
    table, readings, folds, models
):
    given = ("audit", table, "--target", "grade", "--kernel", "linear")
    assert readings_of_a_command(readings, *given, "--folds", folds, *models) == TWICE


def test_csvor_fit_reads_labels_no_more_often_for_folds_and_grids(
    table, readings, tmp_path: Path, monkeypatch
):
    given = ["fit", table, "--target", "grade", "--model", str(tmp_path / "m.skops")]
    assert readings_of_a_command(readings, *given) == TWICE
    monkeypatch.setattr(_tune, "POWERS", (1.0, 2.0))
    for folds, strengths in (("2", (0.1, 1.0)), ("4", (0.01, 0.1, 1.0, 10.0))):
        monkeypatch.setattr(_tune, "STRENGTHS", strengths)
        assert readings_of_a_command(readings, *given, "--folds", folds, "--tune") == TWICE


def test_coded_labels_stand_for_the_labels(rows):
    X, codes = rows
    y = np.array(WORDS)[codes]
    coded = CodedLabels.from_data(y, WORDS)
    assert coded.decoded.tolist() == y.tolist()
    assert coded[3:7].decoded.tolist() == y[3:7].tolist()
    assert CodedLabels.from_data(coded) is coded
    given, ready = CSVOR(classes=WORDS).fit(X, y), CSVOR().fit(X, coded)
    assert ready.classes_.tolist() == WORDS
    assert ready.classes_.dtype == given.classes_.dtype
    np.testing.assert_array_equal(ready.coef_, given.coef_)
    np.testing.assert_array_equal(ready.predict(X), given.predict(X))


def test_an_audit_fits_the_steps_of_a_pipeline_with_the_labels_as_given(rows):
    """A step that uses y sees labels, not codes, and the model is a fitted pipeline."""
    X, codes = rows
    X = np.hstack([X, np.random.default_rng(2).normal(size=(120, 3))])
    y = np.array([1, 5, 6, 7, 30])[codes]
    seen = []

    def strength(X, y):
        seen.append(set(y.tolist()))
        return np.abs(np.corrcoef(X.T, y)[-1, :-1])

    steps = make_pipeline(StandardScaler(), SelectKBest(strength, k=2), SVOREX())
    audit = audit_labels(X, y, steps, cv=3, random_state=1)
    # For each part, and all rows; and for each part to see which order of the classes fits.
    assert seen == [{1, 5, 6, 7, 30}] * 7
    # Models that are compared share what the steps before them give.
    several = [clone(steps).set_params(svorex__C=C) for C in (0.1, 1.0, 10.0)]
    audit_labels(X, y, several, cv=3, random_state=1)
    assert seen == [{1, 5, 6, 7, 30}] * 14
    expected = steps.set_params(svorex__classes=np.unique(y)).fit(X, y)
    np.testing.assert_array_equal(audit.model.predict(X), expected.predict(X))
    np.testing.assert_array_equal(audit.model[-1].coef_, expected[-1].coef_)
    assert audit.model[0].n_samples_seen_ == 120


def test_an_audit_leaves_fitting_to_pipelines_of_another_kind(rows):
    X, codes = rows
    fits = []

    class Resampling(Pipeline):
        def fit(self, X, y=None, **parameters):
            fits.append(len(y))
            return super().fit(np.vstack([X, X]), np.concatenate([y, y]), **parameters)

    steps = [("scale", StandardScaler()), ("model", CSVOR())]
    found = audit_labels(X, codes, Resampling(steps), cv=3)
    assert fits == [80, 80, 80, 120]
    assert found.model[-1].residuals_.size == 240


def test_an_audit_scores_a_row_once(rows, monkeypatch):
    X, codes = rows
    scored = []
    project = CSVOR._project

    def counted(self, X):
        scored.append(len(X))
        return project(self, X)

    monkeypatch.setattr(CSVOR, "_project", counted)
    audit_labels(X, codes, CSVOR(), cv=4)
    assert scored == [30, 30, 30, 30]
    scored.clear()
    audit_labels(X, codes, [CSVOR(0.1), CSVOR(10.0)], cv=4)
    assert scored == [30] * 8
