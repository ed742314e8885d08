"""Which command goes on after a review, and which file has lost the errors that were found?"""

import hashlib
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from csvor._utils.atomic_files import write_whole
from csvor._utils.spelling import format_value
from csvor.cli._paths import parquet_files

_AUDIT = ("csvor", "audit")
_WRITER = "csvor apply"
# What an audit writes beside the page is not written again.
_NOT_REPEATED = {"data", "reviewed", "suspects", "open", "json"}
_WRITES = {"--suspects", "--json"}
# Ends a command whose options are not known.
AS_BEFORE = ", other options as before"


def audit_command(data: Any, *options: Any) -> str:
    """The command of an audit, made of its options."""
    return command_line(_AUDIT, data, *options)


def command_line(command: Sequence[str], data: Any, *options: Any) -> str:
    """A command of a file, with the options that differ from the defaults."""
    words = [word for one in (data, *options) for word in _words(one)]
    return shlex.join([*command, data.data, *words])


def _words(options: Any) -> Iterator[str]:
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name in _NOT_REPEATED or value == field.default:
            continue
        name = "--" + field.name.replace("_", "-")
        if isinstance(value, dict):
            value = tuple(f"{label}:{format_value(weight)}" for label, weight in value.items())
        for one in value if isinstance(value, tuple) else (value,):
            yield from (name,) if one is True else (name, format_value(one))


def read_command(text: str) -> tuple[str, ...]:
    """The words of such a command, none of another text: it came with a file of decisions.

    One that names a cluster is none: whoever wrote the file would choose where the data go.
    """
    try:
        words = tuple(shlex.split(text)) if text.isprintable() else ()
    except ValueError:
        return ()
    names = {word.partition("=")[0] for word in words}
    cluster = "--dask" in names and ("--dask", "local") not in pairwise(words)
    if words[:2] != _AUDIT or len(words) < 4 or _WRITES & names or cluster:
        return ()
    return words


def next_audit(command: Sequence[str], data: str, decisions: str) -> str:
    """The command that audits what a review has left, of the data as they were before.

    Without the errors that were found, the rest looks cleaner than it is.
    """
    return shlex.join([*command[:2], data, *command[3:], "--reviewed", decisions])


def record_of(path: str) -> Path:
    """The file beside `path` that says what `csvor apply` changed in it."""
    return Path(f"{path.rstrip('/')}.applied.json")


def write_record(path: str, target: str, n_changed: int, again: str | None) -> str:
    """Say beside a file how many labels were changed or dropped, and how to go on."""
    record = {
        "written_by": _WRITER,
        "file": Path(path).name,
        "sha256": digest(path),
        "target": target,
        "changed": n_changed,
        "next": again,
    }
    write_whole(record_of(path), f"{json.dumps(record, indent=1)}\n".encode())
    return str(record_of(path))


def read_record(path: str, target: str) -> dict[str, Any] | None:
    """The record of a file, if `csvor apply` wrote it as it is, and changed these labels.

    The next command in it is one of an audit, or None: the file may come from anybody.
    """
    try:
        record = json.loads(record_of(path).read_bytes())
        known = {"written_by": _WRITER, "target": target, "sha256": digest(path)}
    except (OSError, ValueError):
        return None
    if not isinstance(record, dict) or not known.items() <= record.items():
        return None
    changed, again = record.get("changed"), str(record.get("next"))
    if not isinstance(changed, int):
        return None
    words = read_command(again.removesuffix(AS_BEFORE))
    command = shlex.join(words) + AS_BEFORE * again.endswith(AS_BEFORE)
    return {"changed": changed, "next": command if words else None}


def how_to_go_on(record: dict[str, Any]) -> str:
    """The next command of a record, or what is known of it."""
    return record["next"] or "csvor audit of the file as it was, with --reviewed DECISIONS"


def digest(path: str) -> str:
    """The SHA-256 of a file, or of names and bytes of the Parquet files of a folder."""
    of_folder = hashlib.sha256()
    folder = Path(path).is_dir()
    for file in parquet_files(path) if folder else [Path(path)]:
        with file.open("rb") as opened:
            of_file = hashlib.file_digest(opened, "sha256").hexdigest()
        if not folder:
            return of_file
        of_folder.update(f"{file.name}\n{of_file}\n".encode())
    return of_folder.hexdigest()
