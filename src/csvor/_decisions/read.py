"""Which decisions does a file hold?"""

from __future__ import annotations

import re
from math import isnan
from os import PathLike, fspath
from pathlib import Path

from csvor._decisions.checks import (
    NEEDED,
    Cells,
    check_columns,
    decided_by_line,
    one_command,
    one_target,
)
from csvor._decisions.decision import Decisions
from csvor._decisions.faults import DecisionsError, refuse
from csvor._utils.spelling import as_number, format_value, normal

# Between columns; spreadsheets write the later ones.
_SIGNS = (",", ";", "\t", "|")
_SIGN_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)


def read_decisions(path: str | PathLike[str]) -> Decisions:
    """Read what was decided about labels, from a CSV that the page of an audit saved.

    One made by hand will do. Its first line names the columns ``row`` (which counts from 1, below
    the header of the data), ``given`` (the label that the row has), ``decision`` (keep, relabel or
    drop; blank is none) and ``label`` (the new one, of relabel); ``target``, ``comment``,
    ``reviewer``, ``audit`` and further columns, such as an id, may be there. ``to_frame`` of an
    audit with ``decision`` and ``label`` added, written by its ``to_csv``, will do where it begins
    with ``position`` (from 0). Commas, semicolons, tabs or bars stand between the cells, with or
    without a byte order mark, as spreadsheets write.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8.

    Returns
    -------
    decisions : Decisions
        The rows with a decision. `csvor.WrongLabels.apply` carries them out.

    Raises
    ------
    ValueError
        If the file cannot be read as such, or a decision is not whole: no number of a row, another
        word than the three, relabel without a label, two decisions on one row. All faults are said
        at once.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from csvor import read_decisions
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "decided.csv")
    ...     lines = ["row,given,decision,label", "3,good,relabel,poor", "8,fair,drop,"]
    ...     _ = path.write_text("\\n".join(lines))
    ...     decisions = read_decisions(path)
    >>> decisions.counts
    {'kept': 0, 'relabelled': 1, 'dropped': 1}
    >>> decisions.decisions[0].position, decisions.decisions[0].label
    (2, 'poor')
    """
    source = fspath(path)
    return decisions_of(source, _cells(source))


def decisions_of(source: str, cells: Cells) -> Decisions:
    """The decisions in the columns of a file, whatever its kind; refuse what is not whole."""
    check_columns(source, cells)
    decided, faults = decided_by_line(source, cells)
    refuse(faults)
    target = one_target(source, cells)
    return Decisions(source, target, tuple(decided.values()), one_command(cells))


def with_rows(cells: Cells) -> Cells:
    """The same, with rows where it is a table of an audit: its first column has positions."""
    if "row" in cells or next(iter(cells), "") != "position":
        return cells
    (_, positions), *others = cells.items()
    rows = [text if isnan(i := as_number(text)) else format_value(i + 1) for text in positions]
    return {"row": rows, **dict(others)}


def _cells(source: str) -> Cells:
    """The columns of a text file by their names."""
    try:
        text = Path(source).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"{source}: byte {error.start + 1} is not UTF-8 text; save the file as CSV in UTF-8"
        raise DecisionsError([what]) from None
    first, _, below = text.partition("\n")
    named = _SIGN_LINE.fullmatch(first.strip())
    rows = _rows(below, named[1]) if named else max(
        (_rows(text, sign) for sign in _SIGNS), key=lambda rows: len({*NEEDED} & {*rows[0]})
    )  # fmt: skip
    names, *lines = rows
    double = sorted({name for name in names if name and names.count(name) > 1})
    if double:
        raise DecisionsError([f"{source}: the first line names '{double[0]}' more than once"])
    for number, line in enumerate(lines, start=1):
        if any(line[len(names) :]):
            what = f"{len(line)} cells where the first line names {len(names)} columns"
            raise DecisionsError([f"{source}, row {number}: {what}; put commas in quotes"])
    padded = [[*line, *[""] * len(names)][: len(names)] for line in lines]
    return with_rows({name: [line[i] for line in padded] for i, name in enumerate(names)})


def _rows(text: str, sign: str) -> list[list[str]]:
    """The rows with something in them; the first has the names.

    The csv module refuses cells of more than 131 072 letters, by a limit of all of Python.
    """
    rows, by = list[list[str]]([[]]), re.escape(sign)
    in_quotes = r'"([^"]*(?:""[^"]*)*)(?:"(?!")|\Z)'
    cells = re.compile(rf"(?:{in_quotes})?([^{by}\r\n]*)({by}|\r\n?|\n|\Z)")
    for quoted, plain, end in cells.findall(text):
        cell = quoted.replace('""', '"') + plain
        rows[-1].append(normal(cell.strip()))
        if end != sign:
            rows.append([])
    return [row for row in rows if any(row)] or [[]]
