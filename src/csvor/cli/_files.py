"""Where the commands may read and write, and files written whole or not at all."""

import csv
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from csvor._utils.atomic_files import written_whole
from csvor.cli._errors import UsageError
from csvor.cli.input._table import SUFFIXES, shown

Columns = Mapping[str, Sequence[Any]]


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


def check_table_output(path: str | None, option: str, source: str) -> None:
    """As `check_output`, for a table; `-` is standard output."""
    if path is not None and path != "-":
        check_output(path, option, list(SUFFIXES), "" if source == "-" else source)


def check_output_folder(path: str, option: str) -> None:
    """Refuse a folder to write into that is a file; what does not exist will be made."""
    if Path(path).exists() and not Path(path).is_dir():
        raise UsageError(f"{option} {path}: this is a file; name a folder")


def check_folder(path: str, option: str = "") -> None:
    """Refuse a folder to read from that does not exist."""
    if not Path(path).is_dir():
        raise UsageError(f"{option} {path}: there is no such folder".lstrip())


def write_table(path: str, columns: Columns) -> None:
    """Write columns as CSV, TSV or Parquet, by the end of the name; `-` is standard output."""
    if path == "-":
        _write_csv(sys.stdout, columns, ",")
        sys.stdout.flush()
        return
    with written_whole(Path(path)) as part:
        delimiter = SUFFIXES[Path(path).suffix.lower()]
        if delimiter:
            with part.open("x", encoding="utf-8", newline="") as file:
                _write_csv(file, columns, delimiter)
        else:
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), part)


def _write_csv(file: TextIO, columns: Columns, delimiter: str) -> None:
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_cell(value) for value in row])


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return shown(value)
