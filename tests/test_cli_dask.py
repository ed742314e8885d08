"""`--dask`: folders of Parquet files that stay in pieces give what one table in memory gives."""

import json
import logging
import os
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from csvor._faults.errors import CommandError
from csvor.cli import _cluster
from csvor.cli._cluster import cluster
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
    kind = rng.choice(np.array(["arch", "beam"], dtype=object), n)
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


def test_sums_of_pieces_are_those_of_all_rows(address: str) -> None:
    """More rows than may come here; smooth, so that there is one solution."""
    smooth = ("--id", "name", "--p", "2", "--contamination", "0", "--drop", "new")
    with dask.config.set({"csvor.memory-limit": "200kB"}):
        here, there = both(bridges(12_000), address, *smooth)
    assert_same_model()
    for name in ("classes", "training_error", "flagged"):
        assert there[name] == here[name]


def test_effects_of_pieces_are_those_of_all_rows(address: str) -> None:
    """More rows than may come here: the same sums, tests of thresholds and errors in groups."""
    frame = bridges(3000)[["load", "age", "kind", "new", "grade"]]
    frame["kind"] = frame["kind"].replace("cable", "arch")
    frame["site"] = [f"s{i % 40}" for i in range(3000)]
    frame.to_parquet("all.parquet")
    cut(frame, "pieces")
    words = (*OPTIONS, "--groups", "site", "--nominal", "new", "--wrong", "any", "--json")
    with dask.config.set({"csvor.memory-limit": "50kB"}):
        there = run("explain", "pieces", *words, "--dask", address)
    here = run("explain", "all.parquet", *words)
    assert (here.exit_code, there.exit_code) == (0, 0), there.stderr
    documents = [json.loads(result.stdout) for result in (here, there)]
    for one, other in zip(*(document["effects"] for document in documents), strict=True):
        for name in ("column", "level", "kind", "above"):
            assert one[name] == other[name]
        for name in ("coefficient", "error", "low", "high"):
            assert one[name] == pytest.approx(other[name], rel=1e-4, abs=1e-6)
    tests = [document["proportional_odds"]["all"]["statistic"] for document in documents]
    assert tests[0] == pytest.approx(tests[1], rel=1e-3, abs=1e-4)
    refused = run("explain", "pieces", *OPTIONS, "--rater", "site", "--dask", address)
    assert refused.exit_code == 2 and "leave one of them out" in refused.stderr


def test_medians_of_a_sample_fill_and_limit(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sample, "MOST_ROWS", 2000)
    frame = bridges(4000)
    frame.loc[frame.index[5::50], "age"] = np.nan
    here, there = both(frame, address, "--id", "name", "--impute", "--clip", "4")
    assert any("medians" in note for note in there["notes"])
    for one, other in zip(here["encodings"], there["encodings"], strict=True):
        for name in {"median", "mean", "lower", "upper"} & one.keys():
            assert abs(one[name] - other[name]) < 0.1 * one["scale"]


def test_numbers_in_text_categories_and_marks_are_read_as_in_memory(address: str) -> None:
    frame = bridges(600).drop(columns=["name", "one"])
    frame["span"] = [f"{x:.1f} m".replace(".", ",") for x in np.abs(frame["age"])]
    frame["year"] = np.where(np.arange(600) % 7 == 0, -1, np.arange(600) % 31 + 1900)
    frame["kind"] = frame["kind"].astype("category")
    here, there = both(frame, address, "--missing", "-1", "--impute")
    assert_same_model()
    assert there["columns"] == here["columns"]
    assert here["columns"]["readings"]["span"]["unit"] == "m"


def test_the_order_of_a_category_counts_where_all_files_have_it(address: str) -> None:
    frame = bridges(300).query("grade != '99'").drop(columns="name")
    order = ["poor", "fair", "good"]
    frame["grade"] = pd.Categorical(frame["grade"], order, ordered=True)
    cut(frame, "pieces")
    given = ("--target", "grade", "--model", "m.skops", "--dask", address, "--json")
    done = run("fit", "pieces", *given)
    assert done.exit_code == 0, done.stderr
    assert [entry["label"] for entry in json.loads(done.stdout)["classes"]] == order
    frame["grade"] = frame["grade"].cat.reorder_categories(order[::-1], ordered=True)
    frame.to_parquet("pieces/p9.parquet")
    assert "list its values differently" in run("fit", "pieces", *given).stderr


