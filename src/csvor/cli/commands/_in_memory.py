"""Which rows of a file does a command fit or audit, and what does it write of each?"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from csvor import LabelAudit
from csvor._estimators.steps import fit_coded
from csvor._utils.words import plural
from csvor.audit import candidate_models
from csvor.cli._files import write_table
from csvor.cli.input._prepare import Prepared, plain

# Columns of a table of audited rows, beside the number and the name of the row.
ENTRIES = ("given", "suggested", "probability", "residual", "direction", "flagged")
FIXED = ("row", *ENTRIES)


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """The rows of a file, encoded anew by each model; `InParts` has the same methods."""

    prepared: Prepared

    option_for_all: ClassVar[str] = "--suspects FILE has all"

    @property
    def n_rows(self) -> int:
        """The number of rows with a label."""
        return len(self.prepared.target.rows)

    def fit(self) -> tuple[float, int]:
        """Fit the model; the share of rows that get another label, and the number of outliers."""
        prepared = self.prepared
        fit_coded(prepared.pipeline, prepared.frame, prepared.target.coded, prepared.weights)
        predicted = prepared.pipeline.predict(prepared.frame)
        error = float(np.mean(predicted != prepared.target.labels))
        return error, int(prepared.pipeline[-1].outliers_.sum())

    def models(self) -> list[Any]:
        """The models that an audit compares."""
        prepared = self.prepared
        return candidate_models(
            prepared.frame,
            before=prepared.pipeline[:-1],
            n_parts=prepared.options.folds,
            fixed=prepared.options.parameters,
        )

    def audit_data(self) -> dict[str, Any]:
        """The data by the parameters of `audit_labels`."""
        prepared = self.prepared
        return {
            "X": prepared.frame,
            "y": prepared.target.coded,
            "groups": prepared.groups,
            "sample_weight": prepared.weights,
            "confirmed": prepared.confirmed,
            "original": prepared.original,
        }

    def completed(self, audit: LabelAudit) -> LabelAudit:
        """The audit, with a model that takes rows as they are in the file."""
        return audit

    def reading(self, audit: LabelAudit) -> AbstractContextManager[Any]:
        """Where the entries of an audit are read."""
        return nullcontext()

    def listed(self, audit: LabelAudit) -> dict[str, list[Any]]:
        """All rows as columns, worst first."""
        order, ids = audit.order, self.prepared.ids or []
        entries = [getattr(audit, name)[order] for name in ENTRIES]
        names = [ids[i] for i in order.tolist()] if ids else []
        return as_columns(self.prepared.data.id, self.prepared.target.rows[order], names, *entries)

    def write_suspects(
        self, audit: LabelAudit, path: str, listed: dict[str, list[Any]]
    ) -> str | None:
        """Write all rows, worst first, and say where; None of standard output."""
        write_table(path, listed)
        return None if path == "-" else f"all {plural(self.n_rows, 'row')}: {path}"

    def page_data(self) -> dict[str, Any]:
        """What the page of an audit takes of the rows, by the parameters of the report."""
        prepared = self.prepared
        return {
            "X": prepared.frame,
            "rows": prepared.row_numbers,
            "ids": prepared.ids,
            "conflicts": prepared.repeats.conflicts,
        }


def as_columns(
    id_name: str | None, rows: NDArray[np.int64], ids: Sequence[str], *entries: Any
) -> dict[str, list[Any]]:
    """Entries of rows (numbered from 0) as columns, by their names in a table."""
    columns: dict[str, list[Any]] = {"row": (rows + 1).tolist()}
    if id_name is not None:
        columns["id" if id_name in FIXED else id_name] = list(ids)
    values = ([plain(value) for value in column.tolist()] for column in entries)
    return columns | dict(zip(ENTRIES, values, strict=True))
