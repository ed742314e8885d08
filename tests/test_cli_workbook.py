"""`csvor apply` of a workbook: cells of labels and lines change, all else stays as it was."""

import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
import xlsxwriter
from typer.testing import CliRunner, Result

from csvor.cli._cell_areas import Gone
from csvor.cli.commands._app import app
from csvor.cli.input import _sheet_scan
from csvor.cli.input._sheet_scan import column_letters

LABELS = ["none", "mild", "severe"]
# A comma, quotes, other alphabets, what XML has to escape.
IDS = ['Ng, "Bo"', "Жук", "名前", "a < b & c", "007", "=1+1"]


def run(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(arg) for arg in args])


def decide(*lines: str) -> None:
    Path("d.csv").write_text("\n".join(["row,target,given,decision,label", *lines]), "utf-8")


def rows_of(n: int = 12) -> list[list[Any]]:
    return [[f"{IDS[i % 6]} {i}", LABELS[i % 3], i + 0.5] for i in range(n)]


def make(
    more: Callable[[xlsxwriter.Workbook, Any], None] | None = None,
    rows: list[list[Any]] | None = None,
) -> None:
    """A workbook as Excel writes it: id, grade and x in A to C, with a second sheet."""
    with xlsxwriter.Workbook("b.xlsx", {"strings_to_formulas": False}) as book:
        sheet, other = book.add_worksheet("Wounds, O'B"), book.add_worksheet("Notes")
        red = book.add_format({"bold": True, "font_color": "red"})
        sheet.write_row(0, 0, ["id", "grade", "x"], red)
        for line, row in enumerate(rows_of() if rows is None else rows, start=1):
            sheet.write_row(line, 0, row, red if line == 3 else None)
        other.write("A1", "keep me")
        if more is not None:
            more(book, sheet)


