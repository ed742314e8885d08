"""How are figures printed, and how does a table look in Markdown and LaTeX?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np
import pandas as pd
from scipy.stats import rankdata

NO_RESULT = "–"


@dataclass(frozen=True)
class TableCell:
    """Text, and how it stands out: "best" is bold, "second" underlined.

    "text" is prose, which wraps and begins at the left, "bad" such prose as a warning.
    """

    text: str
    mark: str = ""


@dataclass(frozen=True, eq=False)
class ReportTable:
    """A table to read, with the numbers behind it.

    Attributes
    ----------
    name : str
        Stem of its files.
    caption : str
        What it shows, and how its marks are to be read.
    head : tuple of str
        Names of the columns.
    rows : tuple of tuples of TableCell
        Equal names at the start of successive rows belong together.
    numbers : DataFrame
        The same without rounding or marks, for the CSV file.
    n_names : int
        How many columns at the left are names; the others are numbers.
    notes : tuple of str
        What has to be said below it.
    """

    name: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    numbers: pd.DataFrame
    n_names: int = 1
    notes: tuple[str, ...] = field(default=())

    def left(self, column: int) -> bool:
        """Whether a column holds words."""
        prose = (row[column].mark in ("text", "bad") for row in self.rows)
        return column < self.n_names or (bool(self.rows) and all(prose))

    def starts(self) -> list[int]:
        """The rows at which a new first name begins; none where each has another."""
        firsts = [row[0].text for row in self.rows]
        starts = [i for i, name in enumerate(firsts) if i == 0 or name != firsts[i - 1]]
        return starts if len(starts) < len(firsts) else []


def number(value: float, digits: int = 3) -> str:
    """A number as printed; a dash where there is none."""
    return f"{value:.{digits}f}" if isfinite(value) else NO_RESULT


def small(p: float) -> str:
    """A p-value with two significant digits."""
    if not isfinite(p):
        return NO_RESULT
    return f"{p:#.2g}" if p >= 1e-4 else f"{p:.0e}"


def cells(*values: object) -> tuple[TableCell, ...]:
    """A cell for each, without a mark."""
    return tuple(TableCell(str(value)) for value in values)


def marked(
    values: Sequence[float], better: str, digits: int = 3, texts: Sequence[str] | None = None
) -> tuple[TableCell, ...]:
    """Numbers, or texts that stand for them; "best" and "second" by what is printed of the numbers.

    So equal figures look equal.
    """
    texts = [number(value, digits) for value in values] if texts is None else texts
    printed = np.round(np.asarray(values, dtype=float), digits)
    finite = np.isfinite(printed)
    if finite.sum() < 2:
        return cells(*texts)
    places = np.zeros(len(printed))
    places[finite] = rankdata((printed if better == "lower" else -printed)[finite], method="min")
    names = ("", "best", "second")
    return tuple(
        TableCell(text, names[int(place)] if place < 3 else "")
        for text, place in zip(texts, places.tolist(), strict=True)
    )


def to_csv(table: ReportTable) -> str:
    """The numbers, with up to ten significant digits."""
    return table.numbers.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def to_markdown(table: ReportTable) -> str:
    """A pipe table with its caption above and its notes below."""
    align = ["---" if table.left(j) else "---:" for j in range(len(table.head))]
    lines = [_pipes([escape_markdown(name) for name in table.head]), _pipes(align)]
    lines += [_pipes([_markdown(cell) for cell in row]) for row in table.rows]
    parts = [
        escape_markdown(table.caption),
        "\n".join(lines),
        *[escape_markdown(note) for note in table.notes],
    ]
    return "\n\n".join(parts) + "\n"


def to_latex(table: ReportTable) -> str:
    """A table for booktabs, one rule between groups that begin with different names."""
    align = "".join("l" if table.left(j) else "r" for j in range(len(table.head)))
    starts, lines = table.starts(), []
    for i, row in enumerate(table.rows):
        if i and i in starts:
            lines.append(r"\midrule")
        repeated = bool(starts) and i not in starts
        lines.append(_latex_row(["" if repeated else _latex(row[0]), *map(_latex, row[1:])]))
    caption = " ".join([table.caption, *table.notes])
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs}.",
            r"\begin{table*}",
            r"\centering\scriptsize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{latex_text(caption)}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            _latex_row(map(latex_text, table.head)),
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table*}",
            "",
        ]
    )


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escape_markdown(text: str) -> str:
    """Text with the signs of Markdown escaped, on one line."""
    for sign in "\\|*_<>`":
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


def _markdown(cell: TableCell) -> str:
    text = escape_markdown(cell.text)
    if not text:
        return text
    return {"best": f"**{text}**", "second": f"<u>{text}</u>"}.get(cell.mark, text)


_TEX = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "−": r"$-$",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "–": "--",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    """Text with LaTeX's own signs escaped."""
    return "".join(_TEX.get(sign, sign) for sign in text)


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex(cell: TableCell) -> str:
    text = latex_text(cell.text)
    around = {"best": r"\textbf{%s}", "second": r"\underline{%s}"}.get(cell.mark, "%s")
    return around.replace("%s", text) if text else text
