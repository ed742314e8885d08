"""What do labelled rows say at one point?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import cap_of, set_cap
from csvor._rows.kinks import find_distances
from csvor._rows.trim import find_cap

Array = NDArray[np.float64]

# About so many rows are enough to estimate quantiles from.
_SUBSAMPLE = 20_000


def subsample_stride(n: int) -> int:
    """Stride that keeps about 20 000 rows."""
    return max(n // _SUBSAMPLE, 1)


class Subsample:
    """Scores, losses and classes of evenly spaced rows, from which quantiles are estimated."""

    def __init__(
        self, scores: Array, losses: Array, codes: NDArray[np.integer], costs: Array
    ) -> None:
        self.losses, self.costs = np.ascontiguousarray(losses), costs
        self._scores, self._codes = np.ascontiguousarray(scores), np.ascontiguousarray(codes)

    def distances(self, b: Array, pair: Any, cap: float, nearer: float) -> Array:
        """How far margins of each have to move to take it to a kink."""
        distances = np.empty(self.losses.size)
        find_distances(self._scores, self._codes, b, pair, self.losses, cap, nearer, distances)
        return distances

    def copies(self, alike: float) -> NDArray[np.intp]:
        """How many of them have the score of each, to this share of it, and its class."""
        unit = alike * max(float(np.abs(self._scores).max()), 1e-300)
        keys = np.column_stack([np.rint(self._scores / unit), self._codes])
        _, group, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        copies: NDArray[np.intp] = counts[group.ravel()]
        return copies


class Evaluation:
    """Scores and losses of all rows at a point, and what follows from them."""

    def __init__(self, rows: Any, w: Array, b: Array) -> None:
        self._rows, self._w, self._b = rows, w, b
        self.scores, self.losses = rows.scores_and_losses(w, b)

    @property
    def subsample(self) -> Subsample:
        return Subsample(*self.of(slice(None, None, subsample_stride(self.losses.size))))

    def of(self, chosen: Any) -> tuple[NDArray[Any], ...]:
        """Scores, losses, codes and costs of some rows."""
        rows = self._rows
        return self.scores[chosen], self.losses[chosen], rows.codes[chosen], rows.costs[chosen]

    def totals(self, loss: Any, share: float) -> tuple[Array, Array]:
        """The totals of `row_weights`, and the cap.

        That is the one of ``loss``, or where ``share`` of the weight is cut, the one that does it:
        it is sought from there.
        """
        cap = cap_of(loss)
        if share > 0.0:
            find_cap(self.losses, self._rows.costs, share, cap)
            set_cap(loss, cap)
        return self._rows.totals(self.losses, loss), cap

    def split(
        self, radius: float, cap: float, nearer: float, loss: Any
    ) -> tuple[Any, Array, Array]:
        """The rows within a distance of a kink, and sums and curvature of the others."""
        arrays = self.scores, self.losses, self._b, cap, nearer
        near, sums, curvature = self._rows.beyond(radius, *arrays, self._w, loss)
        return self._rows.take(np.flatnonzero(near)), sums, curvature
