"""Which lines and signs divide a text file into named columns of cells (N41)?"""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from csvor._faults.errors import CommandError, UsageError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.spelling import normal

# Blanks separate words as well.
_SIGNS = (",", ";", "\t", "|")
_NAMED = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}
_SHOWN = {"\t": "tabs", " ": "blanks", ",": "commas"}
_HINT = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
_MOST_LINES = 200


@dataclass(frozen=True)
class Dialect:
    """How a text file is divided.

    `n_lines` of it end with the names of the columns, `n_above` come before them. `names` has one
    for each cell of a row, "" where there is none; the line of names has `n_named` of these, after
    `shift` that have no place in it. `first_line` is that of row 1 as a spreadsheet counts, which
    shows no line such as sep=; and 0 where blank lines stand between rows.
    """

    delimiter: str
    names: tuple[str, ...]
    n_lines: int
    n_above: int
    n_named: int
    shift: int = 0
    first_line: int = 0


def delimiter_of(text: str) -> str:
    """The sign that --delimiter names."""
    sign = _NAMED.get(text.lower(), "\t" if text == r"\t" else text)
    if len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in "\"\r\n.'":
        raise UsageError(fault("no-delimiter", text=text, names=", ".join(_NAMED)))
    return sign


def find_dialect(head: str, name: str, usual_sign: str, asked: str | None, notes: Notes) -> Dialect:
    """Recognise how a file is divided by its `head`, and say so where it is not as usual.

    `usual_sign` is that of files of this kind, `asked` the one that the user names.
    """
    lines = list(io.StringIO(head, newline=""))  # \r ends one as well
    n_above, hinted = _above(lines, usual_sign, name, notes)
    asked = asked or hinted
    body = lines[n_above:]
    if not body:
        raise CommandError(fault("empty-file", source=name))
    sign = asked or _best_sign(body, usual_sign)
    rows, ends = _rows(body, sign)
    header, n_lines = [normal(cell.strip()) for cell in rows[0]], n_above + ends[0]
    if sign != usual_sign and sign != hinted:
        notes.add(fault("delimiter", source=name, sign=_SHOWN.get(sign, repr(sign))))
    names, shift = _names(header, rows[1:], name, notes)
    first_line = n_above + 2 - (hinted is not None)
    return Dialect(sign, names, n_lines, n_above, len(header), shift, first_line)


def _above(
    lines: Sequence[str], usual_sign: str, name: str, notes: Notes
) -> tuple[int, str | None]:
    """The number of lines above the names of the columns, and the sign that one of them names."""
    hinted, n_comments, n_above = None, 0, 0
    while n_above < len(lines):
        line = lines[n_above]
        hint = _HINT.fullmatch(line)
        if hint:
            hinted = hint[1]
            notes.add(fault("delimiter-line", source=name, line=n_above + 1, text=line.strip()))
        elif line.startswith("#") and not _names_columns(lines[n_above:], usual_sign):
            n_comments += 1
        elif line.strip():
            break
        n_above += 1
    if n_comments:
        notes.add(fault("comment-lines", source=name, n=n_comments))
    return n_above, hinted


def _names_columns(lines: Sequence[str], usual_sign: str) -> bool:
    """Whether a line that begins with # is the names of the columns and no comment."""
    rows, _ = _rows(lines[:_MOST_LINES], _best_sign(lines, usual_sign))
    below = rows[1:2]
    if not below or len(rows[0]) < 2 or len(rows[0]) != len(below[0]):
        return False
    return any(_NUMBER.fullmatch(cell.strip()) for cell in below[0])


def _best_sign(lines: Sequence[str], usual_sign: str) -> str:
    """The sign that divides the lines into rows of one width, that of the names."""
    shares = {sign: _share(lines, sign) for sign in dict.fromkeys((usual_sign, *_SIGNS))}
    # Commas may be decimal ones in each row and in the names, other signs hardly.
    best = max(shares, key=lambda sign: (*shares[sign], sign != ","))
    if shares[best][0] >= 0.5:
        return best
    return " " if _share(lines, " ")[0] >= 0.9 else usual_sign


def _share(lines: Sequence[str], sign: str) -> tuple[float, int]:
    """The share of the rows with as many cells as there are names, or all one more; the names."""
    rows, _ = _rows(lines, sign)
    n_names = len(rows[0])
    # Words with blanks between them are one column of words rather than several.
    if n_names < 2 or (sign == " " and len(rows) < 2):
        return 0.0, n_names
    widths = [len(row) for row in rows[1:]]
    if not widths:
        return 1.0, n_names
    return max(widths.count(n_names), widths.count(n_names + 1)) / len(widths), n_names


def _rows(lines: Sequence[str], sign: str) -> tuple[list[list[str]], list[int]]:
    """The cells of the first lines, and the line that each row ends with, from 1."""
    reader = csv.reader(iter(lines), delimiter=sign, skipinitialspace=sign == " ")
    rows: list[list[str]] = []
    ends: list[int] = []
    try:
        for row in reader:
            row = trimmed(row) if sign == " " else row
            if any(cell.strip() for cell in row):
                rows.append(row)
                ends.append(reader.line_num)
            if len(rows) > _MOST_LINES:
                break
    except csv.Error:  # a cell as long as a book, such as one whose quotation mark is not closed
        pass
    return rows or [[""]], ends or [1]


def trimmed(row: list[str]) -> list[str]:
    """Cells that blanks separate, without those that blanks at the ends of the line make."""
    if row and not row[-1]:
        row = row[:-1]
    return row[1:] if row and not row[0] else row


def _names(
    header: list[str], rows: Sequence[Sequence[str]], name: str, notes: Notes
) -> tuple[tuple[str, ...], int]:
    """One name for each cell of a row, and how many of them stand before the line of names."""
    longer = [row for row in rows if len(row) == len(header) + 1]
    if not longer or len(longer) < 0.9 * len(rows):
        return tuple(header), 0
    if not any(row[-1].strip() for row in longer):
        notes.add(fault("delimiter-at-end", source=name))
        return (*header, ""), 0
    if len({row[0] for row in longer}) < len(longer):  # R names each row once: commas, mostly
        return tuple(header), 0
    notes.add(fault("row-names", source=name))
    return ("", *header), 1
