"""How does a model answer for rows that lie in partitions?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import signature
from typing import Any

import numpy as np

from csvor._utils.lazy import is_lazy


def by_partition(method: Callable[..., Any]) -> Callable[..., Any]:
    """Of a dask array or dataframe, the answer is an array of dask's: nothing is computed yet."""

    parameters = signature(method)

    @wraps(method)
    def answer(self: Any, X: Any, *columns: Any, **named: Any) -> Any:
        if not is_lazy(X):
            return method(self, X, *columns, **named)
        columns = parameters.bind(self, X, *columns, **named).args[2:]
        from csvor._data.dask_parts import aligned_column, known_features_of
        from csvor._parts.graph import as_array, layer, shared

        features = known_features_of(self, X)
        parts = [aligned_column(values, features, "y") for values in columns]
        model, name = self._without_rows(), method.__name__
        dtype, tail = np.dtype(np.float64), ()
        if not columns:
            example = getattr(model, name)(features.example)
            dtype, tail = example.dtype, example.shape[1:]
        shown = [features.parts, *parts, shared((model,), len(features.parts))]
        answers = layer(partial(_answer, name, dtype, tail), shown, features.places)
        return as_array(answers, features.sizes, dtype, tail)

    return answer


def _answer(
    name: str, dtype: Any, tail: tuple[int, ...], place: Any, X: Any, *arguments: Any
) -> Any:
    from csvor._data.dask_parts import check_lengths, naming_partition

    *columns, (model,) = arguments
    with naming_partition(*place):
        for values in columns:
            check_lengths(place[0], X, values, "y")
        if X.shape[0] == 0:
            return np.empty((0, *tail), dtype)
        return getattr(model, name)(X, *columns)


def accuracy_by_partition(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """The share of the weight whose class is predicted."""
    from csvor._data.dask_parts import aligned_column, known_features_of
    from csvor._parts.graph import computed, layer, shared

    features = known_features_of(model, X)
    parts = [features.parts, aligned_column(y, features, "y")]
    if sample_weight is not None:
        parts.append(aligned_column(sample_weight, features, "sample_weight"))
    parts.append(shared((model._without_rows(),), len(features.parts)))
    (sums,) = computed(layer(_right, parts, features.places))
    right, total = np.sum(sums, axis=0)
    if not total > 0.0:
        raise ValueError("There is no row with a positive weight to be scored.")
    return float(right / total)


def _right(place: Any, X: Any, y: Any, *arguments: Any) -> tuple[float, float]:
    """The weight that is predicted right, and all of it."""
    from csvor._data.checks import check_each_weight
    from csvor._data.dask_parts import check_lengths, naming_partition

    *weights, (model,) = arguments
    with naming_partition(*place):
        check_lengths(place[0], X, y, "y")
        if X.shape[0] == 0:
            return 0.0, 0.0
        checked = check_each_weight(len(y), weights[0] if weights else None)
        total = float(checked.sum())
        return (total * model.score(X, y, checked) if total > 0.0 else 0.0), total
