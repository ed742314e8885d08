"""How does a method look, and how do all pictures?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from math import ceil
from typing import Any, ParamSpec, TypeVar
from zlib import crc32

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

P = ParamSpec("P")
R = TypeVar("R")
Line = str | tuple[float, tuple[float, ...]]
Canvas = Figure | SubFigure

# The palette of Okabe and Ito, without yellow, which is lost on white paper.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BLACK = "#CC79A7", "#56B4E9", "#000000"
# Beside them, as dark as green and darker than blue, and easy to tell from them by eyes that see no
# red.
BROWN, VIOLET = "#7A4B1E", "#5E3C99"
INK, PALE = "#333333", "#999999"

COLOURS: dict[str, str] = {
    "CSVOR": BLUE,
    "CSVOR-auto": BROWN,
    "SVOREX": ORANGE,
    "SVORIM": GREEN,
    "PINSVOR": VERMILION,
    "REDSVM": PURPLE,
    "POM": SKY,
    "POR": VIOLET,
    "KDLOR": BLACK,
}
_DASHES: tuple[Line, ...] = (
    "-",
    (0.0, (10.0, 1.5)),
    (0.0, (5.0, 1.5)),
    (0.0, (1.2, 1.2)),
    (0.0, (5.0, 1.5, 1.2, 1.5)),
    (0.0, (8.0, 2.0)),
    (0.0, (3.0, 1.2)),
    (0.0, (1.2, 2.4)),
    (0.0, (5.0, 1.5, 1.2, 1.5, 1.2, 1.5)),
)
_MARKERS = "op^sDvPhX"
_KNOWN = {
    name: (colour, marker, dash)
    for (name, colour), marker, dash in zip(COLOURS.items(), _MARKERS, _DASHES, strict=True)
}
# What other methods get: the same colours under markers that no method above has.
_OTHERS = [(colour, marker) for marker in "<>*dH8" for colour in COLOURS.values()]

_RC: dict[Any, Any] = {
    "font.size": 8.5,
    "axes.titlesize": 9.0,
    "axes.labelsize": 8.5,
    "legend.fontsize": 8.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "white",
    "figure.facecolor": "white",
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
}


@dataclass(frozen=True)
class MethodStyle:
    """How a method is drawn, in every picture.

    Attributes
    ----------
    colour : str
        Hexadecimal RGB.
    marker : str
        Marker of matplotlib.
    line : str or tuple
        Line style of matplotlib.
    """

    colour: str
    marker: str
    line: Line

    @property
    def line_options(self) -> dict[str, Any]:
        """Keywords for ``Axes.plot``."""
        return {"color": self.colour, "marker": self.marker, "linestyle": self.line}


def method_style(name: str) -> MethodStyle:
    """Give the colour, marker and line of a method.

    The methods of the paper have colours of their own (``COLOURS``). Any other name gets a
    colour and a marker that none of them has together, chosen by the letters of the name alone:
    it looks the same in each picture, but where another method of the picture has its colour: then
    it gets one that none of them has, while there are any.

    Parameters
    ----------
    name : str
        Name of the method.

    Returns
    -------
    style : MethodStyle

    Examples
    --------
    >>> from csvor.plots import method_style
    >>> method_style("CSVOR").colour, method_style("CSVOR").marker
    ('#0072B2', 'o')
    """
    if name in _KNOWN:
        return MethodStyle(*_KNOWN[name])
    digest = crc32(name.encode())
    colour, marker = _OTHERS[digest % len(_OTHERS)]
    return MethodStyle(colour, marker, _DASHES[digest // len(_OTHERS) % len(_DASHES)])


def method_styles(names: Iterable[str]) -> dict[str, MethodStyle]:
    """The looks of the methods of one picture, in colours that differ while there are any."""
    names = list(dict.fromkeys(names))
    styles = {name: method_style(name) for name in names if name in _KNOWN}
    for name in (one for one in names if one not in _KNOWN):
        style, taken = method_style(name), {other.colour for other in styles.values()}
        free = [colour for colour in COLOURS.values() if colour not in taken]
        if style.colour in taken and free:
            style = replace(style, colour=free[crc32(name.encode()) % len(free)])
        styles[name] = style
    return {name: styles[name] for name in names}


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Draw with the settings of this package, and leave the user's as they are."""

    @wraps(draw)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        if not any(isinstance(one, Axes | Canvas) for one in (*args, *kwargs.values())):
            # Notebooks switch to interactive mode when pyplot loads their backend, with the first
            # figure: within the context below that would be undone, and nothing shown after.
            import matplotlib.pyplot as plt

            plt.draw_if_interactive()  # type: ignore[no-untyped-call]
        with mpl.rc_context(_RC):
            return draw(*args, **kwargs)

    return wrapper


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """The given axes, or those of a new figure that pyplot knows."""
    return figure_or_new(None, width, height).subplots() if ax is None else ax


