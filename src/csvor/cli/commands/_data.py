"""`csvor data`: which data sets there are, where they come from, and whether they are right."""

import importlib.util
from pathlib import Path
from typing import Any

from csvor import datasets
from csvor._faults.errors import CommandError, UsageError, listed, refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.spelling import closest
from csvor.cli._notes import warnings_as_notes
from csvor.cli._progress import progress
from csvor.cli._render import console, plain_table, print_table
from csvor.cli._streams import print_json
from csvor.datasets import DatasetError
from csvor.datasets._catalogue import BUNDLED
from csvor.datasets._verify import is_reference

Row = dict[str, Any]


def run_list(folder: str | None, as_json: bool) -> None:
    """Print what `load` knows by name, and where each set would be read from."""
    rows = []
    for name in datasets.names():
        known = datasets.info(name)
        shape = (known.n_rows, known.n_features, known.n_classes)
        rows.append(_row(name, shape, _located(name, folder)))
    there = Path("skordinal") if importlib.util.find_spec("skordinal") else None
    rows += [_row(name, shape, there) for name, shape in BUNDLED.items()]
    if as_json:
        print_json("data list", {"datasets": rows})
        return
    for row in rows:
        remedy = "pip install 'csvor[baselines]'" if row["name"] in BUNDLED else "csvor data get"
        row["where"] = row["where"] or f"({remedy})"
    _print(rows)


def _row(name: str, shape: tuple[int, int, int], path: Path | None) -> Row:
    figures = dict(zip(("rows", "features", "classes"), shape, strict=True))
    return {"name": name, **figures, "where": None if path is None else str(path)}


def run_get(
    requested: list[str], to: str | None, source: str, force: bool, as_json: bool, notes: Notes
) -> None:
    """Bring sets into a folder; what is there and right stays, unless forced."""
    names = list(datasets.names()) if requested == ["all"] else _checked_names(requested)
    folder = datasets.cache_folder() if to is None else Path(to)
    rows: list[Row] = []
    for name in names:
        row: Row = {"name": name, "status": "got", "error": None}
        rows.append(row)
        try:
            if not force and folder.is_dir() and _is_right(name, folder):
                row["status"] = "already there"
                continue
            with progress(f"Getting {name}"), warnings_as_notes(notes):
                datasets.fetch(name, folder, source=source)
        except (DatasetError, OSError) as error:
            row.update(status="failed", error=str(error))
    if as_json:
        document = {"folder": str(folder), "datasets": rows, "notes": notes.texts()}
        print_json("data get", document)
    else:
        _print([{"name": r["name"], "status": r["status"], "where": str(folder)} for r in rows])
    failed = [row["error"] for row in rows if row["status"] == "failed"]
    if failed:
        raise CommandError(
            fault("failed-sets", n=len(failed), total=len(rows), why=" ".join(failed))
        )


def run_check(requested: list[str], folder: str | None, as_json: bool) -> None:
    """Load each set with all checks, and say what is wrong with the others."""
    rows: list[Row] = []
    for name in _checked_names(requested) if requested else datasets.names():
        path = _located(name, folder)
        row: Row = {"name": name, "status": "right", "values": None, "published splits": None}
        row |= {"where": None if path is None else str(path), "error": None}
        rows.append(row)
        try:
            bunch = datasets.load(name, folder)
        except datasets.DatasetNotFoundError as error:
            row.update(status="missing", error=str(error))
        except DatasetError as error:
            row.update(status="wrong", error=str(error))
        else:
            same = is_reference(datasets.info(name), bunch.data, bunch.target)
            row["values"] = "reference" if same else "other digits or order"
            row["published splits"] = len(bunch.published_splits)
    if as_json:
        print_json("data check", {"datasets": rows})
    else:
        _print([{k: v for k, v in row.items() if k != "error"} for row in rows])
    wrong = [row["error"] for row in rows if row["status"] == "wrong"]
    missing = [row["name"] for row in rows if row["status"] == "missing"]
    if missing:
        wrong.append(str(fault("missing-sets", n=len(missing), names=missing)))
    if wrong:
        raise CommandError(" ".join(wrong))


def _checked_names(requested: list[str]) -> list[str]:
    for name in requested:
        if name in BUNDLED:
            refuse("bundled-set", name=name)
        if name not in datasets.names():
            close = closest(name, datasets.names())
            hint = f"did you mean '{close}'?" if close else f"they are {listed(datasets.names())}"
            refuse("unknown-set", name=name, hint=hint)
    return list(dict.fromkeys(requested))


def _located(name: str, folder: str | None) -> Path | None:
    if folder is not None and not Path(folder).expanduser().is_dir():
        refuse("no-folder", name=f"--data {str(Path(folder).expanduser())!r}")
    try:
        return datasets.locate(name, folder)
    except datasets.DatasetNotFoundError as error:  # of CSVOR_DATA
        raise UsageError(str(error)) from None


def _is_right(name: str, folder: Path) -> bool:
    """Whether the folder itself holds the set, and nothing is wrong with it."""
    if datasets.locate(name, folder) != folder:
        return False
    try:
        datasets.load(name, folder)
    except DatasetError:
        return False
    return True


def _print(rows: list[Row]) -> None:
    """Print rows under one another, numbers to the right."""
    table = plain_table()
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, int) else "left", no_wrap=True)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    print_table(console(), table)
