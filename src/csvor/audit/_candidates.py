"""Which models are compared, and what is each worth by the likelihood of what it has not seen?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils import check_array, indexable

from csvor._data.content import rows_in_order
from csvor._estimators.capped import CSVOR
from csvor._estimators.steps import final_of, last_step
from csvor._mixture.mixture import Mixture
from csvor._rows.spans import spans_of
from csvor._utils.sampling import random_rows
from csvor._utils.sklearn_private import safe_split
from csvor.audit._candidate import Candidate, unused_by
from csvor.audit._findings import View, likelihood_weights
from csvor.audit._held_out import AuditData, HeldOut
from csvor.audit._models import Models, Reading

# Candidates are compared on so many rows at most, on which most of them are far behind the best.
COMPARED = 5_000
# The largest contamination.
_MOST_CUT = 0.5
# The line, and curves on landmark rows: C, and gamma as factors of 1 / (columns x variance).
_LINES = (0.1, 1.0, 10.0)
# Rows of many columns are long, and a line follows them at less C: so many times as their squared
# length is at least this (found by trial; on 14 standardised columns and fewer all stays).
_LEAST_PULL = 0.15
_CURVES = tuple(product((3.0, 30.0), (0.1, 0.3, 1.0)))
_LANDMARKS, _OF_ROWS = 150, 0.7
# Lines of so many rows at most go by multipliers: 20 fits take a second, where loops that nothing
# else in an audit needs would take ten to be compiled (`benchmarks/first_answer.py`).
_BY_MULTIPLIERS = 2_000
# How far behind the best, uncapped, a candidate may be to be fitted with a cap as well.
_BEHIND, _BEHIND_PER_ROW = 20.0, 0.03
# The likelihood is the same with fits to six digits, at half their work.
_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Trial:
    """A candidate, at its place among those given, with what it said of the rows compared."""

    estimator: Any
    place: int
    held: HeldOut | Reading
    mixture: Mixture

    @property
    def view(self) -> View:
        """What it says of all rows."""
        return View(self.mixture, self.held.margins, self.held.fit_margins)


def candidate_models(
    X: Any,
    *,
    before: Any = None,
    n_parts: int = 5,
    random_state: Any = 0,
    fixed: Mapping[str, Any] | None = None,
) -> list[Pipeline]:
    """The models that an audit compares where none is given, each behind the same steps.

    Lines and RBF kernels on landmark rows at a few C and gamma, with implicit constraints and
    ``contamination="auto"``. (Explicit constraints beside them rank wrong labels no better, and see
    more of them where there are none: on twelve clean sets the mean share found was .011 with
    both, .005 with implicit ones.)

    Parameters
    ----------
    X : array-like or dataframe of shape (n_samples, n_features)
        The features, or a part of their rows; they decide gamma and the landmarks.
    before : transformer, default=None
        What the features go through first, by default a `StandardScaler`, a `MaxAbsScaler` where
        they are sparse.
    n_parts : int, default=5
        Into how many parts the rows will be split.
    random_state : int or RandomState instance, default=0
        Decides the landmarks.
    fixed : mapping, default=None
        Parameters of `CSVOR` that are the same in all candidates.

    Returns
    -------
    models : list of Pipeline

    Examples
    --------
    >>> import numpy as np
    >>> from csvor.audit import candidate_models
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> models = candidate_models(X, fixed={"kernel": "rbf", "C": 10.0})
    >>> [round(model[-1].gamma, 3) for model in models]
    [0.025, 0.075, 0.25]
    """
    fixed = dict(fixed or {})
    steps = make_pipeline(_scaler_for(X) if before is None else before)
    if isinstance(before, Pipeline):
        steps = before
    Z = check_array(clone(steps).fit_transform(_compared(X)), accept_sparse="csr", dtype=np.float64)
    n_train = int(Z.shape[0] * (1.0 - 1.0 / n_parts))
    # In the mean over the rows, about the mean of each column: neither kernel sees shifts.
    length = float((spans_of(Z, np.ones(Z.shape[0])).spread ** 2).sum())
    unit = 1.0 / length if length > 0.0 else 1.0
    curve = {
        "kernel": "rbf",
        "n_components": max(1, min(_LANDMARKS, int(_OF_ROWS * n_train))),
        "random_state": random_state,
    }
    of_lines = {"solver": "multipliers"} if Z.shape[0] <= _BY_MULTIPLIERS else {}
    lines: list[dict[str, Any]] = [{"C": C / _stronger(length), **of_lines} for C in _LINES]
    curves: list[dict[str, Any]] = [{"C": C, "gamma": g * unit, **curve} for C, g in _CURVES]
    settings = {None: lines + curves, "linear": lines}.get(fixed.get("kernel"), curves)
    common = {"constraints": "implicit", "contamination": "auto", "tol": _TOLERANCE}
    models = [CSVOR(**{**common, **setting, **fixed}) for setting in settings]
    return [Pipeline([*clone(steps).steps, ("model", model)]) for model in _distinct(models)]


def _compared(X: Any) -> Any:
    """So many rows at random as candidates are compared on; or all, in the order of an audit."""
    (X,) = indexable(X)  # sparse forms without rows to take become CSR
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    places, _ = rows_in_order(X)
    rows = places[np.sort(random_rows(n, COMPARED))]
    return safe_split(CSVOR(), X, None, rows, rows)[0]


def _scaler_for(X: Any) -> Any:
    """On dense features a `StandardScaler`; rare columns of sparse ones it would blow up."""
    return MaxAbsScaler() if issparse(X) else StandardScaler()


def _stronger(length: float) -> float:
    """By which power of ten, or 1, the C of lines are smaller, by the squared length of rows."""
    return float(max(1.0, 10.0 ** np.floor(np.log10(max(_LINES[0] * length, 1.0) / _LEAST_PULL))))


def _distinct(models: Iterable[CSVOR]) -> list[CSVOR]:
    """One of those that fixed parameters have made alike."""
    distinct: dict[str, CSVOR] = {}
    for model in models:
        unused = unused_by(model)
        values = model.get_params(deep=False)
        distinct.setdefault(repr([(k, v) for k, v in values.items() if k not in unused]), model)
    return list(distinct.values())


def to_compare(
    models: Models, chosen: Sequence[Any], rows: AuditData, random_state: Any
) -> tuple[AuditData, list[Any]]:
    """The rows, or a part of them, on which estimators are compared, and these: some if none."""
    compared = rows if len(chosen) == 1 else rows.sample(COMPARED, (chosen or [CSVOR()])[0])
    chosen = chosen or candidate_models(
        rows.features(compared), n_parts=len(rows.part_sizes), random_state=random_state
    )
    return compared, [models.knowing(model, rows.classes) for model in chosen]


def judge_rows(
    models: Models,
    estimators: Sequence[Any],
    rows: AuditData,
    compared: AuditData,
    report: Callable[..., None],
) -> tuple[list[Trial], list[Trial], Trial]:
    """All trials, those that judge all rows, and the best of the latter."""
    trials = judging = compare(models, estimators, compared, report)
    best = trials[int(np.argmax(weights_of(trials)))]
    if len(compared) < len(rows):
        judging = trials_of(models, [best.estimator], [best.place], rows, report)
        best = judging[int(np.argmax(weights_of(judging)))]
    return trials, judging, best


def compare(
    models: Models, estimators: Sequence[Any], rows: AuditData, report: Callable[..., None]
) -> list[Trial]:
    """Two rounds: without a cap, and where it is to be found, with the share that was as well."""
    open_ = [with_share(estimator, 0.0) for estimator in estimators]
    trials = trials_of(models, open_, range(len(estimators)), rows, report)
    reach = min(t.mixture.loss for t in trials) + _BEHIND + _BEHIND_PER_ROW * len(rows)
    left = [rows.labelling.share_left(trial.mixture.share) for trial in trials]
    again = [
        trial
        for trial, share in zip(trials, left, strict=True)
        if _is_automatic(estimators[trial.place])
        and share > 0.5 / len(rows)
        and trial.mixture.loss <= reach
    ]
    report((len(estimators) - len(again)) * len(rows.part_sizes))
    if not again:
        return trials
    capped = [with_share(estimators[t.place], left[t.place]) for t in again]
    return trials + trials_of(models, capped, [trial.place for trial in again], rows, report)


def weights_of(trials: Sequence[Trial]) -> NDArray[np.float64]:
    """Those of the trials by their likelihood."""
    return likelihood_weights([trial.mixture.loss for trial in trials])


def ranked(trials: Sequence[Trial], weights: NDArray[np.float64]) -> tuple[Candidate, ...]:
    """What is told of the trials, best first."""
    order = np.argsort(-weights, kind="stable")
    return tuple(
        Candidate(t.estimator, t.mixture.share, -t.mixture.loss, float(w), t.held.reading)
        for t, w in ((trials[i], weights[i]) for i in order)
    )


def trials_of(
    models: Models,
    estimators: Sequence[Any],
    places: Iterable[int],
    rows: AuditData,
    report: Callable[..., None],
) -> list[Trial]:
    """All readings of what the estimators say of rows, with the mixtures of their margins."""
    held = models.held_out(estimators, rows, report)
    known = rows.n_independent, len(rows)
    return [
        Trial(estimator, place, its, rows.fit_labels.mixture(its.fit_margins, *known))
        for estimator, place, readings in zip(estimators, places, held, strict=True)
        for its in readings
    ]


def _is_automatic(estimator: Any) -> bool:
    model = last_step(estimator)
    return isinstance(model, CSVOR) and model.contamination == "auto" and model.epsilon == "auto"


def with_share(estimator: Any, share: float) -> Any:
    """With that contamination where it was left to be found."""
    estimator = clone(estimator)
    if _is_automatic(estimator):
        final_of(estimator).set_params(contamination=min(share, _MOST_CUT))
    return estimator
