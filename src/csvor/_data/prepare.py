"""How do data become what a fit needs of them?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from csvor._data.checks import check_features, check_weights, refuse_swapped
from csvor._data.fit_data import (
    FitData,
    class_weighting,
    classes_with_rows,
    ranks_of_present,
    require_labels,
)
from csvor._data.kernels import FeatureMap, Kernel, KernelMap, LinearMap, gamma_of
from csvor._data.ranges import check_ranges, farthest_of
from csvor._labels import CodedLabels, refuse_other_order
from csvor._rows.matrix import ScaledMatrix
from csvor._rows.spans import Spans, spans_of
from csvor._rows.storage import matrix_of
from csvor._utils.lazy import is_lazy
from csvor._utils.threads import threads_for

Array = NDArray[np.float64]


def prepare_fit(estimator: Any, X: Any, y: Any, sample_weight: Any) -> FitData:
    """Check the data of a fit and bring them into its basis; `y` may be `CodedLabels`.

    Rows in partitions come into memory where there is room for them.
    """
    refuse_swapped(X, y)
    if not is_lazy(X):
        return _prepare_in_memory(estimator, X, y, sample_weight)
    from dask.base import compute

    from csvor._data.dask_prepare import prepare_in_partitions

    data, sizes = prepare_in_partitions(estimator, X, y, sample_weight)
    if data is not None:
        return data
    return replace(_prepare_in_memory(estimator, *compute(X, y, sample_weight)), chunks=sizes)


def _prepare_in_memory(estimator: Any, X: Any, y: Any, sample_weight: Any) -> FitData:
    data, X = X, check_features(estimator, X, reset=True)
    require_labels(estimator, y)
    refuse_other_order(data, y=y, sample_weight=sample_weight)
    coded = CodedLabels.from_data(y, estimator.classes)
    labels, codes = coded.labels, coded.codes.astype(np.int32)
    check_consistent_length(X, codes)
    weights = check_weights(codes.size, sample_weight)
    mass, factors = class_weighting(estimator, labels.classes, labels.counts(codes, weights))
    if factors is not None:
        weights = np.multiply(weights, factors[codes])
    present = classes_with_rows(estimator, labels.classes, mass)

    counted = weights > 0  # a weight of 0 is a row left out
    rows, positions = X, np.flatnonzero(counted)
    present_codes = codes if present.all() else ranks_of_present(present).astype(np.int32)[codes]
    if positions.size < weights.size:
        rows, present_codes, weights = X[counted], present_codes[counted], weights[counted]
    spans = None
    if estimator.kernel != "precomputed":
        spans = spans_of(rows, weights)
        check_ranges(estimator, positions.size, spans, partial(farthest_of, rows, positions))
    elif X.shape[0] != X.shape[1]:
        raise ValueError(
            f"A precomputed kernel must be a square matrix at fit, got {X.shape}: "
            "give k(x_i, x_j) for all training rows i and j."
        )
    features, matrix = _in_basis(estimator, rows, positions, weights, spans)
    return FitData(
        X, codes, labels.classes, present, counted, weights, present_codes, features, matrix
    )


def _in_basis(
    estimator: Any, X: Any, positions: NDArray[np.intp], weights: Array, spans: Spans | None
) -> tuple[FeatureMap, ScaledMatrix]:
    """The basis of the fit, and the rows in it."""
    n, n_columns = X.shape
    if estimator.kernel != "linear":
        n_columns = estimator.n_components or n
    features: FeatureMap
    with threads_for(n * min(n, n_columns)):
        if estimator.kernel == "linear":
            features = LinearMap(X)
        else:
            gamma = gamma_of(estimator.gamma, X, weights)
            kernel = Kernel(estimator.kernel, gamma, estimator.degree, estimator.coef0)
            features = KernelMap(
                X, positions, kernel, estimator.n_components, estimator.random_state
            )
        return features, matrix_of(
            features.mapped, weights, spans if features.mapped is X else None
        )
