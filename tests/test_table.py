"""`csvor.audit_table`: the command's preparation of a table, from Python; frames in, frames out.

How cells are read is tested by way of files (test_reader_*.py, test_cli_*.py): it is one code.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from csvor import (
    CSVOR,
    Decisions,
    LabelAudit,
    audit_labels,
    audit_raters,
    audit_scores,
    audit_table,
)
from csvor._faults.python import in_arguments
from csvor._tables.frames import table_of_frame
from csvor._tables.review import decisions_from
from csvor.audit import Decision
from csvor.audit._reported import numbered
from csvor.cli.commands._app import app
from csvor.plots import SuspectsDisplay
from csvor.report import write_audit_report
from report_page import Page

WORDS = np.array(["low", "medium", "high"])
# The one candidate of `csvor audit --kernel linear --C 1`.
ONE = CSVOR(C=1.0, kernel="linear", constraints="implicit", contamination="auto", tol=1e-4,
            solver="multipliers", random_state=0)  # fmt: skip
READ: dict[str, Any] = {
    "classes": list(WORDS), "id": "case", "dates": True, "impute": True, "missing": ["gone"],
    "missing_label": [""],
}  # fmt: skip


def messy(n: int = 120) -> pd.DataFrame:
    """Units, decimal commas, dates, marks and blanks; label 8 is wrong and label 12 blank."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, n)
    rank = np.digitize(x + 0.1 * rng.normal(size=n), [-1, 1])
    x[7], rank[7] = -2.9, 2
    frame = pd.DataFrame(
        {
            "case": [f"no {i}" for i in range(n)],
            "the size": [f"{value:.3f} mm".replace(".", ",") for value in x],
            "the share": [f"{value:.1f} %" for value in rng.uniform(0, 100, n)],
            "the day": pd.date_range("2024-01-01", periods=n)[rng.permutation(n)].strftime("%F"),
            "the dose": rng.normal(size=n).round(4).astype(str),
            "the ward": np.array(["A", "B", "C"])[rng.integers(0, 3, n)],
            "my row": np.arange(n),
            "nothing": "same",
            "grade": WORDS[rank],
        }
    )
    frame.loc[[3, 9], "the dose"] = ["gone", None]
    frame.loc[5, "the ward"] = None
    frame.loc[11, "grade"] = None
    return frame


def audited(frame: Any, **options: Any) -> LabelAudit:
    return audit_table(frame, "grade", estimator=ONE, **{**READ, **options})


@pytest.fixture(scope="module")
def audit() -> LabelAudit:
    return audited(messy())


def said_by_the_command(frame: pd.DataFrame, *more: str) -> dict[str, Any]:
    """What `csvor audit --json` says of the frame as a file, with the options of `audited`."""
    frame.to_csv("t.csv", index=False)
    words = "audit t.csv --json --target grade --classes low,medium,high --id case --dates --impute"
    one = ["--missing", "gone", "--kernel", "linear", "--C", "1", "--missing-label", ""]
    result = CliRunner().invoke(app, [*words.split(), *one, *more])
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


def test_answer_and_notes_are_those_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = messy()
    said = said_by_the_command(frame)

    frame.index = pd.RangeIndex(1, len(frame) + 1)  # as the rows of a file
    ours = audited(frame)
    rows = ours.to_frame().index.tolist()
    assert rows == [one["row"] for one in said["suspects"]]
    np.testing.assert_allclose(
        ours.probability[ours.order], [one["probability"] for one in said["suspects"]]
    )
    assert ours.named == said["flagged"] > 0 and ours.to_frame().index[0] == 8
    assert list(ours.notes) == [in_arguments(note) for note in said["notes"]]
    assert len(ours.notes) >= 7 and "keep=['my row']" in " ".join(ours.notes)


