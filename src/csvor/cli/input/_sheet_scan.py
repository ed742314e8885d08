"""How far does a sheet reach, and which of its cells are merged, or lack the value of a formula?"""

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat
from zipfile import ZipFile

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._utils.spelling import normal

# All cells up to the last one are held, filled or not.
MOST_CELLS = 20_000_000
# Bytes of the parts that are read.
LARGEST = 1 << 30
_CHUNK = 1 << 20
_DIGITS = "0123456789"
_VALUES = {"v", "is"}

# Gives the bytes of a part of a workbook, None where there is none.
Reader = Callable[[str], bytes | None]


@dataclass
class SheetFacts:
    """Lines and columns up to the last value, and what is special, by positions from 0.

    `merged` are first line, first column, last line and last column; `unvalued` the lines of
    formulas without a stored value by their column.
    """

    sheet: str = ""
    n_lines: int = 0
    n_columns: int = 0
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    unvalued: dict[int, list[int]] = field(default_factory=dict)

    def reach(self, line: int, column: int) -> None:
        """Take note of a value."""
        if line > self.n_lines or column > self.n_columns:
            self.n_lines, self.n_columns = max(line, self.n_lines), max(column, self.n_columns)
            if self.n_lines * self.n_columns > MOST_CELLS:
                raise _TooFarError


class _TooFarError(Exception):
    pass


def relations(read: Reader, part: str) -> dict[str, tuple[str, str]]:
    """The kind and the name of each part, or address, that a part refers to, by its number."""
    folder, name = posixpath.split(part)
    raw = read(posixpath.join(folder, "_rels", f"{name}.rels"))
    related = {}
    for one in () if raw is None else ElementTree.fromstring(raw):
        target = one.attrib["Target"]
        if one.attrib.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        related[one.attrib["Id"]] = posixpath.basename(one.attrib["Type"]), target
    return related


def main_part(read: Reader) -> str:
    """The part that lists the sheets."""
    return next(name for kind, name in relations(read, "").values() if kind == "officeDocument")


def sheet_parts(read: Reader) -> dict[str, str]:
    """The part of each sheet by its name, in their order."""
    main = main_part(read)
    parts = {number: name for number, (_, name) in relations(read, main).items()}
    sheets = [one for one in ElementTree.fromstring(read(main) or b"").iter() if _is(one, "sheet")]
    return {one.attrib["name"]: parts[_number(one)] for one in sheets}


def _is(one: ElementTree.Element, name: str) -> bool:
    return one.tag.rpartition("}")[2] == name


def _number(one: ElementTree.Element) -> str:
    return next(value for key, value in one.attrib.items() if key.endswith("}id"))


def sheet_called(source: str, sheet: str | None, names: list[str]) -> str:
    """The sheet that is meant, by default the first."""
    if sheet is None:
        return names[0]
    known = {normal(name.strip()): name for name in names}
    if normal(sheet.strip()) not in known:
        raise CommandError(fault("no-such-sheet", source=source, sheet=sheet, names=names))
    return known[normal(sheet.strip())]


def scan_sheet(source: str, sheet: str | None) -> SheetFacts:
    """What is special about a sheet of a workbook, before a program holds all of it.

    CommandError if it unpacks to more than can be read, or a cell stands far off (N74).
    """
    with ZipFile(source) as archive:
        parts = _Parts(source, archive)
        if "content.xml" in parts.names:
            return _scanned(parts, "content.xml", "", _ods_parser)
        # These are read when the workbook is opened.
        for kind, part in relations(parts.read, main_part(parts.read)).values():
            if kind in ("sharedStrings", "styles"):
                parts.stream(part, len)
        sheets = sheet_parts(parts.read)
        sheet = sheet_called(source, sheet, list(sheets))
        return _scanned(parts, sheets[sheet], sheet, _xlsx_parser)


def refuse_unpacking(source: str, n_bytes: int) -> None:
    """Refuse a workbook that unpacks to more than can be read (N74)."""
    if n_bytes > LARGEST:
        raise CommandError(fault("workbook-unpacks", source=source, limit=LARGEST >> 30))