def parts(name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(name) as archive:
        return {part: archive.read(part) for part in archive.namelist()}


def values(name: str) -> list[tuple[Any, ...]]:
    return list(openpyxl.load_workbook(name).worksheets[0].values)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_label_is_changed_and_all_else_is_the_bytes_that_it_was() -> None:
    make()
    decide("2,grade,mild,relabel,severe", "3,grade,severe,keep,", "5,grade,mild,relabel,none")
    result = run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx")
    assert (result.exit_code, result.stderr) == (
        0, "note: b.xlsx: only the first of 2 sheets, 'Wounds, O'B', is read; "
        "--sheet NAME reads another ('Notes')\n",
    )  # fmt: skip
    assert "Written    12 rows: c.xlsx" in result.stdout
    expected = rows_of()
    expected[1][1], expected[4][1] = "severe", "none"
    assert values("c.xlsx")[1:] == [tuple(row) for row in expected]
    before, after = parts("b.xlsx"), parts("c.xlsx")
    changed = [name for name in before if before[name] != after[name]]
    assert list(before) == list(after) and changed == ["xl/worksheets/sheet1.xml"]
    cells = [re.findall(rb"<c .*?</c>", one[changed[0]]) for one in (before, after)]
    differ = [one for one, other in zip(*cells, strict=True) if one != other]
    assert [re.search(rb'r="(\w+)"', one)[1] for one in differ] == [b"B3", b"B6"]  # type: ignore[index]
    # What was read is what is read again, and the audit that follows is that of the file before.
    assert pd.read_excel("c.xlsx", engine="calamine")["grade"].tolist() == [r[1] for r in expected]


def test_labels_that_no_cell_holds_and_numbers() -> None:
    make()
    decide('1,grade,none,relabel,<worse> & "more"')
    Path("d.csv").write_text(
        'row,target,given,decision,label\n1,grade,none,relabel,"<worse> & ""x"""\n', "utf-8"
    )
    order = ("--classes", 'none,mild,severe,"<worse> & ""x"""')
    assert run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx", *order).exit_code == 0
    assert values("c.xlsx")[1][1] == '<worse> & "x"'
    make(rows=[["a", 1, 0.5], ["b", 2, 1.5], ["c", 2, 2.5]])
    decide("2,grade,2,relabel,3", "3,grade,2.0,relabel,1")
    more = ("--out", "c.xlsx", "--classes", "1,2,3")
    assert run("apply", "d.csv", "b.xlsx", *more).exit_code == 0
    assert [row[1] for row in values("c.xlsx")[1:]] == [1, 3, 1]


def furnished(book: xlsxwriter.Workbook, sheet: Any) -> None:
    """What moves with the rows: filters, names, formats, lists, links, a merged cell, a height."""
    bold = book.add_format({"bold": True})
    sheet.autofilter("A1:C13")
    sheet.freeze_panes(1, 0)
    sheet.set_row(9, 30)
    rule = {"type": "cell", "criteria": ">", "value": 5, "format": bold}
    sheet.conditional_format("C2:C13", rule)
    sheet.data_validation("B2:B13", {"validate": "list", "source": LABELS})
    sheet.write_url("D8", "https://example.org", string="link")
    sheet.merge_range("D10:E10", "two")
    sheet.print_area("A1:C13")
    sheet.repeat_rows(0)
    book.define_name("grades", "='Wounds, O''B'!$B$2:$B$13")


def test_rows_are_dropped_and_what_names_lines_moves() -> None:
    make(furnished)
    decide("1,grade,none,drop,", "4,grade,none,drop,", "12,grade,severe,drop,")
    result = run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx")
    assert result.exit_code == 0, result.output
    book = openpyxl.load_workbook("c.xlsx")
    sheet = book.worksheets[0]
    assert [row[:3] for row in list(sheet.values)[1:]] == [
        tuple(row) for i, row in enumerate(rows_of(), start=1) if i not in (1, 4, 12)
    ]
    assert (sheet.auto_filter.ref, sheet.freeze_panes) == ("A1:C10", "A2")
    assert [str(area.sqref) for area in sheet.conditional_formatting] == ["C2:C10"]
    assert [str(one.sqref) for one in sheet.data_validations.dataValidation] == ["B2:B10"]
    assert [str(area) for area in sheet.merged_cells.ranges] == ["D8:E8"]
    assert sheet["D6"].hyperlink.target.startswith("https://example.org")
    assert sheet.row_dimensions[8].height == 30
    assert sheet["A3"].font.b and not sheet["A2"].font.b  # row 3 is bold
    assert book.defined_names["grades"].attr_text == "'Wounds, O''B'!$B$2:$B$10"
    assert sheet.print_area == "'Wounds, O''B'!$A$1:$C$10" and sheet.print_title_rows == "$1:$1"
    assert book.worksheets[1]["A1"].value == "keep me"


def names_after(names: dict[str, str], *lines: int) -> dict[str, str]:
    """What names stand for once lines of a sheet Q are taken out; another is called FAQ."""
    with xlsxwriter.Workbook("b.xlsx", {"strings_to_formulas": False}) as book:
        for sheet in (book.add_worksheet("Q"), book.add_worksheet("FAQ")):
            for line, row in enumerate([["id", "grade", "x"], *rows_of(60)]):
                sheet.write_row(line, 0, row)
        for name, text in names.items():
            book.define_name(name, f"={text}")
    decide(*(f"{line - 1},grade,{LABELS[(line - 2) % 3]},drop," for line in lines))
    result = run("apply", "d.csv", "b.xlsx", "--sheet", "Q", "--out", "c.xlsx")
    assert result.exit_code == 0, result.output
    known = openpyxl.load_workbook("c.xlsx").defined_names
    return {name: known[name].attr_text for name in names}


def test_areas_of_a_name_that_begin_alike_move_each_by_itself() -> None:
    names = {
        "longer": "Q!$A$2:$A$5,Q!$A$2:$A$50",
        "nested": "Q!$A$2:$A$10,Q!$A$2:$A$9",
        "twice": "Q!$A$2:Q!$A$5,'Q'!$A$9",
    }
    assert names_after(names, 3) == {
        "longer": "Q!$A$2:$A$4,Q!$A$2:$A$49",
        "nested": "Q!$A$2:$A$9,Q!$A$2:$A$8",
        "twice": "Q!$A$2:$A$4,'Q'!$A$8",
    }


def test_a_sheet_whose_name_ends_alike_is_another() -> None:
    names = {"far": "FAQ!$A$2:$A$50", "near": "Q!$A$2:$A$50"}
    assert names_after(names, 3, 4) == {"far": "FAQ!$A$2:$A$50", "near": "Q!$A$2:$A$48"}


def test_one_of_several_areas_that_goes_stands_against_it() -> None:
    make(lambda book, _: book.define_name("two", "='Wounds, O''B'!$A$6,'Wounds, O''B'!$A$8"))
    decide("5,grade,mild,drop,")
    result = run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx")
    assert "the name two for a part of it" in result.stderr


def test_pictures_are_copied_and_what_unpacks_to_too_much_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make()
    picture = random.Random(0).randbytes(1 << 16) + bytes(1 << 20)
    with zipfile.ZipFile("b.xlsx", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image1.png", picture)
        archive.writestr("docProps/last.xml", "<a/>")
    decide("2,grade,mild,relabel,severe")
    assert run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx").exit_code == 0
    before, after = parts("b.xlsx"), parts("c.xlsx")
    assert list(before) == list(after) and after["xl/media/image1.png"] == picture
    assert values("c.xlsx")[2][1] == "severe"
    assert Path("c.xlsx").stat().st_size < 1 << 17
    monkeypatch.setattr(_sheet_scan, "LARGEST", 1 << 20)
    result = run("apply", "d.csv", "b.xlsx", "--out", "e.xlsx")
    assert result.exit_code == 1 and not Path("e.xlsx").exists()
    assert "error: b.xlsx: unpacks to more than" in result.stderr


def test_a_table_shrinks_with_its_rows() -> None:
    def table(_: Any, sheet: Any) -> None:
        columns = [{"header": name} for name in ("id", "grade", "x")]
        sheet.add_table("A1:C13", {"columns": columns, "name": "wounds"})

    make(table)
    decide("3,grade,severe,drop,", "12,grade,severe,drop,")
    assert run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx").exit_code == 0
    sheet = openpyxl.load_workbook("c.xlsx").worksheets[0]
    assert sheet.tables["wounds"].ref == sheet.tables["wounds"].autoFilter.ref == "A1:C11"


def test_rows_are_those_of_the_sheet_where_lines_are_blank_and_columns_lead() -> None:
    """Blank lines are no rows, and a decision on row 4 is about line 8."""
    with xlsxwriter.Workbook("b.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 2, ["grade", "x"])
        for line, row in zip([1, 3, 4, 7, 9], rows_of(5), strict=True):
            sheet.write_row(line, 2, row[1:])
        sheet.write_blank(5, 2, None, book.add_format({"bold": True}))
    decide("4,grade,none,relabel,severe", "5,grade,mild,drop,")
    assert run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx").exit_code == 0
    grades = [row[2] for row in values("c.xlsx")]
    assert grades == ["grade", "none", None, "mild", "severe", None, None, "severe"]


def computed(_: Any, sheet: Any) -> None:
    sheet.write_formula("D2", "=C2*2", None, 1)


def test_formulas_stay_and_are_computed_anew_when_the_workbook_is_opened() -> None:
    make(computed)
    decide("2,grade,mild,relabel,severe")
    assert run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx").exit_code == 0
    assert b"<f>C2*2</f><v>1</v>" in parts("c.xlsx")["xl/worksheets/sheet1.xml"]
    assert openpyxl.load_workbook("c.xlsx").calculation.fullCalcOnLoad
    # Where the list of sheets says nothing of it, as others write it.
    raw = parts("b.xlsx") | {
        "xl/workbook.xml": re.sub(rb"<calcPr.*?/>", b"", parts("b.xlsx")["xl/workbook.xml"])
    }
    with zipfile.ZipFile("e.xlsx", "w") as archive:
        for name, content in raw.items():
            archive.writestr(name, content)
    assert run("apply", "d.csv", "e.xlsx", "--out", "c.xlsx").exit_code == 0
    assert openpyxl.load_workbook("c.xlsx").calculation.fullCalcOnLoad


def charted(book: Any, sheet: Any) -> None:
    chart = book.add_chart({"type": "line"})
    chart.add_series({"values": "='Wounds, O''B'!$C$2:$C$13"})
    sheet.insert_chart("E2", chart)


def charted_elsewhere(book: Any, _: Any) -> None:
    chart = book.add_chart({"type": "line"})
    chart.add_series({"values": "='Wounds, O''B'!$C$2:$C$13"})
    book.worksheets()[1].insert_chart("E2", chart)


def ruled(book: Any, sheet: Any) -> None:
    rule = {"type": "formula", "criteria": "=$C$8>3", "format": book.add_format({"bold": True})}
    sheet.conditional_format("C2:C13", rule)


def ruled_below(book: Any, sheet: Any) -> None:
    rule = {"type": "formula", "criteria": "=$C8>3", "format": book.add_format({"bold": True})}
    sheet.conditional_format("C8:C13", rule)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (computed, "has formulas"),
        (charted, "has pictures or charts"),
        (charted_elsewhere, "has formulas or charts elsewhere (xl/charts/chart1.xml) that name it"),
        (ruled, "has a conditional format (C2:C13) whose formula names lines"),
        (ruled_below, "has a conditional format (C8:C13) whose formula names lines"),
        (lambda _, s: s.write_comment("B2", "sure?"), "has notes"),
        (lambda _, s: s.merge_range("D5:D7", "m"), "has merged cells (D5:D7) in one of them"),
        (lambda _, s: s.write_url("D6", "https://example.org"), "has a link (D6) in one of them"),
        (lambda _, s: s.set_h_pagebreaks([4]), "has page breaks"),
        (lambda _, s: s.add_sparkline("D2", {"range": "Notes!A1:A3"}), "small charts of later ver"),
        (
            lambda b, _: b.worksheets()[1].write_formula("A2", "=SUM('Wounds, O''B'!C2:C13)"),
            "has formulas or charts elsewhere (xl/worksheets/sheet2.xml) that name it",
        ),
        (
            lambda b, _: b.define_name("top", "=OFFSET('Wounds, O''B'!$B$2,1,0)"),
            "has the name top for a part of it",
        ),
        (
            lambda _, s: s.data_validation("B6", {"validate": "list", "source": LABELS}),
            "has a data validation of such lines alone (B6)",
        ),
    ],
)  # fmt: skip
def test_rows_are_not_dropped_where_something_would_be_wrong_then(
    more: Callable[..., Any], why: str
) -> None:
    make(more)
    decide("2,grade,mild,relabel,severe", "5,grade,mild,drop,")
    result = run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx")
    assert result.exit_code == 1
    assert f"b.xlsx: the sheet 'Wounds, O'B' has {why}" in result.stderr or why in result.stderr
    assert "so its line 6 cannot be taken out here: leave the row out of the" in result.stderr
    assert not Path("c.xlsx").exists()
    # Labels are changed all the same, with every other part as it was but for the wish to compute.
    decide("2,grade,mild,relabel,severe")
    assert run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx").exit_code == 0
    before, after = parts("b.xlsx"), parts("c.xlsx")
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"xl/worksheets/sheet1.xml", "xl/workbook.xml"}