def test_all_faults_are_one_error_in_arguments_and_by_the_index() -> None:
    frame = messy().rename(index=lambda i: f"r{i}").assign(one=1.0)
    frame["grade"] = frame["grade"].replace("low", "low, or none")
    frame.loc["r6", "one"] = np.nan
    frame.loc["r7", "one"] = 2.0
    with pytest.raises(ValueError, match="5 faults") as caught:
        audit_table(frame, "grade")
    lines = str(caught.value).splitlines()
    assert lines[0] == "frame: 5 faults"
    assert "1 of 120 labels is blank (row r11)" in lines[1]
    assert "leave this row out with missing_label=['']" in lines[1]
    assert "list them from the lowest to the highest in classes=[...]" in lines[2]
    assert "dates=True, or leave the column out with drop=['the day']" in lines[3]
    assert "say that it is no value with missing=['gone'], impute=True" in lines[4]
    assert "'the dose' 1 (row r9), 'one' 1 (row r6); fill them in, let impute=True" in lines[5]
    assert "--" not in str(caught.value) and len(lines) == 6
    # Arguments that there are, and no advice for the shell.
    assert "complete" not in str(caught.value) and "quotation" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "grad"}, r"frame has no column 'grad' \(target=\); did you mean 'grade'\?"),
        ({"drop": ["ward"]}, r"no column 'ward' \(drop=\)"),
        ({"id": "case", "drop": ["case"]}, "column 'case' is named by both id and drop"),
        ({"missing": "NA"}, r"missing takes a list: give missing=\['NA'\]"),
        ({"missing_label": ""}, r"give missing_label=\[''\]"),
        ({"drop": "case"}, r"give drop=\['case'\]"),
        ({"missing": -9}, r"give missing=\[-9\]"),
        ({"decimal": "x"}, "decimal='x' must be '.', ',' or None"),
        ({"cv": 500}, "cv=500: there are 119 rows only"),
        (
            {"classes": ["low", "high"]},
            r"none of classes: 'medium' 37 .* with missing_label=\['medium'\]",
        ),
    ],
)
def test_wrong_use_is_refused_in_arguments(options: dict[str, Any], message: str) -> None:
    frame, asked = messy(), {"target": "grade", **READ, **options}
    with pytest.raises(ValueError, match=message):
        audit_table(frame, **asked)


def test_frames_of_all_libraries_have_one_answer(audit: LabelAudit) -> None:
    frame = messy()
    typed = pl.from_pandas(frame).with_columns(pl.col("grade").cast(pl.Enum(WORDS)))
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    for same, classes in ((typed, None), (arrow, WORDS)):
        other = audited(same, classes=classes)
        np.testing.assert_array_equal(other.probability, audit.probability)
        assert other.notes == audit.notes
        assert other.model.predict(same).tolist() == audit.model.predict(frame).tolist()


@pytest.mark.skipif(not hasattr(pl, "UInt128"), reason="this polars has no UInt128")
def test_whole_numbers_of_128_bits_are_read() -> None:
    frame = pl.DataFrame({"a": ["1", "2", None], "b": ["7", f"{2**70 + 1}", f"{2**70 + 2}"]})
    wide = frame.with_columns(pl.col("a").cast(pl.Int128), pl.col("b").cast(pl.UInt128))
    table = table_of_frame(wide, "frame")
    assert table.columns["a"].numbers[:2].tolist() == [1.0, 2.0]
    assert table.columns["b"].texts == frame["b"].to_list()


def test_rows_keep_their_names_where_some_are_left_out(audit: LabelAudit) -> None:
    frame = messy()
    assert len(audit.given) == 119
    joined = frame.join(audit.to_frame())
    assert joined.loc[7, "flagged"] and joined.loc[7, "given"] == "high"
    assert pd.isna(joined.loc[11, "given"])
    beside = audit.to_frame(frame)
    pd.testing.assert_frame_equal(beside[frame.columns], frame.loc[beside.index], check_names=False)
    with pytest.raises(ValueError, match="X has 50 rows, and 119 were audited"):
        audit.to_frame(frame.head(50))
    with pytest.raises(ValueError, match="X has a column 'given', as the audit has"):
        audit.to_frame(frame.assign(given=1))
    with pytest.raises(ValueError, match="X has a column 'position', as the audit has"):
        audit.to_frame(frame.assign(position=1))
    in_polars = replace(audit, _polars=True).to_frame(pl.from_pandas(frame))
    assert in_polars["position"].to_list() == beside.index.tolist()
    assert in_polars["the size"].to_list() == beside["the size"].tolist()


