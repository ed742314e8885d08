"""What do trees say of rows that they have not seen, where likely errors count for little?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import is_regressor
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
)
from sklearn.tree import BaseDecisionTree
from sklearn.utils import check_array, check_random_state, get_tags

from csvor._parts.engine import take
from csvor._utils.threads import one_openmp_thread

if TYPE_CHECKING:
    from csvor.audit._held_out import AuditData

Array = NDArray[np.float64]

# Trees see numbers in such steps, whose sums are exact: of two splits that part rows alike none is
# better by rounding. A row counts one such step at the least, however surely its label is wrong.
_STEP = 2.0**-10
# Of many columns a part is enough for a split.
_ENOUGH_COLUMNS = 50
# Trees see in which of 128 bins of its column a value lies. (Boosting with weights makes bins of
# its own, in four times the time of the fit.)
_LEVELS = np.linspace(0.0, 1.0, 129)[1:-1]
# From so many rows on trees are larger.
_MANY = 3_000
# How far labels lie from what is expected is noisy: its trees have large leaves.
# (A third of the columns is looked at for a split, two at least: of all, 2 to 12 more labels are
# flagged where noise grows with the score, in half of the time again. Case N84.)
_SPREAD_TREES, _SPREAD_ROWS, _SPREAD_COLUMNS = 100, 15, 1 / 3


class NoTreesError(Exception):
    """Trees cannot be fitted to the rows, or say little of them."""


class Trees(NamedTuple):
    """What trees say of rows that they have not seen.

    Attributes
    ----------
    probabilities : list of arrays of shape (n, n_classes)
        By boosting and by extra trees.
    distance : array of shape (n,)
        The target of the regression, as it is expected.
    """

    probabilities: list[Any]
    distance: Any


def tree_models(n_rows: int, n_columns: int) -> tuple[Any, Any, Any]:
    """Boosting and extra trees for a table of that shape, and extra trees for the distance."""
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
    spread = ExtraTreesRegressor(
        _SPREAD_TREES,
        min_samples_leaf=_SPREAD_ROWS,
        max_features=max(_SPREAD_COLUMNS, min(1.0, 2.0 / n_columns)),
        random_state=0,
    )
    return boosting, ExtraTreesClassifier(150, min_samples_leaf=3, random_state=0), spread


def held_out_trees(
    rows: AuditData, estimator: Any, wrong: Any, distance: Any, report: Callable[[], None]
) -> Trees | None:
    """Class probabilities of boosting and extra trees, and a regression of `distance`.

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
    some, K = rows.some, rows.classes.size
    wrong, distance = (_in_steps(one) for one in take(rows.rows_of_some, wrong, distance))
    weights = np.maximum(1.0 - wrong, _STEP)
    if some.labelling.weights is not None:
        weights = weights * some.labelling.weights
    one_at_a_time = Lock()

    def fit(k: int, stopped: Event) -> Iterator[Any]:
        """The bins of a part, and then models as `_answers` takes them, fitted when asked for."""
        train = some.parts[k][0]
        train = train[weights[train] > 0.0]
        labels = some.labelling.take(train)
        bins, X = _bins(*some.encoded(estimator, train))
        if np.unique(labels.codes).size < 2:
            raise NoTreesError
        yield bins
        *classifiers, spread = tree_models(*X.shape)
        fits: list[Any] = [(model, labels.codes, weights[train]) for model in classifiers]
        for i, (model, *target) in enumerate([*fits, (spread, distance[train], labels.weights)]):
            for single, part in _one_by_one(model):
                if stopped.is_set():
                    return
                # Sums of boosting are rounded by the number of threads.
                with one_openmp_thread():
                    single.fit(X, *target, **_unchecked(single))
                yield i * K, part, single
            if model is not spread:
                with one_at_a_time:
                    report()

    try:
        answers = rows.each_by_part(partial(_answers, K), fit, width=2 * K + 1)
    except NoTreesError:
        return None
    return Trees([answers[:, :K], answers[:, K:-1]], answers[:, -1])


def _in_steps(values: Array) -> Array:
    return np.rint(values / _STEP) * _STEP


def _bins(steps: Any, X: Any) -> tuple[Callable[[Any], Any], Any]:
    """What makes of features the bins of their values in `X`, which has gone through the steps."""
    if issparse(X):
        raise NoTreesError
    X = check_array(X, dtype=np.float64)
    edges = np.quantile(X, _LEVELS, axis=0).T
    columns = _columns_in_order(_binned(None, range(len(edges)), edges, X), edges)
    edges = edges[columns]
    return partial(_binned, steps, columns, edges), _binned(None, columns, edges, X)


def _columns_in_order(binned: NDArray[np.float32], edges: Array) -> NDArray[np.intp]:
    """The columns in an order that follows from what they hold: trees draw them by their number."""
    of_rows = np.random.default_rng(0).integers(1 << 20, size=len(binned)).astype(np.float64)
    sums = [of_rows @ column for column in binned.T.astype(np.float64)]  # whole numbers, exact
    return np.lexsort((*edges.T, np.array(sums)))


def _binned(steps: Any, columns: Iterable[int], edges: Array, X: Any) -> NDArray[np.float32]:
    """The bin of each value between the edges of its column, one of X in that order."""
    X = np.asarray(X if steps is None else steps.transform(X), float)
    binned = np.empty(X.shape, np.float32)
    for i, (j, its) in enumerate(zip(columns, edges, strict=True)):
        binned[:, i] = np.searchsorted(its, X[:, j])
    return binned


def _one_by_one(model: Any) -> Iterator[tuple[Any, float]]:
    """The trees of a forest, each with its part of it; another model as it is.

    They are those that the forest would fit, which takes as long again for what is about them, and
    100 MB for all trees of 16 000 rows.
    """
    if not isinstance(model, (ExtraTreesClassifier, ExtraTreesRegressor)):
        yield model, 1.0
        return
    rng, kind = check_random_state(model.random_state), type(model.estimator)
    settings = {name: getattr(model, name) for name in model.estimator_params}
    for _ in range(model.n_estimators):
        settings["random_state"] = rng.randint(np.iinfo(np.int32).max)
        yield kind(**settings), 1.0 / model.n_estimators


def _unchecked(model: Any) -> dict[str, bool]:
    """For a tree, whose bins are our own: to check them takes longer than to grow it."""
    return {"check_input": False} if isinstance(model, BaseDecisionTree) else {}


def _answers(n_classes: int, models: Iterable[Any], X: Any) -> Array:
    """Of all classes by each classifier side by side, unseen ones among them, and the distance."""
    models = iter(models)
    binned = next(models)(X)
    answers = np.zeros((binned.shape[0], 2 * n_classes + 1))
    with one_openmp_thread(), config_context(skip_parameter_validation=True, assume_finite=True):
        for start, part, model in models:
            if is_regressor(model):
                answers[:, -1] += part * model.predict(binned, **_unchecked(model))
            else:
                probabilities = model.predict_proba(binned, **_unchecked(model))
                answers[:, start + model.classes_] += part * probabilities
    return answers
