"""How do the rows of a sheet move up where others go, and what stands against it?"""

import html
import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from csvor.cli._cell_areas import Gone, lines_of
from csvor.cli._workbook import Element, Sheet, Workbook, elements, has_formulas

# What a sheet may refer to while its rows move; all else, by its words.
_MOVE = {"table", "hyperlink", "printerSettings", "customProperty"}
_WORDS = {
    "comments": "notes",
    "threadedComment": "comments",
    "drawing": "pictures or charts",
    "pivotTable": "a pivot table",
    "vmlDrawing": "notes or buttons",
}
_AREAS = ("ref", "sqref", "topLeftCell", "activeCell")
_RULES = {"conditionalFormatting": "a conditional format", "dataValidation": "a data validation"}
_NUMBERED = re.compile(rb"""(<(?:\w+:)?(?:row|c)\s(?:[^>]*?\s)?r=["'][A-Z]*)\d+(["'])""")
_OF_OTHERS = re.compile(rb"<(?:\w+:)?f(?:\s[^>]*)?>([^<]*)</")


def why_not(book: Workbook, sheet: Sheet, gone: Gone) -> str:
    """What would be wrong if these lines went and those below moved up; "" if nothing."""
    frame = sheet.frame
    if has_formulas(b"".join(sheet.rows.values())):
        return "formulas"
    if next(frame.all("rowBreaks"), None):
        return "page breaks"
    if any(next(one.all("sqref", "f"), None) for one in frame.all("extLst")):
        return "formats or small charts of later versions of Excel"
    for one in frame.all("mergeCell"):
        if gone.between(*lines_of(one.attributes["ref"])):
            return f"merged cells ({one.attributes['ref']}) in one of them"
    for one in frame.all("hyperlink"):
        if not gone.area(one.attributes["ref"]):
            return f"a link ({one.attributes['ref']}) in one of them"
    return _rule_in_the_way(frame, gone) or _part_in_the_way(book, gone)


def _rule_in_the_way(frame: Element, gone: Gone) -> str:
    for one in frame.all(*_RULES):
        area, what = one.attributes.get("sqref", ""), _RULES[one.name]
        if not gone.area(area):
            return f"{what} of such lines alone ({area})"
        texts = [rule.text for rule in one.all("formula", "formula1", "formula2")]
        texts = [re.sub(r'"[^"]*"', "", text) for text in texts]
        moves = any(lines_of(part)[0] > gone.lines[0] for part in area.split())
        if any(gone.fixes(text) or (moves and re.search(r"[A-Z]\d", text)) for text in texts):
            return f"{what} ({area}) whose formula names lines"
    return ""


def _part_in_the_way(book: Workbook, gone: Gone) -> str:
    for kind, part in book.related(book.sheet):
        if kind not in _MOVE:
            return _WORDS.get(kind, f"a part of the kind {kind}")
        if kind == "table" and book.related(part):
            return "a table that is the answer to a query"
    for name in _names_of_sheet(book):
        areas = _without_sheet(book, name.text).split()
        if not areas or not all(map(gone.area, areas)):
            return f"the name {name.attributes.get('name')} for a part of it"
    folder = book.main.rpartition("/")[0]
    known = {book.main, book.sheet, f"{folder}/sharedStrings.xml", f"{folder}/styles.xml"}
    for part, raw in book.parts.items():
        if part.startswith(f"{folder}/pivotCache/") and part.endswith(".xml"):
            return "a pivot table that may be made of it"
        if part not in known and any(map(book.may_name, _formulas(raw))):
            return f"formulas or charts elsewhere ({part}) that name it"
    return ""


def _formulas(raw: bytes) -> Iterator[str]:
    """The formulas in cells and charts of another part."""
    return (html.unescape(match[1].decode()) for match in _OF_OTHERS.finditer(raw))


def _names_of_sheet(book: Workbook) -> list[Element]:
    """The names that stand for areas of the sheet, such as what is printed and filtered."""
    names = elements(book.parts[book.main]).all("definedName")
    return [name for name in names if book.may_name(name.text)]


def _without_sheet(book: Workbook, text: str) -> str:
    """Areas divided by blanks, without the name of the sheet."""
    return re.sub(book.naming, "", text, flags=re.IGNORECASE).replace(",", " ")


def _moved_name(book: Workbook, text: str, gone: Gone) -> str:
    """What a name stands for, each of its areas as it lies afterwards."""

    def moved(match: re.Match[str]) -> str:
        sheet, area = match[1] or "", match[2]
        return sheet + (gone.area(_without_sheet(book, area)) or area)

    pattern = rf"({book.naming})?((?:{book.naming}|[^\s,])+)"
    return re.sub(pattern, moved, text, flags=re.IGNORECASE)


def moved_parts(book: Workbook, sheet: Sheet, gone: Gone) -> dict[str, bytes]:
    """The parts of a workbook that change where lines go, those of the sheet as it is now."""
    if not gone.lines:
        return {book.sheet: b"".join([sheet.above, *sheet.rows.values(), sheet.below])}
    stay = {line: row for line, row in sheet.rows.items() if line not in gone}
    rows = [_numbered(row, gone.moved(line)) for line, row in stay.items()]
    whole = sheet.above + sheet.below
    place, edits = len(sheet.above), _moved_areas(whole, gone)
    above = spliced(sheet.above, [edit for edit in edits if edit[0] < place])
    below = [(start - place, end - place, new) for start, end, new in edits if start >= place]
    parts = {book.sheet: b"".join([above, *rows, spliced(sheet.below, below)])}
    for kind, part in book.related(book.sheet):
        if kind == "table":
            parts[part] = spliced(book.parts[part], _moved_areas(book.parts[part], gone))
    raw, edits = book.parts[book.main], []
    for name in _names_of_sheet(book):
        new = escape(_moved_name(book, name.text, gone)).encode()
        edits.append((name.tag, raw.index(b"</", name.tag), new))
    return parts | {book.main: spliced(raw, edits)}


def _numbered(row: bytes, line: int) -> bytes:
    """A row and its cells with the number of another line."""
    return _NUMBERED.sub(rb"\g<1>%d\g<2>" % line, row)


def _moved_areas(raw: bytes, gone: Gone) -> list[tuple[int, int, bytes]]:
    """What is to be written in place of the areas that the tags of a part name."""
    edits = []
    outer = elements(raw)
    for one in (outer, *outer.all()):
        first = raw[one.start : one.tag]
        for name in _AREAS:
            match = re.search(rb"""\s%b=["']([^"']*)["']""" % name.encode(), first)
            moved = gone.area(match[1].decode()) if match is not None else None
            if match is not None and moved:
                edits.append((one.start + match.start(1), one.start + match.end(1), moved.encode()))
    return edits


def spliced(raw: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Bytes with others in place of some of them."""
    for start, end, new in sorted(edits, reverse=True):
        raw = raw[:start] + new + raw[end:]
    return raw
