"""Audits in a notebook: tables by the index of the data, what is shown of itself, and a bar."""

import numpy as np
import pandas as pd
import pytest

from csvor import audit_labels, audit_raters, audit_scores
from csvor._labels import index_of
from problems import g


def spoilt(n=120):
    X, y = g(0, n)
    y[:6] = (y[:6] + 2) % 5
    words = np.array(["<none>", "mild", "moderate", "severe", "critical"])
    names = [f"P{i:03d}" for i in np.random.default_rng(0).permutation(n)]
    return pd.DataFrame(X, pd.Index(names, name="patient"), ["a", "b"]), words[y], words


def of_scores(X, y, words, **options):
    return audit_scores(X["a"] + 0.5 * X["b"], y, classes=words, **options)


def test_rows_of_the_table_join_the_frame_by_its_index():
    X, y, words = spoilt()
    audit = of_scores(X, y, words)
    table = audit.to_frame()
    assert table.index.name == "patient"
    assert table.index.tolist() == X.index[audit.order].tolist()
    joined = X.join(table)
    assert joined["given"].tolist() == y.tolist()
    np.testing.assert_array_equal(joined["probability"], audit.probability)
    # By the labels, where the features have no index; by positions, where neither has.
    of_labels = audit_scores(
        (X["a"] + 0.5 * X["b"]).to_numpy(), pd.Series(y, X.index), classes=words
    )
    assert of_labels.to_frame().index.equals(table.index)
    plain = of_scores(X.reset_index(drop=True), y, words).to_frame()
    assert plain.index.name == "position" and plain.index.tolist() == audit.order.tolist()


@pytest.mark.parametrize(
    ("index", "kept"),
    [
        (pd.RangeIndex(3), False),
        (pd.RangeIndex(1, 4), True),
        (pd.Index([2, 0, 1]), True),
        (pd.RangeIndex(3, name="patient"), True),
    ],
)
def test_an_index_that_only_counts_the_rows_is_none(index, kept):
    assert (index_of([0, 1, 2], pd.Series(range(3), index)) is not None) == kept


def test_an_audit_shows_itself_in_a_notebook():
    X, y, words = spoilt()
    audit = of_scores(X, y, words)
    page = audit._repr_html_()
    assert f"{audit.summary[1:]}.</strong>" in page
    assert page.count("<table") == 2 and "Flagged rows by the label given" in page
    for name in audit.to_frame().index[:10]:
        assert f"<th>{name}</th>" in page
    assert audit.to_frame().index[10] not in page
    assert "<none>" not in page and "&lt;none&gt;" in page
    rng = np.random.default_rng(0)
    unclear = audit_scores(rng.normal(size=60), rng.integers(0, 3, 60))
    assert not unclear.conclusive and "<table" not in unclear._repr_html_()


def test_ratings_show_themselves_and_progress_is_drawn(capsys):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    ratings = np.clip(truth[:, None] + (rng.random((60, 3)) < 0.1), 0, 2)
    audit = audit_raters(None, pd.DataFrame(ratings, columns=["Ann", "Bo", "Cy"]), progress=True)
    page = audit._repr_html_()
    assert "Ann" in page and "ratings_to_frame" in page
    assert "audit_raters" in capsys.readouterr().out


def test_progress_true_draws_a_bar(capsys):
    X, y = g(0, 60)
    calls: list[tuple[int, int]] = []
    audit_labels(X, y, cv=2, models="own", progress=lambda *call: calls.append(call))
    assert calls[-1][0] == calls[-1][1] and capsys.readouterr().out == ""
    audit_labels(X, y, cv=2, models="own", progress=True)
    assert "audit_labels" in capsys.readouterr().out
    audit_labels(X, y, cv=2, models="own", progress=False)
    assert capsys.readouterr().out == ""
