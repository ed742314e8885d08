"""Runs: the same table by any way, killed or not; failures kept; new methods and new sets."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

from csvor import datasets
from csvor.methods import METHODS, Method
from csvor.study import MethodSpec, Progress, Spec, preset, results, run, spec_of, status
from csvor.study import _splits as splits_module
from csvor.study._cell import Cell
from csvor.study._measures import COLUMNS
from csvor.study._progress import in_order
from csvor.study._records import path_of, read_plan
from study_sets import Nearest, Sets

TESTS = Path(__file__).parent
LINES = {name.upper(): Method("study_sets", name) for name in ("Nearest", "Broken", "Threads")}
with pytest.MonkeyPatch.context() as patched:
    patched.setitem(METHODS, "NEAREST", LINES["NEAREST"])
    NEAR = MethodSpec("NEAREST", grid={"shrink": (0.0, 0.9)})
    CAPPED = MethodSpec("CSVOR", grid={"C": (0.5,)})
    SPEC = Spec(("grades", "cut"), (0, 20), (NEAR, CAPPED), splits=2, folds=3)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small sets, and one line in the registry for each method of the tests."""
    monkeypatch.setattr(splits_module, "datasets", Sets)
    for name, line in LINES.items():
        monkeypatch.setitem(METHODS, name, line)


def text(table: pd.DataFrame) -> str:
    """A table as it would stand in a file, times aside."""
    return table.drop(columns="seconds").to_csv(index=False)


