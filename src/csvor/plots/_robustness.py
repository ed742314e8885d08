"""How does the error of each method grow with the share of wrong labels?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import indexable

from csvor._utils.sklearn_private import safe_split
from csvor.corruption import flip_labels
from csvor.metrics import mean_zero_one_error
from csvor.plots._arrays import in_memory, means_by_level
from csvor.plots._display import Display
from csvor.plots._style import method_styles, styled, tidy

_SHARES = (0.0, 0.05, 0.1, 0.2)


class RobustnessDisplay(Display):
    """The error of each method over the share of wrong training labels.

    Make it by `from_estimator`, which fits, or `from_results`, which takes the table of a study;
    both draw at once, and `plot` draws again elsewhere.

    Parameters
    ----------
    errors : DataFrame
        Shares or levels in the index, a column for each method; NaN leaves a gap.
    spread : DataFrame, default=None
        Of the same shape: half the height of a bar at each point.
    measure, level : str
        What the values and what the index are.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure or SubFigure
        Where it was drawn.
    lines_ : list of Line2D
        One for each method.

    Raises
    ------
    ValueError
        For an empty table, and a spread of another shape.

    Examples
    --------
    >>> import pandas as pd
    >>> from csvor.plots import RobustnessDisplay
    >>> errors = pd.DataFrame({"CSVOR": [0.30, 0.31], "SVOREX": [0.30, 0.42]}, index=[0, 20])
    >>> display = RobustnessDisplay(errors).plot()
    >>> [line.get_label() for line in display.lines_]
    ['CSVOR', 'SVOREX']
    """

    def __init__(
        self,
        errors: Any,
        *,
        spread: Any = None,
        measure: str = "mean zero-one error",
        level: str = "wrong training labels (%)",
    ) -> None:
        self.errors = pd.DataFrame(errors)
        if self.errors.empty:
            raise ValueError("errors is empty: there is nothing to draw.")
        self.spread = None if spread is None else pd.DataFrame(spread)
        if self.spread is not None and self.spread.shape != self.errors.shape:
            raise ValueError(
                f"spread has shape {self.spread.shape}, errors {self.errors.shape}: they must be "
                "the same."
            )
        self.measure, self.level = measure, level

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        shares: Sequence[float] = _SHARES,
        cv: Any = 5,
        metric: Callable[[Any, Any], float] = mean_zero_one_error,
        random_state: int = 0,
        ax: Axes | None = None,
    ) -> RobustnessDisplay:
        """Fit to rows of which a share of the labels is changed, and judge on the other rows.

        Labels of test rows stay as they are given. All estimators meet the same changed labels.
        Bars are the standard error of the mean over the folds.

        Parameters
        ----------
        estimator : estimator, Pipeline or mapping of str to those
            What is fitted, and its name.
        X : array-like or dataframe of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their labels; words need ``classes=`` in the estimators.
        shares : sequence of float, default=(0, 0.05, 0.1, 0.2)
            Shares of the training labels that are changed to another class at random.
        cv : int, splitter or iterable of (train, test), default=5
            How rows are held out.
        metric : callable, default=mean_zero_one_error
            Error of ``metric(y_true, y_pred)``.
        random_state : int, default=0
            Decides which labels are changed, and to what.
        ax : Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : RobustnessDisplay
        """
        several = isinstance(estimator, Mapping)
        models = dict(estimator) if several else {_name(estimator): estimator}
        X, y = in_memory(X=X, y=y)
        X, labels = indexable(X, np.asarray(y))
        folds = list(check_cv(cv, labels, classifier=True).split(X, labels))
        errors = np.empty((len(shares), len(models), len(folds)))
        for row, share in enumerate(shares):
            for fold, (train, test) in enumerate(folds):
                seed = np.random.default_rng([random_state, row, fold])
                changed, _ = flip_labels(
                    labels[train], share, classes=np.unique(labels), random_state=seed
                )
                for column, model in enumerate(models.values()):
                    X_train, _ = safe_split(model, X, None, train, train)
                    X_test, _ = safe_split(model, X, None, test, train)
                    fitted = clone(model).fit(X_train, changed)
                    errors[row, column, fold] = metric(labels[test], fitted.predict(X_test))
        index, columns = 100.0 * np.asarray(shares, dtype=float), list(models)
        mean = pd.DataFrame(errors.mean(axis=2), index, columns)
        spread = pd.DataFrame(errors.std(axis=2, ddof=1) / np.sqrt(len(folds)), index, columns)
        measure = getattr(metric, "__name__", "error").replace("_", " ")
        return cls(mean, spread=spread, measure=measure.replace("zero one", "zero-one")).plot(ax)

    @classmethod
    def from_results(
        cls, table: Any, *, measure: str = "mze", ax: Axes | None = None
    ) -> RobustnessDisplay:
        """Draw the table of a study, in the mean over its data sets.

        A method has a gap at a level at which a cell of it failed or was not run: means over fewer
        cells could not be compared.

        Parameters
        ----------
        table : DataFrame
            A row for each cell, with the columns dataset, level, split, method and `measure`, as
            ``csvor.study.run`` returns it.
        measure : str, default="mze"
            Column of the errors.
        ax : Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : RobustnessDisplay
        """
        names = {"mze": "mean zero-one error", "mae": "mean absolute error"}
        level = "corrupted training rows (%)"
        means = means_by_level(table, measure)
        return cls(means, measure=names.get(measure, measure), level=level).plot(ax)

    @styled
    def plot(
        self, ax: Axes | None = None, *, focus: str | None = None, legend: bool = True
    ) -> RobustnessDisplay:
        """Draw it.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        focus : str, default=None
            Method to draw with a thicker line, over the others.
        legend : bool, default=True
            Name the methods.

        Returns
        -------
        display : RobustnessDisplay
            Itself, with ``ax_``, ``figure_`` and ``lines_``.
        """
        ax = self._axes(ax, 4.2, 3.0)
        self.lines_ = []
        styles = method_styles([*map(str, self.errors.columns), *self._beside])
        for method in self.errors.columns:
            wide, over = (2.0, 3) if method == focus else (1.1, 2)
            options: dict[str, Any] = {**styles[str(method)].line_options, "markersize": 3.6}
            options |= {"zorder": over, "linewidth": wide, "label": str(method)}
            self.lines_ += ax.plot(self.errors.index, self.errors[method], **options)
            if self.spread is not None:
                bars: dict[str, Any] = {"ecolor": options["color"], "zorder": over - 1}
                bars |= {"fmt": "none", "elinewidth": 0.8, "capsize": 1.8, "alpha": 0.6}
                ax.errorbar(self.errors.index, self.errors[method], self.spread[method], **bars)
        ax.set(xlabel=self.level, ylabel=self.measure)
        ax.set_xticks(list(self.errors.index))
        ax.yaxis.set_major_locator(MaxNLocator(5))
        if legend:
            ax.legend(handlelength=3.0)
        tidy(ax, grid="y")
        return self


def _name(estimator: Any) -> str:
    return type(estimator[-1] if isinstance(estimator, Pipeline) else estimator).__name__
