"""Several raters label an item, at the command line: `csvor audit` and `csvor consensus`."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from csvor import audit_raters
from csvor._faults.notes import Notes
from csvor._tables.likely_raters import note_gold, note_more_raters
from test_audit_report import Page
from test_cli_dask import run

GRADES = ["poor", "fair", "good", "fine"]
RATERS = ["Ann", "Bo", "Cy", "Di"]
ORDER = ("--classes", ",".join(GRADES))
WIDE = ("wide.csv", "--target", ",".join(RATERS), *ORDER, "--item", "essay")
LONG = ("long.csv", "--target", "grade", *ORDER, "--item", "essay", "--rater", "marker")


@pytest.fixture(autouse=True)
def ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """60 essays, each with the marks of three of four; Cy is about a class too high."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    words = rng.normal(size=60)
    truth = np.digitize(words + 0.2 * rng.normal(size=60), [-0.7, 0.0, 0.7])
    marks = truth[:, None] + np.array([0.0, 0.0, 0.9, 0.0]) + 0.3 * rng.normal(size=(60, 4))
    codes = np.clip(np.round(marks), 0, 3).astype(int)
    wide = pd.DataFrame(np.array(GRADES)[codes], columns=RATERS)
    for i, r in enumerate(rng.integers(0, 4, 60)):
        wide.iloc[i, r] = None
    wide.insert(0, "essay", [f"e{i:02}" for i in range(60)])
    wide.insert(1, "words", words.round(3))
    wide.to_csv("wide.csv", index=False)
    return wide


def long_of(wide: pd.DataFrame) -> pd.DataFrame:
    names = [name for name in wide.columns if name not in ("essay", "words")]
    long = wide.melt(["essay", "words"], names, var_name="marker", value_name="grade")
    return long.dropna(subset="grade").sort_values("essay", kind="stable")


