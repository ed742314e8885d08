"""Do the features put the classes in another order than the one declared?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils import check_array, get_tags

from csvor.audit._in_memory import AuditDataInMemory
from csvor.audit._ranking import rank_correlation

Array = NDArray[np.float64]

# So many rows show an order; more classes are numbers, which nobody puts in order by hand.
_ROWS, _MOST_CLASSES = 2_000, 20
# The rank correlation of another order, by itself, beyond chance, and beyond that of the order
# declared. (Twelve sets: the order declared is the best one. Two classes beside each other that are
# exchanged: gain .1. 100 draws of random labels, 200 x 10 and more: at most .28.)
_CLEAR, _STANDARD_ERRORS, _GAIN = 0.5, 5.0, 0.2


def notes_on_order(rows: Any, estimator: Any) -> tuple[str, ...]:
    """A note where held-out predictions follow the labels far better in another order.

    Classes get the scores by which a linear model of the features predicts them best (optimal
    scoring, the first discriminant), and are ranked by these.
    """
    K = rows.classes.size
    if not 2 < K <= _MOST_CLASSES or get_tags(estimator).input_tags.pairwise:
        return ()
    some = rows.sample(_ROWS, estimator)
    codes = some.labelling.codes
    weights = np.ones(codes.size) if some.labelling.weights is None else some.labelling.weights
    indicators = np.eye(K)[codes]
    predicted = _predicted(some, estimator, indicators, weights)
    counts = weights @ indicators
    seen = np.flatnonzero(counts)
    if seen.size < 3:
        return ()
    centred = predicted - weights @ predicted / weights.sum()
    shared = ((indicators.T * weights) @ centred)[np.ix_(seen, seen)]
    scale = 1.0 / np.sqrt(counts[seen])
    scores = np.linalg.eigh((shared + shared.T) * np.outer(scale, scale))[1][:, -1] * scale
    order = seen[np.argsort(scores)]
    if np.corrcoef(order, np.arange(order.size))[0, 1] < 0.0:
        order = order[::-1]
    ranks = np.zeros(K)
    ranks[order] = np.arange(order.size)
    declared, other = (
        rank_correlation(predicted @ its, its[codes].astype(np.int64), weights)
        for its in (np.arange(K), ranks)
    )
    least = max(_CLEAR, _STANDARD_ERRORS / np.sqrt(codes.size), declared + _GAIN)
    if other < least:
        return ()
    return (
        "Predictions from the features follow the labels far better in another order, "
        f"{' < '.join(map(str, rows.classes[order].tolist()))} (rank correlation {other:.2f}, in "
        f"the order declared {declared:.2f}): if that order, or its reverse, is meant, declare the "
        "classes so.",
    )


def _predicted(rows: AuditDataInMemory, estimator: Any, indicators: Array, weights: Array) -> Array:
    """Held-out predictions of the indicators of the classes."""
    predicted = np.zeros_like(indicators)
    for train, test in rows.parts:
        X, X_test = (
            check_array(part, accept_sparse="csr", dtype=np.float64)
            for part in rows.divided(estimator, train, test)
        )
        scaler = MaxAbsScaler() if issparse(X) else StandardScaler()
        model = make_pipeline(scaler, Ridge())
        model.fit(X, indicators[train], ridge__sample_weight=weights[train])
        predicted[test] = model.predict(X_test)
    return predicted
