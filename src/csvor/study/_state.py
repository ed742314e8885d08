"""How far is the study in a folder, and what did it find?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from csvor.study._cell import Cell
from csvor.study._measures import CHOSEN, COLUMNS, MEASURED
from csvor.study._plan import Plan
from csvor.study._progress import Progress, Tally
from csvor.study._records import read_plan, read_records

Records = dict[Cell, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Status(Progress):
    """How far a study is, in whole and in parts.

    Attributes
    ----------
    done, failed, total, seconds_left
        As of `Progress`, by the jobs of its last run.
    counts : DataFrame
        Columns dataset, method, done, failed, total; one row each.
    failures : DataFrame
        Columns dataset, level, split, method, error; one row per failed cell.
    failed_measures : DataFrame
        Columns measure, method, cells, error (the first one's); one row per method with cells
        in which a measure of the study's own failed.
    """

    counts: pd.DataFrame
    failures: pd.DataFrame
    failed_measures: pd.DataFrame


def status(folder: str | Path) -> Status:
    """How far the study in a folder is; it may be running.

    Parameters
    ----------
    folder : str or Path
        As given to `run`.

    Returns
    -------
    status : Status

    Raises
    ------
    ValueError
        If no study was run there, or a file of it is damaged.

    Examples
    --------
    >>> from csvor.study import status
    >>> status("runs/none")
    Traceback (most recent call last):
        ...
    ValueError: runs/none: no study was run there (study.json is missing).
    """
    plan, records = _read(folder)
    tally = Tally(plan.cells, records)
    keys = ["dataset", "level", "split", "method", "error"]
    table = table_of(records, plan.measure_names)
    return Status(
        **vars(tally.progress(plan.jobs)),
        counts=tally.table(),
        failures=table.loc[table["status"] == "failed", keys].reset_index(drop=True),
        failed_measures=failed_measures(table, plan.measure_names),
    )


def results(folder: str | Path) -> pd.DataFrame:
    """What the study in a folder has found so far.

    Parameters
    ----------
    folder : str or Path
        As given to `run`.

    Returns
    -------
    results : DataFrame
        One row per cell that is done, in the order of the spec, with the columns

        - dataset, level (percent), split, method, status ("ok" or "failed"), error (its message);
        - mze, mae: mean zero-one and mean absolute error on the test rows;
        - precision, recall, auc: of ``outliers_`` and ``residuals_`` against the corrupted rows;
          NaN where the method flags none, no row was corrupted, or (precision) none was flagged;
        - C, p, tau: as chosen, NaN where there was nothing to choose; seconds;
        - a column for each measure of the study's own, NaN where it failed, and NAME_error with
          what it said then.

    Raises
    ------
    ValueError
        If no study was run there, or a file of it is damaged.

    Examples
    --------
    >>> from csvor.study import results
    >>> results("runs/none")
    Traceback (most recent call last):
        ...
    ValueError: runs/none: no study was run there (study.json is missing).
    """
    plan, records = _read(folder)
    return table_of(records, plan.measure_names)


def _read(folder: str | Path) -> tuple[Plan, Records]:
    """What was last run in a folder, and the records there are of it."""
    plan = read_plan(folder)
    return plan, read_records(Path(folder), plan.cells)


def failed_measures(table: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Which measures failed, once for each method."""
    rows = []
    for measure in measures:
        failed = table[table[f"{measure}_error"] != ""]
        for method, of_method in failed.groupby("method", sort=False):
            rows.append([measure, method, len(of_method), of_method[f"{measure}_error"].iloc[0]])
    return pd.DataFrame(rows, columns=["measure", "method", "cells", "error"])


def table_of(records: Records, measures: Sequence[str] = ()) -> pd.DataFrame:
    """Records as the table of results."""
    rows = []
    for cell, record in records.items():
        chosen = record.get("chosen") or {}
        row = [cell.dataset, cell.level, cell.split, cell.method, record["status"]]
        row += [_number(record.get(name)) for name in MEASURED]
        row += [_number(chosen.get(name)) for name in CHOSEN]
        values, failures = (record.get(key, {}) for key in ("measures", "failed_measures"))
        row += [record["error"], *(_number(values.get(name)) for name in measures)]
        rows.append([*row, *(failures.get(name, "") for name in measures)])
    errors = [f"{name}_error" for name in measures]
    table = pd.DataFrame(rows, columns=[*COLUMNS, *measures, *errors])
    numbers = dict.fromkeys((*MEASURED, *CHOSEN, *measures), np.float64)
    return table.astype({"level": np.int64, "split": np.int64, **numbers})


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
