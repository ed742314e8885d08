"""Whenever a command is ended, or finds no room, files are old or whole, and the next run works.

``python tests/faults.py kill 0 100`` makes a hundred trials of an ending; three are quick.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("what still runs is looked up in /proc", allow_module_level=True)

import faults

QUICK = [("interrupt", 14), ("kill", 17), ("full", 22)]
SLOW = [(ending, trial) for ending in ("interrupt", "kill", "full") for trial in range(12)]


@pytest.mark.parametrize(
    ("ending", "trial"), [*QUICK, *(pytest.param(*one, marks=pytest.mark.slow) for one in SLOW)]
)
def test_a_command_that_is_ended_leaves_nothing_half(
    ending: str, trial: int, tmp_path: Path
) -> None:
    faults.attempt(ending, trial, tmp_path)


def test_a_folder_that_cannot_be_written_to_is_named_before_the_work(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "csvor.cli",
        "fit",
        "t.csv",
        "--target",
        "y",
        "--model",
        "m.skops",
    ]
    if os.geteuid() == 0:  # who may write anywhere
        if not shutil.which("setpriv"):
            pytest.skip("root may write anywhere, and there is no setpriv to give that up")
        rights = "-dac_override,-dac_read_search"
        words = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", *words]
    (tmp_path / "t.csv").write_text("x,y\n")
    tmp_path.chmod(0o555)
    try:
        path = os.pathsep.join(filter(None, sys.path))
        ended = subprocess.run(
            words,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
    finally:
        tmp_path.chmod(0o755)
    told = "csvor: error: --model m.skops: the folder . cannot be written to\n"
    assert (ended.returncode, ended.stderr) == (2, told)
    assert os.listdir(tmp_path) == ["t.csv"]
