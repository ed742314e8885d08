"""Which tables say what was done, and how far it agrees with what is known?"""

from __future__ import annotations

import pandas as pd

from csvor.report._means import number
from csvor.report._published import CRITERION, SOURCE
from csvor.report._results import Results
from csvor.report._tables import Cell, Table


def agreement_table(compared: pd.DataFrame) -> Table:
    """How many cells of each method agree with the published ones."""
    grouped = compared.groupby("method", sort=False).within
    counts = pd.DataFrame({"compared": grouped.size(), "within": grouped.sum()}).reset_index()
    counts["share"] = counts.within / counts.compared
    rows = [
        (
            Cell(str(r["method"])),
            Cell(str(r["compared"])),
            Cell(str(r["within"])),
            Cell(f"{r['share']:.0%}"),
        )
        for r in counts.to_dict("records")
    ]
    return Table(
        "published_agreement",
        f"Cells (data set and level) that agree with the published mean: {CRITERION}. Source: "
        f"{SOURCE}.",
        ("method", "compared", "agree", "share"),
        tuple(rows),
        counts,
    )


def disagreement_table(compared: pd.DataFrame) -> Table:
    """Every cell that does not agree; its numbers hold all that were compared."""
    rows = [
        (
            *(Cell(str(r["dataset"])), Cell(str(r["level"])), Cell(str(r["method"]))),
            Cell(f"{number(r['ours'])} ± {number(r['ours_std'])}"),
            Cell(f"{number(r['published'])} ± {number(r['published_std'])}"),
            Cell(f"{r['difference']:+.3f}"),
            Cell(number(r["allowed"])),
        )
        for r in compared[~compared.within].to_dict("records")
    ]
    return Table(
        "published_cells",
        f"Every cell that does not agree with the published mean; criterion: {CRITERION}.",
        ("data set", "%", "method", "ours", "published", "difference", "allowed"),
        tuple(rows),
        compared,
        n_names=3,
    )


def detection_tables(results: Results, by: list[str]) -> list[Table]:
    """How well the outlier flags of a method meet the corrupted rows.

    `by` is the level alone, or data set and level; of the data sets each counts alike.
    """
    columns, names = ["precision", "recall", "auc"], {"dataset": "data set", "level": "%"}
    tables = []
    for method in results.methods:
        own = results.frame[(results.frame.method == method) & (results.frame.status == "ok")]
        means = own.groupby(["dataset", "level"], sort=False)[columns].mean()
        means = means.groupby(by, sort=by == ["level"])[columns].mean().dropna(how="all")
        if means.empty:
            continue
        numbers = means.reset_index()
        rows = [
            (
                *(Cell(str(r[name])) for name in by),
                *(Cell(number(float(r[name]), 2)) for name in columns),
            )
            for r in numbers.to_dict("records")
        ]
        tables.append(
            Table(
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


def failure_table(results: Results) -> Table:
    """The cells that failed, with their messages."""
    failed = results.failures
    rows = [
        tuple(Cell(str(value), "bad" if j == 4 else "") for j, value in enumerate(row))
        for row in failed.itertuples(index=False)
    ]
    return Table(
        "failures",
        "Cells that failed.",
        ("data set", "%", "split", "method", "message"),
        tuple(rows),
        failed,
        n_names=4,
    )


def gap_table(results: Results) -> Table:
    """Where cells lack a result, by data set and method."""
    summary = results.summary("mze")
    found = summary.groupby(["dataset", "method"], sort=False)[["n", "n_failed", "n_planned"]].sum()
    found["n_missing"] = found.n_planned - found.n - found.n_failed
    found = found[found.n < found.n_planned].reset_index()
    rows = [
        tuple(
            Cell(str(value))
            for value in (
                r["dataset"],
                r["method"],
                r["n"],
                r["n_failed"],
                r["n_missing"],
                r["n_planned"],
            )
        )
        for r in found.to_dict("records")
    ]
    return Table(
        "gaps",
        "Where cells lack a result, over all levels.",
        ("data set", "method", "done", "failed", "missing", "of"),
        tuple(rows),
        found,
        n_names=2,
    )


def time_table(results: Results) -> Table | None:
    """What each method took."""
    timed = results.frame[results.frame.seconds.notna()]
    if timed.empty:
        return None
    order = [name for name in results.methods if name in set(timed.method)]
    seconds = timed.groupby("method").seconds
    found = pd.DataFrame(
        {"cells": seconds.size(), "total": seconds.sum(), "median": seconds.median()}
    )
    found["longest"] = seconds.max()
    found = found.loc[order].reset_index()
    rows = [
        (
            Cell(str(r["method"])),
            Cell(str(r["cells"])),
            *(Cell(f"{v:.3g}") for v in (r["total"], r["median"], r["longest"])),
        )
        for r in found.to_dict("records")
    ]
    return Table(
        "times",
        "Seconds in the cells of each method, choice of parameters included.",
        ("method", "cells", "total", "median", "longest"),
        tuple(rows),
        found,
    )
