"""What does a slack cost under each loss?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from csvor._loss.capped import CappedPower
from csvor.plots._style import COLOURS, Canvas, method_style, panels, styled, tidy

# Those of the methods, without the brown that is beside the palette.
_LINES = [method_style(name) for name in COLOURS if name != "CSVOR-auto"]


@styled
def loss_plot(
    p: Sequence[float] = (0.5, 1.0, 1.5, 2.0),
    *,
    epsilon: float = 1.5,
    tau: float = 0.5,
    figure: Canvas | None = None,
) -> Canvas:
    """Draw the capped lp loss for several p, and beside it the losses that it competes with.

    ::

        capped lp        min(max(0, 1 - m)^p, epsilon)
        hinge            max(0, 1 - m)
        squared hinge    max(0, 1 - m)^2
        pinball          max(1 - m, -tau (1 - m))

    over the margin m of a row towards one threshold: negative on the wrong side of it.

    Parameters
    ----------
    p : sequence of float, default=(0.5, 1.0, 1.5, 2.0)
        Powers, in (0, 2].
    epsilon : float, default=1.5
        Cap, at least 1.
    tau : float, default=0.5
        Slope of the pinball loss beyond the margin, in [0, 1].
    figure : Figure or SubFigure, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    figure : Figure or SubFigure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Examples
    --------
    >>> from csvor.plots import loss_plot
    >>> figure = loss_plot([1.0], epsilon=2.0)
    >>> float(figure.axes[0].lines[0].get_ydata().max())
    2.0
    """
    if not len(p) or not all(0.0 < power <= 2.0 for power in p):
        raise ValueError(f"p={list(p)} must be numbers above 0 and up to 2.")
    if not epsilon >= 1.0:
        raise ValueError(f"epsilon={epsilon} must be at least 1.")
    if not 0.0 <= tau <= 1.0:
        raise ValueError(f"tau={tau} must lie between 0 and 1.")
    figure, (left, right) = panels(figure, 2, columns=2, width=3.4, height=2.5)
    margin = np.linspace(-2.5, 3.0, 1101)
    slack = np.maximum(1.0 - margin, 0.0)
    capped = {f"p = {power:g}": CappedPower(power, epsilon).value(slack**2) for power in p}
    _lines(left, margin, capped, f"capped $\\ell_p$, cap {epsilon:g}")
    others = {
        f"capped, p = 1, cap {epsilon:g}": CappedPower(1.0, epsilon).value(slack**2),
        "hinge": slack,
        "squared hinge": slack**2,
        f"pinball, τ = {tau:g}": np.maximum(1.0 - margin, -tau * (1.0 - margin)),
    }
    _lines(right, margin, others, "compared")
    top = max(4.0, epsilon + 1.0)
    for ax in (left, right):
        ax.set(xlabel="margin", ylabel="loss", xlim=(-2.5, 3.0), ylim=(-0.05 * top, top))
        ax.axvline(1.0, color="#bbbbbb", linewidth=0.8, zorder=0)
        tidy(ax)
    return figure


def _lines(ax: Axes, margin: np.ndarray, losses: dict[str, np.ndarray], title: str) -> None:
    for (label, values), style in zip(losses.items(), cycle(_LINES), strict=False):
        options: dict[str, Any] = {"color": style.colour, "linestyle": style.line}
        ax.plot(margin, values, linewidth=1.7, label=label, **options)
    ax.legend(loc="upper right", handlelength=2.8, borderaxespad=0.0)
    ax.set_title(title)
