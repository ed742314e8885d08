"""About where on a line is a convex function least, told its slopes alone?"""

from __future__ import annotations

from collections.abc import Callable


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