def records(folder: Path) -> dict[str, int]:
    """The record files with the time that each was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("records/*/*.json")}


def test_the_table(tmp_path: Path) -> None:
    table = run(SPEC, tmp_path / "a")
    assert tuple(table.columns) == COLUMNS
    assert list(zip(table.dataset, table.level, table.split, table.method, strict=True)) == [
        (dataset, level, split, method)
        for dataset in ("grades", "cut")
        for level in (0, 20)
        for split in (0, 1)
        for method in ("NEAREST", "CSVOR")
    ]
    assert set(table.status) == {"ok"}
    assert table.mze.between(0, 1).all()
    assert (table.mae >= table.mze).all()
    assert (table.seconds > 0).all()
    capped = table[table.method == "CSVOR"]
    assert (capped.C == 0.5).all()
    assert table[table.method == "NEAREST"].C.isna().all()
    assert capped[capped.level == 20][["recall", "auc"]].notna().all().all()
    assert table[table.method == "NEAREST"][["precision", "recall", "auc"]].isna().all().all()
    pd.testing.assert_frame_equal(results(tmp_path / "a"), table)
    assert spec_of(tmp_path / "a") == SPEC


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_the_same_table_by_any_executor(tmp_path: Path, backend: str) -> None:
    alone = run(SPEC, tmp_path / "alone", jobs=1)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert text(run(SPEC, tmp_path / backend)) == text(alone)


def test_the_same_table_by_dask(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    alone = run(SPEC, tmp_path / "alone")
    cluster: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        warnings.catch_warnings(),
        distributed.Client(processes=False, **cluster),
        joblib.parallel_config(backend="dask"),
    ):
        warnings.simplefilter("ignore")
        assert text(run(SPEC, tmp_path / "dask")) == text(alone)


def test_done_cells_are_not_run_again(tmp_path: Path) -> None:
    first = run(SPEC, tmp_path)
    before = records(tmp_path)
    told: list[Progress] = []
    pd.testing.assert_frame_equal(run(SPEC, tmp_path, progress=told.append), first)
    assert records(tmp_path) == before
    assert told == [Progress(16, 0, 16, 0.0)]
    wider = replace(SPEC, splits=3)
    run(wider, tmp_path, progress=told.append)
    assert [now.done for now in told[1:]] == list(range(16, 25))
    assert records(tmp_path).items() > before.items()


def test_a_changed_grid_uses_no_old_record(tmp_path: Path) -> None:
    first = run(SPEC, tmp_path)
    old = records(tmp_path)
    changed = replace(SPEC, methods=(NEAR, MethodSpec("CSVOR", grid={"C": (0.5, 5.0)})))
    second = run(changed, tmp_path, replace=True)
    new = records(tmp_path)
    assert len(new) == len(old) + 8, "those of CSVOR only"
    assert old.items() <= new.items()
    assert len(second) == len(first) == 16, "the old ones are in no table"
    assert (second[second.method == "CSVOR"].C == 5.0).any()
    pd.testing.assert_frame_equal(run(SPEC, tmp_path, replace=True), first)
    assert records(tmp_path) == new


def test_n51_a_second_study_in_a_folder_is_refused_before_its_first_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(SPEC, tmp_path)
    plan = (tmp_path / "study.json").read_bytes()
    few = replace(SPEC, splits=1)
    for other, what in (
        (replace(SPEC, datasets=("grades",)), "datasets without cut"),
        (replace(SPEC, levels=(0, 10)), "levels without 20"),
        (replace(SPEC, folds=4, seed=1), "folds, seed"),
        (few, "fewer splits"),
        (replace(SPEC, methods=(NEAR,)), "methods without CSVOR"),
        (replace(SPEC, methods=(NEAR, MethodSpec("CSVOR"))), r"methods\.CSVOR"),
        (replace(SPEC, methods=(NEAR, replace(CAPPED, splits=1))), "fewer splits"),
    ):
        with pytest.raises(ValueError, match=rf"another study, .* \({what}\): name another fol"):
            run(other, tmp_path)
    assert (tmp_path / "study.json").read_bytes() == plan
    assert len(run(few, tmp_path, replace=True)) == 8
    monkeypatch.setattr("csvor.study._run.work_on", None)
    assert len(run(SPEC, tmp_path)) == 16, "no record was lost"


def test_a_study_goes_on_with_more_in_it(tmp_path: Path) -> None:
    """Also with parameters that a file holds in another form."""
    near = MethodSpec("NEAREST", grid={"shrink": (0.0, 0.9)}, parameters={"wait": np.float64(0)})
    spec = Spec(("grades",), (0,), (near,), splits=1, folds=3)
    assert len(run(spec, tmp_path)) == 1
    more = Spec(("cut", "grades"), (20, 0), (CAPPED, near), splits=2, folds=3)
    assert len(run(more, tmp_path)) == 16


def test_a_run_gives_its_own_table_whatever_plan_is_written_meanwhile(tmp_path: Path) -> None:
    other = replace(SPEC, levels=(0,))

    def begin_another(now: Progress) -> None:
        if now.done == 3:
            run(other, tmp_path, replace=True)

    assert len(run(SPEC, tmp_path, progress=begin_another)) == 16


def test_n51_wrong_values_are_refused_before_the_first_cell(tmp_path: Path) -> None:
    def with_one(**entry: Any) -> Spec:
        return replace(SPEC, methods=(NEAR, MethodSpec("CSVOR", **entry)))

    for spec, message in (
        (
            with_one(grid={"C": (1.0, -1.0)}),
            r"methods\.CSVOR\.grid\.C: The 'C' .* Got -1",
        ),
        (with_one(grid={"C": ("1",)}), r"methods\.CSVOR\.grid\.C: .* Got '1' instead"),
        (with_one(grid={"C": (float("nan"),)}), r"methods\.CSVOR\.grid\.C: .* Got nan"),
        (with_one(parameters={"p": 3}), r"methods\.CSVOR\.parameters\.p: .* Got 3 instead"),
        (with_one(parameters={"loss": "huber"}), r"parameters\.loss: .*'hinge'.* Got 'huber'"),
        (replace(SPEC, folds=16), "folds: 16 are too many for grades: no class has more than 15"),
    ):
        with pytest.raises(ValueError, match=message):
            run(spec, tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_a_new_protocol_uses_no_old_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(SPEC, tmp_path)
    monkeypatch.setattr("csvor.study._plan.PROTOCOL", 99)
    run(SPEC, tmp_path)
    assert len(records(tmp_path)) == 32


def test_a_study_is_told_of_where_a_method_of_it_is_not_registered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that adds a method of its own runs a study; another asks how far it is."""
    table = run(SPEC, tmp_path)
    monkeypatch.delitem(METHODS, "NEAREST")
    now = status(tmp_path)
    assert (now.done, now.failed, now.total) == (16, 0, 16)
    assert text(results(tmp_path)) == text(table)
    assert spec_of(tmp_path) == SPEC
    with pytest.raises(ValueError, match="there is no method 'NEAREST'; the methods are CSVOR"):
        run(SPEC, tmp_path)
    assert status(tmp_path).done == 16


