"""How far are rows from the kinks of their losses, and what do given losses add up to?"""

from __future__ import annotations

import numpy as np

from csvor._loss.capped import row_weights
from csvor._loss.margins import BLOCK
from csvor._utils.compile import FAST, compiled


@compiled(fastmath=FAST)
def find_distances(f, codes, b, pair, g, cap, nearer, distances):
    """Set ``distances`` to what margins have to change by at least for each row to come to a kink.

    A kink is where a slack begins or ends, or the corner at the cap. From a slack there is the
    share ``nearer`` of its size left.
    """
    m, root = b.size, np.sqrt(cap)
    implicit = pair[0].implicit == 1
    for r in range(f.size):
        nearest, y = np.inf, codes[r]
        if g[r] > 0.0 and root < np.inf:
            nearest = abs(np.sqrt(g[r]) - root)
        if g[r] <= cap:
            first, last = (0, m) if implicit else (max(y - 1, 0), min(y + 1, m))
            for k in range(first, last):
                slack_arg = 1.0 - (f[r] - b[k] if y > k else b[k] - f[r])
                nearest = min(nearest, nearer * slack_arg if slack_arg > 0.0 else -slack_arg)
        distances[r] = nearest


@compiled(fastmath=FAST)
def add_totals(losses, costs, loss, totals):
    """Add the totals of `row_weights` over rows of these losses."""
    weight, curved, concavity = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, losses.size, BLOCK):
        n = min(BLOCK, losses.size - start)
        g, cost = losses[start : start + n], costs[start : start + n]
        row_weights(n, g, cost, loss, weight, curved, concavity, totals)
