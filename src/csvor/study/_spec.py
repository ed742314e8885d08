"""What is run: data sets, levels, splits, methods, measures?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any

from csvor._utils.words import quoted
from csvor.study._measures import MeasureSpec
from csvor.study._spec_checks import check, check_splits, check_table, fix, is_list, is_whole

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")


@dataclass(frozen=True)
class MethodSpec:
    """One method of a study.

    Attributes
    ----------
    name : str
        A key of ``csvor.methods.METHODS``.
    splits : int or None
        Run it on the first so many splits only; None on those of the study.
    grid : Mapping of str to tuple, or None
        Values to choose from, the preferred ones first; None takes the grid of
        ``csvor.study.STUDY_METHODS``, an empty one fits the method as it is.
    parameters : Mapping
        Parameters that are fixed, over those of the registry.
    """

    name: str
    splits: int | None = None
    grid: Mapping[str, tuple[Any, ...]] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = f"methods.{self.name}"
        check_splits(self.splits, f"{where}.splits")
        if self.grid is not None:
            check_table(self.grid, f"{where}.grid")
            for name, values in self.grid.items():
                what = "a list of values such as [0.1, 1, 10]"
                check(is_list(values) and bool(values), f"{where}.grid.{name}", what, values)
            fix(self, grid={name: tuple(values) for name, values in self.grid.items()})
        check_table(self.parameters, f"{where}.parameters")
        both = [name for name in self.parameters if name in (self.grid or {})]
        if both:
            raise ValueError(f"{where}: {quoted(both)} is in grid and in parameters; take one out.")


@dataclass(frozen=True)
class Spec:
    """A study: each method on each split of each data set at each level of corruption.

    Attributes
    ----------
    datasets : tuple of str
        Names that `csvor.datasets.load` takes: known ones, or NAME of a NAME.csv in the folder.
    levels : tuple of int
        Shares of corrupted training rows in percent, 0 to 100.
    methods : tuple of MethodSpec
    splits : int or None
        The first so many splits of each data set; None all of them.
    folds : int
        Parts of the cross-validation that chooses parameters, at least 2.
    seed : int
        Decides corruption and folds together with data set, level and split; at least 0.
    measures : tuple of MeasureSpec
        What is measured beside the errors of every study.

    See Also
    --------
    load_spec : Read one from a TOML file.
    preset : One of those that come with csvor.

    Examples
    --------
    >>> from csvor.study import MethodSpec, Spec
    >>> spec = Spec(("tae",), (0, 10), (MethodSpec("CSVOR", grid={"C": (0.1, 1)}),))
    >>> spec.levels
    (0, 10)
    """

    datasets: tuple[str, ...]
    levels: tuple[int, ...]
    methods: tuple[MethodSpec, ...]
    splits: int | None = None
    folds: int = 5
    seed: int = 0
    measures: tuple[MeasureSpec, ...] = ()

    def __post_init__(self) -> None:
        for key in ("datasets", "levels", "methods"):
            values = getattr(self, key)
            check(is_list(values) and bool(values), key, "a list with at least one entry", values)
            fix(self, **{key: tuple(values)})
        fix(self, measures=tuple(self.measures))
        for name in self.datasets:
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise ValueError(
                    f"datasets: {name!r} is no name; letters, digits, '_', '.', '+', '-' make one."
                )
        for level in self.levels:
            is_right = is_whole(level) and 0 <= level <= 100
            check(is_right, "levels", "whole percents from 0 to 100", level)
        measures = tuple(measure.name for measure in self.measures)
        # Each has two columns in the results.
        for key, listed in (
            ("datasets", self.datasets),
            ("levels", self.levels),
            ("methods", tuple(method.name for method in self.methods)),
            ("measures", measures),
            ("measures", (*measures, *(f"{name}_error" for name in measures))),
        ):
            twice = sorted({name for name in listed if listed.count(name) > 1}, key=listed.index)
            if twice:
                raise ValueError(f"{key}: {quoted(twice)} is listed more than once.")
        check_splits(self.splits, "splits")
        for key, value, least in (("folds", self.folds, 2), ("seed", self.seed, 0)):
            is_right = is_whole(value) and value >= least
            check(is_right, key, f"a whole number from {least}", value)

    def splits_of(self, method: MethodSpec) -> int | None:
        """How many splits a method is run on at most.

        Parameters
        ----------
        method : MethodSpec

        Returns
        -------
        splits : int or None
            None for all.
        """
        limits = [n for n in (self.splits, method.splits) if n is not None]
        return min(limits) if limits else None

    def other_than(self, earlier: Spec) -> list[str]:
        """What of an earlier study this one lacks or takes otherwise.

        Parameters
        ----------
        earlier : Spec

        Returns
        -------
        differences : list of str
            Empty if this is the same study, or the same with more in it.
        """
        differences = [
            key for key in ("folds", "seed") if getattr(self, key) != getattr(earlier, key)
        ]
        for key in ("datasets", "levels", "methods", "measures"):
            mine, theirs = (_by_name(getattr(spec, key)) for spec in (self, earlier))
            gone = [name for name in theirs if name not in mine]
            differences += [f"{key} without {', '.join(gone)}"] if gone else []
            both = [name for name in theirs if name in mine]
            differences += [f"{key}.{name}" for name in both if mine[name] != theirs[name]]
        in_both = [m for m in earlier.methods if m.name in _by_name(self.methods)]
        now = {m.name: self.splits_of(m) for m in self.methods}
        fewer = any(_most(now[m.name]) < _most(earlier.splits_of(m)) for m in in_both)
        return differences + ["fewer splits"] * fewer

    def to_dict(self) -> dict[str, Any]:
        """The study as `spec_from_dict` reads it, in plain types.

        Returns
        -------
        content : dict
        """
        return {
            "datasets": list(self.datasets),
            "levels": list(self.levels),
            "splits": "all" if self.splits is None else self.splits,
            "folds": self.folds,
            "seed": self.seed,
            "methods": _tables(self.methods),
            **({"measures": _tables(self.measures)} if self.measures else {}),
        }


def _tables(entries: Sequence[MethodSpec | MeasureSpec]) -> dict[str, dict[str, Any]]:
    """Of each by its name, what differs from the defaults, in plain types."""
    tables: dict[str, dict[str, Any]] = {}
    for entry in entries:
        values = {each.name: getattr(entry, each.name) for each in fields(entry)}
        table = {
            key: dict(value) if isinstance(value, Mapping) else value
            for key, value in values.items()
            if key != "name" and value != getattr(type(entry), key, {})
        }
        if "grid" in table:
            table["grid"] = {name: list(choices) for name, choices in table["grid"].items()}
        tables[entry.name] = table
    return tables


def _by_name(entries: Sequence[Any]) -> dict[str, Any]:
    """Entries by name, how many splits they take aside."""
    return {
        str(getattr(entry, "name", entry)): replace(entry, splits=None)
        if isinstance(entry, MethodSpec)
        else entry
        for entry in entries
    }


def _most(splits: int | None) -> float:
    return inf if splits is None else splits
