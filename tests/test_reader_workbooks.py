"""Workbooks of others: sheets, merged cells, formulas, stray cells; nothing is lost silently."""

import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from typer.testing import CliRunner, Result

from csvor._faults.errors import CommandError
from csvor._faults.notes import Notes
from csvor.cli.commands._app import app
from csvor.cli.input import _sheet_scan
from csvor.cli.input._read import ReadOptions, read_table

NAMES = ["patient", "visit", "x", "grade"]


def visits(n: int = 80) -> list[list[Any]]:
    """Four visits of each patient, and a grade that follows x."""
    return [
        [f"p{i // 4}", i % 4 + 1, (7 * i % 80) / 8 + 0.25, ["low", "mid", "high"][7 * i % 80 // 27]]
        for i in range(n)
    ]


def make(change: Callable[[Any], None] | None = None, title: str = "visits") -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    for row in [NAMES, *visits()]:
        sheet.append(row)
    if change is not None:
        change(sheet)
    book.save("t.xlsx")


def read(sheet: str | None = None, name: str = "t.xlsx") -> tuple[Any, list[str]]:
    notes = Notes()
    return read_table(name, notes, ReadOptions(sheet=sheet)), list(notes.texts())


def complaint(sheet: str | None = None, name: str = "t.xlsx") -> str:
    with pytest.raises(CommandError) as error:
        read(sheet, name)
    return str(error.value)


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def with_part(end: str, change: Callable[[bytes], bytes]) -> None:
    """The same workbook with another part."""
    with zipfile.ZipFile("t.xlsx") as old:
        parts = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile("t.xlsx", "w", zipfile.ZIP_DEFLATED) as new:
        for name, raw in parts.items():
            new.writestr(name, change(raw) if name.endswith(end) else raw)


ROW = b'<row r="1048576">%s</row></sheetData>'


@pytest.mark.parametrize(
    "row",
    [ROW % b'<c r="XFD1048576"><v>1</v></c>', ROW % (b"<c><v>1</v></c>" * 16_384),
     ROW % b'<c r="XFD1048576" t="inlineStr"><is><t>a</t></is></c>'],
    ids=["one cell", "cells without places", "a text"],
)  # fmt: skip
def test_n74_a_stray_cell_is_refused_before_it_takes_the_memory(row: bytes) -> None:
    """A file of 5 kB took all memory, and ended with a stack in another language."""
    make()
    with_part("sheet1.xml", lambda raw: raw.replace(b"</sheetData>", row))
    said = complaint()
    assert "t.xlsx: the sheet 'visits' has a value in line 1048576 and one in column" in said
    assert "delete the lines below the table and the columns beside it" in said
    # The end of its name does not matter.
    Path("t.xlsx").rename("t.xls")
    assert complaint(name="t.xls") == said.replace("t.xlsx", "t.xls")


def test_n74_the_remedy_is_right() -> None:
    make(lambda sheet: sheet.cell(1_048_576, 16_384, "x"))
    assert "20 million cells" in complaint()
    book = openpyxl.load_workbook("t.xlsx")
    del book.active._cells[1_048_576, 16_384]
    book.save("t.xlsx")
    assert read()[0].n_rows == 80


def test_n74_formats_far_off_are_no_values() -> None:
    make()
    far = ROW % b'<c r="XFD1048576" s="0"/>'
    with_part("sheet1.xml", lambda raw: raw.replace(b"</sheetData>", far))
    assert read()[0].n_rows == 80


def test_n74_another_sheet_may_reach_far() -> None:
    make(lambda sheet: sheet.parent.create_sheet("far").cell(1_048_576, 16_384, 1))
    assert read("visits")[0].n_rows == 80
    assert "the sheet 'far' has a value in line 1048576" in complaint("far")


def test_n74_repeated_cells_of_opendocument() -> None:
    names = "office table text"
    spaces = "".join(
        f' xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in names.split()
    )
    cell = '<table:table-cell office:value-type="float" office:value="1" {}/>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    table = row.format('table:number-columns-repeated="16384"')
    with zipfile.ZipFile("t.ods", "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr(
            "content.xml",
            f"<office:document-content{spaces}><office:body><office:spreadsheet><table:table "
            f'table:name="S">{table}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )
    assert "the sheet 'S' has a value in line 1048576" in complaint(name="t.ods")


@pytest.mark.parametrize("part", ["sheet1.xml", "sharedStrings.xml"])
def test_n74_what_unpacks_to_too_much_is_refused(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with xlsxwriter.Workbook("t.xlsx") as book:
        for line, row in enumerate([NAMES, *visits()]):
            book.add_worksheet() if not line else None
            book.worksheets()[0].write_row(line, 0, row)
    assert read()[0].n_rows == 80
    monkeypatch.setattr(_sheet_scan, "LARGEST", 1 << 20)
    end = b"</sheetData>" if part.startswith("sheet") else b"</sst>"
    with_part(part, lambda raw: raw.replace(end, b" " * (1 << 21) + end))
    assert "t.xlsx: unpacks to more than" in complaint()


def test_n62_another_sheet_is_read_and_edited() -> None:
    def readme(sheet: Any) -> None:
        first = sheet.parent.create_sheet("Read me", 0)
        first.append(["Ratings of the 2024 round"])

    make(readme)
    assert "there are no rows below the first line" in complaint()
    result = run("audit", "t.xlsx", "--target", "grade")
    assert "--sheet NAME reads another ('visits')" in result.stderr
    table, notes = read(" visits")
    assert (table.n_rows, notes) == (80, [])
    Path("d.csv").write_text("row,target,given,decision,label\n2,grade,low,relabel,high\n")
    result = run("apply", "d.csv", "t.xlsx", "--sheet", "visits", "--out", "o.xlsx")
    assert result.exit_code == 0, result.output
    assert "--sheet visits" in result.stdout
    before, after = openpyxl.load_workbook("t.xlsx"), openpyxl.load_workbook("o.xlsx")
    rows = [list(row) for row in before["visits"].values]
    rows[2][3] = "high"
    assert [list(row) for row in after["visits"].values] == rows
    assert list(after["Read me"].values) == list(before["Read me"].values)


def test_n62_sheets_that_there_are_none_of() -> None:
    make()
    assert (
        complaint("Visits 2") == "t.xlsx has no sheet 'Visits 2' (--sheet); its sheets are 'visits'"
    )
    Path("t.csv").write_text("x,grade\n1,2\n")
    result = run("audit", "t.csv", "--target", "grade", "--sheet", "visits")
    assert result.exit_code == 2
    assert "--sheet visits: t.csv is no workbook" in result.stderr


def test_n62_merged_cells_have_their_value_in_each_line() -> None:
    """The advice was a value of its own for each blank row, which parts the visits of a patient."""

    def merge(sheet: Any) -> None:
        for line in range(2, 82, 4):
            sheet.merge_cells(start_row=line, end_row=line + 3, start_column=1, end_column=1)

    make(merge)
    table, notes = read()
    assert table.columns["patient"].texts == [row[0] for row in visits()]
    (note,) = notes
    assert note == (
        "column 'patient': cells that are merged over several lines have their value in each of "
        "these ('A2:A5', 'A6:A9', 'A10:A13' and 17 more)"
    )


def test_n62_labels_in_merged_cells_are_not_edited() -> None:
    make(lambda sheet: sheet.merge_cells("D2:D3"))
    Path("d.csv").write_text("row,target,given,decision,label\n3,grade,low,relabel,high\n")
    result = run("apply", "d.csv", "t.xlsx", "--out", "o.xlsx")
    assert result.exit_code == 1
    assert "the label in D3 is that of merged cells (D2:D3)" in result.stderr


def test_n62_formulas_without_values_are_refused() -> None:
    """Such a column was blank, and left out."""

    def compute(sheet: Any) -> None:
        for line in range(2, 82):
            sheet.cell(line, 3, f"=B{line}*2")

    make(compute)
    assert complaint() == (
        "t.xlsx: 80 cells of the column 'x' (C2) have formulas that were never computed, as "
        "programs write them that are no spreadsheet; open the file in a spreadsheet and save it "
        "there, or take the column out"
    )
    # As a spreadsheet saves them.
    with_part("sheet1.xml", lambda raw: re.sub(b"<v></v>|<v ?/>", b"<v>4.5</v>", raw))
    assert read()[0].columns["x"].numbers.tolist() == [4.5] * 80


def titled(sheet: Any) -> None:
    sheet.insert_rows(1, 2)
    sheet["A1"] = "Ratings of the 2024 round"


def test_n62_a_title_above_the_names() -> None:
    """Four notes said that a column has no name, and the fault named the title as a column."""
    make(titled)
    result = run("audit", "t.xlsx", "--target", "grade")
    assert result.exit_code == 1
    assert result.stderr == (
        "csvor: error: t.xlsx: the first line names no column 'grade', but row 1 below it holds "
        "this name; delete the lines above that row, so that the names of the columns stand in the "
        "first line\n"
    )
    book = openpyxl.load_workbook("t.xlsx")
    book.active.delete_rows(1, 2)
    book.save("t.xlsx")
    assert read()[0].n_rows == 80


def test_n62_a_title_above_the_names_of_raters() -> None:
    make(titled)
    result = run("audit", "t.xlsx", "--target", "grade,visit")
    assert "names no column 'grade'" in result.stderr


def test_n62_a_blank_column_is_called_blank() -> None:
    def blank(sheet: Any) -> None:
        for line in range(2, 82):
            sheet.cell(line, 3).value = None

    make(blank)
    result = run("audit", "t.xlsx", "--target", "grade", "--top", 0)
    assert "column 'x' is blank in all rows and is left out" in result.stderr


@pytest.mark.parametrize("all_dates", [False, True])
def test_n62_labels_that_a_spreadsheet_made_dates(all_dates: bool) -> None:
    def dates(sheet: Any) -> None:
        for line in range(2, 82):
            value = sheet.cell(line, 4).value
            month = {"low": 2, "mid": 4, "high": 6}[value]
            sheet.cell(line, 4).value = datetime(2024, month, month - 1)
            if month == 6 and not all_dates:
                sheet.cell(line, 4).value = "5 or 6"

    make(dates)
    result = run("audit", "t.xlsx", "--target", "grade")
    assert result.exit_code == 1 and "00:00" not in result.stderr
    assert "if a spreadsheet made dates of labels such as 1-2, write these as text" in result.stderr
