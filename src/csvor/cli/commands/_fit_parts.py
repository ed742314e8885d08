"""`csvor fit --dask`: a fit of rows that stay where they are, in pieces."""

from __future__ import annotations

from csvor.cli._cluster import cluster
from csvor.cli._errors import UsageError
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._paths import refuse_delimiter
from csvor.cli._progress import progress
from csvor.cli.commands._in_parts import in_parts
from csvor.cli.input._prepare import Prepared


def fitted_in_parts(
    data: DataOptions, options: ModelOptions, notes: Notes
) -> tuple[Prepared, float, int]:
    """What was fitted, the share of the rows with another label, and how many were cut away."""
    _refuse_what_needs_all_rows(options)
    refuse_delimiter(data.delimiter, data.data)
    with cluster(str(data.dask)) as client:
        from dask.base import compute

        rows = in_parts(data, options, notes, client)
        work = rows.work
        with progress("Fitting"), notes.of_warnings():
            model = work.pipeline[1]
            given = rows.encoded()
            X, y = given["X"], given["y"]
            model.fit(X, y, given.get("sample_weight"))
            wrong, flagged = compute((model.predict(X) != y).sum(), model.outliers_.sum())
    return work, float(wrong) / sum(rows.sizes), int(flagged)


def _refuse_what_needs_all_rows(options: ModelOptions) -> None:
    """Refuse options that no pass over pieces can follow."""
    if options.kernel not in {None, "linear"}:
        raise UsageError(
            f"--kernel {options.kernel}: a kernel needs all rows at once, and --dask leaves them "
            "in pieces; take the linear kernel, or a part of the rows without --dask"
        )
    if options.tune:
        raise UsageError(
            "--tune: folds are made of rows in memory, and --dask leaves them in pieces; tune on a "
            "part of the rows without --dask, and give --C and --p here"
        )
