"""Folders of Parquet files whose names are values, and files of others in them (N56)."""

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from csvor._faults.notes import Notes
from csvor.cli.commands._app import app
from csvor.cli.input._pieces import pieces_of
from csvor.cli.input._read import read_table


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def frame(n: int = 60) -> pd.DataFrame:
    i = np.arange(n)
    sites = np.array(["A b", "B/c", "7", "D=e"])[i % 4]
    return pd.DataFrame({"x": i / 7.0, "site": sites, "year": 2020 + i % 2, "grade": i // 20})


@pytest.mark.parametrize("dask", [(), ("--dask", "local")])
def test_n56_folders_that_are_values_are_refused_and_the_remedy_keeps_them(
    dask: tuple[str, ...],
) -> None:
    """The advice lost the column, and with files of one name three quarters of the rows."""
    frame().to_parquet("hv", partition_cols=["site", "year"], index=False)
    result = run("audit", "hv", "--target", "grade", *dask)
    assert result.exit_code == 2
    assert "hv: the columns 'site', 'year' stand in the names of folders alone" in result.stderr
    assert result.stderr.count("\n") == 1
    command = shlex.split(result.stderr.split("into the files: ")[1].split("; then name")[0])
    subprocess.run([sys.executable, *command[1:]], check=True)
    assert "then name hv-flat with --dask local, or hv-flat/part-0.parquet" in result.stderr
    notes = Notes()
    assert sum(piece.n_rows for piece in pieces_of("hv-flat", notes)) == 60
    table = read_table("hv-flat/part-0.parquet", notes)
    columns = {name: column.texts for name, column in table.columns.items()}
    there = pd.DataFrame(columns).sort_values("x", key=lambda x: x.astype(float))
    assert there["site"].tolist() == frame()["site"].tolist()
    assert there["year"].tolist() == frame()["year"].astype(str).tolist()
    assert not notes.texts()


def test_n56_other_folders_and_names() -> None:
    for name in "ab":
        Path("deep", name).mkdir(parents=True)
        frame().to_parquet(f"deep/{name}/0.parquet")
    for dask in ((), ("--dask", "local")):
        result = run("audit", "deep", "--target", "grade", *dask)
        assert result.exit_code == 2
        assert "put all files into one folder, each under a name of its own" in result.stderr


def test_n56_tables_of_other_kinds_are_noted() -> None:
    Path("mixed").mkdir()
    frame().to_parquet("mixed/a.parquet")
    for name in ("b.csv", "c.csv.gz", "d.txt.bak", "_SUCCESS"):
        Path("mixed", name).touch()
    notes = Notes()
    assert sum(piece.n_rows for piece in pieces_of("mixed", notes)) == 60
    assert notes.texts() == [
        "mixed: files that are not of Parquet are not read: 'b.csv', 'c.csv.gz'"
    ]
