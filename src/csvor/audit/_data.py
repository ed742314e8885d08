"""How do the arguments of an audit become rows to hold out and estimators, and are they fit?"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, indexable

from csvor._data.checks import check_weights, refuse_swapped
from csvor._data.content import rows_in_order
from csvor._data.folds import held_out_parts
from csvor._data.groups import GroupCounts, group_names
from csvor._data.prepare import prepare_fit
from csvor._data.tables import masked_as_nan, named_columns
from csvor._estimators.capped import CSVOR
from csvor._labels import CodedLabels, refuse_other_order
from csvor._labels.order import measured
from csvor._tables.leaks import copies_of, row_numbers
from csvor._utils.lazy import is_lazy
from csvor.audit._held_out import AuditData, split_pipeline
from csvor.audit._in_memory import AuditDataInMemory
from csvor.audit._labelling import (
    Labelling,
    check_confirmed,
    check_original,
    check_seen,
    check_weighed,
)

_COLUMNS = ("X", "y", "sample_weight", "confirmed", "original", "raters", "groups")


def audit_data(columns: tuple[Any, ...], choices: tuple[Any, ...]) -> AuditData:
    """The rows in memory, or those in partitions."""
    X, y, sample_weight, *_ = columns
    refuse_swapped(X, y)
    if is_lazy(X):
        from dask.base import compute

        from csvor.audit._dask_rows import PartitionedAuditData

        data: Any = prepare_fit(CSVOR(classes=choices[0]), X, y, sample_weight)
        if not data.in_memory:
            return PartitionedAuditData.of(data, columns, *choices[1:])
        return replace(_in_memory(*compute(*columns), *choices), chunks=data.chunks)
    for name, column in zip(_COLUMNS[1:], columns[1:], strict=True):
        if is_lazy(column):
            raise TypeError(
                f"{name} lies in partitions of dask, and X is in memory: give {name}.compute(), or "
                "X as a dask array or dataframe as well."
            )
    return _in_memory(*columns, *choices)


def _in_memory(
    X: Any, y: Any, sample_weight: Any, confirmed: Any, original: Any, raters: Any, groups: Any,
    classes: Any, reference: Any, cv: Any, random_state: Any,
) -> AuditDataInMemory:  # fmt: skip
    """All that is known of the rows, checked."""
    refuse_other_order(
        X, y=y, sample_weight=sample_weight, confirmed=confirmed, original=original,
        raters=raters, groups=groups,
    )  # fmt: skip
    coded = CodedLabels.from_data(y, classes)
    (X,) = indexable(masked_as_nan(X))  # sparse forms without rows to take become CSR
    check_consistent_length(X, coded.codes)
    K = coded.labels.classes.size
    names = None if groups is None else group_names(groups, len(coded))
    if sample_weight is not None:
        sample_weight = check_weights(len(coded), sample_weight)
        check_weighed(
            np.bincount(coded.codes, sample_weight, K), coded.labels.classes, coded.counts
        )
    if confirmed is not None:
        confirmed = check_confirmed(confirmed, len(coded))
    if original is not None:
        original = _original(original, coded, confirmed)
    labelling = Labelling(coded.codes, sample_weight, confirmed, original)
    if raters is not None:
        labelling = labelling.by_raters(raters, reference)
    of_groups = None if names is None else np.array(list(map(str, names)))
    places, alike = rows_in_order(X, *labelling.columns.values(), of_groups)
    parts = held_out_parts(coded.codes, cv, names, random_state, places)
    check_seen(
        [np.bincount(coded.codes[train], minlength=K) for train, _ in parts],
        coded.labels.classes,
        coded.counts,
    )
    n = None if names is None else GroupCounts.of(names, coded.codes, K).effective_rows
    rank = np.argsort(places)
    parts = [(np.sort(rank[train]), np.sort(rank[test])) for train, test in parts]
    return AuditDataInMemory(
        coded.labels, labelling.take(places), X, parts, places, rank, alike, n_independent=n
    )


def _original(original: Any, coded: CodedLabels, confirmed: Any) -> NDArray[np.int64]:
    """Codes of the labels before a review, which may have set those that it confirmed."""
    if isinstance(original, CodedLabels):
        codes = original.codes
    else:
        codes = coded.labels.encode(original, name="original")
    check_consistent_length(coded.codes, codes)
    check_original(codes, coded.codes, confirmed)
    return codes


def notes_on_data(rows: AuditData, y: Any, declared: Any) -> tuple[str, ...]:
    """What should be known of labels and features; of a table it is known, and `y` is coded."""
    if isinstance(y, CodedLabels):
        return ()
    notes = []
    is_declared = declared is not None or rows.labels.declared
    if not is_declared and (problem := measured(rows.classes.tolist(), len(rows))):
        notes.append(f"{problem}. Cut them into ordered classes (numpy.digitize, pandas.cut).")
    if not isinstance(rows, AuditDataInMemory):
        return tuple(notes)
    notes += rows.notes_on_copies()

    def noted() -> Iterator[tuple[Any, NDArray[Any]]]:
        for name, column in named_columns(rows.X):
            if column.dtype.kind in "iuf" and (how := row_numbers(column)) is not None:
                notes.append(
                    f"Column {name!r} of X looks like row numbers ({how}), which say where a row "
                    "stands and not what it is like: leave it out."
                )
            if column.dtype != object or all(isinstance(cell, Hashable) for cell in column):
                yield name, column

    for name, share, beyond in copies_of(rows.as_given[0].codes, noted()):
        notes.append(
            f"Column {name!r} of X alone gives the label of {100 * share:.1f} % of the rows "
            f"({100 * beyond:.1f} % beyond chance). If it is a copy of the label, leave it out: "
            "then the other columns judge the labels."
        )
    return tuple(notes)


def estimators_of(estimator: Any) -> list[Any]:
    """The estimators to compare, each behind the same steps."""
    if estimator is None:
        return []
    models = list(estimator) if isinstance(estimator, (list, tuple)) else [estimator]
    if not models:
        raise ValueError("estimator is an empty list: give None, an estimator or some of them.")
    steps = [_spelled(split_pipeline(model)[0]) for model in models]
    for model, its in zip(models, steps, strict=True):
        if its != steps[0]:
            raise ValueError(
                f"estimator has pipelines that differ before their last step: {model!r} is not "
                "like the first. Those compared must share all steps but the last."
            )
    return models


def _spelled(steps: Any) -> str:
    """All parameters of steps: the usual repr leaves out the middle of what is long."""
    with np.printoptions(threshold=sys.maxsize):
        return repr(_parameters(steps))


def _parameters(value: Any) -> Any:
    """What makes an object what it is, where its repr is an address, which copies do not share."""
    if isinstance(value, BaseEstimator):
        return type(value), _parameters(value.get_params(deep=False))
    if isinstance(value, dict):
        return {key: _parameters(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_parameters(one) for one in value]
    has_repr = any("__repr__" in vars(kind) for kind in type(value).__mro__[:-1])
    if not has_repr and hasattr(value, "__dict__"):
        return type(value), _parameters(vars(value))
    return value
