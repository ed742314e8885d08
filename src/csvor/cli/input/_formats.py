"""How do Excel, Feather and JSON lines files become Arrow tables?"""

from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.json as pa_json

from csvor.cli._errors import CommandError
from csvor.cli._notes import Notes
from csvor.cli._spelling import format_value

EXCEL = {".xlsx", ".xls", ".ods"}
FEATHER = {".feather", ".arrow"}
JSON_LINES = {".jsonl", ".ndjson"}


def read_feather(source: str) -> pa.Table:
    """The table of a Feather (Arrow IPC) file."""
    try:
        return pa_feather.read_table(source, memory_map=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise CommandError(f"{source}: not a readable Feather file ({error})") from None


def read_json_lines(source: str) -> pa.Table:
    """The table of a file with one JSON object a line."""
    try:
        return pa_json.read_json(source)
    except pa.ArrowInvalid as error:
        raise CommandError(
            f"{source}: not readable as JSON lines, one object with the same keys a line ({error})"
        ) from None


def read_excel(source: str, notes: Notes) -> pa.Table:
    """The first sheet of a workbook; its first row names the columns."""
    try:
        import python_calamine  # noqa: F401
    except ImportError:
        raise CommandError(
            f"{source}: reading workbooks needs python-calamine; pip install 'csvor[excel]', or "
            "save the sheet as CSV in UTF-8"
        ) from None
    try:
        with pd.ExcelFile(source, engine="calamine") as book:
            sheet, *others = book.sheet_names
            cells = pd.read_excel(book, header=None, dtype=object, keep_default_na=False)
    except Exception as error:
        raise CommandError(f"{source}: not a readable workbook ({error})") from None
    if others:
        notes.add(f"{source}: only the first of {len(others) + 1} sheets, '{sheet}', is read")
    if not len(cells):
        raise CommandError(
            f"{source}: the sheet '{sheet}' is empty; its first row must name columns"
        )
    names = [_text(name).strip() for name in cells.iloc[0]]
    filled = (cells.iloc[1:].map(_text) != "").any(axis=1)
    rows = cells.iloc[1:][filled]
    return pa.Table.from_arrays(
        [_typed(rows.iloc[:, j].tolist()) for j in range(len(names))], names
    )


def _typed(values: list[Any]) -> pa.Array:
    """Cells of one kind as such, others as text: as they would be in a CSV file."""
    filled = [value for value in values if _text(value)]
    kinds = {type(value) for value in filled}
    if filled and (kinds <= {int, float} or len(kinds) == 1):
        try:
            return pa.array([value if _text(value) else None for value in values])
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            pass
    return pa.array([_text(value) for value in values])


def _text(value: Any) -> str:
    return "" if value is None or value != value else format_value(value)
