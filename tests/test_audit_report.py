"""The page of an audit: what it says of how many, which and why, and that text stays text."""

import dataclasses
import pathlib
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from csvor import CSVOR, SVOREX, LabelAudit, audit_labels, audit_scores
from csvor.cli.commands import _apply
from csvor.report import write_audit_report
from csvor.report.audit import _suspects
from csvor.report.audit._answer import answer_of
from csvor.report.audit._distributions import confusion_of, probability_groups, score_chart
from csvor.report.audit._features import FeatureTable, table_of
from csvor.report.audit._follow_up import EDITED, calls, commands, editable
from csvor.report.audit._suspects import Feature, Suspect, suspects_of, text_of, value_text
from csvor.report.audit._why import nearest_good, pulls, strongest
from report_page import Page

EVIL = "</script><script>alert(1)</script>"
WORDS = np.array(["poor", "fair", "good"])


def graded(n: int = 240) -> tuple[pd.DataFrame, np.ndarray]:
    """Two columns of numbers and one of words; 24 grades are wrong."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"span": rng.normal(size=n), "load": rng.normal(10, 3, n).round(1)})
    X["kind"] = rng.choice(["steel", "wood"], n)
    score = X["span"] + (X["load"] - 10) / 6 + (X["kind"] == "steel")
    codes = np.digitize(score + 0.1 * rng.normal(size=n), [0, 1])
    codes[:24] = (codes[:24] + rng.integers(1, 3, 24)) % 3
    return X, WORDS[codes]


def model(**options: Any) -> Any:
    before = make_column_transformer(
        (StandardScaler(), ["span", "load"]), (OneHotEncoder(sparse_output=False), ["kind"])
    )
    return make_pipeline(before, CSVOR(contamination=0.1, random_state=0, **options))


@pytest.fixture(scope="module")
def line() -> LabelAudit:
    X, y = graded()
    return audit_labels(X, y, model(), classes=WORDS)


@pytest.fixture(scope="module")
def curve() -> LabelAudit:
    X, y = graded()
    return audit_labels(X, y, model(kernel="rbf", gamma=0.3, C=10.0), classes=WORDS)


def page_of(audit: Any, X: Any, folder: Any, **options: Any) -> Page:
    path = write_audit_report(audit, X, folder / "audit.html", **options)
    return Page(path.read_text(encoding="utf-8"))


# Why.


def test_pulls_of_a_line_are_weights_times_standardised_values(line: LabelAudit) -> None:
    X, _ = graded()
    rows = np.array([3, 50, 7])
    found = pulls(line.model, FeatureTable(X), rows, np.array([0, 1, 2]))
    Z = line.model[:-1].transform(X)[rows]
    w = line.model[-1].coef_
    np.testing.assert_allclose(found[:, :2], Z[:, :2] * w[:2], atol=1e-9)
    # Words are set against the most frequent one.
    usual = X["kind"].mode()[0]
    other = w[3] - w[2] if usual == "steel" else w[2] - w[3]
    expected = np.where(X["kind"].to_numpy()[rows] == usual, 0.0, other)
    np.testing.assert_allclose(found[:, 2], expected, atol=1e-9)
    score = line.model[-1].predict_projection(line.model[:-1].transform(X))
    assert found.sum(axis=1)[0] == pytest.approx(
        score[3] - (score[rows] - found.sum(axis=1))[0], abs=1e-9
    )


def test_pulls_take_arrays_as_well() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal([5.0, -2.0], [2.0, 0.1], size=(60, 2))
    y = np.digitize(X[:, 0], [4, 6])
    fitted = make_pipeline(StandardScaler(), SVOREX()).fit(X, y)
    found = pulls(fitted, FeatureTable(X), np.array([0, 1]), np.array([0, 1]))
    Z = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(found, Z[:2] * fitted[-1].coef_, atol=1e-9)
    assert FeatureTable(X).names == ["x0", "x1"]


def test_a_blank_that_is_filled_in_pulls_nothing() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(np.exp(rng.normal(size=(60, 2))), columns=["crp", "age"])
    y = np.digitize(X["crp"], [0.6, 1.5])
    X.loc[:9, "crp"] = np.nan
    fitted = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), SVOREX()).fit(X, y)
    found = pulls(fitted, FeatureTable(X), np.arange(20), np.array([0, 1]))
    assert not found[:10, 0].any() and found[10:, 0].all() and found[:, 1].all()


@pytest.mark.parametrize(
    ("direction", "names"), [("too low", ["a", "b"]), ("too high", ["d"]), ("", ["d", "a", "b"])]
)
def test_reasons_are_no_weaker_than_a_fifth_of_the_strongest(
    direction: str, names: list[str]
) -> None:
    pulled = {"a": 1.0, "b": 0.5, "c": 0.3, "d": -2.0, "e": -0.3, "f": 0.0}
    row = Suspect(
        row=1, id=None, given="x", suggested="y", direction=direction, probability=0.9, named=True,
        rater=None, chances=(),
        features=tuple(Feature(name, "1", pull) for name, pull in pulled.items()),
    )  # fmt: skip
    assert [feature.name for feature in row.strongest] == names


def test_of_many_features_those_that_pull_most_are_shown() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 40))
    y = np.digitize(X[:, 7] + X[:, 31], [-1, 1])
    fitted = make_pipeline(StandardScaler(), CSVOR(contamination=0.0)).fit(X, y)
    found = strongest(fitted, FeatureTable(X), np.arange(200), 5)
    assert len(found) == 5
    assert {7, 31} < set(found.tolist())
    assert (np.diff(found) > 0).all()


def test_nearest_good_rows_by_hand(curve: LabelAudit) -> None:
    X, y = graded()
    rows = curve.order[:10]
    found = nearest_good(curve, curve.model, FeatureTable(X), rows)
    Z = curve.model[:-1].transform(X)
    for row, near in zip(rows.tolist(), found, strict=True):
        good = (curve.probability < 0.5) & (y == curve.suggested[row])
        good[row] = False
        distance = np.where(good, np.linalg.norm(Z - Z[row], axis=1), np.inf)
        assert near.tolist() == np.argsort(distance, kind="stable")[:3].tolist()
        assert row not in near


SPARSE = [
    getattr(sparse, f"{form}_{kind}")
    for form in ("csr", "csc", "coo")
    for kind in ("array", "matrix")
]


@pytest.mark.parametrize("made", SPARSE)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sparse_rows_have_the_reasons_of_dense_ones(made: Any, kernel: str) -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((150, 50)) < 0.2, rng.normal(size=(150, 50)), 0.0)
    y = np.digitize(X[:, 7] + X[:, 31] - X[:, 40], [-0.2, 0.2])
    y[:9] = 2 - y[:9]
    model = make_pipeline(StandardScaler(with_mean=False), SVOREX(kernel=kernel))
    audit = audit_labels(X, y, model, cv=2)
    numbers = list(range(1, 151))
    found, expected = (suspects_of(audit, rows, numbers, None) for rows in (made(X), X))
    assert dataclasses.replace(found, rows=()) == dataclasses.replace(expected, rows=())
    for ours, theirs in zip(found.rows, expected.rows, strict=True):
        assert ours.neighbours == theirs.neighbours
        assert [f.name for f in ours.features] == [f.name for f in theirs.features]
        assert [(f.value, f.beside) for f in ours.features] == [
            (f.value, f.beside) for f in theirs.features
        ]
        if kernel == "linear":
            pulled = ([f.pull for f in one.features] for one in (ours, theirs))
            np.testing.assert_allclose(*pulled, atol=1e-10)


def test_what_no_listed_row_holds_is_no_reason() -> None:
    """Of many columns, only those are looked at that one of the rows has."""
    X = sparse.csr_array((np.ones(4), ([0, 0, 1, 2], [5, 900, 2, 7])), shape=(3, 1000))
    table = table_of(X)
    assert table.telling(np.array([0, 1])).tolist() == [2, 5, 900]
    changed = table.with_typical(table.rows(np.array([0, 1])), 5)
    np.testing.assert_allclose(changed[:, [5]].toarray().ravel(), 1 / 3)
    assert changed.nnz == 4


def test_rows_that_hold_nothing_have_no_reasons() -> None:
    X = sparse.random_array(
        (60, 40), density=0.5, random_state=np.random.default_rng(0), format="lil"
    )
    X[[3, 4]] = 0.0
    X = X.tocsr()
    X.eliminate_zeros()
    fitted = SVOREX().fit(X, np.arange(60) % 3)
    assert strongest(fitted, table_of(X), np.array([3, 4]), 30).tolist() == []


# Figures.


def test_tables_and_charts_add_up(line: LabelAudit) -> None:
    confusion = confusion_of(line, list(WORDS))
    counts = np.array(confusion.counts)
    assert counts.sum() == line.named > 10
    for i, given in enumerate(WORDS):
        assert confusion.totals[i] == (line.given == given).sum()
        for j, suggested in enumerate(WORDS):
            where = line.flagged & (line.given == given) & (line.suggested == suggested)
            assert counts[i, j] == where.sum()
    groups = probability_groups(line)
    assert [group.low for group in groups] == [0.95, 0.75, 0.5, 0.25, 0.05, 0.0]
    assert sum(group.n_rows for group in groups) == 240
    assert sum(group.expected for group in groups) == pytest.approx(line.probability.sum())
    assert sum(group.n_rows for group in groups[:3]) == line.named
    chart = score_chart(line, list(WORDS))
    assert [(label, n) for label, n, _, _ in chart.rows] == [
        (word, int((line.given == word).sum())) for word in WORDS
    ]
    assert all(0 <= bar.left < 1 and 0 < bar.height <= 1 for r in chart.rows for bar in r[3])
    assert all(0 < place < 1 for place, _ in chart.thresholds)
    assert [text for _, text in chart.thresholds] == ["poor | fair", "fair | good"]
    # Ticks and thresholds are on one scale.
    places = [place for place, _ in chart.ticks]
    values = [float(text.replace("−", "-")) for _, text in chart.ticks]
    scale = (places[-1] - places[0]) / (values[-1] - values[0])
    expected = places[0] + scale * (line.thresholds - values[0])
    np.testing.assert_allclose([place for place, _ in chart.thresholds], expected)


def test_of_many_classes_the_table_has_those_that_occur() -> None:
    n = 20 * 60
    rng = np.random.default_rng(0)
    score = np.sort(rng.uniform(0, 20, n))
    y = np.minimum(np.floor(score), 19).astype(int)
    y[5], y[700] = 19, 3
    audit = audit_scores(score + 0.01 * rng.normal(size=n), y)
    confusion = confusion_of(audit, [str(k) for k in range(20)])
    assert {"19", "3"} <= set(confusion.given)
    assert len(confusion.given) < 20
    assert sum(sum(row) for row in confusion.counts) == audit.named


def test_values_and_labels_as_text() -> None:
    values = [3, 3.0, 0.123456, 12345.678, -2.5, float("nan"), "a", True, None, 1e-9]
    told = ["3", "3", "0.123456", "12345.678", "−2.5", "–", "a", "True", "–", "1e−09"]
    assert [value_text(value) for value in values] == told
    assert [value_text(x) for x in (2 / 3, np.float32(0.1), 1e5 / 3)] == [
        "0.6667",
        "0.1",
        "33333.3",
    ]
    assert [text_of(np.float64(2)), text_of(np.str_("a")), text_of(2.5)] == ["2", "a", "2.5"]


# The page.


def test_the_page_lists_the_named_rows_and_the_next(line: LabelAudit, tmp_path: Any) -> None:
    X, y = graded()
    page = page_of(line, X, tmp_path, source="data/bridges.csv", target="grade")
    rows = page.rows()
    assert [int(row["data-row"]) - 1 for row in rows] == line.order.tolist()
    assert [row["data-given"] for row in rows] == y[line.order].tolist()
    flagged, others = rows[: line.named], rows[line.named :]
    suggested = line.suggested[line.order[: line.named]].tolist()
    assert [row["data-suggested"] for row in flagged] == suggested
    assert not [row for row in others if row["data-suggested"] == row["data-given"]]
    assert [row.get("class") for row in rows] == ["named"] * line.named + [None] * (
        240 - line.named
    )
    text = page.text()
    assert answer_of(line, "grade", confusion_of(line, list(WORDS)))[0] in text
    assert (
        f"{line.named} flagged rows and the {240 - line.named} that follow, of 240 in all" in text
    )
    assert "csvor apply bridges-decisions.csv data/bridges.csv --out data/bridges-clean.csv" in text
    config = page.json("config")
    assert (config["target"], config["classes"]) == ("grade", list(WORDS))
    assert config["file"] == "bridges-decisions.csv"
    assert config["earlier"] == []


@pytest.mark.parametrize("suffix", [".csv", ".TSV", ".txt", ".parquet", ".pq"])
def test_the_page_names_a_command_that_edits_the_file(suffix: str) -> None:
    assert editable(f"data/bridges{suffix}") == f"data/bridges{suffix}"
    assert suffix.lower() in _apply.EDITED


def test_commands_of_the_page_name_a_folder_wherever_it_is_seen_from(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data.v1"
    folder.mkdir()
    for where, source, clean in (
        (tmp_path, "data.v1/", "data.v1-clean"),
        (folder, ".", "../data.v1-clean"),
        (folder, "../data.v1", "../data.v1-clean"),
        (tmp_path, str(folder), f"{folder}-clean"),
    ):
        monkeypatch.chdir(where)
        apply, again = commands(source)
        assert apply == f"csvor apply data.v1-decisions.csv {pathlib.Path(source)} --out {clean}"
        assert again == "--reviewed data.v1-decisions.csv"


def test_files_that_apply_does_not_edit_are_to_be_saved_first(
    line: LabelAudit, tmp_path: Any
) -> None:
    assert set(EDITED) == set(_apply.EDITED)
    text = page_of(line, graded()[0], tmp_path, source="bridges.jsonl", target="grade").text()
    assert (
        "Save bridges.jsonl as CSV, its rows as they are. This command writes the file with your "
        "decisions carried out: csvor apply bridges-decisions.csv bridges.csv --out "
        "bridges-clean.csv"
    ) in text


def test_a_row_says_why(line: LabelAudit, curve: LabelAudit, tmp_path: Any) -> None:
    X, _ = graded()
    first = suspects_of(line, X, list(range(1, 241)), None).rows[0]
    found = {feature.name: feature for feature in first.features}
    assert list(found) == ["span", "load", "kind"]
    at = first.row - 1
    assert found["load"].value == value_text(X["load"][at])
    assert found["kind"].value == X["kind"][at]
    side = {"too low": 1, "too high": -1}[str(line.direction[at])]
    strengths = [side * (feature.pull or 0) for feature in first.strongest]
    assert strengths[0] == max(side * (feature.pull or 0) for feature in first.features) > 0
    assert strengths == sorted(strengths, reverse=True)
    assert all(strength >= 0.1 * strengths[0] for strength in strengths)
    assert sum(p for _, p in first.chances) == pytest.approx(1, abs=0.02)

    names = [f"B{i}" for i in range(240)]
    first = suspects_of(curve, X, list(range(1, 241)), names).rows[0]
    (near,) = nearest_good(curve, curve.model, FeatureTable(X), np.array([first.row - 1]))
    assert [other.row - 1 for other in first.neighbours] == near.tolist()
    assert [other.id for other in first.neighbours] == [f"B{i}" for i in near]
    assert first.id == f"B{first.row - 1}"
    load = next(feature for feature in first.features if feature.name == "load")
    assert load.beside == tuple(value_text(X["load"][i]) for i in near)
    text = page_of(curve, X, tmp_path).text()
    assert f"resembles rows {', '.join(str(i + 1) for i in near)} ({first.suggested})" in text


def test_text_from_the_file_stays_text(tmp_path: Any) -> None:
    X, y = graded()
    classes = ["poor", EVIL, "good"]
    y = np.where(y == "fair", EVIL, y)
    X = X.rename(columns={"load": EVIL}).assign(kind="<img src=x onerror=alert(2)>")
    audit = audit_labels(
        X, y, make_pipeline(make_column_transformer((StandardScaler(), ["span", EVIL])), CSVOR()),
        classes=classes,
    )  # fmt: skip
    options = {
        "source": f"{EVIL}.csv",
        "target": EVIL,
        "ids": [EVIL] * 240,
        "id_name": EVIL,
        "facts": {EVIL: EVIL},
        "notes": [EVIL],
        "conflicts": [[0, 1]],
        "decided": [{"row": 3, "given": EVIL, "decision": "drop", "label": ""}],
    }
    clean = page_of(audit, None, tmp_path)
    page = page_of(audit, X, tmp_path, **options)
    html = (tmp_path / "audit.html").read_text(encoding="utf-8")
    count = [sum(tag == "script" for tag, _ in p.tags) for p in (clean, page)]
    assert count == [2, 2]
    assert "<img" not in html
    assert EVIL not in html.replace("\\u003c", "<").split("</main>")[0]
    assert page.json("config")["classes"] == classes
    assert page.json("config")["earlier"] == options["decided"]
    assert {row["data-id"] for row in page.rows()} == {EVIL}
    assert EVIL in {row["data-given"] for row in page.rows()}


def test_the_page_needs_no_other_file_and_may_load_none(line: LabelAudit, tmp_path: Any) -> None:
    page = page_of(line, graded()[0], tmp_path)
    for tag, attrs in page.tags:
        assert not {"src", "srcset", "action", "data"} & set(attrs), tag
        assert attrs.get("href", "#").startswith("#")
    (policy,) = [a["content"] for t, a in page.tags if t == "meta" and "http-equiv" in a]
    assert policy.startswith("default-src 'none'; ")
    styles = "".join(text for tags, _, text in page.texts if tags[-1] == "style")
    assert not re.search(r"@import|url\(", styles)
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_what_a_page_leaves_out_it_says(
    line: LabelAudit, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = graded()
    monkeypatch.setattr(_suspects, "MOST_ROWS", 12)
    monkeypatch.setattr(_suspects, "MOST_FEATURES", 2)
    page = page_of(line, X, tmp_path)
    assert len(page.rows()) == 12
    # As many as the answer sends to are there, if a page holds them.
    monkeypatch.setattr(_suspects, "NEXT_ROWS", 0)
    monkeypatch.setattr(_suspects, "MOST_ROWS", 60)
    counts = [len(suspects_of(line, X, range(1, 241), None, n_next=n).rows) for n in (0, 40, 80)]
    assert counts == [line.named, 40, 60]
    assert (
        f"The first 12 of {line.named} flagged rows, of 240 in all, are on this page" in page.text()
    )
    # Without a file, what comes next is Python.
    text = page.text()
    assert "audit.to_frame() has all" in text and "csvor audit" not in text
    assert 'applied = audit.apply(csvor.read_decisions("audit-decisions.csv"))' in text
    assert "csvor.audit_labels(X.iloc[applied.rows], applied.labels, confirmed=applied." in text
    of_table = dataclasses.replace(line, _table=object())
    assert calls(of_table, X, "grade")[1] == (
        'csvor.audit_table(frame, target="grade", reviewed="audit-decisions.csv")'
    )
    text = page_of(line, X, tmp_path, source="a.csv").text()
    assert "csvor audit --suspects FILE writes all" in text
    assert "Of 3 columns the 2 that pull most are shown." in page.text()


def test_where_nothing_is_wrong_the_page_says_so(tmp_path: Any) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), [-0.5, 0.5])
    audit = audit_labels(X, y, make_pipeline(StandardScaler(), CSVOR(contamination=0.0)))
    assert audit.named == 0
    page = page_of(audit, X, tmp_path)
    assert "Of the 300 labels in 'label' none looks wrong; at most" in page.text()
    most = "the 300 with the highest chance of error, of 300 in all"
    assert f"No row is flagged; {most}, are on this page" in page.text()
    assert len(page.rows()) == 300


def test_where_nothing_can_be_said_the_page_says_no_more(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 3, 200)
    found = audit_scores(X[:, 0], y)
    assert not found.conclusive
    page = page_of(found, X, tmp_path)
    text = page.text()
    assert "their order means nothing" in text
    assert "Judged by" not in text and "99 %" not in text
    assert not any("meter" in str(attrs.get("class")) for _, attrs in page.tags)
    assert "would help." in text
    assert "How sure it is" not in text


def test_scores_of_another_model_make_a_page_too(line: LabelAudit, tmp_path: Any) -> None:
    X, y = graded()
    found = audit_scores(line.score, y, classes=WORDS)
    page = page_of(found, X, tmp_path)
    sections = {attrs["id"] for tag, attrs in page.tags if tag == "section"}
    assert sections == {"overview", "review", "made"}
    assert "span" in page.text()
    assert len(page_of(found, None, tmp_path).rows()) == 240
    assert {attrs["id"] for tag, attrs in page_of(line, X, tmp_path).tags if tag == "section"} == {
        "overview", "review", "scores", "models", "made",
    }  # fmt: skip


def test_rows_decided_before_are_not_listed(line: LabelAudit, tmp_path: Any) -> None:
    before = [int(row) + 1 for row in line.order[[0, 2]]]
    decided = [{"row": row, "decision": "drop"} for row in before]
    page = page_of(line, graded()[0], tmp_path, decided=decided)
    assert [int(row["data-row"]) for row in page.rows()] == [
        row for row in (line.order + 1).tolist() if row not in before
    ]
    assert page.json("config")["earlier"] == decided


def test_a_precomputed_kernel_has_no_features_to_show(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 1))
    y = np.digitize(x[:, 0], [-0.5, 0.5])
    y[:6] = (y[:6] + 1) % 3
    audit = audit_labels(x @ x.T, y, CSVOR(kernel="precomputed", contamination=0.05))
    page = page_of(audit, x @ x.T, tmp_path)
    assert len(page.rows()) == 90
    assert "resembles row" not in page.text()
    assert not [tags for tags, _, text in page.texts if "tbody" in tags and text == "column"]


def test_conflicts_models_and_facts_are_listed(line: LabelAudit, tmp_path: Any) -> None:
    X, y = graded()
    groups = [[2, 5]] * 59 + [list(range(20))]
    assert "and 8 more" in page_of(line, X, tmp_path, conflicts=groups[::-1]).text()
    text = page_of(
        line, X, tmp_path, conflicts=groups, facts={"Data": "240 rows"}, notes=["a note"]
    ).text()
    assert "60 groups of rows are alike in all features and labelled differently; the first 50" in (
        text
    )
    assert f"row 3 {y[2]} , row 6 {y[5]}" in text
    assert "Data 240 rows" in text
    assert "a note" in text
    assert "line, C 1, explicit constraints, 10.0 % cut away" in text
    assert f"{100 * line.candidates[0].share:.1f} %" in text


def test_other_lengths_are_refused(line: LabelAudit, tmp_path: Any) -> None:
    X, _ = graded()
    with pytest.raises(ValueError, match="X has 239 rows and the audit 240"):
        write_audit_report(line, X[1:], tmp_path / "a.html")
    with pytest.raises(ValueError, match="ids has 2 entries, the audit has 240 rows"):
        write_audit_report(line, X, tmp_path / "a.html", ids=["a", "b"])
    with pytest.raises(ValueError, match="rows has 1 entries"):
        write_audit_report(line, X, tmp_path / "a.html", rows=[1])
    assert not list(tmp_path.iterdir())


def test_decisions_are_kept_under_the_rows_and_labels(line: LabelAudit, tmp_path: Any) -> None:
    X, y = graded()
    one = page_of(line, X, tmp_path).json("config")["store"]
    assert page_of(line, None, tmp_path, source="other").json("config")["store"] == one
    assert page_of(line, X, tmp_path, target="other").json("config")["store"] != one
    changed = y.copy()
    changed[0] = "good" if y[0] != "good" else "poor"
    other = dataclasses.replace(line, given=changed)
    assert page_of(other, None, tmp_path).json("config")["store"] != one
