"""`csvor audit`: what it reads, prints and writes, with the right values (cases N01 to N13, N22).

How many labels are wrong, and what is compared: test_cli_wrong_labels.py.
"""

import csv
import io
import json
import os
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from csvor import audit_labels
from csvor.cli.commands._app import app
from csvor.cli.input._prepare import Prepared

SHOWN = ["row", "given", "suggested", "probability", "residual", "direction", "flagged"]
HEADER = [*SHOWN[:4], "expected_distance", *SHOWN[4:]]
WORDS = np.array(["low", "medium", "high"])


def run(*args: object, input: str | None = None) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args], input=input)


def graded(seed: int = 0, n: int = 90) -> pd.DataFrame:
    """Two columns and a grade in words; rows 8 and 31 have a wrong one."""
    X = np.random.default_rng(seed).uniform(-3, 3, (n, 2))
    rank = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-1, 1])
    X[[7, 30], 0] = -3, 3
    rank[[7, 30]] = 2, 0
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "rank": WORDS[rank]})


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def path() -> str:
    graded().assign(name=[f"n{i}" for i in range(90)]).to_csv("t.csv", index=False)
    return "t.csv"


ORDER = ("--target", "rank", "--classes", "low,medium,high")
# One candidate, where the model is not the matter.
ONE = ("--kernel", "linear", "--C", 1, "--constraints", "explicit", "--contamination", 0.1)


def test_all_rows_are_written_worst_first(path: str) -> None:
    """As the library has them, where nothing but the columns is said."""
    out = "out.csv"
    result = run("audit", path, *ORDER, "--drop", "name", "--suspects", out)
    assert (result.exit_code, result.stderr) == (0, "")
    rows = list(csv.reader(io.StringIO(Path(out).read_text(encoding="utf-8"))))
    assert rows[0] == HEADER
    assert sorted(int(row[0]) for row in rows[1:]) == list(range(1, 91))
    assert {rows[1][0], rows[2][0]} == {"8", "31"}
    assert sorted([rows[1][1:3], rows[2][1:3]]) == [["high", "low"], ["low", "high"]]
    by_row = {row[0]: row for row in rows}
    assert by_row["8"][6:] == ["too high", "true"]
    assert by_row["31"][6:] == ["too low", "true"]

    frame = graded()
    truth = audit_labels(frame[["a", "b"]], frame["rank"], classes=WORDS, cv=5, random_state=0)
    found = truth.to_frame()
    assert [int(row[0]) - 1 for row in rows[1:]] == truth.order.tolist() == found.index.tolist()
    for i, name in enumerate(HEADER[1:], start=1):
        written = [row[i] for row in rows[1:]]
        if name in {"probability", "expected_distance", "residual"}:
            np.testing.assert_array_equal(np.array(written, float), found[name])
        else:
            expected = found[name].astype(str).replace({"True": "true", "False": "false"})
            assert written == expected.tolist(), name


def test_a_row_that_keeps_its_label_has_no_direction(path: str) -> None:
    args = ("audit", path, *ORDER, "--drop", "name", *ONE)
    assert run(*args, "--suspects", "out.csv").exit_code == 0
    written = pd.read_csv("out.csv", keep_default_na=False)
    kept = written["suggested"] == written["given"]
    assert set(written["direction"][kept]) == {""}
    assert set(written["direction"][~kept]) == {"too high", "too low"}
    assert 0 < kept.sum() < len(kept)
    found = json.loads(run(*args, "--json").stdout)["suspects"]
    assert [s["direction"] or "" for s in found] == written["direction"].tolist()
    assert None in {s["direction"] for s in found}
    shown = run(*args, "--top", 90).stdout
    assert shown.count("too high") + shown.count("too low") == (~kept).sum()


