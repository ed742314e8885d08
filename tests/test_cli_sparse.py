"""Columns of many words become a sparse matrix, and nothing but the work is less (case N45)."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.preprocessing import OneHotEncoder
from typer.testing import CliRunner, Result

from csvor._faults.notes import Notes
from csvor._tables import features as _features
from csvor._tables.features import FeatureColumns
from csvor._tables.model_columns import features_frame
from csvor.cli._model import load_model
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.commands._app import app
from csvor.cli.commands._audit import audit_file
from csvor.cli.input._read import read_table
from csvor.preprocessing._encoding import make_pipeline
from csvor.report.audit._features import table_of
from csvor.report.audit._why import nearest_good, pulls

# Of a convex problem there is one answer, whichever way it was found.
CONVEX = ("--contamination", 0, "--kernel", "linear")
RBF = ("--contamination", 0, "--kernel", "rbf", "--components", 50, "--C", 10)


def run(*args: object) -> Result:
    result = CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    return result


def told(*args: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*args, "--json").stdout)
    return found


def worded(n: int = 300, n_words: int = 70, seed: int = 0) -> pd.DataFrame:
    """Two columns of words, two of numbers, and a grade by all four; some grades are wrong."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, n_words, (n, 2))
    numbers = rng.normal(50.0, 10.0, (n, 2))
    worth = rng.normal(size=(n_words, 2))
    score = worth[words, [0, 1]].sum(axis=1) + 0.1 * (numbers[:, 0] - 50.0)
    grade = np.digitize(score, np.quantile(score, [0.25, 0.5, 0.75])) + 1
    wrong = rng.random(n) < 0.06
    grade[wrong] = rng.integers(1, 5, wrong.sum())
    return pd.DataFrame(
        {
            "town": [f"town {i:03d}" for i in words[:, 0]],
            "trade": [f"trade {i:03d}" for i in words[:, 1]],
            "age": numbers[:, 0],
            "size": numbers[:, 1],
            "grade": grade,
        }
    )


@pytest.fixture(autouse=True)
def _in_a_folder_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    worded().to_csv("t.csv", index=False)


@pytest.fixture
def densely(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """What a function returns where no number of categories is many."""

    def call(function: Callable[..., Any], *args: object) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(_features, "SPARSE_FROM", 10**9)
            return function(*args)

    return call


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """All that the encoders make; a conversion to an array of their width is refused."""
    seen: list[Any] = []
    transform = OneHotEncoder.transform

    def seeing(self: OneHotEncoder, X: Any) -> Any:
        seen.append(transform(self, X))
        return seen[-1]

    def refuse(of: Any, convert: Callable[..., Any]) -> Callable[..., Any]:
        def narrow(self: Any, *args: Any, **kwargs: Any) -> Any:
            assert self.shape[1] < 100, "a dense copy of sparse rows"
            return convert(self, *args, **kwargs)

        return narrow

    monkeypatch.setattr(OneHotEncoder, "transform", seeing)
    for kind in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.csc_array):
        for name in ("toarray", "todense"):
            monkeypatch.setattr(kind, name, refuse(kind, getattr(kind, name)))
    return seen


def fit(name: str, *options: object) -> dict[str, Any]:
    return told("fit", "t.csv", "--target", "grade", "--model", name, *options)


def audit(*options: object) -> dict[str, Any]:
    return told("audit", "t.csv", "--target", "grade", *options)


@pytest.mark.parametrize(
    ("numbers", "levels", "sparse"),
    [(0, [99], False), (0, [100], True), (2, [50, 50], True), (40, [100], False), (3, [2], False)],
)
def test_one_place_decides(numbers: int, levels: list[int], sparse: bool) -> None:
    """By the categories together, if few of the numbers of a row are not 0."""
    categorical = {f"c{i}": [str(j) for j in range(n)] for i, n in enumerate(levels)}
    features = FeatureColumns([f"n{i}" for i in range(numbers)], categorical)
    assert features.are_sparse is sparse
    steps = make_pipeline(features, "passthrough", impute=False, clip=None)
    rng, n = np.random.default_rng(0), 400
    values = {name: rng.normal(size=n) for name in features.numeric}
    words = {name: [known[i % len(known)] for i in range(n)] for name, known in categorical.items()}
    assert hasattr(steps.fit_transform(pd.DataFrame({**values, **words})), "tocsr") is sparse


def test_encoded_rows_are_those_of_a_dense_encoding(densely: Callable[..., Any]) -> None:
    """With blanks filled and far values limited."""
    frame = worded()[["age", "size", "town", "trade"]]
    frame.loc[3, "age"], frame.loc[5, "size"] = np.nan, 9000.0
    words = {name: sorted(set(frame[name])) for name in ("town", "trade")}
    features = FeatureColumns(["age", "size"], words)

    def encoded() -> Any:
        return make_pipeline(features, "passthrough", impute=True, clip=5.0).fit_transform(frame)

    found, expected = encoded(), densely(encoded)
    assert sparse.issparse(found) and isinstance(expected, np.ndarray)
    assert found.nnz == 4 * len(frame)
    np.testing.assert_array_equal(found.toarray(), expected)


@pytest.mark.parametrize("options", [CONVEX, (*CONVEX, "--p", 2, "--constraints", "implicit")])
def test_a_fit_is_that_of_a_dense_table(
    densely: Callable[..., Any], options: tuple[object, ...]
) -> None:
    found, expected = fit("s.skops", *options), densely(fit, "d.skops", *options)
    apart = ("model", "thresholds", "coefficients", "fit")
    assert {**found, **dict.fromkeys(apart)} == {**expected, **dict.fromkeys(apart)}
    assert len(found["coefficients"]) == len(expected["coefficients"]) > 100
    ours, theirs = load_model("s.skops"), load_model("d.skops")
    frame = features_frame(read_table("t.csv", Notes()), ours.features, impute=False, notes=Notes())
    assert sparse.issparse(ours.pipeline[:-1].transform(frame))
    scores, dense = (
        one.pipeline[-1].predict_projection(one.pipeline[:-1].transform(frame))
        for one in (ours, theirs)
    )
    np.testing.assert_allclose(scores, dense, atol=1e-3 * np.abs(dense).max())
    objectives = [one.pipeline[-1].objective_ for one in (ours, theirs)]
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)


