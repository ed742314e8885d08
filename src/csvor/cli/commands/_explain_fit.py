"""Which regression do the rows of a file have, and what would it be if no label were wrong?"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from csvor import OrdinalRegression
from csvor._faults.errors import CommandError, refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._faults.spelling import quoted
from csvor._regression.fit import Likelihoods
from csvor.cli._notes import in_options, warnings_as_notes
from csvor.cli._progress import progress
from csvor.cli.commands._explain_options import ExplainOptions
from csvor.cli.commands._in_parts import RowsInParts
from csvor.cli.commands._rows import Rows
from csvor.cli.input._prepare import Prepared
from csvor.cli.input._regression_columns import (
    RegressionColumn,
    names_of,
    regression_columns,
    units_encoder,
)

# Errors that hold in groups are too small with fewer.
_FEW_GROUPS = 30


class _Named(OrdinalRegression):
    """Calls columns by names that no array has, in pieces or not."""

    _names: list[str]

    def _column_names(self) -> list[str]:
        return self._names


@dataclass(frozen=True, eq=False)
class Explained:
    """A fitted regression of a file, with errors that hold in groups where there are some.

    `all_right` is the same model with all labels taken to be right, where some are wrong;
    `covariances` are those of the estimates of both.
    """

    prepared: Prepared
    columns: list[RegressionColumn]
    model: OrdinalRegression
    all_right: OrdinalRegression | None
    covariances: tuple[Any, Any]
    options: ExplainOptions


def explained(rows: Rows, options: ExplainOptions, notes: Notes) -> Explained:
    """Fit the rows; what the library refuses is said in options of the command."""
    prepared = rows.prepared
    target = prepared.target.name
    columns = regression_columns(prepared.features, prepared.frame, options.base, options.per)
    model = _Named(
        link=options.link,
        wrong=0 if options.no_wrong else options.wrong,
        nominal=names_of(columns, options.nominal, "--nominal", target),
        scale=names_of(columns, options.scale, "--scale", target),
        penalty=options.penalty,
        classes=prepared.target.classes,
    )
    model._names = [name for column in columns for name in column.names]
    arrays = _arrays(rows, columns)
    with progress("Fitting"), warnings_as_notes(notes, lower_case=True):
        try:
            model.fit(arrays["X"], arrays["y"], arrays["sample_weight"], raters=arrays["raters"])
        except ValueError as error:
            text = _with_a_column(in_options(str(error)), columns)
            raise CommandError(f"{prepared.table.source}: {text[0].lower()}{text[1:]}") from error
        all_right = _all_right(model) if model.wrong_channel_ is not None else None
    for one in filter(None, (model, all_right)):
        one._term_columns = {column.name: list(column.names) for column in columns}
    groups = _groups(rows, arrays, notes)
    with progress("Estimating errors"):
        of_both = (_covariance(model, groups), all_right and _covariance(all_right, groups))
    return Explained(prepared, columns, model, all_right, of_both, options)


def _with_a_column(text: str, columns: Sequence[RegressionColumn]) -> str:
    """What is said, with the first column that it names in place of COL."""
    places = {text.find(repr(name)): column.name for column in columns for name in column.names}
    places.pop(-1, None)
    return text.replace("--drop COL", f"--drop {quoted(places[min(places)])}") if places else text


def _covariance(model: OrdinalRegression, groups: Any) -> Any:
    return model.covariance_ if groups is None else model.sandwich(groups)


def _groups(rows: Rows, arrays: dict[str, Any], notes: Notes) -> Any:
    """What rows that depend on each other share; each row by itself where weights are no counts."""
    prepared = rows.prepared
    if prepared.data.weight is not None and prepared.data.counts is None:
        notes.add(fault("weights-no-counts"))
    if prepared.data.groups is not None:
        groups = np.asarray(arrays["groups"])
        n_groups = len(np.unique(groups))
        kind = "rows-of-groups" if n_groups >= _FEW_GROUPS else "rows-of-few-groups"
        notes.add(fault(kind, n=n_groups))
        return groups
    if prepared.ids is not None and not isinstance(rows, RowsInParts):
        n_ids = int((pd.Series(prepared.ids).value_counts() > 1).sum())
        if n_ids:
            notes.add(fault("dependent-ids", str(prepared.data.id), option="--id", n=n_ids))
    if prepared.data.weight is None:
        return None
    if isinstance(rows, RowsInParts):
        notes.add(fault("weights-in-parts"))
        return None
    return np.arange(prepared.target.n_rows)


def _arrays(rows: Rows, columns: Sequence[RegressionColumn]) -> dict[str, Any]:
    """Features in their units, labels, weights and raters, by the parameters of a fit."""
    prepared = rows.prepared
    encoder = units_encoder(columns, prepared.options)
    X = encoder.fit_transform(prepared.frame)
    if not isinstance(rows, RowsInParts):
        return {
            "X": X,
            "y": prepared.target.coded,
            "sample_weight": prepared.weights,
            "raters": prepared.raters,
            "groups": prepared.groups,
        }
    if prepared.data.rater is not None:
        refuse("dask-rater")
    return {"sample_weight": None, "raters": None, **replace(rows, columns=encoder).encoded()}


def _all_right(model: OrdinalRegression) -> OrdinalRegression:
    """The fit of the same rows in which all labels are right, which the search began with."""
    plain = copy(model)
    plain.wrong = 0
    best = model._likelihoods.plain
    plain._set_fitted(model._fitting_, Likelihoods(best, best, {}))
    return plain
