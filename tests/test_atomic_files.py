"""Files are written whole or not at all, and keep what they were: mode, kind, being read-only."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from csvor._utils.atomic_files import folder_written_whole, write_whole, written_whole

KILLED = """
import os, signal, sys
from pathlib import Path
from csvor._utils.atomic_files import folder_written_whole, written_whole
write = {"file": written_whole, "folder": folder_written_whole}[sys.argv[1]]
with write(Path(sys.argv[2])) as part:
    (part if sys.argv[1] == "file" else part / "x").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_n77_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.csv"
    path.touch()
    path.chmod(mode)
    with written_whole(path) as part:
        part.write_bytes(b"new")
        assert stat.S_IMODE(part.stat().st_mode) == 0o600  # it may hold what nobody else may see
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", mode)
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.skipif(os.name == "nt", reason="folders have no such modes there")
def test_n77_an_empty_folder_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.mkdir(0o750)
    with folder_written_whole(path) as part:
        (part / "x").write_text("new")
        assert stat.S_IMODE(part.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o750 and (path / "x").exists()


def test_n77_a_read_only_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_n77_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    path, read = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    reader.start()
    write_whole(path, b"new")
    reader.join(20)
    assert read == [b"new"]
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="processes are killed otherwise there")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_n77_what_a_killed_process_left_is_cleared_by_the_next(tmp_path: Path, kind: str) -> None:
    path, other = tmp_path / "out", tmp_path / ".out.something.part"
    other.touch()
    killed = subprocess.run([sys.executable, "-c", KILLED, kind, str(path)], check=False)
    assert killed.returncode < 0
    assert len(os.listdir(tmp_path)) == 2
    with written_whole(path) if kind == "file" else folder_written_whole(path) as part:
        with written_whole(tmp_path / "out2") as beside:
            beside.write_text("another output")
        (part if kind == "file" else part / "x").write_text("whole")
        assert part.exists()
    assert sorted(os.listdir(tmp_path)) == [".out.something.part", "out", "out2"]


def left_beside(path: Path) -> Path:
    """What an earlier process of this number left."""
    with written_whole(path) as part:
        part.touch()
        left = part.rename(part.with_name(part.name.replace(part.name[-13:-5], "0" * 8)))
        part.touch()
    return left


def test_what_an_earlier_process_of_the_same_number_left_is_cleared(tmp_path: Path) -> None:
    """In a container each run of a command has the same one."""
    path = tmp_path / "a.csv"
    left_beside(path)
    write_whole(path, b"new")
    assert os.listdir(tmp_path) == ["a.csv"]


def test_two_at_once_do_not_clear_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with written_whole(path) as first:
        first.write_text("first")
        write_whole(path, b"second")
        assert first.exists()
    assert path.read_text() == "first"


def test_what_another_machine_of_the_same_name_writes_is_not_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may share a folder; numbers of processes tell nothing there."""
    path, started = tmp_path / "a.csv", tmp_path / "boot_id"
    monkeypatch.setattr("csvor._utils.atomic_files._STARTED", started)
    started.write_text("one")
    left = left_beside(path)
    for machine in ("another", "one"):
        started.write_text(machine)
        write_whole(path, b"new")
        assert left.exists() == (machine == "another")
