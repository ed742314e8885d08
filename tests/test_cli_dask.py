"""`--dask`: folders of Parquet files that stay in pieces give what one table in memory gives."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from csvor.cli._model import load_model
from csvor.cli.commands._app import app
from csvor.cli.input import _sample

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

OPTIONS = ("--target", "grade", "--classes", "poor,fair,good", "--missing-label", "99")


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def address() -> Any:
    """A scheduler with a worker, both in this process."""
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def bridges(n: int, seed: int = 0) -> pd.DataFrame:
    """Numbers, words (one of them on one row alone) and a weight; some rows have no label."""
    rng = np.random.default_rng(seed)
    load, age = rng.normal(3, 2, n), 100 * rng.normal(size=n)
    kind = rng.choice(["arch", "beam"], n)
    kind[n // 2 + 1] = "cable"
    score = load - age / 100 + 2 * (kind == "beam") + rng.logistic(size=n)
    grade = np.array(["poor", "fair", "good"], dtype=object)[np.digitize(score, [2, 5])]
    grade[::100] = "99"
    columns = {"load": load, "age": age, "kind": kind, "new": rng.random(n) < 0.3, "one": 1}
    counts = rng.uniform(0.5, 2, n)
    return pd.DataFrame(
        {"name": [f"b{i}" for i in range(n)], **columns, "n": counts, "grade": grade}
    )


def cut(frame: pd.DataFrame, folder: str, n_files: int = 3) -> None:
    """Files of unlike size, of two row groups each, and one without rows."""
    Path(folder).mkdir()
    ends = [0, *(len(frame) * np.arange(1, n_files) ** 2 // n_files**2).tolist(), len(frame)]
    for i, (start, stop) in enumerate(pairwise(ends)):
        part = frame.iloc[start:stop]
        part.to_parquet(Path(folder, f"p{i}.parquet"), row_group_size=max(len(part) // 2, 1))
    frame.iloc[:0].to_parquet(Path(folder, "empty.parquet"))


def both(frame: pd.DataFrame, address: str, *options: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The documents of a fit in memory and in pieces."""
    frame.to_parquet("all.parquet")
    cut(frame, "pieces")
    here = run("fit", "all.parquet", *OPTIONS, *options, "--model", "a.skops", "--json")
    there = run(
        "fit", "pieces", *OPTIONS, *options, "--model", "b.skops", "--json", "--dask", address
    )
    for result in (here, there):
        assert result.exit_code == 0, result.stderr
    return json.loads(here.stdout), json.loads(there.stdout)


def assert_same_model(rtol: float = 1e-8) -> None:
    here, there = (load_model(path).pipeline for path in ("a.skops", "b.skops"))
    names = here[0].get_feature_names_out().tolist()
    assert there[0].get_feature_names_out().tolist() == names
    assert there[0].feature_names_in_.tolist() == here[0].feature_names_in_.tolist()
    for name in ("coef_", "thresholds_"):
        wanted = getattr(here[-1], name)
        atol = rtol * np.abs(wanted).max()
        np.testing.assert_allclose(getattr(there[-1], name), wanted, rtol=0, atol=atol)


@pytest.mark.parametrize(
    "options", [(), ("--weight", "n", "--class-weight", "balanced", "--C", "0.1")]
)
def test_a_fit_in_pieces_is_the_fit_in_memory(address: str, options: tuple[str, ...]) -> None:
    here, there = both(bridges(2000), address, *options, "--id", "name")
    assert_same_model()
    for name in ("classes", "columns", "training_error", "flagged", "conflicts"):
        assert there[name] == here[name]
    assert there["data"] == {**here["data"], "file": "pieces"}


def test_a_sample_knows_each_word_and_statistics_are_of_all_rows(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_sample, "MOST_ROWS", 300)
    frame = bridges(3000)
    here, there = both(frame, address, "--id", "name", "--contamination", "0.1")
    assert_same_model()
    assert there["classes"] == here["classes"]
    assert there["data"]["left_out"] == here["data"]["left_out"] == {"99": 30}
    assert "cable" in [e["level"] for e in there["coefficients"] if e["column"] == "kind"]
    assert any("of 3000 rows" in note for note in there["notes"])