def test_a_failing_method_leaves_records_and_the_rest_goes_on(tmp_path: Path) -> None:
    spec = replace(SPEC, methods=(NEAR, MethodSpec("BROKEN")))
    table = run(spec, tmp_path, jobs=2)
    failed = table[table.status == "failed"]
    assert 0 < len(failed) < 8
    assert set(failed.method) == {"BROKEN"}
    assert set(failed.error) == {"ArithmeticError: no luck with this split"}
    assert failed[["mze", "mae"]].isna().all().all()
    assert (table[table.method == "NEAREST"].status == "ok").all()

    now = status(tmp_path)
    assert (now.done, now.failed, now.total) == (16, len(failed), 16)
    assert now.counts.groupby("method").failed.sum().to_dict() == {
        "NEAREST": 0,
        "BROKEN": len(failed),
    }
    assert now.failures.error.tolist() == failed.error.tolist()
    cell = next(c for c in read_plan(tmp_path).cells if c.method == "BROKEN")
    assert path_of(tmp_path, cell).is_file()


def test_failed_cells_are_run_again_only_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = replace(SPEC, methods=(NEAR, MethodSpec("BROKEN")))
    first = run(spec, tmp_path)
    before = records(tmp_path)
    assert text(run(spec, tmp_path)) == text(first)
    assert records(tmp_path) == before
    monkeypatch.setattr("study_sets.Broken.fit", Nearest.fit)
    mended = run(spec, tmp_path, retry_failed=True)
    assert (mended.status == "ok").all()
    changed = {name for name, written in records(tmp_path).items() if written != before[name]}
    assert len(changed) == (first.status == "failed").sum()


def test_a_set_that_cannot_be_learnt_fails_alone(tmp_path: Path) -> None:
    """Case N26: one data set with a single class, and a learner that raises."""
    spec = replace(SPEC, datasets=("grades", "lone", "cut"), levels=(0,))
    table = run(spec, tmp_path)
    bad = table[table.dataset == "lone"]
    assert set(bad[bad.method == "CSVOR"].status) == {"failed"}
    assert bad[bad.method == "CSVOR"].error.str.contains("single class").all()
    assert text(table[table.dataset != "lone"]) == text(
        run(replace(spec, datasets=SPEC.datasets), tmp_path / "without")
    )


def test_a_new_method_by_one_line_and_a_new_set_by_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splits_module, "datasets", datasets)
    line = Method("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis")
    monkeypatch.setitem(METHODS, "LDA", line)
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], 15)
    frame = pd.DataFrame({"a": y + 0.1 * rng.normal(size=45), "y": y})
    frame.to_csv(tmp_path / "mine.csv", index=False)
    spec = Spec(("mine",), (0, 20), (NEAR, MethodSpec("LDA")), splits=2, folds=3)
    table = run(spec, tmp_path / "out", data=tmp_path)
    assert (table.status == "ok").all()
    assert table.groupby(["dataset", "method"]).size().to_dict() == {
        ("mine", "NEAREST"): 4,
        ("mine", "LDA"): 4,
    }
    assert (table[table.level == 0].mze == 0).all()
    assert set(status(tmp_path / "out").counts.method) == {"NEAREST", "LDA"}


def test_a_method_may_take_fewer_splits(tmp_path: Path) -> None:
    spec = replace(SPEC, splits=3, methods=(NEAR, MethodSpec("CSVOR", 1, {"C": (1.0,)})))
    table = run(spec, tmp_path)
    assert table.groupby("method").split.unique().map(list).to_dict() == {
        "CSVOR": [0],
        "NEAREST": [0, 1, 2],
    }


