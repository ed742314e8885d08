"""What a model file says of itself: JSON beside the pipeline, which is read without running it."""

import json
import platform
import zipfile
import zlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.version import VERSION
from csvor.cli._paths import check_input

NAME = "csvor.json"
FORMAT = 2
# What decides whether a pipeline comes back as it was.
DECISIVE = ("csvor", "scikit-learn")
# What is JSON has some 100 kB, and takes thirty times that in memory; numbers of a model are
# packed to a half, or where they are 0 to nothing.
LARGEST_RECORD = 1 << 24
LARGEST_MODEL = 1 << 30
LARGEST_RATIO = 20
_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
Facts = list[tuple[str, str]]
# What a record has to hold, and of which type: people may have edited it.
_REQUIRED = {
    "written": str,
    "versions": dict,
    "features.numeric": list,
    "features.categorical": dict,
    "features.readings": dict,
    "features.missing": list,
    "document.target": str,
    "document.classes": list,
    "document.order": str,
    "document.columns": dict,
    "document.settings": dict,
    "document.parameters": dict,
    "document.thresholds": list,
    "document.coefficients": list | None,
    "document.notes": list,
}
# The same of each entry of a list.
_OF_ENTRIES: dict[str, dict[str, Any]] = {
    "thresholds": {"threshold": int | float, "below": object, "above": object},
    "coefficients": {"column": str, "coefficient": int | float},
}


def versions() -> dict[str, str]:
    """What runs here."""
    others = {name: metadata.version(name) for name in ("scikit-learn", "numpy")}
    return {"csvor": VERSION, **others, "python": platform.python_version()}


def now() -> str:
    """The time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Record:
    """How a model came about.

    `features` says how a table is prepared for it, `document` is what `csvor fit --json` prints of
    it, and `facts` what it prints.
    """

    written: str
    versions: dict[str, str]
    features: dict[str, Any]
    document: dict[str, Any]
    facts: Facts

    @property
    def target(self) -> str:
        """The column of the labels."""
        return str(self.document["target"])

    @property
    def classes(self) -> list[Any]:
        """The labels in their order."""
        return [entry["label"] for entry in self.document["classes"]]

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by their use."""
        return dict(self.document["columns"])

    @property
    def known(self) -> set[str]:
        """The columns that had a use, or were left out on purpose."""
        uses = [[use] if isinstance(use, str) else use or () for use in self.columns.values()]
        return {name for use in uses for name in use}

    @property
    def impute(self) -> bool:
        """Whether blanks among numbers are filled."""
        return bool(self.document["settings"]["impute"])

    def as_json(self) -> str:
        """What stands in the file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, allow_nan=False, indent=1)

    def note_versions(self, path: str, notes: Notes) -> None:
        """Say once, and in one line, that other versions wrote the file."""
        here = versions()
        other = [name for name in DECISIVE if self.versions.get(name) != here[name]]
        if other:
            then, today = (
                " and ".join(f"{name} {of.get(name, 'unknown')}" for name in other)
                for of in (self.versions, here)
            )
            notes.add(fault("other-versions", path=path, then=then, today=today))


def read_record(path: str) -> Record:
    """What a model file says of itself; nothing in it is run."""
    check_input(path)
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            _check_sizes(path, archive)
            raw = archive.read(NAME) if NAME in names else None
    except _BROKEN as error:
        raise no_model(path, str(error)) from error
    if raw is None:
        also = "a skops file, but " if "schema.json" in names else ""
        raise no_model(path, f"it has no {NAME}", also)
    try:
        content = json.loads(raw)
        form = content.pop("format")
        if form == FORMAT:
            _check_required(content)
            return Record(**{**content, "facts": [(name, text) for name, text in content["facts"]]})
        writer = content["versions"]["csvor"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise no_model(path, f"{NAME}: {error}") from error
    raise CommandError(
        fault("other-form", path=path, writer=writer, form=form, version=VERSION, read=FORMAT)
    )


def _check_sizes(path: str, archive: zipfile.ZipFile) -> None:
    """Refuse a small file that would take all memory (N74).

    No more is read of a part than the size that it has by the archive's list.
    """
    sizes = {part.filename: part.file_size for part in archive.infolist()}
    for name in (NAME, "schema.json"):
        if sizes.get(name, 0) > LARGEST_RECORD:
            raise no_model(path, f"{name} unpacks to more than {LARGEST_RECORD >> 20} MiB")
    largest = max(LARGEST_MODEL, LARGEST_RATIO * Path(path).stat().st_size)
    if sum(sizes.values()) > largest:
        raise no_model(path, f"it unpacks to more than {largest >> 30} GiB")


def no_model(path: str, why: str, also: str = "") -> CommandError:
    """The refusal of a file that is something else."""
    return CommandError(fault("no-model", path=path, why=why, also=also))


def _check_required(content: dict[str, Any]) -> None:
    for path, kind in _REQUIRED.items():
        value: Any = content
        for key in path.split("."):
            value = value[key]
        _check_kind(path, value, kind)
    for name, fields in _OF_ENTRIES.items():
        for entry in content["document"][name] or []:
            for key, kind in fields.items():
                _check_kind(f"{key} of {name}", entry[key], kind)


def _check_kind(name: str, value: Any, kind: Any) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is no {getattr(kind, '__name__', kind)}")
