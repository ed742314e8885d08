"""Which table does a sheet of a workbook hold?"""

from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import pandas as pd
import pyarrow as pa

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.spelling import format_value
from csvor.cli.input._sheet_scan import SheetFacts, cell_name, scan_sheet, sheet_called


@dataclass(frozen=True)
class SheetTable:
    """The names of the columns of a sheet, and the rows below them.

    Rows without anything are left out; the index of the others is their line in the sheet, from 0.
    `merged` are the cells, by line and position, whose value is that of the cell above.
    """

    sheet: str
    others: list[str]
    names: list[str]
    rows: pd.DataFrame
    merged: dict[tuple[int, int], str]

    @property
    def first_line(self) -> int:
        """The line of the first row, from 1; 0 where lines of nothing stand between rows."""
        lines = self.rows.index
        return 2 if len(lines) and lines[-1] == len(lines) else 0


def read_excel(source: str, sheet: str | None, notes: Notes) -> tuple[pa.Table, int]:
    """A sheet of a workbook, by default the first, and the line of row 1; the first has names."""
    table = sheet_table(source, sheet)
    if sheet is None and table.others:
        facts: dict[str, Any] = {
            "n": 1 + len(table.others),
            "sheet": table.sheet,
            "others": table.others,
        }
        notes.add(fault("first-sheet", source=source, **facts))
    for position in sorted({position for _, position in table.merged}):
        areas = [area for (_, at), area in table.merged.items() if at == position]
        notes.add(fault("merged-cells", table.names[position], areas=list(dict.fromkeys(areas))))
    columns = [_typed(table.rows.iloc[:, j].tolist()) for j in range(len(table.names))]
    return pa.Table.from_arrays(columns, table.names), table.first_line


def sheet_table(source: str, sheet: str | None) -> SheetTable:
    """The table of a sheet, by default the first."""
    try:
        facts = scan_sheet(source, sheet) if is_zipfile(source) else SheetFacts()
        with pd.ExcelFile(source, engine="calamine") as book:
            names = [str(name) for name in book.sheet_names]
            wanted = sheet_called(source, sheet, names)
            cells = pd.read_excel(
                book, sheet_name=wanted, header=None, dtype=object, keep_default_na=False
            )
    except BaseException as error:
        # What calamine did not foresee is no Exception.
        unforeseen = type(error).__name__ == "PanicException"
        if isinstance(error, CommandError) or not (unforeseen or isinstance(error, Exception)):
            raise
        if not unforeseen and _is_text(source):
            raise CommandError(fault("text-as-workbook", source=source)) from None
        raise CommandError(fault("unreadable-workbook", source=source, why=str(error))) from None
    others = [name for name in names if name != wanted]
    if not len(cells):
        raise CommandError(fault("empty-sheet", source=source, sheet=wanted))
    columns = [_text(name).strip() for name in cells.iloc[0]]
    _refuse_unvalued(source, facts, columns)
    filled = (cells.iloc[1:].notna() & (cells.iloc[1:] != "")).any(axis=1)
    merged = _fill_down(cells, facts)
    return SheetTable(wanted, others, columns, cells.iloc[1:][filled], merged)


def _is_text(source: str) -> bool:
    """Whether a file begins as a table of text does: no workbook is without bytes of control."""
    with Path(source).open("rb") as file:
        start = file.read(4096)
    return start[:1] not in (b"", b"<") and min(start) >= ord("\t")


def _refuse_unvalued(source: str, facts: SheetFacts, columns: list[str]) -> None:
    """Refuse formulas that no program has computed: their cells are read as blanks."""
    for position, lines in facts.unvalued.items():
        if position < len(columns) and columns[position]:
            raise CommandError(
                fault(
                    "formulas-without-values", source=source, n=len(lines),
                    name=columns[position], cell=cell_name(lines[0], position),
                )
            )  # fmt: skip


def _fill_down(cells: pd.DataFrame, facts: SheetFacts) -> dict[tuple[int, int], str]:
    """Give all lines of merged cells the value of the first; which cells these are."""
    n_lines, n_columns = cells.shape
    at: Any = cells.iloc
    merged = {}
    for first, column, last, last_column in sorted(facts.merged):
        lines = list(range(first + 1, min(last + 1, n_lines)))
        if not first or column >= n_columns:
            continue
        at[lines, column] = at[first, column]
        area = f"{cell_name(first, column)}:{cell_name(last, last_column)}"
        for line in lines:
            merged[line, column] = area
    return merged


def _typed(values: list[Any]) -> pa.Array:
    """Cells of one kind as such, others as text: as they would be in a CSV file."""
    values = [None if _is_blank(value) else value for value in values]
    days = [value.date() if _is_day(value) else value for value in values]
    values = values if any(isinstance(value, datetime) for value in days) else days
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and (kinds <= {int, float} or len(kinds) == 1):
        try:
            return pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            pass
    return pa.array([_text(value) for value in days])


def _is_day(value: Any) -> bool:
    """Whether a moment is a date in the sheet, which has no clock."""
    return isinstance(value, datetime) and value.time() == time()


def _is_blank(value: Any) -> bool:
    return value is None or value != value or value == ""


def _text(value: Any) -> str:
    return "" if _is_blank(value) else format_value(value)
