"""When do two texts, or values as texts, say the same?"""

import math
import re
import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

# What stands for "no value" in a column of numbers; R and pandas write the later ones.
BLANK = ("", "NA", "NaN", "nan")
# How cells begin that spreadsheets take for formulas, or cut.
_FORMULA = re.compile(r"[=+\-@\t\r]")


def normal(text: str) -> str:
    """The text in Unicode's composed form: the one in which texts are compared."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def format_value(value: Any) -> str:
    """A value as it stands in messages and files: whole numbers without a point."""
    if isinstance(value, Real) and not isinstance(value, Integral):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(value)


def as_number(text: str) -> float:
    """The number that `text` is, NaN if it is none."""
    try:
        return float(text) if "_" not in text and text.isascii() else math.nan
    except ValueError:
        return math.nan


def without_formula(text: str) -> str:
    """The text with a ' before it where a spreadsheet would run it as a formula (N79)."""
    return f"'{text}" if _FORMULA.match(text) and math.isnan(as_number(text)) else text


def same(a: str, b: str) -> bool:
    """Whether two cells say the same: as text, formula or not, as numbers, or as True and False."""
    if normal(a) == normal(b) or as_number(a) == as_number(b):
        return True
    if a and b and (a == without_formula(b) or b == without_formula(a)):
        return True
    return {a.lower(), b.lower()} <= {"true", "false"} and a.lower() == b.lower()


def closest(name: str, known: Sequence[str]) -> str | None:
    """The one of the `known` names that `name` may be a slip of."""
    if close := get_close_matches(name, known, n=1):
        return close[0]
    lowered = {k.lower(): k for k in known}
    close = get_close_matches(name.lower(), lowered, n=1)
    return lowered[close[0]] if close else None


# I to XII, AA and BBB, T2, 3b, IIIB: one letter more or less is another label.
_CODE = re.compile(r".{1,2}|.*\d.*|[IVXLCDM]+[A-D]?|[ivx]+|(\w)\1*[+-]?")


def closest_label(label: str, known: Sequence[str]) -> str | None:
    """As `closest`, of labels; no short code is a slip of another (N65)."""
    if _CODE.fullmatch(label):
        return None
    return closest(label, [other for other in known if not _CODE.fullmatch(other)])
