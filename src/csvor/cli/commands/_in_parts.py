"""Which rows in pieces does a command fit or audit, and what does it write of each?"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.pipeline import Pipeline

from csvor import LabelAudit
from csvor._estimators.steps import final_of
from csvor._parts.engine import take
from csvor._utils.atomic_files import folder_written_whole
from csvor._utils.lazy import is_lazy
from csvor._utils.words import plural
from csvor.audit import candidate_models
from csvor.cli._cluster import memory_of
from csvor.cli._files import refuse_files_unseen, write_table
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli.commands._in_memory import ENTRIES, as_columns
from csvor.cli.input._column_uses import feature_names, mean_weight
from csvor.cli.input._decisions import decided_on
from csvor.cli.input._parts import PieceReader, encoded, reader_of, rescale, sums_of
from csvor.cli.input._pieces import Piece, columns_of, pieces_of
from csvor.cli.input._prepare import Prepared, prepare_table
from csvor.cli.input._sample import Sample, Wanted, sample_of
from csvor.cli.input._target import Target, stands_for


@dataclass(frozen=True, eq=False)
class RowsInParts:
    """Rows with a label, in pieces, of which `prepared` has a sample, and counts of all.

    `columns` is the fitted encoding; `sizes` are the rows of each piece, `memory` are the bytes
    that all workers have.
    """

    prepared: Prepared
    reader: PieceReader
    columns: Any
    mean_weight: float
    pieces: list[Piece]
    parts: Any
    sizes: tuple[int, ...]
    memory: int

    option_for_all: ClassVar[str] = "--suspects FOLDER has all"

    @property
    def n_rows(self) -> int:
        """The number of rows with a label."""
        return sum(self.sizes)

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
        options = self.prepared.options
        frame = self.columns.transform(self.prepared.frame)
        models = candidate_models(
            frame, before="passthrough", n_parts=options.folds, fixed=options.parameters
        )
        return [model[-1] for model in models]

    def audit_data(self) -> dict[str, Any]:
        """The data by the parameters of `audit_labels`."""
        return {"classes": self.prepared.target.coded.labels.classes, **self.encoded()}

    def completed(self, audit: LabelAudit) -> LabelAudit:
        """The audit, with a model that takes rows as they are in the files; entries are kept."""
        entries = {name: getattr(audit, name) for name in (*ENTRIES, "predicted", "score")}
        if not _was_in_memory(audit):
            entries = dict(zip(entries, self.kept(list(entries.values()), share=0.25), strict=True))
        steps = audit.model.steps if isinstance(audit.model, Pipeline) else [("model", audit.model)]
        return replace(audit, model=Pipeline([("columns", self.columns), *steps]), **entries)

    def reading(self, audit: LabelAudit) -> AbstractContextManager[Any]:
        """Where the entries of an audit are read: those of few rows need not travel."""
        from dask import config

        return config.set(scheduler="threads") if _was_in_memory(audit) else nullcontext()

    def listed(self, audit: LabelAudit) -> dict[str, list[Any]]:
        """The 1 000 rows most probably wrong as columns, the worst first."""
        rows, ids, *entries = take(audit.order, *self._entries(audit))
        return as_columns(self.prepared.data.id, rows, ids.tolist(), *entries)

    def write_suspects(self, audit: LabelAudit, path: str, listed: dict[str, list[Any]]) -> str:
        """Write all rows, in their order, a file for each piece that has any, and say where."""
        from csvor._parts.graph import Parts, computed, layer

        busy = np.flatnonzero(self.sizes).tolist()
        with progress(f"Writing {path}"), folder_written_whole(Path(path)) as folder:
            write = partial(_write_part, self.prepared.data.id, str(folder))
            columns = [parts.take(busy) for parts in Parts.of_all(*self._entries(audit))]
            computed(layer(write, columns, busy))
            refuse_files_unseen(folder, len(busy), path, "--suspects")
        return f"all {plural(self.n_rows, 'row')} in {plural(len(busy), 'file')}: {path}"

    def page_data(self) -> dict[str, Any]:
        """What the page of an audit takes of the rows, by the parameters of the report."""
        import dask.dataframe as dd

        numbers, ids = self._names
        empty = self.prepared.frame.iloc[:0]
        frames = dd.from_map(self.reader.features_of, self.pieces, meta=empty)
        names = None if self.prepared.data.id is None else ids
        # Only some rows were compared with each other.
        return {"X": frames, "rows": numbers + 1, "ids": names, "conflicts": ()}

    @cached_property
    def _names(self) -> list[Any]:
        """The number of each row, from 0, and its id."""
        return self.made(self.reader.named, (np.int64, None), (object, None))

    def _entries(self, audit: LabelAudit) -> list[Any]:
        return [*self._names, *(getattr(audit, name) for name in ENTRIES)]

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
        make, data = (
            partial(encoded, self.reader, self.columns, self.mean_weight),
            self.prepared.data,
        )
        labels = self.prepared.target.coded.labels.classes.dtype
        width, reviewed = (
            len(self.columns.get_feature_names_out()),
            self.prepared.review is not None,
        )
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
        arrays = {name: array for (name, kind), array in pairs if kind[0]}
        return dict(zip(arrays, self.kept(list(arrays.values())), strict=True))

    def kept(self, arrays: list[Any], share: float = 0.5) -> list[Any]:
        """The same, computed once and kept if that takes at most this share of all memory."""
        from dask.base import persist
        from distributed import wait

        if sum(array.nbytes for array in arrays) > share * self.memory:
            return arrays
        kept = list(persist(*arrays, optimize_graph=False))  # as all else asks for them
        wait(kept)  # what they are made of may be let go of only then
        return kept


def _write_part(id_name: str | None, folder: str, number: int, *entries: Any) -> None:
    path = Path(folder, f"part-{number:05}.parquet")
    write_table(str(path), as_columns(id_name, *entries))


def _was_in_memory(audit: LabelAudit) -> bool:
    """Whether the rows were few, and were audited in memory."""
    return not is_lazy(final_of(audit.model).outliers_)


def in_parts(data: DataOptions, options: ModelOptions, notes: Notes, client: Any) -> RowsInParts:
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
        labels = work.uses.labels(table)
        types = dict(zip(sample.arrays.column_names, sample.arrays.schema.types, strict=True))
        reader = reader_of(work, labels, types)
    with progress("Measuring the columns"):
        columns = work.pipeline[0].fit(work.frame)
        work, weight, sizes = _measured(work, reader, columns, parts)
    return RowsInParts(work, reader, columns, weight, pieces, parts, sizes, memory_of(client))


def _sample(pieces: list[Piece], parts: Any, data: DataOptions) -> Any:
    from csvor._parts.partitions import run

    n_rows = sum(piece.n_rows for piece in pieces)
    also = () if data.reviewed is None else decided_on(data.reviewed, data.target)[1]
    words = frozenset(filter(None, [*data.categorical, data.groups]))
    wanted = Wanted(n_rows, data.target, words, data.missing, data.missing_label, also)
    (sample,), _ = run(_drawn, [parts], shared=(wanted,), apart=True)
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
    work: Prepared, reader: PieceReader, columns: Any, parts: Any
) -> tuple[Prepared, float, tuple[int, ...]]:
    """Counts of all rows, their mean weight and those of each piece; the scaler knows all rows."""
    from csvor._parts.partitions import run

    (counts, weight, first, second), (sizes,) = run(partial(sums_of, reader, columns), [parts])
    n_used = int(sizes.sum())
    if len(first):
        rescale(columns, n_used, first, second)
    target = _counted(work.target, reader, dict(zip(reader.codes, counts.astype(int), strict=True)))
    mean = mean_weight(str(work.data.weight), weight, n_used)
    return replace(work, target=target), mean, tuple(sizes.tolist())


def _counted(target: Target, reader: PieceReader, counts: dict[str, int]) -> Target:
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
