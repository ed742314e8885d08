"""Which tables say what was measured, and where a result is missing?"""

from __future__ import annotations

from math import isfinite
from typing import Any

import pandas as pd

from csvor._utils.words import plural
from csvor.report.study._results import KINDS, Results
from csvor.report.study._tables import ReportTable, TableCell, cells, marked, number


def result_tables(results: Results, column: str) -> list[ReportTable]:
    """Mean ± standard deviation over the splits, a table for each kind of corruption."""
    summary = results.summary(column)
    return [
        _result_table(results, summary[summary.dataset.isin(names)], kind, names, column)
        for kind, names in results.kinds()
    ]


def _result_table(
    results: Results, part: pd.DataFrame, kind: str, names: tuple[str, ...], column: str
) -> ReportTable:
    measure = results.measures[column]
    # A mean over a few splits is not to be marked as the best of means over all.
    few = [*results.partial, *results.failed_measure(column).index]
    rows = []
    for (dataset, level), of_cell in part.groupby(["dataset", "level"], sort=False):
        by_method = of_cell.set_index("method").loc[list(results.methods)]
        ranked = by_method["mean"].where(~by_method.index.isin(few)).tolist()
        texts = [_mean_text(row) for row in by_method.itertuples()]
        rows.append((*cells(dataset, level), *marked(ranked, measure.better, 3, texts)))
    side = "lowest" if measure.better == "lower" else "highest"
    return ReportTable(
        f"{kind}_{column}",
        f"{KINDS[kind]}: {measure.name}, mean ± standard deviation over the splits, by share of "
        f"corrupted training rows; {side} bold, second underlined.",
        ("data set", "%", *results.methods),
        tuple(rows),
        part.assign(measure=column).reset_index(drop=True),
        n_names=2,
        notes=tuple(_result_notes(part)),
    )


def _mean_text(row: Any) -> str:
    mean, std = float(getattr(row, "mean")), float(getattr(row, "std"))  # noqa: B009
    n, failed, planned = (int(getattr(row, name)) for name in ("n", "n_failed", "n_planned"))
    if n == 0:
        return f"failed [0/{planned}]" if failed else "missing"
    text = number(mean) + (f" ± {number(std)}" if isfinite(std) else "")
    return text if n == planned else f"{text} [{n}/{planned}]"


def _result_notes(part: pd.DataFrame) -> list[str]:
    notes = []
    if ((part.n > 0) & (part.n < part.n_planned)).any():
        notes.append(
            "[n/N]: only n of N splits have a result. Such a mean is over fewer splits than those "
            "beside it."
        )
    if (part.n == 0).any():
        notes.append("missing: not run; failed: run, and no split has a result.")
    if (part.n == 1).any():
        notes.append("A mean of one split has no standard deviation.")
    return notes


def mean_table(results: Results, column: str) -> ReportTable | None:
    """The mean over the data sets that every method has results on, at every level."""
    tables = results.means(column)
    complete = [d for d in results.datasets if all(t.loc[d].notna().all() for t in tables.values())]
    if not complete:
        return None
    means = pd.DataFrame({level: t.loc[complete].mean() for level, t in tables.items()}).T
    measure = results.measures[column]
    rows = [
        (*cells(level), *marked(line.tolist(), measure.better)) for level, line in means.iterrows()
    ]
    left = [name for name in results.datasets if name not in complete]
    note = (f"Left out, since a result is missing: {', '.join(left)}.",) if left else ()
    return ReportTable(
        f"mean_{column}",
        f"{measure.name.capitalize()}, averaged over {plural(len(complete), 'data set')}.",
        ("%", *results.methods),
        tuple(rows),
        means.rename_axis("level").reset_index(),
        notes=note,
    )


def detection_tables(results: Results, by: list[str]) -> list[ReportTable]:
    """How well the outlier flags of a method meet the corrupted rows.

    `by` is the level alone, or data set and level; of the data sets each counts alike.
    """
    columns, names = ["precision", "recall", "auc"], {"dataset": "data set", "level": "%"}
    tables = []
    for method in results.methods:
        scored = results.frame[(results.frame.method == method) & (results.frame.status == "ok")]
        means = scored.groupby(["dataset", "level"], sort=False)[columns].mean()
        means = means.groupby(by, sort=by == ["level"])[columns].mean().dropna(how="all")
        if means.empty:
            continue
        numbers = means.reset_index()
        rows = [
            cells(*(r[name] for name in by), *(number(float(r[name]), 2) for name in columns))
            for r in numbers.to_dict("records")
        ]
        tables.append(
            ReportTable(
                f"detection_{'_'.join(by)}_{method}",
                f"{method}: its outlier flags against the rows that were corrupted, and the area "
                "under the ROC curve (AUC) of its residuals; means over the splits"
                + ("" if "dataset" in by else " and the data sets")
                + ". By chance, precision is the level and AUC 0.5.",
                (*(names[name] for name in by), "precision", "recall", "AUC"),
                tuple(rows),
                numbers,
                n_names=len(by),
            )
        )
    return tables


def failure_table(results: Results) -> ReportTable | None:
    """The cells that failed, with their messages."""
    failed = results.failures
    if failed.empty:
        return None
    rows = [
        (*cells(*names), TableCell(message, "bad"))
        for *names, message in failed.itertuples(index=False)
    ]
    return ReportTable(
        "failures",
        "Cells that failed.",
        ("data set", "%", "split", "method", "message"),
        tuple(rows),
        failed,
        n_names=4,
    )


def gap_table(results: Results) -> ReportTable | None:
    """Where cells lack a result, by data set and method."""
    summary = results.summary("mze")
    gaps = summary.groupby(["dataset", "method"], sort=False)[["n", "n_failed", "n_planned"]].sum()
    gaps["n_missing"] = gaps.n_planned - gaps.n - gaps.n_failed
    gaps = gaps[gaps.n < gaps.n_planned].reset_index()
    if gaps.empty:
        return None
    columns = ["dataset", "method", "n", "n_failed", "n_missing", "n_planned"]
    rows = [cells(*row) for row in gaps[columns].itertuples(index=False)]
    return ReportTable(
        "gaps",
        "Where cells lack a result, over all levels.",
        ("data set", "method", "done", "failed", "missing", "of"),
        tuple(rows),
        gaps,
        n_names=2,
    )


def time_table(results: Results) -> ReportTable | None:
    """What each method took."""
    timed = results.frame[results.frame.seconds.notna()]
    if timed.empty:
        return None
    seconds = timed.groupby("method").seconds
    times = seconds.agg(["size", "sum", "median", "max"])
    times.columns = pd.Index(["cells", "total", "median", "longest"])
    times = times.loc[[name for name in results.methods if name in times.index]].reset_index()
    rows = [
        cells(method, n, *(f"{value:.3g}" for value in figures))
        for method, n, *figures in times.itertuples(index=False)
    ]
    return ReportTable(
        "times",
        "Seconds in the cells of each method, choice of parameters included.",
        ("method", "cells", "total", "median", "longest"),
        tuple(rows),
        times,
    )
