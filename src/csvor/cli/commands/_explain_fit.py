"""Which regression do the rows of a file have, and what would it be if no label were wrong?"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from csvor import OrdinalRegression
from csvor._regression.fit import Likelihoods
from csvor.cli._errors import CommandError, refuse
from csvor.cli._notes import Notes, in_options
from csvor.cli._progress import progress
from csvor.cli.commands._command_options import ExplainOptions
from csvor.cli.commands._in_parts import RowsInParts
from csvor.cli.commands._rows import Rows
from csvor.cli.input._prepare import Prepared
from csvor.cli.input._regression_columns import (
    RegressionColumn,
    names_of,
    regression_columns,
    units_encoder,
)


@dataclass(frozen=True, eq=False)
class Explained:
    """A fitted regression of a file.

    Attributes
    ----------
    prepared : Prepared
    columns : list of RegressionColumn
    model : OrdinalRegression
    all_right : OrdinalRegression or None
        The same model with all labels taken to be right, where some are wrong.
    options : ExplainOptions
    arrays : dict
        Of rows in pieces: workers keep them for as long as something here refers to them.
    """

    prepared: Prepared
    columns: list[RegressionColumn]
    model: OrdinalRegression
    all_right: OrdinalRegression | None
    options: ExplainOptions
    arrays: dict[str, Any]


def explained(rows: Rows, options: ExplainOptions, notes: Notes) -> Explained:
    """Fit the rows; what the library refuses is said in options of the command."""
    prepared = rows.prepared
    columns = regression_columns(prepared.features, prepared.frame, options.base, options.per)
    model = OrdinalRegression(
        link=options.link,
        wrong=0 if options.no_wrong else options.wrong,
        nominal=names_of(columns, options.nominal, "--nominal"),
        scale=names_of(columns, options.scale, "--scale"),
        penalty=options.penalty,
        classes=prepared.target.classes,
    )
    arrays = _arrays(rows, columns)
    with progress("Fitting"), notes.of_warnings():
        try:
            model.fit(arrays["X"], arrays["y"], arrays["sample_weight"], raters=arrays["raters"])
        except ValueError as error:
            text = in_options(str(error))
            raise CommandError(f"{prepared.table.source}: {text[0].lower()}{text[1:]}") from error
        all_right = _all_right(model) if model.wrong_channel_ is not None else None
    for one in filter(None, (model, all_right)):
        one._term_columns = {column.name: list(column.names) for column in columns}
    return Explained(prepared, columns, model, all_right, options, arrays)


def _arrays(rows: Rows, columns: Sequence[RegressionColumn]) -> dict[str, Any]:
    """Features in their units, labels, weights and raters, by the parameters of a fit."""
    prepared = rows.prepared
    encoder = units_encoder(columns, prepared.options)
    names = [name for column in columns for name in column.names]
    X = encoder.fit_transform(prepared.frame)
    if not isinstance(rows, RowsInParts):
        return {
            "X": pd.DataFrame(X, columns=names),
            "y": prepared.target.coded,
            "sample_weight": prepared.weights,
            "raters": prepared.raters,
        }
    if prepared.data.rater is not None:
        refuse("dask-rater")
    import dask.dataframe as dd

    kept = replace(rows, columns=encoder).encoded()
    X = dd.from_dask_array(kept["X"], columns=names)
    rest: dict[str, Any] = {
        name: dd.from_dask_array(kept[name]) for name in ("y", "sample_weight") if name in kept
    }
    return {"sample_weight": None, "raters": None, "X": X, **rest, "kept": kept}


def _all_right(model: OrdinalRegression) -> OrdinalRegression:
    """The fit of the same rows in which all labels are right, which the search began with."""
    plain = copy(model)
    plain.wrong = 0
    best = model._likelihoods.plain
    plain._set_fitted(model._fitting_, Likelihoods(best, best, {}))
    return plain
