"""Is a file text in UTF-8, and where is it not?"""

import codecs
from collections.abc import Callable
from itertools import chain
from typing import BinaryIO

from csvor.cli._errors import CommandError

_BLOCK = 1 << 20

# Gives the bytes of a file anew, from the start.
Opener = Callable[[], BinaryIO]


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
                raise CommandError(f"{name}: this is UTF-16 text; save it as CSV in UTF-8")
            kept = len(decoder.getstate()[0])
            try:
                if kept or not raw.isascii():
                    decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                at = error.start - kept
                line = n_lines + raw.count(b"\n", 0, max(at, 0))
                raise CommandError(
                    f"{name}, line {line}: byte 0x{error.object[error.start]:02x} (byte "
                    f"{n_bytes + at + 1} of the file) is not UTF-8 text; save the file as CSV in "
                    "UTF-8"
                ) from None
            if b"\x00" in raw:
                line = n_lines + raw.count(b"\n", 0, raw.index(b"\x00"))
                raise CommandError(
                    f"{name}, line {line}: holds a NUL byte, so this is not a CSV file"
                )
            n_lines += raw.count(b"\n")
            n_quotes += raw.count(b'"')
            n_bytes += len(raw)
            is_open = not raw.endswith(b"\n") if raw else is_open
    return n_lines - 1 + is_open, n_quotes
