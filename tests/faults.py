"""Commands that are ended at any moment, or find no room, and what they leave behind.

`attempt` runs a command in a folder, with what an earlier run wrote or without, and ends it: each
file that it writes is absent, as it was, or whole; nothing still runs; the next run goes through
and clears what was left. ``python tests/faults.py interrupt 0 100`` tries many (``kill``, and
``full`` for a disk without room, are the other endings), and counts how they ended.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import csvor
from fault_cases import COMMANDS, OLD, Files, comparable, files_of, inputs, through, whole, write

_PART = re.compile(r"(^|/)\.[^/]+\.(part|gone)(/|$)")


@dataclass
class Outcome:
    """How a command ended: in words, and how long after it was asked to, also in processor time."""

    kind: str
    seconds: float
    processor: float


def _start(words: str, place: Path, room: int | None = None) -> subprocess.Popen[bytes]:
    """The command in a session of its own, as a shell starts it."""
    path = [str(Path(csvor.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # which is ignored in what runs behind a shell
        if room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    return subprocess.Popen(
        [sys.executable, "-m", "csvor.cli", *words.split()],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,  # which has room, whatever files have
        start_new_session=True,
        preexec_fn=prepare,
    )


def _await_moment(rng: np.random.Generator, process: Any, place: Path, seconds: float) -> str:
    """Wait for some moment of a run, or for one about when it writes."""
    if rng.random() < 0.5:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0, seconds))
        return "at any moment"
    before, deadline = sorted(place.rglob("*")), time.monotonic() + 120
    while process.poll() is None and sorted(place.rglob("*")) == before:
        assert time.monotonic() < deadline, "it writes nothing"
        time.sleep(0.002)
    time.sleep(rng.exponential(0.003))
    return "as it writes"


def _running(session: int) -> list[str]:
    """The processes of a session that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = path.read_text().rpartition(")")
            state, _, _, of = rest.split()[:4]
            if int(of) == session and state not in "ZX":
                found.append(name)
    return found


def _processor_of(process: int) -> float:
    """Seconds of processor time that a process has used."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def attempt(ending: str, seed: int, folder: Path) -> Outcome:
    """How a run ended that was killed, interrupted, or had no room.

    Raises
    ------
    AssertionError
        If it left what it may not, or the next run does not go through.
    """
    rng = np.random.default_rng(seed)
    # The slow ones are seldom drawn.
    often = np.array([1 / command.seconds for command in COMMANDS.values()])
    name = str(rng.choice(list(COMMANDS), p=often / often.sum()))
    command, place = COMMANDS[name], folder / "place"
    before = inputs(name) | (
        dict.fromkeys(command.replaced.split(), OLD) if rng.random() < 0.5 else {}
    )
    expected = whole(name)
    write(place, before)
    room = int(rng.integers(max(map(len, expected.values())))) if ending == "full" else None
    process = _start(command.words, place, room)
    when = "" if room is not None else _await_moment(rng, process, place, command.seconds)
    story, used = f"{ending} {seed}: {name} {when}, room {room}", _processor_of(process.pid)
    ended_before, sent = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]), time.monotonic()
    with contextlib.suppress(ProcessLookupError):
        if ending == "kill":
            process.kill()
        elif ending == "interrupt":  # a terminal tells all processes
            (os.killpg if rng.random() < 0.7 else os.kill)(process.pid, signal.SIGINT)
    try:
        status = process.wait(120)
        seconds = time.monotonic() - sent
        worked = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - ended_before - used
        while (left := _running(process.pid)) and time.monotonic() < sent + 60:
            time.sleep(0.01)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    with process.stderr as messages:  # type: ignore[union-attr]
        told = messages.read().decode(errors="replace")
    assert not left, f"{story}: still running {left}"
    kind = _kind(ending, status, told, story)
    _hold(place, before, expected, story, parts=ending == "kill")
    if kind != "went through":
        through(command.words, place)
        after = {path: comparable(path, raw) for path, raw in files_of(place).items()}
        wrong = {
            p for p in {*after, *expected} - {*inputs(name)} if after.get(p) != expected.get(p)
        }
        assert not wrong, f"{story}: after the next run, {wrong}"
    return Outcome(f"{name}: {kind} {when}", seconds, worked)


def _kind(ending: str, status: int, told: str, story: str) -> str:
    """The way in which a command ended, if it is one of those that are allowed."""
    allowed = {"kill": {0, -9}, "interrupt": {0, 130, -2}, "full": {0, 1}}[ending]
    assert status in allowed, f"{story}: exit {status}, {told[-800:]}"
    if status != -2:  # else Python itself had not begun the program
        assert "Traceback" not in told, f"{story}: {told[-800:]}"
    if status == 130:
        assert told.endswith("csvor: interrupted\n"), f"{story}: {told[-800:]}"
    if status == 1:
        assert re.search(r"csvor: error: .*(too large|No space left)", told), f"{story}: {told}"
    words = {
        0: "went through",
        -9: "killed",
        130: "exit 130",
        -2: "ended by the signal",
        1: "refused",
    }
    return words[status]


def _hold(place: Path, before: Files, expected: Files, story: str, parts: bool) -> None:
    """Each file is as it was, or new and whole; a killed process may leave what it began."""
    files = files_of(place)
    begun = {path for path in files if _PART.search(path)}
    assert parts or not begun, f"{story}: left {begun}"
    for path, raw in files.items():
        if path in begun or raw == before.get(path):
            continue
        assert path in expected, f"{story}: wrote {path}"
        try:
            content = comparable(path, raw)
        except ValueError as error:
            raise AssertionError(f"{story}: {path} is not whole: {error}") from error
        assert content == expected[path], f"{story}: {path} is neither old nor new"
    assert before.keys() <= files.keys(), f"{story}: lost {before.keys() - files.keys()}"


def try_all(ending: str, first: int, last: int) -> None:
    """Try the seeds; print each fault, how many ended in which way, and the longest time."""
    outcomes, faults = [], 0
    for seed in range(first, last):
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcomes.append(attempt(ending, seed, Path(folder)))
                print(seed, outcomes[-1], flush=True)
            except AssertionError as error:
                faults += 1
                print("FAULT", error, flush=True)
    for kind, n in Counter(one.kind for one in outcomes).most_common():
        print(f"{n:5} {kind}")
    for one in sorted(outcomes, key=lambda one: -one.seconds)[:5]:
        print(f"{one.seconds:5.2f} s ({one.processor:.2f} of them at work) {one.kind}")
    print(f"{last - first} trials, {faults} faults")
    sys.exit(int(faults > 0))


if __name__ == "__main__":
    try_all(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