def test_what_cannot_be_edited_is_refused() -> None:
    make(lambda _, sheet: sheet.write_formula("B3", '="mi"&"ld"', None, "mild"))
    decide("2,grade,mild,relabel,severe")
    result = run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx")
    assert result.exit_code == 1
    assert "b.xlsx: the label in B3 is computed by a formula; put its value th" in result.stderr
    result = run("apply", "d.csv", "b.xlsx")
    assert (result.exit_code, result.stderr) == (
        2, "csvor: error: --out -: a workbook is not written to standard output; name a file\n",
    )  # fmt: skip
    assert run("apply", "d.csv", "b.xlsx", "--out", "c.csv").exit_code == 2
    raw = parts("b.xlsx")
    sheet = raw["xl/worksheets/sheet1.xml"]
    for content in (sheet.replace(b"</sheetData>", b"<!-- x --></sheetData>"),
                    re.sub(rb'<row r="\d+"', b"<row", sheet)):  # fmt: skip
        with zipfile.ZipFile("e.xlsx", "w") as archive:
            for name, old in raw.items():
                archive.writestr(name, content if old == sheet else old)
        result = run("apply", "d.csv", "e.xlsx", "--out", "c.xlsx")
        assert "e.xlsx: the sheet is not written as Excel and other programs write" in result.stderr
    assert not Path("c.xlsx").exists()