def test_what_people_see(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    args = ("audit", path, *ORDER, "--id", "name", *ONE, "--folds", 4)
    result = run(*args, "--top", 1)
    facts, table, more, further = result.stdout.split("\n\n")
    counts = graded()["rank"].value_counts()
    assert facts.splitlines()[:5] == [
        "Data     t.csv: 90 rows, 90 used",
        f"Labels   rank: low ({counts['low']}) < medium ({counts['medium']}) < high "
        f"({counts['high']})",
        "Order    declared with --classes",
        "Numbers  a, b (standardised)",
        "Model    C 1, p 1, contamination 0.1; 4 folds, seed 0",
    ]
    found = json.loads(run(*args, "--json").stdout)
    assert found["flagged"] == 2
    assert more == "More  1 flagged row further down: --suspects FILE has all"
    address, opened = Path("page.html").resolve().as_uri(), []
    for exists, said in ((True, address), (False, f"{address} (no browser could be")):
        monkeypatch.setattr("webbrowser.open", lambda page, e=exists: opened.append(page) or e)
        words = args if exists else [*shlex.split(further)[2:]]  # it is a command
        words = (*words, "--top", 1, "--report", "page.html", "--open")
        shown = run(*words)
        assert shown.exit_code == 0
        note = "note: page.html was there already, and is replaced\n"
        assert shown.stderr.endswith(note) != exists
        last, after = shown.stdout.split("\n\n")[2:]
        assert last.startswith("More  1 flagged row further down: see page.html\nWritten  a page")
        assert f" Page {said}" in " ".join(last.split())  # lines end by the length of the folder
        apply = "csvor apply t-decisions.csv t.csv --out t-clean.csv"
        assert after == f"Next, when the decisions are saved: {apply}\n"
    assert opened == [address] * 2
    shown = run(*args, "--top", 3).stdout
    assert "\n\n\nNext: " in shown, "nothing flagged is left"
    lines = shown.split("\n\n")[1].splitlines()
    assert [line.split() for line in table.splitlines()] == [line.split() for line in lines[:2]]
    assert lines[0].split() == ["row", "name", *SHOWN[1:]]
    assert len(lines) == 4
    assert {line.split()[1] for line in lines[1:3]} == {"n7", "n30"}
    for line, suspect in zip(lines[1:], found["suspects"], strict=False):
        shown = [f"{suspect[name]:.3f}" for name in ("probability", "residual")]
        assert line.split()[4:6] == shown
    assert lines[1].split()[-3:] in (["too", "high", "yes"], ["too", "low", "yes"])
    assert lines[3].split()[-1] == f"{found['suspects'][2]['residual']:.3f}"
    assert all(line == line.rstrip() for line in result.stdout.splitlines())


def test_a_narrow_terminal_breaks_no_words(path: str) -> None:
    for columns, left_out in ((72, set()), (62, {"residual"}), (52, {"residual", "direction"})):
        result = CliRunner(env={"COLUMNS": str(columns)}).invoke(
            app, ["audit", path, *ORDER, *ONE, "--top", "3"]
        )
        header, *lines = result.stdout.split("\n\n")[1].splitlines()
        assert set(SHOWN) - set(header.split()) == left_out
        assert len(lines) == 3


def test_many_columns_and_labels_are_shortened() -> None:
    frame = pd.DataFrame({f"x{i}": np.arange(120) / 7 + i % 7 for i in range(30)})
    frame.assign(y=np.arange(120) // 4).to_csv("t.csv", index=False)
    stdout = run("audit", "t.csv", "--target", "y", "--top", 0, *ONE).stdout
    facts = " ".join(stdout.split())
    assert "x18, x19 and 10 more (standardised)" in facts
    assert "15 (4) < 16 (4) < ... < 28 (4) < 29 (4) Order" in facts


def test_json_is_one_document(path: str) -> None:
    result = run("audit", path, *ORDER, "--id", "name", "--json", *ONE, "--C", 2, "--seed", 3)
    found = json.loads(result.stdout)
    assert found["data"] == {"file": path, "rows": 90, "used": 90, "left_out": {}}
    assert [c["label"] for c in found["classes"]] == ["low", "medium", "high"]
    assert sum(c["count"] for c in found["classes"]) == 90
    assert (found["order"], found["target"]) == ("declared with --classes", "rank")
    assert found["columns"]["numeric"] == ["a", "b"]
    assert found["settings"]["C"] == 2
    assert found["settings"]["seed"] == 3
    assert len(found["suspects"]) == 90
    assert list(found["suspects"][0]) == ["row", "id", *HEADER[1:]]
    assert {s["id"] for s in found["suspects"][:2]} == {"n7", "n30"}
    assert found["flagged"] == sum(s["flagged"] for s in found["suspects"])
    assert found["fit"]["converged"] is True


def test_suspects_on_standard_output(path: str) -> None:
    result = run(
        *("audit", "-", *ORDER, "--id", "name", "--suspects", "-", *ONE),
        input=Path(path).read_text(),
    )
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert rows[0] == ["row", "name", *HEADER[1:]]
    assert len(rows) == 91
    assert "standard input: 90 rows" in result.stderr


def test_suspects_as_parquet(path: str, tmp_path: str) -> None:
    out = "out.parquet"
    assert run("audit", path, *ORDER, "--id", "name", "--suspects", out, *ONE).exit_code == 0
    frame = pd.read_parquet(out)
    assert list(frame) == ["row", "name", *HEADER[1:]]
    assert set(frame["name"][:2]) == {"n7", "n30"}
    assert frame["flagged"].dtype == bool
    assert frame["probability"].is_monotonic_decreasing


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, 5, 9], None),
        ([-1, 0, 1], None),
        ([1.0, 1.5, 2.0], "1,1.5,2"),
        ([2, 10, 11], None),
        (["low", "medium", "high"], "low,medium,high"),
    ],
)
def test_labels_come_back_as_given(
    tmp_path: str, kind: str, labels: list[Any], classes: str | None
) -> None:
    """Never the codes 0, 1, 2: cases N02, N03 and N04."""
    frame = graded()
    frame["rank"] = frame["rank"].map(dict(zip(WORDS, labels, strict=True)))
    data = f"t.{kind}"
    frame.to_csv(data, index=False) if kind == "csv" else frame.to_parquet(data)
    args = ["--classes", classes] if classes else []
    found = json.loads(run("audit", data, "--target", "rank", *args, *ONE, "--json").stdout)
    as_text = kind == "csv"
    expected = [str(label) for label in labels] if as_text else labels
    assert [c["label"] for c in found["classes"]] == expected
    assert {s["suggested"] for s in found["suspects"]} <= set(expected)
    top = {s["row"]: (s["given"], s["suggested"]) for s in found["suspects"][:2]}
    assert top == {8: (expected[2], expected[0]), 31: (expected[0], expected[2])}


