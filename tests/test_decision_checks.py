"""A decision of a page holds for the row that was reviewed, wherever rows have moved (N81)."""

import csv
import io
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from csvor import CSVOR, audit_labels
from csvor._decisions.checks import row_checks
from csvor.cli.commands._app import app
from report_page import Page

ORDER = ["--target", "grade", "--classes", "low,mid,high"]
QUICK = ["--models", "own", "--kernel", "linear", "--C", "1", "--folds", "3"]


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file without ids, and all of its flagged rows relabelled, as a page saves it.

    Rows are told apart by their numbers alone.
    """
    folder = tmp_path_factory.mktemp("reviewed")
    rng = np.random.default_rng(0)
    x = rng.normal(size=90).round(3)
    rank = np.digitize(x + 0.1 * rng.normal(size=90), [-0.5, 0.5])
    rank[:8] = (rank[:8] + 1) % 3
    names = np.array(["low", "mid", "high"])
    frame = pd.DataFrame({"x": x, "site": rng.choice(["a", "b, c", "é"], 90), "grade": names[rank]})
    frame.to_csv(folder / "t.csv", index=False)
    page = folder / "page.html"
    result = run("audit", folder / "t.csv", *ORDER, *QUICK, "--report", page)
    assert result.exit_code == 0, result.output
    lines = []
    for row in Page(page.read_text("utf-8")).rows():
        if row.get("class") == "named":
            lines.append(
                {
                    "row": row["data-row"],
                    "target": "grade",
                    "given": row["data-given"],
                    "decision": "relabel",
                    "label": row["data-suggested"],
                    "row_check": row["data-check"],
                }
            )
    assert len(lines) > 3
    pd.DataFrame(lines).to_csv(folder / "d.csv", index=False)
    return folder


@pytest.fixture
def data(reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """The rows of a copy of the folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(reviewed, tmp_path, dirs_exist_ok=True)
    return pd.read_csv("t.csv")


@pytest.fixture
def decisions(data: pd.DataFrame) -> pd.DataFrame:
    return pd.read_csv("d.csv", dtype=str)


def test_n81_decisions_fit_the_file_that_was_reviewed(decisions: pd.DataFrame) -> None:
    result = run("apply", "d.csv", "t.csv", "--out", "o.csv")
    assert result.exit_code == 0, result.output
    changed = pd.read_csv("o.csv").grade != pd.read_csv("t.csv").grade
    assert (np.flatnonzero(changed) + 1).tolist() == sorted(decisions.row.astype(int))


@pytest.mark.parametrize("change", ["inserted", "deleted", "shuffled", "cell", "column"])
def test_n81_a_row_with_other_cells_is_refused(
    decisions: pd.DataFrame, data: pd.DataFrame, change: str
) -> None:
    """One decision alone, on a row that has the label by chance: a quarter hit another row."""
    one = decisions.iloc[[-1]]
    at = int(one.row.iloc[0]) - 1
    moved = {
        "inserted": lambda: pd.concat([data.iloc[[at]].assign(x=9.0), data]),
        "deleted": lambda: data.drop(index=0 if at else 1),
        "shuffled": lambda: data.sample(frac=1, random_state=1),
        "cell": lambda: data.assign(x=data.x.where(data.index != at, 9.0)),
        "column": lambda: data.assign(more=1),
    }[change]().reset_index(drop=True)
    moved.loc[at, "grade"] = one.given.iloc[0]
    moved.to_csv("t.csv", index=False)
    one.to_csv("d.csv", index=False)
    result = run("apply", "d.csv", "t.csv", "--out", "o.csv")
    assert result.exit_code == 1
    assert f"row {at + 1} of t.csv has other cells than the row that was reviewed" in result.stderr
    assert not Path("o.csv").exists()


def test_n81_spellings_and_labels_do_not_count(decisions: pd.DataFrame, data: pd.DataFrame) -> None:
    """Saved by a spreadsheet: numbers spelled otherwise, columns in another order."""
    data.assign(x=[f"{x:.5f}" for x in data.x])[["grade", "site", "x"]].to_csv("t.csv", index=False)
    assert run("apply", "d.csv", "t.csv", "--out", "o.csv").exit_code == 0


def test_n81_files_without_a_check_are_taken_as_before(
    decisions: pd.DataFrame, data: pd.DataFrame
) -> None:
    decisions.drop(columns="row_check").to_csv("d.csv", index=False)
    data.assign(more=1).to_csv("t.csv", index=False)
    assert run("apply", "d.csv", "t.csv", "--out", "o.csv").exit_code == 0


def test_n81_another_audit_goes_on_from_checked_decisions(
    decisions: pd.DataFrame, data: pd.DataFrame
) -> None:
    result = run("audit", "t.csv", *ORDER, *QUICK, "--reviewed", "d.csv", "--report", "p.html")
    assert result.exit_code == 0, result.output
    earlier = Page(Path("p.html").read_text("utf-8")).json("config")["earlier"]
    assert [line["row_check"] for line in earlier] == decisions.row_check.tolist()


def test_checks_are_no_numbers_and_tell_cells_from_columns() -> None:
    cells = {"a": ["1", "1.0", "x"], "b": ["2", "2", "y"]}
    one, same, other = row_checks(cells)
    assert one == same != other
    assert all(check.startswith("r") for check in (one, other))
    assert row_checks({"b": ["2"], "a": ["1"]}) == [one]
    assert row_checks({"a": ["2"], "b": ["1"]}) != [one]
    assert row_checks({"ab": ["1"], "c": ["2"]}) != [one]
    text = io.StringIO(one)
    assert next(csv.reader(text)) == [one]


def test_n81_blanks_and_zeros_are_one_however_they_are_written() -> None:
    """A column of numbers loses what the same column as text keeps."""
    texts = ["", "NA", "NaN", "nan"]
    assert len(set(row_checks({"a": texts}))) == 1
    assert len(set(row_checks({"a": ["0", "-0", "0.0", "-0.0"]}))) == 1


def test_n81_a_file_with_blanks_is_applied_as_it_was_audited(data: pd.DataFrame) -> None:
    data.assign(z=np.where(np.arange(90) % 4 == 0, "NA", "-0")).to_csv("t.csv", index=False)
    options = [*ORDER, *QUICK, "--impute", "--drop", "z", "--report", "page.html"]
    assert run("audit", "t.csv", *options).exit_code == 0
    rows = Page(Path("page.html").read_text("utf-8")).rows()
    pd.DataFrame(
        {
            "row": [row["data-row"] for row in rows],
            "target": "grade",
            "given": [row["data-given"] for row in rows],
            "decision": "keep",
            "row_check": [row["data-check"] for row in rows],
        }
    ).to_csv("d.csv", index=False)
    result = run("apply", "d.csv", "t.csv", "--out", "o.csv")
    assert result.exit_code == 0, result.output


def test_an_audit_in_python_applies_what_a_page_saved(
    decisions: pd.DataFrame, data: pd.DataFrame
) -> None:
    """It has no cells to compare, with a named index or without."""
    x = data[["x"]]
    for X in (x.to_numpy(), x, x.rename_axis("patient")):
        given = data["grade"].to_numpy()
        applied = audit_labels(X, given, CSVOR(), classes=["low", "mid", "high"], cv=3)
        after = applied.apply("d.csv")
        assert (np.asarray(after.labels) != data.grade.to_numpy()).sum() == len(decisions)
