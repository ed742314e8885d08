"""How do Excel, Feather and JSON lines files become Arrow tables?"""

from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.json as pa_json

from csvor.cli._errors import CommandError
from csvor.cli._fault import fault
from csvor.cli._notes import Notes
from csvor.cli._spelling import format_value


def read_feather(source: str) -> pa.Table:
    """The table of a Feather (Arrow IPC) file."""
    try:
        return pa_feather.read_table(source, memory_map=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise _unreadable(source, "Feather file", error) from None


def read_json_lines(source: str) -> pa.Table:
    """The table of a file with one JSON object a line."""
    try:
        return pa_json.read_json(source)
    except pa.ArrowInvalid as error:
        raise CommandError(fault("unreadable-json", source=source, why=str(error))) from None


def read_excel(source: str, notes: Notes) -> pa.Table:
    """The first sheet of a workbook; its first row names the columns."""
    try:
        import python_calamine  # noqa: F401
    except ImportError:
        raise CommandError(fault("no-calamine", source=source)) from None
    try:
        with pd.ExcelFile(source, engine="calamine") as book:
            sheet, *others = book.sheet_names
            cells = pd.read_excel(book, header=None, dtype=object, keep_default_na=False)
    except Exception as error:
        raise _unreadable(source, "workbook", error) from None
    if others:
        n = len(others) + 1
        notes.add(fault("first-sheet", source=source, n=n, sheet=sheet))
    if not len(cells):
        raise CommandError(fault("empty-sheet", source=source, sheet=sheet))
    names = [_text(name).strip() for name in cells.iloc[0]]
    filled = (cells.iloc[1:].map(_text) != "").any(axis=1)
    rows = cells.iloc[1:][filled]
    return pa.Table.from_arrays(
        [_typed(rows.iloc[:, j].tolist()) for j in range(len(names))], names
    )


def _unreadable(source: str, what: str, error: Exception) -> CommandError:
    return CommandError(fault("unreadable", source=source, what=what, why=str(error)))


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
