"""The classes' intervals on the score: which one a score lies in, and which hold no score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._data.fit_data import FitData
from csvor._loss.pairs import count_passed
from csvor._mixture.channels import MANY_CLASSES
from csvor._utils.warn import AdvisedWarning, warn

Array = NDArray[np.float64]

# In units of the margin: what a solver leaves of an interval that it closes.
_NO_WIDTH = 1e-6


class EmptyIntervalWarning(AdvisedWarning):
    """A class has rows, and no place between the thresholds."""


def ends_with_rows(present: NDArray[np.bool_]) -> tuple[int, int]:
    """The lowest and the highest class that have rows: their intervals have no outer end."""
    return int(np.argmax(present)), int(present.size - 1 - np.argmax(present[::-1]))


def predicted_codes(
    scores: Array, thresholds: Array, present: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Thresholds passed, but never beyond the classes that have rows.

    Between them a class without rows has no width, so that no score lies in it.
    """
    return np.clip(count_passed(scores, thresholds), *ends_with_rows(present))


def depths(scores: Array, thresholds: Array, present: NDArray[np.bool_]) -> Array:
    """``min(f - b_{k-1}, b_k - f)``, largest in the column of the predicted class."""
    over = scores[:, None] - thresholds
    # A score on a threshold has passed it: 0 on its lower edge beats less than 0 on an upper.
    hair = np.finfo(np.float64).tiny
    under = np.where(over == 0.0, -hair, -over)
    edge = np.full((scores.size, 1), np.inf)
    from_lower, from_upper = np.hstack([edge, over]), np.hstack([under, edge])
    lowest, highest = ends_with_rows(present)
    from_lower[:, lowest] = from_upper[:, highest] = np.inf
    depth = np.minimum(from_lower, from_upper)
    depth[:, ~present] = np.minimum(depth[:, ~present], -hair)
    return depth


def warn_of_empty_intervals(model: Any, thresholds: Array, data: FitData) -> None:
    """Name the classes that have rows, but no interval between ``thresholds``."""
    empty = np.flatnonzero(np.diff(thresholds) <= _NO_WIDTH) + 1
    if empty.size == 0:
        return
    names = ", ".join(map(repr, data.classes[data.present][empty].tolist()))
    weights = data.mass
    # Of marks on a scale some are always rare: they are not to count as much as the others.
    rare = weights.size < MANY_CLASSES and bool(np.any(weights[empty] < 0.5 * weights.mean()))
    complaint = f"predict never returns class {names}, whose rows leave no interval in thresholds_"
    warn(EmptyIntervalWarning(complaint, model._remedy_for_empty_intervals(rare)))
