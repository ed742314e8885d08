"""`csvor data`: which data sets there are, where they come from, and whether they are right."""

import importlib.util
import json
from pathlib import Path
from typing import Any

from csvor import datasets
from csvor._utils.words import are, plural
from csvor.cli._errors import CommandError, UsageError, closest, listed
from csvor.cli._notes import Notes
from csvor.cli._progress import progress
from csvor.cli._render import console, plain_table, print_table
from csvor.datasets import DatasetError
from csvor.datasets._catalogue import BUNDLED
from csvor.datasets._verify import is_reference

Row = dict[str, Any]


def run_list(folder: str | None, as_json: bool) -> None:
    """Print what `load` knows by name, and where each set would be read from."""
    rows: list[Row] = []
    for name in datasets.names():
        known, place = datasets.info(name), _located(name, folder)
        rows.append(
            {
                "name": name,
                "rows": known.n_rows,
                "features": known.n_features,
                "classes": known.n_classes,
                "where": None if place is None else str(place),
            }
        )
    bundled = importlib.util.find_spec("skordinal") is not None
    for name, (n_rows, n_features, n_classes) in BUNDLED.items():
        figures = {"rows": n_rows, "features": n_features, "classes": n_classes}
        rows.append({"name": name, **figures, "where": "skordinal" if bundled else None})
    if as_json:
        print(json.dumps({"command": "data list", "datasets": rows}))
        return
    hints = dict.fromkeys(datasets.names(), "(csvor data get)")
    for row in rows:
        row["where"] = row["where"] or hints.get(row["name"], "(pip install 'csvor[baselines]')")
    _print(rows)


def run_get(
    requested: list[str], to: str | None, source: str, force: bool, as_json: bool, notes: Notes
) -> None:
    """Bring sets into a folder; what is there and right stays, unless forced."""
    chosen = list(datasets.names()) if requested == ["all"] else _checked_names(requested)
    place = datasets.cache_folder() if to is None else Path(to)
    rows: list[Row] = []
    for name in chosen:
        row: Row = {"name": name, "status": "got", "error": None}
        rows.append(row)
        try:
            if not force and place.is_dir() and _is_right(name, place):
                row["status"] = "already there"
                continue
            with progress(f"Getting {name}"), notes.of_warnings():
                datasets.fetch(name, place, source=source)
        except (DatasetError, OSError) as error:
            row.update(status="failed", error=str(error))
    if as_json:
        document = {"command": "data get", "folder": str(place), "datasets": rows}
        print(json.dumps({**document, "notes": notes.texts()}))
    else:
        _print(
            [{"name": row["name"], "status": row["status"], "where": str(place)} for row in rows]
        )
    failed = [row for row in rows if row["status"] == "failed"]
    if failed:
        raise CommandError(
            f"{plural(len(failed), 'data set')} of {len(rows)} could not be got; "
            + " ".join(row["error"] for row in failed)
        )


def run_check(requested: list[str], folder: str | None, as_json: bool) -> None:
    """Load each set with all checks, and say what is wrong with the others."""
    rows: list[Row] = []
    for name in _checked_names(requested) if requested else datasets.names():
        place = _located(name, folder)
        row: Row = {"name": name, "status": "right", "values": None, "published splits": None}
        row |= {"where": None if place is None else str(place), "error": None}
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
        print(json.dumps({"command": "data check", "datasets": rows}))
    else:
        _print([{k: v for k, v in row.items() if k != "error"} for row in rows])
    bad = [row for row in rows if row["status"] != "right"]
    if bad:
        wrong = " ".join(row["error"] for row in bad if row["status"] == "wrong")
        missing = [row["name"] for row in bad if row["status"] == "missing"]
        if missing:
            wrong += f" Missing {are(len(missing))} {listed(missing)}; csvor data get gets them."
        raise CommandError(wrong.strip())


def _checked_names(requested: list[str]) -> list[str]:
    for name in requested:
        if name in BUNDLED:
            raise UsageError(
                f"NAME {name}: comes with the package skordinal (pip install 'csvor[baselines]')"
            )
        if name not in datasets.names():
            close = closest(name, datasets.names())
            hint = f"did you mean '{close}'?" if close else f"they are {listed(datasets.names())}"
            raise UsageError(f"NAME {name}: no data set of the paper; {hint}")
    return list(dict.fromkeys(requested))


def _located(name: str, folder: str | None) -> Path | None:
    if folder is not None and not Path(folder).expanduser().is_dir():
        raise UsageError(f"--data {str(Path(folder).expanduser())!r}: there is no such folder")
    try:
        return datasets.locate(name, folder)
    except datasets.DatasetNotFoundError as error:  # of CSVOR_DATA
        raise UsageError(str(error)) from None


def _is_right(name: str, place: Path) -> bool:
    """Whether the folder itself holds the set, and nothing is wrong with it."""
    if datasets.locate(name, place) != place:
        return False
    try:
        datasets.load(name, place)
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