def test_predictions_are_files_beside_each_other(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = bridges(500)
    frame["span"] = [f"{x:.1f} m" for x in frame["age"]]
    frame.to_parquet("all.parquet")
    cut(frame, "pieces")
    fit = run("fit", "all.parquet", *OPTIONS, "--id", "name", "--model", "m.skops")
    assert fit.exit_code == 0, fit.stderr
    frame.loc[3:8, "kind"] = "rope"
    frame.to_parquet("all.parquet")
    frame.iloc[:2].to_parquet("pieces/p0.parquet")
    frame.iloc[2:9].to_parquet("pieces/p00.parquet")
    frame.iloc[9:].to_parquet("pieces/p1.parquet", row_group_size=200)
    Path("pieces/p2.parquet").unlink()
    more = ("--model", "m.skops", "--proba", "--score", "--out")
    here = run("predict", "all.parquet", *more, "p.parquet")
    monkeypatch.setattr(distributed, "as_completed", lambda futures: futures[::-1])
    there = run("predict", "pieces", *more, "parts", "--dask", address)
    assert (here.exit_code, there.exit_code) == (0, 0), there.stderr
    pd.testing.assert_frame_equal(pd.read_parquet("parts"), pd.read_parquet("p.parquet"))
    assert sorted(path.name for path in Path("parts").iterdir())[-1] == "part-00004.parquet"
    assert "6 rows with values that the model has not seen ('rope')" in there.stderr
    assert there.stderr.count("label column") == 1
    assert "column 'span' (row 1: '" in there.stderr


def test_columns_that_a_model_does_not_know_are_told_as_in_memory(address: str) -> None:
    frame = bridges(300)
    frame.to_parquet("all.parquet")
    assert run("fit", "all.parquet", *OPTIONS, "--id", "name", "--model", "m.skops").exit_code == 0
    more = ("--model", "m.skops", "--out")
    cut(frame.assign(kind="rope"), "unknown")
    frame.assign(kind="rope").to_parquet("unknown.parquet")
    here = run("predict", "unknown.parquet", *more, "p.parquet")
    there = run("predict", "unknown", *more, "parts", "--dask", address)
    assert (here.exit_code, there.exit_code) == (1, 1)
    said = here.stderr.splitlines()[-1].replace("unknown.parquet", "unknown")
    assert "column 'kind': the model knows none of its values, in any row ('rope')" in said
    assert there.stderr.splitlines()[-1] == said

    cut(frame.assign(colour="red"), "pieces")
    done = run("predict", "pieces", *more, "parts", "--dask", address)
    assert done.exit_code == 0
    assert done.stderr.count("the model does not use the column 'colour'") == 1
    frame.drop(columns="age").iloc[200:].to_parquet("pieces/p2.parquet")
    failed = run("predict", "pieces", *more, "others", "--dask", address)
    assert failed.exit_code == 2
    assert "pieces/p2.parquet lacks the column 'age' that the model was fitted" in failed.stderr
    assert not Path("others").exists()


def test_a_fault_in_one_piece_leaves_no_folder(address: str) -> None:
    frame = bridges(300)
    frame.to_parquet("all.parquet")
    assert run("fit", "all.parquet", *OPTIONS, "--id", "name", "--model", "m.skops").exit_code == 0
    frame.loc[250, ["load", "age"]] = np.inf, np.nan
    cut(frame, "pieces")
    failed = run("predict", "pieces", "--model", "m.skops", "--out", "parts", "--dask", address)
    assert failed.exit_code == 1
    assert "column 'load': 1 infinite value (row 251)" in failed.stderr
    assert "'age' 1 (row 251)" in failed.stderr
    assert sorted(path.name for path in Path().iterdir()) == ["all.parquet", "m.skops", "pieces"]
    failed = run("fit", "pieces", *OPTIONS, "--id", "name", "--model", "n.skops", "--dask", address)
    assert failed.exit_code == 1
    assert "column 'load': 1 infinite value (row 251)" in failed.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("fit", "pieces", "--tune"), "--tune: folds are made of rows in memory"),
        (("fit", "pieces", "--kernel", "rbf"), "--kernel rbf: a kernel needs all rows at once"),
        (("fit", "empty"), "there is no Parquet file in this folder"),
        (("fit", "deep"), "the column 'year' stands in the names of folders alone"),
        (("fit", "t.csv"), "--dask reads a folder of Parquet files"),
        (("predict", "pieces"), "name a new one with --out"),
        (("predict", "pieces", "--out", "pieces"), "this folder holds files already"),
        (("predict", "pieces", "--out", "pieces/new"), "this lies in the folder of the data"),
        (("predict", "pieces", "--out", "new", "--json"), "--json holds all rows"),
    ],
)
def test_wrong_use_is_told_before_a_cluster_starts(words: tuple[str, ...], told: str) -> None:
    cut(bridges(30), "pieces", 2)
    cut(bridges(30), "deep", 2)
    Path("deep/year=2020").mkdir()
    Path("deep/p0.parquet").rename("deep/year=2020/p0.parquet")
    Path("empty").mkdir()
    for name in ("t.csv", "m.skops"):
        Path(name).touch()
    more = ["--model", "m.skops"] if words[0] != "audit" else []
    more += ["--target", "grade"] if words[0] != "predict" else []
    result = run(*words, *more, "--dask", "nowhere")
    assert result.exit_code == 2, result.output
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_local_workers_live_as_long_as_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    psutil = pytest.importorskip("psutil", reason="psutil is not installed")
    monkeypatch.setattr("csvor.cli._cluster.joblib.cpu_count", lambda: 1)
    frame = bridges(300)
    frame.to_parquet("all.parquet", row_group_size=120)
    assert run("fit", "all.parquet", *OPTIONS, "--id", "name", "--model", "m.skops").exit_code == 0
    before = {one.pid for one in psutil.Process().children(recursive=True)}
    done = run("predict", "all.parquet", "--model", "m.skops", "--out", "parts", "--dask", "local")
    assert (done.exit_code, done.stdout) == (0, "Written  300 rows in 3 files: parts\n")
    left = [one for one in psutil.Process().children(recursive=True) if one.pid not in before]
    assert [
        one.cmdline() for one in left if "resource_tracker" not in " ".join(one.cmdline())
    ] == []


