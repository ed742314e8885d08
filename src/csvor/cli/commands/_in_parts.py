"""Which rows in pieces does a command fit or audit, and what does it write of each?"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.pipeline import Pipeline

from csvor import LabelAudit
from csvor._estimators.steps import final_of
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.column_uses import feature_names, weight_of_one
from csvor._tables.target import Target, stands_for
from csvor._utils.atomic_files import folder_written_whole
from csvor._utils.cached import cached_property
from csvor._utils.lazy import is_lazy
from csvor._utils.words import plural
from csvor.cli._cluster import memory_of
from csvor.cli._files import refuse_files_unseen, write_part
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli.commands._in_memory import ENTRIES, CommandRows, as_columns
from csvor.cli.input._decisions import decided_on
from csvor.cli.input._parts import PieceReader, encoded, reader_of, rescale, sums_of
from csvor.cli.input._pieces import Piece, columns_of, pieces_of
from csvor.cli.input._prepare import Prepared, prepare_table
from csvor.cli.input._sample import Sample, Wanted, sample_of


@dataclass(frozen=True, eq=False)
class RowsInParts(CommandRows):
    """Rows in pieces, of which `prepared` has a sample, and counts of all.

    `columns` is the fitted encoding, `sizes` the rows of each piece, `memory` the workers' bytes.
    """

    reader: PieceReader
    columns: Any
    mean_weight: float
    pieces: list[Piece]
    sizes: tuple[int, ...]
    memory: int
    option_for_all: ClassVar[str] = "--suspects FOLDER has all"

    def fit(self) -> tuple[float, int]:
        """Fit the model; the share of rows that get another label, and the number of outliers."""
        from dask.base import compute

        model, data = self.prepared.pipeline[-1], self.encoded()
        X, y = data["X"], data["y"]
        model.fit(X, y, data.get("sample_weight"))
        wrong, flagged = compute((model.predict(X) != y).sum(), model.outliers_.sum())
        return float(wrong) / self.n_rows, int(flagged)

    def models(self) -> list[Any]:
        """The models that an audit compares; rows are encoded by what is known of all."""
        frame = self.columns.transform(self.prepared.frame)
        return [model[-1] for model in self.candidates(frame, "passthrough")]

    def audit_data(self) -> dict[str, Any]:
        """The data by the parameters of `audit_labels`."""
        return {
            "classes": self.prepared.target.coded.labels.classes,
            "reference": self.prepared.data.reference,
            **self.encoded(),
        }

    def completed(self, audit: LabelAudit) -> LabelAudit:
        """The audit, with a model that takes rows as they are in the files; entries are kept."""
        names = (*ENTRIES, "predicted", "score") + ("rater",) * (audit.rater is not None)
        entries = {name: getattr(audit, name) for name in names}
        if not _was_in_memory(audit):
            entries = self.persisted(entries, share=0.25)
        steps = audit.model.steps if isinstance(audit.model, Pipeline) else [("model", audit.model)]
        return replace(audit, model=Pipeline([("columns", self.columns), *steps]), **entries)

    def reading(self, audit: LabelAudit) -> AbstractContextManager[Any]:
        """Where the entries of an audit are read: those of few rows need not travel."""
        from dask import config

        return config.set(scheduler="threads") if _was_in_memory(audit) else nullcontext()

    def write_suspects(self, audit: LabelAudit, path: str, listed: dict[str, list[Any]]) -> str:
        """Write all rows, in their order, a file for each piece that has any, and say where."""
        from csvor._parts.graph import Parts, computed, layer

        busy = np.flatnonzero(self.sizes).tolist()
        with progress(f"Writing {path}"), folder_written_whole(Path(path)) as folder:
            write = partial(_write_part, self.prepared.data.id, str(folder))
            columns = [parts.take(busy) for parts in Parts.of_all(*self.entries(audit))]
            computed(layer(write, columns, busy))
            refuse_files_unseen(folder, len(busy), path, "--suspects")
        return f"all {plural(self.n_rows, 'row')} in {plural(len(busy), 'file')}: {path}"

    def page_data(self) -> dict[str, Any]:
        """What the page of an audit takes of the rows, by the parameters of the report."""
        import dask.dataframe as dd

        reader, prepared = self.reader, self.prepared
        frames, cells = (
            dd.from_map(make, self.pieces, meta=like.iloc[:0])
            for make, like in (
                (reader.features_of, prepared.frame),
                (reader.cells_of, prepared.cells.astype(object)),
            )
        )
        ids = None if self.prepared.data.id is None else self.names[1]
        # Only some rows were compared with each other.
        columns = {"X": frames, "rows": self.names[0] + 1, "ids": ids, "cells": cells}
        return {**columns, "conflicts": ()}

    @cached_property
    def names(self) -> list[Any]:
        """The number of each row, from 0, and its id."""
        return self.made(self.reader.named, (np.int64, ()), (object, ()))

    def by_columns(self) -> list[Any]:
        """The columns by whose values shares of wrong labels are compared."""
        names = self.prepared.data.by
        return self.made(self.reader.by_values, *[(object, ())] * len(names)) if names else []

    def made(self, make: Any, *kinds: tuple[Any, tuple[int, ...]]) -> list[Any]:
        """What a call makes of each piece, entries of a tuple, as arrays of types and shapes."""
        from csvor._parts.graph import Parts, as_array, layer

        answers = layer(make, [Parts.of(self.pieces)])
        return [
            as_array(answers.under(itemgetter(i)), self.sizes, dtype, shape)
            for i, (dtype, shape) in enumerate(kinds)
        ]

    def encoded(self) -> dict[str, Any]:
        """What there is of the rows, by the parameters of a fit; workers keep it if they can."""
        prepared, data = self.prepared, self.prepared.data
        labels = prepared.target.coded.labels.classes.dtype
        reviewed, width = prepared.review is not None, len(self.columns.get_feature_names_out())
        kinds = {
            "X": (True, float, (width,)),
            "y": (True, labels, ()),
            "sample_weight": (data.roles.weighing is not None, float, ()),
            "groups": (data.groups is not None, np.int64, ()),
            "raters": (data.rater is not None, object, ()),
            "confirmed": (reviewed, bool, ()),
            "original": (reviewed, labels, ()),
        }
        make = partial(encoded, self.reader, self.columns, self.mean_weight)
        made = zip(kinds, self.made(make, *(kind[1:] for kind in kinds.values())), strict=True)
        return self.persisted({name: array for name, array in made if kinds[name][0]})

    def persisted(self, arrays: dict[str, Any], share: float = 0.5) -> dict[str, Any]:
        """The arrays, computed once and kept if that takes at most this share of all memory."""
        from dask.base import persist
        from distributed import wait

        if sum(array.nbytes for array in arrays.values()) > share * self.memory:
            return arrays
        persisted = persist(*arrays.values(), optimize_graph=False)  # as all else asks for them
        wait(persisted)  # what they are made of may be released only then
        return dict(zip(arrays, persisted, strict=True))


def _write_part(id_name: str | None, folder: str, number: int, *entries: Any) -> None:
    write_part(folder, number, as_columns(id_name, *entries))


def _was_in_memory(audit: LabelAudit) -> bool:
    """Whether the rows were few, and were audited in memory."""
    return not is_lazy(final_of(audit.model).outliers_)


def in_parts(data: DataOptions, options: ModelOptions, notes: Notes, client: Any) -> RowsInParts:
    """Read a sample, and measure all rows by what it says."""
    pieces = pieces_of(data.data, notes)
    feature_names(columns_of(data.data, pieces), data.roles)  # refused here, no pass is lost
    n_rows = sum(piece.n_rows for piece in pieces)
    with progress(f"Reading {data.data}"):
        sample = _sample(pieces, n_rows, data)
        if len(sample.rows) < n_rows:
            medians = ", and medians," * (options.impute or options.clip is not None)
            notes.add(fault("sample", n_drawn=len(sample.rows), n_rows=n_rows, medians=medians))
        table = sample.table(data.data, n_rows)
        work = prepare_table(table, data, options, notes)
        types = dict(zip(sample.arrays.column_names, sample.arrays.schema.types, strict=True))
        reader = reader_of(work, work.uses.labels(table), types)
    with progress("Measuring the columns"):
        return _measured(work, reader, pieces, memory_of(client))


def _sample(pieces: list[Piece], n_rows: int, data: DataOptions) -> Sample:
    from csvor._parts.graph import Parts
    from csvor._parts.partitions import run

    also = () if data.reviewed is None else decided_on(data.reviewed, data.target)[1]
    words = frozenset(filter(None, [*data.categorical, data.groups, data.rater]))
    wanted = Wanted(n_rows, data.target, words, data.missing, data.missing_label, also)
    (sample,), _ = run(_drawn, [Parts.of(pieces)], shared=(wanted,), apart=True)
    return cast(Sample, sample)


def _drawn(piece: Piece, wanted: Wanted) -> tuple[tuple[Sample], tuple[()]]:
    return (sample_of(piece, wanted),), ()


def _measured(work: Prepared, reader: PieceReader, pieces: list[Piece], memory: int) -> RowsInParts:
    """The rows with counts and the mean weight of all of them, which the scaler knows as well."""
    from csvor._parts.graph import Parts
    from csvor._parts.partitions import run

    columns = work.pipeline[0].fit(work.frame)
    func = partial(sums_of, reader, columns)
    (counts, weight, first, second), (sizes,) = run(func, [Parts.of(pieces)])
    n_used = int(sizes.sum())
    if len(first):
        rescale(columns, n_used, first, second)
    work = replace(work, target=_counted(work.target, reader.codes, counts.astype(int).tolist()))
    mean = weight_of_one(work.data.roles.weighing, float(weight[0]), int(weight[1]))
    return RowsInParts(work, reader, columns, mean, pieces, tuple(sizes.tolist()), memory)


def _counted(target: Target, codes: dict[str, int], counts: list[int]) -> Target:
    """With the counts of all rows in place of those of the sample."""
    of_classes, left_out = [0] * len(target.classes), dict.fromkeys(target.left_out, 0)
    for (text, code), n in zip(codes.items(), counts, strict=True):
        if code >= 0:
            of_classes[code] += n
        elif n:  # else a review dropped all rows that have it
            key = next((key for key in left_out if stands_for(text, key)), "blank")
            left_out[key] += n
    return replace(target, counts=of_classes, left_out=left_out)
