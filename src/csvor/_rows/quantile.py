"""Weighted quantiles of what the rows hold, by selection."""

from __future__ import annotations

from csvor._utils.compile import compiled


@compiled()
def weighted_quantile(values, level, weights):
    """The least value up to which ``level`` of the weight lies: a weight is a repetition.

    By selection: what lies on the wrong side of a pivot is not looked at again.
    """
    return select(values.copy(), level, weights.copy())


@compiled()
def select(v, level, w):
    """The same, which puts values and weights into another order."""
    n = v.size
    total = 0.0
    for i in range(n):
        total += w[i]
    # A hair below, since 0.55 * 100 is 55.00000...01.
    wanted = level * total - 1e-9 * total / n
    low, high, before = 0, n, 0.0
    while high - low > 1:
        a, b, c = v[low], v[(low + high) // 2], v[high - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        less, at, more, reached, equal = low, low, high, before, 0.0
        while at < more:
            if v[at] < pivot:
                reached += w[at]
                v[at], v[less] = v[less], v[at]
                w[at], w[less] = w[less], w[at]
                less, at = less + 1, at + 1
            elif v[at] > pivot:
                more -= 1
                v[at], v[more] = v[more], v[at]
                w[at], w[more] = w[more], w[at]
            else:
                equal += w[at]
                at += 1
        if less > low and reached >= wanted:
            high = less
        elif reached + equal >= wanted or more == high:
            return pivot
        else:
            low, before = more, reached + equal
    return v[low]
