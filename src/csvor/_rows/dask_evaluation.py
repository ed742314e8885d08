"""What do rows in partitions say at one point?

A cap that cuts a share of the weight is a quantile: the rows about it come here, of all others what
they add up to. Where it does not lie where it was thought to, a subsample, or counts,
say where it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import cap_of, set_cap
from csvor._rows.dask_near_rows import split, within_room
from csvor._rows.evaluation import Evaluation, Subsample
from csvor._rows.kinks import add_totals
from csvor._rows.trim import find_cap
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]

# The cap is sought within this share of what it was, or less where so many losses, of so many bytes
# with what they weigh, have no room; then so many standard errors about where a subsample has it.
_WITHIN, _BYTES, _ERRORS = 0.1, 16, 5.0
# Counts of a round lie between so many values, the first of them up to this.
_BINS, _HIGHEST = 4096, 2.0**80


class PartitionedEvaluation:
    """What `Evaluation` is to rows in memory; nothing of each row is held."""

    def __init__(self, rows: Any, w: Array, b: Array) -> None:
        self._rows, self._w, self._b = rows, w, b

    @cached_property
    def subsample(self) -> Subsample:
        return Subsample(*self._ask(_subsample_of, of_parts=self._rows.subsampled)[1])

    def totals(self, loss: Any, share: float) -> tuple[Array, Array]:
        cap = cap_of(loss)
        budget = _budget(share, self._rows)
        for low, high in self._windows(share, float(cap[1])):
            if share > 0.0:  # rows above the window are cut, and none below
                loss["below"] = loss["cap"] = high
            sums, rows = self._ask(_totals, loss, low, high, of_parts=self._rows.subsampled)
            (totals, above), (losses, costs, *arrays) = sums, rows
            inside, self.subsample = costs.sum(), Subsample(*arrays)
            if share == 0.0 or above <= budget < above + inside:
                break
            if low <= 1.0 and budget >= above:  # all that may be cut
                break
        if share > 0.0:
            below = max(self._rows.weight - above - inside, 0.0)
            losses, costs = np.append(losses, [0.0, np.inf]), np.append(costs, [below, above])
            find_cap(losses, costs, share, cap)
            set_cap(loss, cap)
            add_totals(losses[:-2], costs[:-2], loss, totals)
        return totals, cap

    def split(
        self, radius: float, cap: float, nearer: float, loss: Any, spread: Any = None
    ) -> tuple[Any, Array, Array]:
        """As of `Evaluation`; the curvature is that of other pairs where ``spread`` is given."""
        rows = self._rows
        most, n_parts = rows.most_near, len(rows.matrix.X.sizes)
        distances = self.subsample.distances(self._b, rows.pair, cap, nearer)
        n = rows.n_samples
        radius, merge = within_room(self.subsample, distances, radius, n, n_parts, most)
        args = radius, cap, nearer, loss, spread, merge, most
        (sums, curvature), near = self._ask(split, *args)
        return rows.in_memory(*near), sums, curvature

    def _windows(self, share: float, cap: float) -> Iterator[tuple[float, float]]:
        """Between which losses the cap may lie, the likeliest first."""
        if share == 0.0:
            yield np.inf, np.inf
            return
        n, room = self._rows.n_samples, self._rows.room // _BYTES
        if cap < np.inf:
            within = min(_WITHIN, room / n)
            yield (1.0 - within) * cap, (1.0 + within) * cap
        losses, costs = self.subsample.losses, self.subsample.costs
        error = _ERRORS * np.sqrt(share * (1.0 - share) * (costs**2).sum()) / costs.sum()
        if 2.0 * error * n <= room:
            order = np.argsort(-losses)
            above = np.cumsum(costs[order]) / costs.sum()
            first, last = np.searchsorted(above, [share - error, share + error])
            high = losses[order[first - 1]] if first > 0 else np.inf
            yield float(losses[order[min(last, order.size - 1)]]), float(max(high, 1.0))
        yield self._about(share)

    def _about(self, share: float) -> tuple[float, float]:
        """Between which losses the cap lies, by two rounds of counts."""
        low, high, budget = 1.0, _HIGHEST, _budget(share, self._rows)
        for _ in range(2):
            edges = np.geomspace(low, high, _BINS)
            (counts,), _ = self._ask(_counts, edges)
            above = np.append(np.cumsum(counts[::-1])[::-1], 0.0)  # of each bin and beyond
            i = int(np.searchsorted(-above, -budget)) - 1
            if i == 0 and low == 1.0:  # all beyond 1, which is all that may be cut
                return 1.0, 1.0
            # A bin more on either side: weights are sums, and are rounded.
            low = float(edges[max(i - 2, 0)])
            if i + 1 >= edges.size:
                return low, np.inf
            high = float(edges[i + 1])
        return low, high

    def _ask(self, func: Any, *args: Any, of_parts: Any = ()) -> tuple[Any, Any]:
        return self._rows.ask(func, self._w, self._b, *args, of_parts=of_parts)


def _budget(share: float, rows: Any) -> float:
    """The weight that may be cut, as `find_cap` has it."""
    return share * rows.weight * (1.0 + 1e-12)


def _subsample_of(rows: Any, chosen: Any, w: Array, b: Array) -> tuple[tuple[()], Any]:
    return (), Evaluation(rows, w, b).of(chosen)


def _totals(
    rows: Any, chosen: Any, w: Array, b: Array, loss: Any, low: float, high: float
) -> tuple[Any, Any]:
    """The totals of rows outside of a window, and what weighs above; losses and weights in it."""
    evaluation, totals = Evaluation(rows, w, b), np.zeros(3)
    g = evaluation.losses
    inside, above = (low <= g) & (g <= high), rows.costs[g > high].sum()
    add_totals(g, np.where(inside, 0.0, rows.costs), loss, totals)
    values, index = np.unique(g[inside], return_inverse=True)
    weights = np.zeros(values.size)
    np.add.at(weights, index, rows.costs[inside])
    return (totals, above), (values, weights, *evaluation.of(chosen))


def _counts(rows: Any, w: Array, b: Array, edges: Array) -> tuple[Any, tuple[()]]:
    """What weighs up to the first edge, between it and the next, ..., beyond the last."""
    g = Evaluation(rows, w, b).losses
    bins = np.searchsorted(edges, g, side="left")
    return (np.bincount(bins, rows.costs, edges.size + 1),), ()
