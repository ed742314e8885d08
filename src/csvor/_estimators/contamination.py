"""Which share of the labels is wrong, by models that have not seen them?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from csvor._data.fit_data import FitData
from csvor._data.folds import held_out_parts
from csvor._mixture.mixture import fit_mixture
from csvor._mixture.objective import margins_of_score
from csvor._parts.engine import take
from csvor._rows.content import order_by_content
from csvor._utils.sampling import random_rows

# Parts that are held out, and rows that tell the share well enough.
_FOLDS, _ENOUGH = 5, 20_000


def share_of_wrong_labels(solve: Callable[..., tuple[Any, Any]], data: FitData) -> float:
    """By margins of rows that a model has not seen: without a cap, then with the share so far.

    ``solve(matrix, codes, n_classes, weights, share)`` gives a problem that cuts a share of the
    weight, and its solution.
    """
    matrix, codes, weights = data.matrix, data.present_codes, data.weights
    n_classes = int(data.present.sum())
    X = data.rows if data.in_memory else None
    if codes.size > _ENOUGH or not data.in_memory:
        drawn = random_rows(codes.size, _ENOUGH)
        matrix, (codes, weights) = matrix.take(drawn), take(drawn, codes, weights)
        codes, X = codes.astype(np.int32), matrix.X if X is None else X[drawn]
    order, _ = order_by_content(X, codes, weights)  # wherever rows stand (N72)
    parts = held_out_parts(codes, min(_FOLDS, codes.size), None, 0, order)
    if any(np.ptp(codes[train]) == 0 for train, _ in parts):
        return 0.0  # the only row of one of two classes cannot be judged (N68)
    scores, share = np.empty(codes.size), 0.0
    for _ in range(2):
        for train, test in parts:
            problem, solution = solve(
                matrix.take(train), codes[train], n_classes, weights[train], share
            )
            coef, thresholds = problem.split(solution.point)
            scores[test] = matrix.take(test).products.matvec(coef) - thresholds.mean()
        margins = margins_of_score(scores, n_classes)
        share = min(fit_mixture(margins, codes, weights).share, 0.5)
    return share
