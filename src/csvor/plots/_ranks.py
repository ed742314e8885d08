"""Which methods rank before which, and which are not told apart?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from csvor.plots._rank_layout import (
    ABOVE,
    BAR,
    BELOW,
    NAMES,
    PAD,
    ROW,
    STUB,
    WORDS,
    RankDiagram,
    label,
)
from csvor.plots._style import INK, axes_or_new, method_style, named, styled


@styled
def critical_difference(
    ranks: Mapping[str, float],
    cd: float | None = None,
    *,
    groups: Sequence[Sequence[str]] = (),
    n_cases: int | None = None,
    test: str = "Nemenyi",
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Draw average ranks on a line, with bars over methods that are not told apart.

    The best rank, 1, is on the left, and the axis says so; the ranks stand beside the names, and
    the test beside the critical difference.

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
    test : str, default="Nemenyi"
        The test behind `cd` and `groups`, to print, such as ``Comparison.post_hoc``.
    alpha : float, default=0.05
        Its level, to print.
    ax : Axes, default=None
        Where to draw; None makes a figure as large as the names need. In axes that are too small
        for them, names run over the edges: `critical_difference_size` gives the size.

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
    diagram = RankDiagram(_checked(ranks, groups), cd, groups, f"{test}, {100 * alpha:g} %")
    # A layout engine has not done its work yet: it will give the whole of a new figure.
    width = diagram.size[0] if ax is None else ax.get_window_extent().width / ax.figure.dpi
    ax = axes_or_new(ax, *diagram.size)
    k, depth = len(diagram.order), diagram.depth
    across, left, right = diagram.fitted(width)
    per_inch = max(k - 1, 1) / across
    ax.set(xlim=(1 - left * per_inch, k + right * per_inch), ylim=(depth + BELOW, -ABOVE))
    _axis(ax, k, n_cases)
    _ruler(ax, diagram, per_inch)
    for row, group in enumerate(groups):
        inside = [rank for name, rank in diagram.order if name in group]
        y = 0.42 + BAR * row
        span = (min(inside) - 0.04, max(inside) + 0.04)
        ax.plot(span, (y, y), color=INK, linewidth=3.2, solid_capstyle="butt", gid="group")
    for names, at_left in ((diagram.left, True), (diagram.right, False)):
        for row, (name, rank) in enumerate(names):
            y = diagram.first + ROW * row
            _name(ax, name, rank, y, 1 if at_left else k, per_inch * (-1 if at_left else 1))
    # Or a layout engine would shrink the ranks for names that run over the edges.
    for text in ax.texts:
        text.set_in_layout(False)
    ax.set_axis_off()
    return ax


def critical_difference_size(
    ranks: Mapping[str, float],
    cd: float | None = None,
    *,
    groups: Sequence[Sequence[str]] = (),
    test: str = "Nemenyi",
    alpha: float = 0.05,
) -> tuple[float, float]:
    """Give the size of the figure in which `critical_difference` can be read.

    Parameters
    ----------
    ranks : mapping of str to float
        As of `critical_difference`, like all others.
    cd : float, default=None
    groups : sequence of sequences of str, default=()
    test : str, default="Nemenyi"
    alpha : float, default=0.05

    Returns
    -------
    width, height : float
        In inches, for axes that fill the figure.

    Raises
    ------
    ValueError
        As `critical_difference`.

    Examples
    --------
    >>> from csvor.plots import critical_difference_size
    >>> short = critical_difference_size({"A": 1.2, "B": 1.8})
    >>> long = critical_difference_size({"A": 1.2, "a method with a long name": 1.8})
    >>> long[0] > short[0] + 1, long[1] == short[1]
    (True, True)
    """
    return RankDiagram(_checked(ranks, groups), cd, groups, f"{test}, {100 * alpha:g} %").size


def _checked(ranks: Mapping[str, float], groups: Sequence[Sequence[str]]) -> dict[str, float]:
    checked = {name: float(rank) for name, rank in named(ranks, "ranks").items()}
    for name, rank in checked.items():
        if not 1.0 <= rank <= len(checked):
            raise ValueError(f"The rank of {name}, {rank}, does not lie in 1..{len(checked)}.")
    for name in (name for group in groups for name in group):
        if name not in checked:
            raise ValueError(f"A group names {name!r}, which has no rank.")
    return checked


def _axis(ax: Axes, k: int, n_cases: int | None) -> None:
    ax.plot((1, k), (0, 0), color=INK, linewidth=1.0, gid="axis")
    for half in range(2, 2 * k + 1):
        long = half % 2 == 0
        ax.plot((half / 2,) * 2, (0, -0.28 if long else -0.16), color=INK, linewidth=0.8)
        if long:
            ax.text(half / 2, -0.42, str(half // 2), ha="center", va="bottom", fontsize=WORDS)
    ax.text(1, -1.25, "← better", ha="left", va="bottom", fontsize=WORDS)
    ax.text(k, -1.25, "worse →", ha="right", va="bottom", fontsize=WORDS)
    middle = "average rank" if n_cases is None else f"average rank over {n_cases} cases"
    ax.text((1 + k) / 2, -1.25, middle, ha="center", va="bottom", fontsize=WORDS)


def _ruler(ax: Axes, diagram: RankDiagram, per_inch: float) -> None:
    end = 1 + diagram.cd
    if diagram.cd:
        ax.plot((1, end), (-1.95, -1.95), color=INK, linewidth=1.4, gid="cd")
        for x in (1, end):
            ax.plot((x, x), (-1.8, -2.1), color=INK, linewidth=1.4)
    if diagram.of_test:
        x = end + PAD * per_inch
        ax.text(x, -1.95, diagram.of_test, ha="left", va="center", fontsize=WORDS)


def _name(ax: Axes, name: str, rank: float, y: float, edge: float, per_inch: float) -> None:
    """A line from a rank down and out over the edge of the ranks, to the name."""
    style = method_style(name)
    at_left = per_inch < 0
    end = edge + STUB * per_inch
    ax.plot((rank, rank, end), (0, y, y), color=style.colour, linewidth=1.1, gid="method")
    ax.plot([rank], [0], marker=style.marker, color=style.colour, ls="", clip_on=False)
    ax.plot([end], [y], marker=style.marker, color=style.colour, ls="", clip_on=False)
    side = "right" if at_left else "left"
    x, words = end + PAD * per_inch, label(name, rank, at_left)
    ax.text(x, y, words, ha=side, va="center", fontsize=NAMES)
