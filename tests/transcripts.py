"""What the command line answers in tests, recorded, so that two commits can be compared.

``python tests/transcripts.py write FILE TESTS...`` runs those files of tests and stores a record of
each call of the command line; ``diff OLD NEW`` prints how two such files differ, ``--summary`` how
many calls do. Which tree is run is what PYTHONPATH says.
"""

import argparse
import contextlib
import datetime
import difflib
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]
SWITCH = "CSVOR_TRANSCRIPTS"
# What is compared of a call, and what stands for a value that two runs of one commit do not share.
KINDS = ("arguments", "exit", "out", "err", "files")
UNSTABLE = "<unstable>"
PACKAGES = ("csvor", "dask", "numpy", "pandas", "pyarrow", "scikit-learn", "scipy", "skops")


def _substitutes(temporary: Path) -> list[tuple[re.Pattern[str], str]]:
    """Patterns of what differs between runs alone, each with what it is replaced by."""
    days = {str(datetime.date.today()), str(datetime.datetime.now(datetime.UTC).date())}
    versions = [metadata.version(name) for name in PACKAGES]
    any_day = "|".join(map(re.escape, sorted(days)))
    any_version = "|".join(map(re.escape, {*versions, platform.python_version()}))
    found = [
        (rf"{re.escape(str(temporary))}(/[^/\s\"']+)?", "<tmp>"),
        (rf"{re.escape(tempfile.gettempdir())}/tmp\w{{8}}", "<tmp>"),
        (re.escape(str(ROOT)), "<root>"),
        (rf"({any_day})([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?", "<date>"),
        (rf"(?<![\w.])({any_version})(?![\w.]*\w)", "<version>"),
        (r"\b(localhost|127\.0\.0\.1):\d+", r"\1:<port>"),
        # Names and lines of the source are no answer.
        (r"(Traceback \(most recent call last\):\n)( +.*\n)+", r"\1  <frames>\n"),
        (r"\b0x[0-9a-f]{8,}\b", "<address>"),
        (r"(\"\w*seconds\": *)[\d.e-]+", r"\1<duration>"),
        (r"\b\d+ (s|min|h|days) left\b *", "<duration> left "),
    ]
    return [(re.compile(pattern), by) for pattern, by in found]


class Recorder:
    """Appends a record of each call of the command line to a file of JSON lines."""

    def __init__(self, file: Path, temporary: Path) -> None:
        self.file = file.resolve()
        self.temporary = temporary
        self.substitutes = _substitutes(temporary)
        self.calls: Counter[str] = Counter()

    def normalised(self, text: str) -> str:
        """The text without what differs between runs alone."""
        for pattern, by in self.substitutes:
            text = pattern.sub(by, text)
        return text

    def folders(self, words: list[str]) -> set[Path]:
        """The tests' folders that the arguments, the environment or the working folder name."""
        beside = re.compile(rf"{re.escape(str(self.temporary))}/([^/\s:]+)")
        texts = [*words, *os.environ.values(), os.getcwd()]
        return {self.temporary / name for text in texts for name in beside.findall(text)}

    def digest(self, path: Path) -> str | list[str]:
        """The hash of a file, or of an archive the names of its members."""
        try:
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    # skops names arrays by where they were in memory.
                    return sorted(re.sub(r"\d{9,}", "<id>", name) for name in archive.namelist())
            content = path.read_bytes()
        except OSError as error:
            return type(error).__name__
        with contextlib.suppress(UnicodeDecodeError):
            content = self.normalised(content.decode()).encode()
        return hashlib.sha256(content).hexdigest()

    def written(self, before: dict[Path, tuple], after: dict[Path, tuple]) -> dict:
        """What became of files in the meantime, by their path within the test's folder."""

        def name(path: Path) -> str:
            return Path(*path.relative_to(self.temporary).parts[1:]).as_posix()

        gone = {name(path): "deleted" for path in before.keys() - after.keys()}
        new = [path for path in after if after[path] != before.get(path)]
        return gone | {self.normalised(name(path)): self.digest(path) for path in new}

    def call(self, invoke, runner: CliRunner, app, args=None, **more):
        """What `invoke` returns, after it has been recorded."""
        words = shlex.split(args) if isinstance(args, str) else [str(arg) for arg in args or ()]
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        environment = {**os.environ, **runner.env, **(more.get("env") or {})}
        folders = self.folders(words)
        before = _files(folders)
        result = invoke(runner, app, args, **more)
        self.calls[test] += 1
        raised = None if isinstance(result.exception, SystemExit) else result.exception
        record = {
            "test": test,
            "call": self.calls[test],
            "arguments": self.normalised(shlex.join(words)),
            "columns": environment.get("COLUMNS"),
            "charset": runner.charset,
            "exit": f"{result.exit_code} {type(raised).__name__ if raised else ''}".strip(),
            "out": self.normalised(result.stdout),
            "err": self.normalised(result.stderr),
            "files": self.written(before, _files(folders)),
        }
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, sort_keys=True) + "\n")
        return result


