"""Columns that tell what they should not: row numbers and copies of the label (case N34)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import average_precision_score
from typer.testing import CliRunner, Result

from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from csvor._tables.feature_columns import choose_features
from csvor._tables.table import Table, as_column
from csvor.cli.commands._app import app
from problems import g, mislabel, read_set

# One candidate is enough here.
ONE = ("--kernel", "linear", "--C", 1, "--constraints", "explicit")
DATA = ("t.csv", "--target", "y", *ONE)
AUDIT = ("audit", *DATA)


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(arg) for arg in args])


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def use_of(values: Any, rows: Any = None, **options: Any) -> tuple[str, list[str]]:
    """The use of column `n` beside a measured one, and the notes."""
    array = values if isinstance(values, pa.Array) else pa.array(values)
    size = len(array)
    x = pa.array(np.random.default_rng(0).normal(size=size))
    table = Table("t.csv", {"n": as_column("n", array), "x": as_column("x", x)}, size)
    notes, at = Notes(), np.arange(size) if rows is None else np.asarray(rows)
    given = {"impute": False, "clip": False, **options}
    features, frame = choose_features(table, at, ["n", "x"], notes=notes, **given)
    uses = [u for u in ("numeric", "categorical", "row_numbers") if "n" in getattr(features, u)]
    (use,) = uses
    assert ("n" in frame) == (use != "row_numbers")
    return use, notes.texts()


def order(n: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).permutation(n)


def rising(n: int, seed: int = 0) -> Any:
    return np.cumsum(np.random.default_rng(seed).integers(1, 9, n)) + 1000


@pytest.mark.parametrize(
    ("values", "how"),
    [
        (np.arange(1, 91), "1 to 90, rising"),
        (np.arange(91, 181), "91 to 180, rising"),
        (np.arange(0, 40.0), "0 to 39, rising"),
        ([f"{i:03}" for i in range(1, 91)], "1 to 90, rising"),
        (np.arange(1, 91)[::-1], "1 to 90, falling"),
        (order(90) + 1, "1 to 90, each once, without a gap"),
        (order(50) - 7, "-7 to 42, each once, without a gap"),
        ([str(i) for i in order(500) + 100001], "100001 to 100500, each once, without a gap"),
        (rising(60), f"{rising(60)[0]} to {rising(60)[-1]}, rising"),
        ([str(i) for i in rising(30)], f"{rising(30)[0]} to {rising(30)[-1]}, rising"),
    ],
)
def test_n34_row_numbers_are_left_out(values: Any, how: str) -> None:
    assert use_of(values) == (
        "row_numbers",
        [
            f"column 'n' looks like row numbers ({how}) and is left out, for these say where a "
            "row stands and not what it is like; name the rows by it with --id n, or use it all "
            "the same with --keep n"
        ],
    )
    assert use_of(values, kept=["n"]) == ("numeric", [])


def measured(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    gaps = rng.permutation(np.delete(np.arange(n + 1), 7))
    return {
        "ages": rng.integers(18, 80, n),
        "ages in order": np.sort(rng.integers(18, 80, n)),
        "numbers in order, one twice": np.append(np.arange(n - 1), n - 2),
        "each once, with a gap": gaps,
        "each once, far apart": rng.permutation(rising(n)),
        "not whole, in order": np.arange(n) / 2,
        "counts within groups": np.tile(np.arange(1, n // 4 + 1), 4),
        "levels in order": np.repeat(np.arange(n // 4), 4),
    }


@pytest.mark.parametrize("name", measured(80))
@pytest.mark.parametrize("as_text", [False, True])
def test_what_is_measured_stays_a_feature(name: str, as_text: bool) -> None:
    values = measured(80)[name]
    assert use_of([str(v) for v in values] if as_text else values) == ("numeric", [])


def test_few_rows_may_be_in_order() -> None:
    assert use_of(np.arange(19)) == ("numeric", [])
    assert use_of(np.arange(20))[0] == "row_numbers"


def test_row_numbers_of_the_file_count_where_rows_are_left_out() -> None:
    """Rows without a label leave gaps, which a shuffled column of measurements has too."""
    values, used = order(90), np.arange(0, 90, 3)
    use, notes = use_of(values, rows=used)
    assert use == "row_numbers"
    assert "(0 to 89, each once, without a gap)" in notes[0]
    assert use_of(values[used]) == ("numeric", [])


def test_blank_row_numbers_need_not_be_filled() -> None:
    assert use_of([*map(str, range(1, 90)), ""])[0] == "row_numbers"
    with pytest.raises(CommandError, match="blank values in columns of numbers: 'n'"):
        use_of([*map(str, range(1, 90)), ""], kept=["n"])


def test_a_file_of_row_numbers_alone_is_refused() -> None:
    pd.DataFrame({"rec": np.arange(40), "y": np.arange(40) // 20}).to_csv("t.csv", index=False)
    result = run(*AUDIT)
    assert result.exit_code == 1
    note, error = result.stderr.splitlines()
    assert error == "csvor: error: t.csv: no feature column is left to fit with"
    assert note.startswith("note: column 'rec' looks like row numbers (0 to 39, rising)")
    assert run(*AUDIT, "--keep", "rec").exit_code == 0


def spoilt(seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """N34: 1000 rows in order of a label that is wrong in 60 of them."""
    X, y = g(seed, 1000)
    y, wrong = mislabel(y, 0.06, seed)
    at = np.argsort(y, kind="stable")
    return pd.DataFrame({"a": X[at, 0], "b": X[at, 1], "y": y[at]}), wrong[at]


def precision(wrong: Any, *args: object) -> float:
    found = json.loads(run(*AUDIT, "--json", *args).stdout)["suspects"]
    score = np.empty(len(wrong))
    score[[suspect["row"] - 1 for suspect in found]] = -np.arange(len(wrong))
    return float(average_precision_score(wrong, score))


def test_n34_row_numbers_of_a_sorted_file_do_not_hide_wrong_labels() -> None:
    frame, wrong = spoilt()
    frame.assign(rec_no=np.arange(1, 1001)).to_csv("t.csv", index=False)
    assert precision(wrong) > 0.98
    assert precision(wrong, "--keep", "rec_no") < 0.8
    result = run(*AUDIT, "--contamination", 0.1)
    assert "--id rec_no" in result.stderr
    assert "\nNot used  rec_no (names rows)\n" in result.stdout
    found = json.loads(run(*AUDIT, "--json").stdout)
    assert found["columns"]["row_numbers"] == ["rec_no"]
    assert found["columns"]["numeric"] == ["a", "b"]
    assert found["notes"] == [result.stderr.removeprefix("note: ").rstrip("\n")]


def test_n34_a_model_file_does_without_row_numbers() -> None:
    """Respondents 1..90 in order of their grade, then 91..180, of whom all are not alike."""
    X, y = g(0, 180)
    frame = pd.DataFrame({"respondent": np.arange(1, 181), "a": X[:, 0], "b": X[:, 1], "y": y})
    old, new = frame[:90].sort_values("y").assign(respondent=np.arange(1, 91)), frame[90:]
    old.to_csv("t.csv", index=False)
    new.to_csv("new.csv", index=False)
    fit = ("fit", *DATA, "--model", "m.skops")
    predict = ("predict", "new.csv", "--model", "m.skops", "--json")
    assert run(*fit).exit_code == 0
    found = run(*predict)
    assert found.stderr == "note: the label column 'y' of new.csv is not looked at\n"
    predicted = [int(row["prediction"]) for row in json.loads(found.stdout)["predictions"]]
    assert np.mean(predicted == new["y"]) > 0.8
    new[["a", "b"]].to_csv("new.csv", index=False)
    without = json.loads(run(*predict).stdout)["predictions"]
    assert [int(row["prediction"]) for row in without] == predicted
    # What happened without the rule.
    assert run(*fit, "--keep", "respondent").exit_code == 0
    frame[90:].to_csv("new.csv", index=False)
    kept = [int(row["prediction"]) for row in json.loads(run(*predict).stdout)["predictions"]]
    assert np.mean(kept == frame[90:]["y"]) < 0.6


def near_copy(y: Any, n_other: int, seed: int = 0) -> Any:
    """The label, but another one in some rows."""
    rng = np.random.default_rng(seed)
    copy, rows = np.array(y), rng.choice(len(y), n_other, replace=False)
    copy[rows] = (copy[rows] + 1 + rng.integers(0, 4, n_other)) % 5
    return copy


@pytest.mark.parametrize("coding", ["as it is", "words", "other numbers", "blank in some rows"])
def test_n34_a_near_copy_of_the_label_is_noted_with_its_figure(coding: str) -> None:
    frame, wrong = spoilt()
    copy = near_copy(frame["y"], 10)
    words = np.array(["p", "q", "r", "s", "t"])[copy]
    frame["again"] = {
        "as it is": copy,
        "words": words,
        "other numbers": np.array([7.5, -2, 30, 4, 11])[copy],
        "blank in some rows": np.where(copy == frame["y"], words, ""),
    }[coding]
    frame.to_csv("t.csv", index=False)
    by_chance = frame["y"].value_counts().max()
    beyond = (frame["y"] == copy).sum() - by_chance
    if coding == "blank in some rows":
        beyond += frame["y"][frame["again"] == ""].value_counts().max()
    told = (beyond + by_chance) / 10
    assert told >= 99
    (note,) = [line for line in run(*AUDIT).stderr.splitlines(keepends=True) if "blank" not in line]
    assert note == (
        f"note: column 'again' alone gives the label of {told:.1f} % of the rows "
        f"({100 * beyond / (1000 - by_chance):.1f} % beyond chance), as a copy of it would: then "
        "rows are suspect where the two differ, and hardly elsewhere; with --drop again the other "
        "columns judge the labels\n"
    )
    fit = ("fit", *DATA, "--contamination", 0, "--model", "m.skops")
    assert "'again' alone" not in run(*fit, "--keep", "again").stderr
    if coding == "as it is":
        assert precision(wrong) < 0.75
        assert precision(wrong, "--drop", "again") > 0.98


def noted(**columns: Any) -> bool:
    pd.DataFrame(columns).to_csv("t.csv", index=False)
    result = run("fit", *DATA, "--contamination", 0, "--model", "m.skops")
    assert result.exit_code == 0
    phrases = ("determines the label exactly", "alone gives the label")
    return any(phrase in result.stderr for phrase in phrases)


def test_the_figure_is_beyond_chance() -> None:
    """Of 970 rows in 1000 any column tells the label, where that many have the same."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=1000), (np.arange(1000) < 30).astype(int)
    assert not noted(x=x, two=rng.integers(0, 2, 1000), y=y)
    assert not noted(x=x, two=np.where(np.arange(1000) < 24, 1, 0), y=y)  # 24 of these 30
    assert noted(x=x, two=np.where(np.arange(1000) < 28, 1, 0), y=y)


