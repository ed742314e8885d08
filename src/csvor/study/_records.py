"""How are plan and records kept: whole or not at all, and none taken for another?"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from csvor._utils.atomic_files import write_whole
from csvor.study._cell import Cell
from csvor.study._plan import Plan
from csvor.study._spec import Spec
from csvor.study._spec_files import as_spec

PLAN = "study.json"
FORMAT = 1
# A write takes milliseconds: what is older was left by a process that was killed.
STALE_SECONDS = 60.0


def path_of(folder: Path, cell: Cell) -> Path:
    """Where the record of a cell is. The key is a part of the name: no other is overwritten."""
    name = f"{cell.level:03d}-{cell.split:03d}-{cell.method}-{cell.key[:16]}.json"
    return folder / "records" / cell.dataset / name


def write_record(folder: Path, cell: Cell, result: dict[str, Any], made_by: dict[str, str]) -> None:
    """Write the record of a cell."""
    where = {name: getattr(cell, name) for name in ("dataset", "level", "split", "method")}
    content = {"format": FORMAT, "key": cell.key, **where, **result, "made_by": made_by}
    write_json(path_of(folder, cell), content)


def read_record(folder: Path, cell: Cell) -> dict[str, Any] | None:
    """The record of a cell if there is one of the same key."""
    path = path_of(folder, cell)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT or content["status"] not in {"ok", "failed"}:
            raise ValueError("unknown format")
        needed = ("mze", "mae", "seconds") if content["status"] == "ok" else ("seconds",)
        if not all(isinstance(content[name], int | float) for name in needed):
            raise ValueError(f"one of {', '.join(needed)} is no number")
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path}: no record of a study ({error}); delete the file and run again."
        ) from error
    return content if content["key"] == cell.key else None


def read_records(folder: Path, cells: Iterable[Cell]) -> dict[Cell, dict[str, Any]]:
    """The records there are of these cells, in their order."""
    pairs = ((cell, read_record(folder, cell)) for cell in cells)
    return {cell: record for cell, record in pairs if record is not None}


def has_failed(record: dict[str, Any]) -> bool:
    """Whether a cell, or a measure of it, failed."""
    return record["status"] == "failed" or bool(record.get("failed_measures"))


def write_plan(folder: Path, plan: Plan) -> None:
    """Keep what is run in the folder, for `status`, `results` and the next run."""
    rows = [list(asdict(cell).values()) for cell in plan.cells]
    content = {"format": FORMAT, "spec": plan.spec.to_dict(), "jobs": plan.jobs, "cells": rows}
    write_json(folder / PLAN, content)


def read_plan(folder: str | Path) -> Plan:
    """What was last run in a folder."""
    path = Path(folder) / PLAN
    if not path.is_file():
        raise ValueError(f"{folder}: no study was run there ({PLAN} is missing).")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']}, this csvor reads {FORMAT}")
        cells = tuple(Cell(*row) for row in content["cells"])
        return Plan(as_spec(content["spec"]), cells, content["jobs"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path}: not the plan of a study ({error}); delete the file and run the study again."
        ) from error


def spec_of(folder: str | Path) -> Spec | None:
    """The study that was last run in a folder.

    Parameters
    ----------
    folder : str or Path

    Returns
    -------
    spec : Spec or None
        None where no study was run.

    Examples
    --------
    >>> from csvor.study import spec_of
    >>> print(spec_of("runs/none"))
    None
    """
    return read_plan(folder).spec if (Path(folder) / PLAN).is_file() else None


def other_study(folder: Path, spec: Spec) -> str:
    """What of the study in a folder `spec` lacks or takes otherwise; empty where it goes on."""
    earlier = spec_of(folder)
    if earlier is None:
        return ""
    # As it comes back from a file: lists for tuples.
    same_form = as_spec(json.loads(json.dumps(spec.to_dict())))
    return ", ".join(same_form.other_than(earlier))


def write_json(path: Path, content: Any) -> None:
    """Write a file that is there whole or not at all, whenever the process or machine dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, f"{json.dumps(content, allow_nan=False)}\n".encode())


def sweep(folder: Path) -> None:
    """Remove what killed processes left unfinished."""
    for part in (*folder.glob(f".{PLAN}.*.part"), *folder.glob("records/*/.*.json.*.part")):
        try:
            if time.time() - part.stat().st_mtime > STALE_SECONDS:
                part.unlink()
        except FileNotFoundError:  # another run finished it just now
            continue
