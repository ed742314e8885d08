"""How does the error depend on p and gamma?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import Normal, Stroke

from csvor.plots._style import Canvas, label_edges, named, panels, styled, tidy


@styled
def sensitivity_maps(
    maps: Mapping[str, Any], *, measure: str = "mean zero-one error", figure: Canvas | None = None
) -> Canvas:
    """Draw the error over the grid of p and gamma, one panel for each data set.

    Dark is a low error; a star is on the lowest. Each panel has a scale of its own, since data
    sets differ more from each other than the cells of one.

    Parameters
    ----------
    maps : mapping of str to DataFrame
        By data set: p in the index, gamma in the columns, errors as values; NaN stays white.
    measure : str, default="mean zero-one error"
        What the values are.
    figure : Figure or SubFigure, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    figure : Figure or SubFigure

    Raises
    ------
    ValueError
        For no maps, a map without a finite value, or a gamma that is not above 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from csvor.plots import sensitivity_maps
    >>> errors = pd.DataFrame([[0.30, 0.25], [0.28, 0.20]], index=[0.5, 1.0], columns=[0.1, 1.0])
    >>> figure = sensitivity_maps({"tae": errors})
    >>> figure.axes[0].get_title()
    'tae: 0.200 at p = 1, γ = 1'
    """
    tables = {name: pd.DataFrame(table) for name, table in named(maps, "maps").items()}
    for name, table in tables.items():
        if not all(float(gamma) > 0.0 for gamma in table.columns):
            raise ValueError(f"The columns of the map of {name} are gamma and must be above 0.")
        if not np.isfinite(table.to_numpy(dtype=float)).any():
            raise ValueError(f"The map of {name} has no finite value.")
    figure, axes = panels(figure, len(tables), width=2.75, height=2.15)
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        _map(figure, ax, name, table)
    label_edges(axes, x=r"$\log_{10}$ γ", y="p")
    figure.suptitle(f"{measure}; ★ lowest", fontsize=8.5)
    return figure


def _map(figure: Canvas, ax: Axes, name: str, table: pd.DataFrame) -> None:
    values = table.to_numpy(dtype=float)
    low, high = np.nanmin(values), np.nanmax(values)
    scale = {"vmin": low, "vmax": high if high > low else low + 1e-9}
    cells = np.ma.masked_invalid(values)
    mesh = ax.pcolormesh(cells, cmap="viridis", edgecolors="white", linewidth=0.4, **scale)
    row, column = np.argwhere(values == low)[0]
    outline = [Stroke(linewidth=2.2, foreground="black"), Normal()]
    ax.plot(column + 0.5, row + 0.5, "*", ms=10, color="white", path_effects=outline, gid="best")
    p, gamma = float(table.index[row]), float(table.columns[column])
    ax.set_title(f"{name}: {low:.3f} at p = {p:g}, γ = {gamma:g}", fontsize=8.5)
    exponents = [f"{np.log10(float(gamma)):.2g}" for gamma in table.columns]
    ax.set_xticks(np.arange(values.shape[1]) + 0.5, exponents)
    ax.set_yticks(np.arange(values.shape[0]) + 0.5, [f"{float(p):g}" for p in table.index])
    tidy(ax)
    bar = figure.colorbar(mesh, ax=ax, pad=0.02, aspect=14)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, width=0.5, length=2)
