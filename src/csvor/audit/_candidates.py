"""Which models are compared, and what is each worth by the likelihood of what it has not seen?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor._data.kernels import WITH_GAMMA, gamma_of
from csvor._estimators.capped import CSVOR
from csvor._estimators.mislabelling import Mixture, fit_mixture
from csvor._estimators.steps import final_of
from csvor.audit._held_out import HeldOut, LabelledRows, held_out, parted, some_rows

# Candidates are compared on so many rows at most, on which most of them are far behind the best.
COMPARED = 5_000
# The largest contamination.
MOST_CUT = 0.5
# The line, and curves on landmark rows: C, and gamma as factors of 1 / (columns x variance).
_LINES = (0.1, 1.0, 10.0)
_CURVES = tuple(product((3.0, 30.0), (0.1, 0.3, 1.0)))
_LANDMARKS, _OF_ROWS = 150, 0.7
# A difference of log-likelihoods counts a quarter: those of rows held out vary with the parts.
_TEMPERATURE = 4.0
# How far behind the best, uncapped, a candidate may be to be fitted with a cap: found by trial, see
# benchmarks/results/wrong_labels.md.
_BEHIND, _BEHIND_PER_ROW = 20.0, 0.03


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model that was compared.

    Attributes
    ----------
    estimator : estimator
        Not fitted, with the contamination in force.
    share : float
        The share of wrong labels that its scores show.
    log_likelihood : float
        Penalised, of labels given its scores.
    weight : float
        Its weight in the average, all of which sum to 1.
    """

    estimator: Any
    share: float
    log_likelihood: float
    weight: float

    @property
    def settings(self) -> dict[str, Any]:
        """What tells it from the others."""
        model = final_of(self.estimator)
        names = ("C", "kernel", "gamma", "n_components", "constraints", "contamination")
        found = {name: getattr(model, name) for name in names if hasattr(model, name)}
        if found["kernel"] == "linear":
            found["n_components"] = None
        if found["kernel"] not in WITH_GAMMA:
            found["gamma"] = None
        return found


@dataclass(frozen=True, eq=False)
class Trial:
    """A candidate with what it said of the rows that were compared."""

    estimator: Any
    held: HeldOut
    mixture: Mixture


def candidate_models(
    X: Any,
    *,
    before: Any = None,
    n_parts: int = 5,
    random_state: Any = 0,
    fixed: Mapping[str, Any] | None = None,
) -> list[Pipeline]:
    """The models that an audit compares where none is given, each behind the same steps.

    Lines and RBF kernels on landmark rows, with explicit and implicit constraints, at a few C and
    gamma; ``contamination="auto"`` throughout.

    Parameters
    ----------
    X : array-like or dataframe of shape (n_samples, n_features)
        The features, or a part of their rows; they decide gamma and the landmarks.
    before : transformer, default=None
        What the features go through first, by default a `StandardScaler`.
    n_parts : int, default=5
        Into how many parts the rows will be split.
    random_state : int or RandomState instance, default=0
        Decides the landmarks.
    fixed : mapping, default=None
        Parameters of `CSVOR` that are the same in all candidates.

    Returns
    -------
    models : list of Pipeline
    """
    fixed = dict(fixed or {})
    steps = make_pipeline(StandardScaler() if before is None else before)
    if isinstance(before, Pipeline):
        steps = before
    X = some_rows(X, COMPARED, CSVOR())[0]
    Z = np.asarray(clone(steps).fit_transform(X), dtype=np.float64)
    n_train = int(Z.shape[0] * (1.0 - 1.0 / n_parts))
    unit = gamma_of("scale", Z, np.ones(Z.shape[0]))
    curve = {
        "kernel": "rbf",
        "n_components": max(1, min(_LANDMARKS, int(_OF_ROWS * n_train))),
        "random_state": random_state,
    }
    lines: list[dict[str, Any]] = [{"C": C} for C in _LINES]
    curves: list[dict[str, Any]] = [{"C": C, "gamma": g * unit, **curve} for C, g in _CURVES]
    settings = {None: lines + curves, "linear": lines}.get(fixed.get("kernel"), curves)
    both = [{**s, "constraints": c} for c in ("explicit", "implicit") for s in settings]
    models = [CSVOR(**{"contamination": "auto", **setting, **fixed}) for setting in both]
    return [Pipeline([*clone(steps).steps, ("model", model)]) for model in _distinct(models)]


def _distinct(models: Iterable[CSVOR]) -> list[CSVOR]:
    """One of those that fixed parameters have made alike."""
    found: dict[str, CSVOR] = {}
    for model in models:
        unused: tuple[str, ...] = () if model.kernel in WITH_GAMMA else ("gamma",)
        if model.kernel == "linear":
            unused = ("gamma", "n_components", "random_state")
        values = model.get_params(deep=False)
        found.setdefault(repr([(k, v) for k, v in values.items() if k not in unused]), model)
    return list(found.values())


def compare(
    estimators: Sequence[Any], rows: LabelledRows, report: Callable[[int], None]
) -> list[Trial]:
    """Two rounds: without a cap, and where it is to be found, with the share that was."""
    before = parted(estimators[0])[0]
    trials = _round(before, [with_share(e, 0.0) for e in estimators], rows, report)
    reach = min(t.mixture.loss for t in trials) + _BEHIND + _BEHIND_PER_ROW * len(rows)
    least = 0.5 / len(rows)
    capped = {}
    for i, (estimator, trial) in enumerate(zip(estimators, trials, strict=True)):
        share = trial.mixture.share
        if _is_automatic(estimator) and share > least and trial.mixture.loss <= reach:
            capped[i] = with_share(estimator, min(share, MOST_CUT))
        else:
            report(len(rows.parts))
    again = _round(before, list(capped.values()), rows, report) if capped else []
    for i, trial in zip(capped, again, strict=True):
        trials[i] = trial
    return trials


def weights_of(trials: Sequence[Trial]) -> NDArray[np.float64]:
    """``exp`` of a quarter of the log-likelihood, in shares of their sum."""
    loss = np.array([trial.mixture.loss for trial in trials])
    weights = np.exp((loss.min() - loss) / _TEMPERATURE)
    return weights / weights.sum()


def _round(
    before: Any, estimators: list[Any], rows: LabelledRows, report: Callable[[int], None]
) -> list[Trial]:
    models = [parted(estimator)[1] for estimator in estimators]
    held = held_out(before, models, rows, lambda: report(1))
    return [trial_of(e, h, rows) for e, h in zip(estimators, held, strict=True)]


def trial_of(estimator: Any, held: HeldOut, rows: LabelledRows) -> Trial:
    """With the mixture that its margins give."""
    return Trial(estimator, held, fit_mixture(held.margins, *rows.labelling))


def _is_automatic(estimator: Any) -> bool:
    model = final_of(estimator)
    return isinstance(model, CSVOR) and model.contamination == "auto" and model.epsilon == "auto"


def with_share(estimator: Any, share: float) -> Any:
    """With that contamination where it was left to be found."""
    estimator = clone(estimator)
    if _is_automatic(estimator):
        final_of(estimator).set_params(contamination=share)
    return estimator
