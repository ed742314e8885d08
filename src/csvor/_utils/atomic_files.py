"""How is a file, or a folder, written whole or not at all?"""

import os
import platform
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

# Of a name beside its hidden part: names have a limit of 255 bytes.
_LONGEST = 200
# What tells machines of one name apart that share a folder: each start of one has another number
# there, on Linux, and what was left before that stays.
_STARTED = Path("/proc/sys/kernel/random/boot_id")
# The names of what this process writes now. Another with its number in it was left by an earlier
# process: where a container starts a command anew, the number is the same each time.
_writing: set[str] = set()


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file beside `path` that takes its place, and its mode, when all went well.

    Else it is removed, as are those of processes that were killed. Until then, only its owner may
    read what is to replace a file. What is no file (a device, a pipe) is written to in the end; a
    file that is read-only is refused, as by `open` (N77).
    """
    path = path.resolve()
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        with TemporaryDirectory() as folder:
            part = Path(folder, path.name)
            yield part
            with part.open("rb") as source, path.open("wb") as file:
                shutil.copyfileobj(source, file)
        return
    if mode is not None and not mode & 0o222:
        raise PermissionError(13, "The file is read-only", str(path))
    _clear(path)
    part = _beside(path)
    try:
        if mode is not None:
            part.touch(0o600)
        yield part
        with part.open("rb+") as file:  # on the disk before the name points at it
            os.fsync(file.fileno())
        if mode is not None:
            part.chmod(stat.S_IMODE(mode))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
        _writing.discard(part.stem)


@contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """As `written_whole`, of a folder; `path` is not there yet, or is empty."""
    path = path.resolve()
    _clear(path)
    part, mode = _beside(path), path.stat().st_mode if path.is_dir() else None
    part.mkdir(0o777 if mode is None else 0o700)
    try:
        yield part
        for begun in part.glob(".*.part"):  # by a process that was killed
            begun.unlink(missing_ok=True)
        if mode is not None:
            part.chmod(stat.S_IMODE(mode))
            path.rmdir()
        os.replace(part, path)
    finally:
        if part.is_dir():  # whoever still writes by its name does so in vain
            gone = part.rename(part.with_suffix(".gone"))
            shutil.rmtree(gone, ignore_errors=True)
        _writing.discard(part.stem)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file at once."""
    with written_whole(path) as part:
        part.write_bytes(content)


def _beside(path: Path) -> Path:
    """A name that says which process of which machine writes there."""
    part = path.with_name(f"{_of_machine(path)}{os.getpid()}-{secrets.token_hex(4)}.part")
    _writing.add(part.stem)
    return part


def _of_machine(path: Path) -> str:
    name = path.name.encode()[:_LONGEST].decode(errors="ignore")
    started = _STARTED.read_text() if _STARTED.is_file() else ""
    return f".{name}.{crc32((platform.node() + started).encode()):08x}-"


def _clear(path: Path) -> None:
    """Remove what processes of this machine left that ended while they wrote."""
    start = _of_machine(path)
    for name in os.listdir(path.parent) if path.parent.is_dir() else ():
        if name.startswith(start) and name.endswith((".part", ".gone")):
            process, part = name.removeprefix(start).partition("-")[0], path.with_name(name)
            if part.stem in _writing or not process.isdecimal():
                continue
            if not _is_running(int(process)):
                shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    """Whether there is another process of this number."""
    if process == os.getpid():
        return False
    if os.name == "nt":  # where a signal of 0 ends the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
