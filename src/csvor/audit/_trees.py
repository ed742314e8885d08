"""What do trees say of rows that they have not seen, where likely errors count for little?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
)
from sklearn.utils import check_array, get_tags

from csvor._parts.engine import take
from csvor._utils.threads import one_openmp_thread, side_by_side

if TYPE_CHECKING:
    from csvor.audit._held_out import AuditData

Array = NDArray[np.float64]

# What a row counts in the fit of trees at the least, however surely its label is wrong.
_LEAST_WEIGHT = 1e-3
# Of many columns a part is enough for a split.
_ENOUGH_COLUMNS = 50
# Trees see in which of 128 bins of its column a value lies. (Boosting with weights makes bins of
# its own, in four times the time of the fit.)
_LEVELS = np.linspace(0.0, 1.0, 129)[1:-1]
# From so many rows on trees are larger.
_MANY = 3_000
# How far labels lie from what is expected is noisy: its trees have large leaves.
_SPREAD_TREES, _SPREAD_ROWS = 100, 15


class Trees(NamedTuple):
    """What trees say of rows that they have not seen.

    Attributes
    ----------
    probabilities : list of arrays of shape (n, n_classes)
        By each of `tree_models`.
    distance : array of shape (n,)
        The target of the regression, as it is expected.
    """

    probabilities: list[Any]
    distance: Any


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


def held_out_trees(
    rows: AuditData, estimator: Any, wrong: Any, distance: Any, report: Callable[[], None]
) -> Trees | None:
    """Class probabilities of each of `tree_models`, and a regression of `distance`.

    In the former rows count ``1 - P(label is wrong)``, by models before these: wrong labels teach
    trees nothing. They are fitted to the rows that memory holds, and judge all. Sparse features get
    none: there trees see little, and take long. A precomputed kernel has no columns to split.

    Parameters
    ----------
    rows : AuditData
    estimator : estimator or Pipeline
        Features go through its steps before the last, which are fitted to each part.
    wrong : array of shape (n,)
        The probability that each label is wrong.
    distance : array of shape (n,)
    report : callable
        Called after each fit, from any thread, never from two at once.

    Returns
    -------
    trees : Trees or None
    """
    if get_tags(estimator).input_tags.pairwise:
        return None
    some = rows.some
    labels = some.labelling
    wrong, distance = take(rows.rows_of_some, wrong, distance)
    weights = np.maximum(1.0 - wrong, _LEAST_WEIGHT)
    if labels.weights is not None:
        weights = weights * labels.weights
    fitted: list[Any] = [None] * len(some.parts)
    one_at_a_time = Lock()

    def fit(k: int, stopped: Event) -> None:
        train = some.parts[k][0]
        train = train[weights[train] > 0.0]
        steps, X = some.encoded(estimator, train)
        if issparse(X) or np.unique(labels.codes[train]).size < 2:
            return
        X = check_array(X, dtype=np.float64)
        edges = np.quantile(X, _LEVELS, axis=0).T
        binned = _binned(X, edges)
        models = tree_models(*X.shape)
        spread = ExtraTreesRegressor(_SPREAD_TREES, min_samples_leaf=_SPREAD_ROWS, random_state=0)
        spread.fit(binned, distance[train], labels.take(train).weights)
        for model in models:
            if stopped.is_set():
                return
            # Sums of boosting are rounded by the number of threads.
            with one_openmp_thread():
                model.fit(binned, labels.codes[train], weights[train])
            with one_at_a_time:
                report()
        fitted[k] = steps, edges, models, spread

    side_by_side(fit, range(len(some.parts)))
    if any(part is None for part in fitted):
        return None
    K, n_models = rows.classes.size, len(fitted[0][2])
    both = rows.each_by_part(partial(_judged, K), fitted, width=n_models * K + 1)
    return Trees([both[:, i * K : (i + 1) * K] for i in range(n_models)], both[:, -1])


def _binned(X: Array, edges: Array) -> Array:
    """The bin of each value between the edges of its column."""
    columns = [np.searchsorted(its, column) for its, column in zip(edges, X.T, strict=True)]
    return np.column_stack(columns).astype(np.float64)


def _judged(n_classes: int, part: tuple[Any, Array, Sequence[Any], Any], X: Any) -> Array:
    """Of all classes by each model side by side, unseen ones among them, and the distance."""
    steps, edges, models, spread = part
    binned = _binned(np.asarray(X if steps is None else steps.transform(X), float), edges)
    probabilities = np.zeros((binned.shape[0], len(models), n_classes))
    with one_openmp_thread():
        for i, model in enumerate(models):
            probabilities[:, i, model.classes_] = model.predict_proba(binned)
    return np.column_stack([probabilities.reshape(binned.shape[0], -1), spread.predict(binned)])