@pytest.mark.parametrize(("share", "told"), [(0.03, True), (0.08, False)])
def test_a_good_second_opinion_is_no_copy(share: float, told: bool) -> None:
    frame, _ = spoilt()
    copy = near_copy(frame["y"], int(share * 1000))
    assert noted(a=frame["a"], again=copy, y=frame["y"]) == told


def test_a_measured_column_that_cuts_into_classes_is_ordinary() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=600), rng.normal(size=600)
    assert not noted(x=x, z=z, y=np.digitize(x, [-1, 0, 1]))
    tens = rng.integers(0, 100, 600)
    assert not noted(x=tens, z=z, y=tens // 25)
    grades = rng.integers(1, 11, 600)
    assert not noted(x=grades, z=z, y=np.digitize(grades, [4, 8]))


def test_few_rows_are_no_evidence_of_a_copy() -> None:
    """Three values and three labels in six rows."""
    assert not noted(x=[1, 1, 2, 2, 3, 3], y=[0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("name", ["newthyroid", "housing", "stock", "machine", "tae"])
def test_benchmark_sets_have_neither(data_dir: Path, name: str) -> None:
    X, y = read_set(data_dir, name)
    columns = {f"x{i}": column for i, column in enumerate(X.T)}
    assert not noted(**columns, y=y)
    found = json.loads(run(*AUDIT, "--json").stdout)
    assert found["columns"]["row_numbers"] == []


def test_the_answer_says_which_column_gives_the_label() -> None:
    frame = pd.DataFrame({"x": np.arange(60) % 7 + 0.5, "y": np.repeat(["a", "b", "c"], 20)})
    frame.assign(code=frame["y"].map({"a": "k", "b": "l", "c": "m"})).to_csv("t.csv", index=False)
    told = " ".join(run(*AUDIT, "--classes", "a,b,c").stdout.split())
    assert "But column 'code' gives the label, and judges it: see the note" in told
    assert "gives the label" not in run(*AUDIT, "--classes", "a,b,c", "--drop", "code").stdout
