"""How are labels changed and rows removed in a workbook, with all else in it as it was?"""

import re
from pathlib import Path
from xml.sax.saxutils import escape

from csvor._decisions.decision import DROP, RELABEL
from csvor._faults.errors import CommandError, about
from csvor._faults.fault import fault
from csvor._tables.review import Review
from csvor._utils.atomic_files import written_whole
from csvor._utils.spelling import as_number, format_value, normal, same
from csvor.cli._cell_areas import Gone
from csvor.cli._sheet_rows import moved_parts, why_not
from csvor.cli._workbook import Sheet, SheetCell, Workbook, elements, has_formulas, tag_end
from csvor.cli.input._excel import SheetTable, sheet_table
from csvor.cli.input._sheet_scan import column_letters

_STYLE = re.compile(rb"""\ss=["']\d+["']""")
_KIND = re.compile(rb"""\st=["']\w+["']""")
# What may stand above `calcPr` in the list of sheets.
_ABOVE = ("sheets", "functionGroups", "externalReferences", "definedNames")


def write_edited_workbook(source: str, sheet_name: str | None, review: Review, out: str) -> None:
    """Write a workbook as a review has it: what is not decided is copied as it is.

    Formulas are marked to be computed anew when it is opened, for they may depend on labels.
    """
    try:
        table = sheet_table(source, sheet_name)
        book = Workbook(source, table.sheet)
        sheet = Sheet(book)
    except (ValueError, KeyError, StopIteration):
        raise CommandError(fault("unclear-workbook")).of_file(source) from None
    with about(source):
        cells = _label_cells(table, sheet, review.target)
        lines = list(cells)
        by_text = {cell.text: cell for _, cell in cells.values() if not cell.has_formula}
        for one in review.of(RELABEL):
            like = next((by_text[text] for text in by_text if same(text, one.label)), None)
            line = lines[one.position]
            sheet.rows[line] = _relabelled(sheet.rows[line], *cells[line], one.label, like)
        gone = Gone(lines[one.position] for one in review.of(DROP))
        obstacle = why_not(book, sheet, gone) if gone.lines else ""
        if obstacle:
            facts = {"sheet": book.name, "why": obstacle, "lines": ", ".join(map(str, gone.lines))}
            raise CommandError(fault("rows-not-dropped", n=len(gone.lines), **facts))
        book.parts |= moved_parts(book, sheet, gone)
        if any(has_formulas(book.parts[name]) for name in book.parts if "/worksheets/" in name):
            book.parts[book.main] = _computed_anew(book.parts[book.main])
    with written_whole(Path(out)) as part:
        book.write(source, part)


def _label_cells(table: SheetTable, sheet: Sheet, target: str) -> dict[int, tuple[str, SheetCell]]:
    """The names and cells of the labels by their lines, for the rows as they were read."""
    position = [normal(name) for name in table.names].index(target)
    column, cells = column_letters(position), {}
    for index, value in table.rows.iloc[:, position].items():
        line = int(str(index)) + 1
        if (line - 1, position) in table.merged:
            area = table.merged[line - 1, position]
            raise CommandError(fault("merged-label", cell=f"{column}{line}", area=area))
        cell = sheet.cell(column, line)
        read = "" if value is None or value != value else format_value(value)
        cell = cell or SheetCell(b"", "", False)
        if not same(cell.text.strip(), read.strip()):
            raise CommandError(fault("unclear-cell", cell=f"{column}{line}"))
        cells[line] = f"{column}{line}", cell
    return cells


def _relabelled(
    row: bytes, name: str, cell: SheetCell, label: str, like: SheetCell | None
) -> bytes:
    """A row with a label in a cell, written as `like` where another cell holds this label."""
    if cell.has_formula or not cell.raw:
        raise CommandError(fault("label-is-formula" if cell.raw else "unclear-cell", cell=name))
    first = cell.raw[: tag_end(cell.raw)]
    prefix = first[1:].partition(b"c ")[0].decode()
    if like is not None:
        kind = _KIND.search(like.raw, 0, tag_end(like.raw))
        inside = like.raw[tag_end(like.raw) : like.raw.rindex(b"</")]
        kind_text = kind[0] if kind is not None else b""
    elif as_number(label) == as_number(label) and _KIND.search(first) is None:
        kind_text, inside = b"", f"<{prefix}v>{label}</{prefix}v>".encode()
    else:
        text = f'<{prefix}t xml:space="preserve">{escape(label)}</{prefix}t>'
        kind_text = b' t="inlineStr"'
        inside = f"<{prefix}is>{text}</{prefix}is>".encode()
    style = _STYLE.search(first)
    start = f'<{prefix}c r="{name}"'.encode() + (style[0] if style is not None else b"")
    new = start + kind_text + b">" + inside + f"</{prefix}c>".encode()
    return row.replace(cell.raw, new, 1)


def _computed_anew(raw: bytes) -> bytes:
    """The list of sheets, with the wish that formulas are computed when it is opened."""
    outer = elements(raw)
    wish = b' fullCalcOnLoad="1"'
    known = next(outer.all("calcPr"), None)
    if known is not None:
        first = re.sub(rb"""\sfullCalcOnLoad=["']\w*["']""", b"", raw[known.start : known.tag])
        end = -2 if first.endswith(b"/>") else -1
        return raw[: known.start] + first[:end] + wish + first[end:] + raw[known.tag :]
    last = max(i for i, one in enumerate(outer.children) if one.name in _ABOVE)
    below = outer.children[last + 1 :]
    place = below[0].start if below else raw.rindex(b"</")
    prefix = re.match(rb"<(\w+:)?", raw[outer.start :])
    name = (prefix[1] or b"" if prefix is not None else b"") + b"calcPr"
    return raw[:place] + b"<" + name + wish + b"/>" + raw[place:]