def _files(folders: set[Path]) -> dict[Path, tuple]:
    """Each regular file below the folders, with what changes when it is written."""
    found = {}
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for path in (Path(parent, name) for name in names):
                is_now = path.lstat()
                if stat.S_ISREG(is_now.st_mode):
                    found[path] = (is_now.st_ino, is_now.st_size, is_now.st_mtime_ns)
    return found


@contextlib.contextmanager
def recording(file: Path, temporary: Path) -> Iterator[None]:
    """Calls of the command line are recorded; the tests' folders are in `temporary`."""
    recorder = Recorder(file, temporary)
    invoke = CliRunner.invoke

    def recorded(runner, app, args=None, **more):
        return recorder.call(invoke, runner, app, args, **more)

    CliRunner.invoke = recorded
    try:
        yield
    finally:
        CliRunner.invoke = invoke


def read(file: Path) -> dict[tuple[str, int], dict]:
    """Records by test and number of the call in it, in order."""
    lines = file.read_text(encoding="utf-8").splitlines()
    records = ((r["test"], r["call"], r) for r in map(json.loads, lines))
    return {(test, call): r for test, call, r in sorted(records, key=lambda three: three[:2])}


def stable(first: dict, second: dict) -> dict:
    """The first record, with UNSTABLE where another run of the same commit differs."""
    kept = {kind: UNSTABLE for kind in KINDS if first[kind] != second[kind]}
    if "files" in kept:
        names = first["files"].keys() | second["files"].keys()
        pairs = {name: (first["files"].get(name), second["files"].get(name)) for name in names}
        kept["files"] = {name: p[0] if p[0] == p[1] else UNSTABLE for name, p in pairs.items()}
    return first | kept


def _masked(one: dict, other: dict) -> dict:
    """What one record holds, with UNSTABLE where the other has it."""

    def spread(mine: dict, others: dict) -> dict:
        return {key: UNSTABLE if others.get(key) == UNSTABLE else mine[key] for key in mine}

    return spread(one, other) | {"files": spread(one["files"], other["files"])}


def _lines(record: dict) -> list[str]:
    """A record as it is shown."""
    return [
        f"$ COLUMNS={record['columns']} csvor {record['arguments']}  # {record['charset']}",
        f"exit {record['exit']}",
        *(f"out| {line}" for line in record["out"].split("\n")),
        *(f"err| {line}" for line in record["err"].split("\n")),
        *(f"file {name}: {value}" for name, value in sorted(record["files"].items())),
    ]


