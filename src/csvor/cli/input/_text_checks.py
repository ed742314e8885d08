"""Can the text of a file be read? It is UTF-8, and its quotation marks end where they should.

A quotation mark too few swallows the rows below it.
"""

import codecs
import csv
import io
from collections.abc import Iterator
from itertools import chain

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor.cli.input._dialect import Dialect
from csvor.cli.input._packed import Opener

_BLOCK = 1 << 20


def head_of(opened: Opener) -> str:
    """The first lines of a file, whole."""
    raw = b""
    with opened() as file:
        while (part := file.read(_BLOCK)) and b"\n" not in raw:
            raw += part
    if part or len(raw) >= _BLOCK:
        raw = raw[: raw.rfind(b"\n") + 1] or raw
    return raw.decode("utf-8-sig", errors="ignore")


def check_bytes(opened: Opener, name: str) -> tuple[int, int]:
    """Refuse what is no text in UTF-8, with its place; the numbers of lines and of quotes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    n_lines, n_bytes, n_quotes, is_open = 1, 0, 0, False
    with opened() as file:
        for raw in chain(iter(lambda: file.read(_BLOCK), b""), [b""]):
            if not n_bytes and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise CommandError(fault("utf-16", source=name))
            kept = len(decoder.getstate()[0])
            try:
                if kept or not raw.isascii():
                    decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                offset = error.start - kept
                line = n_lines + raw.count(b"\n", 0, max(offset, 0))
                byte, position = error.object[error.start], n_bytes + offset + 1
                raise CommandError(
                    fault("no-utf-8", source=name, line=line, byte=byte, position=position)
                ) from None
            if b"\x00" in raw:
                line = n_lines + raw.count(b"\n", 0, raw.index(b"\x00"))
                raise CommandError(fault("nul-byte", source=name, line=line))
            n_lines += raw.count(b"\n")
            n_quotes += raw.count(b'"')
            n_bytes += len(raw)
            is_open = not raw.endswith(b"\n") if raw else is_open
    return n_lines - 1 + is_open, n_quotes


def check_quotes(opened: Opener, name: str, dialect: Dialect, notes: Notes) -> bool:
    """Refuse a quotation that never ends, or ends in the midst of a cell some lines below.

    One that ends where a cell does, and holds what looks like rows, is told in a note. Returns
    whether there are blank lines.
    """
    ended, swallowed, has_blank = False, list[str](), False

    def lines(file: io.TextIOWrapper) -> Iterator[str]:
        nonlocal ended
        yield from file
        ended = True

    with io.TextIOWrapper(opened(), "utf-8-sig", newline="") as text:
        for _ in range(dialect.n_above):
            text.readline()
        reader = csv.reader(lines(text), delimiter=dialect.delimiter, strict=True)
        last = dialect.n_above
        while not ended:
            first = last + 1
            try:
                row = next(reader, [])
            except csv.Error:
                # Other faults are found in a line, before another one is asked for.
                row = []
                _refuse(name, first, None if ended else dialect.n_above + reader.line_num)
            has_blank |= not (ended or any(map(str.strip, row)))
            last = dialect.n_above + reader.line_num
            if last > first and any(_holds_rows(c, i, dialect) for i, c in enumerate(row)):
                swallowed.append(f"{first} to {last}")
    if swallowed:
        more = f" (and {len(swallowed) - 1} more)" if len(swallowed) > 1 else ""
        notes.add(fault("quoted-rows", source=name, lines=f"{swallowed[0]}{more}"))
    return has_blank


def _refuse(name: str, first: int, last: int | None) -> None:
    """Refuse what a quotation swallows; one that ends in its line swallows nothing."""
    if last is None:
        raise CommandError(fault("open-quote", source=name, line=first))
    if last > first:
        raise CommandError(fault("late-quote", source=name, line=first, last=last))


def _holds_rows(cell: str, column: int, dialect: Dialect) -> bool:
    """Whether the lines of a cell have as many signs between columns as rows there would."""
    if "\n" not in cell:
        return False
    n_columns = len(dialect.names)
    # In prose, blanks follow commas.
    lines = cell.replace(f"{dialect.delimiter} ", "").split("\n")
    first, *inner, last = (line.count(dialect.delimiter) + 1 for line in lines)
    return first == n_columns - column and last == column + 1 and all(n == n_columns for n in inner)
