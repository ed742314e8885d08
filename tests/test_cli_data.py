"""`csvor data`: what is listed, what is got, and what is found wrong. Nothing is downloaded."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer
from sklearn.utils import Bunch
from typer.testing import CliRunner, Result

from csvor import datasets
from csvor.cli.commands._app import app


def run(*args: object, **env: str) -> Result:
    return CliRunner(env={"COLUMNS": "200", **env}).invoke(app, ["data", *map(str, args)])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the test's own, no CSVOR_DATA, and no network."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("the network is not for tests")

    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    monkeypatch.delenv("CSVOR_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    monkeypatch.setattr("csvor.datasets._sources.urlopen", refuse)
    return tmp_path / "home" / "csvor"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a made-up set that has the known figures of stock."""
    known = datasets.info("stock")
    rng = np.random.default_rng(0)
    values = rng.normal(size=(known.n_rows, 10))
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    values = values * [*known.spreads, known.target_spread] + [*known.means, known.target_mean]
    names = [*known.feature_names, "target"]
    (tmp_path / "here").mkdir()
    pd.DataFrame(values, columns=names).to_csv(tmp_path / "here" / "stock_raw.csv", index=False)
    return tmp_path / "here"


def test_list(folder: Path) -> None:
    result = run("list", "--data", folder)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["name", "rows", "features", "classes", "where"]
    assert [line[0] for line in lines[1:]] == list(datasets.names("all"))
    assert lines[7] == ["stock", "950", "9", "5", str(folder)]
    assert lines[1] == ["contact_lenses", "24", "6", "3", "(csvor", "data", "get)"]

    document = json.loads(run("list", "--json", CSVOR_DATA=str(folder)).stdout)
    assert document["command"] == "data list"
    stock = {"name": "stock", "rows": 950, "features": 9, "classes": 5, "where": str(folder)}
    assert document["datasets"][6] == stock
    assert document["datasets"][0]["where"] is None
    assert len(document["datasets"]) == 15


def test_check(folder: Path) -> None:
    result = run("check", "stock", "--data", folder)
    assert (result.exit_code, result.stderr) == (0, "")
    status, values = "right", "other digits or order"
    assert result.stdout.splitlines()[1].split() == [
        "stock", status, *values.split(), "0", str(folder),
    ]  # fmt: skip

    result = run("check", "--data", folder, "--json")
    assert result.exit_code == 1
    found = {row["name"]: row for row in json.loads(result.stdout)["datasets"]}
    assert list(found) == list(datasets.names())
    assert found["stock"]["status"] == "right"
    assert found["tae"]["status"] == "missing"
    assert result.stderr.startswith("csvor: error: Missing are 'contact_lenses', 'squash_unstored'")
    assert len(result.stderr.splitlines()) == 1

    frame = pd.read_csv(folder / "stock_raw.csv")
    frame.drop(index=7).to_csv(folder / "stock_raw.csv", index=False)
    result = run("check", "stock", "--data", folder)
    assert result.exit_code == 1
    assert "stock  wrong" in result.stdout
    (line,) = result.stderr.splitlines()
    assert "stock_raw.csv is not the data set stock: 949 rows where 950 are expected" in line


def test_check_real_data(data_dir: Path) -> None:
    result = run("check", "--json", "--data", data_dir)
    assert (result.exit_code, result.stderr) == (0, "")
    rows = json.loads(result.stdout)["datasets"]
    assert {row["status"] for row in rows} == {"right"}
    assert {row["values"] for row in rows} == {"reference"}
    assert [row["published splits"] for row in rows] == [30, 1, 30, 4, 0, 0, 1, 1, 1, 0]


