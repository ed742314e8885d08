"""How does something go on for several data sets, with the iterations or the corruption?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from csvor.plots._convergence import ConvergenceDisplay, iteration_label
from csvor.plots._robustness import RobustnessDisplay
from csvor.plots._style import Canvas, label_edges, method_legend, named, panels, styled


@styled
def convergence_curves(
    histories: Mapping[str, Any],
    *,
    settled_from: Mapping[str, int] | None = None,
    figure: Canvas | None = None,
) -> Canvas:
    """Draw the objective after each outer iteration, one panel for each data set.

    Parameters
    ----------
    histories : mapping of str to array-like of shape (n_iter,), or to a mapping of those
        By data set: ``objective_history_`` of a fit, or several under their names.
    settled_from : mapping of str to int, default=None
        By data set: ``settled_from_``, the iteration from which the loss is fixed and nothing
        rises; a vertical line is drawn there.
    figure : Figure or SubFigure, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    figure : Figure or SubFigure

    Raises
    ------
    ValueError
        For no histories, and for one that is empty or holds NaN or infinity.

    Examples
    --------
    >>> from csvor.plots import convergence_curves
    >>> figure = convergence_curves({"tae": [90.0, 60.0, 55.0, 54.5], "bank": [40.0, 31.0, 30.9]})
    >>> [len(ax.lines[0].get_xdata()) for ax in figure.axes]
    [4, 3]
    """
    curves = {
        name: dict(value) if isinstance(value, Mapping) else {"CSVOR": value}
        for name, value in named(histories, "histories").items()
    }
    settled = settled_from or {}
    displays = {}
    for name, several in curves.items():
        try:
            displays[name] = ConvergenceDisplay(several, settled_from=settled.get(name))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    figure, axes = panels(figure, len(curves), width=2.4, height=1.75)
    labels = list(dict.fromkeys(label for several in curves.values() for label in several))
    for ax, (name, display) in zip(axes, displays.items(), strict=True):
        display._beside = labels
        display.plot(ax, legend=False)
        ax.set_title(name)
    label_edges(axes, x=iteration_label(bool(settled)), y="objective")
    if len(labels) > 1:
        method_legend(figure, labels)
    return figure


@styled
def level_curves(
    tables: Mapping[str, Any],
    *,
    measure: str = "mean zero-one error",
    level: str = "corrupted training rows (%)",
    focus: str | None = None,
    figure: Canvas | None = None,
) -> Canvas:
    """Draw how the error of each method grows with the corruption, one panel for each table.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        By title: levels in the index, one column per method; NaN leaves a gap.
    measure, level : str
        What the values and what the index are.
    focus : str, default=None
        Method to draw with a thicker line, over the others.
    figure : Figure or SubFigure, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    figure : Figure or SubFigure

    Raises
    ------
    ValueError
        If there is no table.

    Examples
    --------
    >>> import pandas as pd
    >>> from csvor.plots import level_curves
    >>> errors = pd.DataFrame({"CSVOR": [0.30, 0.31], "SVOREX": [0.30, 0.42]}, index=[0, 20])
    >>> figure = level_curves({"tae": errors})
    >>> figure.axes[0].get_title()
    'tae'
    """
    frames = {name: pd.DataFrame(table) for name, table in named(tables, "tables").items()}
    figure, axes = panels(figure, len(frames), width=2.4, height=1.85)
    methods = list(dict.fromkeys(str(m) for frame in frames.values() for m in frame.columns))
    for ax, (name, frame) in zip(axes, frames.items(), strict=True):
        display = RobustnessDisplay(frame)
        display._beside = methods
        display.plot(ax, focus=focus, legend=False)
        ax.set_title(name)
    label_edges(axes, x=level, y=measure)
    method_legend(figure, methods)
    return figure
