"""Which files does a report consist of?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from csvor import __version__
from csvor._utils.atomic_files import write_whole
from csvor.report.study import _comparisons, _measured, _sentences
from csvor.report.study._comparisons import rank_levels
from csvor.report.study._page import Section, html_page, markdown_page, with_unique_names
from csvor.report.study._published import (
    CRITERION,
    agreement_table,
    compare_published,
    disagreement_table,
)
from csvor.report.study._results import MEASURES, Results, check_results
from csvor.report.study._tables import ReportTable, to_csv, to_latex, to_markdown

ALPHA = 0.05
TITLE = "Ordinal regression with corrupted training rows"
EXPERIMENTS = ("sensitivity", "convergence", "settled_from", "projections", "occlusion")


def write_report(
    results: pd.DataFrame,
    folder: str | os.PathLike[str],
    *,
    experiments: Mapping[str, Any] | None = None,
    measures: Mapping[str, str] | None = None,
    focus: str = "CSVOR",
    pictures: bool = True,
) -> Path:
    """Write the report of a study: one page, and its tables and pictures as files.

    Methods, data sets, levels and splits are those of the results. Cells that failed or were
    not run are said to be so, wherever a mean is over fewer splits than planned. What is written:

    - ``report.html``: all of it on one page that needs no other file, summary first;
    - ``report.md``: the same as Markdown;
    - ``tables/NAME.md``, ``.tex`` (booktabs) and ``.csv`` (unrounded numbers);
    - ``figures/NAME.svg`` and ``.pdf``.

    Each file is written whole or not at all, and the same results give the same bytes. Files
    of these names are replaced, others left alone.

    Parameters
    ----------
    results : DataFrame
        One row per cell, with the columns dataset, level (percent), split, method, status ("ok"
        or "failed") and mze. Optional: mae, precision, recall, auc, seconds, error, and
        corruption ("labels", "features" or "further"), which decides the table that a data set
        stands in; without it the ten sets of the paper are known by name.
    folder : path-like
        Made where it does not exist.
    experiments : mapping, default=None
        What else to draw, by name:

        - ``sensitivity``: by data set, a table of errors as `csvor.plots.sensitivity_maps` takes;
        - ``convergence``: by data set, a history as `csvor.plots.convergence_curves` takes, and
          ``settled_from`` beside it;
        - ``projections``: by title, the arguments of `csvor.plots.projection_plot` (X, y,
          outliers, directions);
        - ``occlusion``: the arguments of `csvor.plots.occlusion_gallery`.
    measures : mapping of str to str, default=None
        Further columns to make tables and ranks of, and whether they are better "lower" or
        "higher". A column NAME_error says, where it is not empty, why the measure failed in a
        cell; a method with such cells is in no rank of it.
    focus : str, default="CSVOR"
        The method that the sentences are about; they name the best where it has no results.
    pictures : bool, default=True
        Whether to draw. Needs matplotlib: ``pip install 'csvor[plots]'``.

    Returns
    -------
    page : Path
        ``report.html``.

    Raises
    ------
    TypeError
        If `results` is no DataFrame.
    ValueError
        For missing columns, no rows, a cell that is there twice, a status or a number that is
        none, and an experiment of an unknown name.
    ImportError
        If pictures are asked for and matplotlib is not installed.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from csvor.report import write_report
    >>> cells = [("tae", 0, split, name, "ok", mze) for split in range(3)
    ...          for name, mze in [("CSVOR", 0.40), ("POM", 0.42)]]
    >>> results = pd.DataFrame(
    ...     cells, columns=["dataset", "level", "split", "method", "status", "mze"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(results, folder, pictures=False)
    ...     "CSVOR has the best average rank" in page.read_text(encoding="utf-8")
    True
    """
    checked = check_results(results, measures)
    wanted = dict(experiments or {})
    unknown = [name for name in wanted if name not in EXPERIMENTS]
    if unknown:
        raise ValueError(
            f"There is no experiment {unknown[0]!r}; those known are {', '.join(EXPERIMENTS)}."
        )
    sections = with_unique_names(_sections(checked, wanted, focus, pictures))
    lead = (
        f"{', '.join(checked.methods)} on {', '.join(checked.datasets)}; "
        f"{', '.join(f'{level} %' for level in checked.levels)} of the training rows corrupted."
    )
    footer = f"Written by csvor {__version__}."
    out = Path(folder)
    for place in (out, out / "tables", out / "figures") if pictures else (out, out / "tables"):
        place.mkdir(parents=True, exist_ok=True)
    for section in sections:
        _write_items(out, section)
    write_whole(out / "report.md", markdown_page(TITLE, lead, sections, footer).encode())
    write_whole(out / "report.html", html_page(TITLE, lead, sections, footer).encode())
    return out / "report.html"


def _sections(
    results: Results, experiments: Mapping[str, Any], focus: str, pictures: bool
) -> list[Section]:
    full = results.without(results.partial)
    rankings = rank_levels(full, "mze", ALPHA)
    mean = _measured.mean_table(full, "mze")
    compared = compare_published(results.frame)
    has_mae = bool(results.frame.mae.notna().any())
    tables_of_ranks = [
        _comparisons.rank_table(full, rankings, "mze"),
        _comparisons.difference_table(full, rankings, "mze"),
        _comparisons.pair_table(full, focus, "mze") if focus in full.methods else None,
        _comparisons.shared_rank_table(results, "mze", ALPHA) if results.partial else None,
    ]
    mae = _further_tables(results, "mae") if has_mae else []
    gaps = _measured.gap_table(results)
    failures = _measured.failure_table(results)
    drawn = _drawn(results, rankings, mean, experiments, focus) if pictures else {}
    coverage = _sentences.coverage(results)
    agreement = _sentences.agreement(compared)
    summary = [
        *_sentences.ranking(rankings, focus),
        *_sentences.growth(mean, focus),
        *_sentences.significance(rankings, focus, ALPHA),
        *agreement[:1],
        *_sentences.detection(results),
        *_sentences.partial(results.partial),
        *coverage,
    ]
    if not pictures:
        summary.append("Pictures were left out on request.")
    sections = [
        Section("summary", "Summary", summary, _some(mean, *drawn.get("mean", []))),
        Section(
            "ranks", "Ranks and tests", (), [*_some(*tables_of_ranks), *drawn.get("ranks", [])]
        ),
        Section(
            "results",
            "Results",
            (),
            [*_measured.result_tables(results, "mze"), *drawn.get("levels", [])],
            mae,
            "Mean absolute error",
        ),
        _of_measures(results),
        Section("published", "Beside the published results", agreement, _beside(compared)),
        Section(
            "outliers",
            "Outliers found",
            (),
            _measured.detection_tables(results, ["level"]),
            _measured.detection_tables(results, ["dataset", "level"]),
            "By data set",
        ),
        Section("pictures", "Losses and experiments", (), drawn.get("experiments", [])),
        Section(
            "cells",
            "What was run",
            coverage,
            _some(*(t for t in (gaps, failures) if t.rows), _measured.time_table(results)),
        ),
        Section("reading", "How to read this", _READING),
    ]
    return [section for section in sections if section.filled]


_READING = (
    "A cell is one method on one split of one data set at one level. The level is the share of "
    "training rows that were corrupted; errors are measured on clean test rows.",
    "The mean zero-one error is the share of test rows with a wrong class; the mean absolute error "
    "counts how many classes a prediction is off.",
    "± is the standard deviation over the splits (divisor n - 1), not a confidence interval.",
    "Ranks are of the means on each data set. Friedman's test asks whether ranks differ more than "
    "chance would have it; two average ranks differ where they are further apart than Nemenyi's "
    "critical difference.",
    f"A cell agrees with the published one if {CRITERION}; the standard error is that of the "
    "difference, from both standard deviations and numbers of splits.",
)


def _drawn(
    results: Results, rankings: Any, mean: ReportTable | None, experiments: Any, focus: str
) -> dict[str, Any]:
    # Here, so that tables can be had without matplotlib; the first of them names the remedy.
    import csvor.plots  # noqa: F401
    from csvor.report.study import _pictures

    return {
        "mean": _pictures.mean_picture(mean, "mze", focus),
        "ranks": _pictures.rank_pictures(rankings, "mze"),
        "levels": _pictures.level_pictures(results, "mze", focus),
        "experiments": [
            _pictures.loss_picture(),
            *_pictures.experiment_pictures(experiments),
        ],
    }


def _of_measures(results: Results) -> Section:
    """What measures of one's own say."""
    further = [name for name in results.measures if name not in MEASURES]
    return Section(
        "measures",
        "Further measures",
        [sentence for name in further for sentence in _sentences.further(results, name)],
        [table for name in further for table in _further_tables(results, name)],
    )


def _further_tables(results: Results, column: str) -> list[ReportTable]:
    """Means, ranks and tests by a measure, without the methods that it failed for."""
    failed = tuple(results.failed_measure(column).index)
    ranked = results.without(tuple({*results.partial, *failed}))
    tables = _measured.result_tables(results, column)
    if len(ranked.methods) > 1:
        rankings = rank_levels(ranked, column, ALPHA)
        tables.append(_comparisons.rank_table(ranked, rankings, column))
        tables.append(_comparisons.difference_table(ranked, rankings, column))
    return tables


def _beside(compared: pd.DataFrame) -> list[ReportTable]:
    if compared.empty:
        return []
    return [agreement_table(compared), disagreement_table(compared)]


def _some(*items: Any) -> list[Any]:
    return [item for item in items if item is not None]


def _write_items(out: Path, section: Section) -> None:
    for table in section.tables:
        for suffix, render in (("md", to_markdown), ("tex", to_latex), ("csv", to_csv)):
            write_whole(out / "tables" / f"{table.name}.{suffix}", render(table).encode())
    for picture in section.pictures:
        write_whole(out / "figures" / f"{picture.name}.svg", picture.svg)
        write_whole(out / "figures" / f"{picture.name}.pdf", picture.pdf)