def test_n06_n07_rows_without_a_label_keep_the_numbers_of_the_others(tmp_path: str) -> None:
    frame = graded().astype({"rank": object})
    frame.loc[[0, 1, 2], "rank"] = "99"
    frame.loc[[4], "rank"] = ""
    frame.to_csv("t.csv", index=False)
    args = ("audit", "t.csv", *ORDER, *ONE)
    refused = run(*args)
    assert refused.exit_code == 1
    assert refused.stderr == (
        "csvor: error: t.csv: 2 faults\n  column 'rank': 1 of 90 labels is blank (row 5); fill it "
        "in, or leave this row out with --missing-label ''\n  column 'rank': 3 labels are none of "
        "--classes: '99' 3 (rows 1, 2, 3); correct them, add it to --classes or leave these rows "
        "out with --missing-label 99\nTry, once the others are corrected: csvor audit t.csv "
        "--target rank --classes low,medium,high --kernel linear --C 1 --constraints explicit "
        "--contamination 0.1 --missing-label ''\n"
    )
    result = run(*args, "--missing-label", "", "--missing-label", "99")
    assert "86 used; left out: 1 with a blank label, 3 with label '99'" in result.stdout
    found = json.loads(run(*args, "--missing-label", "", "--missing-label", 99, "--json").stdout)
    assert found["data"]["left_out"] == {"blank": 1, "99": 3}
    assert {s["row"] for s in found["suspects"][:2]} == {8, 31}
    assert {s["row"] for s in found["suspects"]} == set(range(1, 91)) - {1, 2, 3, 5}


