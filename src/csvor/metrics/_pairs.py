"""Truth and prediction as ranks in one class order, and sums over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._data.tables import masked_as_nan
from csvor._labels import code_pair, refuse_other_order


@dataclass(frozen=True, eq=False)
class RankPairs:
    """Codes of truth and prediction, and the weight of each row (positive)."""

    true: NDArray[np.int64]
    predicted: NDArray[np.int64]
    weight: NDArray[np.float64] | None
    n_classes: int

    @property
    def distance(self) -> NDArray[np.int64]:
        distance: NDArray[np.int64] = np.abs(self.true - self.predicted)
        return distance

    def mean(self, values: NDArray[Any]) -> float:
        return float(np.average(values, weights=self.weight))

    def totals(self, codes: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.float64]:
        """Weighted sum of the values of each class."""
        values = values if self.weight is None else self.weight * values
        return np.bincount(codes, values, minlength=self.n_classes).astype(np.float64)

    def mean_distance_of_classes(self) -> NDArray[np.float64]:
        total = self.totals(self.true, self.distance)
        weight = self.totals(self.true, np.ones(self.true.size))
        errors = np.full(self.n_classes, np.nan)
        np.divide(total, weight, out=errors, where=weight > 0)
        return errors

    def expected(self, power: float) -> float:
        """Mean of distance**power over all pairs of a true and a predicted label."""
        ones = np.ones(self.true.size)
        true, predicted = self.totals(self.true, ones), self.totals(self.predicted, ones)
        rows, columns = np.flatnonzero(true > 0), np.flatnonzero(predicted > 0)
        cost = np.abs(rows[:, None] - columns).astype(np.float64) ** power
        mass = true.sum() * predicted.sum()
        return float(true[rows] @ cost @ predicted[columns] / mass)


def rank_pairs(
    y_true: Any,
    y_pred: Any,
    classes: Any,
    sample_weight: ArrayLike | None,
    *,
    order_matters: bool = True,
) -> RankPairs:
    """Put both columns on codes of one class order; rows of weight 0 are left out."""
    refuse_other_order(None, y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    coded, coded_pred = code_pair(y_true, y_pred, classes, order_matters=order_matters)
    true, predicted, n_classes = coded.codes, coded_pred.codes, coded.labels.classes.size
    if true.size != predicted.size:
        raise ValueError(
            f"y_true has {true.size} labels and y_pred {predicted.size}; pass one of each per row."
        )
    if sample_weight is None:
        return RankPairs(true, predicted, None, n_classes)
    weight = _check_weight(sample_weight, true.size)
    counted = weight > 0
    return RankPairs(true[counted], predicted[counted], weight[counted], n_classes)


def _check_weight(sample_weight: ArrayLike, n_samples: int) -> NDArray[np.float64]:
    weight = np.asarray(masked_as_nan(sample_weight), dtype=np.float64)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has the shape {weight.shape} but there are {n_samples} labels; "
            "pass one weight per row."
        )
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight is {weight[row]} in row {row}; weights must be finite and >= 0."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count.")
    return weight