def found(*words: object) -> Any:
    result = run("audit", *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_wide_file_a_long_one_and_the_library_say_the_same(ratings: pd.DataFrame) -> None:
    long_of(ratings).to_csv("long.csv", index=False)
    wide, long = (found(*words, "--drop", "words") for words in (WIDE, LONG))
    assert wide["data"] == {
        "file": "wide.csv", "rows": 60, "ratings": 180, "items": 60, "left_out": {"blank": 60}
    }  # fmt: skip
    assert long["data"]["rows"] == 180
    for key in ("items", "raters", "raters_summary", "agreement", "flagged", "summary"):
        assert wide[key] == long[key]
    labels = ratings[RATERS].apply(pd.Categorical, categories=GRADES, ordered=True)
    audit = audit_raters(None, labels, ratings["essay"])
    assert [one["label"] for one in wide["items"]] == audit.label.tolist()
    first = wide["ratings"][0]
    assert first["given"] == ratings.loc[first["row"] - 1, first["rater"]]
    assert first["item"] == ratings.loc[first["row"] - 1, "essay"]
    first, table = long["ratings"][0], pd.read_csv("long.csv")
    row = table.loc[first["row"] - 1, ["essay", "marker", "grade"]].tolist()
    assert row == [first[name] for name in ("item", "rater", "given")]


def test_people_read_agreement_raters_items_and_ratings(ratings: pd.DataFrame) -> None:
    result = run("audit", *WIDE, "--kernel", "linear", "--C", 1, "--folds", 3, "--top", 4)
    assert result.exit_code == 0, result.stderr
    text = " ".join(result.stdout.split())
    assert "wide.csv: 180 ratings of 60 items by 4 raters; 60 ratings not made" in text
    assert "Agreement Krippendorff's alpha 0." in text and "Cohen's kappa" not in text
    assert "Numbers words (standardised)" in text
    assert "most Cy: 0." in text and "item label probability ratings ask" in text
    by_features = result.stdout.split("flagged\n")[1].splitlines()
    assert len(by_features) == 4
    assert all(line.split()[2] == "Cy" for line in by_features[:2])


def test_consensus_has_one_row_an_item_in_the_order_of_the_file(ratings: pd.DataFrame) -> None:
    long_of(ratings)[::-1].to_csv("long.csv", index=False)
    result = run("consensus", *LONG, "--drop", "words", "--out", "labels.csv")
    assert result.exit_code == 0, result.stderr
    assert "Written  60 items: labels.csv" in result.stdout
    labels = pd.read_csv("labels.csv")
    assert list(labels.columns) == ["essay", "label", "probability", "ratings", "ask"]
    assert labels["essay"].tolist() == ratings["essay"].tolist()[::-1]
    assert (labels["ratings"] == 3).all() and sorted(labels["ask"]) == list(range(1, 61))
    assert labels["label"].isin(GRADES).all() and labels["probability"].between(0.25, 1).all()
    assert pd.read_csv("labels.csv", dtype=str)["probability"].str.len().max() == len("0.1234")
    document = json.loads(
        run("consensus", *LONG, "--drop", "words", "--out", "x.csv", "--json").stdout
    )
    assert document["out"] == {"file": "x.csv", "items": 60}
    piped = run("consensus", *LONG, "--drop", "words", "--out", "-")
    assert piped.stdout == Path("labels.csv").read_text()


def test_a_name_with_a_comma_is_a_column(ratings: pd.DataFrame) -> None:
    ratings["a,b"] = ratings["Ann"].fillna("fair")
    ratings[["words", "a,b"]].to_csv("one.csv", index=False)
    result = run("audit", "one.csv", "--target", "a,b", *ORDER, "--kernel", "linear", "--C", 1,
                 "--models", "own", "--folds", 3)  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "Labels  a,b: poor" in " ".join(result.stdout.split()).replace("Labels ", "Labels  ")


def test_the_page_has_raters_items_and_ratings(
    ratings: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratings.loc[0, "essay"] = "<i>e00</i>"
    ratings.to_csv("wide.csv", index=False)
    words = (*WIDE, "--drop", "words", "--report", "page.html")
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    result = run("audit", *words, "--open")
    assert result.exit_code == 0, result.stderr
    assert "Written  a page to read: page.html" in result.stdout
    address = Path("page.html").resolve().as_uri()
    assert f"Page  {address} (no browser" in " ".join(result.stdout.split()).replace(
        "Page ", "Page  "
    )
    page = Page(Path("page.html").read_text(encoding="utf-8"))
    text, document = page.text(), found(*WIDE, "--drop", "words")
    assert f"{document['summary']}. Raters Items Ratings" in text
    assert f"Agreement: Krippendorff's alpha {document['agreement']['alpha']:.2f}" in text
    assert not any(tag in ("script", "i") and "style" not in attrs for tag, attrs in page.tags)
    cells = [cell for tags, _, cell in page.texts if tags[-1] == "td"]
    first = min(document["items"], key=lambda one: one["probability"])
    items, listed = text.split("labels given")[1].split("Ratings 1")[0], document["ratings"]
    assert items.split()[0] == first["item"] and "<i>e00</i>" in items
    assert text.count(listed[0]["rater"]) > 60
    assert sum(cell == "yes" for cell in cells) == document["flagged"]
    row = ratings[ratings["essay"] == first["item"]].iloc[0]
    said = ", ".join(f"{name}: {row[name]}" for name in RATERS if isinstance(row[name], str))
    assert said in cells


def test_raters_are_measured_by_true_labels(ratings: pd.DataFrame) -> None:
    """All raters are half a class too high, and the true labels of some items say so."""
    truth = np.digitize(ratings["words"], [-0.4, 0.3, 1.0])
    ratings["truth"] = np.array(GRADES)[truth]
    ratings.loc[30:, "truth"] = None
    ratings.to_csv("wide.csv", index=False)
    wide = found(*WIDE, "--drop", "words", "--gold", "truth", "--report", "some.html")
    page = Path("some.html").read_text(encoding="utf-8")
    assert "All 30 items without gold, the least" in page and "<td>30</td>" in page
    assert "<td>1.0</td>" not in page
    assert (wide["reference"], wide["columns"]["gold"]) == ("gold", "truth")
    labels = [one["label"] for one in wide["items"]]
    assert labels[:30] == ratings["truth"][:30].tolist()
    assert wide["raters"][2]["shift_low"] > 0.5
    assert [one["ask"] for one in wide["items"][:30]] == [None] * 30
    assert sorted(one["ask"] for one in wide["items"][30:]) == list(range(1, 31))
    rated = ratings[:30].dropna(subset="Cy")
    cy = wide["raters"][2]
    assert cy["n_gold"] == len(rated)
    assert cy["gold_agreement"] == pytest.approx((rated["Cy"] == rated["truth"]).mean())
    far = [abs(GRADES.index(one["given"]) - GRADES.index(one["label"]))
           for one in wide["ratings"] if one["probability"] == 1.0]  # fmt: skip
    assert far == sorted(far, reverse=True) and far[0] > far[-1]
    long = ratings.melt(["essay", "words", "truth"], RATERS, var_name="marker", value_name="grade")
    long = long.dropna(subset="grade").sort_values("essay", kind="stable")
    long.loc[long["marker"] == "Ann", "truth"] = None  # said in one row of an item or in all
    long.to_csv("long.csv", index=False)
    assert found(*LONG, "--drop", "words", "--gold", "truth")["items"] == wide["items"]
    ratings.assign(truth=np.array(GRADES)[truth]).to_csv("wide.csv", index=False)
    words = (*WIDE, "--drop", "words", "--gold", "truth")
    text = run("audit", *words, "--report", "page.html").stdout
    assert "ask" not in text and "agreement with gold kappa" in " ".join(text.split())
    assert "All items have gold." in Path("page.html").read_text(encoding="utf-8")
    run("consensus", *words, "--out", "labels.csv")
    assert pd.read_csv("labels.csv")["ask"].isna().all()
    unnamed = run("audit", *LONG, "--drop", "words").stderr
    assert "where it holds true labels, name it with --gold truth" in unnamed
    long["truth"] = long["grade"]
    long.to_csv("long.csv", index=False)
    result = run("audit", *LONG, "--drop", "words", "--gold", "truth")
    assert result.exit_code == 1 and "'truth' (--gold) differs between the ro" in result.stderr


# Traps


def test_raters_who_saw_different_items_are_refused(ratings: pd.DataFrame) -> None:
    ratings.loc[:29, ["Cy", "Di"]] = None
    ratings.loc[30:, ["Ann", "Bo"]] = None
    ratings.to_csv("wide.csv", index=False)
    result = run("audit", *WIDE, "--drop", "words")
    assert result.exit_code == 1
    assert "raters fall into 2 sets that share no item" in result.stderr
    assert "Let raters of different sets rate some items in common" in result.stderr
    assert "true labels of some items of each (--gold COL)" in result.stderr


def test_a_scale_turned_round_and_a_single_class_are_noted(ratings: pd.DataFrame) -> None:
    turned = dict(zip(GRADES, GRADES[::-1], strict=True))
    ratings["Di"] = ratings["Di"].map(turned)
    ratings["Bo"] = ratings["Bo"].where(ratings["Bo"].isna(), "good")
    ratings.to_csv("wide.csv", index=False)
    result = run("audit", *WIDE, "--drop", "words")
    assert "note: Di: labels fall where those of the others rise" in result.stderr
    assert "note: Bo: the same label on every item (good)." in result.stderr


def test_a_rater_in_two_spellings_is_noted(ratings: pd.DataFrame) -> None:
    long = long_of(ratings)
    long.loc[long.index[::9], "marker"] = long["marker"].str.lower() + " "
    long.to_csv("long.csv", index=False)
    notes = " ".join(found(*LONG, "--drop", "words")["notes"])
    assert "(--rater): 'Ann', 'Bo', 'ann', 'bo' differ in case" in notes


def test_columns_of_other_raters_are_noted(ratings: pd.DataFrame) -> None:
    model = ("--drop", "words", "--kernel", "linear", "--C", 1, "--folds", 2)
    result = run("audit", "wide.csv", "--target", "Ann,Bo", *ORDER, *model)
    assert "the columns 'Cy', 'Di' hold labels as --target does, and are used as features" in (
        " ".join(result.stderr.split())
    )
    assert "name all of them: --target Ann,Bo,Cy,Di" in result.stderr
    numbered = ratings[RATERS].set_axis(["r1", "r2", "r3", "r_d"], axis=1)
    numbered["other"] = numbered["r2"]
    for keep, targets in (((), "r1,r2,r3,r_d"), (("r_d",), "r1,r2,r3")):
        notes = Notes()
        data = SimpleNamespace(keep=keep, gold=None)
        note_more_raters(numbered.drop(columns="r1"), ["r1"], GRADES, data, notes)
        (note,) = notes.texts()
        assert note.endswith(f"name all of them: --target {targets}")


@pytest.mark.parametrize(
    ("targets", "columns", "gold", "says"),
    [
        (["gpt", "claude"], ["human"], None, ["--target gpt,claude,human", "--gold human"]),
        (["gpt", "claude"], ["Bo", "other"], None, ["gpt,claude,Bo,other", "--gold COL"]),
        (["gpt", "claude"], ["Bo", "trueLabel"], None, ["Bo,trueLabel", "--gold trueLabel"]),
        (["gpt", "claude"], ["human"], "truth", ["--target gpt,claude,human"]),
        (["r1", "r2"], ["expert 1", "other"], None, ["r1,r2,expert 1'", "--gold 'expert 1'"]),
        (["grade"], ["expert", "other"], None, ["--target grade,expert"]),
        (["r1", "r2"], ["humanity", "other"], None, []),
    ],
)
def test_true_labels_among_the_features_of_a_wide_file_are_noted(
    ratings: pd.DataFrame, targets: list[str], columns: list[str], gold: str, says: list[str]
) -> None:
    frame = pd.DataFrame(dict.fromkeys(columns, ratings["Bo"]))
    data = SimpleNamespace(keep=(), gold=gold)
    note_more_raters(frame, targets, GRADES, data, notes := Notes())
    text = " ".join(notes.texts())
    assert all(word in text for word in says) and bool(text) == bool(says)
    assert ("--gold" in text) == any("--gold" in word for word in says)


def test_true_labels_among_the_features_of_a_long_file_are_noted(ratings: pd.DataFrame) -> None:
    three = ratings["Bo"].replace("fine", "good")
    frame = pd.DataFrame({"level": ratings["Bo"], "three": three, "truth": three, "kept": three})
    data = SimpleNamespace(keep=("kept",), gold=None)
    note_gold(frame, GRADES, data, notes := Notes())
    assert [text.split("'")[1] for text in notes.texts()] == ["level", "truth"]
    note_gold(frame, GRADES, SimpleNamespace(keep=(), gold="three"), notes := Notes())
    assert not notes.texts()
    ratings.assign(truth=ratings["Bo"].fillna("good"))[[*RATERS, "essay", "truth", "words"]].melt(
        ["essay", "truth", "words"], var_name="marker", value_name="grade"
    ).to_csv("long.csv", index=False)
    model = ("--drop", "words", "--kernel", "linear", "--C", 1, "--folds", 2)
    (note,) = found(*LONG, *model)["notes"]
    assert note.startswith("column 'truth' holds labels as --target does, one an item")
    assert "--gold truth" in note


def test_sorted_columns_are_no_raters(ratings: pd.DataFrame) -> None:
    codes = ratings[RATERS].fillna("good").replace(dict(zip(GRADES, range(4), strict=True)))
    marks = np.sort(codes.to_numpy(int), axis=1)
    pd.DataFrame(marks, columns=["r1", "r2", "r3", "r4"]).to_csv("sorted.csv", index=False)
    result = run("audit", "sorted.csv", "--target", "r1,r2,r3,r4")
    assert result.exit_code == 1
    assert "hold the labels of each item by size" in result.stderr


def test_two_raters_have_a_kappa_and_a_note(ratings: pd.DataFrame) -> None:
    words = ("wide.csv", "--target", "Ann,Cy", *ORDER, "--item", "essay")
    result = run("audit", *words, *(f"--drop={name}" for name in ("words", "Bo", "Di")))
    assert "; Cohen's kappa 0." in " ".join(result.stdout.split())
    assert "There are two raters: how far they are apart can be told" in result.stderr
    assert "(--reference NAME), or give true labels of some items (--gold COL)." in result.stderr


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("--target", "Ann,Bo", "--rater", "Cy"), 2, "--rater Cy: each of the columns"),
        (("--target", "Ann", "--item", "essay"), 2, "--item names what several raters labelled"),
        (("--target", "Ann,essays"), 2, "no column 'essays' (--target); did you mean 'essay'?"),
        (("--target", "Ann,Bo,Ann"), 2, "stands there more than once"),
        (("--target", "Ann,Bo", "--drop", "Bo"), 2, "is named by both --target and --drop"),
        (("--target", "Ann,Bo", "--reference", "Cy"), 2, "raters are 'Ann', 'Bo'"),
        (("--target", "Ann,Bo", "--item", "words"), 1, "2 rows have an item that another row has"),
        (("--target", "Ann,Bo", "--item", "Di"), 1, "column 'Di' (--item): "),
        (
            ("--target", "Ann,Bo", "--report", "x.csv"),
            2,
            "--report x.csv: the name must end",
        ),
        (("--target", "Ann,Bo", "--gold", "words"), 1, "column 'words' (--gold): 60 values are no"),
        (("--target", "Ann", "--gold", "Di"), 2, "--gold holds true labels of items that several"),
        (("--target", "Ann,Bo", "--gold", "Di", "--reference", "Bo"), 2, "--gold and --reference"),
        (("--target", "Ann,Bo", "--groups", "Di"), 2, "--groups: an audit of several labels"),
        (("--target", "Ann,Bo", "--classes", "poor,fair,good"), 1, "column 'Ann'"),
    ],
)
def test_what_does_not_go_together(
    ratings: pd.DataFrame, words: tuple[str, ...], status: int, says: str
) -> None:
    ratings.loc[1, "words"] = ratings.loc[0, "words"]
    ratings.to_csv("wide.csv", index=False)
    result = run("audit", "wide.csv", *ORDER, *words)
    assert result.exit_code == status, result.stderr
    assert says in result.stderr


