"""Which methods rank before which, and which are not told apart?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isfinite

from matplotlib.axes import Axes

from csvor.plots._style import INK, axes_or_new, method_style, named, styled

_ROW = 0.8  # between the names, in the units of the y axis
_BAR = 0.32  # between the bars of groups


@styled
def critical_difference(
    ranks: Mapping[str, float],
    cd: float | None = None,
    *,
    groups: Sequence[Sequence[str]] = (),
    n_cases: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw average ranks on a line, with bars over methods that are not told apart.

    The best rank, 1, is on the left, and the axis says so; the ranks stand beside the names.

    Parameters
    ----------
    ranks : mapping of str to float
        Average rank by method, such as ``AverageRanks.average``; lower is better.
    cd : float, default=None
        Critical difference, drawn to scale above the axis. None and NaN draw none.
    groups : sequence of sequences of str, default=()
        Methods to join by a bar, such as ``Comparison.groups``.
    n_cases : int, default=None
        Number of cases behind the ranks, to print.
    ax : Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : Axes

    Raises
    ------
    ValueError
        For no ranks, a rank outside 1..k, or a group with a method that has no rank.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006,
    https://jmlr.org/papers/v7/demsar06a.html.

    Examples
    --------
    >>> from csvor.plots import critical_difference
    >>> ranks = {"CSVOR": 1.2, "SVOREX": 2.1, "POM": 2.7}
    >>> ax = critical_difference(ranks, 1.353, groups=[("CSVOR", "SVOREX"), ("SVOREX", "POM")])
    >>> [text.get_text() for text in ax.texts if "CSVOR" in text.get_text()]
    ['CSVOR  1.20']
    """
    order = sorted(_checked(ranks, groups).items(), key=lambda item: item[1])
    k, first = len(order), (len(order) + 1) // 2
    names_from = 0.75 + _BAR * len(groups)
    depth = names_from + _ROW * (first - 1)
    ax = axes_or_new(ax, 6.6, 0.85 + 0.27 * (depth + 1.9))
    _axis(ax, k, n_cases)
    if cd is not None and isfinite(cd):
        _ruler(ax, cd)
    for row, group in enumerate(groups):
        inside = [rank for name, rank in order if name in group]
        y = 0.42 + _BAR * row
        span = (min(inside) - 0.04, max(inside) + 0.04)
        ax.plot(span, (y, y), color=INK, linewidth=3.2, solid_capstyle="butt", gid="group")
    for row, (name, rank) in enumerate(order[:first]):
        _name(ax, name, rank, names_from + _ROW * row, left=True, k=k)
    for row, (name, rank) in enumerate(reversed(order[first:])):
        _name(ax, name, rank, names_from + _ROW * row, left=False, k=k)
    room = 0.32 * max(k - 1, 1)
    ax.set(xlim=(1 - room, k + room), ylim=(depth + 0.5, -2.3))
    ax.set_axis_off()
    return ax


def _checked(ranks: Mapping[str, float], groups: Sequence[Sequence[str]]) -> dict[str, float]:
    found = {name: float(rank) for name, rank in named(ranks, "ranks").items()}
    for name, rank in found.items():
        if not 1.0 <= rank <= len(found):
            raise ValueError(f"The rank of {name}, {rank}, does not lie in 1..{len(found)}.")
    for name in (name for group in groups for name in group):
        if name not in found:
            raise ValueError(f"A group names {name!r}, which has no rank.")
    return found


def _axis(ax: Axes, k: int, n_cases: int | None) -> None:
    ax.plot((1, k), (0, 0), color=INK, linewidth=1.0, gid="axis")
    for half in range(2, 2 * k + 1):
        long = half % 2 == 0
        ax.plot((half / 2,) * 2, (0, -0.28 if long else -0.16), color=INK, linewidth=0.8)
        if long:
            ax.text(half / 2, -0.42, str(half // 2), ha="center", va="bottom", fontsize=8)
    ax.text(1, -1.25, "← better", ha="left", va="bottom", fontsize=8)
    ax.text(k, -1.25, "worse →", ha="right", va="bottom", fontsize=8)
    middle = "average rank" if n_cases is None else f"average rank over {n_cases} cases"
    ax.text((1 + k) / 2, -1.25, middle, ha="center", va="bottom", fontsize=8)


def _ruler(ax: Axes, cd: float) -> None:
    ax.plot((1, 1 + cd), (-1.95, -1.95), color=INK, linewidth=1.4, gid="cd")
    for end in (1, 1 + cd):
        ax.plot((end, end), (-1.8, -2.1), color=INK, linewidth=1.4)
    ax.text(1 + cd + 0.08, -1.95, f"CD = {cd:.2f}", ha="left", va="center", fontsize=8)


def _name(ax: Axes, name: str, rank: float, y: float, *, left: bool, k: int) -> None:
    style = method_style(name)
    gap = 0.05 * max(k - 1, 1)
    end = 1 - gap if left else k + gap
    ax.plot((rank, rank, end), (0, y, y), color=style.colour, linewidth=1.1, gid="method")
    ax.plot([rank], [0], marker=style.marker, color=style.colour, ls="", clip_on=False)
    ax.plot([end], [y], marker=style.marker, color=style.colour, ls="", clip_on=False)
    # Rounded down, as 1.996 is no second place.
    shown = f"{floor(rank * 100 + 0.5) / 100:.2f}"
    label = f"{name}  {shown}" if left else f"{shown}  {name}"
    offset = -0.35 * gap if left else 0.35 * gap
    ax.text(end + offset, y, label, ha="right" if left else "left", va="center", fontsize=9)
