"""Which spellings are one, and how is shown what cannot be seen?"""

import re
import unicodedata
from collections.abc import Iterable

# Letters of a text that a message shows.
LONGEST = 80
# Lines may end, and letters be joined.
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_BOOLS = {"true": "True", "false": "False"}


def folded(text: str) -> str:
    """What is left of a text without case, invisible signs and the width of its blanks."""
    text = unicodedata.normalize("NFKC", text)
    text = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    return " ".join(text.casefold().split())


def visible(text: str) -> str:
    """The text with a code for each sign that cannot be seen (N42).

    Of a long one, the first letters stand for all.
    """
    if len(text) > LONGEST:
        return f"{visible(text[:LONGEST])}... ({len(text)} letters)"
    if text.isascii() and text.isprintable() and "  " not in text and text == text.strip():
        return text
    latin = re.search("[A-Za-z]", text) is not None
    shown = "".join(f"<U+{ord(sign):04X}>" if _hides(sign, latin) else sign for sign in text)
    edge = " *\\Z|\\A *|  +"
    return re.sub(edge, lambda match: "<U+0020>" * len(match[0]), shown)


def harmless(text: str) -> str:
    """The text with a code for each sign that steers a terminal: moves, erases, turns the order."""
    return _STEERING.sub(lambda sign: f"<U+{ord(sign[0]):04X}>", text)


def _hides(sign: str, among_latin: bool) -> bool:
    if sign.isascii():
        return not sign.isprintable()
    kind = unicodedata.category(sign)
    return kind[0] in "CZ" or (among_latin and kind == "Mn")


def canonical_bools(texts: Iterable[str]) -> list[str]:
    """The texts, with True and False for their other spellings if they hold nothing else."""
    texts = list(texts)
    filled = {text.lower() for text in texts if text}
    if not filled or not filled <= _BOOLS.keys():
        return texts
    return [_BOOLS.get(text.lower(), text) for text in texts]


def quoted(text: str) -> str:
    """A word as it can be typed in a shell."""
    if re.fullmatch(r"[\w.%+][\w.%+-]*", text):
        return text
    if "'" in text and not re.search(r'["$`\\!]', text):
        return f'"{text}"'
    return "'" + text.replace("'", "'\\''") + "'"
