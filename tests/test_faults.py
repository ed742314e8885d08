"""Whenever a command is ended, or finds no room, files are old or whole, and the next run works.

100 trials of each ending were made once (``python tests/faults.py kill 0 100``); three are quick.
"""

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
