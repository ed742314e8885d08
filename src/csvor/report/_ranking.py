"""How do the methods rank at each level?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from csvor.report._results import MEASURES, Results
from csvor.stats import Comparison, compare


@dataclass(frozen=True, eq=False)
class LevelRanking:
    """The comparison at one level, and what could not take part.

    Attributes
    ----------
    level : int
        Percentage of corrupted training rows.
    comparison : Comparison or None
        None where fewer than two methods have results.
    without_result : tuple of str
        Methods without a result at this level.
    left_out : tuple of str
        Data sets that some other method has no result on.
    """

    level: int
    comparison: Comparison | None
    without_result: tuple[str, ...]
    left_out: tuple[str, ...]


def rank_levels(
    results: Results, measure: str = "mze", alpha: float = 0.05
) -> tuple[LevelRanking, ...]:
    """Compare the methods by their means on the data sets, at each level."""
    summary = results.summary(measure)
    return tuple(_level(results, summary, level, measure, alpha) for level in results.levels)


def means_at(results: Results, summary: pd.DataFrame, level: int) -> pd.DataFrame:
    """One row per data set, one column per method; NaN where there is no result."""
    rows = summary[summary.level == level]
    table = rows.pivot(index="dataset", columns="method", values="mean")
    return table.reindex(index=list(results.datasets), columns=list(results.methods))


def _level(
    results: Results, summary: pd.DataFrame, level: int, measure: str, alpha: float
) -> LevelRanking:
    table = means_at(results, summary, level)
    empty = tuple(str(name) for name in table.columns[table.isna().all(axis=0)])
    table = table.drop(columns=list(empty))
    complete = table.notna().all(axis=1)
    left_out = tuple(str(name) for name in table.index[~complete])
    if table.shape[1] < 2 or not complete.any():
        return LevelRanking(level, None, empty, left_out)
    better = MEASURES[measure].better
    found = compare(table, better=better, alpha=alpha, missing="drop")
    return LevelRanking(level, found, empty, left_out)