def test_decisions_count_the_rows_of_the_table(audit: LabelAudit) -> None:
    def decide(*decisions: Decision) -> Any:
        return audit.apply(Decisions("by hand", "grade", decisions))

    applied = decide(Decision(8, "high", "relabel", "low"), Decision(14, audit.given[12], "drop"))
    assert applied.labels.loc[7] == "low" and 13 not in applied.labels.index
    assert applied.rows.tolist() == [i for i in range(120) if i not in (11, 13)]
    assert messy()["grade"].iloc[applied.rows].index.equals(applied.labels.index)
    for label in ("low", ""):
        with pytest.raises(ValueError, match="row 12 is decided, and the audit left it out"):
            decide(Decision(12, label, "drop"), Decision(14, audit.given[12], "drop"))


def test_a_model_of_an_audit_takes_the_frame_as_it_is(audit: LabelAudit) -> None:
    frame = messy()
    assert audit.model[0].columns_["row_numbers"] == ["my row"]
    good = audit.model.predict(frame) == frame["grade"]
    assert good.mean() > 0.9 and audit.model.predict(frame.iloc[[7]]) == ["low"]


def test_rows_that_are_not_here_are_refused() -> None:
    with pytest.raises(TypeError, match=r"frame holds no rows yet: give frame.collect\(\)"):
        audit_table(pl.LazyFrame({"a": [1]}), "a")
    with pytest.raises(TypeError, match="frame must be a frame of pandas or polars, got list"):
        audit_table([[1]], "a")
    with pytest.raises(TypeError, match="frame has the column 0: columns are named by texts"):
        audit_table(pd.DataFrame([[1]]), "a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("leave it out with --drop 'a b'", "leave it out with drop=['a b']"),
        ("say with --decimal . or --decimal , which", "say with decimal='.' or decimal=',' which"),
        ("limit such values with --clip 5", "limit such values with clip=5"),
        ("read them with --dates, or", "read them with dates=True, or"),
        ("with --classes LOWEST,...,HIGHEST", "with classes=[lowest, ..., highest]"),
        ("'x' in --classes is no label", "'x' in classes is no label"),
        ("column 'a' (--weight) holds", "column 'a' (weight=) holds"),
        ("it is --fold-labels that", "it is fold_labels=True that"),
        ("no value with --missing 'n/d' --impute", "no value with missing=['n/d'], impute=True"),
        ("together with --groups COL", "together with groups='COL'"),
        ("a--drop of 'x--keep'", "a--drop of 'x--keep'"),
    ],
)
def test_options_become_arguments(text: str, expected: str) -> None:
    assert in_arguments(text) == expected


def test_audits_of_polars_give_polars() -> None:
    rng = np.random.default_rng(0)
    X = pl.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
    y = pl.Series("y", np.digitize(X["a"], [-0.5, 0.5]))
    audit = audit_labels(X, y, ONE)
    table = audit.to_frame(X)
    assert "<table" in audit._repr_html_()
    assert isinstance(table, pl.DataFrame) and table.columns[:2] == ["position", "given"]
    assert table["a"].to_list() == X["a"][table["position"]].to_list()
    assert isinstance(audit_scores(X["a"].to_numpy(), y).to_frame(), pl.DataFrame)
    in_pandas = audit_scores(X["a"].to_numpy(), y.to_numpy())
    beside = in_pandas.to_frame(X)
    assert isinstance(beside, pd.DataFrame) and beside["a"].equals(X.to_pandas()["a"][beside.index])
    assert in_pandas.to_frame(X.to_numpy()).columns[-1] == "x1"


