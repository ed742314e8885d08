"""What do multipliers and distances of all samples add up to, and how do they follow a step?

A sample sees theta through a few linear views v, and costs ``c sum_g max_j x_gj`` with pieces
``x_gj = slope_gj . v + offset_gj``. A piece has a multiplier, c in sum over a maximum, and a
distance: that of x_gj from a level above them all. Arrays of samples by maxima by pieces.
"""

from __future__ import annotations

import numpy as np

from csvor._utils.compile import FAST, compiled


@compiled(fastmath=FAST)
def hessian_terms(slopes, multipliers, distances, curvature):
    """Set the curvature by views of each sample once multipliers and distances follow a step.

    With ``D = multiplier / distance`` it is ``diag(D) - D D' / sum(D)`` of a maximum's pieces, or
    what is the same without cancellation, ``D_j D_k / sum(D)`` of the difference of two.
    """
    n, n_maxima, n_pieces = multipliers.shape
    stiff = np.empty(n_pieces)
    for i in range(n):
        uu, uv, uw, vv, vw, ww = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for g in range(n_maxima):
            total = 0.0
            for j in range(n_pieces):
                stiff[j] = multipliers[i, g, j] / distances[i, g, j]
                total += stiff[j]
            total = 1.0 / total
            for j in range(1, n_pieces):
                share = stiff[j] * total
                for k in range(j):
                    by = share * stiff[k]
                    u = slopes[g, j, 0] - slopes[g, k, 0]
                    v = slopes[g, j, 1] - slopes[g, k, 1]
                    w = slopes[g, j, 2] - slopes[g, k, 2]
                    uu, uv, uw = uu + by * u * u, uv + by * u * v, uw + by * u * w
                    vv, vw, ww = vv + by * v * v, vw + by * v * w, ww + by * w * w
        curvature[0, 0, i], curvature[0, 1, i], curvature[0, 2, i] = uu, uv, uw
        curvature[1, 1, i], curvature[1, 2, i], curvature[2, 2, i] = vv, vw, ww


@compiled(fastmath=FAST)
def reduced_rhs(slopes, multipliers, distances, aim, correction, by_views):
    """Set what multipliers pull more, by views, where `dual_directions` is given no step."""
    n, n_maxima, n_pieces = multipliers.shape
    for i in range(n):
        u, v, w = 0.0, 0.0, 0.0
        for g in range(n_maxima):
            total, level = 0.0, 0.0
            for j in range(n_pieces):
                nearness = 1.0 / distances[i, g, j]
                total += multipliers[i, g, j] * nearness
                level += (aim - correction[i, g, j]) * nearness - multipliers[i, g, j]
            level /= total
            for j in range(n_pieces):
                multiplier, nearness = multipliers[i, g, j], 1.0 / distances[i, g, j]
                gained = (aim - correction[i, g, j] - multiplier * level) * nearness - multiplier
                by = slopes[g, j]
                u, v, w = u + gained * by[0], v + gained * by[1], w + gained * by[2]
        by_views[0, i], by_views[1, i], by_views[2, i] = u, v, w


@compiled(fastmath=FAST)
def dual_directions(
    slopes, multipliers, distances, aim, correction, step, d_multipliers, d_distances
):
    """Set how multipliers and distances follow a step of the views.

    Their products become ``aim - correction``, to first order; the multipliers of a maximum keep
    their sum, and its level moves as it must. Moves are relative to the stiffest one.

    Returns
    -------
    inverse : float
        1 / how far one can go until the first multiplier or distance is 0; 0 where there is no end.
    bends : float
        Sum of the changes' products.
    """
    n, n_maxima, n_pieces = multipliers.shape
    stiff, pull, moved = np.empty(n_pieces), np.empty(n_pieces), np.empty(n_pieces)
    inverse, bends = 0.0, 0.0
    for i in range(n):
        for g in range(n_maxima):
            total, level, stiffest = 0.0, 0.0, 0
            for j in range(n_pieces):
                multiplier, nearness = multipliers[i, g, j], 1.0 / distances[i, g, j]
                stiff[j] = multiplier * nearness
                pull[j] = (aim - correction[i, g, j]) * nearness - multiplier
                total += stiff[j]
                level += pull[j]
                stiffest = j if stiff[j] > stiff[stiffest] else stiffest
                by = slopes[g, j]
                moved[j] = by[0] * step[0, i] + by[1] * step[1, i] + by[2] * step[2, i]
            for j in range(n_pieces):
                level += stiff[j] * (moved[j] - moved[stiffest])
            level /= total
            lost = 0.0
            for j in range(n_pieces):
                risen = level - (moved[j] - moved[stiffest])
                gained = pull[j] - stiff[j] * risen
                d_multipliers[i, g, j], d_distances[i, g, j] = gained, risen
                lost += gained if j != stiffest else 0.0
            d_multipliers[i, g, stiffest] = -lost
            for j in range(n_pieces):
                gained, risen = d_multipliers[i, g, j], d_distances[i, g, j]
                bends += gained * risen
                if -gained > inverse * multipliers[i, g, j]:
                    inverse = -gained / multipliers[i, g, j]
                if -risen > inverse * distances[i, g, j]:
                    inverse = -risen / distances[i, g, j]
    return inverse, bends


@compiled(fastmath=FAST)
def value_and_gap(slopes, offsets, multipliers, costs, views, by_views):
    """What the samples cost, and how much less ``multiplier . piece`` comes to.

    Sets what the multipliers pull by views.
    """
    n, n_maxima, n_pieces = multipliers.shape
    cost, apart = 0.0, 0.0
    for i in range(n):
        u, v, w = 0.0, 0.0, 0.0
        for g in range(n_maxima):
            most, total = -np.inf, 0.0
            for j in range(n_pieces):
                multiplier, by = multipliers[i, g, j], slopes[g, j]
                x = offsets[g, j] + by[0] * views[0, i] + by[1] * views[1, i] + by[2] * views[2, i]
                u, v, w = u + multiplier * by[0], v + multiplier * by[1], w + multiplier * by[2]
                total += multiplier * x
                most = max(most, x)
            cost += costs[i] * most
            apart += costs[i] * most - total
        by_views[0, i], by_views[1, i], by_views[2, i] = u, v, w
    return cost, apart
