"""--tune: C and p by cross-validation."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from csvor._data.folds import held_out_parts
from csvor._labels import CodedLabels
from csvor.cli._errors import UsageError
from csvor.cli._notes import Notes
from csvor.cli._progress import progress
from csvor.cli.input._prepare import Choice, Prepared
from csvor.cli.input._related import refuse_few_groups
from csvor.methods import POWERS, STRENGTHS


def tuned(work: Prepared, notes: Notes) -> Prepared:
    """With --tune, the same with the chosen C and p in its pipeline."""
    options = work.options
    if not options.tune:
        return work
    if options.folds > max(work.target.counts):
        raise UsageError(f"--folds {options.folds}: no label has that many rows")
    refuse_few_groups(work.groups, options.folds)
    n_fits = options.folds * len(STRENGTHS) * len(POWERS)
    with progress("Choosing C and p", n_fits) as update, notes.of_warnings():
        choice = tune(
            work.pipeline,
            work.frame,
            work.target.coded,
            folds=options.folds,
            seed=options.seed,
            groups=work.groups,
            weights=work.weights,
            update=update,
        )
    work.pipeline.set_params(model__C=choice.C, model__p=choice.p)
    return replace(work, choice=choice)


def tune(
    pipeline: Pipeline,
    frame: pd.DataFrame,
    labels: CodedLabels,
    *,
    folds: int,
    seed: int,
    groups: NDArray[np.int64] | None = None,
    weights: NDArray[np.float64] | None = None,
    update: Callable[[int, int], None],
) -> Choice:
    """The pair with the lowest mean error; of equal ones the smaller C, then the p nearest 1."""
    errors = np.zeros((len(STRENGTHS), len(POWERS)))
    n_fits = folds * errors.size
    done = 0
    stratified = StratifiedKFold(folds, shuffle=True, random_state=seed)
    splits = (
        stratified.split(frame, labels.decoded)
        if groups is None
        else held_out_parts(labels.codes, folds, groups, seed)
    )
    for part in _parts(pipeline, frame, labels, splits, weights):
        for i, C in enumerate(STRENGTHS):
            settings = [{"C": C, "p": p} for p in POWERS]
            models = pipeline[-1].fit_many(
                part.train, part.train_labels, settings, sample_weight=part.train_weights
            )
            wrong = [
                np.average(model.predict(part.test) != part.test_labels, weights=part.test_weights)
                for model in models
            ]
            errors[i] += np.array(wrong) / folds
            done += len(models)
            update(done, n_fits)
    # Both grids list what is preferred first. Sums of the same shares in another order differ by
    # rounding.
    i, j = np.argwhere(errors <= errors.min() + 1e-12)[0]
    return Choice(STRENGTHS[i], POWERS[j], float(errors[i, j]), n_fits)


@dataclass(frozen=True)
class _Part:
    train: Any
    train_labels: CodedLabels
    test: Any
    test_labels: NDArray[Any]
    train_weights: NDArray[np.float64] | None
    test_weights: NDArray[np.float64] | None


def _parts(
    pipeline: Pipeline,
    frame: pd.DataFrame,
    labels: CodedLabels,
    splits: Iterable[tuple[Any, Any]],
    weights: NDArray[np.float64] | None,
) -> Iterator[_Part]:
    """Each fold, encoded by its training rows once for all pairs of parameters."""
    given = labels.decoded
    for train, test in splits:
        encoder = clone(pipeline[:-1])
        fitted = encoder.fit_transform(frame.iloc[train])
        tested = encoder.transform(frame.iloc[test])
        of_train, of_test = (None if weights is None else weights[at] for at in (train, test))
        yield _Part(fitted, labels[train], tested, given[test], of_train, of_test)