def test_ratings_of_polars_give_polars() -> None:
    truth = np.arange(40) % 4
    rng = np.random.default_rng(0)
    table = {name: np.clip(truth + (rng.random(40) < 0.2), 0, 3) for name in ("Ann", "Bo", "Cy")}
    audit, same = audit_raters(None, pl.DataFrame(table)), audit_raters(None, pd.DataFrame(table))
    items, ratings = audit.to_frame(), audit.ratings_to_frame()
    assert isinstance(items, pl.DataFrame) and isinstance(ratings, pl.DataFrame)
    pd.testing.assert_frame_equal(
        ratings.to_pandas().set_index("position"), same.ratings_to_frame()
    )
    assert items.columns[0] == "item" and items["ask"].to_list() == same.to_frame()["ask"].tolist()
    assert "<table" in audit._repr_html_()


def decided_of(frame: pd.DataFrame) -> Decisions:
    """Row 8 relabelled, one kept and one dropped."""
    kept, dropped = (Decision(n, frame["grade"].iloc[n - 1], "keep") for n in (20, 30))
    some = Decision(8, "high", "relabel", "low"), kept, replace(dropped, decision="drop")
    return Decisions("d.csv", "grade", some)


def test_a_review_counts_as_that_of_the_command_and_so_does_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = messy()
    decided_of(frame).to_csv("d.csv")
    said = said_by_the_command(frame, "--reviewed", "d.csv", "--report", "p.html")
    ours = audited(frame, reviewed="d.csv")
    assert (ours.to_frame().index + 1).tolist() == [one["row"] for one in said["suspects"]]
    probability = [one["probability"] for one in said["suspects"]]
    np.testing.assert_allclose(ours.probability[ours.order], probability)
    assert ours.share == said["wrong_labels"]["share"] and ours.n_judged == 116

    write_audit_report(ours, frame, "q.html")
    theirs, page = (Page(Path(name).read_text("utf-8")) for name in ("p.html", "q.html"))
    first, last = "given suggested chance of error why decision", "Previous Next"
    rows = [one.text().partition(first)[2].partition(last)[0] for one in (theirs, page)]
    assert re.sub(r" line \d+ ", " ", rows[0]) == rows[1]
    assert "the day 2024-02-13" in rows[1] and "grade" not in rows[1]
    known, saved = theirs.json("config"), page.json("config")
    for name in ("target", "id", "classes", "earlier", "store"):
        assert saved[name] == known[name], name
    # An index that counts the rows says nothing beside their numbers.
    unnamed = replace(ours, _table=replace(ours._table, id=None))
    page = Page(write_audit_report(unnamed, frame, "q.html", with_rows=True).read_text("utf-8"))
    first = str(ours.to_frame().index[0] + 1)
    assert page.json("config")["id"] is None and page.rows()[0]["data-row"] == first


def test_a_review_is_carried_out_once(audit: LabelAudit) -> None:
    frame = messy()
    decisions = decided_of(frame)
    reviewed = audited(frame, reviewed=decisions.to_frame())
    assert reviewed._labels.loc[7] == "low" and reviewed._original.loc[7] == "high"
    # The page saves what was decided before with what is new.
    new = Decision(41, frame["grade"][40], "drop")
    both = replace(decisions, decisions=(*decisions.decisions, new))
    applied = reviewed.apply(both)
    once = audit.apply(both)
    assert applied.labels.equals(once.labels) and applied.original.equals(once.original)
    np.testing.assert_array_equal(applied.confirmed, once.confirmed)
    np.testing.assert_array_equal(applied.rows, once.rows)

    done = audit.apply(decisions)
    rest = frame.iloc[done.rows].assign(grade=done.labels)
    again = audited(rest, confirmed=done.confirmed, original=done.original)
    assert again.to_frame().equals(reviewed.to_frame())
    as_list = done.original.where(done.original.notna(), None).tolist()
    assert audited(rest, confirmed=done.confirmed.tolist(), original=as_list).share == again.share
    assert again.n_judged == 116 and again._original.equals(reviewed._original)
    with pytest.raises(ValueError, match="original has another label than y for 1 rows"):
        audited(rest, original=done.original)
    with pytest.raises(ValueError, match="confirmed must be True or False for each of the 118"):
        audited(rest, confirmed=[True])


