"""What are the margins of scores of any kind?

Scores are read as what they are (one score, margins, class probabilities); class probabilities also
as one score, their expected class. Probabilities of many models claim more than they keep, and
what they get wrong would be taken for wrong labels; the likelihood tells which reading is better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.special import logit
from scipy.stats import spearmanr

from csvor._data.ranges import LARGEST
from csvor._data.tables import masked_as_nan
from csvor._mixture.objective import margins_of_score

Array = NDArray[np.float64]

# Mean probability of the labels given by which another order of the columns must be better.
_CLEARLY = 0.1
# Log-odds beyond this tell nothing that the mixture could use.
_FAR = 30.0
# Rank correlation of scores and classes below which the scores must have the other sign: so many
# standard errors of chance at least.
_BACKWARDS, _BY_CHANCE = -0.05, 3.0


def readings_of(
    scores: ArrayLike,
    codes: NDArray[np.integer] | None,
    labels: NDArray[Any],
    weights: Array | None = None,
) -> dict[str, Array]:
    """The margins, shape (n_samples, n_classes - 1), of each way to read the scores, by name.

    Scores of a user may be the wrong way round by the ``codes``; without these none is refused.
    """
    if issparse(scores):
        raise TypeError("scores are sparse, which an audit of scores can't read: scores.toarray().")
    if codes is not None:
        _refuse_alphabet(scores, codes, labels)
    margins = margins_of(scores, codes, labels.size, weights)
    if np.ndim(scores) == 1:
        return {"score": margins}
    if np.shape(scores)[1] < labels.size:
        return {"margins": margins}
    readings = {"probabilities": margins}
    expected = np.asarray(scores, dtype=np.float64) @ np.arange(labels.size)
    if np.ptp(expected) > 0.0:
        readings["expected class"] = margins_of(expected, codes, labels.size, weights)
    return readings


def margins_of(
    scores: ArrayLike,
    codes: NDArray[np.integer] | None,
    n_classes: int,
    weights: Array | None = None,
) -> Array:
    """Margins of shape (n_samples, n_classes - 1) from any form of scores."""
    values = np.asarray(masked_as_nan(scores), dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise ValueError(f"scores hold NaN or infinity (first in row {row}): leave such rows out.")
    if np.abs(values).max(initial=0.0) > LARGEST:
        raise ValueError(f"scores reach {np.abs(values).max():g}, too large to compute with.")
    if values.ndim == 1:
        margins = _in_spreads(margins_of_score(values, n_classes), weights)
    elif values.ndim == 2 and values.shape[1] == n_classes:
        margins = margins_of_probabilities(values)
    elif values.ndim == 2 and values.shape[1] == n_classes - 1:
        _refuse_probabilities(values)
        _refuse_rising(values)
        margins = _in_spreads(values, weights)
    else:
        raise ValueError(
            f"scores have shape {values.shape}; with {n_classes} classes they must be one score a "
            f"row, {n_classes - 1} margins, or {n_classes} probabilities."
        )
    if codes is not None:
        _refuse_falling(margins, codes)
    return margins


def _refuse_falling(margins: Array, codes: NDArray[np.integer]) -> None:
    middle = margins.mean(axis=1)
    if np.ptp(middle) == 0.0:
        raise ValueError("scores are all the same, which tells nothing of the labels.")
    rising = float(spearmanr(middle, codes).statistic)
    if rising < min(_BACKWARDS, -_BY_CHANCE / np.sqrt(codes.size)):
        raise ValueError(
            f"scores fall where the classes rise (rank correlation {rising:.2f}): give them with "
            "the other sign, or the classes in the other order."
        )


def _refuse_alphabet(scores: Any, codes: NDArray[np.integer], labels: NDArray[Any]) -> None:
    """Refuse probabilities of words whose columns scikit-learn has put in the alphabet's order."""
    values, K = np.asarray(scores), labels.size
    alphabet = np.argsort(labels.astype(str), kind="stable")
    if values.shape != (codes.size, K) or np.array_equal(alphabet, np.arange(K)):
        return
    places = np.argsort(alphabet)
    rows = np.arange(codes.size)
    in_order, by_alphabet = values[rows, codes].mean(), values[rows, places[codes]].mean()
    if by_alphabet > in_order + _CLEARLY:
        raise ValueError(
            f"scores have their columns in the order of the alphabet, {labels[alphabet].tolist()}, "
            "as probabilities of scikit-learn's models have: put them in the order of the classes, "
            f"scores[:, {places.tolist()}]."
        )


def _in_spreads(margins: Array, weights: Array | None) -> Array:
    """In spreads of the score: the mixture's slopes are bounded, so the unit has to be known."""
    score = margins.mean(axis=1)
    away = score - np.average(score, weights=weights)
    # By powers of 2, which round nothing: squares of large scores by large weights are no numbers.
    size = np.frexp(np.abs(away).max(initial=0.0))[1]
    if weights is not None:
        weights = np.ldexp(weights, -np.frexp(weights.max(initial=0.0))[1])
    spread = np.sqrt(np.average(np.ldexp(away, -size) ** 2, weights=weights))
    return margins / (np.ldexp(spread, size) or 1.0)


def _refuse_probabilities(margins: Array) -> None:
    total, columns = margins.sum(axis=1), margins.shape[1]
    if columns > 1 and margins.min() >= 0.0 and np.abs(total - 1.0).max() < 1e-6:
        raise ValueError(
            f"scores have {columns} columns that sum to 1, like probabilities of {columns} "
            f"classes, and there are {columns + 1}: give a column for each class, or margins."
        )


def _refuse_rising(margins: Array) -> None:
    rises = np.flatnonzero(np.diff(margins.mean(axis=0)) > 0.0)
    if rises.size:
        k = int(rises[0])
        raise ValueError(
            f"scores of {margins.shape[1]} columns are margins, and these rise from column {k} to "
            f"column {k + 1} (in the mean): give f - b_k, which falls from a threshold to the "
            f"next, or probabilities of all {margins.shape[1] + 1} classes."
        )


def margins_of_probabilities(probabilities: Array) -> Array:
    total = probabilities.sum(axis=1)
    if probabilities.min() < 0.0 or np.abs(total - 1.0).max() > 1e-3:
        row = int(np.argmax(np.abs(total - 1.0) + 1e3 * (probabilities.min(axis=1) < 0.0)))
        raise ValueError(
            f"scores have a column for each class, but row {row} is no distribution (sum "
            f"{total[row]:.4g}, least {probabilities[row].min():.4g}): give probabilities, or "
            f"{probabilities.shape[1] - 1} margins."
        )
    above = np.cumsum(probabilities[:, ::-1], axis=1)[:, ::-1][:, 1:]
    with np.errstate(divide="ignore"):
        return np.clip(logit(np.clip(above, 0.0, 1.0)), -_FAR, _FAR)