def test_faults_of_a_long_file(ratings: pd.DataFrame) -> None:
    long = long_of(ratings).reset_index(drop=True)
    long.loc[4, "words"] = 9.0
    long.loc[8, "marker"] = None
    long.to_csv("long.csv", index=False)
    result = run("audit", *LONG)
    assert result.exit_code == 1
    assert "long.csv: 2 faults" in result.stderr
    assert "column 'words' differs between the rows of item 'e01' (rows 4, 5)" in result.stderr
    assert "column 'marker' (--rater): 1 of 180 values is blank (row 9)" in result.stderr
    ratings.assign(Cy=None).to_csv("wide.csv", index=False)
    result = run("audit", *WIDE)
    assert "column 'Cy' (--target): no cell holds a label, so this rater gave none" in result.stderr
    long["marker"] = "Ann"
    long.loc[9, "essay"] = None
    long.drop(columns="words").to_csv("long.csv", index=False)
    result = run("audit", *LONG)
    assert "column 'essay' (--item): 1 of 180 values is blank (row 10)" in result.stderr
    long.fillna("e03").drop(columns="words").to_csv("long.csv", index=False)
    alone = run("audit", *LONG)
    says = "leave --item and --rater out, or give the true labels of some items (--gold COL)"
    assert "all 180 rows are of 'Ann'" in alone.stderr and says in alone.stderr
    one = ratings[["essay", "Ann"]].dropna().assign(marker="Ann", truth="fair")
    one.rename(columns={"Ann": "grade"}).to_csv("long.csv", index=False)
    measured = found(*LONG, "--gold", "truth")
    assert measured["raters"][0]["gold_agreement"] == (one["Ann"] == "fair").mean()


