"""--tune: C and p by cross-validation."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from csvor._data.folds import held_out_parts
from csvor._faults.errors import refuse
from csvor._faults.notes import Notes
from csvor._labels import CodedLabels
from csvor._tables.related_rows import refuse_few_groups
from csvor.cli._notes import warnings_as_notes
from csvor.cli._progress import progress
from csvor.cli.input._prepare import Choice, Prepared
from csvor.methods import POWERS, STRENGTHS
from csvor.study._for_commands import Fold, MethodRun, Setting, expand, select


def tuned(work: Prepared, notes: Notes) -> Prepared:
    """With --tune, the same with the chosen C and p in its pipeline."""
    options = work.options
    if not options.tune:
        return work
    if options.folds > max(work.target.counts):
        refuse("few-rows-of-labels", folds=options.folds)
    refuse_few_groups(work.groups, options.folds)
    n_fits = options.folds * len(STRENGTHS) * len(POWERS)
    with progress("Choosing C and p", n_fits) as update, warnings_as_notes(notes):
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
    # Both list what is preferred first.
    settings = expand({"C": STRENGTHS, "p": POWERS})
    n_fits, done = folds * len(settings), 0

    def fit_grid(estimator: Any, X: Any, y: Any, grid: Sequence[Setting], X_valid: Any) -> Any:
        """Those of one C at a time: of many rows, all models together would take much memory."""
        nonlocal done
        labels, weights = y
        predicted = []
        for _, same in groupby(grid, key=itemgetter("C")):
            models = estimator.fit_many(X, labels, list(same), sample_weight=weights)
            predicted.append(np.array([model.predict(X_valid) for model in models]))
            done += len(predicted[-1])
            update(done, n_fits)
        return np.concatenate(predicted)

    stratified = StratifiedKFold(folds, shuffle=True, random_state=seed)
    splits = (
        stratified.split(frame, labels.decoded)
        if groups is None
        else held_out_parts(labels.codes, folds, groups.tolist(), seed)
    )
    method = MethodRun("--tune", pipeline[-1], settings, fit_grid)
    selection = select(method, _parts(pipeline, frame, labels, splits, weights))
    return Choice(selection.chosen["C"], selection.chosen["p"], selection.error, n_fits)


def _parts(
    pipeline: Pipeline,
    frame: pd.DataFrame,
    labels: CodedLabels,
    splits: Iterable[tuple[Any, Any]],
    weights: NDArray[np.float64] | None,
) -> Iterator[Fold]:
    """Each fold, encoded by its training rows once for all pairs of parameters."""
    decoded = labels.decoded
    for train, test in splits:
        encoder = clone(pipeline[:-1])
        fitted = encoder.fit_transform(frame.iloc[train])
        tested = encoder.transform(frame.iloc[test])
        of_train, of_test = (None if weights is None else weights[rows] for rows in (train, test))
        # What is fitted are labels and what they count.
        yield Fold(fitted, (labels[train], of_train), tested, decoded[test], of_test)
