"""How are means and figures printed, and the best of them marked?"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from csvor.report._ranking import means_at
from csvor.report._results import MEASURES, Kind, Measure, Results
from csvor.report._tables import Cell, Table

NO_RESULT = "–"


def number(value: float, digits: int = 3) -> str:
    """A number as printed; a dash where there is none."""
    return f"{value:.{digits}f}" if isfinite(value) else NO_RESULT


def small(p: float) -> str:
    """A p-value with two significant digits."""
    if not isfinite(p):
        return NO_RESULT
    return f"{p:#.2g}" if p >= 1e-4 else f"{p:.0e}"


def marks(values: Sequence[float], better: str, digits: int) -> list[str]:
    """ "best" and "second" by what is printed, so that equal figures look equal."""
    shown = np.round(np.asarray(values, dtype=float), digits)
    finite = np.isfinite(shown)
    signed = shown if better == "lower" else -shown
    places = np.zeros(len(shown))
    places[finite] = rankdata(signed[finite], method="min")
    if finite.sum() < 2:
        return [""] * len(shown)
    return [{1: "best", 2: "second"}.get(int(place), "") for place in places]


def result_tables(results: Results, column: str) -> list[Table]:
    """Mean ± standard deviation over the splits, a table for each kind of corruption."""
    measure = MEASURES[column]
    summary = results.summary(column)
    return [
        _result_table(results, summary, kind, names, measure) for kind, names in results.kinds()
    ]


def _result_table(
    results: Results, summary: pd.DataFrame, kind: Kind, names: Sequence[str], measure: Measure
) -> Table:
    part = summary[summary.dataset.isin(names)]
    rows = []
    for dataset in names:
        for level in results.levels:
            cells = part[(part.dataset == dataset) & (part.level == level)]
            by_method = cells.set_index("method").loc[list(results.methods)]
            # A mean over a few splits is not to be marked as the best of means over all.
            ranked = by_method["mean"].where(~by_method.index.isin(results.partial))
            found = marks(ranked.tolist(), measure.better, 3)
            texts = [_mean_text(row) for row in by_method.itertuples()]
            line = [Cell(t, m) for t, m in zip(texts, found, strict=True)]
            rows.append((Cell(dataset), Cell(f"{level}"), *line))
    side = "lowest" if measure.better == "lower" else "highest"
    caption = (
        f"{kind.title}: {measure.name}, mean ± standard deviation over the splits, by share of "
        f"corrupted training rows; {side} bold, second underlined."
    )
    return Table(
        f"{kind.key}_{measure.column}",
        caption,
        ("data set", "%", *results.methods),
        tuple(rows),
        part.assign(measure=measure.column).reset_index(drop=True),
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


def mean_table(results: Results, column: str) -> Table | None:
    """The mean over the data sets that every method has results on, at every level."""
    summary = results.summary(column)
    tables = [means_at(results, summary, level) for level in results.levels]
    complete = [d for d in results.datasets if all(t.loc[d].notna().all() for t in tables)]
    if not complete:
        return None
    means = pd.DataFrame([t.loc[complete].mean() for t in tables], index=list(results.levels))
    better = MEASURES[column].better
    rows = []
    for level, line in means.iterrows():
        found = marks(line.tolist(), better, 3)
        cells = [Cell(number(v), m) for v, m in zip(line.tolist(), found, strict=True)]
        rows.append((Cell(str(level)), *cells))
    left = [name for name in results.datasets if name not in complete]
    note = (f"Left out, since a result is missing: {', '.join(left)}.",) if left else ()
    return Table(
        f"mean_{column}",
        f"{MEASURES[column].name.capitalize()}, averaged over {len(complete)} data sets.",
        ("%", *results.methods),
        tuple(rows),
        means.rename_axis("level").reset_index(),
        notes=note,
    )
