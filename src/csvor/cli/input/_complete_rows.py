"""Which rows have a value in every column, and what is left of a table without the others?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._labels import CodedLabels
from csvor._tables.column_uses import weight_of_one
from csvor._tables.features import FeatureColumns
from csvor._tables.related_rows import Repeats
from csvor._tables.target import Target
from csvor.cli.input._prepare import Prepared


def complete_rows(work: Prepared, notes: Notes) -> Prepared:
    """The rows without a blank; columns that have one value in these are left out.

    CommandError if no row is left, or no column.
    """
    blank = {
        name: (work.frame[name].isna() | (work.frame[name] == "")).to_numpy()
        for name in work.features.used
    }
    whole = ~np.any(list(blank.values()), axis=0)
    if whole.all():
        return work
    names = [name for name, at in blank.items() if at.any()]
    if not whole.any():
        raise CommandError(fault("no-complete-row", n=len(names), names=names))
    left_out = int(np.sum(~whole))
    notes.add(fault("incomplete-rows", n=left_out, names=names, n_names=len(names)))
    frame = work.frame.loc[whole].reset_index(drop=True)
    idle = [name for name in work.features.used if frame[name].nunique() == 1]
    if idle:
        notes.add(fault("constant", n=len(idle), names=idle))
    if len(idle) == len(work.features.used):
        raise CommandError(fault("no-features"))
    weights = _of(work.weights, whole)
    if weights is not None:
        n_counting = int(np.count_nonzero(weights))
        weights = weights / weight_of_one(
            work.data.roles.weighing, float(weights.sum()), n_counting
        )
    return replace(
        work,
        target=_target(work.target, whole),
        features=_features(work.features, frame, idle),
        frame=frame.drop(columns=idle),
        groups=_of(work.groups, whole),
        raters=_of(work.raters, whole),
        weights=weights,
        repeats=Repeats(np.empty(0, dtype=np.int64), []),  # those that were found are of all rows
    )


def _of(values: Any, whole: NDArray[np.bool_]) -> Any:
    return None if values is None else values[whole]


def _target(target: Target, whole: NDArray[np.bool_]) -> Target:
    coded = CodedLabels(target.coded.labels, target.coded.codes[whole])
    counts = np.bincount(coded.codes, minlength=len(target.classes)).tolist()
    return replace(
        target, labels=target.labels[whole], coded=coded, rows=target.rows[whole], counts=counts
    )


def _features(features: FeatureColumns, frame: Any, idle: list[str]) -> FeatureColumns:
    return replace(
        features,
        numeric=[name for name in features.numeric if name not in idle],
        categorical={
            name: sorted(set(frame[name])) for name in features.categorical if name not in idle
        },
        constant=[*features.constant, *idle],
    )
