"""Is a file text in UTF-8, and where is it not?"""

import codecs
from collections.abc import Callable
from itertools import chain
from typing import BinaryIO

from csvor.cli._errors import CommandError
from csvor.cli._fault import fault

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
                raise CommandError(fault("utf-16", source=name))
            kept = len(decoder.getstate()[0])
            try:
                if kept or not raw.isascii():
                    decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                at = error.start - kept
                line = n_lines + raw.count(b"\n", 0, max(at, 0))
                byte, position = error.object[error.start], n_bytes + at + 1
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
