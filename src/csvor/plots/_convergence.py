"""How does the objective fall with the iterations of a fit?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from sklearn.utils.validation import check_is_fitted

from csvor._estimators.steps import final_of
from csvor.plots._arrays import numbers
from csvor.plots._display import Display
from csvor.plots._style import PALE, method_styles, named, styled, tidy


class ConvergenceDisplay(Display):
    """The objective after each outer iteration, of one fit or several.

    Make it by `from_estimator` or `from_results`, which draw at once; `plot` draws again elsewhere.

    Parameters
    ----------
    histories : mapping of str to array-like of shape (n_iter,)
        By name: ``objective_history_`` of a fit.
    settled_from : int, default=None
        The iteration from which the loss is fixed and nothing rises (``settled_from_``); a dotted
        line is drawn there.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure or SubFigure
        Where it was drawn.
    lines_ : list of Line2D
        One for each history.

    Raises
    ------
    ValueError
        For no histories, and for one that is empty or holds NaN or infinity.

    Examples
    --------
    >>> from csvor.plots import ConvergenceDisplay
    >>> display = ConvergenceDisplay.from_results({"CSVOR": [90.0, 60.0, 55.0, 54.5]})
    >>> display.lines_[0].get_ydata().tolist()
    [90.0, 60.0, 55.0, 54.5]
    """

    def __init__(self, histories: Mapping[str, Any], *, settled_from: int | None = None) -> None:
        self.histories = {
            name: numbers(history, f"The history {name}")
            for name, history in named(histories, "histories").items()
        }
        self.settled_from = settled_from

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, name: str | None = None, ax: Axes | None = None
    ) -> ConvergenceDisplay:
        """Draw the iterations of a fitted estimator.

        Parameters
        ----------
        estimator : estimator or Pipeline
            Fitted, of csvor or ending in one of csvor.
        name : str, default=None
            Name of the curve; None takes that of the class.
        ax : Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ConvergenceDisplay
        """
        final = final_of(estimator)
        check_is_fitted(final)
        name = type(final).__name__ if name is None else name
        settled = getattr(final, "settled_from_", None)
        return cls({name: final.objective_history_}, settled_from=settled).plot(ax)

    @classmethod
    def from_results(
        cls,
        histories: Mapping[str, Any],
        *,
        settled_from: int | None = None,
        ax: Axes | None = None,
    ) -> ConvergenceDisplay:
        """Draw objectives of several fits.

        Parameters
        ----------
        histories, settled_from
            As of the class.
        ax : Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ConvergenceDisplay
        """
        return cls(histories, settled_from=settled_from).plot(ax)

    @styled
    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> ConvergenceDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        legend : bool, default=True
            Name the curves where there are several.

        Returns
        -------
        display : ConvergenceDisplay
            Itself, with ``ax_``, ``figure_`` and ``lines_``.
        """
        ax = self._axes(ax, 4.0, 2.8)
        self.lines_ = []
        styles = method_styles([*self.histories, *self._beside])
        for name, values in self.histories.items():
            options = {**styles[name].line_options, "markersize": 2.6, "linewidth": 1.2}
            self.lines_ += ax.plot(np.arange(values.size), values, label=name, **options)
        if self.settled_from is not None:
            ax.axvline(self.settled_from, color=PALE, linewidth=0.9, linestyle=":", gid="settled")
        ax.set(xlabel=iteration_label(self.settled_from is not None), ylabel="objective")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(4))
        if legend and len(self.lines_) > 1:
            ax.legend()
        tidy(ax, grid="y")
        return self


def iteration_label(settles: bool) -> str:
    """What the axis of iterations says; `settles` where a dotted line is drawn."""
    return "outer iteration; dotted: loss fixed" if settles else "outer iteration"
