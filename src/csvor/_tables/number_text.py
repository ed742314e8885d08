"""Which number does a text stand for, whatever marks it carries (N39)?"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

# Three-letter names of currencies; their signs are known by their category in Unicode.
_NAMES = (
    "AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF INR JPY KRW MXN NOK NZD PLN RUB SEK SGD TRY USD "
    "ZAR"
)
_CURRENCIES = frozenset(_NAMES.split())
_SIGN = "$"  # stands for any currency sign
_WORD = r"[^\W\d_][\w/*^.%°·-]*"
_NUMERAL = re.compile(
    rf"""
    (\()?\s*
    ([-+])?\s*
    (?:((?:[A-Z]{{1,2}})?\{_SIGN}|(?:{_NAMES.replace(" ", "|")})(?=[\s\d-]))\s*)?
    (-)?\s*
    (\d(?:[\d.,'\ ]*\d)?[.,]?|[.,]\d+)
    ([eE][-+]?\d+)?\s*
    (%|‰|°\ ?[CF]?|\{_SIGN}|{_WORD}(?:\ {_WORD}){{0,2}})?
    (-)?\s*
    (\))?
    """,
    re.VERBOSE,
)
# Units that differ within a column are a mistake; other letters behind numbers make codes.
_UNIT_NAMES = (
    "% ‰ ° °c °f k m b g kg mg µg μg ug ng lb lbs oz t mm cm dm km in ft yd mi l ml cl dl h hr hrs "
    "min mins s sec ms d day days week weeks wk month months mo year years yr yrs kb mb gb tb "
    "mio bn tsd mmhg bpm kcal cal kj w kw kwh v hz pa kpa bar m2 km2 ha sqm sqft km/h kmh mph m/s "
    "mg/dl mmol/l g/dl g/l kg/m2 iu pt pts px"
)
_UNITS = frozenset([*_UNIT_NAMES.split(), *map(str.lower, _CURRENCIES)])
# A number with one of these may be meant where another one, without it, stands.
FACTORS = frozenset(["%", "‰", "k", "m", "b", "mio", "bn", "tsd"])
# 10² is not 102.
_POWER = re.compile("\\d[²³¹⁰-₎]")
_PLAIN_SIGNS = str.maketrans(
    dict.fromkeys("\u2012\u2013\u2212\ufe63\uff0d", "-")
    | dict.fromkeys("\u00b4\u0060\u02bc\u2019", "'")
)
# Decimal sign and sign between thousands.
Notation = tuple[str, str]
# The plain one first.
NOTATIONS: tuple[Notation, ...] = tuple(
    (d, t) for t in ("", ",", ".", "'", " ") for d in (".", ",") if d != t
)


class Numeral(NamedTuple):
    """A text that is a number: its digits with the signs between them, and what is around.

    `spelled` is the unit as it is written; `notations` are those in which the digits can be read.
    """

    body: str
    power: str
    negative: bool
    spelled: str
    marks: tuple[str, ...]
    notations: tuple[Notation, ...]

    @property
    def unit(self) -> str:
        """The unit as it is compared: without case."""
        return self.spelled.casefold()

    def value(self, notation: Notation) -> float:
        """The number in a notation that fits."""
        decimal, thousands = notation
        body = self.body.replace(thousands, "") if thousands else self.body
        number = float(body.replace(decimal, ".") + self.power)
        return -number if self.negative else number


def numeral(text: str) -> Numeral | None:
    """Take a text apart; None if it is no number with at most one mark beside it."""
    match = None if _POWER.search(text) else _NUMERAL.fullmatch(_plain(text))
    if match is None:
        return None
    opened, minus, before, inner, body, power, after, behind, closed = match.groups()
    notations = _fitting(body[0].translate(_FIRST) + body[1:].translate(_DIGITS))
    signs = [sign for sign in (minus, inner, behind, opened) if sign]
    if not notations or bool(opened) != bool(closed) or (before and after) or len(signs) > 1:
        return None
    ascii_text = text.isascii()
    marks = {
        "parentheses": opened,
        "minus behind": behind,
        "minus sign": not ascii_text and signs == ["-"] and "-" not in text,
        "digits": not ascii_text and any(s.isdecimal() and not s.isascii() for s in text),
    }
    unit = _unit(before or after or "", text)
    there = tuple(name for name, is_there in marks.items() if is_there)
    return Numeral(body, power or "", bool(signs) and signs != ["+"], unit, there, notations)


def _plain(text: str) -> str:
    """The text with ASCII digits, blanks, apostrophes and minus signs."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text.translate(_PLAIN_SIGNS))
    return "".join(
        str(unicodedata.decimal(sign, _SIGN if unicodedata.category(sign) == "Sc" else sign))
        for sign in text
    )


def _unit(mark: str, text: str) -> str:
    """The unit without blanks and a point at its end."""
    if _SIGN in mark:
        sign = next(sign for sign in text if unicodedata.category(sign) == "Sc")
        mark = mark.replace(_SIGN, sign)
    return mark.strip().rstrip(".").replace("° ", "°")


def is_known_unit(unit: str) -> bool:
    """Whether what stands beside a number is a unit and no part of a code."""
    return unit in _UNITS or unicodedata.category(unit[-1:] or " ") == "Sc"


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    d, t = re.escape(decimal), re.escape(thousands)
    # In India, groups but the last have two digits; unread, they would be categories (N39).
    grouped = rf"|[1-9]\d{{0,2}}(?:{t}\d{{2,3}})*{t}\d{{3}}" if thousands else ""
    return re.compile(rf"(?:\d+{grouped})(?:{d}\d*)?|{d}\d+")


_PATTERNS = {notation: _pattern(*notation) for notation in NOTATIONS}
_FIRST = str.maketrans("123456789", "9" * 9)
_DIGITS = str.maketrans("0123456789", "9" * 10)


@lru_cache(maxsize=4096)
def _fitting(shape: str) -> tuple[Notation, ...]:
    """The notations of digits in which each is a 9, but 0 at their begin."""
    return tuple(n for n in NOTATIONS if _PATTERNS[n].fullmatch(shape))
