"""What is known of ratings, and what do raters have in common?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csvor._mixture.rater_tables import LIKING

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Of the logit of a careless share about that of all raters.
SPREAD_OF_CARELESS = 1.5


@dataclass(frozen=True)
class Ratings:
    """Ratings, those of an item side by side.

    Attributes
    ----------
    starts : ndarray of shape (n_items + 1,)
        Ratings ``starts[j]`` to ``starts[j + 1]`` are of item j.
    codes, raters : ndarrays of shape (n_ratings,)
        Labels as 0..n_classes - 1, and raters as 0..n_raters - 1.
    known : ndarray of shape (n_items,)
        The true class where it is known, else -1.
    n_raters, n_classes : int
    """

    starts: Codes
    codes: Codes
    raters: Codes
    known: Codes
    n_raters: int
    n_classes: int

    @property
    def n_items(self) -> int:
        return int(self.starts.size - 1)

    @property
    def of_several(self) -> NDArray[np.bool_]:
        """Whether an item has ratings of more than one rater."""
        item_of = np.repeat(np.arange(self.n_items), np.diff(self.starts))
        other = (np.diff(item_of) == 0) & (np.diff(self.raters) != 0)
        return np.bincount(item_of[1:][other], minlength=self.n_items) > 0

    @property
    def of_raters(self) -> Array:
        """How many ratings each rater gave."""
        return np.bincount(self.raters, minlength=self.n_raters).astype(np.float64)


@dataclass
class Population:
    """What raters have in common: the normal distributions from which their parameters come.

    Attributes
    ----------
    shift, careless : float
        The mean of d and of logit e; that of log s is 0.
    spread_of_shift, spread_of_slope, spread_of_liking : float
        Standard deviations of d, log s and likings.
    """

    shift: float = 0.0
    careless: float = -2.5
    spread_of_shift: float = 1.0
    spread_of_slope: float = 0.3
    spread_of_liking: float = 0.5

    def means(self, n: int) -> Array:
        """Of n parameters of a rater."""
        return np.append([self.shift, 0.0, self.careless], np.zeros(n - LIKING))

    def spreads(self, n: int) -> Array:
        """Standard deviations of n parameters of a rater."""
        likings = np.full(n - LIKING, self.spread_of_liking)
        return np.append([self.spread_of_shift, self.spread_of_slope, SPREAD_OF_CARELESS], likings)