def test_n10_a_class_without_rows_is_noted_once(path: str) -> None:
    result = run(
        *("audit", path, "--target", "rank", "--id", "name", *ONE),
        *("--classes", "low,medium,high,top"),
    )
    assert result.stderr == "note: no row has the label 'top'; kept as a class\n"
    assert "< top (0)\n" in result.stdout


def test_a_label_of_one_row_is_noted(tmp_path: str) -> None:
    frame = graded()
    frame.loc[0, "rank"] = "top"
    frame.to_csv("t.csv", index=False)
    args = ("audit", "t.csv", "--target", "rank", "--classes", "low,medium,high,top")
    result = run(*args, "--suspects", "out.csv")
    assert result.exit_code == 0
    assert result.stderr == (
        "note: one row only has the label 'top': it is judged by a model fitted without this "
        "label\n"
    )
    rows = pd.read_csv("out.csv")
    assert set(rows["row"][rows["flagged"]]) == {1, 8, 31}
    assert rows["suggested"][rows["row"] == 1].tolist() == [graded()["rank"][0]]


def test_n33_rare_grades_are_neither_flagged_nor_noted() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 2))
    y = np.digitize(X[:, 0] + 0.6 * rng.normal(size=500), [1.3, 1.8, 2.4]) + 1
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).to_csv("t.csv", index=False)
    result = run("audit", "t.csv", "--target", "y", "--top", 0)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "y: 1 (448) < 2 (33) < 3 (14) < 4 (5)\n" in result.stdout
    assert "\nAnswer   no label of 500 looks wrong (at most 4 may be)\n" in result.stdout
    assert " 0.000 " not in result.stdout  # N67: of a clean file nothing is listed for show


@pytest.mark.parametrize(
    "codes", [[10, 20, 30], ["good", "fair", "bad"], [2.5, 0.5, 1.5]], ids=["up", "words", "mixed"]
)
def test_a_feature_that_is_the_label_in_other_words_is_noted(codes: list[Any]) -> None:
    frame = graded()
    frame["copy of it"] = frame["rank"].map(dict(zip(WORDS, codes, strict=True)))
    frame.to_csv("t.csv", index=False)
    result = run("audit", "t.csv", *ORDER, *ONE)
    assert result.stderr == (
        "note: column 'copy of it' determines the label exactly; drop it with --drop "
        "'copy of it' if it is a copy of it: the labels are then judged by the other columns\n"
    )


@pytest.mark.parametrize(("factor", "shift"), [(1e8, 0.0), (1.0, 1e4)])
def test_n11_units_do_not_matter(tmp_path: str, factor: float, shift: float) -> None:
    orders = []
    for scale, move in ((1.0, 0.0), (factor, shift)):
        frame = graded()
        frame["b"] = frame["b"] * scale + move
        frame.to_csv("t.csv", index=False)
        options = ("--folds", 3, "--models", "own", "--kernel", "linear", "--json")
        found = json.loads(run("audit", "t.csv", *ORDER, *options).stdout)
        assert found["settings"]["standardised"] is True
        orders.append([(s["row"], s["suggested"]) for s in found["suspects"]])
    same = dict(orders[0])
    assert np.mean([same[row] == label for row, label in orders[1]]) >= 0.95
    assert {row for row, _ in orders[1][:2]} == {8, 31}


