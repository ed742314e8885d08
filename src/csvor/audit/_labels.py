"""Which labels of a data set are wrong, by models that have not seen them?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from csvor._data.fit_data import EmptyClassWarning
from csvor._data.ranges import FarValueWarning
from csvor._labels import CodedLabels, index_of
from csvor.audit._candidates import (
    Trial,
    judge_rows,
    ranked,
    to_compare,
    weights_of,
    with_share,
)
from csvor.audit._data import audit_data, estimators_of, notes_on_data
from csvor.audit._findings import findings
from csvor.audit._held_out import AuditData
from csvor.audit._label_audit import LabelAudit
from csvor.audit._mixes import MODELS, shares_of_models, with_trees
from csvor.audit._models import Models, by_rows_given, models_of
from csvor.audit._panel import check_reference
from csvor.audit._progress import drawing_progress
from csvor.audit._ranking import check_order
from csvor.audit._rater_notes import notes_on_features, notes_on_table
from csvor.audit._reported import is_polars, passed
from csvor.audit._scores import check_fdr


@drawing_progress
def audit_labels(
    X: Any,
    y: ArrayLike | CodedLabels,
    estimator: BaseEstimator | Sequence[Any] | None = None,
    *,
    classes: ArrayLike | None = None,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    confirmed: ArrayLike | None = None,
    original: ArrayLike | CodedLabels | None = None,
    raters: ArrayLike | None = None,
    reference: Any = None,
    fdr: float | None = None,
    order: str = "auto",
    models: str | None = None,
    random_state: int | np.random.RandomState | None = 0,
    progress: Callable[[int, int], None] | bool | None = None,
) -> LabelAudit:
    r"""Tell how many labels are wrong, which, and how sure that is.

    Each row is judged by models of other rows: their margins :math:`m_{ik} = f_i - b_k` give, with
    the label, the probability that it is wrong (`audit_scores` has the formula). Models are
    compared by the likelihood L of the labels given their margins, which wrong labels do not
    mislead as they do an error, and count with weights :math:`\propto L^{1/8}`. There are two
    rounds: models without a cap show a share of wrong labels, models that cut away that share give
    the result.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        What the estimator takes; numbers where there is none. Or a dask array or dataframe of
        numbers (see Notes).
    y : array-like of shape (n_samples,)
        Labels; their order is settled once, on all rows.
    estimator : estimator, Pipeline, sequence of such or None, default=None
        None compares lines and RBF kernels, at a few C and gamma, on standardised features. One
        estimator of csvor, any classifier with ``predict_proba`` or any regressor, or a Pipeline
        that ends in one, is taken as it is; of several that share all steps but the last, the
        likelihood decides. ``CSVOR(contamination="auto")`` is fitted in two rounds. None is
        changed. What classifiers and regressors say out of fold is read as `audit_scores` reads
        it; regressors are fitted to the positions 0, 1, ... of the classes.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first; needed for words. By default those of the
        estimator.
    cv : int, splitter or iterable of (train, test), default=5
        Number of parts, at least 2; or a splitter of scikit-learn, or row positions, that hold out
        each row once. A number up to 100 of a dask X.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group (visits of a patient, copies) are judged by models of other groups.
    sample_weight : array-like of shape (n_samples,), default=None
        What each row counts in the fits and the likelihood, not negative. Where all are whole,
        they are counts: a row is there so many times. Others say what a row stands for in a survey
        (scale them to the number of rows): the more they differ, the wider is the interval, by
        Kish's effective size :math:`(\sum w)^2 / \sum w^2`.
    confirmed : array-like of bool of shape (n_samples,), default=None
        True for labels that are known to be right: they are never flagged, and the share is that
        of the other rows.
    original : array-like of shape (n_samples,), default=None
        The labels before a review, where `y` has those that it set. Suspects were picked for
        review: without what it found among them, the others would look too clean.
    raters : array-like of shape (n_samples,), default=None
        Who gave each label. Each rater has a shift of the thresholds, a scale and a rate of
        careless labels (see Notes), where the likelihood gains by them; a label is wrong where it
        is not the class that the reference would give. Leave the column out of `X`.
    reference : rater, default=None
        The one by whom the others are measured; None is the middle of them.
    fdr : float, default=None
        Flag as many rows as keep the expected share of right labels among them at most at this, in
        (0, 1); None flags what is more probably wrong than right.
    order : {"auto", "probability", "severity"}, default="auto"
        What rows are ranked by, as `audit_scores` has it.
    models : {"all", "own"} or None, default=None
        Whether boosting and extra trees of scikit-learn judge beside the models compared ("all"),
        behind the same steps; not of sparse features or a precomputed kernel. None is "all" where
        no estimator is given, "own" where there is one.
    random_state : int, RandomState instance or None, default=0
        Decides the parts and landmarks.
    progress : callable or bool, default=None
        Called as ``progress(done, total)`` after each fit; True draws a bar.

    Returns
    -------
    audit : LabelAudit

    Raises
    ------
    TypeError
        For what is no classifier or regressor, or a classifier without ``predict_proba``; for an
        estimator that does not take the weights, or needs rows in memory that lie in partitions;
        for one in the place of the data, and columns in partitions of dask beside an X in memory.
    ValueError
        For labels without an order, parts that do not hold out each row once or leave a single
        class, a class of which all rows have weight 0, an ``fdr`` outside (0, 1), and whatever the
        estimator refuses.

    Notes
    -----
    Beyond 5 000 rows the candidates are compared on a random part, and the best audits all rows.
    Errors to a neighbouring class in noisy data look like noise, and labels that the features do
    not predict cannot be judged: the interval is wide there. Shares are sought up to
    half of ``(K - 1) / K``.

    A rater r sees a class u with :math:`P(u > k) = 1 / (1 + e^{-s_r (a_k m_k + c_k) - d_r})`, where
    the reference has :math:`s = 1, d = 0`, and :math:`\eta` is his own. Effects of raters are
    normal, with variances that the labels tell (empirical Bayes): who gave few stays near the
    others, but for the reference: how little his labels tell of him, the interval says. The model
    is many-facet Rasch's (Linacre, 1989) with features in the place of items.

    The answer on a row is the same in any order of rows and columns, but for rounding: rows are put
    into an order that follows from what they hold (features, label and what else is known), and
    rows that hold the same share what models say of them. Where `cv` is a number, the rows of each
    class are shuffled in that order by `random_state`, and dealt out in turn; other parts stay as
    they are given. ``model`` is fitted to the rows as they stand. Groups, the largest first, go
    each to the fold in which they keep the shares of the classes most even; more than 20 000 by a
    hash of their name.

    Of a dask X that does not fit into the setting ``csvor.memory-limit``, entries of rows are dask
    arrays with its partitions, and ``order`` (with `LabelAudit.to_frame`) has the first 1 000 rows.
    Rows are dealt to folds as in memory, whatever the partitions; of so many that 8 bytes for each
    exceed that setting, by their number. Trees, steps before the estimator and the landmarks of a
    kernel, which needs ``n_components``, are fitted to at most 20 000 rows in memory and applied to
    each partition; the estimator is fitted to all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import audit_labels
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.digitize(X[:, 0] + 0.1 * rng.normal(size=300), [-0.5, 0.5])
    >>> y[:15] = (y[:15] + rng.integers(1, 3, 15)) % 3  # 15 wrong labels
    >>> audit = audit_labels(X, y)
    >>> round(audit.share, 2), audit.named, int(audit.flagged[:15].sum())
    (0.04, 12, 12)
    """
    if isinstance(X, BaseEstimator):
        raise TypeError(
            "audit_labels takes the data first, as audit_labels(X, y, estimator); without an "
            "estimator it compares some."
        )
    check_fdr(fdr)
    check_order(order)
    if models not in ("all", "own", None):
        raise ValueError(f"models={models!r} must be 'all', 'own' or None.")
    chosen = estimators_of(estimator)
    kind = models_of(chosen)
    if classes is None and chosen:
        classes = kind.classes_of(chosen[0])
    check_reference(raters, reference)
    columns = (X, y, sample_weight, confirmed, original, raters, groups)
    # Of estimators of the user, the fit to all rows speaks.
    with without_data_warnings() if chosen else nullcontext():
        rows = audit_data(columns, (classes, reference, cv, random_state))
    kind.check(chosen, rows)
    compared, estimators = to_compare(kind, chosen, rows, random_state)
    whole = len(compared) == len(rows)
    with_others = models == "all" or (models is None and estimator is None)
    fits = 2 * len(estimators) + (not whole) + len(MODELS[1:]) * with_others
    report = FitReport(progress, fits * len(rows.part_sizes) + 1)
    choices: dict[str, Any] = {"classes": rows.classes, "fdr": fdr, "order": order}
    with without_data_warnings():
        try:
            best, entries = _judged(kind, estimators, rows, compared, with_others, choices, report)
        except ValueError as error:
            raise by_rows_given(error, estimators, rows) from None
    left = entries["share"] * float(rows.labelling.judged.mean()) * entries["conclusive"]
    final = with_share(estimators[best.place], left)
    with without_data_warnings() if estimator is None else nullcontext():
        final = kind.fit(final, rows)
    with without_data_warnings():
        notes = kind.notes_on(best.held, rows, entries["share"], compared, estimators[0])
    notes += notes_on_table(entries["raters"], conclusive=entries["conclusive"])
    if raters is None and estimator is None:  # those who bring models know their columns
        notes += notes_on_features(X)
    notes += notes_on_data(rows, y, classes)
    report.end()
    return LabelAudit(
        **rows.to_user(entries), notes=notes, thresholds=best.held.thresholds, model=final,
        _index=index_of(X, y), _labels=passed(y), _original=passed(original),
        _polars=is_polars(X, y),
    )  # fmt: skip


def _judged(
    kind: Models,
    estimators: Sequence[Any],
    rows: AuditData,
    compared: AuditData,
    with_others: bool,
    choices: dict[str, Any],
    report: Callable[..., None],
) -> tuple[Trial, dict[str, Any]]:
    """The best candidate, and what `LabelAudit` has of rows and candidates.

    Margins of all rows, of which there are many, live here alone.
    """
    trials, judging, best = judge_rows(kind, estimators, rows, compared, report)
    views = [trial.view for trial in judging]
    if with_others:
        views = with_trees(rows, estimators[0], views, best.view, report)
    entries = findings(
        views, rows.labelling, rows.fit_labels, n_independent=rows.n_independent, **choices
    )
    return best, entries | {
        "residual": best.held.residuals,
        "score": best.held.scores,
        "candidates": ranked(trials, weights_of(trials)),
        "models": shares_of_models(views, kind.name),
    }


@contextmanager
def without_data_warnings() -> Iterator[None]:
    """Silences warnings of the data, which each fit to a part of them would repeat."""
    with warnings.catch_warnings():
        for category in (FarValueWarning, EmptyClassWarning):
            warnings.simplefilter("ignore", category)
        # scikit-learn's, of models beside ours.
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
        yield


class FitReport:
    """Counts fits for `progress`, those that turn out not to be needed among them."""

    def __init__(self, progress: Any, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def __call__(self, fits: int = 1) -> None:
        self._done += fits
        if self._progress is not None:
            self._progress(self._done, self._total)

    def end(self) -> None:
        self(self._total - self._done)
