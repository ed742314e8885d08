"""How do the methods compare, and which tables say so?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from csvor.report.study._results import Results
from csvor.report.study._tables import (
    NO_RESULT,
    ReportTable,
    TableCell,
    cells,
    marked,
    number,
    small,
)
from csvor.stats import Comparison, compare, wilcoxon_holm


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
    better = results.measures[measure].better
    return tuple(
        _level(table, level, better, alpha) for level, table in results.means(measure).items()
    )


def _level(table: pd.DataFrame, level: int, better: str, alpha: float) -> LevelRanking:
    empty = tuple(str(name) for name in table.columns[table.isna().all(axis=0)])
    table = table.drop(columns=list(empty))
    complete = table.notna().all(axis=1)
    left_out = tuple(str(name) for name in table.index[~complete])
    if table.shape[1] < 2 or not complete.any():
        return LevelRanking(level, None, empty, left_out)
    comparison = compare(table, better=better, alpha=alpha, missing="drop")
    return LevelRanking(level, comparison, empty, left_out)


def rank_table(results: Results, rankings: Sequence[LevelRanking], column: str) -> ReportTable:
    """The average ranks of all methods at each level."""
    rows, numbers = [], []
    for ranking in rankings:
        comparison = ranking.comparison
        values = [
            float(comparison.ranks.average.get(name, np.nan)) if comparison else np.nan
            for name in results.methods
        ]
        n = comparison.ranks.n_cases if comparison else 0
        rows.append((*cells(ranking.level), *marked(values, "lower", 2), *cells(n)))
        numbers.append([ranking.level, *values, n])
    measure = results.measures[column]
    return ReportTable(
        f"ranks_{column}",
        f"Average ranks by {measure.name} over the data sets (1 is the best, ties averaged); "
        "lowest bold, second underlined.",
        ("%", *results.methods, "data sets"),
        tuple(rows),
        pd.DataFrame(numbers, columns=["level", *results.methods, "n_datasets"]),
        notes=tuple(left_out_notes(rankings)),
    )


def shared_rank_table(results: Results, column: str, alpha: float) -> ReportTable | None:
    """The same on the splits that all methods share, where some met less than half of them."""
    shared = results.shared()
    if shared.frame.empty:
        return None
    table = rank_table(shared, rank_levels(shared, column, alpha), column)
    lead = f"On the splits that all methods share, for {', '.join(results.partial)}: "
    caption = lead + table.caption[0].lower() + table.caption[1:]
    return replace(table, name=f"ranks_shared_{column}", caption=caption)


def left_out_notes(rankings: Sequence[LevelRanking]) -> list[str]:
    """Which methods and data sets took no part in ranks and tests."""
    notes = []
    for ranking in rankings:
        if ranking.without_result:
            names = ", ".join(ranking.without_result)
            notes.append(f"At {ranking.level} % without any result, and not ranked: {names}.")
        if ranking.left_out:
            names = ", ".join(ranking.left_out)
            notes.append(
                f"At {ranking.level} % left out, since a method has no result there: {names}."
            )
    return notes


def difference_table(
    results: Results, rankings: Sequence[LevelRanking], column: str
) -> ReportTable:
    """Friedman's test and Nemenyi's critical difference at each level."""
    rows, numbers = [], []
    for ranking in rankings:
        comparison = ranking.comparison
        if comparison is None:
            why = "no two methods with results"
            if ranking.left_out and len(ranking.without_result) < len(results.methods) - 1:
                why = "no data set has a result of every method"
            values: list[Any] = [ranking.level, 0, "none", np.nan, np.nan, np.nan, why]
        else:
            test, cd = comparison.test, comparison.critical_difference
            groups = "; ".join(" = ".join(group) for group in comparison.groups) or NO_RESULT
            values = [ranking.level, test.n_cases, test.name, test.statistic, test.p_value, cd]
            values.append(test.note or groups)
        *names, statistic, p_value, difference, note = values
        figures = number(statistic, 2), small(p_value), number(difference, 2)
        rows.append((*cells(*names, *figures), TableCell(note, "text")))
        numbers.append(values)
    head = ("%", "data sets", "test", "statistic", "p", "CD", "not told apart (Nemenyi, 5 %)")
    keys = ["level", "n_datasets", "test", "statistic", "p_value", "critical_difference", "note"]
    return ReportTable(
        f"tests_{column}",
        f"Do the methods differ in {results.measures[column].name}? Friedman's test, and "
        "Nemenyi's critical difference (CD) of average ranks.",
        head,
        tuple(rows),
        pd.DataFrame(numbers, columns=keys),
    )


def pair_table(results: Results, focus: str, column: str) -> ReportTable | None:
    """One method against each other: Wilcoxon's test with Holm's correction, at each level."""
    others = [name for name in results.methods if name != focus]
    rows, frames = [], []
    for level, means in results.means(column).items():
        table = means.dropna(axis=1, how="all").dropna()
        if focus not in table or len(table) < 5 or table.shape[1] < 2:
            continue
        tests = wilcoxon_holm(table, focus)
        p = [float(tests.p_holm.get(name, np.nan)) for name in others]
        rows.append((*cells(level), *(TableCell(small(v), "best" if v < 0.05 else "") for v in p)))
        frames.append(tests.rename_axis("method").reset_index().assign(level=level))
    if not rows:
        return None
    return ReportTable(
        f"pairs_{column}",
        f"{focus} against each other method: p-values of Wilcoxon's signed-rank test over the data "
        "sets, corrected by Holm; below 0.05 bold.",
        ("%", *others),
        tuple(rows),
        pd.concat(frames, ignore_index=True)[["level", "method", "p_value", "p_holm"]],
    )