class _Parts:
    """The parts of a workbook, read while they do not unpack to too much."""

    def __init__(self, source: str, archive: ZipFile) -> None:
        self.source, self.names = source, set(archive.namelist())
        self._archive, self._n_bytes = archive, 0

    def stream(self, part: str, take: Callable[[bytes], Any]) -> None:
        """Hand over a part piece by piece."""
        if part not in self.names:
            return
        with self._archive.open(part) as file:
            while chunk := file.read(_CHUNK):
                self._n_bytes += len(chunk)
                refuse_unpacking(self.source, self._n_bytes)
                take(chunk)

    def read(self, part: str) -> bytes | None:
        """A part, None where there is none."""
        chunks: list[bytes] = []
        self.stream(part, chunks.append)
        return b"".join(chunks) if part in self.names else None


def _scanned(
    parts: _Parts, part: str, sheet: str, parser_of: Callable[[SheetFacts], Any]
) -> SheetFacts:
    facts = SheetFacts(sheet)
    parser = parser_of(facts)
    try:
        parts.stream(part, parser.Parse)
    except _TooFarError:
        raise CommandError(
            fault(
                "sheet-reaches-far", source=parts.source, sheet=facts.sheet, line=facts.n_lines,
                letters=column_letters(facts.n_columns - 1), limit=MOST_CELLS // 1_000_000,
            )
        ) from None  # fmt: skip
    return facts


def _xlsx_parser(facts: SheetFacts) -> Any:
    """A parser of a sheet that fills in the facts; called for each cell, so it is brief."""
    parser = expat.ParserCreate()
    place, line, column = "", 0, 0
    formula = kept = False

    def end_of_formula(name: str) -> None:
        nonlocal formula
        if name.rpartition(":")[2] == "c":
            if not kept:
                facts.unvalued.setdefault(column - 1, []).append(line - 1)
            formula = False
            parser.CharacterDataHandler = parser.EndElementHandler = None

    def value(_: str) -> None:
        nonlocal kept
        kept, parser.CharacterDataHandler = True, None

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal place, line, column, formula, kept
        if ":" in name:
            name = name.rpartition(":")[2]
        if name == "c":
            place = attributes.get("r", "")
            letters = place.rstrip(_DIGITS)
            column = _position(letters) if letters else column + 1
            line = int(place[len(letters) :]) if letters else line
            # The value of a formula that gives a text may be a blank one.
            kept = "t" in attributes
        elif name in _VALUES:
            if line > facts.n_lines or column > facts.n_columns:
                facts.reach(line, column)
            if formula:
                parser.CharacterDataHandler = value
        elif name == "f":
            formula, parser.EndElementHandler = True, end_of_formula
        elif name == "row":
            line, column = int(attributes.get("r", line + 1)), 0
        elif name == "mergeCell":
            first, _, last = attributes["ref"].partition(":")
            (i, j), (to_i, to_j) = _cell(first), _cell(last or first)
            facts.merged.append((i, j, to_i, to_j))

    parser.StartElementHandler = begin
    return parser


@lru_cache(maxsize=1 << 15)
def _position(letters: str) -> int:
    """The position of a column, from 1, by its letters."""
    position = 0
    for letter in letters:
        position = 26 * position + ord(letter) - 64
    return position


def _cell(place: str) -> tuple[int, int]:
    """The line and the column of a cell, from 0."""
    letters = place.rstrip(_DIGITS)
    return int(place[len(letters) :]) - 1, _position(letters) - 1


def _ods_parser(facts: SheetFacts) -> Any:
    """A parser of all sheets of an OpenDocument file, each of which is read at once."""
    parser = expat.ParserCreate()
    line = column = n_filled = 0
    n_times = 1

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal line, column, n_filled, n_times
        if name == "table:table":
            facts.sheet, line = attributes.get("table:name", ""), 0
        elif name == "table:table-row":
            column = n_filled = 0
            n_times = int(attributes.get("table:number-rows-repeated", 1))
        elif name in ("table:table-cell", "table:covered-table-cell"):
            column += int(attributes.get("table:number-columns-repeated", 1))
            if "office:value-type" in attributes or "calcext:value-type" in attributes:
                n_filled = column

    def end(name: str) -> None:
        nonlocal line
        if name == "table:table-row":
            line += n_times
            if n_filled:
                facts.reach(line, n_filled)

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    return parser


def column_letters(position: int) -> str:
    """A to Z, AA and so on, of a column by its position from 0."""
    letters, rest = "", position + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def cell_name(line: int, column: int) -> str:
    """A cell as spreadsheets call it, such as C2, by its line and column from 0."""
    return f"{column_letters(column)}{line + 1}"