def test_consensus_is_one_of_several() -> None:
    result = run("consensus", "wide.csv", "--target", "Ann", *ORDER, "--out", "x.csv")
    assert result.exit_code == 2
    assert "consensus is that of several labels an item" in result.stderr


def test_numbers_beside_blanks_are_those_of_other_columns(ratings: pd.DataFrame) -> None:
    """What pandas writes as 2.0 beside a blank, it writes as 2 without one."""
    codes = ratings[RATERS].replace(dict(zip(GRADES, range(1, 5), strict=True))).astype(float)
    codes = codes.assign(Ann=codes["Ann"].fillna(2).astype(int))
    codes.to_csv("numbers.csv", index=False)
    words = ("--target", ",".join(RATERS), "--suspects", "all.csv")
    document = found("numbers.csv", *words)
    assert [one["label"] for one in document["classes"]] == list("1234")
    assert document["data"]["ratings"] == len(pd.read_csv("all.csv")) == codes.notna().sum().sum()
    codes.astype(object).fillna("x").to_csv("marks.csv", index=False)
    refused = run("audit", "marks.csv", *words)
    assert "column 'Bo': the labels have no order: most are numbers, but not 'x'" in refused.stderr
    marks = found("marks.csv", *words, "--missing-label", "x")
    assert marks["items"] == document["items"]
