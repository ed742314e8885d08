"""Which rows of a file does a command fit or audit, and what does it write of each?"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from csvor import LabelAudit
from csvor._estimators.steps import fit_coded
from csvor._parts.engine import take
from csvor._utils.words import plural
from csvor.audit import candidate_models
from csvor.audit._reported import reported
from csvor.cli._files import write_table
from csvor.cli.input._prepare import Prepared, plain

# Columns of a table of audited rows, beside the number and the name of the row.
ENTRIES = (
    "given", "suggested", "probability", "expected_distance", "residual", "direction", "flagged",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class CommandRows:
    """What commands ask of rows with a label alike, in memory or in pieces."""

    prepared: Prepared

    @property
    def n_rows(self) -> int:
        """The number of rows with a label."""
        return self.prepared.target.n_rows

    @property
    def names(self) -> list[Any]:
        """The number of each row, from 0, and its id."""
        rows = self.prepared.target.rows
        return [rows, np.array(self.prepared.ids or [""] * len(rows), dtype=object)]

    def entries(self, audit: LabelAudit) -> list[Any]:
        """The columns of a table of audited rows."""
        audit = reported(audit)
        rater = [] if audit.rater is None else [audit.rater]
        return [*self.names, *rater, *(getattr(audit, name) for name in ENTRIES)]

    def listed(self, audit: LabelAudit) -> dict[str, list[Any]]:
        """The rows that an audit orders as columns, worst first: of many, 1 000."""
        rows, ids, *entries = take(audit.order, *self.entries(audit))
        return as_columns(self.prepared.data.id, rows, ids, *entries)

    def candidates(self, frame: Any, before: Any) -> list[Any]:
        """The models that an audit compares, for rows that `before` encodes."""
        options = self.prepared.options
        return candidate_models(
            frame, before=before, n_parts=options.folds, fixed=options.parameters
        )


class RowsInMemory(CommandRows):
    """The rows of a file, encoded anew by each model; `RowsInParts` has the same methods."""

    option_for_all: ClassVar[str] = "--suspects FILE has all"

    def fit(self) -> tuple[float, int]:
        """Fit the model; the share of rows that get another label, and the number of outliers."""
        prepared = self.prepared
        fit_coded(prepared.pipeline, prepared.frame, prepared.target.coded, prepared.weights)
        predicted = prepared.pipeline.predict(prepared.frame)
        error = float(np.mean(predicted != prepared.target.labels))
        return error, int(prepared.pipeline[-1].outliers_.sum())

    def models(self) -> list[Any]:
        """The models that an audit compares."""
        return self.candidates(self.prepared.frame, self.prepared.pipeline[:-1])

    def audit_data(self) -> dict[str, Any]:
        """The data by the parameters of `audit_labels`."""
        return self.prepared.audit_data()

    def completed(self, audit: LabelAudit) -> LabelAudit:
        """The audit, with a model that takes rows as they are in the file."""
        return audit

    def reading(self, audit: LabelAudit) -> AbstractContextManager[Any]:
        """Where the entries of an audit are read."""
        return nullcontext()

    def write_suspects(
        self, audit: LabelAudit, path: str, listed: dict[str, list[Any]]
    ) -> str | None:
        """Write all rows, worst first, and say where; None of standard output."""
        write_table(path, listed)
        return None if path == "-" else f"all {plural(self.n_rows, 'row')}: {path}"

    def by_columns(self) -> list[Any]:
        """The columns by whose values shares of wrong labels are compared."""
        return self.prepared.uses.by(self.prepared.table, self.prepared.target.rows)

    def page_data(self) -> dict[str, Any]:
        """What the page of an audit takes of the rows, by the parameters of the report."""
        prepared, conflicts = self.prepared, self.prepared.repeats.conflicts
        rows, ids = prepared.row_numbers, prepared.ids
        columns = {"X": prepared.frame, "rows": rows, "ids": ids, "cells": prepared.cells}
        return {**columns, "conflicts": conflicts, "row_checks": prepared.row_checks}


def as_columns(
    id_name: str | None, rows: NDArray[np.int64], ids: NDArray[Any], *entries: Any
) -> dict[str, list[Any]]:
    """Entries of rows (numbered from 0) as columns, by their names in a table: `ENTRIES`, or the
    rater before these.
    """
    columns: dict[str, list[Any]] = {"row": (rows + 1).tolist()}
    names = ("rater", *ENTRIES)[-len(entries) :]
    if id_name is not None:
        columns["id" if id_name in ("row", *names) else id_name] = ids.tolist()
    values = ([plain(value) for value in column.tolist()] for column in entries)
    return columns | dict(zip(names, values, strict=True))