@pytest.mark.parametrize("backend", ["sequential", "loky", "threading"])
def test_cells_have_one_thread_and_leave_no_trace(tmp_path: Path, backend: str) -> None:
    filters = list(warnings.filters)
    with joblib.parallel_config(backend=backend, n_jobs=1 if backend == "sequential" else 2):
        table = run(replace(SPEC, methods=(MethodSpec("THREADS"),)), tmp_path)
    assert set(table.error) == {""}
    assert warnings.filters == filters


def test_status_while_it_runs(tmp_path: Path) -> None:
    seen: list[tuple[Progress, int, int]] = []

    def look(now: Progress) -> None:
        found = status(tmp_path)
        seen.append((now, found.done, len(results(tmp_path))))

    run(SPEC, tmp_path, progress=look)
    assert [(now.done, done, rows) for now, done, rows in seen] == [(i, i, i) for i in range(17)]
    assert seen[0][0].seconds_left is None
    assert all((now.seconds_left or 0) > 0 for now, *_ in seen[1:-1])
    assert seen[-1][0] == Progress(16, 0, 16, 0.0)


def test_cells_are_begun_in_the_order_that_tells_the_time_left(tmp_path: Path) -> None:
    """The first tenth of 16 from all over the study, the rest long ones first."""
    ended: list[Cell] = []

    def look(now: Progress) -> None:
        cells = read_plan(tmp_path).cells
        ended.extend(c for c in cells if c not in ended and path_of(tmp_path, c).is_file())

    run(SPEC, tmp_path, progress=look)
    assert ended == in_order(read_plan(tmp_path).cells)
    assert {cell.method for cell in ended[:2]} == {"NEAREST", "CSVOR"}


def test_an_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    def stop(now: Progress) -> None:
        if now.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(SPEC, tmp_path, progress=stop)
    assert status(tmp_path).done == 5
    assert text(run(SPEC, tmp_path)) == text(run(SPEC, tmp_path / "unbroken"))


SCRIPT = """
    import sys
    from test_study_run import LINES, METHODS, Sets, long_spec, splits_module, run

    splits_module.datasets = Sets
    METHODS |= LINES
    run(long_spec(), sys.argv[1], jobs=int(sys.argv[2]))
"""


def long_spec() -> Spec:
    slow = replace(NEAR, parameters={"wait": 0.005})
    return Spec(("grades", "cut"), (0, 10, 20), (slow, MethodSpec("BROKEN")), folds=3)


def start(folder: Path, jobs: int) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(folder), str(jobs)]
    # A session of its own, so that its workers are killed with it.
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs SIGKILL")
@pytest.mark.slow
def test_killed_at_a_random_moment_and_resumed_it_finds_the_same(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    mark = rng.integers(1, 44)
    process = start(broken, jobs=2)
    try:
        deadline = time.monotonic() + 60
        while len(records(broken)) < mark and process.poll() is None:
            assert time.monotonic() < deadline, "no records"
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.01))
    finally:
        kill(process)
    done = records(broken)
    assert mark <= len(done) < 48, "it was killed on its way"
    table = run(long_spec(), whole)
    assert text(run(long_spec(), broken)) == text(table)
    assert len(table) == 48
    assert set(table.status) == {"ok", "failed"}
    assert done.items() <= records(broken).items(), "what was done was not done again"


def test_real_sets(tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the real sets at the ends of the levels, as `quick` runs them."""
    monkeypatch.undo()
    quick = preset("quick")
    methods = tuple(method for method in quick.methods if method.name in {"CSVOR", "SVOREX"})
    spec = replace(
        quick, datasets=("newthyroid", "bank"), splits=1, levels=(0, 20), methods=methods
    )
    table = run(spec, tmp_path, data=data_dir)
    assert set(table.error) == {""}
    mze = table.set_index(["dataset", "level", "method"]).mze
    assert mze["newthyroid", 0, "CSVOR"] < 0.1
    assert mze["bank", 0, "CSVOR"] < 0.35
    assert mze["bank", 20, "CSVOR"] < mze["bank", 20, "SVOREX"]