def test_n22_notes_of_every_fit_are_one_line(path: str) -> None:
    result = run("audit", path, *ORDER, "--id", "name", "--max-iter", 1, *ONE)
    assert result.exit_code == 0
    (line,) = [line for line in result.stderr.splitlines() if "stopped" in line]
    assert line.startswith("note: CSVOR stopped after 1 iteration (max_iter=1)")
    assert "raise --max-iter" in line
    assert line.endswith("(6 such notes)")


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["--target", "rnk"], 2, "has no column 'rnk' (--target); did you mean 'rank'?"),
        (["--target", "zzz"], 2, "the columns are 'a', 'b', 'rank', 'name'"),
        ([*ORDER, "--drop", "Name "], 2, "has no column 'Name ' (--drop); did you mean 'name'?"),
        ([*ORDER, "--drop", "name,a"], 2, "(--drop); give --drop once for each column"),
        ([*ORDER, "--id", "nme"], 2, "has no column 'nme' (--id); did you mean 'name'?"),
        ([*ORDER, "--drop", "rank"], 2, "column 'rank' is named by both --target and --drop"),
        ([*ORDER, "--id", "rank"], 2, "column 'rank' is named by both --target and --id"),
        ([*ORDER, "--id", "a", "--drop", "a"], 2, "'a' is named by both --id and --drop"),
        ([*ORDER, "--id", "a", "--groups", "x"], 2, "has no column 'x' (--groups)"),
        ([*ORDER, "--C", "0"], 2, "--C 0: must be a finite number greater than 0"),
        ([*ORDER, "--C", "nan"], 2, "--C nan: must be a finite number"),
        ([*ORDER, "--p", "2.5"], 2, "--p 2.5: must be a number greater than 0 and at most"),
        (
            [*ORDER, "--contamination", "0.6"],
            2,
            "--contamination 0.6: must be a number from 0 to 0.5",
        ),
        ([*ORDER, "--clip", "-1"], 2, "--clip -1: must be a finite number greater"),
        ([*ORDER, "--id", "name", "--folds", "91"], 2, "--folds 91: there are 90 rows only"),
        ([*ORDER, "--folds", "1"], 2, "--folds 1: must be a whole number from 2"),
        ([*ORDER, "--suspects", "out.xlsx"], 2, "the name must end in .csv or .tsv or .parquet"),
        ([*ORDER, "--suspects", "no/out.csv"], 2, "the folder no does not exist"),
        ([*ORDER, "--suspects", "t.csv"], 2, "this file is read, as DATA"),
        ([*ORDER, "--suspects", "-", "--json"], 2, "both need standard output"),
        ([*ORDER, "--open"], 2, "--open opens the page that is written: give --report FILE.html"),
    ],
)
def test_wrong_use_and_wrong_data(path: str, args: list[str], status: int, message: str) -> None:
    result = run("audit", "t.csv", *args)
    assert result.exit_code == status
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("csvor: error: ")
    assert message in line
    assert os.listdir() == ["t.csv"]


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--reviewed", "d.csv", "--suspects", "d.csv"], "d.csv: this file is read, as --reviewed"),
        (["--reviewed", "d.csv", "--suspects", "link.csv"], "link.csv: this file is read"),
        (["--suspects", "./t.csv"], "--suspects t.csv: this file is read, as DATA"),
        (["--suspects", "o.html", "--report", "./o.html"], "o.html: this file is written, as"),
    ],
)
def test_n76_no_output_is_an_input_or_another_output(
    path: str, args: list[str], complaint: str
) -> None:
    """The suspects were written over the decisions of the review."""
    Path("d.csv").write_text("row,given,decision,label\n1,low,keep,\n")
    os.symlink("d.csv", "link.csv")
    before = {name: Path(name).read_bytes() for name in os.listdir()}
    result = run("audit", "t.csv", *ORDER, *args)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert {name: Path(name).read_bytes() for name in os.listdir()} == before


def test_n77_a_read_only_output_is_refused_before_the_work(path: str) -> None:
    Path("s.csv").touch(mode=0o444)
    result = run("audit", "t.csv", *ORDER, "--suspects", "s.csv")
    assert result.exit_code == 2
    assert "--suspects s.csv: this file is read-only; name another" in result.stderr


def test_the_column_of_ids_is_read_once(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once a row, which is quadratic."""
    read = Prepared.ids.fget
    times = []
    monkeypatch.setattr(Prepared, "ids", property(lambda work: times.append(1) or read(work)))
    result = run("audit", path, *ORDER, "--id", "name", "--suspects", "out.csv", *ONE)
    assert result.exit_code == 0
    assert len(times) <= 4
