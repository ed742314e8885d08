"""The files of examples/dirty_files.py: their transcripts in docs/files.md are what is said."""

import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from typer.testing import CliRunner

from csvor._faults.notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli.commands._app import app
from csvor.cli.input._prepare import prepare

# Figures here are those of whole audits.
ALL_TREES = True

ROOT = Path(__file__).resolve().parents[1]
TRANSCRIPTS = re.findall(
    r"^```text\n\$ csvor (.*)\n((?:.*\n)*?)```$",
    (ROOT / "docs" / "files.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


@pytest.fixture(scope="module")
def files() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "dirty_files", ROOT / "examples" / "dirty_files.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["survey", "clinic"])
def test_one_run_tells_all_that_has_to_be_decided(
    files: ModuleType, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    getattr(files, name)(Path(f"{name}.csv"))
    (first, told), _ = (pair for pair in TRANSCRIPTS if f"{name}.csv" in pair[0])
    result = CliRunner().invoke(app, shlex.split(first))
    assert result.exit_code == 1
    assert result.stderr == told


def test_with_the_answers_a_file_is_ready(
    files: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files.survey(Path("survey.csv"))
    data = DataOptions(
        "survey.csv",
        "answer",
        classes=",".join(files.ANSWERS),
        fold_labels=True,
        missing_label=("goood",),
        id="respondent",
        groups="respondent",
        weight="finalwt",
        dates=True,
        missing=("k. A.",),
    )
    work = prepare(data, ModelOptions(impute=True), Notes())
    assert work.target.classes == files.ANSWERS
    numbers = ["started", "finished", "age", "income", "agree", "hours", "born"]
    assert work.features.numeric == numbers
    assert list(work.features.categorical) == ["town", "channel"]
    np.testing.assert_array_equal(work.frame["started"], work.frame["finished"])
    assert work.frame["agree"].between(0, 100).all()
    assert work.weights is not None and work.weights.mean() == pytest.approx(1)


def test_all_three_files_are_shown() -> None:
    assert [command.split()[1] for command, _ in TRANSCRIPTS] == [
        *["survey.csv", "survey.csv", "clinic.csv", "clinic.csv", "large.csv"]
    ]