def test_get_copies_and_leaves_what_is_right(folder: Path, cache: Path, tmp_path: Path) -> None:
    result = run("get", "stock", "--from", folder)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[1].split() == ["stock", "got", str(cache)]
    copied = cache / "stock_raw.csv"
    assert copied.read_bytes() == (folder / "stock_raw.csv").read_bytes()
    assert [path.name for path in cache.iterdir()] == ["stock_raw.csv"]
    assert datasets.load("stock").filename == str(copied)

    # Not looked for elsewhere: what is there and right is left alone, the source unasked.
    result = run("get", "stock", "--from", tmp_path / "nowhere", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    row = {"name": "stock", "status": "already there", "error": None}
    assert document == {
        "command": "data get", "folder": str(cache), "datasets": [row], "notes": [],
    }  # fmt: skip
    assert run("get", "stock", "--from", tmp_path / "nowhere", "--force").exit_code == 1

    # A broken copy is replaced; one in another place does not count.
    copied.write_text("x\n", encoding="utf-8")
    assert run("get", "stock", "--from", folder).exit_code == 0
    assert datasets.load("stock").filename == str(copied)
    assert run("get", "stock", "--from", folder, "--to", tmp_path / "a" / "b").exit_code == 0
    assert (tmp_path / "a" / "b" / "stock_raw.csv").is_file()


def test_get_downloads(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.read_csv(folder / "stock_raw.csv")

    def fetch_openml(**_: Any) -> Bunch:
        return Bunch(data=frame.drop(columns="target"), target=frame["target"])

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    result = run("get", "stock")
    assert (result.exit_code, result.stderr) == (0, "")
    assert sorted(path.name for path in cache.iterdir()) == ["stock.csv", "stock_raw.csv"]
    assert run("check", "stock").exit_code == 0


def test_one_failure_does_not_stop_the_others(folder: Path, cache: Path, tmp_path: Path) -> None:
    result = run("get", "machine", "stock", "--from", folder, "--json")
    assert result.exit_code == 1
    rows = json.loads(result.stdout)["datasets"]
    assert [row["status"] for row in rows] == ["failed", "got"]
    (line,) = result.stderr.splitlines()
    assert "1 data set of 2 could not be got; " in line
    assert f"{folder} does not hold the data set 'machine'" in line
    assert (cache / "stock_raw.csv").is_file()

    everything = run("get", "all", "--to", tmp_path / "new")
    assert everything.exit_code == 1
    assert len(everything.stdout.splitlines()) == 11
    assert "10 data sets of 10 could not be got; the network is not" in everything.stderr
    assert not (tmp_path / "new").exists()


def test_get_real_data(data_dir: Path, tmp_path: Path) -> None:
    result = run("get", "tae", "machine", "--from", data_dir, "--to", tmp_path / "copy")
    assert (result.exit_code, result.stderr) == (0, "")
    names = ["machine.csv", "machine_raw.csv", "tae.csv", "tae_splits.npz"]
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == names
    assert run("check", "tae", "machine", "--data", tmp_path / "copy").exit_code == 0
    shutil.copy(data_dir / "bank.csv", tmp_path / "copy" / "tae.csv")
    assert run("check", "tae", "machine", "--data", tmp_path / "copy").exit_code == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["get"], "Missing argument 'NAME...'"),
        (["get", "stocks"], "NAME stocks: no data set of the paper; did you mean 'stock'?"),
        (["get", "xyz"], "they are 'contact_lenses', 'squash_unstored'"),
        (["get", "esl"], "NAME esl: comes with the package skordinal"),
        (["check", "esl"], "NAME esl: comes with the package skordinal"),
        (["check", "--data", "nowhere"], "--data 'nowhere': there is no such folder"),
        (["list", "--data", "nowhere"], "--data 'nowhere': there is no such folder"),
        (["lst"], "No such command 'lst'"),
    ],
)
def test_wrong_use(args: list[str], message: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("csvor: error: ")
    assert message in line


def test_without_a_command_it_helps() -> None:
    result = run()
    assert (result.exit_code, result.stderr) == (0, "")
    group = typer.main.get_command(app).commands["data"]  # type: ignore[attr-defined]
    assert list(group.commands) == ["list", "get", "check"]
    for name, command in group.commands.items():
        assert name in result.stdout
        assert run(name, "--help").exit_code == 0
        assert all(param.help for param in command.params)