def test_workers_at_work_end_at_once_where_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    psutil, asked = pytest.importorskip("psutil", reason="psutil is not installed"), []
    monkeypatch.setattr("csvor.cli._cluster.joblib.cpu_count", lambda: 1)
    close = distributed.Nanny.close

    async def closed(self: Any, timeout: float = 5, reason: str = "") -> Any:
        asked.append(timeout)
        return await close(self, timeout, reason)

    monkeypatch.setattr(distributed.Nanny, "close", closed)
    with pytest.raises(KeyboardInterrupt), cluster("local") as client:
        worker = psutil.Process(client.submit(os.getpid).result())
        client.submit(time.sleep, 600)
        raise KeyboardInterrupt
    assert asked[0] == _cluster._AT_ONCE and not worker.is_running()


@pytest.mark.parametrize("other", [pa.float64(), pa.string()])
def test_types_that_do_not_go_together_are_told_by_column(other: pa.DataType) -> None:
    table = pa.table({"grade": [1, 2], "id": [2**60, 2**60 + 1]})
    Path("pieces").mkdir()
    pq.write_table(table, "pieces/0.parquet")
    place, column = 1, pa.array([1.0, 2.0]).cast(other)
    pq.write_table(table.set_column(place, "id", column), "pieces/1.parquet")
    Path("d.csv").write_text("row,given,decision\n1,1,keep\n")
    result = run("apply", "d.csv", "pieces", "--target", "grade", "--out", "new")
    assert result.exit_code == 1
    assert "the files hold 'id' in types that do not go together (" in result.stderr
    assert "; write a column in the same type into all files" in result.stderr
    pq.write_table(table.drop_columns("id"), "pieces/1.parquet")
    result = run("apply", "d.csv", "pieces", "--target", "grade", "--out", "new")
    assert result.exit_code == 1
    assert "column 'id' is in some of the files only; add it to the others" in result.stderr


