"""How much does each column change the odds, and how surely, in one model or in several?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from csvor._regression import OrdinalRegression
from csvor.plots._display import Display
from csvor.plots._style import BLUE, INK, PALE, VERMILION, styled, tidy

Array = NDArray[np.float64]

# Of each model in turn, the first of them filled.
_LOOKS = (
    {"color": INK, "marker": "o"},
    {"color": VERMILION, "marker": "s", "markerfacecolor": "white"},
    {"color": BLUE, "marker": "D", "markerfacecolor": "white"},
)
# Inches of a line, and what a second line beside it takes.
_LINE, _BESIDE = 0.27, 0.17
# A logarithmic axis of fewer folds has ticks as a plain one.
_FEW_FOLDS = 4.0


class CoefficientsDisplay(Display):
    """A forest plot: the odds ratio or the coefficient of each column, with its interval.

    Make it by `from_estimator`, which draws at once; `plot` draws again elsewhere. Columns stand
    in their order, the first at the top. Several models stand beside each other in each line, such
    as one with wrong labels and one that takes all labels to be right. At the right are the
    figures.

    Parameters
    ----------
    tables : DataFrame, or mapping of names to DataFrames
        ``coefficients`` of a `summary`: estimate, low and high by the name of the column; for odds
        ratios odds_ratio, odds_ratio_low and odds_ratio_high. Three models at most.
    odds_ratios : bool, default=False
        Whether odds ratios are drawn, on a logarithmic axis, or the estimates.
    columns : sequence of str, default=None
        Which of them, in this order; by default all.
    level : float, default=0.95
        Of the intervals in the tables, which the title of the figures says.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure or SubFigure
        Where it was drawn.
    names_ : list of str
        The columns, from the top.

    Raises
    ------
    ValueError
        For no table or more than three, a column that is in none, and odds ratios that there are
        not (of other links than the logit, of nominal and of scale effects).

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import OrdinalRegression
    >>> from csvor.plots import CoefficientsDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=500), [-1.0, 1.0])
    >>> model = OrdinalRegression(wrong=0).fit(X, y)
    >>> CoefficientsDisplay.from_estimator(model).names_
    ['x0', 'x1']
    """

    def __init__(
        self,
        tables: pd.DataFrame | Mapping[str, pd.DataFrame],
        *,
        odds_ratios: bool = False,
        columns: Sequence[str] | None = None,
        level: float = 0.95,
    ) -> None:
        self.tables = {"": tables} if isinstance(tables, pd.DataFrame) else dict(tables)
        if not 1 <= len(self.tables) <= len(_LOOKS):
            raise ValueError(
                f"There are {len(self.tables)} tables: one picture holds 1 to {len(_LOOKS)} models."
            )
        self.odds_ratios, self.level = odds_ratios, level
        known = list(dict.fromkeys(name for table in self.tables.values() for name in table.index))
        self.names_ = known if columns is None else list(columns)
        lacking = [name for name in self.names_ if name not in known]
        if lacking or not known:
            raise ValueError(f"No model has a coefficient of {lacking[:1] or 'any column'}.")
        wanted = "odds_ratio" if odds_ratios else "estimate"
        for table in self.tables.values():
            rows = table.reindex(columns=[wanted]).loc[table.index.isin(self.names_)]
            if rows[wanted].isna().any():
                name = rows.index[rows[wanted].isna()][0]
                raise ValueError(
                    f"{name!r} has no odds ratio: only coefficients of the logit link have one. "
                    "Leave it out of columns, or give odds_ratios=False."
                )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        odds_ratios: bool | None = None,
        columns: Sequence[str] | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
    ) -> CoefficientsDisplay:
        """Draw the coefficients of one fitted model, or of several.

        Parameters
        ----------
        estimator : OrdinalRegression, or mapping of names to such
            Fitted. Of several, the first is drawn filled.
        odds_ratios : bool, default=None
            Whether odds ratios are drawn; by default where all that is drawn has one.
        columns : sequence of str, default=None
            Which coefficients, in this order; by default all but the shifts of raters.
        level : float, default=0.95
            Of the intervals.
        ax
            As of `plot`.

        Returns
        -------
        display : CoefficientsDisplay
        """
        models = dict(estimator) if isinstance(estimator, Mapping) else {"": estimator}
        for model in models.values():
            if not isinstance(model, OrdinalRegression):
                raise TypeError(
                    f"estimator must be an OrdinalRegression, got {type(model).__name__}: other "
                    "models have no errors of coefficients. Several go into a dict by their names."
                )
        tables = {name: _drawn(model, columns, level) for name, model in models.items()}
        if odds_ratios is None:
            odds_ratios = all(
                "odds_ratio" in table and table["odds_ratio"].notna().all()
                for table in tables.values()
            )
        return cls(tables, odds_ratios=odds_ratios, columns=columns, level=level).plot(ax)

    @styled
    def plot(self, ax: Axes | None = None) -> CoefficientsDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes, default=None
            Where; by default on a new figure.

        Returns
        -------
        display : CoefficientsDisplay
        """
        n, several = len(self.names_), len(self.tables) > 1
        line = _LINE + _BESIDE * (len(self.tables) - 1)
        ax = self._axes(ax, 6.2, 0.75 + line * n + 0.2 * several)
        if self.odds_ratios:
            ax.set_xscale("log")
        ax.axvline(1.0 if self.odds_ratios else 0.0, color=PALE, linewidth=0.9, zorder=1)
        # Models that have a column share its line.
        there = np.array([np.isin(self.names_, table.index) for table in self.tables.values()])
        beside = np.cumsum(there, axis=0) - 1.0 - (there.sum(axis=0) - 1.0) / 2.0
        height = np.arange(n) + _BESIDE / line * beside
        for i, (name, table) in enumerate(self.tables.items()):
            self._draw_model(ax, table, height[i], name, _LOOKS[i])
        self._finish(ax, several)
        return self

    def _draw_model(
        self, ax: Axes, table: pd.DataFrame, height: Array, name: str, look: dict[str, Any]
    ) -> None:
        """Points and intervals of one model, and its figures at the right."""
        parts = ("odds_ratio", "odds_ratio_low", "odds_ratio_high")
        parts = parts if self.odds_ratios else ("estimate", "low", "high")
        middle, low, high = table.reindex(self.names_)[list(parts)].to_numpy(float).T
        colour = look["color"]
        ax.hlines(height, low, high, color=colour, linewidth=1.3, zorder=2)
        ax.plot(
            middle, height, label=name, linestyle="none", markersize=4.8, markeredgewidth=1.1,
            zorder=3, **look,
        )  # fmt: skip
        for y, *figures in zip(height.tolist(), middle, low, high, strict=True):
            if np.isfinite(figures[0]):
                point, *ends = map(_short, figures)
                ax.text(
                    1.03, y, f"{point} ({ends[0]} to {ends[1]})", va="center", fontsize=7.5,
                    color=colour, transform=ax.get_yaxis_transform(),
                )  # fmt: skip

    def _finish(self, ax: Axes, several: bool) -> None:
        """What the axes say."""
        what = "odds ratio" if self.odds_ratios else "coefficient"
        ax.set_yticks(np.arange(len(self.names_)), self.names_)
        ax.set_ylim(len(self.names_) - 0.4, -0.6)
        ax.set_xlabel("odds ratio of a higher class, per unit" if self.odds_ratios else what)
        title: dict[str, Any] = {"xycoords": "axes fraction", "va": "bottom", "fontsize": 7.5}
        ax.annotate(f"{what} ({100.0 * self.level:g} % interval)", (1.03, 1.01), **title)
        if self.odds_ratios:
            _log_ticks(ax)
        tidy(ax, grid="x")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0.0, labelsize=8.5)
        if several:
            above = ScaledTranslation(0.0, 11.0 / 72.0, ax.figure.dpi_scale_trans)
            ax.legend(
                loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=len(self.tables),
                handletextpad=0.2, borderpad=0.2, columnspacing=1.4,
                bbox_transform=ax.transAxes + above,
            )  # fmt: skip


def _drawn(model: OrdinalRegression, columns: Sequence[str] | None, level: float) -> pd.DataFrame:
    """The coefficients of a model that a picture holds."""
    table = model.summary(level).coefficients
    if columns is None:
        return table[~table.index.isin([f"rater.{name}" for name in model._raters])]
    return table[table.index.isin(columns)]


def _log_ticks(ax: Axes) -> None:
    """Round numbers, without powers of ten."""
    low, high = ax.get_xlim()
    few = high / low < _FEW_FOLDS
    ax.xaxis.set_major_locator(MaxNLocator(5) if few else LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _short(value: float) -> str:
    text = f"{value:.2f}" if abs(value) < 100.0 else f"{value:.3g}"
    return text.replace("-", "\N{MINUS SIGN}", 1) if value < 0.0 else text
