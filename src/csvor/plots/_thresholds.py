"""Where do the thresholds cut the scores of each class?"""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from csvor._estimators.steps import at_final, final_of
from csvor._labels import refuse_other_order
from csvor._utils.histograms import class_histograms, score_edges
from csvor.audit import LabelAudit
from csvor.plots._arrays import codes_in_order, in_memory, mask, numbers
from csvor.plots._display import Display
from csvor.plots._style import VERMILION, styled, threshold_lines, tidy

# Of the height between two classes, what a histogram takes; thresholds nearer to each other than
# that share of the width have one label.
_HEIGHT, _NEAR = 0.86, 0.035


class ThresholdDisplay(Display):
    """Scores of each class as a histogram, and the thresholds that cut them into classes.

    Make it by `from_estimator`, `from_audit` or `from_predictions`, which draw at once; `plot`
    draws again elsewhere. Classes are stacked, lowest at the bottom, each scaled to its own
    tallest bar. A good score puts each histogram between its two thresholds; a class that lies
    across them is hard to tell.

    Parameters
    ----------
    scores, y : array-like of shape (n_samples,)
        Score and label of each row.
    thresholds : array-like of shape (n_classes - 1,)
        In order, on the scale of the scores.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first; needed for words.
    flagged : array-like of bool of shape (n_samples,), default=None
        Flagged rows; their part of each bar is red.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure or SubFigure
        Where it was drawn.
    edges_, counts_ : ndarray of shape (bins + 1,), (n_classes, bins)
        Edges of the bins, and rows of each class in each bin.
    lines_ : list of Line2D
        The thresholds.

    Raises
    ------
    TypeError
        For dask arrays of more than a million numbers, or of unknown length.
    ValueError
        For arrays of other lengths, not finite, or thresholds that are not in order.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import CSVOR
    >>> from csvor.plots import ThresholdDisplay
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.digitize(X[:, 0], [-0.5, 0.5])
    >>> display = ThresholdDisplay.from_estimator(CSVOR().fit(X, y), X, y)
    >>> display.counts_.sum(axis=1).tolist() == np.bincount(y).tolist()
    True
    """

    def __init__(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        thresholds: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        flagged: ArrayLike | None = None,
    ) -> None:
        scores, y, flagged = in_memory(scores=scores, y=y, flagged=flagged)
        self.scores = numbers(scores, "scores")
        n = self.scores.size
        self.codes, self.classes = codes_in_order(y, classes, n)
        self.thresholds = numbers(thresholds, "thresholds")
        if self.thresholds.size != len(self.classes) - 1:
            raise ValueError(
                f"thresholds are {self.thresholds.size}; {len(self.classes)} classes have "
                f"{len(self.classes) - 1}. Name classes without rows in classes=."
            )
        if (np.diff(self.thresholds) < 0.0).any():
            raise ValueError(f"thresholds must be in order: {self.thresholds.tolist()}.")
        self.flagged = np.zeros(n, bool) if flagged is None else mask(flagged, "flagged", n)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Axes | None = None, bins: int = 40
    ) -> ThresholdDisplay:
        """Draw a fitted estimator's scores of labelled rows.

        Parameters
        ----------
        estimator : estimator or Pipeline
            Fitted, of csvor or ending in one of csvor.
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their labels.
        ax, bins
            As of `plot`.

        Returns
        -------
        display : ThresholdDisplay
        """
        refuse_other_order(X, y=y)
        final = final_of(estimator)
        X = X if estimator is final else in_memory(X=X)[0]
        scores = final.predict_projection(at_final(estimator, X))
        return cls(scores, y, final.thresholds_, classes=final.classes_).plot(ax, bins=bins)

    @classmethod
    def from_audit(
        cls, audit: LabelAudit, *, ax: Axes | None = None, bins: int = 40
    ) -> ThresholdDisplay:
        """Draw the held-out scores of an audit.

        Parameters
        ----------
        audit : LabelAudit
            What `audit_labels` found.
        ax, bins
            As of `plot`.

        Returns
        -------
        display : ThresholdDisplay
        """
        columns = ("score", "given", "flagged")
        scores, labels, flagged = cls._of_audit(audit, "scores themselves", *columns)
        display = cls(scores, labels, audit.thresholds, classes=audit.classes, flagged=flagged)
        return display.plot(ax, bins=bins)

    @classmethod
    def from_predictions(
        cls,
        scores: ArrayLike,
        y: ArrayLike,
        thresholds: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        flagged: ArrayLike | None = None,
        ax: Axes | None = None,
        bins: int = 40,
    ) -> ThresholdDisplay:
        """Draw scores of any threshold model.

        Parameters
        ----------
        scores, y, thresholds, classes, flagged
            As of the class.
        ax, bins
            As of `plot`.

        Returns
        -------
        display : ThresholdDisplay
        """
        return cls(scores, y, thresholds, classes=classes, flagged=flagged).plot(ax, bins=bins)

    @styled
    def plot(self, ax: Axes | None = None, *, bins: int = 40) -> ThresholdDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        bins : int, default=40
            Number of bins.

        Returns
        -------
        display : ThresholdDisplay
            Itself, with ``ax_``, ``figure_``, ``edges_``, ``counts_`` and ``lines_``.
        """
        K = len(self.classes)
        ax = self._axes(ax, 5.2, 0.9 + 0.5 * K)
        self.edges_ = score_edges(self.scores, self.thresholds, bins)
        self.counts_ = class_histograms(self.scores, self.codes, K, self.edges_)
        rows = self.flagged
        flagged = class_histograms(self.scores[rows], self.codes[rows], K, self.edges_)
        for k in range(K):
            unit = _HEIGHT / max(int(self.counts_[k].max()), 1)
            of_class = mpl.colormaps["cividis"](0.1 + 0.75 * k / (K - 1))
            for counts, colour in ((self.counts_[k], of_class), (flagged[k], VERMILION)):
                if counts.any():
                    bars: dict[str, Any] = {"baseline": k, "fill": True, "color": colour}
                    ax.stairs(k + unit * counts, self.edges_, zorder=2, **bars)
        self.lines_ = threshold_lines(ax, self.thresholds, width=1.0, order=3)
        self._label_thresholds(ax)
        n_rows = np.bincount(self.codes, minlength=K)
        names = [f"{name}\nn = {n}" for name, n in zip(self.classes, n_rows, strict=True)]
        ax.set(xlabel="score", xlim=self.edges_[[0, -1]], ylim=(-0.06, K))
        ax.set_yticks(np.arange(K) + 0.3, names)
        if self.flagged.any():
            red = [mpl.patches.Patch(color=VERMILION, label="flagged")]
            ax.legend(handles=red, loc="lower right", bbox_to_anchor=(1, 1.05), borderaxespad=0.0)
        tidy(ax)
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        return self

    def _label_thresholds(self, ax: Axes) -> None:
        """One label for thresholds that lie on, or next to, each other."""
        closest = _NEAR * (self.edges_[-1] - self.edges_[0])
        starts = np.flatnonzero(np.diff(self.thresholds) > closest) + 1
        options: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
        for part in np.split(np.arange(self.thresholds.size), starts):
            ends = [f"$b_{{{k + 1}}}$" for k in (part if part.size < 3 else part[[0, -1]])]
            names = (", " if part.size < 3 else " \N{EN DASH} ").join(ends)
            position = (self.thresholds[part].mean(), len(self.classes))
            ax.annotate(names, position, (0, 1.5), **options)
