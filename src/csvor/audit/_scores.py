"""The share of wrong labels, and the probability of each, from scores of any model."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from csvor._data.checks import check_weights
from csvor._data.content import rows_in_order
from csvor._labels import CodedLabels, index_of, refuse_other_order
from csvor._mixture.objective import rows_to_fit
from csvor.audit._claims import notes_on_claims
from csvor.audit._findings import View, findings, put_back
from csvor.audit._labelling import Labelling, check_weighed
from csvor.audit._margins import readings_of
from csvor.audit._panel import check_reference
from csvor.audit._ranking import check_order
from csvor.audit._rater_notes import notes_on_table
from csvor.audit._reported import is_polars, passed
from csvor.audit._wrong_labels import WrongLabels


def audit_scores(
    scores: ArrayLike,
    y: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    raters: ArrayLike | None = None,
    reference: Any = None,
    fdr: float | None = None,
    order: str = "auto",
) -> WrongLabels:
    r"""Estimate how many labels are wrong, and which, from out-of-fold scores of any model.

    A row's true class t has the ordered logits of its margins m,
    :math:`P(t > k) = 1 / (1 + e^{-(a_k m_k + c_k)})`, and its label is

    .. math::

        P(y = k \mid t) = (1 - \eta - \nu)\,[k = t] + \eta / K + \nu\, N(k \mid t):

    t itself, or any of the K classes, or, only where the data give evidence of it, one that a
    channel N draws: a class beside t; one less probable the further it is from t; or, where people
    prefer some levels of a scale, one of these. The parameters have the greatest penalised
    likelihood. The share of wrong labels is :math:`\eta (K - 1) / K + \nu`, and a label is wrong
    with what :math:`P(t = y \mid y)` leaves of 1.

    Parameters
    ----------
    scores : array-like of shape (n_samples,), (n_samples, n_classes - 1) or (n_samples, n_classes)
        Held out (out of fold), of any model: one score that rises with the class;
        or margins ``f - b_k`` to each threshold, in any unit; or class probabilities in the order
        of the classes, rows that sum to 1. Probabilities are read as such and as one score, their
        expected class, and the likelihood weighs both: many models are overconfident
        (``notes`` of the result says so where it matters).
    y : array-like of shape (n_samples,)
        Labels, as estimators take them.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first; needed for words.
    sample_weight : array-like of shape (n_samples,), default=None
        What each row counts in the likelihood, as `audit_labels` has it.
    raters : array-like of shape (n_samples,), default=None
        Who gave each label, as `audit_labels` has it.
    reference : rater, default=None
        The one by whom the others are measured; None is the middle of them.
    fdr : float, default=None
        Flag as many rows as keep the expected share of right labels among them at most at this, in
        (0, 1); None flags what is more probably wrong than right.
    order : {"auto", "probability", "severity"}, default="auto"
        What rows are ranked by: the probability that the label is wrong, or ``expected_distance``.
        "auto" takes the latter where people prefer some levels of a scale of ten or more (9, 13, 17
        and 21 of 25): a label on another level is improbable there, but not wrong.

    Returns
    -------
    audit : WrongLabels

    Raises
    ------
    ValueError
        For labels without an order, scores of another shape, not finite, all the same, or that
        fall where the classes rise, margins that rise from a threshold to the next, probabilities
        that do not sum to 1, a class of which all rows have weight 0, an ``fdr`` outside (0, 1).

    Notes
    -----
    The interval shows how much can be known: where scores hardly predict the labels, or where
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
    (0.05, 24, 23)
    """
    refuse_other_order(scores, y=y, sample_weight=sample_weight, raters=raters)
    coded = CodedLabels.from_data(y, classes)
    codes, labels = coded.codes, coded.labels.classes
    check_consistent_length(scores, codes)
    check_fdr(fdr)
    check_order(order)
    weights = check_weights(codes.size, sample_weight)
    check_weighed(np.bincount(codes, weights, labels.size), labels, coded.counts)
    check_reference(raters, reference)
    labelling, rows = Labelling(codes, weights), rows_to_fit(codes.size)
    if raters is not None:
        labelling = labelling.by_raters(raters, reference)
    readings = readings_of(scores, codes, labels, weights).values()
    places, _ = rows_in_order(scores, *labelling.columns.values())
    labelling = labelling.take(places)
    to_fit = labelling.take(rows)
    views = [
        View(to_fit.mixture(margins[rows]), margins, margins[rows])
        for margins in (reading[places] for reading in readings)
    ]
    choices: dict[str, Any] = {"classes": labels, "fdr": fdr, "order": order}
    entries = put_back(findings(views, labelling, to_fit, **choices), places, np.argsort(places))
    values = np.asarray(scores)
    notes: tuple[str, ...] = ()
    if values.shape == (codes.size, labels.size):
        notes = notes_on_claims(values, codes, weights, entries["share"])
    notes += notes_on_table(entries["raters"], conclusive=entries["conclusive"])
    return WrongLabels(
        **entries, notes=notes, _index=index_of(scores, y), _labels=passed(y),
        _polars=is_polars(scores, y),
    )  # fmt: skip


def check_fdr(fdr: Any) -> None:
    """Refuse what is no share."""
    if fdr is not None and not (isinstance(fdr, Real) and 0.0 < float(fdr) < 1.0):
        raise ValueError(f"fdr={fdr!r} must lie between 0 and 1, or be None.")
