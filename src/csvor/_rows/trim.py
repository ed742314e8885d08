"""Which rows are cut when a share of the weight is, and what changes with the cap."""

from __future__ import annotations

import numpy as np

from csvor._loss.capped import TIE, counted_share
from csvor._rows.dense_pass import Rows
from csvor._rows.quantile import select
from csvor._utils.compile import FAST, compiled


@compiled(fastmath=FAST)
def find_cap(losses, weights, share, cap):
    """Set ``cap`` to (below, cap, tied) of `_loss.capped`, so that ``share`` of the weight is cut.

    Those are the largest losses; rows at 1 and below, on the right side of their thresholds, stay
    whatever the share. The search begins about the cap given, which spares a look at the rest.
    """
    n = losses.size
    total = 0.0
    for i in range(n):
        total += weights[i]
    budget = share * total * (1.0 + 1e-12)
    low, high = 0.9 * cap[1], 1.1 * cap[1]
    if not high < np.inf:
        low, high = 1.0, np.inf
    widest = 4.0 * cap[1]
    cap[0] = cap[1] = cap[2] = 1.0
    while True:
        above, inside, count = 0.0, 0.0, 0
        for i in range(n):
            if losses[i] > high:
                above += weights[i]
            elif losses[i] >= low:
                inside += weights[i]
                count += 1
        if above <= budget < above + inside:
            break
        if low == 1.0 and high == np.inf:
            return
        if high < widest:
            low, high = 0.5 * low, 2.0 * high
        else:
            low, high = 1.0, np.inf
    values, value_weights = np.empty(count), np.empty(count)
    count = 0
    for i in range(n):
        if low <= losses[i] <= high:
            values[count], value_weights[count] = losses[i], weights[i]
            count += 1
    level = (inside - (budget - above)) / inside
    cut_at = select(values, level, value_weights)
    if cut_at <= 1.0:
        return
    cap[0], cap[1] = cut_at * (1.0 - TIE), cut_at * (1.0 + TIE)
    on_cap = 0.0
    for i in range(count):
        if values[i] > cap[1]:
            above += value_weights[i]
        elif values[i] > cap[0]:
            on_cap += value_weights[i]
    over = budget - above
    if over > 1e-7 * on_cap:
        cap[2] = max(1.0 - over / on_cap, 0.0)


@compiled()
def moved_rows(rows, loss, cap, sums):
    """The rows of which another share counts under ``cap`` than under ``loss``.

    Their costs are those of what more (or less) of them counts, which the cost that is cut, the
    last of ``sums``, loses (or gains).
    """
    losses = rows.losses
    below, high, tied = loss[0].below, loss[0].cap, loss[0].tied
    least, most = min(below, cap[0]), max(high, cap[1])
    count = 0
    for i in range(losses.size):
        if least < losses[i] <= most:
            count += 1
    d = rows.X.shape[1]
    X, codes = np.empty((count, d), rows.X.dtype), np.empty(count, rows.codes.dtype)
    costs = np.empty(count)
    count = 0
    for i in range(losses.size):
        if least < losses[i] <= most:
            change = counted_share(losses[i], cap[0], cap[1], cap[2])
            change -= counted_share(losses[i], below, high, tied)
            if change != 0.0:
                codes[count], costs[count] = rows.codes[i], change * rows.costs[i]
                sums[-1] -= costs[count]
                for j in range(d):
                    X[count, j] = rows.X[i, j]
                count += 1
    return Rows(X[:count], rows.center, rows.factor, codes[:count], costs[:count], losses[:0])