def test_prefixes_and_texts_in_cells() -> None:
    """As some programs write: a prefix for each name, and no table of texts."""
    make()
    raw = parts("b.xlsx")
    texts = re.findall(
        rb"<si><t(?: xml:space=\"preserve\")?>(.*?)</t></si>", raw["xl/sharedStrings.xml"]
    )
    sheet = re.sub(
        rb' t="s"><v>(\d+)</v>',
        lambda match: b' t="inlineStr"><is><t>%b</t></is>' % texts[int(match[1])],
        raw["xl/worksheets/sheet1.xml"],
    )
    sheet = re.sub(rb"<(/?)(\w)", rb"<\1x:\2", sheet).replace(b" xmlns=", b" xmlns:x=")
    with zipfile.ZipFile("e.xlsx", "w") as archive:
        for name, content in raw.items():
            archive.writestr(
                name, sheet if "sheet1.xml" in name and "rels" not in name else content
            )
    decide("2,grade,mild,relabel,severe", "3,grade,severe,relabel,worse", "5,grade,mild,drop,")
    more = ("--classes", "none,mild,severe,worse")
    result = run("apply", "d.csv", "e.xlsx", "--out", "c.xlsx", *more)
    assert result.exit_code == 0, result.output
    assert [row[1] for row in values("c.xlsx")[:6]] == [
        "grade", "none", "severe", "worse", "none", "severe",
    ]  # fmt: skip


