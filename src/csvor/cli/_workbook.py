"""Which parts has a workbook (.xlsx), and which bytes of a sheet hold what?"""

import re
import shutil
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat
from zipfile import ZipFile

from csvor._utils.cached import cached_property
from csvor.cli.input._sheet_scan import main_part, refuse_unpacking, relations, sheet_parts

_TAG = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")
_CLARK = re.compile(r"\{.*\}")
_ROW = re.compile(rb"<((?:\w+:)?)row\b[^>]*(?:/>|(?<!/)>.*?</\1row>)", re.DOTALL)
_LINE = re.compile(rb"""\sr=["'](\d+)["']""")
# Pictures and the like, which are copied unread.
_UNREAD = re.compile(r"(?:^|/)media/")
_KIND = re.compile(rb"""\st=["'](\w+)["']""")


@dataclass
class Element:
    """An element of a part: the bytes from `start`, of which the first tag ends at `tag`.

    `name` is without its namespace; `text` is its own text.
    """

    name: str
    attributes: dict[str, str]
    start: int
    tag: int
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self, *names: str) -> Iterator["Element"]:
        """The elements inside, however deep; only those of such names, where there are some."""
        for child in self.children:
            if not names or child.name in names:
                yield child
            yield from child.all(*names)


class Workbook:
    """A workbook, which is a zip file of parts, and the part of one sheet.

    CommandError if it unpacks to more than can be read (N74).
    """

    def __init__(self, path: str, sheet: str) -> None:
        with ZipFile(path) as archive:
            refuse_unpacking(path, sum(info.file_size for info in archive.infolist()))
            names = [name for name in archive.namelist() if not _UNREAD.search(name)]
            self.parts = {name: archive.read(name) for name in names}
        self.main = main_part(self.parts.get)
        self.name, self.sheet = sheet, sheet_parts(self.parts.get)[sheet]

    def related(self, part: str) -> list[tuple[str, str]]:
        """The kind and the name of each part, or address, that a part refers to."""
        return list(relations(self.parts.get, part).values())

    @cached_property
    def shared_texts(self) -> list[str]:
        """The texts that cells refer to by number."""
        names = [name for kind, name in self.related(self.main) if kind == "sharedStrings"]
        items = ElementTree.fromstring(self.parts[names[0]]) if names else ()
        return [_text(item) for item in items]

    @property
    def spellings(self) -> tuple[str, str]:
        """The name of the sheet as formulas write it: with quotes, and without."""
        quoted = self.name.replace("'", "''")
        return f"'{quoted}'", self.name

    @property
    def naming(self) -> str:
        """A pattern of the name of the sheet in formulas, which is not the end of a longer one."""
        return rf"(?<![\w.'])(?:{'|'.join(map(re.escape, self.spellings))})!"

    def may_name(self, formula: str) -> bool:
        """Whether a formula outside of the sheet names it, or sheets from one to another."""
        names = (self.naming, r":[^!:]*[A-Z_'][^!:]*!")
        return any(re.search(name, formula, re.IGNORECASE) for name in names)

    def write(self, source: str, path: Path) -> None:
        """Write the parts as they are now, in the order and compression of `source`."""
        with ZipFile(source) as old, ZipFile(path, "w") as new:
            for info in old.infolist():
                if info.filename in self.parts:
                    new.writestr(info, self.parts[info.filename])
                    continue
                with old.open(info) as read, new.open(copy(info), "w") as written:
                    shutil.copyfileobj(read, written)


@dataclass(frozen=True)
class SheetCell:
    """A cell of a sheet: its bytes, which hold a `text`, or a formula."""

    raw: bytes
    text: str
    has_formula: bool


class Sheet:
    """The rows of a sheet by their lines, and what stands above and below them in the part.

    ValueError if the rows are not written as Excel and others write them.
    """

    def __init__(self, book: Workbook) -> None:
        raw = book.parts[book.sheet]
        bounds = re.search(rb"<((?:\w+:)?)sheetData\s*>(.*)</\1sheetData>", raw, re.DOTALL)
        if bounds is None or re.search(rb"<!\[CDATA\[|<!--|<!DOCTYPE", raw):
            raise ValueError("the rows of the sheet cannot be told apart")
        self._texts = book.shared_texts
        self.above, self.below = raw[: bounds.start(2)], raw[bounds.end(2) :]
        self.rows: dict[int, bytes] = {}
        body, end = bounds[2], 0
        for match in _ROW.finditer(body):
            line = _LINE.search(match[0], 0, tag_end(match[0]))
            if line is None or body[end : match.start()].strip():
                raise ValueError("the rows of the sheet cannot be told apart")
            self.rows[int(line[1])] = match[0]
            end = match.end()
        if body[end:].strip():
            raise ValueError("the rows of the sheet cannot be told apart")

    @property
    def frame(self) -> Element:
        """The sheet without its rows; positions are those in what is above and below, joined."""
        return elements(self.above + self.below)

    def cell(self, column: str, line: int) -> SheetCell | None:
        """A cell, None where there is none."""
        match = _in_column(column).search(self.rows.get(line, b""))
        if match is None:
            return None
        kind = _KIND.search(match[0], 0, tag_end(match[0]))
        # Prefixes of names are declared outside of the cell.
        item = ElementTree.fromstring(re.sub(rb"(</?)\w+:", rb"\1", match[0]))
        value = next((one.text or "" for one in item.iter("v")), "")
        if kind is not None and kind[1] == b"s" and value:
            value = self._texts[int(value)]
        elif kind is not None and kind[1] == b"b":
            value = str(value == "1")
        elif kind is not None and kind[1] == b"inlineStr":
            value = _text(item)
        return SheetCell(match[0], value, item.find("f") is not None)


@cache
def _in_column(column: str) -> re.Pattern[bytes]:
    """A cell of a column, in a row."""
    first = rb"""<((?:\w+:)?)c\s(?:[^>]*?\s)?r=["']%b\d+["'][^>]*""" % column.encode()
    return re.compile(first + rb"(?:/>|(?<!/)>.*?</\1c>)", re.DOTALL)


def has_formulas(rows: bytes) -> bool:
    """Whether a cell is computed."""
    return re.search(rb"<(?:\w+:)?f[\s/>]", rows) is not None


def tag_end(raw: bytes, start: int = 0) -> int:
    """Where the tag ends that begins at `start`."""
    match = _TAG.match(raw, start)
    return start if match is None else match.end()


def _text(item: ElementTree.Element) -> str:
    """The text of a cell, of all its runs, without how it is pronounced."""
    name = _CLARK.sub("", item.tag)
    inside = [_text(child) for child in item if _CLARK.sub("", child.tag) != "rPh"]
    return "".join([item.text or "" if name == "t" else "", *inside])


def elements(raw: bytes) -> Element:
    """The elements of a part, with the places of their tags; the outermost one."""
    outer = Element("", {}, 0, 0)
    inside = [outer]
    parser = expat.ParserCreate(namespace_separator=" ")

    def begin(name: str, attributes: dict[str, str]) -> None:
        start = parser.CurrentByteIndex
        plain = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        one = Element(name.rpartition(" ")[2], plain, start, tag_end(raw, start))
        inside[-1].children.append(one)
        inside.append(one)

    def text(data: str) -> None:
        inside[-1].text += data

    parser.StartElementHandler, parser.CharacterDataHandler = begin, text
    parser.EndElementHandler = lambda _: inside.pop()
    parser.Parse(raw, True)
    return outer.children[0]
