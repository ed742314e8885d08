"""Which cells does a study have, and what does each depend on?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from typing import Any

import numpy as np
import sklearn

import csvor
from csvor._utils.sklearn_private import validate_parameter_constraints
from csvor._utils.words import quoted
from csvor.methods import METHODS, make_method
from csvor.study._cell import Cell
from csvor.study._measures import Measure
from csvor.study._methods import STUDY_METHODS, MethodRun, StudyMethod
from csvor.study._select import expand
from csvor.study._spec import MethodSpec, Spec
from csvor.study._splits import StudyData, check_folds, digest

# Under which rules and code records are alike. To be raised with every change that lets a cell come
# out otherwise: its splits, corruption, scaling, folds, selection or scores, or what a method of
# csvor computes from given rows and parameters. Records of another number are left alone.
PROTOCOL = 3
TYPICAL_ROWS = 150


@dataclass(frozen=True)
class Plan:
    """A study with its cells in the order of its spec, and by how many jobs it was last run."""

    spec: Spec
    cells: tuple[Cell, ...]
    jobs: int = 1

    @property
    def measure_names(self) -> tuple[str, ...]:
        """The measures of its own, in the order of the spec."""
        return tuple(measure.name for measure in self.spec.measures)


def make_method_run(entry: MethodSpec) -> MethodRun:
    """The method of a spec, with its grid written out and its parameters checked."""
    line = STUDY_METHODS.get(entry.name, StudyMethod())
    grid = line.grid if entry.grid is None else entry.grid
    free = {name: values for name, values in grid.items() if name not in entry.parameters}
    known = make_method(entry.name).get_params()
    unknown = [name for name in (*free, *entry.parameters) if name not in known]
    if unknown:
        raise ValueError(
            f"methods.{entry.name}: it has no parameter {quoted(unknown)}; the "
            f"parameters are {', '.join(known)}."
        )
    estimator = make_method(entry.name, **entry.parameters)
    fixed = {name: (value,) for name, value in entry.parameters.items()}
    for table, choices in (("parameters", fixed), ("grid", free)):
        for name, values in choices.items():
            for value in values:
                _check_value(estimator, name, value, f"methods.{entry.name}.{table}")
    return MethodRun(entry.name, estimator, expand(free), line.fit_grid, line.finds_outliers)


def _check_value(estimator: Any, name: str, value: Any, where: str) -> None:
    """Refuse a value outside what a method declares for a parameter, as scikit-learn's do."""
    owner, _, leaf = name.rpartition("__")
    one = estimator.get_params()[owner] if owner else estimator
    declared = getattr(one, "_parameter_constraints", {})
    if leaf not in declared:
        return
    try:
        validate_parameter_constraints(
            {leaf: declared[leaf]}, {leaf: value}, caller_name=type(one).__name__
        )
    except ValueError as error:
        raise ValueError(f"{where}.{name}: {error}") from error


def make_plan(
    spec: Spec,
    data: Mapping[str, StudyData],
    method_runs: Mapping[str, MethodRun],
    measures: Sequence[Measure] = (),
    jobs: int = 1,
) -> Plan:
    """All cells of a study."""
    for one in data.values():
        check_folds(one, spec.folds)
    return Plan(spec, tuple(_cells(spec, data, method_runs, measures)), jobs)


def _cells(
    spec: Spec,
    data: Mapping[str, StudyData],
    method_runs: Mapping[str, MethodRun],
    measures: Sequence[Measure],
) -> Iterator[Cell]:
    of_method = {name: _facts(method_run) for name, method_run in method_runs.items()}
    of_measures = {
        measure.name: {**measure.facts, "version": _version_of(measure.facts["function"])}
        for measure in measures
    }
    for dataset in spec.datasets:
        study_data = data[dataset]
        of_data = [dataset, study_data.checksum, study_data.n_classes, study_data.corrupts]
        digests = {split: digest(*rows) for split, rows in study_data.splits.items()}
        for level, split, entry in product(spec.levels, digests, spec.methods):
            most = spec.splits_of(entry)
            if most is not None and split >= most:
                continue
            facts = {
                "protocol": PROTOCOL,
                "data": of_data,
                "split": [split, digests[split]],
                "level": level,
                "folds": spec.folds,
                "seed": spec.seed,
                "method": of_method[entry.name],
                **({"measures": of_measures} if measures else {}),
            }
            n_rows = study_data.splits[split][0].size
            cost = _cost(method_runs[entry.name], n_rows, spec.folds)
            yield Cell(dataset, level, split, entry.name, _hash(facts), cost)


def _facts(method_run: MethodRun) -> dict[str, Any]:
    """What the result of a method depends on, whatever the data.

    Of csvor's own code the name in the registry and the protocol number speak, not the module that
    it stands in; other code is told apart by where it comes from, and its version.
    """
    method = METHODS[method_run.name]
    fit_grid = method_run.fit_grid
    return {
        "name": method_run.name,
        "class": _outside(method.module, method.name),
        "parameters": method_run.estimator.get_params(),
        "settings": [dict(setting) for setting in method_run.settings],
        "fit_grid": _outside(fit_grid.__module__, fit_grid.__qualname__),
        "finds_outliers": method_run.finds_outliers,
        "version": _version_of(method.module),
    }


def _outside(module: str, name: str) -> str | None:
    """Where something comes from, None of what is csvor's own."""
    return None if _package(module) == "csvor" else f"{module}.{name}"


def _version_of(module: str) -> str | None:
    """The version of the package of a module, None of csvor and of a module of the user's own."""
    package = _package(module)
    try:
        return None if package == "csvor" else version(package)
    except PackageNotFoundError:
        return None


def _package(module: str) -> str:
    return module.partition(":")[0].partition(".")[0]


def made_by(method: str) -> dict[str, str]:
    """The versions that a record names."""
    module = METHODS[method].module
    ours = {
        "csvor": csvor.__version__,
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    other = _version_of(module)
    return ours if other is None else {_package(module): other, **ours}


def _hash(facts: Any) -> str:
    text = json.dumps(facts, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _cost(method_run: MethodRun, n_rows: int, n_folds: int) -> float:
    """A guess of the seconds: long cells start first, and a first time left is told by it."""
    n_settings = len(method_run.settings)
    n_fits = 1 if n_settings == 1 else n_settings * n_folds + 1
    milliseconds = STUDY_METHODS.get(method_run.name, StudyMethod()).cost
    return n_fits * milliseconds / 1000 * (n_rows + TYPICAL_ROWS) / (2 * TYPICAL_ROWS)
