"""An audit says the same of a row wherever it stands, and in whatever order its columns are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from csvor import CSVOR, audit_labels, audit_scores, audit_table
from csvor._data.content import rows_in_order
from problems import mislabel

OF_ROWS = ("probability", "expected_distance", "suggested_probability", "class_probabilities")
ONE = CSVOR(C=1.0, constraints="implicit", contamination="auto", solver="multipliers")
Data = tuple[Any, np.ndarray]


def generated(n: int, seed: int = 0, d: int = 5) -> Data:
    """Five classes that bend, of which a tenth of the labels is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + 0.7 * X[:, 1] ** 2 - 0.5 * X[:, 2] + 0.2 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    return X, mislabel(y, 0.1, seed)[0]


def moved(n: int, d: int, rows: bool, columns: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    return (
        rng.permutation(n) if rows else np.arange(n),
        rng.permutation(d) if columns else np.arange(d),
    )


def same(audit: Any, other: Any, rows: np.ndarray) -> None:
    """The other is of the same rows in that order."""
    for name in OF_ROWS:
        np.testing.assert_allclose(
            getattr(other, name), getattr(audit, name)[rows], rtol=0, atol=1e-6, err_msg=name
        )
    np.testing.assert_array_equal(other.flagged, audit.flagged[rows])
    np.testing.assert_array_equal(other.suggested, audit.suggested[rows])
    ends = [[one.share, one.low, one.high, one.log_likelihood] for one in (audit, other)]
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)
    assert other.notes == audit.notes and other.named == audit.named


ORDERS = pytest.mark.parametrize(
    ("rows", "columns"),
    [(True, False), (False, True), (True, True)],
    ids=["rows", "columns", "both"],
)


@ORDERS
@pytest.mark.parametrize("n", [300, 600])
def test_all_models(n: int, rows: bool, columns: bool) -> None:
    X, y = generated(n)
    i, j = moved(*X.shape, rows, columns)
    same(audit_labels(X, y), audit_labels(X[i][:, j], y[i]), i)


@ORDERS
@pytest.mark.parametrize("estimator", [ONE, LogisticRegression()], ids=["csvor", "other"])
def test_one_model_and_what_is_known_of_rows(estimator: Any, rows: bool, columns: bool) -> None:
    X, y = generated(400)
    i, j = moved(*X.shape, rows, columns)
    rng = np.random.default_rng(1)
    known = {
        "groups": rng.integers(0, 60, 400),
        "sample_weight": rng.integers(1, 4, 400) / 2.0,
        "confirmed": rng.random(400) < 0.1,
    }
    for names in ((), ("groups",), ("sample_weight", "confirmed"), tuple(known)):
        here = {name: known[name] for name in names}
        there = {name: known[name][i] for name in names}
        audit = audit_labels(X, y, estimator, **here)
        same(audit, audit_labels(X[i][:, j], y[i], estimator, **there), i)


def test_raters() -> None:
    X, y = generated(400)
    raters = np.random.default_rng(2).choice(["Ann", "Bo", "Cy"], 400)
    i, _ = moved(*X.shape, True, False)
    audit = audit_labels(X, y, ONE, raters=raters)
    other = audit_labels(X[i], y[i], ONE, raters=raters[i])
    same(audit, other, i)
    np.testing.assert_allclose(other.raters.shift, audit.raters.shift, atol=1e-6)


@pytest.mark.parametrize("models", ["own", "all"])
def test_rows_that_hold_the_same_are_told_the_same(models: str) -> None:
    """Which of them is held out with which rows is chance."""
    rng = np.random.default_rng(0)
    X = rng.integers(1, 4, (400, 4)).astype(float)
    score = X @ [1.0, 2.0, 1.0, 1.0] + rng.normal(size=400)
    y = mislabel(np.digitize(score, np.quantile(score, [0.25, 0.5, 0.75])), 0.1, 0)[0]
    i, j = moved(*X.shape, True, True)
    audit = audit_labels(X, y, ONE, models=models)
    same(audit, audit_labels(X[i][:, j], y[i], ONE, models=models), i)
    told = pd.DataFrame({**{f"x{k}": X[:, k] for k in range(4)}, "y": y, "p": audit.probability})
    assert np.ptp(told.groupby(["x0", "x1", "x2", "x3", "y"])["p"].agg(np.ptp)) == 0.0


def test_scores() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=500)
    y = mislabel(np.digitize(scores + 0.2 * rng.normal(size=500), [-1, 0, 1]), 0.1, 0)[0]
    i = rng.permutation(500)
    same(audit_scores(scores, y), audit_scores(scores[i], y[i]), i)


def test_more_rows_than_are_compared_or_fitted_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csvor._mixture.objective._ENOUGH", 300)
    monkeypatch.setattr("csvor.audit._candidates.COMPARED", 200)
    X, y = generated(500)
    i, j = moved(*X.shape, True, True)
    same(audit_labels(X, y), audit_labels(X[i][:, j], y[i]), i)
    same(audit_scores(X[:, 0], y), audit_scores(X[i, 0], y[i]), i)


def test_a_table_of_numbers_and_words() -> None:
    X, y = generated(300, d=4)
    frame = pd.DataFrame(X.round(2), columns=list("abcd"))
    frame["e"] = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    frame["grade"] = y
    i = np.random.default_rng(3).permutation(300)
    other = frame.iloc[i][["grade", "e", "c", "a", "d", "b"]].reset_index(drop=True)
    same(audit_table(frame, "grade"), audit_table(other, "grade"), i)
    words = make_pipeline(OneHotEncoder(handle_unknown="ignore"), StandardScaler(with_mean=False))
    alone = make_pipeline(*[step for _, step in words.steps], ONE)
    same(
        audit_labels(frame[["e"]], y, alone),
        audit_labels(frame[["e"]].iloc[i].reset_index(drop=True), y[i], alone),
        i,
    )


def test_the_share_that_a_model_seeks() -> None:
    X, y = generated(400)
    i, _ = moved(*X.shape, True, False)
    here, there = (
        CSVOR(contamination="auto").fit(*data).contamination_ for data in ((X, y), (X[i], y[i]))
    )
    assert there == pytest.approx(here, abs=1e-6)


def test_one_order_however_a_table_is_laid_out() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3)).round(1)
    X[X < 0] = 0.0
    order, _ = rows_in_order(X)
    layouts: list[Callable[[Any], Any]] = [
        np.asfortranarray, sparse.csr_matrix, sparse.csc_array, pd.DataFrame, np.ndarray.tolist,
        lambda X: X[:, ::-1], lambda X: np.where(X == 0.0, -0.0, X), lambda X: X.astype(object),
    ]  # fmt: skip
    for layout in layouts:
        np.testing.assert_array_equal(rows_in_order(layout(X))[0], order)
    whole = np.round(10 * X)
    np.testing.assert_array_equal(rows_in_order(whole.astype(int))[0], rows_in_order(whole)[0])
