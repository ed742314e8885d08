"""`csvor study`: what it prints, writes and refuses, and how it ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from csvor.cli import _progress
from csvor.cli.commands import _study
from csvor.cli.commands._app import app
from csvor.methods import METHODS, Method
from csvor.report.study._pictures import Picture
from csvor.study import Progress, _experiments, preset, results, spec_of

SPEC = """
datasets = ["mine", "yours"]
levels = [0, 20]
splits = 2
folds = 3
[methods.CSVOR.grid]
C = [0.5]
[methods.SVOREX.grid]
C = [0.1, 1]
"""


def with_two_sets(folder: Path) -> Path:
    """The folder, with two data sets and a study of them."""
    rng = np.random.default_rng(0)
    for name, noise in (("mine", 0.1), ("yours", 0.5)):
        y = np.repeat([1, 2, 3], 12)
        frame = pd.DataFrame({"a": y + noise * rng.normal(size=36), "b": rng.normal(size=36)})
        frame.assign(y=y).to_csv(folder / f"{name}.csv", index=False)
    (folder / "spec.toml").write_text(SPEC)
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return with_two_sets(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study that has been run."""
    folder = with_two_sets(tmp_path_factory.mktemp("whole"))
    assert study(*run_words(folder)).exit_code == 0
    return folder / "out"


@pytest.fixture
def done(place: Path, whole: Path) -> Path:
    """A folder with two data sets in which the study has been run."""
    shutil.copytree(whole, place / "out")
    return place


def study(*words: str) -> Result:
    return CliRunner().invoke(app, ["study", *words])


def run_words(place: Path, *more: str) -> list[str]:
    given = {"--spec": "spec.toml", "--data": "", "--out": "out"}
    paths = [word for option, name in given.items() for word in (option, str(place / name))]
    return ["run", *paths, "--jobs", "1", *more]


def test_run_writes_a_table_and_tells_it_in_short(place: Path) -> None:
    done = study(*run_words(place))
    assert (done.exit_code, done.stderr) == (0, "")
    table = pd.read_csv(place / "out" / "results.csv", keep_default_na=True)
    assert len(table) == 16
    kept = results(place / "out")
    pd.testing.assert_frame_equal(table.drop(columns="error"), kept.drop(columns="error"))
    lines = done.stdout.splitlines()
    assert lines[1].split() == ["rows", "changed", "CSVOR", "SVOREX"]
    means = (
        kept[kept.level == 20].groupby(["method", "dataset"]).mze.mean().groupby("method").mean()
    )
    assert lines[3].split() == ["20", "%", f"{means.CSVOR:.3f}", f"{means.SVOREX:.3f}"]
    assert "Cells  16, all done" in lines


def test_a_folder_goes_on_with_what_it_holds(done: Path) -> None:
    again = study("run", "--out", str(done / "out"), "--data", str(done), "--jobs", "1")
    assert again.exit_code == 0
    spec = spec_of(done / "out")
    assert spec is not None
    assert spec.datasets == ("mine", "yours")