def test_what_dask_logs_is_no_output_of_a_command(address: str) -> None:
    """A client warns of workers that are lost, and has what they had computed anew."""
    with cluster(address):
        logger = logging.getLogger("distributed.client")
        assert not logger.isEnabledFor(logging.ERROR)
    assert logger.isEnabledFor(logging.ERROR)


def test_workers_and_schedulers_that_are_lost_are_told(address: str) -> None:
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker, WorkerState

    worker = WorkerState.__new__(WorkerState)
    worker.address = "tcp://127.0.0.1:9"
    lost = FutureCancelledError("key", "scheduler-connection-lost")
    for error, told in (
        (KilledWorker("key", worker, 3), "write smaller row groups, or take fewer workers"),
        (lost, "the scheduler was lost; run the command again"),
    ):
        with pytest.raises(CommandError, match=told), cluster(address):
            raise error


def test_an_interrupt_leaves_nothing(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = bridges(300)
    frame.to_parquet("all.parquet", row_group_size=100)
    assert run("fit", "all.parquet", *OPTIONS, "--id", "name", "--model", "m.skops").exit_code == 0

    def interrupted(futures: Any) -> Any:
        yield next(iter(futures))
        raise KeyboardInterrupt

    monkeypatch.setattr(distributed, "as_completed", interrupted)
    more = ("--model", "m.skops", "--out", "parts", "--dask", address)
    result = run("predict", "all.parquet", *more)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (130, "csvor: interrupted")
    assert sorted(path.name for path in Path().iterdir()) == ["all.parquet", "m.skops"]


def test_no_scheduler_and_no_dask_are_a_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    bridges(30).to_parquet("all.parquet")
    more = ("--target", "grade", "--model", "m.skops", "--dask")
    monkeypatch.setattr("csvor.cli._cluster.PATIENCE", 1)
    for where in ("tcp://127.0.0.1:9", "nowhere"):
        result = run("fit", "all.parquet", *more, where)
        assert result.exit_code == 1
        assert f"--dask {where}: no scheduler can be reached there" in result.stderr
        assert result.stderr.count("\n") == 1
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("fit", "all.parquet", *more, "local")
    assert result.exit_code == 1
    assert result.stderr == (
        "csvor: error: --dask local: dask is missing; pip install 'csvor[dask]'\n"
    )


def test_a_study_on_workers_is_the_study_of_processes(address: str) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], 12)
    pd.DataFrame({"a": y + rng.normal(size=36), "y": y}).to_csv("mine.csv", index=False)
    Path("spec.toml").write_text(
        'datasets = ["mine"]\nlevels = [0, 20]\nsplits = 2\nfolds = 3\n'
        "[methods.CSVOR.grid]\nC = [0.5, 1]\n"
    )
    words = ("study", "run", "--spec", "spec.toml", "--data", ".", "--out")
    for folder, more in (("here", ("--jobs", "1")), ("there", ("--dask", address))):
        result = run(*words, folder, *more)
        assert result.exit_code == 0, result.stderr
    here, there = (pd.read_csv(Path(name, "results.csv")) for name in ("here", "there"))
    pd.testing.assert_frame_equal(there.drop(columns="seconds"), here.drop(columns="seconds"))
    refused = run(*words, "here", "--jobs", "2", "--dask", address)
    assert refused.exit_code == 2
    assert "--jobs 2: with --dask the cluster has its own number" in refused.stderr


def test_dask_is_not_needed_without_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dask", "dask.array", "dask.dataframe", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)
    bridges(200).to_parquet("all.parquet")
    fit = run("fit", "all.parquet", *OPTIONS, "--id", "name", "--model", "m.skops")
    predict = run("predict", "all.parquet", "--model", "m.skops")
    assert (fit.exit_code, predict.exit_code) == (0, 0), fit.stderr + predict.stderr
