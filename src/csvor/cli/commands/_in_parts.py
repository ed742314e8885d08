"""What do `csvor fit --dask` and `csvor audit --dask` know of rows before they fit?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from csvor.cli._cluster import memory_of
from csvor.cli._errors import ColumnError
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli.input._decisions import decided_on
from csvor.cli.input._parts import Reader, encoded, reader_of, rescale, sums_of
from csvor.cli.input._pieces import Piece, columns_of, pieces_of
from csvor.cli.input._prepare import Prepared, feature_names, prepare_table
from csvor.cli.input._sample import Sample, Wanted, sample_of
from csvor.cli.input._target import Target, stands_for


@dataclass(frozen=True, eq=False)
class InParts:
    """Rows with a label, in pieces, of which `work` has a sample, and counts of all.

    `columns` is the fitted encoding; `sizes` are the rows of each piece, `memory` are the bytes
    that all workers have.
    """

    work: Prepared
    reader: Reader
    columns: Any
    mean_weight: float
    pieces: list[Piece]
    parts: Any
    sizes: tuple[int, ...]
    memory: int

    def made(self, make: Any, *kinds: tuple[Any, int | None]) -> list[Any]:
        """What a call makes of each piece, entries of a tuple, as arrays of types and widths."""
        from csvor._parts.graph import as_array, layer

        answers = layer(make, [self.parts])
        return [
            as_array(
                answers.under(itemgetter(i)), self.sizes, dtype, () if width is None else (width,)
            )
            for i, (dtype, width) in enumerate(kinds)
        ]

    def encoded(self) -> dict[str, Any]:
        """What is given of the rows, by the parameters of a fit; workers keep it if they can."""
        make, data = partial(encoded, self.reader, self.columns, self.mean_weight), self.work.data
        labels = self.work.target.coded.labels.classes.dtype
        width, reviewed = len(self.columns.get_feature_names_out()), self.work.review is not None
        kinds = {
            "X": (True, float, width),
            "y": (True, labels, None),
            "sample_weight": (data.weight is not None, float, None),
            "groups": (data.groups is not None, np.int64, None),
            "confirmed": (reviewed, bool, None),
            "original": (reviewed, labels, None),
        }
        made = self.made(make, *(kind[1:] for kind in kinds.values()))
        pairs = zip(kinds.items(), made, strict=True)
        given = {name: array for (name, kind), array in pairs if kind[0]}
        return dict(zip(given, self.kept(list(given.values())), strict=True))

    def kept(self, arrays: list[Any], share: float = 0.5) -> list[Any]:
        """The same, computed once and kept if that takes at most this share of all memory."""
        from dask.base import persist
        from distributed import wait

        if sum(array.nbytes for array in arrays) > share * self.memory:
            return arrays
        kept = list(persist(*arrays, optimize_graph=False))  # as all else asks for them
        wait(kept)  # what they are made of may be let go of only then
        return kept


def in_parts(data: DataOptions, options: ModelOptions, notes: Notes, client: Any) -> InParts:
    """Read a sample, and measure all rows by what it says."""
    from csvor._parts.graph import Parts

    pieces = pieces_of(data.data)
    feature_names(columns_of(data.data, pieces), data)  # refused here, no pass is lost
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
    return InParts(work, reader, columns, mean_weight, pieces, parts, sizes, memory_of(client))


def _sample(pieces: list[Piece], parts: Any, data: DataOptions) -> Sample:
    from csvor._parts.partitions import run

    n_rows = sum(piece.n_rows for piece in pieces)
    also = () if data.reviewed is None else decided_on(data.reviewed, data.target)[1]
    words = frozenset(filter(None, [*data.categorical, data.groups]))
    wanted = Wanted(n_rows, data.target, words, data.missing, data.missing_label, also)
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
    from csvor._parts.partitions import run

    (counts, weight, first, second), (sizes,) = run(partial(sums_of, reader, columns), [parts])
    n_used = int(sizes.sum())
    if not weight:
        raise ColumnError(f"column '{reader.data.weight}' (--weight): all weights are 0")
    if len(first):
        rescale(columns, n_used, first, second)
    target = _counted(work.target, reader, dict(zip(reader.codes, counts.astype(int), strict=True)))
    return replace(work, target=target), weight / n_used, tuple(sizes.tolist())


def _counted(target: Target, reader: Reader, counts: dict[str, int]) -> Target:
    """With the counts of all rows in place of those of the sample."""
    of_classes, left_out = [0] * len(target.classes), dict.fromkeys(target.left_out, 0)
    for text, code in reader.codes.items():
        n = int(counts[text])
        if code >= 0:
            of_classes[code] += n
        elif n:  # else a review dropped all rows that have it
            (key,) = [key for key in left_out if stands_for(text, key)][:1] or ["blank"]
            left_out[key] += n
    return replace(target, counts=of_classes, left_out=left_out)
