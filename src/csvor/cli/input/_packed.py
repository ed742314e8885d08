"""How are the bytes of a text file got at, packed or not?"""

import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO

import pyarrow as pa

from csvor._faults.errors import CommandError, unreadable
from csvor._faults.fault import fault
from csvor._faults.notes import Notes

# Gives the bytes of a file anew, from the start.
Opener = Callable[[], BinaryIO]

# What packed files begin with, and what packed them.
_MARKS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}
# RuntimeError is that of a password.
_DAMAGE = (OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
# A file that unpacks to more is no table that somebody means.
LARGEST = 1 << 36
_BUFFER = 1 << 20


def unpacked(opened: Opener, name: str, notes: Notes) -> Opener:
    """What gives the bytes of the text, whatever has packed them (N64)."""
    kind = packed_by(opened)
    if kind is None:
        return opened
    if kind == "zip":
        member = _only_member(opened, name)
        notes.add(fault("unzipped", source=name, member=member))
    else:
        member = ""
        if not name.lower().endswith((".gz", ".bz2", ".zst", ".xz")):
            notes.add(fault("unpacked", source=name, packer=kind))
    return lambda: io.BufferedReader(_Unpacking(opened(), kind, member, name), _BUFFER)


def packed_by(opened: Opener) -> str | None:
    """What has packed a file, by its first bytes."""
    with opened() as file:
        head = file.read(8)
    return next((kind for mark, kind in _MARKS.items() if head.startswith(mark)), None)


def _stream(file: BinaryIO, kind: str, member: str) -> IO[bytes]:
    if kind == "zip":
        return zipfile.ZipFile(file).open(member)
    if kind == "xz":
        return lzma.open(file)
    return pa.CompressedInputStream(file, kind)


def _only_member(opened: Opener, name: str) -> str:
    with _damage_told(name), opened() as file, zipfile.ZipFile(file) as archive:
        members = [
            one.filename
            for one in archive.infolist()
            if not one.is_dir() and not one.filename.startswith(("__MACOSX/", "."))
        ]
    if "[Content_Types].xml" in members:
        raise CommandError(fault("workbook-as-text", source=name))
    if len(members) != 1:
        raise CommandError(fault("zip-of-several", source=name, n=len(members), names=members))
    return members[0]


class _Unpacking(io.RawIOBase):
    """A stream of unpacked bytes that ends with an error where they are damaged or too many."""

    def __init__(self, file: BinaryIO, kind: str, member: str, name: str) -> None:
        self._file, self._name, self._n_bytes = file, name, 0
        with _damage_told(name):
            self._stream = _stream(file, kind, member)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as there are bytes."""
        with _damage_told(self._name):
            raw = self._stream.read(len(buffer))
        self._n_bytes += len(raw)
        if self._n_bytes > LARGEST:
            raise CommandError(fault("unpacks-too-large", source=self._name, limit=LARGEST >> 30))
        buffer[: len(raw)] = raw
        return len(raw)

    def close(self) -> None:
        if not self.closed:
            with _damage_told(self._name):
                self._stream.close()
            self._file.close()
        super().close()


@contextmanager
def _damage_told(name: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise unreadable(name, "packed file", error) from None
