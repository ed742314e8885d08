"""What is said of each rater, in a table and in words?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._utils.words import some_of

Array = NDArray[np.float64]

# What raters are measured by where no other reference is named.
MIDDLE = "the middle of the raters"

# So many of those who differ are named in the sentence.
_NAMED = 5
# A share that the sentence names; everybody slips now and then.
_CARELESS = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class RaterTable:
    """How each rater labels.

    Attributes
    ----------
    names : ndarray of shape (n_raters,)
    n : ndarray of shape (n_raters,)
        How many labels each gave.
    shift : ndarray of shape (n_raters,)
        How many classes higher than the reference he labels, in the mean over all rows or items.
    shift_interval : ndarray of shape (n_raters, 2)
        Of 95 %.
    careless : ndarray of shape (n_raters,)
        The share of his labels that have nothing to do with the row or item.
    careless_interval : ndarray of shape (n_raters, 2)
        Of 95 %.
    spread : ndarray of shape (n_raters,)
        How blurred classes are to him: 1 is like the reference, 2 is twice as blurred.
    agreement : ndarray of shape (n_raters,)
        The share of his labels that are right: of several labels an item, those that are the
        item's most probable label, whether gold says so or the raters.
    reference : str
        What raters are measured by: "the middle of the raters", "gold", or a rater's name.
    turned : ndarray of int
        Positions of raters whose labels fall where others' rise, as if the scale were turned round:
        their shift says nothing.
    single : ndarray of int
        Positions of raters who gave the same label each time.
    kappa : ndarray of shape (n_raters,) or None
        Cohen's, with quadratic weights, of his labels and gold, or where there is none the items'
        most probable labels (of which his are a part); NaN where all of them are alike. None where
        each row has one label.
    n_gold : ndarray of shape (n_raters,) or None
        How many of his labels are of items with gold; None where there is none.
    gold_agreement : ndarray of shape (n_raters,) or None
        The share of these that are right; NaN where there are none.
    gold_interval : ndarray of shape (n_raters, 2) or None
        Of 95 %, Wilson's.
    """

    names: NDArray[Any]
    n: NDArray[np.int64]
    shift: Array
    shift_interval: Array
    careless: Array
    careless_interval: Array
    spread: Array
    agreement: Array
    reference: str
    turned: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    single: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    kappa: Array | None = None
    n_gold: NDArray[np.int64] | None = None
    gold_agreement: Array | None = None
    gold_interval: Array | None = None

    def to_frame(self) -> Any:
        """The raters as a table, in the order of ``names``.

        Returns
        -------
        frame : pandas.DataFrame
            Indexed by rater, columns ratings, shift, shift_low, shift_high, careless, careless_low,
            careless_high, spread and agreement; of several labels an item also kappa, and with
            gold n_gold, gold_agreement, gold_low and gold_high.
        """
        import pandas as pd

        columns: dict[str, Any] = {"ratings": self.n}
        for name in ("shift", "careless"):
            low, high = getattr(self, f"{name}_interval").T
            columns |= {name: getattr(self, name), f"{name}_low": low, f"{name}_high": high}
        columns |= {"spread": self.spread, "agreement": self.agreement}
        if self.kappa is not None:
            columns["kappa"] = self.kappa
        if self.n_gold is not None and self.gold_interval is not None:
            low, high = self.gold_interval.T
            columns |= {"n_gold": self.n_gold, "gold_agreement": self.gold_agreement}
            columns |= {"gold_low": low, "gold_high": high}
        return pd.DataFrame(columns, pd.Index(self.names, name="rater"))

    @property
    def apart(self) -> NDArray[np.intp]:
        """Positions of raters who are surely above or below the reference, the furthest first.

        Those whose scale is `turned` are none of them.
        """
        low, high = self.shift_interval.T
        apart = np.setdiff1d(np.flatnonzero((low > 0.0) | (high < 0.0)), self.turned)
        return apart[np.argsort(-np.abs(self.shift[apart]), kind="stable")]

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions of all raters: those `apart` first, then who is most surely careless."""
        apart = self.apart
        rest = np.setdiff1d(np.arange(self.names.size), apart)
        rest = rest[np.argsort(-self.careless_interval[rest, 0], kind="stable")]
        return np.concatenate([apart, rest])

    @property
    def summary(self) -> str:
        """The answer in a sentence."""
        apart = self.apart
        text = f"no rater is surely higher or lower than {self.reference}"
        if apart.size:
            count = "1 rater differs" if apart.size == 1 else f"{apart.size} raters differ"
            most = int(apart[0])
            text = f"{count} from {self.reference}, most {self.names[most]}: "
            text += self.shift_in_words(most)
            others = [self._way_of(i) for i in apart[1:].tolist()]
            text += f", then {some_of(others, _NAMED - 1)}" if others else ""
        if self.turned.size:
            names = some_of([str(name) for name in self.names[self.turned]], 3)
            text += f"; the scale of {names} is turned round"
        low, high = self.careless_interval.T
        worst = int(np.argmax(low))
        if low[worst] > max(float(np.median(high)), _CARELESS):
            text += f"; {self.names[worst]} is careless in {self.careless_in_words(worst)}"
        return text

    def shift_in_words(self, rater: int) -> str:
        """A rater's shift as a sentence has it.

        Parameters
        ----------
        rater : int
            The position in ``names``.

        Returns
        -------
        text : str
            Such as "0.9 classes too high (0.7 to 1.1)".
        """
        shift, ends = self.shift[rater], self.shift_interval[rater]
        sign = 1.0 if shift >= 0.0 else -1.0
        low, high = sorted(sign * ends)
        way = "high" if shift >= 0.0 else "low"
        size, low, high = (_digits(value, high - low) for value in (abs(shift), low, high))
        return f"{size} classes too {way} ({low} to {high})"

    def _way_of(self, rater: int) -> str:
        shift = self.shift[rater]
        size = _digits(abs(shift), float(np.ptp(self.shift_interval[rater])))
        return f"{self.names[rater]} ({size} too {'high' if shift >= 0.0 else 'low'})"

    def careless_in_words(self, rater: int) -> str:
        """A rater's careless share as a sentence has it.

        Parameters
        ----------
        rater : int
            The position in ``names``.

        Returns
        -------
        text : str
            Such as "12 % (8 to 17 %)".
        """
        return f"{_percent(self.careless[rater])} {_ends(self.careless_interval[rater])}"

    def gold_in_words(self, rater: int, *, interval: bool = True) -> str:
        """A rater's share of right labels among those of items with gold, as a sentence has it.

        Parameters
        ----------
        rater : int
            The position in ``names``.
        interval : bool, default=True
            Whether the interval is named.

        Returns
        -------
        text : str
            Such as "47 % of 103 (37 to 56 %)"; empty where there are none.
        """
        if self.n_gold is None or self.gold_agreement is None or self.gold_interval is None:
            return ""
        if not self.n_gold[rater]:
            return ""
        text = f"{_percent(self.gold_agreement[rater])} of {self.n_gold[rater]}"
        return f"{text} {_ends(self.gold_interval[rater])}" if interval else text

    def kappa_in_words(self, rater: int) -> str:
        """A rater's kappa with two digits; empty where there is none.

        Parameters
        ----------
        rater : int
            The position in ``names``.

        Returns
        -------
        text : str
        """
        if self.kappa is None or np.isnan(self.kappa[rater]):
            return ""
        return f"{self.kappa[rater]:.2f}"

    def __repr__(self) -> str:
        return f"RaterTable({self.summary})"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"


def _ends(interval: Array) -> str:
    low, high = 100.0 * interval
    return f"({low:.0f} to {high:.0f} %)"


def _digits(value: float, width: float) -> str:
    """With as many as the width of its interval asks for."""
    digits = 1 if width >= 0.15 else 2
    return f"{round(value, digits) + 0.0:.{digits}f}"
