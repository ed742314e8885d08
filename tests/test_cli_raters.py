"""`csvor audit --rater`: who gave the labels, one a row; as text, JSON and page."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from csvor._faults.notes import Notes
from csvor._tables.likely_raters import note_raters
from test_cli_dask import address, run  # noqa: F401

GRADES = ["poor", "fair", "good", "fine"]
OPTIONS = ("--target", "grade", "--classes", ",".join(GRADES), "--kernel", "linear", "--C", 1)
OPTIONS += ("--models", "own", "--folds", 3)
WORDS = ("audit", "t.csv", *OPTIONS, "--rater", "marker")


@pytest.fixture(autouse=True)
def _marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """150 essays, each with the mark of one of three; 01 is a class too high."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"span": rng.normal(size=150), "load": rng.normal(size=150)})
    code = np.digitize(frame["span"] + 0.1 * rng.normal(size=150), [-0.7, 0.0, 0.7])
    marker = rng.integers(0, 3, 150)
    frame["marker"] = np.array(["01", "02", "<b>"])[marker]
    frame["grade"] = np.array(GRADES)[np.where(marker == 0, np.minimum(code + 1, 3), code)]
    frame.to_csv("t.csv", index=False)


def test_the_table_has_who_is_apart_first_and_the_column_is_no_feature() -> None:
    result = run(*WORDS)
    assert result.exit_code == 0, result.stderr
    text = " ".join(result.stdout.split())
    assert "Labelled by marker (3 raters), measured by the middle of the raters" in text
    assert "Raters 1 rater differs from the middle of the raters, most 01: 0." in text
    assert "Numbers span, load (standardised)" in text
    assert "Categories" not in text
    table = result.stdout.split("rater  ratings")[1].splitlines()
    assert table[0].split() == ["shift", "careless", "agreement"]
    assert table[1].startswith("01 ") and " classes too high (0." in table[1]
    assert {line.split()[0] for line in table[2:4]} == {"02", "<b>"}
    suspects = result.stdout.split("agreement")[1].split("row  rater  given")[1].splitlines()
    assert (
        pd.read_csv("t.csv", dtype=str)["marker"][int(suspects[1].split()[0]) - 1]
        == (suspects[1].split()[1])
    )


def test_json_has_them_by_name_and_a_reference_is_one_of_them() -> None:
    found = json.loads(run(*WORDS, "--reference", "01", "--json").stdout)
    assert (found["reference"], found["columns"]["rater"]) == ("01", "marker")
    assert [entry["rater"] for entry in found["raters"]] == ["01", "02", "<b>"]
    assert sum(entry["ratings"] for entry in found["raters"]) == 150
    one, markers = found["suspects"][0], pd.read_csv("t.csv", dtype=str)["marker"]
    assert one["rater"] == markers[one["row"] - 1]
    first, second, _ = found["raters"]
    assert first["shift"] == first["shift_low"] == first["shift_high"] == 0.0
    assert second["shift_low"] < second["shift"] < second["shift_high"] < -0.3
    assert found["raters_summary"].startswith("2 raters differ from 01, most ")
    assert "raters" not in json.loads(run("audit", "t.csv", *OPTIONS, "--json").stdout)


def test_the_page_draws_them_and_the_next_command_names_them(tmp_path: Path) -> None:
    assert run(*WORDS, "--reference", "<b>", "--report", "t.html").exit_code == 0
    page = Path("t.html").read_text(encoding="utf-8")
    section = page.split('id="raters"')[1].split("</section>")[0]
    assert section.count('class="differs"') == 1
    assert "&lt;b&gt;" in section and "<b>" not in section.replace('<b style="', "")
    assert "<td>&lt;b&gt;</td>" in page
    assert ">0</span>" in section and ">+0.5</span>" in section
    frame = pd.read_csv("t.csv", dtype=str)
    command = "csvor audit t.csv --target grade --rater marker --reference '<b>'"
    decided = frame[["grade"]].assign(row=range(1, 151), decision="keep", audit=command)[:1]
    decided = decided.rename(columns={"grade": "given"}).assign(decision="drop", target="grade")
    decided.to_csv("decided.csv", index=False)
    result = run("apply", "decided.csv", "t.csv", "--out", "out.csv")
    assert f"{command} --reviewed decided.csv" in result.stdout
    assert "--rater marker --reference &#39;&lt;b&gt;&#39;" in page or "--rater marker" in page


