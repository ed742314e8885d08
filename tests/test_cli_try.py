"""All faults of a file in one run, the command to type next, and remedies that the command has."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from csvor._estimators.endings import NotConvergedWarning
from csvor._faults.errors import CommandError
from csvor._faults.fault import fault, having
from csvor._faults.python import in_python
from csvor._utils.warn import Remedy
from csvor.cli._notes import option_of
from csvor.cli._render import _short
from csvor.cli.commands._app import app


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


def test_all_faults_of_a_file_are_told_in_one_run_with_the_command_to_try(tmp_path: Path) -> None:
    """Blanks of columns that have other faults too, and the options that answer all of them."""
    path, n = tmp_path / "wounds.csv", 30
    seen = ["2024-01-02", "", "2024-02-03"] * n
    bmi = [f"{20 + 0.1 * i:.1f}" if i % 9 else "" for i in range(3 * n)]
    crp = [f"{1 + 0.1 * i:.1f}" if i % 8 else "" for i in range(3 * n)]
    crp[1] = "n/d"
    grades = ["none", "mild", "severe"] * n
    ids = [f"W-{i}" for i in range(3 * n)]
    rows = zip(seen, bmi, crp, grades, ids, strict=True)
    path.write_text("\n".join(["seen,bmi,crp,grade,wound", *map(",".join, rows)]))
    first = run("audit", path, "--target", "grade")
    assert first.exit_code == 1
    *faults, last = first.stderr.splitlines()
    assert faults[1].endswith("4 faults") and "'seen' 30" in faults[-1] and "'crp' 12" in faults[-1]
    assert faults[-1].endswith("or leave the columns out with --drop seen --drop bmi --drop crp")
    head, command = last.split(": ", 1)
    assert head == "Try, with your labels, lowest first, in place of LOWEST,...,HIGHEST"
    words = shlex.split(command.replace("LOWEST,...,HIGHEST", "none,mild,severe"))
    assert words[:2] == ["csvor", "audit"]
    assert words[-6:] == ["--dates", "--missing", "n/d", "--impute", "--id", "wound"]
    again = run(*words[1:], "--models", "own", "--C", 1, "--kernel", "linear")
    assert again.exit_code == 0, again.stderr
    # What has been typed is not said again; where the file must be mended, it is said first.
    path.write_text(path.read_text().replace("20.1", "inf"))
    third = run("audit", path, "--target", "grade", *words[5:])
    assert "infinite" in third.stderr and "Try" not in third.stderr
    fourth = run("audit", path, "--target", "grade", "--dates", *words[5:7])
    assert "Try, once the others are corrected: csvor audit" in fourth.stderr
    assert fourth.stderr.endswith("--impute --id wound\n")
    fifth = run("audit", path, "--target", "grade", "--id=seen", "--drop", "crp")
    assert "Try, " in fifth.stderr and "--id wound" not in fifth.stderr.splitlines()[-1]


def test_remedies_are_those_that_the_command_has() -> None:
    """The notes of `explain` do not name --groups, which it lacks; `predict` says how to fit."""
    note = fault("repeated-ids", "id", rows=[0, 1], n_ids=1)
    far = NotConvergedWarning("CSVOR ended early", Remedy("limit ", "clip", 5, in_code="raise tol"))
    assert str(note).endswith("say so with --groups id")
    with having({"--drop"}):
        assert str(note).endswith("by a model fitted to the others")
        assert "--impute" in str(fault("blank-numbers-in-fit", columns="'a' 1", first="a"))
    blanks = fault("blank-numbers", remedies=["drop-these"], columns="", names=["a b", "c"], n=2)
    assert str(blanks).endswith("; leave the columns out with --drop 'a b' --drop c")
    with pytest.raises(ValueError, match=r"drop=\['a b', 'c'\]$"), in_python(["drop"], [1]):
        raise CommandError(blanks)
    assert far.spelled(option_of) == "CSVOR ended early: limit --clip 5."
    assert str(far) == "CSVOR ended early: raise tol."


def test_columns_are_listed_where_the_target_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,grade\n1,2,low\n3,4,high\n")
    result = run("audit", path)
    assert (result.exit_code, result.stderr) == (
        2,
        "csvor: error: Missing option '--target': the columns are 'a', 'b', 'grade' "
        "(see 'csvor audit --help')\n",
    )
    # Where no table is named, there are none to list.
    assert run("audit", tmp_path / "none.csv").stderr.endswith(
        "'--target' (see 'csvor audit --help')\n"
    )


def test_blanks_in_a_list_are_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,grade\n1,low\n2,high\n")
    result = run("audit", tmp_path / "t.csv", "--target", "grade", "--classes", "low,", "high")
    assert "(high): write a list without blanks, or in quotes (see" in result.stderr


def test_wide_labels_lose_their_middle_unless_two_are_then_the_same() -> None:
    labels = ["strongly disagree with the statement as it was put", "agree", "x" * 40, "yy"]
    short = _short([labels[:2], labels[2:]])
    assert list(short.values()) and short["agree"] == "agree" and short["yy"] == "yy"
    assert short[labels[0]] == "strongly disagree w… was put"
    alike = ["a" * 30 + "1" + "b" * 9, "a" * 30 + "2" + "b" * 9]
    assert _short([alike]) == {one: one for one in alike}
