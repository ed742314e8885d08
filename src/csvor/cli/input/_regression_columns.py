"""Which columns has the regression of a file, in units that people read?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from csvor._faults.errors import nearest, refuse
from csvor._tables.features import FeatureColumns
from csvor._utils.spelling import normal
from csvor.cli._options import ModelOptions
from csvor.cli._parameters import as_positive
from csvor.preprocessing import MedianClipper

# Between such deviations of a column, one more of it is a step that an odds ratio can be told of.
_FINE, _COARSE = 0.1, 100.0


@dataclass(frozen=True)
class RegressionColumn:
    """A column of the file, and the `names` of those of the regression that stand for it.

    Words have one for each of `levels`, all but the `base` that these are compared with; numbers
    have neither. Odds ratios are told for `step` units more.
    """

    name: str
    names: tuple[str, ...]
    levels: tuple[str, ...] = ()
    base: str = ""
    step: float = 1.0

    @property
    def is_words(self) -> bool:
        """Whether it has levels."""
        return bool(self.levels)


def regression_columns(
    features: FeatureColumns, frame: pd.DataFrame, bases: Sequence[str], steps: Sequence[str]
) -> list[RegressionColumn]:
    """The columns, numbers first; `bases` and `steps` are what --base and --per say."""
    base_of = _chosen(bases, "--base", list(features.categorical))
    step_of = _chosen(steps, "--per", features.numeric)
    columns = []
    for name in features.numeric:
        step = as_positive(step_of[name]) if name in step_of else _natural_step(frame[name])
        if step is None:
            refuse("per-form", entry=f"{name}:{step_of[name]}")
        columns.append(RegressionColumn(name, (name,), step=step))
    for name, levels in features.categorical.items():
        base = base_of.get(name, next((level for level in levels if level), ""))
        if base not in levels:
            refuse("base-form", entry=f"{name}:{base}", levels=levels)
        others = tuple(level for level in levels if level != base)
        names = tuple(f"{name}={level}" for level in others)
        columns.append(RegressionColumn(name, names, others, base))
    return columns


def _chosen(entries: Sequence[str], option: str, known: Sequence[str]) -> dict[str, str]:
    """What is said of each column by entries of COL:VALUE."""
    values: dict[str, str] = {}
    for entry in map(normal, entries):
        fits = [name for name in known if entry.startswith(f"{name}:")]
        if entry in known and not fits:
            what, example = ("level", "LEVEL") if option == "--base" else ("units", "10")
            refuse("value-alone", by=option, entry=entry, what=what, example=example)
        if not fits:
            what = "words" if option == "--base" else "numbers"
            name = entry.rpartition(":")[0] or entry
            hint = nearest(name, known) if known else "there is none"
            refuse("value-of-column", by=option, entry=entry, what=what, hint=hint)
        name = max(fits, key=len)
        values[name] = entry.removeprefix(f"{name}:")
    return values


def _natural_step(values: pd.Series[Any]) -> float:
    """1, or a power of ten where one unit is far less, or far more, than values differ."""
    spread = float(np.nanstd(values.to_numpy(dtype=np.float64)))
    if _FINE <= spread <= _COARSE or spread == 0.0:
        return 1.0
    return float(10.0 ** np.floor(np.log10(spread)))


def names_of(
    columns: Sequence[RegressionColumn], asked: Sequence[str], option: str, target: str
) -> list[str]:
    """The columns of the regression that stand for those that an option names."""
    by_name = {column.name: column for column in columns}
    names: list[str] = []
    for name in map(normal, asked):
        if name == target:
            refuse("column-of-target", by=option, name=name)
        if name not in by_name:
            refuse("no-such-column", by=option, name=name, hint=nearest(name, list(by_name)))
        names += by_name[name].names
    return names


def units_encoder(columns: Sequence[RegressionColumn], options: ModelOptions) -> ColumnTransformer:
    """Numbers as they are, words as one column for each level but the base."""
    numbers = [column.name for column in columns if not column.is_words]
    words = [column for column in columns if column.is_words]
    steps: list[tuple[str, Any]] = []
    if options.impute:
        steps.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
    if options.clip is not None:
        steps.append(("clip", MedianClipper(spreads=options.clip)))
    steps.append(("as_it_is", FunctionTransformer(feature_names_out="one-to-one")))
    parts: list[tuple[str, Any, list[str]]] = []
    if numbers:
        parts.append(("numbers", Pipeline(steps), numbers))
    if words:
        levels = [sorted([*column.levels, column.base]) for column in words]
        encoder = OneHotEncoder(
            categories=levels, drop=[column.base for column in words], sparse_output=False
        )
        parts.append(("categories", encoder, [column.name for column in words]))
    return ColumnTransformer(parts, sparse_threshold=0.0)
