"""How is a study read from TOML, nested dictionaries or by the name of a preset?"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from csvor._utils.words import quoted
from csvor.methods import METHODS
from csvor.study._measures import MeasureSpec
from csvor.study._spec import MethodSpec, Spec
from csvor.study._spec_checks import check_keys, check_table

PRESETS = ("quick", "paper")


def spec_from_dict(content: Mapping[str, Any]) -> Spec:
    """Make a study of nested dictionaries, as a TOML file gives them.

    Parameters
    ----------
    content : Mapping
        Keys are the attributes of `Spec`; ``methods`` and ``measures`` map names to tables of
        the attributes of `MethodSpec` and `MeasureSpec`, all optional.

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
    check_keys(content, [f.name for f in fields(Spec)], "the study")
    missing = [key for key in ("datasets", "levels", "methods") if key not in content]
    if missing:
        raise ValueError(f"The study has no {quoted(missing)}; every study needs it.")
    entries = {
        key: tuple(_entries(content.get(key, {}), key, kind))
        for key, kind in (("methods", MethodSpec), ("measures", MeasureSpec))
    }
    return Spec(**{**_all_is_none(content), **entries})


def _entries(tables: Any, key: str, kind: type[Any]) -> Iterator[Any]:
    """A table of tables as what they describe."""
    check_table(tables, key)
    known = [f.name for f in fields(kind) if f.name != "name"]
    for name, table in tables.items():
        check_table(table, f"{key}.{name}")
        check_keys(table, known, f"{key}.{name}")
        yield kind(name, **_all_is_none(table))


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