def test_any_decisions_on_any_sheet() -> None:
    """As `openpyxl` and calamine read it, the workbook has the rows that were decided."""
    for seed in range(6):
        rng = random.Random(seed)
        rows = [[rng.choice(IDS), rng.choice(LABELS), rng.randrange(1000) / 8] for _ in range(60)]
        rows = LABELS_FIRST + rows
        lines = sorted(rng.sample(range(1, 90), len(rows)))
        with xlsxwriter.Workbook("b.xlsx", {"strings_to_formulas": False}) as book:
            sheet = book.add_worksheet()
            sheet.write_row(0, 0, ["id", "grade", "x"])
            for line, row in zip(lines, rows, strict=True):
                sheet.write_row(line, 0, row)
        decided: dict[int, tuple[str, str]] = {}
        for i in rng.sample(range(3, len(rows)), 30):
            kind = rng.choice(["keep", "relabel", "drop"])
            decided[i] = kind, rng.choice(LABELS) if kind == "relabel" else ""
        decide(
            *(f"{i + 1},grade,{rows[i][1]},{kind},{label}" for i, (kind, label) in decided.items())
        )
        assert run("apply", "d.csv", "b.xlsx", "--out", "c.xlsx").exit_code == 0
        expected = [
            (row[0], decided.get(i, ("", ""))[1] or row[1], row[2])
            for i, row in enumerate(rows)
            if decided.get(i) != ("drop", "")
        ]
        assert [row for row in values("c.xlsx")[1:] if any(row)] == expected
        again = pd.read_excel("c.xlsx", engine="calamine").dropna()
        assert again["grade"].tolist() == [row[1] for row in expected]


LABELS_FIRST = [["first", label, 0.0] for label in LABELS]


@pytest.mark.parametrize(
    ("area", "moved"),
    [
        ("A1:H801", "A1:H798"), ("B5", ""), ("B6", "B5"), ("$B$5:$B$6", "$B$5:$B$5"),
        ("A5:C5 A9:C10", "A8:C8"), ("A:C", "A:C"), ("$1:$1", "$1:$1"), ("C4:C5", "C4:C4"),
        ("OFFSET(A1)", None), ("", None), ("A10:B12", "A8:B9"),
    ],
)  # fmt: skip
def test_areas_move_with_the_lines(area: str, moved: str | None) -> None:
    assert Gone([9, 5, 12]).area(area) == moved


def test_columns_have_letters() -> None:
    assert [column_letters(i) for i in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]
