"""Which options has csvor explain of its own?"""

from dataclasses import dataclass
from typing import Annotated, Any

from csvor._faults.errors import refuse
from csvor.cli._options import AsJson, OpenPage, Text, Texts
from csvor.cli._parameters import DATA, MODEL, OUTPUT, choice, number, option, share, written_file

_WAYS = ("auto", "any", "beside")


def _read_wrong(text: str | None) -> str | float:
    if text is None or text in _WAYS:
        return text or "auto"
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < 1.0:
        expected = f"{', '.join(_WAYS)}, or a share from 0 to below 1, such as 0.1"
        refuse("wrong-value", name="--wrong", text=text, expected=expected)
    return value


@dataclass(frozen=True)
class ExplainOptions:
    """Which regression is fitted, and where its coefficients go."""

    link: Annotated[
        str, choice("logit|probit|cloglog|loglog|cauchit", "Distribution; logit has odds ratios.")
    ] = "logit"
    wrong: Annotated[
        Any,
        option(
            "Which labels may be wrong: any class, one beside, or a share that is known.",
            "auto|any|beside|X",
            panel=MODEL,
            kind=Text,
            convert=_read_wrong,
        ),
    ] = "auto"
    no_wrong: Annotated[bool, option("Take all labels to be right.", panel=MODEL)] = False
    nominal: Annotated[
        Texts,
        option(
            "Column with an effect of its own on each threshold; can be repeated.",
            "COL",
            panel=MODEL,
        ),
    ] = ()
    scale: Annotated[
        Texts,
        option("Column that changes the spread as well; can be repeated.", "COL", panel=MODEL),
    ] = ()
    penalty: Annotated[
        float,
        number(
            lambda x: 0 <= x < float("inf"),
            "a finite number from 0 on, such as 1",
            "Ridge: X / 2 times the squared coefficients, in the units of the columns.",
        ),
    ] = 0.0
    base: Annotated[
        Texts,
        option(
            "Level that the others are compared with; can be repeated.", "COL:LEVEL", panel=DATA
        ),
    ] = ()
    per: Annotated[
        Texts,
        option(
            "Tell odds ratios for so many units more; can be repeated.", "COL:UNITS", panel=DATA
        ),
    ] = ()
    complete: Annotated[
        bool,
        option("Leave out rows with a blank in any column; else they are refused.", panel=DATA),
    ] = False
    level: Annotated[float, share("Of the intervals.", panel=OUTPUT, example=0.95)] = 0.95
    thresholds: Annotated[bool, option("Print the thresholds as well.", panel=OUTPUT)] = False
    report: Annotated[
        Text, written_file("Write a page with the forest plot (.html).", panel=OUTPUT)
    ] = None
    open: OpenPage = False
    json: AsJson = False
