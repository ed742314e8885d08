"""Which files does a report consist of?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from csvor._utils.atomic_files import write_whole
from csvor.report.study._page import Section, html_page, markdown_page, with_unique_names
from csvor.report.study._results import check_results
from csvor.report.study._sections import sections_of
from csvor.report.study._tables import to_csv, to_latex, to_markdown

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
    sections = with_unique_names(sections_of(checked, wanted, focus, pictures))
    lead = (
        f"{', '.join(checked.methods)} on {', '.join(checked.datasets)}; "
        f"{', '.join(f'{level} %' for level in checked.levels)} of the training rows corrupted."
    )
    out = Path(folder)
    for name in ("tables", "figures") if pictures else ("tables",):
        (out / name).mkdir(parents=True, exist_ok=True)
    for section in sections:
        _write_items(out, section)
    for name, page in (("report.md", markdown_page), ("report.html", html_page)):
        write_whole(out / name, page(TITLE, lead, sections).encode())
    return out / "report.html"


def _write_items(out: Path, section: Section) -> None:
    for table in section.tables:
        for suffix, render in (("md", to_markdown), ("tex", to_latex), ("csv", to_csv)):
            write_whole(out / "tables" / f"{table.name}.{suffix}", render(table).encode())
    for picture in section.pictures:
        write_whole(out / "figures" / f"{picture.name}.svg", picture.svg)
        write_whole(out / "figures" / f"{picture.name}.pdf", picture.pdf)
