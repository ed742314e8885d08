"""Are the results of a study fit for a report, and what are their means?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from csvor.datasets import info, names

KEYS = ["dataset", "level", "split", "method"]
NUMBERS = ["mze", "mae", "precision", "recall", "auc", "seconds"]


@dataclass(frozen=True)
class MeasureColumn:
    """What a column measures, and which of its values are better."""

    name: str
    better: str


MEASURES = {
    "mze": MeasureColumn("mean zero-one error", "lower"),
    "mae": MeasureColumn("mean absolute error", "lower"),
    "precision": MeasureColumn("precision of the outlier flags", "higher"),
    "recall": MeasureColumn("recall of the outlier flags", "higher"),
    "auc": MeasureColumn("AUC of the residuals", "higher"),
}


# Ways to corrupt training rows; `DatasetInfo.spoiled` says the first two of the paper's sets.
KINDS = {"labels": "Label noise", "features": "Data outliers", "further": "Further data sets"}


@dataclass(frozen=True, eq=False)
class Results:
    """Checked results; names and levels in the order of a report."""

    frame: pd.DataFrame
    datasets: tuple[str, ...]
    levels: tuple[int, ...]
    methods: tuple[str, ...]
    kind_of: dict[str, str]
    measures: Mapping[str, MeasureColumn]

    def kinds(self) -> list[tuple[str, tuple[str, ...]]]:
        """The kinds of corruption that occur, each with its data sets."""
        groups = [(k, tuple(d for d in self.datasets if self.kind_of[d] == k)) for k in KINDS]
        return [(kind, names) for kind, names in groups if names]

    def n_splits(self, dataset: str) -> int:
        """The number of splits that any method met on the data set, at any level."""
        return int(self.frame.loc[self.frame.dataset == dataset, "split"].nunique())

    @property
    def partial(self) -> tuple[str, ...]:
        """Methods that met less than half of the splits: their means are not those of others."""
        met = self.frame.groupby("method")["split"].size()
        most = self.n_planned / (2 * len(self.methods))
        partial = tuple(name for name in self.methods if met[name] < most)
        return partial if len(self.methods) - len(partial) > 1 else ()

    def without(self, methods: tuple[str, ...]) -> Results:
        """The results of the other methods."""
        rest = self.frame[~self.frame.method.isin(methods)]
        return replace(self, frame=rest, methods=tuple(m for m in self.methods if m not in methods))

    def shared(self) -> Results:
        """The results on splits that every method has results on."""
        good = self.frame[self.frame.status == "ok"]
        count = good.groupby(KEYS[:3])["method"].transform("nunique")
        return replace(self, frame=good[count == len(self.methods)])

    def summary(self, column: str) -> pd.DataFrame:
        """Mean, standard deviation and counts for each data set, level and method.

        Also of combinations that were never run: their counts are 0 and their means NaN.
        """
        good = self.frame[self.frame.status == "ok"]
        by = ["dataset", "level", "method"]
        every = pd.MultiIndex.from_product([self.datasets, self.levels, self.methods], names=by)
        stats = good.groupby(by, observed=True)[column].agg(["mean", "std", "count"])
        table = stats.reindex(every).rename(columns={"count": "n"})
        failed = self.frame[self._failed(column)].groupby(by, observed=True).size()
        table["n"] = table["n"].fillna(0).astype(int)
        table["n_failed"] = failed.reindex(every).fillna(0).astype(int)
        splits = {name: self.n_splits(name) for name in self.datasets}
        table["n_planned"] = [splits[str(key[0])] for key in table.index]
        return table.reset_index()

    def _failed(self, column: str) -> Any:
        """Rows of cells that failed, or in which the measure did."""
        said = self.frame.get(f"{column}_error")
        failed = self.frame.status == "failed"
        return failed if said is None else failed | (said != "")

    def failed_measure(self, column: str) -> pd.DataFrame:
        """The methods with cells that are done but for this measure: cells, error (the first)."""
        rows = self.frame[self._failed(column) & (self.frame.status == "ok")]
        if f"{column}_error" not in rows:
            return pd.DataFrame(columns=["cells", "error"])
        grouped = rows.groupby("method", sort=False)[f"{column}_error"]
        return pd.DataFrame({"cells": grouped.size(), "error": grouped.first()})

    def means(self, column: str) -> dict[int, pd.DataFrame]:
        """By level, the means: a row per data set, a column per method; NaN without a result."""
        summary = self.summary(column)
        tables = {}
        for level in self.levels:
            rows = summary[summary.level == level]
            table = rows.pivot(index="dataset", columns="method", values="mean")
            tables[level] = table.reindex(index=list(self.datasets), columns=list(self.methods))
        return tables

    @property
    def failures(self) -> pd.DataFrame:
        """The failed cells, with their messages."""
        rows = self.frame.loc[self.frame.status == "failed", [*KEYS, "error"]]
        return rows.reset_index(drop=True)

    @property
    def n_planned(self) -> int:
        """The number of cells if every method met every split and level."""
        splits = sum(self.n_splits(name) for name in self.datasets)
        return splits * len(self.levels) * len(self.methods)


def check_results(results: Any, measures: Mapping[str, str] | None = None) -> Results:
    """Refuse results that no report can be made of, with what is wrong and where.

    `measures` are further columns, and whether their values are better "lower" or "higher".
    """
    further = {name: MeasureColumn(name, better) for name, better in (measures or {}).items()}
    if not isinstance(results, pd.DataFrame):
        raise TypeError(f"results must be a pandas DataFrame, not {type(results).__name__}.")
    for column, measure in further.items():
        if column in (*KEYS, *NUMBERS, "status", "error"):
            raise ValueError(f"measures: {column} is a column of every study.")
        if measure.better not in ("lower", "higher"):
            raise ValueError(
                f"measures: {column} must be better lower or higher, got {measure.better!r}."
            )
    needed = [*KEYS, "status", "mze", *further]
    missing = [name for name in needed if name not in results.columns]
    if missing:
        raise ValueError(f"results lack the column {', '.join(missing)}.")
    if results.empty:
        raise ValueError("results have no rows: run at least one cell of the study.")
    frame = results.reset_index(drop=True).copy()
    for name in KEYS:
        _refuse(frame, frame[name].isna(), f"{name} is missing")
    for name in ("dataset", "method"):
        frame[name] = frame[name].astype(str)
    for name in ("level", "split"):
        frame[name] = _whole(frame, name)
    for name in (*NUMBERS, *further):
        frame[name] = _numbers(frame, name)
    for name in ("error", *(f"{name}_error" for name in further)):
        frame[name] = frame[name].fillna("").astype(str) if name in frame else ""
    status = frame["status"].astype(str)
    _refuse(frame, ~status.isin(["ok", "failed"]), "status must be 'ok' or 'failed'")
    _refuse(frame, frame.duplicated(KEYS), "this cell is there twice")
    _refuse(frame, (status == "ok") & frame["mze"].isna(), "status is ok, but mze is missing")
    return Results(
        frame,
        tuple(dict.fromkeys(frame["dataset"])),
        tuple(sorted({int(level) for level in frame["level"]})),
        tuple(dict.fromkeys(frame["method"])),
        _kinds(frame),
        {**MEASURES, **further},
    )


def _refuse(frame: pd.DataFrame, bad: Any, complaint: str) -> None:
    rows = np.flatnonzero(np.asarray(bad, dtype=bool))
    if rows.size:
        cell = ", ".join(f"{name} {frame[name].iloc[rows[0]]}" for name in KEYS)
        raise ValueError(f"results, row {rows[0]} ({cell}): {complaint}.")


def _numbers(frame: pd.DataFrame, name: str) -> pd.Series[float]:
    if name not in frame:
        return pd.Series(np.nan, index=frame.index, dtype=float)
    values = pd.to_numeric(frame[name], errors="coerce")
    _refuse(frame, values.isna() & frame[name].notna(), f"{name} is no number")
    return values.astype(float)


def _whole(frame: pd.DataFrame, name: str) -> pd.Series[int]:
    values = _numbers(frame, name)
    _refuse(frame, ~(values == np.floor(values)), f"{name} is no whole number")
    return values.astype(int)


def _kinds(frame: pd.DataFrame) -> dict[str, str]:
    """By a column `corruption` where there is one, else by the names of the paper's sets."""
    kinds: dict[str, str] = {}
    for group, rows in frame.groupby("dataset"):
        dataset = str(group)
        kinds[dataset] = info(dataset).spoiled if dataset in names() else "further"
        if "corruption" in frame:
            keys = sorted({str(value) for value in rows["corruption"].dropna()})
            unknown = [key for key in keys if key not in KINDS]
            if unknown or len(keys) > 1:
                raise ValueError(
                    f"corruption of {dataset} is {', '.join(keys)}; it must be one of "
                    f"{', '.join(KINDS)}."
                )
            kinds[dataset] = keys[0] if keys else kinds[dataset]
    return kinds
