"""What does a row cost by its score and the boundaries of its class, by which linear piece?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csvor._utils.compile import compiled

Array = NDArray[np.float64]

# Distance to the centre of the class, and slacks at its upper and lower boundary, by
# (score, lower boundary, upper boundary, 1).
_OFF = np.array([1.0, -0.5, -0.5, 0.0])
_ABOVE = np.array([1.0, 0.0, -1.0, 1.0])
_BELOW = np.array([-1.0, 1.0, 0.0, 1.0])


def pinball_pieces(tau: float, form: str) -> tuple[Array, Array]:
    """The loss as a sum of maxima of linear pieces ``slope . (f, b_lo, b_hi) + offset``.

    In the paper's form each side costs ``max(0, tau off, tau off + (1 - tau) slack)``; in that of
    its authors' code slacks and distance stand apart.

    Returns
    -------
    slopes : ndarray of shape (n_maxima, n_pieces, 3)
    offsets : ndarray of shape (n_maxima, n_pieces)
    """
    nothing = 0.0 * _OFF
    if form == "paper":
        pieces = [
            [nothing, tau * off, tau * off + (1.0 - tau) * slack]
            for off, slack in ((_OFF, _ABOVE), (-_OFF, _BELOW))
        ]
    else:
        pieces = [
            [nothing, (1.0 - tau) * _ABOVE],
            [nothing, (1.0 - tau) * _BELOW],
            [tau * _OFF, -tau * _OFF],
        ]
    of_pieces = np.array(pieces)
    return of_pieces[..., :3], of_pieces[..., 3]


def pinball_losses(
    scores: Array, codes: NDArray[np.integer], boundaries: Array, tau: float, form: str
) -> Array:
    """The loss of each row."""
    views = np.stack([scores, boundaries[codes], boundaries[codes + 1]])
    slopes, offsets = pinball_pieces(tau, form)
    return (slopes @ views + offsets[..., None]).max(axis=1).sum(axis=0)


@compiled()
def costs_at(slopes, offsets, costs, views):
    """What the rows cost."""
    cost, heights = 0.0, np.empty(offsets.shape[1])
    for i in range(costs.size):
        for g in range(offsets.shape[0]):
            cost += costs[i] * heights[_highest(slopes[g], offsets[g], views[:, i], heights)]
    return cost


@compiled()
def find_distances(slopes, offsets, views):
    """How far the views of each row are, at least, from where another piece is the highest."""
    n_maxima, n_pieces = offsets.shape
    apart = np.empty((n_maxima, n_pieces, n_pieces))
    for g in range(n_maxima):
        for j in range(n_pieces):
            for k in range(n_pieces):
                apart[g, j, k] = np.sqrt(((slopes[g, j] - slopes[g, k]) ** 2).sum())
    distances, heights = np.full(views.shape[1], np.inf), np.empty(n_pieces)
    for i in range(distances.size):
        for g in range(n_maxima):
            j = _highest(slopes[g], offsets[g], views[:, i], heights)
            for k in range(n_pieces):
                if k != j:
                    distance = (heights[j] - heights[k]) / apart[g, j, k]
                    distances[i] = min(distances[i], distance)
    return distances


@compiled()
def have_changed_piece(slopes, offsets, views, to):
    """Whether another piece of a row is the highest in other views."""
    n_maxima, n_pieces = offsets.shape
    moved, heights = np.zeros(views.shape[1], dtype=np.bool_), np.empty(n_pieces)
    for i in range(moved.size):
        for g in range(n_maxima):
            before = _highest(slopes[g], offsets[g], views[:, i], heights)
            moved[i] |= _highest(slopes[g], offsets[g], to[:, i], heights) != before
    return moved


@compiled()
def add_highest(slopes, offsets, costs, views, by_views):
    """Set the slopes by views of each row's highest pieces, by cost; returns their offsets."""
    offset, heights = 0.0, np.empty(offsets.shape[1])
    by_views.fill(0.0)
    for i in range(costs.size):
        for g in range(offsets.shape[0]):
            j = _highest(slopes[g], offsets[g], views[:, i], heights)
            offset += costs[i] * offsets[g, j]
            for v in range(3):
                by_views[v, i] += costs[i] * slopes[g, j, v]
    return offset


@compiled()
def _highest(slopes, offsets, view, heights):
    """Which piece is the highest; sets the heights of all."""
    highest = 0
    for j in range(offsets.size):
        by = slopes[j]
        heights[j] = offsets[j] + by[0] * view[0] + by[1] * view[1] + by[2] * view[2]
        highest = j if heights[j] > heights[highest] else highest
    return highest
