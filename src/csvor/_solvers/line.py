"""Where on [0, 1] is a convex function least, told its slopes, with or without their change?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from csvor._utils.compile import compiled


def least_between(slope: Callable[[float], float], at_0: float, flat: float) -> float:
    """About where a convex function is least on [0, 1], by its slope.

    ``at_0`` is the slope at 0, not positive; one of the share ``flat`` of it is flat enough. By
    secants, each a tenth of the bracket or more from its ends.
    """
    low, at_low, high, at_high = 0.0, at_0, 1.0, slope(1.0)
    enough, t = flat * abs(at_0), 1.0
    if at_0 >= 0.0 or at_high <= enough:
        return t
    for _ in range(20):
        t = low - at_low * (high - low) / (at_high - at_low)
        t = min(max(t, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        at = slope(t)
        if abs(at) <= enough:
            break
        if at > 0.0:
            high, at_high = t, at
        else:
            low, at_low = t, at
    return t


# Bounds, place, looks, the slopes at 1, and the size of the slope at 0.
LINE = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])


@compiled()
def search_line(line, first, second):
    """Where on [0, 1] to look next for the least value of a convex function.

    ``line`` holds bounds, the place looked at and what is remembered; `LINE` is its start.
    ``first`` and ``second`` are the derivatives there. Returns whether that place is the end:
    Newton with a bracket, which on a piecewise quadratic ends after a few pieces.
    """
    line[3] += 1.0
    if line[3] == 1.0:
        line[4], line[5] = first, second
        if first > 0.0:
            line[2] = 0.0
        return first <= 0.0
    if line[3] == 2.0:
        line[2], line[6] = 1.0, abs(first)
        first, second = line[4], line[5]
    t = line[2]
    if abs(first) <= 1e-6 * line[6] or line[3] >= 52.0:
        return True
    if first < 0.0:
        line[0] = t
    else:
        line[1] = t
    t = t - first / second if second > 0.0 else line[0]
    line[2] = t if line[0] < t < line[1] else 0.5 * (line[0] + line[1])
    return False
