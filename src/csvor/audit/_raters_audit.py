"""What does an audit of several raters say: of items, of each rating, of raters?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._utils.words import plural
from csvor.audit._rater_table import RaterTable
from csvor.audit._reported import html_of, table_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class RatersAudit:
    """What `audit_raters` says of items, of ratings and of raters.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels in their order.
    items : ndarray of shape (n_items,)
        Names, in their order, or the rows of a wide table.
    label : ndarray of shape (n_items,)
        The most probable class, given all ratings and the features.
    probability : ndarray of shape (n_items,)
        Of that class.
    class_probabilities : ndarray of shape (n_items, n_classes)
        Of each class, columns in the order of ``classes``.
    n_ratings : ndarray of shape (n_items,)
        Of each item.
    information : ndarray of shape (n_items,)
        By how much one more rating, of the middle of the raters, is expected to lower the entropy
        of the item's class, in bits.
    ask_next : ndarray of shape (n_items,)
        Positions of items without gold, those first of which one more rating tells most.
    has_gold : ndarray of shape (n_items,)
        True where the label was given as gold.
    rating_row : ndarray of shape (n_ratings,)
        The row of each rating in a long table; in a wide one its cell, row by row. Ratings are
        ordered by item and rater; blank ones are left out.
    rating_item, rating_rater : ndarrays of shape (n_ratings,)
        Positions in ``items`` and ``raters.names``.
    given : ndarray of shape (n_ratings,)
        The labels given.
    rating_probability : ndarray of shape (n_ratings,)
        That the rating is not the item's class.
    flagged : ndarray of shape (n_ratings,)
        True where that is above one half and the item has another ``label``.
    conclusive : bool
        False where labels follow those of the other raters no better than chance could: nothing can
        be said of any item then, and no rating is flagged.
    raters : RaterTable
        How each rater labels: shifts in classes, careless shares, both with intervals.
    label_probabilities : ndarray of shape (n_raters, n_classes, n_classes)
        ``P(label k | class t)`` of each rater, in the order rater, k, t.
    alpha : float
        Krippendorff's, of ordered labels; NaN where no item has two ratings or all are alike.
    kappa : float or None
        Quadratically weighted, of the items that both rated, where there are two raters.
    notes : tuple of str
        What should be known of raters or of what can be said; mostly empty.
    """

    classes: NDArray[Any]
    items: NDArray[Any]
    label: NDArray[Any]
    probability: Array
    class_probabilities: Array
    n_ratings: NDArray[np.int64]
    information: Array
    ask_next: NDArray[np.intp]
    has_gold: NDArray[np.bool_]
    rating_row: NDArray[np.intp]
    rating_item: NDArray[np.intp]
    rating_rater: NDArray[np.intp]
    given: NDArray[Any]
    rating_probability: Array
    flagged: NDArray[np.bool_]
    conclusive: bool
    raters: RaterTable
    label_probabilities: Array
    alpha: float
    kappa: float | None
    notes: tuple[str, ...]
    # P(t | ratings) of finer classes, and how raters label these.
    _nodes: Array
    _tables: Array
    # Whether tables are of polars, as the ratings were.
    _polars: bool = False

    def _repr_html_(self) -> str:
        ratings = replace(self, _polars=False).ratings_to_frame()
        tables = [("The ratings most probably wrong (ratings_to_frame() has all)", ratings)]
        tables.append(("Raters (raters.to_frame())", self.raters.to_frame()))
        return html_of(self.summary, self.notes, tables if self.conclusive else ())

    def to_frame(self) -> Any:
        """The items as a table, in the order of ``items``.

        Returns
        -------
        frame : pandas.DataFrame or polars.DataFrame
            Indexed by item, columns label, probability, n_ratings, information and ask (1 for the
            item of which one more rating tells most; no value for an item with gold). Of polars,
            with a column ``item``, where the ratings are.
        """
        import pandas as pd

        rank = pd.Series(pd.NA, range(self.items.size), dtype="Int64")
        rank.iloc[self.ask_next] = np.arange(1, self.ask_next.size + 1)
        if not self.has_gold.any():
            rank = rank.astype(np.int64)
        columns = {
            "label": self.label, "probability": self.probability, "n_ratings": self.n_ratings,
            "information": self.information, "ask": rank.array,
        }  # fmt: skip
        return table_of(columns, pd.Index(self.items, name="item"), self._polars)

    @property
    def doubtful(self) -> NDArray[np.intp]:
        """Positions of items without gold, the least probable label first."""
        order = np.argsort(self.probability, kind="stable")
        return order[~self.has_gold[order]]

    def ratings_to_frame(self) -> Any:
        """The ratings as a table, most probably wrong first, and of equals the furthest off.

        Returns
        -------
        frame : pandas.DataFrame or polars.DataFrame
            Indexed by ``rating_row``, columns item, rater, given, label (of the item), probability
            (that the rating is wrong) and flagged. Of polars, with a column ``position``,
            where the ratings are.
        """
        import pandas as pd

        code = pd.Index(self.classes).get_indexer
        far = np.abs(code(self.given) - code(self.label)[self.rating_item])
        order = np.lexsort((-far, -self.rating_probability))
        item = self.rating_item[order]
        columns = {
            "item": self.items[item], "rater": self.raters.names[self.rating_rater[order]],
            "given": self.given[order], "label": self.label[item],
            "probability": self.rating_probability[order], "flagged": self.flagged[order],
        }  # fmt: skip
        return table_of(columns, pd.Index(self.rating_row[order], name="position"), self._polars)

    def predict_ratings(self, rater: Any) -> Array:
        """How probable each label is where a rater is asked, or asked once more.

        Parameters
        ----------
        rater : str or other name
            One of ``raters``.

        Returns
        -------
        probabilities : ndarray of shape (n_items, n_classes)
            Of each label, columns in the order of ``classes``.
        """
        numbers = np.flatnonzero(self.raters.names == rater)
        if not numbers.size:
            raise ValueError(f"rater={rater!r} gave no rating.")
        return np.asarray(self._nodes @ self._tables[numbers[0]].T)

    def agreement_in_words(self) -> str:
        """How far raters agree, in numbers for all of them.

        Returns
        -------
        text : str
            Such as "Krippendorff's alpha 0.71, of ordered labels"; empty where nothing is known.
        """
        if np.isnan(self.alpha):
            return ""
        text = f"Krippendorff's alpha {self.alpha:.2f}, of ordered labels"
        if self.kappa is not None:
            text += f"; Cohen's kappa {self.kappa:.2f}, with quadratic weights"
        return text

    @property
    def summary(self) -> str:
        """The answer in a sentence."""
        rated = (
            f"{plural(self.given.size, 'rating')} of {plural(self.items.size, 'item')} by "
            f"{plural(self.raters.names.size, 'rater')}"
        )
        if not self.conclusive:
            others = "those of the others" if self.raters.names.size > 1 else "true labels"
            return (
                f"nothing can be said of {rated}: labels follow {others} no better than chance "
                "could"
            )
        wrong = self.rating_probability.sum()
        return (
            f"{rated}: about {wrong:.0f} are not the item's class, {self.flagged.sum()} are "
            f"flagged; {self.raters.summary}"
        )

    def __repr__(self) -> str:
        return "\n".join([f"RatersAudit({self.summary})", *self.notes])
