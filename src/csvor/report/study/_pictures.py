"""Which pictures does a report hold?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from csvor import plots
from csvor._utils.cached import cached_property
from csvor.plots._style import legend_height
from csvor.report.study._comparisons import LevelRanking
from csvor.report.study._results import KINDS, MEASURES, Results
from csvor.report.study._tables import ReportTable

# In inches: two pictures up to here stand side by side.
NARROW = 7.0


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with its words; `wide` where it needs the whole width of a page."""

    name: str
    caption: str
    figure: Figure
    wide: bool = True

    @cached_property
    def svg(self) -> bytes:
        """The figure for a page."""
        return self._drawn("svg")

    @cached_property
    def pdf(self) -> bytes:
        """The figure for a manuscript."""
        return self._drawn("pdf")

    def _drawn(self, kind: str) -> bytes:
        settings: dict[Any, Any] = {
            "svg.hashsalt": self.name,
            "svg.fonttype": "path",
            "pdf.fonttype": 42,
        }
        undated = {"Date" if kind == "svg" else "CreationDate": None}
        out = BytesIO()
        with mpl.rc_context(settings):
            self.figure.savefig(out, format=kind, metadata=undated)
        # The first drawing has laid it out; to do so again takes most of the time.
        self.figure.set_layout_engine("none")
        return out.getvalue()


def rank_pictures(rankings: Sequence[LevelRanking], column: str) -> list[Picture]:
    """A critical-difference diagram for each level."""
    pictures = []
    for ranking in rankings:
        comparison = ranking.comparison
        if comparison is None:
            continue
        average = {str(name): float(rank) for name, rank in comparison.ranks.average.items()}
        options: dict[str, Any] = {
            "cd": comparison.critical_difference,
            "groups": comparison.groups,
            "test": comparison.post_hoc,
            "alpha": comparison.alpha,
        }
        size = plots.critical_difference_size(average, **options)
        figure = Figure(figsize=size)
        ax = figure.add_axes((0, 0, 1, 1))
        plots.critical_difference(average, **options, n_cases=comparison.ranks.n_cases, ax=ax)
        # Closeness in rank means nothing where no test says that any method differs.
        shown = comparison.test.significant(comparison.alpha) or not comparison.post_hoc
        doubt = "" if shown else " No test shows a difference here."
        caption = (
            f"{ranking.level} % corrupted: average ranks by {MEASURES[column].name}. "
            f"{comparison.in_words()}{doubt}"
        )
        pictures.append(
            Picture(f"ranks_{column}_{ranking.level}", caption, figure, size[0] > NARROW)
        )
    return pictures


def mean_picture(mean: ReportTable | None, column: str, focus: str) -> list[Picture]:
    """How the mean over the data sets grows with the corruption."""
    if mean is None or len(mean.numbers) < 2:
        return []
    table = mean.numbers.set_index("level")
    height = 3.1 + legend_height([str(name) for name in table.columns], 6.2)
    figure = Figure(figsize=(6.2, height), layout="constrained")
    name = MEASURES[column].name
    plots.level_curves({"": table}, measure=name, focus=focus, figure=figure)
    return [Picture(f"mean_{column}", f"{mean.caption} By share of corrupted rows.", figure)]


def level_pictures(results: Results, column: str, focus: str) -> list[Picture]:
    """How the error on each data set grows with the corruption."""
    if len(results.levels) < 2:
        return []
    tables = results.means(column)
    pictures = []
    for kind, names in results.kinds():
        panels = {
            name: _by_level({level: table.loc[name] for level, table in tables.items()})
            for name in names
        }
        figure = _sized(len(names), 2.4, 1.85, results.methods)
        plots.level_curves(panels, measure=column.upper(), focus=focus, figure=figure)
        caption = f"{KINDS[kind]}: {MEASURES[column].name} by share of corrupted training rows."
        pictures.append(Picture(f"levels_{kind}_{column}", caption, figure))
    return pictures


def loss_picture() -> Picture:
    """The losses that the methods pay."""
    figure = Figure(figsize=(6.8, 2.8), layout="constrained")
    plots.loss_plot(figure=figure)
    return Picture("losses", "The capped loss for several p, and the losses compared.", figure)


def experiment_pictures(experiments: Mapping[str, Any]) -> list[Picture]:
    """A picture for each experiment that was made."""
    return list(_experiments(experiments))


def _experiments(experiments: Mapping[str, Any]) -> Iterator[Picture]:
    if maps := experiments.get("sensitivity"):
        figure = _sized(len(maps), 2.75, 2.15)
        plots.sensitivity_maps(maps, figure=figure)
        caption = "Mean zero-one error over the grid of p and γ; dark is low."
        yield Picture("sensitivity", caption, figure)
    if histories := experiments.get("convergence"):
        figure = _sized(len(histories), 2.4, 1.75)
        plots.convergence_curves(
            histories, settled_from=experiments.get("settled_from"), figure=figure
        )
        caption = "Objective after each outer iteration. It may rise only before the loss is fixed."
        yield Picture("convergence", caption, figure)
    for title, arrays in (experiments.get("projections") or {}).items():
        figure = Figure(figsize=(5.6, 3.4), layout="constrained")
        plots.projection_plot(**arrays, ax=figure.subplots())
        caption = f"{title}: the direction on which each method projects the rows."
        yield Picture(f"projection_{title}", caption, figure, wide=False)
    if images := experiments.get("occlusion"):
        figure = Figure(figsize=(7.7, 3.1), layout="constrained")
        plots.occlusion_gallery(**images, figure=figure)
        caption = "Images flagged or not, by whether a block was laid over them."
        yield Picture("occlusion", caption, figure)


def _by_level(rows: Mapping[int, Any]) -> pd.DataFrame:
    return pd.DataFrame(dict(rows)).T


def _sized(n: int, width: float, height: float, legend: Sequence[str] = ()) -> Figure:
    """A figure for n panels, at most three abreast, and a legend of methods below them."""
    columns, rows = min(n, 3), -(-n // 3)
    across = max(width * columns, 5.6)
    below = legend_height(list(legend), across) if legend else 0.3
    return Figure(figsize=(across, height * rows + 0.2 + below), layout="constrained")
