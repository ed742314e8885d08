"""What is run: data sets, levels, splits, methods; read from TOML and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from csvor.methods import METHODS

PRESETS = ("quick", "paper")
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
        _check_splits(self.splits, f"{where}.splits")
        if self.grid is not None:
            _check_table(self.grid, f"{where}.grid")
            for name, values in self.grid.items():
                if not _is_list(values) or not values:
                    raise ValueError(
                        f"{where}.grid.{name}: must be a list of values such as [0.1, 1, 10], "
                        f"got {values!r}."
                    )
            _fix(self, grid={name: tuple(values) for name, values in self.grid.items()})
        _check_table(self.parameters, f"{where}.parameters")
        both = [name for name in self.parameters if name in (self.grid or {})]
        if both:
            raise ValueError(f"{where}: {_names(both)} is in grid and in parameters; take one out.")


@dataclass(frozen=True)
class Spec:
    """A study: each method on each split of each data set at each level of corruption.

    Attributes
    ----------
    datasets : tuple of str
        Names that `csvor.datasets.load` takes: known ones, or NAME of a NAME.csv in the folder.
    levels : tuple of int
        Shares of spoilt training rows in percent, 0 to 100.
    methods : tuple of MethodSpec
    splits : int or None
        The first so many splits of each data set; None all of them.
    folds : int
        Parts of the cross-validation that chooses parameters, at least 2.
    seed : int
        Decides corruption and folds together with data set, level and split; at least 0.

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

    def __post_init__(self) -> None:
        for key in ("datasets", "levels", "methods"):
            values = getattr(self, key)
            if not _is_list(values) or not values:
                raise ValueError(f"{key}: must be a list with at least one entry, got {values!r}.")
            _fix(self, **{key: tuple(values)})
        for name in self.datasets:
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise ValueError(
                    f"datasets: {name!r} is no name; letters, digits, '_', '.', '+', '-' make one."
                )
        for level in self.levels:
            if not _is_whole(level) or not 0 <= level <= 100:
                raise ValueError(f"levels: must be whole percents from 0 to 100, got {level!r}.")
        methods = tuple(method.name for method in self.methods)
        for key, names in (
            ("datasets", self.datasets),
            ("levels", self.levels),
            ("methods", methods),
        ):
            twice = sorted({name for name in names if names.count(name) > 1}, key=names.index)
            if twice:
                raise ValueError(f"{key}: {_names(twice)} is listed more than once.")
        _check_splits(self.splits, "splits")
        if not _is_whole(self.folds) or self.folds < 2:
            raise ValueError(f"folds: must be a whole number from 2, got {self.folds!r}.")
        if not _is_whole(self.seed) or self.seed < 0:
            raise ValueError(f"seed: must be a whole number from 0, got {self.seed!r}.")

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
        given = [n for n in (self.splits, method.splits) if n is not None]
        return min(given) if given else None

    def to_dict(self) -> dict[str, Any]:
        """The study as `spec_from_dict` reads it, in plain types.

        Returns
        -------
        content : dict
        """
        methods: dict[str, dict[str, Any]] = {}
        for method in self.methods:
            entry: dict[str, Any] = {}
            if method.splits is not None:
                entry["splits"] = method.splits
            if method.grid is not None:
                entry["grid"] = {name: list(values) for name, values in method.grid.items()}
            if method.parameters:
                entry["parameters"] = dict(method.parameters)
            methods[method.name] = entry
        return {
            "datasets": list(self.datasets),
            "levels": list(self.levels),
            "splits": "all" if self.splits is None else self.splits,
            "folds": self.folds,
            "seed": self.seed,
            "methods": methods,
        }