def test_a_column_of_people_who_label_is_noted() -> None:
    frame = pd.read_csv("t.csv", dtype={"marker": str})
    frame.rename(columns={"marker": "Annotator ID"}).to_csv("t.csv", index=False)
    note = "'Annotator ID' looks like who gave the label and is used as a feature"
    assert note in " ".join(run("audit", "t.csv", *OPTIONS).stderr.split())
    names = (
        "rater",
        "second_judge",
        "theReviewer",
        "ratersMood",
        "marker",
        "Reader no",
        "spreader",
    )
    columns = pd.DataFrame(dict.fromkeys(names, frame["marker"])).assign(judge=range(150))
    data = SimpleNamespace(rater=None, keep=("rater",))
    note_raters(columns, data, notes := Notes())
    assert [text.split("'")[1] for text in notes.texts()] == [
        "second_judge", "theReviewer", "marker", "Reader no",
    ]  # fmt: skip
    note_raters(columns, SimpleNamespace(rater="marker", keep=()), notes := Notes())
    assert not notes.texts()


@pytest.mark.parametrize(
    ("change", "words", "status", "says"),
    [
        ({3: ""}, (), 1, "column 'marker' (--rater): 1 of 150 values is blank (row 4); fill it in"),
        ("one", (), 1, "column 'marker' (--rater): all 150 rows are of 'Ann'"),
        ("row", (), 1, "column 'marker' (--rater): 150 different names in 150 rows are hardly two"),
        ({}, ("--reference", "bonn"), 2, "--reference bonn: no label is by this rater; raters are"),
        ({}, ("--reference", "x"), 2, "by this rater; raters are '01', '02', '<b>'"),
        ({}, ("--groups", "marker"), 2, "'marker' is named by both --groups and --rater"),
        ({}, ("--rater", "span"), 1, "column 'span' (--rater): 150 different names"),
    ],
)
def test_what_are_no_raters(change, words, status: int, says: str) -> None:
    frame = pd.read_csv("t.csv", dtype=str)
    if isinstance(change, dict):
        for row, name in change.items():
            frame.loc[row, "marker"] = name
    else:
        frame["marker"] = "Ann" if change == "one" else [f"r{i}" for i in range(150)]
    frame.to_csv("t.csv", index=False)
    result = run(*WORDS, *words)
    assert result.exit_code == status, result.stderr
    assert says in result.stderr


def test_a_reference_needs_the_column_of_raters() -> None:
    result = run("audit", "t.csv", *OPTIONS, "--reference", "01")
    assert result.exit_code == 2
    assert "--reference 01 names a rater: name the column of the raters with --rater" in (
        result.stderr
    )


def test_where_nothing_can_be_said_nothing_is_said_of_raters() -> None:
    frame = pd.read_csv("t.csv", dtype={"marker": str})
    frame["grade"] = np.random.default_rng(0).permutation(frame["grade"])
    frame.to_csv("t.csv", index=False)
    document = json.loads(run(*WORDS, "--json").stdout)
    assert not document["wrong_labels"]["conclusive"]
    assert (document["raters_summary"], document["raters"][0]["shift"]) == (None, None)
    result = run(*WORDS, "--report", "t.html")
    assert "careless" not in result.stdout
    assert 'id="raters"' not in Path("t.html").read_text(encoding="utf-8")


def test_pieces_have_the_same_raters(address: str) -> None:  # noqa: F811
    frame = pd.read_csv("t.csv", dtype={"marker": str})
    Path("pieces").mkdir()
    for i in range(2):
        frame[75 * i : 75 * i + 75].to_parquet(f"pieces/{i}.parquet", index=False)
    of_file = json.loads(run(*WORDS, "--json").stdout)
    words = ("audit", "pieces", *OPTIONS, "--rater", "marker", "--dask", address, "--json")
    of_pieces = json.loads(run(*words).stdout)
    assert of_pieces["raters_summary"] == of_file["raters_summary"]
    assert [one["ratings"] for one in of_pieces["raters"]] == [
        one["ratings"] for one in of_file["raters"]
    ]
    frame.loc[100, "marker"] = None
    frame[75:].to_parquet("pieces/1.parquet", index=False)
    refused = run(*words)
    assert "pieces, column 'marker' (--rater): 1 of 150 values is blank (row 101)" in refused.stderr
