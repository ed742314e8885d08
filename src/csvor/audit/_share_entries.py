"""What is said of the shares of wrong labels by the values of a column?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._utils.words import are, plural

Array = NDArray[np.float64]

# Values that a sentence names.
_MOST_NAMED = 5


@dataclass(frozen=True, eq=False, repr=False)
class SharesByValue:
    """What share of the labels is wrong for each value of a column: one entry a value.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        In their order, a missing value as None, last.
    n_rows : ndarray of shape (n_values,)
        The rows that have the value.
    share : ndarray of shape (n_values,)
        Estimated share of wrong labels among them, those known to be right left out.
    low, high : ndarrays of shape (n_values,)
        Its 95 % profile-likelihood interval.
    named : ndarray of shape (n_values,)
        How many of them are flagged.
    p_value : ndarray of shape (n_values,)
        Of the likelihood-ratio test that the share, before any label was decided on, is that of the
        other rows; those of values that differ more surely are not among them.
    adjusted_p_value : ndarray of shape (n_values,)
        The same for so many tests: Holm's, step by step.
    differs : ndarray of shape (n_values,)
        "higher" or "lower" where the latter is below .05, else "".
    conclusive : bool
        False where nothing can be said of the labels: then no share differs, and none is known.
    """

    values: NDArray[Any]
    n_rows: NDArray[np.int64]
    share: Array
    low: Array
    high: Array
    named: NDArray[np.int64]
    p_value: Array
    adjusted_p_value: Array
    differs: NDArray[np.str_]
    conclusive: bool
    _of: str = ""
    # Whether some labels were decided on, which are tested with the others, and no more judged.
    _reviewed: bool = False

    def to_frame(self) -> pd.DataFrame:
        """The entries as a table.

        Returns
        -------
        frame : pandas.DataFrame
            Indexed by value, a column for each of n_rows, share, low, high, named, p_value,
            adjusted_p_value and differs.
        """
        names = (
            "n_rows", "share", "low", "high", "named", "p_value", "adjusted_p_value", "differs",
        )  # fmt: skip
        index = pd.Index(self.values, name="value")
        return pd.DataFrame({name: getattr(self, name) for name in names}, index)

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions of the values, those that differ first, of both the highest share first."""
        return np.lexsort((self.adjusted_p_value, -self.share, self.differs == ""))

    @property
    def summary(self) -> str:
        """The values that differ, worst first, and how many do not, in a sentence."""
        if not self.conclusive:
            return "nothing can be said of any value"
        if self.share.size == 1:
            return "all rows have one value"
        n_differ = int(np.count_nonzero(self.differs != ""))
        if not n_differ:
            n = self.share.size
            return f"the shares of {plural(n, 'value')} {self._do_not_differ(n)}"
        texts = [self._text(i) for i in self.order[: min(n_differ, _MOST_NAMED)].tolist()]
        if n_differ > len(texts):
            texts.append(f"{n_differ - len(texts)} more differ")
        n_others = self.share.size - n_differ
        if n_others:
            texts.append(f"the {plural(n_others, 'other')} {self._do_not_differ(n_others)}")
        return "; ".join(texts)

    def _do_not_differ(self, n: int) -> str:
        if self._reviewed:
            return "did not differ beyond chance before the review"
        return f"{'does' if n == 1 else 'do'} not differ beyond chance"

    def _text(self, i: int) -> str:
        value = "rows without a value" if self.values[i] is None else self.values[i]
        share, low, high = (100 * part[i] for part in (self.share, self.low, self.high))
        p_value = self.adjusted_p_value[i]
        p_text = "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}"
        named, n_rows = int(self.named[i]), plural(int(self.n_rows[i]), "row")
        differs, text = f"{value} is {self.differs[i]},", f"; {p_text}"
        if self._reviewed:
            differs, text = f"{value} was {self.differs[i]} before the review ({p_text}), now", ""
        return (
            f"{differs} {share:.1f} % of {self._of}{n_rows} "
            f"({low:.1f} to {high:.1f} %; {named} {are(named)} flagged{text})"
        )

    def __repr__(self) -> str:
        return f"SharesByValue({self.summary})"
