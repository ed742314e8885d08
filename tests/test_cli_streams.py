"""Output on streams that are not UTF-8 (case N43): results stay whole, words are escaped."""

import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

import csvor
from csvor.cli._streams import results
from csvor.cli.commands._app import app

LABELS = ["κακό", "μέτριο", "άριστο"]
ENCODINGS = ["cp1252", "ascii", "iso8859-7", "utf-8"]


def run(encoding: str, *args: object) -> Result:
    return CliRunner(charset=encoding, env={"COLUMNS": "100"}).invoke(app, [str(a) for a in args])


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a file and a model of it, and what its fit said."""
    folder = tmp_path_factory.mktemp("fitted")
    a = np.random.default_rng(0).normal(size=60)
    frame = pd.DataFrame({"ύψος": a, "όνομα": [f"Ω{i}" for i in range(60)]})
    frame["βαθμός"] = np.array(LABELS)[np.digitize(a, [-0.5, 0.5])]
    frame.to_csv(folder / "t.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = run("utf-8", *FIT)
    assert done.exit_code == 0
    return folder, done.stdout


@pytest.fixture(autouse=True)
def _in_a_folder_with_a_model(
    fitted: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(fitted[0], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


DATA = ("t.csv", "--target", "βαθμός", "--classes", ",".join(LABELS), "--id", "όνομα")
FIT = ("fit", *DATA, "--model", "m.skops")
QUICK = ("--kernel", "linear", "--C", "1", "--contamination", "0.1", "--constraints", "explicit")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_n43_results_are_utf_8_on_any_stream(encoding: str) -> None:
    predict = ("predict", "t.csv", "--model", "m.skops", "--proba")
    result = run(encoding, *predict)
    assert result.exit_code == 0
    assert run("utf-8", *predict, "--out", "p.csv").exit_code == 0
    assert result.stdout_bytes == Path("p.csv").read_bytes()
    assert result.stdout_bytes.decode("utf-8").splitlines()[0] == (
        "row,όνομα,prediction,κακό,μέτριο,άριστο"
    )
    document = json.loads(run(encoding, *predict, "--json").stdout_bytes)
    assert document["classes"] == LABELS


def test_n43_suspects_are_whole_beside_a_report_in_escapes() -> None:
    result = run("cp1252", "audit", *DATA, *QUICK, "--suspects", "-")
    assert len(result.stdout_bytes.decode("utf-8").splitlines()) == 61
    assert LABELS[0].encode("cp1252", "backslashreplace") in result.stderr_bytes


@pytest.mark.parametrize("encoding", ENCODINGS[1:])
def test_n43_words_for_people_are_escaped(encoding: str, fitted: tuple[Path, str]) -> None:
    """What the stream can say stays as it is; the rest is spelled out, and nothing is lost."""
    expected = fitted[1]
    result = run(encoding, *FIT)
    assert result.exit_code == 0
    lines = result.stdout_bytes.decode(encoding).splitlines()
    wanted = expected.encode(encoding, "backslashreplace").decode(encoding)
    assert lines == wanted.splitlines()
    told = run(encoding, "show", "m.skops")
    assert told.exit_code == 0
    label = LABELS[0].encode(encoding, "backslashreplace")
    assert label in told.stdout_bytes and label in result.stdout_bytes

    wrong = run(encoding, "audit", *DATA[:4], "κακό,άριστο")
    assert wrong.exit_code == 1
    assert LABELS[1].encode(encoding, "backslashreplace") in wrong.stderr_bytes


def test_n43_as_a_program(tmp_path: Path) -> None:
    package = str(Path(csvor.__file__).parents[1])
    env = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PYTHONPATH": package}
    predict = ["predict", "t.csv", "--model", "m.skops"]
    found = subprocess.run(
        [sys.executable, "-m", "csvor.cli", *predict], env=env, capture_output=True
    )
    assert found.returncode == 0
    assert len(found.stdout.decode("utf-8").splitlines()) == 61
    assert "βαθμός".encode("cp1252", "backslashreplace") in found.stderr


def test_standard_output_goes_on_after_results(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "cp1252"))
    print("é")
    with results() as file:
        file.write("ύψος\n")
    print("è")
    sys.stdout.flush()
    assert raw.getvalue() == b"\xe9\n" + "ύψος\n".encode() + b"\xe8\n"


def test_text_in_memory_takes_results_as_they_are() -> None:
    with redirect_stdout(io.StringIO()) as told, results() as file:
        file.write("ύψος\n")
    assert told.getvalue() == "ύψος\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device here is full")
@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("--version >/dev/full", 1, "csvor: error: No space left on device\n"),
        ("show m.skops >&-", 0, ""),
        ("show nothing.skops 2>&-", 2, ""),
    ],
)
def test_streams_that_are_full_or_closed(words: str, status: int, told: str) -> None:
    """One line, or none where nobody could read it; and no file is opened in the stream's place."""
    path = os.pathsep.join([str(Path(csvor.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m csvor.cli {words}'],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (status, told)
