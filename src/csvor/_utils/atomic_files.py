"""How is a file, or a folder, written whole or not at all?"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file beside `path` that takes its place when all went well, and else is removed."""
    path = path.resolve()
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        with part.open("rb+") as file:  # on the disk before the name points at it
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """As `written_whole`, of a folder; `path` is not there yet, or is empty."""
    path = path.resolve()
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    part.mkdir()
    try:
        yield part
        for begun in part.glob(".*.part"):  # by a process that was killed
            begun.unlink(missing_ok=True)
        if path.is_dir():
            path.rmdir()
        os.replace(part, path)
    finally:
        if part.is_dir():  # whoever still writes by its name does so in vain
            gone = part.rename(part.with_suffix(".gone"))
            shutil.rmtree(gone, ignore_errors=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file at once."""
    with written_whole(path) as part:
        part.write_bytes(content)
