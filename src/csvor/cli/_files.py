"""Tables written whole or not at all."""

import csv
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any, TextIO

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._utils.atomic_files import written_whole
from csvor._utils.file_kinds import TEXT, WRITTEN
from csvor._utils.spelling import format_value, without_formula
from csvor.cli._paths import check_output
from csvor.cli._streams import results

Columns = Mapping[str, Sequence[Any]]


def check_table_output(path: str | None, option: str) -> None:
    """As `check_output`, for a table; `-` is standard output."""
    if path is not None and path != "-":
        check_output(path, option, WRITTEN)


def refuse_files_unseen(folder: Path, n_files: int, path: str, option: str) -> None:
    """Refuse a folder for workers to write files into, Parquet, that are not all seen here."""
    lacking = n_files - len(list(folder.glob("*.parquet")))
    if lacking:
        raise CommandError(
            fault("unseen-files", n=lacking, n_files=n_files, path=path, name=option)
        )


def write_table(path: str, columns: Columns) -> None:
    """Write columns as CSV, TSV or Parquet, by the end of the name; `-` is standard output."""
    if path == "-":
        with results() as file:
            _write_csv(file, columns, ",")
        return
    with written_whole(Path(path)) as part:
        delimiter = TEXT.get(Path(path).suffix.lower())
        if delimiter:
            with part.open("w", encoding="utf-8", newline="") as file:
                _write_csv(file, columns, delimiter)
        else:
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), part)


def safe_cells(columns: dict[str, list[Any]], safe: bool) -> dict[str, list[Any]]:
    """The same, with no text that a spreadsheet would run as a formula (N79), if that is asked."""
    if not safe:
        return columns
    return {
        without_formula(name): [without_formula(v) if isinstance(v, str) else v for v in values]
        for name, values in columns.items()
    }


def write_part(folder: str, number: int, columns: Columns) -> None:
    """Write the columns of a piece of the rows into a folder of Parquet files."""
    write_table(str(Path(folder, f"part-{number:05}.parquet")), columns)


def _write_csv(file: TextIO, columns: Columns, delimiter: str) -> None:
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_cell(value) for value in row])


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    return format_value(value)
