"""How likely are the ratings of items by several raters, given how each labels each class?"""

from __future__ import annotations

import math

import numpy as np

from csvor._utils.compile import FAST, compiled


@compiled(fastmath=FAST)
def class_posteriors(
    first, stop, starts, codes, raters, known, telling, per_class, logs, log_prior, posterior,
    counts,
):  # fmt: skip
    """The log-likelihood of the ratings of items from first to stop, true nodes t summed out.

        ``sum_j log sum_t P_j(t) prod_i P(y_i | t, r_i)``

    summed over the items that are `telling`.

    Ratings ``starts[j]`` to ``starts[j + 1]`` are of item j. ``logs[r, k, t]`` is
    ``log P(y = k | t, r)``, ``log_prior`` has a row for each item, or one for all, and
    ``known[j]`` is the true class, or -1; a class has ``per_class`` nodes. ``posterior`` gets
    ``P(t | ratings)`` of each item, and ``counts[r, k, t]`` the sum of that over the ratings k of
    r of telling items: the derivatives of the likelihood by ``logs``.
    """
    K = logs.shape[2]
    counts[:] = 0.0
    total = 0.0
    for j in range(first, stop):
        row = posterior[j]
        prior = log_prior[j if log_prior.shape[0] > 1 else 0]
        for t in range(K):
            row[t] = prior[t] if known[j] < 0 or known[j] == t // per_class else -math.inf
        for i in range(starts[j], starts[j + 1]):
            seen = logs[raters[i], codes[i]]
            for t in range(K):
                row[t] += seen[t]
        most = row.max()
        mass = 0.0
        for t in range(K):
            row[t] = math.exp(row[t] - most)
            mass += row[t]
        for t in range(K):
            row[t] /= mass
        if not telling[j]:
            continue
        total += most + math.log(mass)
        for i in range(starts[j], starts[j + 1]):
            count = counts[raters[i], codes[i]]
            for t in range(K):
                count[t] += row[t]
    return total


@compiled(fastmath=FAST)
def expected_slopes(starts, codes, raters, telling, posterior, slopes, outer):
    """Adds to ``outer[r]`` the products of what each rating's slopes are in the mean over classes.

    Of the items that are `telling`; ``slopes[r, k, t]`` are the derivatives of
    ``log P(y = k | t, r)`` by the parameters of r.
    """
    m = slopes.shape[3]
    mean = np.empty(m)
    for j in range(starts.size - 1):
        if not telling[j]:
            continue
        for i in range(starts[j], starts[j + 1]):
            r = raters[i]
            by_class = slopes[r, codes[i]]
            mean[:] = 0.0
            for t in range(posterior.shape[1]):
                for a in range(m):
                    mean[a] += posterior[j, t] * by_class[t, a]
            for a in range(m):
                for b in range(m):
                    outer[r, a, b] += mean[a] * mean[b]
