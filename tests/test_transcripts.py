"""A recording of the command line's answers shows each change, and nothing that no change made."""

import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest
import typer
from typer.testing import CliRunner

import transcripts

app = typer.Typer()


@app.command()
def answer(out: Path, line: str = "right", code: int = 0, moment: str = "", write: bool = True):
    """Prints a line and where it writes, writes two files, and ends with a code."""
    print(f"{line}\n{out}")
    print("a note", file=sys.stderr)
    if write:
        out.write_text(f"{line} {moment}\n")
    (out.parent / "always.txt").write_text(moment)
    raise typer.Exit(code)


@pytest.fixture
def record(tmp_path):
    """Records two calls, of which the second has the options; a folder stands for each run."""

    def recorded(run="run", *options):
        base = tmp_path / run
        (base / "test0").mkdir(parents=True)
        out = str(base / "test0" / "out.csv")
        with transcripts.recording(tmp_path / f"{run}.jsonl", base):
            CliRunner().invoke(app, [out])
            CliRunner().invoke(app, [out, *options])
        return transcripts.read(tmp_path / f"{run}.jsonl")

    return recorded


def compared(old, new):
    counts, lines = transcripts.differences(old, new)
    return counts, "\n".join(lines)


def test_a_call_is_recorded_whole(record) -> None:
    first, _ = record().values()
    assert first["test"].endswith("::test_a_call_is_recorded_whole")
    assert (first["call"], first["arguments"], first["exit"]) == (1, "<tmp>/out.csv", "0")
    assert (first["out"], first["err"]) == ("right\n<tmp>/out.csv\n", "a note\n")
    assert set(first["files"]) == {"out.csv", "always.txt"}


def test_two_runs_in_other_folders_are_the_same(record) -> None:
    counts, text = compared(record("one"), record("two"))
    assert not counts
    assert text == ""


@pytest.mark.parametrize(
    ("options", "kinds", "shown"),
    [
        (["--code", "3"], {"exit"}, "+exit 3"),
        (["--line", "wrong"], {"out", "files"}, "-out| right\n+out| wrong"),
        (["--moment", "later"], {"files"}, "+file always.txt: "),
        (["--no-write"], {"files"}, "-file out.csv: "),
        (["--code", "none"], {"exit", "out", "err", "files"}, "+exit 2"),
    ],
)
def test_a_change_is_noticed(record, options, kinds, shown) -> None:
    counts, text = compared(record("one"), record("two", *options))
    assert counts == {"changed": 1, "arguments": 1, **dict.fromkeys(kinds, 1)}
    assert "call 2: " in text
    assert "call 1: " not in text
    assert shown in text


def test_a_call_that_is_gone_or_new_is_noticed(record) -> None:
    both = record()
    first = dict(list(both.items())[:1])
    assert compared(both, first)[0] == {"gone": 1}
    assert compared(first, both)[0] == {"new": 1}


def test_files_of_tests_that_were_not_run_are_told_in_one_line(record) -> None:
    calls = record()
    other = {("tests/test_other.py::test_it", 1): next(iter(calls.values()))}
    old, new, apart = transcripts.in_shared_files(calls | other, calls)
    assert old == new == calls
    assert apart == ["tests/test_other.py: 1 calls before, 0 now"]


def test_what_two_runs_do_not_share_is_not_compared(record) -> None:
    one, two = record("one", "--moment", "now"), record("two", "--moment", "now")
    other = record("three", "--moment", "later")
    key = list(one)[1]
    kept = transcripts.stable(one[key], other[key])
    assert kept["files"] == dict.fromkeys(["out.csv", "always.txt"], transcripts.UNSTABLE)
    assert not compared({key: kept}, {key: {**two[key]}})[0]
    assert compared({key: kept}, {key: {**two[key], "exit": "1"}})[0]["exit"] == 1
    without = {**two[key], "files": {"out.csv": "other"}}
    assert compared({key: kept}, {key: without})[0]["files"] == 1


def test_archives_count_by_their_members_and_exceptions_by_their_name(tmp_path) -> None:
    failing = typer.Typer()

    @failing.command()
    def fail(out: Path, member: str) -> None:
        with ZipFile(out, "w") as archive:
            archive.writestr(member, "text")
        raise KeyError(member)

    (tmp_path / "test0").mkdir()
    with transcripts.recording(tmp_path / "r.jsonl", tmp_path):
        CliRunner().invoke(failing, [str(tmp_path / "test0" / "a.zip"), "140123456789.npy"])
    (only,) = transcripts.read(tmp_path / "r.jsonl").values()
    assert only["files"] == {"a.zip": ["<id>.npy"]}
    assert only["exit"] == "1 KeyError"


def test_today_versions_and_lines_of_source_are_no_change(tmp_path) -> None:
    text = f"{date.today()}T10:00:00Z csvor {version('csvor')}. localhost:8787, 9999-01-01, 1.2.3"
    recorder = transcripts.Recorder(tmp_path / "r.jsonl", tmp_path)
    said = "<date> csvor <version>. localhost:<port>, 9999-01-01, 1.2.3"
    assert recorder.normalised(text) == said
    frames = (
        'Traceback (most recent call last):\n  File "a.py", line 7, in f\n    g()\nKeyError: 1\n'
    )
    said = "Traceback (most recent call last):\n  <frames>\nKeyError: 1\n"
    assert recorder.normalised(frames) == said
