"""How do results and words leave the program, whatever the encoding of its streams?"""

import io
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO


def escape_for_people() -> None:
    """Let what a stream cannot say stand as escapes in it, and not end the work half-way."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(command: str, document: Mapping[str, Any]) -> None:
    """Print what a command found as one JSON document, in one line."""
    print(json.dumps({"command": command, **document}, allow_nan=False))


@contextmanager
def results() -> Iterator[TextIO]:
    """Standard output for what programs read: always UTF-8, and lines as they are in files."""
    sys.stdout.flush()
    if not hasattr(sys.stdout, "buffer"):  # text in memory, which has no encoding
        yield sys.stdout
        return
    file = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
    try:
        yield file
        file.flush()
    finally:
        file.detach()
