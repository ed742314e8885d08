"""Where do the classes lie in the plane, and in which direction does each method look?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import Normal, Stroke
from numpy.typing import ArrayLike, NDArray

from csvor.plots._arrays import in_memory, refuse_unequal
from csvor.plots._style import axes_or_new, method_style, styled, tidy

_MARKERS = "os^Dv<>ph*"


@styled
def projection_plot(
    X: ArrayLike,
    y: ArrayLike,
    *,
    outliers: ArrayLike | None = None,
    directions: Mapping[str, ArrayLike] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows in two dimensions by class, outliers ringed, and directions of projection.

    A direction w is a line through the centre of the rows that are no outliers; its marker
    is on the side of the higher classes. Class colours go from dark to light in the order of the
    classes, each with a marker of its own.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Rows.
    y : array-like of shape (n_samples,)
        Classes, which sort in their order.
    outliers : array-like of bool of shape (n_samples,), default=None
        Rows to ring.
    directions : mapping of str to array-like of shape (2,), default=None
        By method: ``coef_`` of its fit.
    ax : Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : Axes

    Raises
    ------
    ValueError
        For X without two columns, lengths that differ, and a direction that is not two finite
        numbers of which one is not 0.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.plots import projection_plot
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = np.digitize(X[:, 0], [-0.5, 0.5])
    >>> ax = projection_plot(X, y, directions={"CSVOR": [1.0, 0.1]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['class 0', 'class 1', 'class 2', 'CSVOR']
    """
    X, y, outliers = in_memory(X=X, y=y, outliers=outliers)
    rows, labels = np.asarray(X, dtype=float), np.asarray(y)
    marked = np.zeros(len(labels), bool) if outliers is None else np.asarray(outliers, dtype=bool)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"X must have two columns to be drawn; its shape is {rows.shape}.")
    refuse_unequal(X=rows, y=labels, outliers=marked)
    ax = axes_or_new(ax, 4.4, 3.4)
    handles = [
        _classes(ax, rows, labels, label, i, len(np.unique(labels)))
        for i, label in enumerate(np.unique(labels))
    ]
    if marked.any():
        ring: dict[str, Any] = {"marker": "o", "ls": "", "mfc": "none", "mec": "black"}
        ring |= {"mew": 1.1, "ms": 9.0}
        ax.plot(*rows[marked].T, **ring, zorder=4, gid="outliers")
        handles.append(Line2D([], [], **ring, label="outlier"))
    ax.set_aspect("equal", adjustable="datalim")
    inside = rows if marked.all() else rows[~marked]
    for i, (name, w) in enumerate((directions or {}).items()):
        handles.append(_direction(ax, inside, str(name), np.asarray(w, dtype=float), i))
    ax.legend(handles=handles, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.6)
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    tidy(ax)
    return ax


def _classes(
    ax: Axes, rows: NDArray[np.float64], labels: NDArray[np.generic], label: object, i: int, k: int
) -> Line2D:
    marker, colour = _MARKERS[i % len(_MARKERS)], mpl.colormaps["cividis"](i / max(k - 1, 1))
    options: dict[str, Any] = {"marker": marker, "color": colour, "ls": "", "mec": "#222222"}
    options |= {"mew": 0.4, "ms": 4.2}
    ax.plot(*rows[labels == label].T, **options, gid="class")
    return Line2D([], [], **options, label=f"class {label}")


def _direction(
    ax: Axes, inside: NDArray[np.float64], name: str, w: NDArray[np.float64], i: int
) -> Line2D:
    if w.shape != (2,) or not np.isfinite(w).all() or not w.any():
        raise ValueError(f"The direction of {name} must be two numbers, not both 0; it is {w}.")
    centre = inside.mean(axis=0)
    reach = 0.65 * np.ptp(inside, axis=0).max()
    unit = w / np.hypot(*w)
    style = method_style(name)
    # Lines may coincide: those drawn later are dashed, and each has its marker elsewhere.
    end = reach * (1.0 + 0.14 * i)
    ends = np.column_stack([centre - end * unit, centre + end * unit])
    halo = [Stroke(linewidth=3.6, foreground="white"), Normal()] if i == 0 else []
    options: dict[str, Any] = {"color": style.colour, "linestyle": style.line, "linewidth": 2.0}
    ax.plot(*ends, **options, path_effects=halo, zorder=5, gid="direction", label=name)
    mark: dict[str, Any] = {"marker": style.marker, "color": style.colour, "mec": "white"}
    ax.plot(*ends[:, 1], **mark, ms=7.5, zorder=6, gid="higher")
    return Line2D([], [], label=name, marker=style.marker, ms=6.0, **options)