def figure_or_new(figure: Canvas | None, width: float, height: float) -> Canvas:
    """The given figure, or a new one that pyplot knows."""
    if figure is not None:
        return figure
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained")


def panels(
    figure: Canvas | None, n: int, *, columns: int = 3, width: float = 2.3, height: float = 1.9
) -> tuple[Canvas, list[Axes]]:
    """A grid of n axes in the given figure, or in a new one of a fitting size."""
    columns = min(columns, n)
    rows = ceil(n / columns)
    figure = figure_or_new(figure, width * columns, height * rows + 0.3)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for spare in grid[n:]:
        spare.remove()
    return figure, list(grid[:n])


def threshold_lines(ax: Axes, thresholds: Any, width: float, order: int) -> list[Line2D]:
    """Vertical lines where a model cuts scores into classes."""
    options: dict[str, Any] = {"color": INK, "linewidth": width, "linestyle": (0, (4, 2))}
    return [ax.axvline(threshold, zorder=order, **options) for threshold in thresholds]


def tidy(ax: Axes, *, grid: str | None = None) -> None:
    """Small ticks and an open frame.

    Matplotlib makes ticks when it draws, after the settings above are gone.
    """
    ax.tick_params(labelsize=7.5, width=0.6, length=2.5, color=INK, labelcolor=INK)
    ax.spines[["top", "right"]].set_visible(False)  # also of axes made under other settings
    if grid is not None:
        ax.grid(axis=grid, color="#dddddd", linewidth=0.5)  # type: ignore[arg-type]
        ax.set_axisbelow(True)


def method_legend(figure: Canvas, names: list[str]) -> None:
    """One legend of methods below all panels, in as many rows as its width needs."""
    width = figure.bbox.width / figure.dpi  # a SubFigure has no size in inches
    styles = method_styles(names).items()
    handles = [Line2D([], [], label=name, **style.line_options) for name, style in styles]
    columns = _legend_columns(names, width)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, handlelength=3.0)


def legend_height(names: list[str], width: float) -> float:
    """The inches that a legend of methods takes of the height of a figure so wide."""
    return 0.17 * ceil(len(names) / _legend_columns(names, width))


def _legend_columns(names: list[str], width: float) -> int:
    return min(len(names), max(1, int(width / (0.62 + 0.075 * max(map(len, names))))))


def label_edges(axes: list[Axes], *, x: str, y: str, columns: int = 3) -> None:
    """Say what x and y are once for each column and each row of a grid of panels.

    Not by the figure's own labels, which matplotlib lays over a legend outside the axes.
    """
    columns = min(columns, len(axes))
    for i, ax in enumerate(axes):
        ax.set_ylabel(y if i % columns == 0 else "")
        ax.set_xlabel(x if i + columns >= len(axes) else "")


def named(values: Any, what: str) -> dict[str, Any]:
    """A mapping from names to what is drawn, refused where it is empty."""
    pairs = {str(name): value for name, value in values.items()}
    if not pairs:
        raise ValueError(f"{what} is empty: there is nothing to draw.")
    return pairs