def test_quick_is_what_a_new_folder_gets(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def run(spec: object, *given: object, **more: object) -> pd.DataFrame:
        asked.append(spec)
        raise ValueError("enough")

    monkeypatch.setattr(_study, "run", run)
    for words in ([], ["--preset", "paper"]):
        assert study("run", "--out", str(place / "new"), *words).exit_code == 1
    assert asked == [preset("quick"), preset("paper")]


def test_n07_a_label_that_may_be_none_is_a_note(tmp_path: Path) -> None:
    y = np.r_[np.arange(100) % 5 + 1, [99] * 4]
    pd.DataFrame({"x": np.arange(104.0), "y": y}).to_csv(tmp_path / "mine.csv", index=False)
    methods = "levels = [0]\nsplits = 1\nfolds = 2\n[methods.CSVOR.grid]\nC = [1]\n"
    (tmp_path / "spec.toml").write_text(f'datasets = ["mine"]\n{methods}')
    place = [f"--{what}={tmp_path / name}" for what, name in (("spec", "spec.toml"), ("out", "o"))]
    ran = study("run", *place, "--data", str(tmp_path), "--jobs", "1")
    assert ran.exit_code == 0, ran.stderr
    assert "note: datasets: mine, column 'y': Label 99 is far from the rest" in ran.stderr


def test_status(done: Path) -> None:
    shown = study("status", str(done / "out"))
    assert shown.exit_code == 0
    words = [line.split() for line in shown.stdout.splitlines()]
    assert words[:3] == [
        ["done", "CSVOR", "SVOREX"],
        ["mine", "4/4", "4/4"],
        ["yours", "4/4", "4/4"],
    ]
    assert "Cells  16 of 16 cells" in shown.stdout

    next((done / "out").glob("records/mine/*CSVOR*.json")).unlink()
    document = json.loads(study("status", str(done / "out"), "--json").stdout)
    assert document["failures"] == []
    assert (document["done"], document["failed"], document["total"]) == (15, 0, 16)
    assert document["seconds_left"] > 0
    assert document["counts"][0] == {
        "dataset": "mine",
        "method": "CSVOR",
        "done": 3,
        "failed": 0,
        "total": 4,
    }
    assert "15 of 16 cells, 1 s left" in study("status", str(done / "out")).stdout


def test_failures_are_shown_and_the_rest_is_kept(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "BROKEN", Method("study_sets", "Broken"))
    (place / "spec.toml").write_text(SPEC + "[methods.BROKEN]\n")
    done = study(*run_words(place))
    assert done.exit_code == 1
    table = pd.read_csv(place / "out" / "results.csv")
    n_failed = int((table.status == "failed").sum())
    assert 0 < n_failed < 8
    assert len(table) == 24
    lines = done.stderr.splitlines()
    assert len(lines) == n_failed + 1
    assert lines[0].startswith("failed: BROKEN on ")
    assert lines[0].endswith("ArithmeticError: no luck with this split")
    assert lines[-1].startswith(f"csvor: error: {n_failed} cells of 24 failed; all others are done")

    shown = study("status", str(place / "out")).stdout
    assert f"24 of 24 cells, {n_failed} failed" in shown
    assert shown.count("failed: BROKEN on") == n_failed
    from study_sets import Broken, Nearest

    monkeypatch.setattr(Broken, "fit", Nearest.fit)
    assert study(*run_words(place)).exit_code == 1
    mended = study(*run_words(place, "--retry-failed"))
    assert (mended.exit_code, mended.stderr) == (0, "")


MEASURE = """
def half_score(y_true, y_pred):
    if any(y_true != y_pred):
        raise ValueError("not all are right")
    return 1.0


def apart(y_true, y_pred):
    return abs(y_true - y_pred).sum()
"""


@pytest.mark.slow
def test_n48_measures_of_a_spec_and_of_an_option(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Functions in the current folder; one of them fails, is told once a method, and in no rank."""
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (place / "halves.py").write_text(MEASURE)
    (place / "spec.toml").write_text(
        SPEC + '[measures.apart]\nfunction = "halves:apart"\nbetter = "lower"\n'
    )
    options = ("--measure", "halves:half_score", "--measure", "average_mean_absolute_error")
    done = study(*run_words(place), *options)
    assert done.exit_code == 1
    table = pd.read_csv(place / "out" / "results.csv")
    assert table.columns[-6:].tolist() == [
        *("apart", "half_score", "average_mean_absolute_error"),
        *("apart_error", "half_score_error", "average_mean_absolute_error_error"),
    ]
    assert (table.status == "ok").all()
    assert table.apart.notna().all()
    wrong = table[table.mze > 0].groupby("method").size()
    lines = done.stderr.splitlines()
    assert lines[:-1] == [
        f"failed: half_score of {name} in {n} cells: ValueError: not all are right"
        for name, n in wrong.items()
    ]
    assert lines[-1].startswith("csvor: error: 1 measure failed; all else is done. --retry-failed")

    again = study(*run_words(place), *options)
    assert again.stderr == done.stderr
    other = study(*run_words(place), *options, "--measure", "elsewhere:half_score")
    assert other.exit_code == 2
    assert "measures: 'half_score' is listed more than once" in other.stderr

    shown = study("status", str(place / "out"))
    assert shown.stdout.count("failed: half_score of") == len(wrong)
    document = json.loads(study("status", str(place / "out"), "--json").stdout)
    assert [one["method"] for one in document["failed_measures"]] == list(wrong.index)

    words = ("report", str(place / "out"), "--to", str(place / "there"), "--no-experiments")
    assert study(*words).exit_code == 0
    made = {path.stem for path in (place / "there" / "tables").glob("*.md")}
    assert {"ranks_apart", "tests_apart", "further_apart", "further_half_score"} <= made
    assert "ranks_half_score" not in made
    page = (place / "there" / "report.md").read_text(encoding="utf-8").replace("\\", "")
    assert "- apart: lower is better." in page
    assert page.count(f"half_score failed for CSVOR in {wrong['CSVOR']} cells, and it is in") == 1


def test_n51_a_second_study_in_a_folder(done: Path) -> None:
    (done / "spec.toml").write_text(SPEC.replace("levels = [0, 20]", "levels = [0]"))
    before = (done / "out" / "results.csv").read_bytes()
    refused = study(*run_words(done))
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"csvor: error: --out {done / 'out'}: it holds another study, which this one would "
        "replace (levels without 20); name another folder, or say --replace\n"
    )
    assert (done / "out" / "results.csv").read_bytes() == before
    assert study(*run_words(done), "--replace").exit_code == 0
    assert len(pd.read_csv(done / "out" / "results.csv")) == 8


@pytest.mark.parametrize(
    ("words", "message", "status"),
    [
        (["run"], "Missing option '--out'", 2),
        (["run", "--out", "x", "--preset", "fast"], "--preset fast: must be one of quick, p", 2),
        (["run", "--out", "x", "--jobs", "0"], "--jobs 0: must be a whole number from 1", 2),
        (["run", "--out", "x", "--spec", "no.toml"], "--spec no.toml: there is no such file", 2),
        (["run", "--out", "x", "--data", "none"], "--data none: there is no such folder", 2),
        (["run", "--out", "spec.toml"], "--out spec.toml: this is a file; name a folder", 2),
        (
            ["run", "--out", "x", "--spec", "spec.toml", "--preset", "quick"],
            "--preset and --spec both say which study runs: give one",
            2,
        ),
        (["run", "--out", "x", "--spec", "bad.toml"], "bad.toml: the study has the unknown key", 2),
        (["run", "--out", "x", "--spec", "set.toml", "--data", "."], "no data set 'nix'", 1),
        (
            ["run", "--out", "x", "--measure", "kappa"],
            "csvor.metrics has no 'kappa'; its measures are",
            2,
        ),
        (["run", "--out", "x", "--measure", "a_score"], "csvor.metrics has no 'a_score'", 1),
        (["status", "none"], "none: there is no such folder", 2),
        (["status", "."], ".: no study was run there (study.json is missing)", 1),
        (["report", "none", "--to", "y"], "none: there is no such folder", 2),
        (["stop"], "No such command 'stop'", 2),
    ],
)
def test_what_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str, status: int
) -> None:
    monkeypatch.chdir(place)
    (place / "bad.toml").write_text("level = 3\n" + SPEC)
    (place / "set.toml").write_text(SPEC.replace("mine", "nix"))
    done = study(*words)
    assert done.exit_code == status
    assert done.stderr.startswith("csvor: error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (place / "x").exists()


def test_study_alone_shows_its_commands() -> None:
    shown = study()
    assert shown.exit_code == 0
    assert all(name in shown.stdout for name in ("run", "status", "report"))


@pytest.mark.parametrize("also", [[], ["--no-experiments", "--open"]])
def test_report_writes_a_page(done: Path, also: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    monkeypatch.setattr(_experiments, "PROJECTIONS", _experiments.PROJECTIONS[-1:])
    monkeypatch.setattr(_experiments, "IMAGES", 60)
    monkeypatch.setattr(Picture, "_drawn", lambda self, kind: b"<svg/>")  # test_report.py draws
    few = partial(_experiments.error_map, splits=1)
    monkeypatch.setattr(_experiments, "error_map", few)
    words = ["report", str(done / "out"), "--to", str(done / "there"), "--data", str(done)]
    result = study(*words, *also)
    assert result.exit_code == 0, result.output
    page = (done / "there" / "report.html").read_text(encoding="utf-8")
    assert "CSVOR" in page
    assert ("60 outliers" in page) == (not also)
    assert (done / "there" / "tables").is_dir()
    address = (done / "there" / "report.html").resolve().as_uri()
    assert opened == [address] * bool(also)
    assert (f"Page  {address}\n" in result.stdout) == bool(also)


def test_report_names_a_folder_that_is_not_there(done: Path) -> None:
    result = study("report", str(done / "out"), "--to", "there", "--faces", "nowhere")
    assert result.exit_code == 2
    assert "--faces nowhere: there is no such folder" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT as of Ctrl-C")
def test_ctrl_c_keeps_what_is_done(place: Path) -> None:
    (place / "spec.toml").write_text(SPEC.replace("splits = 2", "splits = 8"))
    command = [sys.executable, "-m", "csvor.cli", "study", *run_words(place)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        command, env=env, stderr=subprocess.PIPE, text=True,
        # Behind a shell it may be ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while len(list(place.rglob("records/*/*.json"))) < 2 and process.poll() is None:
            assert time.monotonic() < deadline, "no records"
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    n_kept = len(list(place.rglob("records/*/*.json")))
    first, second = told.splitlines()[-2:]  # loops may be compiled before
    assert first == f"csvor: {n_kept} of 64 cells kept in {place / 'out'}; the same command goes on"
    assert second == "csvor: interrupted"
    assert len(results(place / "out")) == n_kept < 64
    assert study(*run_words(place)).exit_code == 0
    assert len(results(place / "out")) == 64


@pytest.mark.parametrize(
    ("now", "text"),
    [
        (Progress(0, 0, 16, None), "0 of 16 cells"),
        (Progress(1, 0, 1, 0.0), "1 of 1 cell"),
        (Progress(5, 2, 16, 39.2), "5 of 16 cells, 2 failed, 40 s left"),
        (Progress(5, 0, 16, 60.0), "5 of 16 cells, 1 min left"),
        (Progress(5, 0, 16, 3541.0), "5 of 16 cells, 1 h 0 min left"),
        (Progress(5, 0, 16, 7500.0), "5 of 16 cells, 2 h 5 min left"),
    ],
)
def test_progress_in_words(now: Progress, text: str) -> None:
    assert _study._progress_text(now) == text


def test_time_left_moves_while_a_long_cell_runs() -> None:
    now = Progress(5, 0, 16, 130.0)
    assert [_study._progress_text(now, seconds) for seconds in (0.0, 80.0, 500.0)] == [
        "5 of 16 cells, 3 min left",
        "5 of 16 cells, 50 s left",
        "5 of 16 cells, 1 s left",
    ]


def test_progress_is_for_terminals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def told(seconds: float) -> str:
        asked.append(seconds)
        return "half of it"

    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    with _progress.text_progress("Study") as update:
        update(1, 2, told)
    assert capsys.readouterr().err == ""
    assert not asked
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with _progress.text_progress("Study") as update:
        update(1, 2, told)
        time.sleep(0.4)
    assert "half of it" in capsys.readouterr().err
    assert 0 <= asked[0] < asked[-1]
