"""`csvor audit --by`: shares of wrong labels by values of columns, as text, JSON and page."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from test_cli_dask import address, run  # noqa: F401

OPTIONS = ("--target", "grade", "--classes", "poor,fair,good", "--kernel", "linear", "--C", 1)
OPTIONS += ("--models", "own", "--folds", 3)


@pytest.fixture(autouse=True)
def _sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"span": rng.normal(size=300), "load": rng.normal(size=300)})
    code = np.digitize(frame["span"] + 0.1 * rng.normal(size=300), [-0.5, 0.5])
    frame["site"] = rng.choice(["Bonn", "Cork", "<b>"], 300)
    wrong = np.flatnonzero(frame["site"] == "Cork")[:30]
    code[wrong] = (code[wrong] + rng.integers(1, 3, 30)) % 3
    frame["month"] = np.where(rng.random(300) < 0.08, None, rng.integers(8, 13, 300))
    frame["key"] = [f"k{i}" for i in range(300)]
    frame["grade"] = np.array(["poor", "fair", "good"])[code]
    frame.to_csv("t.csv", index=False)


def test_a_sentence_says_which_values_differ_and_the_column_is_no_feature() -> None:
    result = run("audit", "t.csv", *OPTIONS, "--by", "site", "--by", "month", "--id", "key")
    assert result.exit_code == 0, result.stderr
    text = " ".join(result.stdout.split())
    assert "By site: Cork is higher, " in text
    assert "; the 2 others do not differ beyond chance" in text
    assert "By month: the shares of 6 values do not differ beyond chance" in text
    n_blank = int(pd.read_csv("t.csv")["month"].isna().sum())
    assert f"Compared by site (3 values), month (5 values, {n_blank} rows without)" in text
    assert "Numbers span, load (standardised)" in text
    assert "Categories" not in text


def test_weights_of_0_and_1_are_no_counts() -> None:
    """Divided by the mean of all, half of them 0, the others would be 2: rows that come twice."""
    frame = pd.read_csv("t.csv")
    frame["w"] = np.resize([0, 1], 300)
    frame.to_csv("t.csv", index=False)
    words = ("audit", "t.csv", *OPTIONS, "--drop", "site", "--drop", "month", "--id", "key")
    weighted, counted = (run(*words, option, "w").stdout for option in ("--weight", "--counts"))
    assert "stand for" not in counted
    answers = [text.split("Answer")[1].split("Next:")[0] for text in (weighted, counted)]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_share_says_of_what_it_is_one(weighted: bool) -> None:
    frame = pd.read_csv("t.csv")
    n = int((frame["site"] == "Cork").sum())
    frame["w"] = np.resize([1.0, 2.0], 300)
    frame.drop(columns="month").to_csv("t.csv", index=False)
    decided = frame[["grade"]].assign(row=range(1, 301), decision="keep")[:20]
    decided.rename(columns={"grade": "given"}).to_csv("decided.csv", index=False)
    words = ("audit", "t.csv", *OPTIONS, "--by", "site", "--id", "key")
    words += ("--weight", "w") if weighted else ("--drop", "w")
    weight = "the weight of " if weighted else ""
    text = " ".join(run(*words).stdout.split())
    assert f" % of {weight}{n} rows (" in text
    result = run(*words, "--reviewed", "decided.csv", "--report", "t.html")
    text = " ".join(result.stdout.split())
    assert "By site: Cork was higher before the review (p < .001), now " in text
    assert f" % of {weight}the undecided among {n} rows (" in text
    page = Path("t.html").read_text(encoding="utf-8")
    assert "Shares are those of the labels that were not decided; rows counts all, and" in page
    assert ("Shares are those of the weight." in page) is weighted


def test_json_has_each_value_and_a_kept_column_is_a_feature() -> None:
    words = ("audit", "t.csv", *OPTIONS, "--id", "key", "--json", "--by", "site")
    found = json.loads(run(*words, "--by", "month").stdout)
    assert [entry["value"] for entry in found["by"]["month"]] == ["8", "9", "10", "11", "12", None]
    sites = {entry["value"]: entry for entry in found["by"]["site"]}
    assert [sites[name]["differs"] for name in ("Bonn", "Cork", "<b>")] == [None, "higher", None]
    assert sites["Cork"]["low"] < 30 / sites["Cork"]["rows"] < sites["Cork"]["high"]
    assert sum(entry["named"] for entry in sites.values()) == found["flagged"]
    assert (found["columns"]["categorical"], found["columns"]["numeric"]) == ({}, ["span", "load"])
    kept = json.loads(run(*words, "--drop", "month", "--keep", "site").stdout)
    assert list(kept["columns"]["categorical"]) == ["site"]
    assert list(kept["by"]) == ["site"]
    without = json.loads(run(*words[:-2], "--drop", "month", "--drop", "site").stdout)
    assert "by" not in without


def test_marks_of_no_value_are_none_and_words_are() -> None:
    frame = pd.read_csv("t.csv").drop(columns="month")
    for i, mark in enumerate(["NA", "?", "", "n/a", "x"]):
        frame.loc[20 * i : 20 * i + 19, "site"] = mark
    frame.loc[100:119, "site"] = "none"
    frame.to_csv("marks.csv", index=False)
    words = ("audit", "marks.csv", *OPTIONS, "--groups", "key", "--by", "site", "--by", "key")
    refused = run(*words)
    assert "column 'key' (--by): 300 different values" in refused.stderr
    assert "column 'key' (--by) is that of --groups as well: a group is judged" in refused.stderr
    found = json.loads(run(*words[:-2], "--missing", "x", "--json").stdout)["by"]["site"]
    values = {entry["value"]: entry["rows"] for entry in found}
    assert set(values) == {"<b>", "Bonn", "Cork", "none", None}
    assert (values["none"], values[None]) == (20, 100)


def test_the_page_draws_them_and_text_stays_text() -> None:
    words = ("audit", "t.csv", *OPTIONS, "--id", "key", "--by", "site", "--drop", "month")
    run(*words, "--report", "t.html")
    section = Path("t.html").read_text(encoding="utf-8").split('id="where"')[1].split("</section>")
    assert section[0].count('class="differs"') == 1
    assert "1 value of 3 differs from the other rows beyond chance." in section[0]
    assert "&lt;b&gt;" in section[0]
    assert "<b>" not in section[0]


@pytest.mark.parametrize(
    ("column", "status", "says"),
    [
        ("key", 2, "column 'key' (--by): 300 different values in 300 rows are too many"),
        ("span", 2, "column 'span' (--by): 300 different values in 300 rows are too many"),
        ("grade", 2, "column 'grade' is named by both --target and --by"),
        ("syte", 2, "t.csv has no column 'syte' (--by)"),
    ],
)
def test_wrong_use_is_told(column: str, status: int, says: str) -> None:
    drop = [word for name in ("key", "month") if name != column for word in ("--drop", name)]
    result = run("audit", "t.csv", *OPTIONS, "--by", column, *drop)
    assert (result.exit_code, says in result.stderr) == (status, True), result.stderr


def test_pieces_say_what_the_file_says(address: str) -> None:  # noqa: F811
    pytest.importorskip("dask", reason="dask is not installed")
    Path("all.parquet").mkdir()
    frame = pd.read_csv("t.csv")
    for i in range(3):
        frame.iloc[100 * i : 100 * i + 100].to_parquet(f"all.parquet/{i}.parquet", index=False)
    words = (*OPTIONS, "--drop", "key", "--by", "site", "--by", "month", "--json")
    pieces = json.loads(run("audit", "all.parquet", *words, "--dask", address).stdout)["by"]
    whole = json.loads(run("audit", "t.csv", *words).stdout)["by"]
    for name in ("site", "month"):
        assert [e["value"] for e in pieces[name]] == [e["value"] for e in whole[name]]
        assert [e["rows"] for e in pieces[name]] == [e["rows"] for e in whole[name]]
        assert [e["differs"] for e in pieces[name]] == [e["differs"] for e in whole[name]]
