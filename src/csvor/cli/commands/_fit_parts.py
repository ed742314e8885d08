"""`csvor fit --dask`: a fit of rows that stay where they are, in pieces."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from csvor.cli._cluster import cluster, memory_of
from csvor.cli._errors import ColumnError, UsageError
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli.input._parts import Reader, encoded, reader_of, rescale, sums_of
from csvor.cli.input._pieces import Piece, pieces_of
from csvor.cli.input._prepare import Prepared, prepare_table
from csvor.cli.input._sample import Sample, Wanted, sample_of
from csvor.cli.input._target import Target, stands_for

# The share of the rows with another label, and how many were cut away.
Told = tuple[float, int]


def fitted_in_parts(
    data: DataOptions, options: ModelOptions, notes: Notes
) -> tuple[Prepared, float, int]:
    """What was fitted, the share of the rows with another label, and how many were cut away."""
    refuse_what_needs_all_rows(data, options)
    pieces = pieces_of(data.data)
    with cluster(str(data.dask)) as client:
        from csvor._rows.parts import Parts

        parts = Parts.of(pieces)
        with progress(f"Reading {data.data}"):
            sample = _sample(pieces, parts, data)
            n_rows = sum(piece.n_rows for piece in pieces)
            _note_sample(len(sample.rows), n_rows, options, notes)
            table = sample.table(data.data, n_rows)
            work = prepare_table(table, data, options, notes)
            labels = table.column(data.target, "--target")
            types = dict(zip(sample.arrays.column_names, sample.arrays.schema.types, strict=True))
            reader = reader_of(work, labels, types)
        with progress("Measuring the columns"):
            columns = work.pipeline[0].fit(work.frame)
            work, mean_weight, sizes = _measured(work, reader, columns, parts)
        with progress("Fitting"), notes.of_warnings():
            make = partial(encoded, reader, columns, mean_weight)
            error, flagged = _fit(work, make, parts, sizes, memory_of(client) // 2)
    return work, error, flagged


def refuse_what_needs_all_rows(data: DataOptions, options: ModelOptions) -> None:
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
    if data.delimiter is not None:
        raise UsageError(f"--delimiter {data.delimiter}: {data.data} is no text file")


def _sample(pieces: list[Piece], parts: Any, data: DataOptions) -> Sample:
    from csvor._rows.partitions import run

    n_rows = sum(piece.n_rows for piece in pieces)
    wanted = Wanted(n_rows, data.target, frozenset(data.categorical), data.missing)
    found, _ = run(_drawn, [parts], given=(wanted,), apart=True)
    sample: Sample = found[0]
    return sample


def _drawn(piece: Piece, wanted: Wanted) -> tuple[tuple[Sample], tuple[()]]:
    return (sample_of(piece, wanted),), ()


def _note_sample(n_drawn: int, n_rows: int, options: ModelOptions, notes: Notes) -> None:
    if n_drawn == n_rows:
        return
    medians = options.impute or options.clip is not None
    notes.add(
        f"looked at {n_drawn} of {n_rows} rows, among them each word and the ends of each column: "
        "how columns are read, faults, row numbers, copies of the label and rows that come again"
        + ", and medians," * medians
        + " are told by these; means, deviations and the counts of a fit are of all rows"
    )


def _measured(
    work: Prepared, reader: Reader, columns: Any, parts: Any
) -> tuple[Prepared, float, tuple[int, ...]]:
    """Counts of all rows, their mean weight and those of each piece; the scaler knows all rows."""
    from csvor._rows.partitions import run

    (counts, weight, first, second), (sizes,) = run(partial(sums_of, reader, columns), [parts])
    n_used = int(sizes.sum())
    if not weight:
        raise ColumnError(f"column '{reader.weight}' (--weight): all weights are 0")
    if len(first):
        rescale(columns, n_used, first, second)
    target = _counted(work.target, reader, dict(zip(reader.codes, counts.astype(int), strict=True)))
    return replace(work, target=target), weight / n_used, tuple(sizes.tolist())


def _counted(target: Target, reader: Reader, counts: dict[str, int]) -> Target:
    """With the counts of all rows in place of those of the sample."""
    of_classes = [0] * len(target.classes)
    gone = {}
    for text, code in reader.codes.items():
        if code >= 0:
            of_classes[code] += int(counts[text])
        else:
            gone[text] = int(counts[text])
    left_out = dict.fromkeys(target.left_out, 0)
    for text, n in gone.items():
        (key,) = [key for key in left_out if stands_for(text, key)][:1] or ["blank"]
        left_out[key] += n
    return replace(target, counts=of_classes, left_out=left_out)


def _fit(work: Prepared, make: Any, parts: Any, sizes: tuple[int, ...], room: int) -> Told:
    """Fit; the encoded rows stay in the memory of the workers if they take no more than `room`."""
    from dask.base import compute, persist

    from csvor._rows.parts import as_array, layer

    columns, model = work.pipeline[0], work.pipeline[1]
    made = layer(make, [parts])
    width = len(columns.get_feature_names_out())
    X = as_array(made.under(itemgetter(0)), sizes, np.float64, (width,))
    y = as_array(made.under(itemgetter(1)), sizes, work.target.coded.labels.classes.dtype)
    weights = as_array(made.under(itemgetter(2)), sizes, np.float64)
    if X.nbytes <= room:
        X, y, weights = persist(X, y, weights)
    model.fit(X, y, sample_weight=None if work.weights is None else weights)
    wrong, flagged = compute((model.predict(X) != y).sum(), model.outliers_.sum())
    return float(wrong) / sum(sizes), int(flagged)