def spec_from_dict(content: Mapping[str, Any]) -> Spec:
    """Make a study of nested dictionaries, as a TOML file gives them.

    Parameters
    ----------
    content : Mapping
        Keys are the attributes of `Spec`; ``methods`` maps names to tables with the keys
        ``splits``, ``grid`` and ``parameters``, all optional.

    Returns
    -------
    spec : Spec

    Raises
    ------
    ValueError
        If a key, a method or a value is not one that a study knows.

    Examples
    --------
    >>> from csvor.study import spec_from_dict
    >>> spec = spec_from_dict({"datasets": ["tae"], "levels": [0], "methods": {"POM": {}}})
    >>> spec.methods[0].name
    'POM'
    """
    spec = as_spec(content)
    check_methods(spec)
    return spec


def check_methods(spec: Spec) -> None:
    """Refuse methods that the registry lacks. What was run may be read without them."""
    for method in spec.methods:
        if method.name not in METHODS:
            raise ValueError(
                f"methods: there is no method {method.name!r}; the methods are "
                f"{', '.join(METHODS)}."
            )


def as_spec(content: Mapping[str, Any]) -> Spec:
    """The same whether or not its methods are registered here."""
    _check_keys(content, [f.name for f in fields(Spec)], "the study")
    missing = [key for key in ("datasets", "levels", "methods") if key not in content]
    if missing:
        raise ValueError(f"The study has no {_names(missing)}; every study needs it.")
    tables = content["methods"]
    _check_table(tables, "methods")
    known = [f.name for f in fields(MethodSpec) if f.name != "name"]
    methods = []
    for name, table in tables.items():
        _check_table(table, f"methods.{name}")
        _check_keys(table, known, f"methods.{name}")
        methods.append(MethodSpec(name, **_all_is_none(table)))
    return Spec(**{**_all_is_none(content), "methods": tuple(methods)})


def load_spec(path: str | Path) -> Spec:
    """Read a study from a TOML file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    spec : Spec

    Raises
    ------
    ValueError
        If the file is not TOML, or holds what a study does not know; the message names the file.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from csvor.study import load_spec
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.toml")
    ...     _ = path.write_text('datasets = ["tae"]\\nlevels = [0, 10]\\n[methods.CSVOR]\\n')
    ...     load_spec(path).datasets
    ('tae',)
    """
    return _read(Path(path).read_bytes(), str(path))


def preset(name: str) -> Spec:
    """One of the studies that come with csvor.

    Parameters
    ----------
    name : {"quick", "paper"}
        "paper" is every result table of the paper; "quick" a look at it in three minutes.

    Returns
    -------
    spec : Spec

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> from csvor.study import preset
    >>> preset("paper").levels
    (0, 1, 5, 10, 15, 20)
    """
    if name not in PRESETS:
        raise ValueError(f"There is no preset {name!r}; the presets are {', '.join(PRESETS)}.")
    file = files("csvor.study") / "presets" / f"{name}.toml"
    return _read(file.read_bytes(), f"preset {name}")


def _read(raw: bytes, source: str) -> Spec:
    try:
        return spec_from_dict(tomllib.loads(raw.decode("utf-8")))
    except ValueError as error:  # TOML and UTF-8 faults are ValueErrors too
        raise ValueError(f"{source}: {error}") from error


def _all_is_none(table: Mapping[str, Any]) -> dict[str, Any]:
    """`table` with None, which TOML lacks, where it says that all splits are meant."""
    return {
        key: None if key == "splits" and value == "all" else value for key, value in table.items()
    }


def _fix(frozen: Any, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


def _is_list(values: Any) -> bool:
    return isinstance(values, Sequence) and not isinstance(values, str | bytes)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_splits(splits: Any, where: str) -> None:
    if splits is not None and (not _is_whole(splits) or splits < 1):
        raise ValueError(f"{where}: must be 'all' or a whole number from 1, got {splits!r}.")


def _check_table(table: Any, where: str) -> None:
    if not isinstance(table, Mapping):
        raise ValueError(f"{where}: must be a table of names and values, got {table!r}.")


def _check_keys(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    unknown = [key for key in table if key not in known]
    if unknown:
        raise ValueError(
            f"{where} has the unknown key {_names(unknown)}; the keys are {', '.join(known)}."
        )


def _names(names: Sequence[object]) -> str:
    return ", ".join(repr(name) for name in names)
