"""Which labels of a data set are wrong, by models that have not seen them?"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, indexable

from csvor._data.checks import check_weights
from csvor._data.fit_data import EmptyClassWarning
from csvor._data.folds import held_out_parts
from csvor._data.prepare import prepare_fit
from csvor._data.ranges import FarValueWarning
from csvor._data.tables import masked_as_nan
from csvor._estimators.base import ThresholdClassifier
from csvor._estimators.capped import CSVOR
from csvor._estimators.steps import final_of
from csvor._labels import CodedLabels
from csvor._utils.lazy import is_lazy
from csvor.audit._candidates import (
    COMPARED,
    Candidate,
    Trial,
    candidate_models,
    compare,
    ranked,
    trial_of,
    weights_of,
    with_share,
)
from csvor.audit._checks import check_confirmed, check_original, check_seen
from csvor.audit._findings import Labelling, View, findings
from csvor.audit._held_out import AuditData, split_pipeline
from csvor.audit._scores import check_fdr
from csvor.audit._wrong_labels import WrongLabels

_COLUMNS = ("X", "y", "sample_weight", "confirmed", "original", "groups")
# Of less weight, a candidate changes no probability by more than that.
_NO_WEIGHT = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class LabelAudit(WrongLabels):
    """What `audit_labels` found; also all that `WrongLabels` holds, from the rows' own features.

    Attributes
    ----------
    residual : ndarray of shape (n_samples,)
        ``r^p`` of the label given, under the chosen model fitted to other rows.
    score : ndarray of shape (n_samples,)
        That model's score of the row, less the mean of its thresholds.
    thresholds : ndarray of shape (n_classes - 1,)
        The thresholds on the scale of ``score``, in the mean over the parts.
    model : estimator
        The chosen model fitted on all rows, at the share of wrong labels found.
    candidates : tuple of Candidate
        What was compared, best first: each has ``estimator``, ``share``, ``log_likelihood``,
        ``weight`` and ``settings``.
    """

    residual: NDArray[np.float64]
    score: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    model: Any
    candidates: tuple[Candidate, ...]

    _columns: ClassVar[tuple[str, ...]] = (*WrongLabels._columns, "residual")


def audit_labels(
    X: Any,
    y: ArrayLike | CodedLabels,
    estimator: ThresholdClassifier | Pipeline | Sequence[Any] | None = None,
    *,
    classes: ArrayLike | None = None,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    confirmed: ArrayLike | None = None,
    original: ArrayLike | CodedLabels | None = None,
    fdr: float | None = None,
    random_state: int | np.random.RandomState | None = 0,
    progress: Callable[[int, int], None] | None = None,
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
        estimator of csvor, or a Pipeline that ends in one, is taken as it is; of several that
        share all steps but the last, the likelihood decides. ``CSVOR(contamination="auto")`` is
        fitted in two rounds. None is changed.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first; needed for words. By default those of the
        estimator.
    cv : int, splitter or iterable of (train, test), default=5
        Number of parts, at least 2; or a splitter of scikit-learn, or row positions, that hold out
        each row once. A number up to 100 of a dask X.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group (visits of a patient, copies) are judged by models of other groups.
    sample_weight : array-like of shape (n_samples,), default=None
        What each row counts in the fits and the likelihood, as if it were there so many times; not
        negative. (Scale weights of a survey to the number of rows, or fewer.)
    confirmed : array-like of bool of shape (n_samples,), default=None
        True for labels that are known to be right: they are never flagged, and the share is that
        of the other rows.
    original : array-like of shape (n_samples,), default=None
        The labels before a review, where `y` has those that it set. Suspects were picked for
        review: without what it found among them, the others would look too clean.
    fdr : float, default=None
        Flag as many rows as keep the expected share of right labels among them at most at this, in
        (0, 1); None flags what is more probably wrong than right.
    random_state : int, RandomState instance or None, default=0
        Decides the parts and landmarks.
    progress : callable, default=None
        Called as ``progress(done, total)`` after each fit.

    Returns
    -------
    audit : LabelAudit

    Raises
    ------
    TypeError
        For an estimator that is not of csvor, and one in the place of the data; for columns in
        partitions of dask beside an X in memory.
    ValueError
        For labels without an order, parts that do not hold out each row once or leave a single
        class, an ``fdr`` outside (0, 1), and whatever the estimator refuses.

    Notes
    -----
    Beyond 5 000 rows the candidates are compared on a random part, and the best audits all rows.
    Errors to a neighbouring class in noisy data cannot be told from noise, and labels that the
    features do not predict cannot be judged: the interval is wide there. Shares are sought up to
    half of ``(K - 1) / K``.

    Where `cv` is a number, the rows of each class are shuffled by a hash of their number and
    `random_state`, and dealt out in turn. Groups, the largest first, go each to the fold in which
    they keep the shares of the classes most even; more than 20 000 by a hash of their name.

    Of a dask X that does not fit into the setting ``csvor.memory-limit``, entries of rows are dask
    arrays with its partitions, and ``order`` (with `LabelAudit.to_frame`) has the 1 000 rows most
    probably wrong. Rows are dealt to folds as in memory, whatever the partitions. Steps before the
    estimator and the landmarks of a kernel, which needs ``n_components``, are fitted to at most
    20 000 rows in memory and applied to each partition; the estimator is fitted to all rows.

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
    given = _as_list(estimator)
    if classes is None and given:
        classes = final_of(given[0]).classes
    columns = (X, y, sample_weight, confirmed, original, groups)
    # Of given estimators, the fit to all rows speaks.
    with _said_already() if given else nullcontext():
        rows = _rows_of(columns, (classes, cv, random_state))
    compared = rows if len(given) == 1 else rows.sample(COMPARED, (given or [CSVOR()])[0])
    rows.check(given)
    given = given or candidate_models(
        rows.shown(compared), n_parts=len(rows.parts), random_state=random_state
    )
    estimators = [_with_classes(one, rows.classes) for one in given]
    whole = len(compared) == len(rows)
    report = _Report(progress, (2 * len(given) + (not whole)) * len(rows.parts) + 1)
    with _said_already():
        trials = compare(estimators, compared, report)
        weights = weights_of(trials)
        best = trials[int(np.argmax(weights))]
        if whole:
            heavy = np.flatnonzero(weights >= _NO_WEIGHT)
            entries = _findings(rows, [trials[i] for i in heavy], weights[heavy], fdr)
        else:
            held = rows.held_out([best.estimator], report)[0]
            best = trial_of(best.estimator, best.place, held, rows)
            entries = _findings(rows, [best], np.ones(1), fdr)
    left = entries["share"] * float(rows.labelling.judged.mean())
    final = with_share(estimators[best.place], left)
    with _said_already() if estimator is None else nullcontext():
        final = rows.fit(final)
    report.end()
    entries |= {"residual": best.held.residuals, "score": best.held.scores}
    return LabelAudit(
        **rows.to_user(entries),
        thresholds=best.held.thresholds,
        model=final,
        candidates=ranked(trials, weights),
    )


def _findings(
    rows: Any, trials: Sequence[Trial], weights: NDArray[np.float64], fdr: float | None
) -> dict[str, Any]:
    """What the mixtures of trials say in the average."""
    views = [
        View(trial.mixture, trial.held.margins, trial.held.fit_margins, weight)
        for trial, weight in zip(trials, weights.tolist(), strict=True)
    ]
    return findings(views, rows.labelling, rows.fit_labels, classes=rows.classes, fdr=fdr)


@contextmanager
def _said_already() -> Iterator[None]:
    """Without the warnings that the data give rise to in each fit to a part of them."""
    with warnings.catch_warnings():
        for category in (FarValueWarning, EmptyClassWarning):
            warnings.simplefilter("ignore", category)
        yield


class _Report:
    """Counts fits for `progress`, those that turn out not to be needed among them."""

    def __init__(self, progress: Callable[[int, int], None] | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def __call__(self, fits: int = 1) -> None:
        self._done += fits
        if self._progress is not None:
            self._progress(self._done, self._total)

    def end(self) -> None:
        self(self._total - self._done)


def _as_list(estimator: Any) -> list[Any]:
    """The estimators to compare, each of csvor and behind the same steps."""
    if estimator is None:
        return []
    several = isinstance(estimator, (list, tuple))
    given = list(estimator) if several else [estimator]
    if not given:
        raise ValueError("estimator is an empty list: give None, an estimator or some of them.")
    for one in given:
        final_of(one)
    steps = [_spelled(split_pipeline(one)[0]) for one in given]
    for one, its in zip(given, steps, strict=True):
        if its != steps[0]:
            raise ValueError(
                f"estimator has pipelines that differ before their last step: {one!r} is not like "
                "the first. Those compared must share all steps but the last."
            )
    return given


def _spelled(steps: Any) -> str:
    """All parameters of steps: the usual repr leaves out the middle of what is long."""
    with np.printoptions(threshold=sys.maxsize):
        return repr(None if steps is None else steps.get_params())


def _rows_of(columns: tuple[Any, ...], choices: tuple[Any, ...]) -> Any:
    """The rows in memory, or those in partitions."""
    X, y, sample_weight, *_ = columns
    if is_lazy(X):
        from csvor.audit._dask_rows import PartitionedAuditData, brought_here

        data: Any = prepare_fit(CSVOR(classes=choices[0]), X, y, sample_weight)
        if not data.in_memory:
            return PartitionedAuditData.of(data, columns, *choices[1:])
        return replace(_rows(*brought_here(columns), *choices), chunks=data.chunks)
    for name, column in zip(_COLUMNS[1:], columns[1:], strict=True):
        if is_lazy(column):
            raise TypeError(
                f"{name} lies in partitions of dask, and X is in memory: give {name}.compute(), or "
                "X as a dask array or dataframe as well."
            )
    return _rows(*columns, *choices)


def _rows(
    X: Any, y: Any, sample_weight: Any, confirmed: Any, original: Any, groups: Any, classes: Any,
    cv: Any, random_state: Any,
) -> AuditData:  # fmt: skip
    """All that is known of the rows, checked."""
    coded = CodedLabels.from_data(y, classes)
    parts = held_out_parts(coded.codes, cv, groups, random_state)
    (X,) = indexable(masked_as_nan(X))  # sparse forms without rows to take become CSR
    check_consistent_length(X, coded.codes)
    K = coded.labels.classes.size
    check_seen([np.bincount(coded.codes[train], minlength=K) for train, _ in parts], coded)
    if sample_weight is not None:
        sample_weight = check_weights(len(coded), sample_weight)
    if confirmed is not None:
        confirmed = check_confirmed(confirmed, len(coded))
    if original is not None:
        original = _original(original, coded, confirmed)
    labelling = Labelling(coded.codes, sample_weight, confirmed, original)
    return AuditData(X, coded, labelling, parts)


def _original(original: Any, coded: CodedLabels, confirmed: Any) -> NDArray[np.int64]:
    """Codes of the labels before a review, which may have set those that it confirmed."""
    given = isinstance(original, CodedLabels)
    codes = original.codes if given else coded.labels.encode(original, name="original")
    check_consistent_length(coded.codes, codes)
    check_original(codes, coded.codes, confirmed)
    return codes


def _with_classes(estimator: Any, classes: NDArray[Any]) -> Any:
    """A copy that knows all classes, so that a part without one keeps the order."""
    estimator = clone(estimator)
    final_of(estimator).set_params(classes=classes)
    return estimator
