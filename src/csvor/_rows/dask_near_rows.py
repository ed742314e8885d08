"""Which rows near a kink come here from partitions, where there is room for few?

Those within a radius, fewer where a subsample says that there are too many. Of heaps of identical
rows one comes from each partition, with the weight of all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._rows.evaluation import Evaluation, Subsample

Array = NDArray[np.float64]

# So many rows of a subsample, of one class and (to this share) one score, are a heap of identical
# rows.
_HEAP, _ALIKE = 3, 1e-9
# Heaps are merged where no more than this share is left. Counts by the subsample are true to about
# this factor.
_WORTH, _ABOUT = 0.5, 1.1


def within_room(
    subsample: Subsample, distances: Array, radius: float, n_rows: int, n_parts: int, most: float
) -> tuple[float, bool]:
    """The radius up to which rows have room, and whether identical ones have to be merged for it.

    That is where they are in heaps, or where more than ``most`` of all rows are estimated to be
    within the radius. Where merged ones leave room it is larger.
    """
    each, room = n_rows / distances.size, most * n_rows
    near, copies = distances <= radius, subsample.copies(_ALIKE)
    come = np.where(copies >= _HEAP, np.minimum(n_parts / copies, each), each)
    heaps = come[near].sum() <= _WORTH * each * np.count_nonzero(near)
    if not heaps and np.count_nonzero(near) * each <= _ABOUT * room:
        return radius, False
    order = np.argsort(distances, kind="stable")
    taken, ordered = np.cumsum(come[order]), distances[order]
    # A tie that has room in part only stays where it is; but for the nearest.
    ends = np.append(ordered[1:] > ordered[:-1] * (1.0 + _ALIKE), True)
    fits = np.flatnonzero(ends & (taken <= room))
    if fits.size and fits[-1] == ordered.size - 1:
        return np.inf, True
    return float(ordered[fits[-1] if fits.size else 0]), True


def split(
    rows: Any, w: Array, b: Array, radius: float, cap: float, nearer: float, loss: Any, spread: Any,
    merge: bool, most: float,
) -> tuple[Any, Any]:  # fmt: skip
    """Sums and curvature of the rows beyond the radius; the others, or ``most`` of all merged."""
    evaluation = Evaluation(rows, w, b)
    near, sums, curvature = evaluation.split(radius, cap, nearer, loss)
    if spread is not None:
        arrays = evaluation.scores, evaluation.losses, b, cap, nearer
        curvature = rows.with_loss(spread).beyond(radius, *arrays, w, loss)[2]
    if not merge:
        return (sums, curvature), (near.matrix.X, near.codes, near.costs)
    first, costs = _merged(near.matrix.X, near.codes, near.costs)
    room = int(np.ceil(most * rows.n_samples))
    if first.size > room:  # the heaviest come, of equal ones any
        order = np.lexsort((np.random.default_rng(0).random(first.size), -costs))
        left = near.take(first[order[room:]])
        left.costs = costs[order[room:]]
        sums = sums + left.sums(w, b, loss)[0]
        curvature = curvature + left.with_loss(spread or left.pair).sums(w, b, loss)[1]
        first, costs = first[order[:room]], costs[order[:room]]
    return (sums, curvature), (near.matrix.X[first], near.codes[first], costs)


def _merged(
    X: NDArray[Any], codes: NDArray[np.integer], costs: Array
) -> tuple[NDArray[np.intp], Array]:
    """The first of each that are identical, and what all of them weigh."""
    of_rows = [np.ascontiguousarray(part).view(np.uint8) for part in (X, codes[:, None])]
    row_bytes = np.hstack(of_rows)
    keys = row_bytes.view([("", np.void, row_bytes.shape[1])]).ravel()
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    weights = np.zeros(first.size)
    np.add.at(weights, group.ravel(), costs)
    return first, weights
