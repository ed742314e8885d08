"""What do trees say of rows that they have not seen, where likely errors count for little?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.utils import check_array
from threadpoolctl import threadpool_limits

from csvor._parts.engine import take
from csvor._utils.threads import side_by_side

if TYPE_CHECKING:
    from csvor.audit._held_out import AuditData

Array = NDArray[np.float64]

# What a row counts in the fit of trees at the least, however surely its label is wrong.
_LEAST_WEIGHT = 1e-3
# Of many columns a part is enough for a split.
_ENOUGH_COLUMNS = 50
N_MODELS = 2
# Trees see in which of 128 bins of its column a value lies. (Boosting with weights makes bins of
# its own, in four times the time of the fit.)
_LEVELS = np.linspace(0.0, 1.0, 129)[1:-1]
# From so many rows on trees are larger.
_MANY = 3_000


def tree_models(n_rows: int, n_columns: int) -> tuple[Any, ...]:
    """Boosting and extra trees for a table of that shape."""
    leaves, least = (15, 20) if n_rows > _MANY else (6, 8)
    boosting = HistGradientBoostingClassifier(
        max_leaf_nodes=leaves,
        learning_rate=0.1,
        max_iter=90,
        min_samples_leaf=least,
        l2_regularization=1.0,
        max_features=min(1.0, _ENOUGH_COLUMNS / n_columns),
        early_stopping=False,
        random_state=0,
    )
    return boosting, ExtraTreesClassifier(150, min_samples_leaf=3, random_state=0)


def tree_probabilities(
    rows: AuditData, before: Any, wrong: Any, report: Callable[[], None]
) -> list[Any]:
    """Held-out class probabilities of each of `tree_models`.

    Rows count ``1 - P(label is wrong)``, by models before these: wrong labels teach trees nothing.
    They are fitted to the rows that memory holds, and judge all. Sparse features get none: there
    trees see little, and take long.

    Parameters
    ----------
    rows : AuditData
    before : transformer or None
        What features go through first; it is fitted to each part.
    wrong : array of shape (n,)
        The probability that each label is wrong.
    report : callable
        Called after each fit, from any thread, never from two at once.

    Returns
    -------
    probabilities : list of arrays of shape (n, n_classes)
    """
    some = rows.some
    labels = some.labelling
    weights = np.maximum(1.0 - take(rows.rows_of_some, wrong)[0], _LEAST_WEIGHT)
    if labels.weights is not None:
        weights = weights * labels.weights
    fitted: list[list[Any]] = [[None] * len(some.parts) for _ in range(N_MODELS)]
    one_at_a_time = Lock()

    def fit(k: int, stopped: Event) -> None:
        train = some.parts[k][0]
        train = train[weights[train] > 0.0]
        steps, X = some.encoded(before, train)
        if issparse(X) or np.unique(labels.codes[train]).size < 2:
            return
        X = check_array(X, dtype=np.float64)
        edges = np.quantile(X, _LEVELS, axis=0).T
        binned = _binned(X, edges)
        for i, model in enumerate(tree_models(*X.shape)):
            if stopped.is_set():
                return
            # Sums of boosting are rounded by the number of threads.
            with threadpool_limits(1):
                tree = model.fit(binned, labels.codes[train], weights[train])
            fitted[i][k] = steps, edges, tree
            with one_at_a_time:
                report()

    side_by_side(fit, range(len(some.parts)))
    if any(model is None for models in fitted for model in models):
        return []
    K = rows.classes.size
    return [rows.each_by_part(partial(_probabilities, K), models, width=K) for models in fitted]


def _binned(X: Array, edges: Array) -> Array:
    """The bin of each value between the edges of its column."""
    columns = [np.searchsorted(its, column) for its, column in zip(edges, X.T, strict=True)]
    return np.column_stack(columns).astype(np.float64)


def _probabilities(n_classes: int, model: tuple[Any, Array, Any], X: Any) -> Array:
    """Of all classes, those that the model has not seen among them."""
    steps, edges, tree = model
    encoded = np.asarray(X if steps is None else steps.transform(X), dtype=np.float64)
    probabilities = np.zeros((encoded.shape[0], n_classes))
    with threadpool_limits(1):
        probabilities[:, tree.classes_] = tree.predict_proba(_binned(encoded, edges))
    return probabilities
