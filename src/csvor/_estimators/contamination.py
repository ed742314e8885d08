"""Which share of the labels is wrong, by models that have not seen them?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._data.folds import stratified_folds
from csvor._mixture.mixture import fit_mixture
from csvor._parts.engine import take
from csvor._rows.matrix import ScaledMatrix
from csvor._utils.lazy import is_lazy
from csvor._utils.sampling import random_rows

# Parts that are held out, and rows that tell the share well enough.
_FOLDS, _ENOUGH = 5, 20_000


def share_of_wrong_labels(
    solve: Callable[..., tuple[Any, Any]],
    matrix: ScaledMatrix,
    codes: NDArray[np.integer],
    n_classes: int,
    weights: NDArray[np.float64],
) -> float:
    """By margins of rows that a model has not seen: without a cap, then with the share so far.

    ``solve(matrix, codes, n_classes, weights, share)`` gives a problem that cuts a share of the
    weight, and its solution.
    """
    if codes.size > _ENOUGH or is_lazy(codes):
        rows = random_rows(codes.size, _ENOUGH)
        matrix, (codes, weights) = matrix.take(rows), take(rows, codes, weights)
        codes = codes.astype(np.int32)
    scores, share = np.empty(codes.size), 0.0
    for _ in range(2):
        for train, test in stratified_folds(codes, min(_FOLDS, codes.size), 0):
            problem, solution = solve(
                matrix.take(train), codes[train], n_classes, weights[train], share
            )
            coef, thresholds = problem.split(solution.point)
            scores[test] = matrix.take(test).products.matvec(coef) - thresholds.mean()
        # The mixture has thresholds of its own; those of a model may meet.
        margins = np.repeat(scores[:, None], n_classes - 1, axis=1)
        share = min(fit_mixture(margins, codes, weights).share, 0.5)
    return share
