"""Where the commands may read and write; said before the work begins and before its imports."""

import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from csvor._utils.file_kinds import EDITED, PARQUET
from csvor.cli._errors import UsageError


def check_input(source: str) -> None:
    """Refuse a file to read that is not there; `-` is standard input."""
    if source == "-":
        return
    path = Path(source)
    if path.is_dir():
        remedy = " (a folder of Parquet files takes --dask local)" * bool(parquet_files(source))
        raise UsageError(f"{path}: this is a folder; name the file{remedy}")
    if not path.exists():
        folder = path.parent
        beside = [p.name for p in folder.iterdir()] if folder.is_dir() else []
        close = get_close_matches(path.name, beside, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise UsageError(f"{path}: there is no such file{hint}")


def parquet_files(folder: str | Path) -> list[Path]:
    """The Parquet files of a folder, in the order of their names."""
    paths = (path for path in Path(folder).iterdir() if path.suffix.lower() in PARQUET)
    return sorted(path for path in paths if path.is_file() and path.name[0] not in "._")


def check_parquet(source: str) -> None:
    """Refuse what is neither a Parquet file nor a folder of such files."""
    path = Path(source)
    if not path.is_dir():
        if path.suffix.lower() not in PARQUET:
            raise UsageError(
                f"{source}: --dask reads a folder of Parquet files, or one such file "
                f"({' or '.join(PARQUET)}); leave --dask out, or convert the data"
            )
        check_input(source)
        return
    check_parquet_folder(path)


def refuse_delimiter(delimiter: str | None, source: str) -> None:
    """Refuse the sign between columns for what is no text file."""
    if delimiter is not None:
        raise UsageError(f"--delimiter {delimiter}: {source} is no text file")


def check_input_or_folder(source: str) -> None:
    """As `check_input`; a folder of Parquet files will do."""
    if Path(source).is_dir():
        check_parquet_folder(Path(source))
    else:
        check_input(source)


def check_parquet_folder(path: Path) -> None:
    """Refuse a folder without Parquet files, or with such that would not be read."""
    deeper = [file for end in PARQUET for file in path.glob(f"*/**/*{end}")]
    if deeper:
        raise UsageError(
            f"{path}: {deeper[0].parent} is a folder in it with Parquet files, which would not "
            "be read; put all files into one folder"
        )
    if not parquet_files(path):
        raise UsageError(f"{path}: there is no Parquet file in this folder")


def check_new_folder(path: str, option: str, source: str) -> None:
    """Refuse a folder to write that holds something, lies in the `source`, or cannot be made."""
    target = Path(path)
    if Path(source).resolve() in target.resolve().parents:
        raise UsageError(f"{option} {path}: this lies in the folder of the data; name another")
    if target.is_file():
        raise UsageError(f"{option} {path}: this is a file; name a folder")
    if target.suffix.lower() in EDITED:
        raise UsageError(
            f"{option} {path}: what is written is a folder of Parquet files; name it without "
            f"'{target.suffix}'"
        )
    if target.is_dir() and any(target.iterdir()):
        raise UsageError(f"{option} {path}: this folder holds files already; name a new one")
    parent = target.resolve().parent
    if not parent.is_dir():
        raise UsageError(f"{option} {path}: the folder {parent} does not exist")
    if not os.access(parent, os.W_OK):
        raise UsageError(f"{option} {path}: the folder {parent} cannot be written to")


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