def test_rows_are_decided_on_by_the_index_of_the_audit(audit: LabelAudit) -> None:
    frame, decisions = messy(), decided_of(messy())
    columns = decisions.to_frame().set_index("row")[["decision", "label"]]
    for index in (None, pd.Index([f"p{i}" for i in range(len(frame))])):
        of_index = audit if index is None else replace(audit, _index=index[audit._places])
        shown = of_index.to_frame()
        rows = columns.index - 1 if index is None else index[columns.index - 1]
        decided = shown.join(columns.set_axis(rows).rename_axis(shown.index.name)).fillna(
            {"decision": "", "label": ""}
        )
        named = decisions_from(decided, "d", numbered(index, np.arange(len(frame))))
        assert {(d.row, d.outcome) for d in named} == {(d.row, d.outcome) for d in decisions}
        labels = audit.apply(decisions).labels.tolist()
        assert of_index.apply(decided).labels.tolist() == labels
        if index is None:
            beside = decided.reset_index()
            for same in (beside, pl.from_pandas(beside), beside.sort_values("position")):
                assert of_index.apply(same).labels.tolist() == labels
        with pytest.raises(ValueError, match="no row of the data that can be decided on is 'x'"):
            of_index.apply(decided.rename(index={rows[0]: "x"}))
        with pytest.raises(ValueError, match="the column 'row' is missing"):
            of_index.apply(decided.rename_axis("other"))
        with pytest.raises(ValueError, match="the column 'row' is missing"):
            of_index.apply(decided.reset_index(drop=True))
    with pytest.raises(ValueError, match="several rows of the data are '1'; add 'row', from 1"):
        decisions_from(decided.rename_axis(None), "d", numbered(pd.Index([1, 1]), np.arange(2)))


def test_decisions_that_do_not_fit_the_frame_are_refused() -> None:
    frame = messy().rename(index=lambda i: f"r{i}").rename_axis("place")
    columns = {
        "row": [8, 9],
        "place": ["r7", "r7"],
        "target": "grade",
        "given": ["low", frame["grade"].iloc[8]],
    }
    decisions = pd.DataFrame({**columns, "decision": "relabel", "label": "poor"})
    with pytest.raises(ValueError, match="2 faults") as caught:
        audited(frame, reviewed=decisions)
    _, first, second = str(caught.value).splitlines()
    assert "reviewed: row 8 is given as 'low', but is 'high' in column 'grade' of frame" in first
    assert "reviewed: row 9 has place 'r7', but 'r8' in frame" in second
    with pytest.raises(ValueError, match="classes names classes without rows"):
        audited(frame, reviewed=decisions.head(1).assign(given="high"))
    with pytest.raises(ValueError, match="reviewed is about the column 'other'"):
        audited(frame, reviewed=decisions.assign(target="other", label="low"))
    with pytest.raises(TypeError, match="reviewed must be a frame"):
        audited(frame, reviewed=[8])


def test_pages_and_pictures_name_rows_by_the_index(audit: LabelAudit, tmp_path: Path) -> None:
    index = pd.Index([f"P{i}" for i in range(119)], name="patient")
    named = SuspectsDisplay.from_audit(replace(audit, _index=index)).names
    assert named[7] == "P7: high → low" and named[118].startswith("P118: ")
    assert SuspectsDisplay.from_audit(audit).names[11].startswith("12: ")  # row 11 has no label
    y = pd.Series(np.resize([0, 1, 2], 119), index)
    of_scores = audit_scores(y.to_numpy() + np.linspace(-0.4, 0.4, 119), y)
    page = Page(write_audit_report(of_scores, None, tmp_path / "p.html").read_text("utf-8"))
    assert page.json("config")["id"] == "patient"
    assert {attrs["data-row"] for attrs in page.rows()} >= {"1", "119"} and "P118" in page.text()
    plain = write_audit_report(audit_scores(of_scores.suggested_probability, y.to_numpy()), None,
                               tmp_path / "q.html")  # fmt: skip
    assert Page(plain.read_text("utf-8")).json("config")["id"] is None
