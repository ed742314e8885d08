"""Where the commands may read and write; said before the work begins and before its imports."""

import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from csvor.cli._errors import UsageError


def check_input(source: str) -> None:
    """Refuse a file to read that is not there; `-` is standard input."""
    if source == "-":
        return
    path = Path(source)
    if path.is_dir():
        raise UsageError(f"{path}: this is a folder; name the file")
    if not path.exists():
        folder = path.parent
        beside = [p.name for p in folder.iterdir()] if folder.is_dir() else []
        close = get_close_matches(path.name, beside, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise UsageError(f"{path}: there is no such file{hint}")


def check_output(path: str, option: str, suffixes: Sequence[str], source: str = "") -> None:
    """Refuse an output that cannot be written before the work begins, not after it."""
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        raise UsageError(f"{option} {path}: the name must end in {' or '.join(suffixes)}")
    if target.is_dir():
        raise UsageError(f"{option} {path}: this is a folder; name a file")
    if not target.resolve().parent.is_dir():
        raise UsageError(f"{option} {path}: the folder {target.parent} does not exist")
    if not os.access(target.resolve().parent, os.W_OK):
        raise UsageError(f"{option} {path}: the folder {target.parent} cannot be written to")
    if source and target.exists() and target.samefile(source):
        raise UsageError(f"{option} {path}: this is the data file itself; name another")


def check_output_folder(path: str, option: str) -> None:
    """Refuse a folder to write into that is a file; what does not exist will be made."""
    if Path(path).exists() and not Path(path).is_dir():
        raise UsageError(f"{option} {path}: this is a file; name a folder")


def check_folder(path: str, option: str = "") -> None:
    """Refuse a folder to read from that does not exist."""
    if not Path(path).is_dir():
        raise UsageError(f"{option} {path}: there is no such folder".lstrip())
