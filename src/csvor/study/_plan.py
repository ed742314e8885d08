"""Which cells does a study have, and what does each depend on?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

import csvor
from csvor.methods import METHODS, make_method
from csvor.study._cell import Cell
from csvor.study._methods import STUDY_METHODS, Contender, StudyMethod, expand
from csvor.study._problem import StudyData, digest
from csvor.study._records import FORMAT, PLAN, write_json
from csvor.study._spec import MethodSpec, Spec, spec_from_dict

# Raised whenever splits, corruption, scaling, folds, selection or scores change their meaning.
PROTOCOL = 1
TYPICAL_ROWS = 150


@dataclass(frozen=True)
class Plan:
    """A study with its cells in the order of its spec, and by how many jobs it was last run."""

    spec: Spec
    cells: tuple[Cell, ...]
    jobs: int = 1


def make_contender(entry: MethodSpec) -> Contender:
    """The method of a spec, with its grid written out and its parameters checked."""
    line = STUDY_METHODS.get(entry.name, StudyMethod())
    grid = line.grid if entry.grid is None else entry.grid
    free = {name: values for name, values in grid.items() if name not in entry.parameters}
    known = make_method(entry.name).get_params()
    unknown = [name for name in (*free, *entry.parameters) if name not in known]
    if unknown:
        raise ValueError(
            f"methods.{entry.name}: it has no parameter {', '.join(map(repr, unknown))}; the "
            f"parameters are {', '.join(known)}."
        )
    estimator = make_method(entry.name, **entry.parameters)
    return Contender(entry.name, estimator, expand(free), line.fit_grid, line.finds_outliers)


def make_plan(
    spec: Spec,
    data: Mapping[str, StudyData],
    contenders: Mapping[str, Contender],
    jobs: int = 1,
) -> Plan:
    """All cells of a study."""
    return Plan(spec, tuple(_cells(spec, data, contenders)), jobs)


def _cells(
    spec: Spec, data: Mapping[str, StudyData], contenders: Mapping[str, Contender]
) -> Iterator[Cell]:
    of_method = {name: _facts(contender) for name, contender in contenders.items()}
    for dataset in spec.datasets:
        known, checksum = data[dataset], data[dataset].checksum
        parts = {split: digest(*rows) for split, rows in known.splits.items()}
        for level in spec.levels:
            for split, part in parts.items():
                for entry in spec.methods:
                    most = spec.splits_of(entry)
                    if most is not None and split >= most:
                        continue
                    facts = {
                        "protocol": PROTOCOL,
                        "data": [dataset, checksum, known.n_classes, known.spoils],
                        "split": [split, part],
                        "level": level,
                        "folds": spec.folds,
                        "seed": spec.seed,
                        "method": of_method[entry.name],
                    }
                    cost = _cost(contenders[entry.name], known.splits[split][0].size, spec.folds)
                    yield Cell(dataset, level, split, entry.name, _hash(facts), cost)


def _facts(contender: Contender) -> dict[str, Any]:
    """What the result of a method depends on, whatever the data."""
    kind = type(contender.estimator)
    return {
        "class": f"{kind.__module__}.{kind.__qualname__}",
        "parameters": contender.estimator.get_params(),
        "settings": [dict(setting) for setting in contender.settings],
        "fit_grid": f"{contender.fit_grid.__module__}.{contender.fit_grid.__qualname__}",
        "finds_outliers": contender.finds_outliers,
        "versions": versions(contender.name),
    }


def versions(method: str) -> dict[str, str]:
    """The versions of csvor and of the package that a method comes from."""
    found = {"csvor": csvor.__version__}
    package = METHODS[method].module.partition(".")[0]
    try:
        return {package: version(package), **found}
    except PackageNotFoundError:  # a module of the user's own
        return found


def made_by(method: str) -> dict[str, str]:
    """The versions that a record names."""
    return {**versions(method), "numpy": np.__version__, "scikit-learn": sklearn.__version__}


def _hash(facts: Any) -> str:
    text = json.dumps(facts, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _cost(contender: Contender, n_rows: int, n_folds: int) -> float:
    """A guess of the seconds: long cells start first, and a first time left is told by it."""
    n_settings = len(contender.settings)
    n_fits = 1 if n_settings == 1 else n_settings * n_folds + 1
    milliseconds = STUDY_METHODS.get(contender.name, StudyMethod()).cost
    return n_fits * milliseconds / 1000 * (n_rows + TYPICAL_ROWS) / (2 * TYPICAL_ROWS)


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
        return Plan(spec_from_dict(content["spec"]), cells, content["jobs"])
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