def differences(old: dict, new: dict) -> tuple[Counter[str], list[str]]:
    """How many calls differ, by kind, and the differences by test as lines."""
    counts: Counter[str] = Counter()
    lines, last = [], None
    for key in sorted(old.keys() | new.keys()):
        if key in old and key in new:
            two = _masked(old[key], new[key]), _masked(new[key], old[key])
            kinds = [kind for kind in KINDS if two[0][kind] != two[1][kind]]
            shown = list(difflib.unified_diff(*map(_lines, two), n=1, lineterm=""))[2:]
        else:
            kinds = ["gone" if key in old else "new"]
            shown = _lines({**old, **new}[key])[:1]
        if kinds:
            counts.update(["changed", *kinds] if kinds[0] in KINDS else kinds)
            lines += [] if key[0] == last else ["", key[0]]
            lines += [f"call {key[1]}: {', '.join(kinds)}", *shown]
            last = key[0]
    return counts, lines


def in_shared_files(old: dict, new: dict) -> tuple[dict, dict, list[str]]:
    """The records of files of tests that are in both, and a line for each file that is not."""
    calls = [Counter(test.partition("::")[0] for test, _ in side) for side in (old, new)]
    apart = calls[0].keys() ^ calls[1].keys()
    sides = [
        {key: record for key, record in side.items() if key[0].partition("::")[0] not in apart}
        for side in (old, new)
    ]
    return *sides, [
        f"{name}: {calls[0][name]} calls before, {calls[1][name]} now" for name in sorted(apart)
    ]


def summary(old: dict, new: dict, counts: Counter[str]) -> str:
    """The counts of calls that differ, in words."""
    words = ", ".join(f"{kind} {counts[kind]}" for kind in KINDS)
    unstable = sum(UNSTABLE in json.dumps(record) for record in (*old.values(), *new.values()))
    return (
        f"{len(old)} calls before, {len(new)} now: {counts['changed']} changed ({words}), "
        f"{counts['gone']} gone, {counts['new']} new; {unstable} records are unstable in part"
    )


def write(file: Path, tests: list[str], runs: int) -> int:
    """Store a record of each call in these tests; pytest's exit status comes back."""
    # Texts are wrapped, so the folder's name is as long in each run.
    slot = next(n for n in range(10) if not Path(tempfile.gettempdir(), f"csvor-t{n}").exists())
    temporary = Path(tempfile.gettempdir(), f"csvor-t{slot}")
    temporary.mkdir()
    status, recorded = 0, []
    try:
        for run in range(runs):
            part = temporary / f"{run}.jsonl"
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
            command += [f"--basetemp={temporary / 'tests'}", *tests]
            status |= subprocess.run(command, env={**os.environ, SWITCH: str(part)}).returncode
            recorded.append(read(part))
    finally:
        shutil.rmtree(temporary)
    first, last = recorded[0], recorded[-1]
    both = sorted(first.keys() | last.keys())
    kept = [stable({**last, **first}[key], {**first, **last}[key]) for key in both]
    lines = [json.dumps(record, sort_keys=True, ensure_ascii=True) for record in kept]
    file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    print(f"{len(kept)} calls, {sum(UNSTABLE in line for line in lines)} of them unstable in part")
    return status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writes = commands.add_parser("write", help="record the calls in some tests")
    writes.add_argument("file", type=Path)
    writes.add_argument("tests", nargs="+")
    writes.add_argument("--once", action="store_true", help="one run: nothing is marked unstable")
    compares = commands.add_parser("diff", help="show how two recordings differ")
    compares.add_argument("old", type=Path)
    compares.add_argument("new", type=Path)
    compares.add_argument("--summary", action="store_true", help="only how many calls differ")
    chosen = parser.parse_args()
    if chosen.command == "write":
        return write(chosen.file, chosen.tests, 1 if chosen.once else 2)
    old, new, apart = in_shared_files(read(chosen.old), read(chosen.new))
    counts, lines = differences(old, new)
    sys.stdout.reconfigure(errors="backslashreplace")
    print("\n".join([*([] if chosen.summary else [*lines, ""]), summary(old, new, counts)]))
    print("\n".join(["Files of tests that only one recording has:", *apart] if apart else []))
    return int(bool(counts or apart))


if __name__ == "__main__":
    sys.exit(main())
