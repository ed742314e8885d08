"""Where the commands may read and write; said before the work begins and before its imports."""

import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path, PurePath
from typing import Any

from csvor._faults.errors import refuse
from csvor._utils.file_kinds import EDITED, PACKED, PARQUET, READ, kind_of


def check_input(source: str) -> None:
    """Refuse a file to read that is not there; `-` is standard input."""
    path = Path(source)
    if source != "-" and path.is_dir():
        _refuse_deeper(path)
        hint = " (a folder of Parquet files takes --dask local)" * bool(parquet_files(source))
        refuse("input-is-folder", path=path, hint=hint)
    if source != "-" and not path.exists():
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        stems = {PurePath(name).stem: name for name in beside}
        stems |= {PurePath(n).stem: n for n in beside if PurePath(n).suffix == path.suffix}
        # All names end alike.
        close = [stems[one] for one in get_close_matches(path.stem, stems, n=1, cutoff=0.75)]
        hint = f"; did you mean '{close[0]}'?" if close else ""
        if path.stem.endswith("-decisions"):
            hint = "; the page saves it among your browser's downloads: move it here" + hint
        if "://" in source:
            hint = "; download what an address names, and name the file here"
        refuse("no-file", path=source, hint=hint)


def parquet_files(folder: str | Path) -> list[Path]:
    """The Parquet files of a folder, in the order of their names."""
    paths = (path for path in Path(folder).iterdir() if path.suffix.lower() in PARQUET)
    return sorted(path for path in paths if path.is_file() and path.name[0] not in "._")


def check_parquet(source: str) -> None:
    """Refuse what is neither a Parquet file nor a folder of such files."""
    path = Path(source)
    if not path.is_dir() and path.suffix.lower() not in PARQUET:
        refuse("no-parquet", source=source, endings=" or ".join(PARQUET))
    check_input_or_folder(source)


def refuse_layout(source: str, delimiter: str | None, sheet: str | None) -> None:
    """Refuse a sign between columns for what is no text file, a sheet for what is no workbook."""
    if delimiter is not None:
        refuse("delimiter-of-no-text", delimiter=delimiter, source=source)
    if sheet is not None:
        refuse("sheet-of-no-workbook", sheet=sheet, source=source)


def check_input_or_folder(source: str) -> None:
    """As `check_input`; a folder of Parquet files will do, if all of them would be read."""
    path = Path(source)
    if not path.is_dir():
        check_input(source)
        return
    _refuse_deeper(path)
    if not parquet_files(path):
        refuse("no-parquet-inside", path=path)


def _refuse_deeper(path: Path) -> None:
    """Refuse a folder with Parquet files in folders of it, whose names may be values (N56)."""
    deeper = next((file for end in PARQUET for file in path.glob(f"*/**/*{end}")), None)
    if deeper is None:
        return
    folders = deeper.relative_to(path).parts[:-1]
    names = [name for name, sign, _ in (part.partition("=") for part in folders) if sign]
    facts = {"path": path, "folder": deeper.parent}
    if names:
        refuse("parquet-hive", n=len(names), names=names, flat=f"{path.name}-flat", **facts)
    refuse("parquet-deeper", **facts)


def other_tables(folder: str) -> list[str]:
    """The files of a folder that are read as tables, but for those of Parquet."""
    paths = sorted(Path(folder).iterdir()) if Path(folder).is_dir() else []
    others = [path for path in paths if kind_of(path.name) in (*READ, *PACKED)]
    return [path.name for path in others if path.suffix.lower() not in PARQUET]


def check_new_folder(path: str, option: str, source: str) -> None:
    """Refuse a folder to write that holds something, lies in the `source`, or cannot be made."""
    target = Path(path)
    if Path(source).resolve() in target.resolve().parents:
        refuse("output-in-data", name=option, path=path)
    check_output_folder(path, option)
    if target.suffix.lower() in EDITED:
        refuse("output-like-file", name=option, path=path, suffix=target.suffix)
    if target.is_dir() and any(target.iterdir()):
        refuse("output-not-empty", name=option, path=path)
    _check_parent(path, option, target.resolve().parent)


def check_output(path: str, option: str, suffixes: Sequence[str]) -> None:
    """Refuse an output that cannot be written before the work begins, not after it."""
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        refuse("output-ending", name=option, path=path, endings=" or ".join(suffixes))
    if target.is_dir():
        refuse("output-is-folder", name=option, path=path)
    if target.is_file() and not target.stat().st_mode & 0o222:
        refuse("output-read-only", name=option, path=path)
    _check_parent(path, option, target.parent)


def refuse_overwritten(written: Mapping[str, Any], read: Mapping[str, Any]) -> None:
    """Refuse an output that another option names too, by whatever spelling or link (N76).

    The values of all options of a command by their names; of those that are read a text that is
    no file is no path.
    """
    outputs = {option: Path(path) for option, path in written.items() if path not in (None, "-")}
    for option, output in outputs.items():
        for other, values in read.items():
            for value in values if isinstance(values, list) else [values]:
                if isinstance(value, str) and _is_same_file(output, value):
                    refuse("output-taken", name=option, path=output, other=other, done="read")
    for (option, output), (other, path) in combinations(outputs.items(), 2):
        if output.resolve() == path.resolve():
            refuse("output-taken", name=option, path=output, other=other, done="written")


def _is_same_file(output: Path, text: str) -> bool:
    try:
        return os.path.isfile(text) and output.exists() and output.samefile(text)
    except (OSError, ValueError):  # a text that is no path
        return False


def _check_parent(path: str, option: str, folder: Path) -> None:
    parent = Path(path).resolve().parent
    if not parent.is_dir():
        refuse("output-nowhere", name=option, path=path, folder=folder)
    if not os.access(parent, os.W_OK):
        refuse("output-locked", name=option, path=path, folder=folder)


def check_output_folder(path: str, option: str) -> None:
    """Refuse a folder to write into that is a file; what does not exist will be made."""
    if Path(path).exists() and not Path(path).is_dir():
        refuse("output-is-file", name=option, path=path)


def check_folder(path: str, option: str = "") -> None:
    """Refuse a folder to read from that does not exist."""
    if not Path(path).is_dir():
        refuse("no-folder", name=f"{option} {path}".lstrip())
