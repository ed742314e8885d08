"""The share of wrong labels, and the probability of each, from scores of any model."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit
from scipy.stats import spearmanr
from sklearn.utils import check_consistent_length

from csvor._data.checks import check_weights
from csvor._data.tables import masked_as_nan
from csvor._labels import CodedLabels
from csvor._mixture.mixture import fit_mixture
from csvor.audit._findings import View, findings
from csvor.audit._labelling import Labelling
from csvor.audit._wrong_labels import WrongLabels

Array = NDArray[np.float64]

# Mean probability of the labels given by which another order of the columns must be better.
_CLEARLY = 0.1
# Log-odds beyond this tell nothing that the mixture could use.
_FAR = 30.0
# Rank correlation of scores and classes below which the scores must have the other sign: so many
# standard errors of chance at least.
_BACKWARDS, _BY_CHANCE = -0.05, 3.0


def audit_scores(
    scores: ArrayLike,
    y: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    fdr: float | None = None,
) -> WrongLabels:
    r"""Estimate how many labels are wrong, and which, from out-of-fold scores of any model.

    A row's true class t has the ordered logits of its margins m,
    :math:`P(t > k) = 1 / (1 + e^{-(a_k m_k + c_k)})`, and its label is

    .. math::

        P(y = k \mid t) = (1 - \eta - \nu)\,[k = t] + \eta / K + \nu\, N(k \mid t):

    t itself, or any of the K classes, or a class beside t (N), the last only where the data
    give evidence of it. The parameters have the greatest penalised likelihood. The share of wrong
    labels is :math:`\eta (K - 1) / K + \nu`, and a label is wrong with what :math:`P(t = y \mid y)`
    leaves of 1.

    Parameters
    ----------
    scores : array-like of shape (n_samples,), (n_samples, n_classes - 1) or (n_samples, n_classes)
        Of a model that has not seen the row (out of fold): one score that rises with the class;
        or margins ``f - b_k`` to each threshold, in any unit; or class probabilities in the order
        of the classes, rows that sum to 1.
    y : array-like of shape (n_samples,)
        Labels, as estimators take them.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first; needed for words.
    sample_weight : array-like of shape (n_samples,), default=None
        Not negative; what each row counts in the likelihood.
    fdr : float, default=None
        Flag as many rows as keep the expected share of right labels among them at most at this, in
        (0, 1); None flags what is more probably wrong than right.

    Returns
    -------
    audit : WrongLabels

    Raises
    ------
    ValueError
        For labels without an order, scores of another shape, not finite, all the same, or that
        fall where the classes rise, margins that rise from a threshold to the next, probabilities
        that do not sum to 1, and an ``fdr`` outside (0, 1).

    Notes
    -----
    What cannot be told is shown by the interval: where scores hardly predict the labels, or where
    errors go to neighbouring classes in noisy data, it is wide, or reaches 0.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import audit_scores
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=500)
    >>> y = np.digitize(scores + 0.1 * rng.normal(size=500), [-0.5, 0.5])
    >>> y[:25] = (y[:25] + rng.integers(1, 3, 25)) % 3  # 25 wrong labels
    >>> audit = audit_scores(scores, y)
    >>> round(audit.share, 2), audit.named, int(audit.flagged[:25].sum())
    (0.05, 23, 23)
    """
    coded = CodedLabels.from_data(y, classes)
    codes, labels = coded.codes, coded.labels.classes
    check_consistent_length(scores, codes)
    check_fdr(fdr)
    weights = check_weights(codes.size, sample_weight)
    _refuse_alphabet(scores, codes, labels)
    margins = margins_of(scores, codes, labels.size, weights)
    labelling = Labelling(codes, weights)
    view = View(fit_mixture(margins, codes, weights), margins, margins)
    return WrongLabels(**findings([view], labelling, labelling, classes=labels, fdr=fdr))


def check_fdr(fdr: Any) -> None:
    """Refuse what is no share."""
    if fdr is not None and not (isinstance(fdr, Real) and 0.0 < float(fdr) < 1.0):
        raise ValueError(f"fdr={fdr!r} must lie between 0 and 1, or be None.")


def margins_of(
    scores: ArrayLike,
    codes: NDArray[np.integer],
    n_classes: int,
    weights: Array | None = None,
) -> Array:
    """Margins of shape (n_samples, n_classes - 1) from any form of scores."""
    values = np.asarray(masked_as_nan(scores), dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise ValueError(f"scores hold NaN or infinity (first in row {row}): leave such rows out.")
    if values.ndim == 1:
        margins = _in_spreads(values[:, None] - _cuts(values, codes, n_classes), weights)
    elif values.ndim == 2 and values.shape[1] == n_classes:
        margins = _margins_of_probabilities(values)
    elif values.ndim == 2 and values.shape[1] == n_classes - 1:
        _refuse_probabilities(values)
        _refuse_rising(values)
        margins = _in_spreads(values, weights)
    else:
        raise ValueError(
            f"scores have shape {values.shape}; with {n_classes} classes they must be one score a "
            f"row, {n_classes - 1} margins, or {n_classes} probabilities."
        )
    middle = margins.mean(axis=1)
    if np.ptp(middle) == 0.0:
        raise ValueError("scores are all the same, which tells nothing of the labels.")
    rising = float(spearmanr(middle, codes).statistic)
    if rising < min(_BACKWARDS, -_BY_CHANCE / np.sqrt(codes.size)):
        raise ValueError(
            f"scores fall where the classes rise (rank correlation {rising:.2f}): give them with "
            "the other sign, or the classes in the other order."
        )
    return margins


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


def _cuts(score: Array, codes: NDArray[np.integer], n_classes: int) -> Array:
    """Thresholds that cut a score into the shares of the classes."""
    below = np.cumsum(np.bincount(codes, minlength=n_classes))[:-1] / codes.size
    return np.asarray(np.quantile(score, below))


def _in_spreads(margins: Array, weights: Array | None) -> Array:
    """In spreads of the score: the mixture's slopes are bounded, so the unit has to be known."""
    score = margins.mean(axis=1)
    away = score - np.average(score, weights=weights)
    return margins / (np.sqrt(np.average(away**2, weights=weights)) or 1.0)


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
            f"scores are margins that rise from column {k} to column {k + 1} (in the mean): give "
            "f - b_k, which falls from a threshold to the next."
        )


def _margins_of_probabilities(probabilities: Array) -> Array:
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