@pytest.mark.parametrize("options", [CONVEX, RBF], ids=["linear", "rbf"])
def test_a_model_file_predicts_what_was_fitted(
    densely: Callable[..., Any], options: tuple[object, ...]
) -> None:
    """Rows with words that were not seen, too, and fewer rows than words."""
    fit("s.skops", *options)
    densely(fit, "d.skops", *options)
    new = worded(seed=1).drop(columns="grade").head(40)
    new.loc[2, "town"] = "elsewhere"
    new.to_csv("new.csv", index=False)
    predict = ("predict", "new.csv", "--model")
    found, expected = told(*predict, "s.skops"), told(*predict, "d.skops")
    assert found["predictions"] == expected["predictions"]
    assert found["notes"] == expected["notes"]
    assert any("'elsewhere'" in note for note in found["notes"])


@pytest.mark.slow
def test_the_same_is_tuned(densely: Callable[..., Any]) -> None:
    worded(n=240, n_words=60).to_csv("t.csv", index=False)
    options = ("--tune", "--folds", 2, "--contamination", 0)
    found, expected = fit("s.skops", *options)["tuned"], densely(fit, "d.skops", *options)["tuned"]
    assert found["error"] == pytest.approx(expected["error"], abs=0.01)
    assert found["n_fits"] == expected["n_fits"]


def rows_by_number(document: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(document["suspects"]).set_index("row").sort_index()


@pytest.mark.parametrize(
    "options",
    [(*CONVEX, "--C", 1), ("--C", 3, "--gamma", 0.3, "--components", 30)],
    ids=["one line", "two compared"],
)
def test_an_audit_is_that_of_a_dense_table(
    densely: Callable[..., Any], options: tuple[object, ...]
) -> None:
    options = (*options, "--models", "own", "--folds", 2)
    found, expected = audit(*options), densely(audit, *options)
    assert found["notes"] == expected["notes"]
    assert found["wrong_labels"]["share"] == pytest.approx(
        expected["wrong_labels"]["share"], abs=0.002
    )
    ours, theirs = rows_by_number(found), rows_by_number(expected)
    np.testing.assert_allclose(ours["probability"], theirs["probability"], atol=0.02)
    assert (ours["suggested"] == theirs["suggested"]).mean() > 0.99


def audited(*, kernel: str) -> tuple[Any, Any]:
    options = ModelOptions(C=1.0, kernel=kernel, components=None if kernel == "linear" else 50)
    rows, audit = audit_file(DataOptions("t.csv", "grade"), options, Notes())
    return rows.prepared, audit


def test_pulls_of_sparse_categories_are_those_of_dense_ones(densely: Callable[..., Any]) -> None:
    """One model, behind either encoding."""
    work, audit = audited(kernel="linear")
    dense = densely(partial(make_pipeline, impute=False, clip=None), work.features, "passthrough")
    dense.steps[0] = ("columns", dense[0].fit(work.frame))
    dense.steps[-1] = ("model", audit.model[-1])
    rows, columns = audit.order[:40], np.arange(4)
    found, expected = (
        pulls(model, table_of(work.frame), rows, columns) for model in (audit.model, dense)
    )
    assert np.ptp(found, axis=0).min() > 0
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_nearest_good_rows_of_sparse_categories_by_hand() -> None:
    work, audit = audited(kernel="rbf")
    rows = audit.order[:20]
    found = nearest_good(audit, audit.model, table_of(work.frame), rows)
    Z = audit.model[:-1].transform(work.frame).toarray()
    for row, near in zip(rows.tolist(), found, strict=True):
        good = (audit.probability < 0.5) & (audit.given == audit.suggested[row])
        good[row] = False
        distance = np.linalg.norm(Z - Z[row], axis=1)
        assert good[near].all() and len(near) == 3
        np.testing.assert_allclose(distance[near], np.sort(distance[good])[:3], atol=1e-7)


def test_decisions_are_applied_and_audited_again() -> None:
    suspects = pd.DataFrame(audit(*CONVEX, "--C", 1)["suspects"]).query("flagged").head(3)
    decided = suspects[["row", "given"]].assign(target="grade", decision="relabel")
    decided["label"] = suspects["suggested"]
    decided.to_csv("d.csv", index=False)
    run("apply", "d.csv", "t.csv", "--target", "grade", "--out", "o.csv")
    before, after = pd.read_csv("t.csv"), pd.read_csv("o.csv")
    changed = np.flatnonzero((before["grade"] != after["grade"]).to_numpy()) + 1
    assert sorted(changed) == sorted(suspects["row"])
    again = audit(*CONVEX, "--C", 1, "--reviewed", "d.csv")
    assert again["reviewed"]["relabelled"] == 3


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_no_rows_are_made_dense(made: list[Any], kernel: str) -> None:
    options = RBF if kernel == "rbf" else CONVEX
    fit("s.skops", *options)
    run("predict", "t.csv", "--model", "s.skops", "--out", "-")
    audit(*options, "--C", 10, "--folds", 2, "--report", "p.html")
    page = Path("p.html").read_text(encoding="utf-8")
    assert "trade" in page and ("resembles" in page) is (kernel == "rbf")
    assert len(made) > 4
    assert all(map(sparse.issparse, made))
