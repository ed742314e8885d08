"""Do quotation marks end where they should? One that does not swallows the rows below it."""

import csv
import io
from collections.abc import Iterator

from csvor.cli._errors import CommandError
from csvor.cli._fault import fault
from csvor.cli._notes import Notes
from csvor.cli.input._bytes import Opener
from csvor.cli.input._dialect import Dialect


def check_quotes(opened: Opener, name: str, dialect: Dialect, notes: Notes) -> None:
    """Refuse a quotation that never ends, or ends in the midst of a cell some lines below.

    One that ends where a cell does, and holds what looks like rows, is told in a note.
    """
    ended, swallowed = False, list[str]()

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
            last = dialect.n_above + reader.line_num
            if last > first and any(_holds_rows(c, place, dialect) for place, c in enumerate(row)):
                swallowed.append(f"{first} to {last}")
    if swallowed:
        more = f" (and {len(swallowed) - 1} more)" if len(swallowed) > 1 else ""
        notes.add(fault("quoted-rows", source=name, lines=f"{swallowed[0]}{more}"))


def _refuse(name: str, first: int, last: int | None) -> None:
    """Refuse what a quotation swallows; one that ends in its line swallows nothing."""
    if last is None:
        raise CommandError(fault("open-quote", source=name, line=first))
    if last > first:
        raise CommandError(fault("late-quote", source=name, line=first, last=last))


def _holds_rows(cell: str, place: int, dialect: Dialect) -> bool:
    """Whether the lines of a cell have as many signs between columns as rows there would."""
    if "\n" not in cell:
        return False
    n_columns = len(dialect.names)
    # In prose, blanks follow commas.
    lines = cell.replace(f"{dialect.delimiter} ", "").split("\n")
    first, *inner, last = (line.count(dialect.delimiter) + 1 for line in lines)
    return first == n_columns - place and last == place + 1 and all(n == n_columns for n in inner)
