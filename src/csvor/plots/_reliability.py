"""Are labels as often wrong as was promised?"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from csvor.audit import WrongLabels
from csvor.plots._arrays import in_memory, mask, of_audit, probabilities
from csvor.plots._display import Display
from csvor.plots._style import BLUE, PALE, styled, tidy

# Most rows are above suspicion: the groups at the ends are narrower.
EDGES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


class ReliabilityDisplay(Display):
    r"""Found share of wrong labels over the promised probability, with 95 % intervals.

    ::

        promised = mean of P(wrong) over the rows of a group,   found = share of them that is wrong

    Groups are by probability. Points on the diagonal are promises that were kept; below it too
    many labels were called wrong, above it too few. Bars are Wilson's intervals of the share found.
    Make it by `from_audit` or `from_predictions`, which draw at once; `plot` draws again elsewhere.

    Parameters
    ----------
    wrong : array-like of bool of shape (n_samples,)
        The truth: True where the label is wrong.
    probability : array-like of shape (n_samples,)
        What was promised, 0 to 1.
    edges : sequence of float, default=(0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
        Edges of the groups, rising from 0 to 1; groups without rows are left out.

    Attributes
    ----------
    promised, found : ndarray of shape (n_groups,)
        Mean probability, and share of wrong labels, of each group.
    counts : ndarray of shape (n_groups,)
        Rows of each group.
    low, high : ndarray of shape (n_groups,)
        The interval of ``found``.
    ax_, figure_ : Axes, Figure or SubFigure
        Where it was drawn.
    line_ : ErrorbarContainer
        The points and their bars.

    Raises
    ------
    TypeError
        For dask arrays of more than a million numbers, or of unknown length.
    ValueError
        For arrays of other lengths, probabilities outside 0..1, or edges that do not rise from 0
        to 1.

    Examples
    --------
    >>> from csvor.plots import ReliabilityDisplay
    >>> display = ReliabilityDisplay.from_predictions(
    ...     [False, False, True, True], [0.1, 0.1, 0.9, 0.7], edges=(0, 0.5, 1)
    ... )
    >>> display.promised.round(2).tolist(), display.found.tolist(), display.counts.tolist()
    ([0.1, 0.8], [0.0, 1.0], [2, 2])
    """

    def __init__(
        self, wrong: ArrayLike, probability: ArrayLike, *, edges: ArrayLike = EDGES
    ) -> None:
        wrong, probability = in_memory(wrong=wrong, probability=probability)
        promised = probabilities(probability, "probability")
        truth = mask(wrong, "wrong", promised.size)
        cuts = np.asarray(edges, dtype=np.float64)
        if cuts.size < 2 or cuts[0] != 0.0 or cuts[-1] != 1.0 or (np.diff(cuts) <= 0.0).any():
            raise ValueError(f"edges must rise from 0 to 1: {cuts.tolist()}.")
        group = np.clip(np.searchsorted(cuts, promised, side="right") - 1, 0, cuts.size - 2)
        counts = np.bincount(group, minlength=cuts.size - 1)
        occupied = counts > 0
        wrong_in = np.bincount(group, truth, minlength=counts.size)[occupied]
        self.counts = counts[occupied]
        self.promised = np.bincount(group, promised, minlength=counts.size)[occupied] / self.counts
        self.found = wrong_in / self.counts
        intervals = [
            binomtest(int(k), int(n)).proportion_ci(0.95, method="wilson")
            for k, n in zip(wrong_in, self.counts, strict=True)
        ]
        self.low, self.high = np.array(intervals).T

    @classmethod
    def from_audit(
        cls,
        audit: WrongLabels,
        wrong: ArrayLike,
        *,
        ax: Axes | None = None,
        label: str | None = None,
    ) -> ReliabilityDisplay:
        """Draw what an audit promised beside what is known to be wrong.

        Parameters
        ----------
        audit : WrongLabels
            What `audit_labels` or `audit_scores` found.
        wrong : array-like of bool of shape (n_samples,)
            The truth.
        ax, label
            As of `plot`.

        Returns
        -------
        display : ReliabilityDisplay
        """
        return cls(wrong, *of_audit(audit, "probability")).plot(ax, label=label)

    @classmethod
    def from_predictions(
        cls,
        wrong: ArrayLike,
        probability: ArrayLike,
        *,
        edges: ArrayLike = EDGES,
        ax: Axes | None = None,
        label: str | None = None,
    ) -> ReliabilityDisplay:
        """Draw probabilities of wrong labels from any source.

        Parameters
        ----------
        wrong, probability, edges
            As of the class.
        ax, label
            As of `plot`.

        Returns
        -------
        display : ReliabilityDisplay
        """
        return cls(wrong, probability, edges=edges).plot(ax, label=label)

    @styled
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        colour: str = BLUE,
        counts: bool = True,
    ) -> ReliabilityDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        label : str, default=None
            Name for a legend, which is drawn where there is one.
        colour : str, default="#0072B2"
            Colour of points and bars.
        counts : bool, default=True
            Write the number of rows beside each point.

        Returns
        -------
        display : ReliabilityDisplay
            Itself, with ``ax_``, ``figure_`` and ``line_``.
        """
        ax = self._axes(ax, 3.4, 3.4)
        ax.plot([0, 1], [0, 1], color=PALE, linewidth=1.0, linestyle=(0, (4, 2)), zorder=0)
        options: dict[str, Any] = {"color": colour, "marker": "o", "capsize": 2.0, "linewidth": 1.2}
        reach = np.clip([self.found - self.low, self.high - self.found], 0.0, None)
        self.line_ = ax.errorbar(self.promised, self.found, reach, label=label, **options)
        if counts:
            words: dict[str, Any] = {"textcoords": "offset points", "va": "center", "size": 7}
            for x, y, n in zip(self.promised, self.found, self.counts, strict=True):
                ax.annotate(f"{n}", (x, y), (6, -7), color=colour, **words)
        ax.set(
            xlabel="promised probability that the label is wrong",
            ylabel="share of wrong labels found", xlim=(-0.04, 1.09), ylim=(-0.09, 1.04),
            xticks=np.linspace(0, 1, 6), yticks=np.linspace(0, 1, 6),
        )  # fmt: skip
        ax.set_aspect("equal")
        if label is not None:
            ax.legend(loc="upper left")
        tidy(ax)
        return self
