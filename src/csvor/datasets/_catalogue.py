"""The data sets that are known by name, and what is known of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

__all__ = ["DatasetError", "DatasetInfo", "DatasetNotFoundError", "info", "names"]

# Sets that the package skordinal brings along: rows, features, classes.
BUNDLED = {
    "esl": (488, 4, 9),
    "lev": (1000, 4, 5),
    "swd": (1000, 10, 4),
    "era": (1000, 4, 9),
    "balance_scale": (625, 4, 3),
}


class DatasetError(ValueError):
    """A data set is not what it is said to be, or cannot be read or obtained.

    Examples
    --------
    >>> from csvor.datasets import DatasetError
    >>> issubclass(DatasetError, ValueError)
    True
    """


class DatasetNotFoundError(DatasetError):
    """A known data set is in none of the places looked at.

    Examples
    --------
    >>> import tempfile
    >>> from csvor.datasets import DatasetNotFoundError, load_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         load_csv(f"{folder}/none.csv", "y")
    ...     except DatasetNotFoundError as error:
    ...         print(str(error).rpartition(": ")[2])
    there is no such file
    """


@dataclass(frozen=True)
class DatasetInfo:
    """The known figures of one of the ten data sets; every copy is checked against them.

    Attributes
    ----------
    name, title : str
        The name that `load` takes, and a longer one.
    about, origin : str
        What the rows are, and where they were published.
    n_rows : int
        Number of rows.
    classes : tuple of str
        Names of the classes, lowest first.
    class_counts : tuple of int
        Rows of each class.
    spoiled : {"labels", "features"}
        What the paper's study spoils: labels of the four real sets, features of the six
        discretised ones.
    n_train, n_splits : int
        Training rows of a split, and splits of the study.
    feature_names : tuple of str
        Names of the columns.
    means, spreads : tuple of float
        Mean and standard deviation of each column.
    reference : str
        SHA-256 of the values, row by row, written with nine digits.
    target_mean, target_spread : float or None
        The same of the regression target; None for the real sets.
    ayrna : str or None
        Its folder in the archive of the AYRNA group.
    openml : int or None
        Its number at OpenML.
    """

    name: str
    title: str
    about: str
    origin: str
    n_rows: int
    classes: tuple[str, ...]
    class_counts: tuple[int, ...]
    spoiled: Literal["labels", "features"]
    n_train: int
    n_splits: int
    feature_names: tuple[str, ...]
    means: tuple[float, ...]
    spreads: tuple[float, ...]
    reference: str
    target_mean: float | None = None
    target_spread: float | None = None
    ayrna: str | None = None
    openml: int | None = None

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.feature_names)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def discretised(self) -> bool:
        """Whether the labels are cut from a regression target."""
        return self.target_mean is not None


@cache
def catalogue() -> dict[str, DatasetInfo]:
    """The ten sets of the paper by name, in its order."""
    text = resources.files("csvor.datasets").joinpath("catalogue.json").read_text("utf-8")
    return {name: DatasetInfo(name, **_frozen(facts)) for name, facts in json.loads(text).items()}


def _frozen(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in facts.items()}


def names(group: str = "paper") -> tuple[str, ...]:
    """Return the names that `load` knows.

    Parameters
    ----------
    group : {"paper", "skordinal", "all"}, default="paper"
        The ten sets of the paper, in its order; the five that the package skordinal brings
        along; or both.

    Returns
    -------
    names : tuple of str
        The names.

    Raises
    ------
    ValueError
        For another `group`.

    Examples
    --------
    >>> from csvor.datasets import names
    >>> names()[:4]
    ('contact_lenses', 'squash_unstored', 'tae', 'newthyroid')
    >>> names("skordinal")
    ('esl', 'lev', 'swd', 'era', 'balance_scale')
    """
    groups = {"paper": tuple(catalogue()), "skordinal": tuple(BUNDLED)}
    groups["all"] = groups["paper"] + groups["skordinal"]
    if group not in groups:
        raise ValueError(f"group={group!r} is not known; use one of {', '.join(groups)}.")
    return groups[group]


def info(name: str) -> DatasetInfo:
    """Return the known figures of one of the ten data sets of the paper.

    Parameters
    ----------
    name : str
        One of ``names()``.

    Returns
    -------
    info : DatasetInfo
        Rows, features, classes, protocol and sources.

    Raises
    ------
    ValueError
        If it is none of the ten.

    Examples
    --------
    >>> from csvor.datasets import info
    >>> stock = info("stock")
    >>> stock.n_rows, stock.n_features, stock.class_counts, stock.n_train
    (950, 9, (190, 190, 190, 190, 190), 600)
    """
    if name not in catalogue():
        raise ValueError(
            f"There is no data set {name!r} in the paper; its sets are {', '.join(catalogue())}."
        )
    return catalogue()[name]
