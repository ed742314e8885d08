"""Which rows are suspect, and where on the score do they lie?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from csvor.audit import LabelAudit
from csvor.audit._reported import row_names_of
from csvor.plots._arrays import in_memory, mask, numbers, probabilities
from csvor.plots._display import Display
from csvor.plots._style import BLUE, PALE, VERMILION, styled, threshold_lines, tidy

# The axis of probability is that of its log-odds; beyond these nothing can be told apart.
_LEAST = 1e-4
_TICKS = (_LEAST, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0 - _LEAST)


class SuspectsDisplay(Display):
    """The probability of each label to be wrong over the score of its row.

    Make it by `from_audit` or `from_predictions`, which draw at once; `plot` draws again elsewhere.
    Probabilities stand on an axis of log-odds, on which near certain rows do not lie on each
    other; those beyond 0.0001 and 0.9999 are drawn there.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Held-out score of each row.
    probability : array-like of shape (n_samples,)
        That the label of the row is wrong, 0 to 1.
    flagged : array-like of bool of shape (n_samples,), default=None
        Flagged rows; None takes those above one half.
    thresholds : array-like of shape (n_classes - 1,), default=None
        Vertical lines.
    names : sequence of str of length n_samples, default=None
        What each row is called; None takes its position.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure or SubFigure
        Where it was drawn.
    points_ : list of Line2D
        The rows that are not flagged, and those that are.
    named_ : ndarray of int
        Positions of the rows that have a text beside them, most probably wrong first.

    Raises
    ------
    TypeError
        For dask arrays of more than a million numbers, or of unknown length.
    ValueError
        For arrays of other lengths, not finite, or probabilities outside 0..1.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.plots import SuspectsDisplay
    >>> scores = np.array([-1.0, 0.0, 1.0, 2.0])
    >>> display = SuspectsDisplay.from_predictions(scores, [0.01, 0.97, 0.2, 0.6], most=1)
    >>> display.named_
    array([1])
    """

    def __init__(
        self,
        scores: ArrayLike,
        probability: ArrayLike,
        *,
        flagged: ArrayLike | None = None,
        thresholds: ArrayLike | None = None,
        names: Sequence[Any] | None = None,
    ) -> None:
        columns = {"scores": scores, "probability": probability, "flagged": flagged}
        scores, probability, flagged = in_memory(**columns)
        self.scores = numbers(scores, "scores")
        n = self.scores.size
        self.probability = probabilities(probability, "probability", n)
        self.flagged = self.probability > 0.5 if flagged is None else mask(flagged, "flagged", n)
        self.thresholds = np.empty(0) if thresholds is None else numbers(thresholds, "thresholds")
        self.names = [str(name) for name in (range(n) if names is None else names)]
        if len(self.names) != n:
            raise ValueError(f"names must be one for each of the {n} rows: {len(self.names)}.")

    @classmethod
    def from_audit(
        cls,
        audit: LabelAudit,
        *,
        names: Sequence[Any] | None = None,
        ax: Axes | None = None,
        most: int = 8,
    ) -> SuspectsDisplay:
        """Draw what an audit found; suspects have the label given and suggested beside them.

        Parameters
        ----------
        audit : LabelAudit
            What `audit_labels` found.
        names : sequence of str of length n_samples, default=None
            What each row is called; None takes the index of the data, as `LabelAudit.to_frame`
            does, or its position where they have none.
        ax, most
            As of `plot`.

        Returns
        -------
        display : SuspectsDisplay
        """
        columns = ("score", "probability", "flagged", "given", "suggested")
        scores, probability, flagged, labels, suggested = cls._of_audit(
            audit, "scores and its probability", *columns
        )
        rows = row_names_of(audit) if names is None else names
        moves = [
            f"{row}: {label} → {better}"
            for row, label, better in zip(rows, labels, suggested, strict=True)
        ]
        known: dict[str, Any] = {"flagged": flagged, "thresholds": audit.thresholds}
        return cls(scores, probability, names=moves, **known).plot(ax, most=most)

    @classmethod
    def from_predictions(
        cls,
        scores: ArrayLike,
        probability: ArrayLike,
        *,
        flagged: ArrayLike | None = None,
        thresholds: ArrayLike | None = None,
        names: Sequence[Any] | None = None,
        ax: Axes | None = None,
        most: int = 8,
    ) -> SuspectsDisplay:
        """Draw scores and probabilities of any source, such as `audit_scores`.

        Parameters
        ----------
        scores, probability, flagged, thresholds, names
            As of the class.
        ax, most
            As of `plot`.

        Returns
        -------
        display : SuspectsDisplay
        """
        known: dict[str, Any] = {"flagged": flagged, "thresholds": thresholds}
        return cls(scores, probability, names=names, **known).plot(ax, most=most)

    @styled
    def plot(self, ax: Axes | None = None, *, most: int = 8) -> SuspectsDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        most : int, default=8
            How many suspects have a text beside them, at most.

        Returns
        -------
        display : SuspectsDisplay
            Itself, with ``ax_``, ``figure_``, ``points_`` and ``named_``.
        """
        ax = self._axes(ax, 5.6, 3.3)
        height = _log_odds(self.probability)
        clear: dict[str, Any] = {"label": "not flagged", "marker": "o", "ms": 2.8, "color": PALE}
        named = {"label": "flagged", "marker": "D", "ms": 4.2, "color": VERMILION}
        self.points_ = [
            ax.plot(self.scores[rows], height[rows], ls="", mec="white", mew=0.3, **options)[0]
            for rows, options in ((~self.flagged, clear), (self.flagged, named))
        ]
        threshold_lines(ax, self.thresholds, width=0.8, order=0)
        ax.axhline(0.0, color=BLUE, linewidth=0.8, zorder=0)
        top = _log_odds(np.array([1.0 - _LEAST]))[0]
        ax.set(
            xlabel="score", ylabel="probability that the label is wrong",
            ylim=(-1.08 * top, 1.08 * top), yticks=_log_odds(np.array(_TICKS)),
            yticklabels=[f"≤ {_LEAST:.4f}", *map("{:g}".format, _TICKS[1:-1]), f"≥ {1 - _LEAST:g}"],
        )  # fmt: skip
        order = np.argsort(-self.probability, kind="stable")
        self.named_ = order[self.flagged[order]][:most]
        self._name(ax, height)
        tidy(ax)
        return self

    def _name(self, ax: Axes, height: NDArray[np.float64]) -> None:
        """Names in a column at the right, in the order of the rows' places, each with a line."""
        rows = self.named_[np.lexsort((-self.scores[self.named_], -height[self.named_]))]
        arrow: dict[str, Any] = {"arrowstyle": "-", "color": PALE, "linewidth": 0.5}
        arrow |= {"relpos": (0.0, 0.5), "shrinkB": 2.5}
        options: dict[str, Any] = {"va": "center", "fontsize": 7.5, "annotation_clip": False}
        options |= {"textcoords": "axes fraction", "arrowprops": arrow}
        for i, row in enumerate(rows):
            point, words = (self.scores[row], height[row]), (1.04, 0.97 - 0.075 * i)
            ax.annotate(self.names[row], point, words, **options)


def _log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    inside = np.clip(probability, _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(inside / (1.0 - inside)))
