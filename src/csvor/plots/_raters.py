"""How many classes higher or lower than the others does each rater label?"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from csvor.audit import RaterTable
from csvor.plots._display import Display
from csvor.plots._style import INK, PALE, VERMILION, styled, tidy

# Of so many raters each has a line with his name; more are lines alone.
_NAMED = 40


class RatersDisplay(Display):
    """The shift of each rater with its interval, the highest at the top.

    Make it by `from_table`, which draws at once; `plot` draws again elsewhere. Raters who are
    surely higher or lower than the reference are red. At the right stands how many labels each gave
    and the share of careless ones.

    Parameters
    ----------
    table : RaterTable
        Of an audit.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure or SubFigure
        Where it was drawn.
    order_ : ndarray of shape (n_raters,)
        Positions of the raters in the table, from the bottom up.

    Raises
    ------
    TypeError
        For what is no table of raters.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import audit_scores
    >>> from csvor.plots import RatersDisplay
    >>> rng = np.random.default_rng(0)
    >>> scores, raters = rng.normal(size=400), np.repeat(["Ada", "Ben", "Cy", "Di"], 100)
    >>> y = np.digitize(scores + 0.4 * (raters == "Cy"), [-0.5, 0.0, 0.5])
    >>> display = RatersDisplay.from_table(audit_scores(scores, y, raters=raters).raters)
    >>> str(display.table.names[display.order_[-1]])
    'Cy'
    """

    def __init__(self, table: RaterTable) -> None:
        if not isinstance(table, RaterTable):
            raise TypeError(
                f"table must be the raters of an audit, got {type(table).__name__}: give the audit "
                "who labelled what, audit_labels(X, y, raters=raters).raters."
            )
        self.table = table

    @classmethod
    def from_table(cls, table: RaterTable, *, ax: Axes | None = None) -> RatersDisplay:
        """Draw the raters of an audit.

        Parameters
        ----------
        table : RaterTable
            ``audit.raters``.
        ax
            As of `plot`.

        Returns
        -------
        display : RatersDisplay
        """
        return cls(table).plot(ax)

    @styled
    def plot(self, ax: Axes | None = None) -> RatersDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes, default=None
            Where; by default on a new figure.

        Returns
        -------
        display : RatersDisplay
        """
        table, n = self.table, len(self.table.names)
        self.order_ = np.argsort(table.shift, kind="stable")
        ax = self._axes(ax, 5.2, 0.9 + 0.22 * min(n, _NAMED))
        apart = np.isin(self.order_, table.apart)
        low, high = table.shift_interval[self.order_].T
        height = np.arange(n)
        ax.axvline(0.0, color=PALE, linewidth=0.8, zorder=1)
        for rows, colour in ((~apart, INK), (apart, VERMILION)):
            options: dict[str, Any] = {"color": colour, "zorder": 3 if colour == VERMILION else 2}
            ax.hlines(height[rows], low[rows], high[rows], linewidth=1.4, **options)
            ax.plot(table.shift[self.order_][rows], height[rows], "o", markersize=4.5, **options)
        ax.set_ylim(-0.7, n - 0.3)
        ax.set_xlabel(f"classes higher than {table.reference}, with 95 % interval")
        self._name(ax, height)
        tidy(ax, grid="x")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0.0)
        return self

    def _name(self, ax: Axes, height: Any) -> None:
        """Who each line is, and what else is known of him."""
        table = self.table
        if height.size > _NAMED:
            ax.set_yticks([])
            ax.set_ylabel(f"{height.size} raters")
            return
        ax.set_yticks(height, [str(name) for name in table.names[self.order_]])
        right: dict[str, Any] = {
            "transform": ax.get_yaxis_transform(),
            "va": "center",
            "fontsize": 7.5,
        }
        top: dict[str, Any] = {"xycoords": "axes fraction", "va": "bottom", "fontsize": 7.5}
        for place, title in ((1.03, "labels"), (1.17, "careless")):
            ax.annotate(title, (place, 1.0), **top)
        for y, i in zip(height.tolist(), self.order_.tolist(), strict=True):
            ax.text(1.03, y, f"{table.n[i]}", **right)
            ax.text(1.17, y, f"{table.careless[i]:.0%}", **right)
