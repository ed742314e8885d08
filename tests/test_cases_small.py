"""Case N67: small things, each in the way of somebody."""

import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array

from csvor import CSVOR, SVOREX
from csvor.plots import ThresholdDisplay
from problems import g
from properties import run

X, Y = g(0, 120)


def test_arrays_of_another_namespace_are_computed_by_numpy(monkeypatch):
    xp = pytest.importorskip("array_api_strict")
    monkeypatch.setattr("sklearn.utils._array_api._check_array_api_dispatch", lambda _: None)
    with sklearn.config_context(array_api_dispatch=True):
        model = SVOREX().fit(xp.asarray(X), xp.asarray(Y))
        predicted = model.predict(xp.asarray(X))
    np.testing.assert_array_equal(predicted, SVOREX().fit(X, Y).predict(X))


def test_distances_of_rows_far_from_0_do_not_cancel():
    """Columns near 1.7e12 with a spread of 2e4, such as times in milliseconds."""
    far = 1.7e12 + 2e4 * X
    near = far - 1.7e12  # exact
    models = [CSVOR(C=10, kernel="rbf").fit(rows, Y) for rows in (far, near)]
    np.testing.assert_allclose(models[0].objective_, models[1].objective_, rtol=1e-9)
    np.testing.assert_array_equal(models[0].predict(far), models[1].predict(near))
    assert models[0].score(far, Y) > 0.85


def test_labels_that_look_like_classes_are_said_to():
    classes = ["très bas", "moyen", "élevé"]
    labels = np.array([unicodedata.normalize("NFD", name) for name in classes])[Y % 3]
    with pytest.raises(ValueError, match="written in two ways, which look alike"):
        CSVOR(classes=classes).fit(X, labels)
    with pytest.raises(ValueError, match="list every class"):
        CSVOR(classes=classes).fit(X, np.array(["tres bas", "moyen", "élevé"])[Y % 3])


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match="X has more than one column 'a'"):
        CSVOR().fit(pd.DataFrame(X, columns=["a", "a"]), Y)


def test_far_values_of_many_columns_are_one_note(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = np.random.default_rng(0).normal(size=(len(Y), 9))
    for few in (2, 9):
        columns[:few, :few][np.diag_indices(few)] = 1e5
        names = [f"c{j}" for j in range(columns.shape[1])]
        pd.DataFrame(columns, columns=names).assign(grade=Y).to_csv("t.csv", index=False)
        done = run("fit", "t.csv", "--target", "grade", "--model", "m.skops", "--C", 1)
        notes = [line for line in done.stderr.splitlines() if "interquartile" in line]
        assert len(notes) == (2 if few == 2 else 1)
        Path("m.skops").unlink()
    assert "9 columns have a value" in notes[0]
    assert "'c0' (row 1)" in notes[0]
    assert "'c4' (row 5) and 4 more columns" in notes[0]


def test_names_of_many_thresholds_do_not_overrun_the_figure():
    scores = np.repeat(np.arange(60.0), 3)
    codes = np.repeat(np.arange(60), 3)
    display = ThresholdDisplay.from_predictions(scores, codes, np.arange(59) + 0.5)
    assert [text.get_text() for text in display.ax_.texts] == ["$b_{1}$ – $b_{59}$"]


@pytest.mark.parametrize("n_components", [None, 9])
@pytest.mark.parametrize("of_fit", [np.asarray, csr_array])
@pytest.mark.parametrize("of_predict", [np.asarray, csr_array])
def test_a_kernel_of_sparse_rows_judges_dense_ones_and_the_other_way(
    n_components, of_fit, of_predict
):
    model = CSVOR(kernel="rbf", n_components=n_components, random_state=0)
    predicted = model.fit(of_fit(X), Y).predict(of_predict(X))
    assert np.mean(predicted == model.fit(X, Y).predict(X)) > 0.97


@pytest.mark.parametrize("names", [[0, 0], pd.MultiIndex.from_tuples([("a", 1), ("a", 1)])])
def test_two_columns_of_one_name_that_is_no_text_are_refused(names):
    with pytest.raises(ValueError, match="X has more than one column"):
        CSVOR().fit(pd.DataFrame(X, columns=names), Y)
