"""`csvor audit --dask`: an audit of rows that stay where they are, in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.pipeline import Pipeline

from csvor import LabelAudit, audit_labels
from csvor._estimators.intervals import EmptyIntervalWarning
from csvor._estimators.steps import final_of
from csvor._parts.engine import take
from csvor._utils.atomic_files import folder_written_whole
from csvor._utils.lazy import is_lazy
from csvor._utils.words import plural
from csvor.audit import candidate_models
from csvor.cli._cluster import cluster
from csvor.cli._errors import UsageError
from csvor.cli._files import refuse_files_unseen, write_table
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._paths import check_new_folder, refuse_delimiter
from csvor.cli._progress import progress
from csvor.cli._render import Fact
from csvor.cli.commands._audit import (
    ENTRIES,
    Audited,
    Rows,
    as_columns,
    note_lone_labels,
    refuse_many_folds,
)
from csvor.cli.commands._audit_report import write_page
from csvor.cli.commands._class_notes import notes_on_classes
from csvor.cli.commands._in_parts import InParts, in_parts
from csvor.cli.commands._outputs import AuditOutput
from csvor.cli.input._related_rows import refuse_few_groups


@dataclass(frozen=True, eq=False)
class AuditedParts(Audited):
    """Entries of rows lie in pieces; the rows most probably wrong are listed."""

    rows: InParts

    where_all_are: ClassVar[str] = "--suspects FOLDER has all"

    @staticmethod
    def check(output: AuditOutput, data: DataOptions) -> None:
        refuse_delimiter(data.delimiter, data.data)
        if data.reviewed == "-":
            raise UsageError("--reviewed -: with --dask decisions come from a file; name it")
        if output.suspects == "-":
            raise UsageError("--dask writes a folder of Parquet files; name a new one (--suspects)")
        if output.suspects is not None:
            check_new_folder(output.suspects, "--suspects", data.data)

    @classmethod
    @contextmanager
    def of(
        cls, data: DataOptions, options: ModelOptions, notes: Notes, fdr: float | None
    ) -> Iterator[Self]:
        """As long as the workers live."""
        with cluster(str(data.dask)) as client:
            from dask import config

            rows = in_parts(data, options, notes, client)
            refuse_many_folds(options.folds, sum(rows.sizes))
            refuse_few_groups(rows.work.groups, options.folds)
            note_lone_labels(rows.work, notes)
            audit = audited_in_parts(rows, options, notes, fdr)
            # What is said of few rows need not travel.
            with config.set(scheduler="threads") if _was_here(audit) else nullcontext():
                notes_on_classes(audit, options, notes)
                yield cls(rows.work, audit, rows)

    def listed(self) -> Rows:
        """The 1 000 rows most probably wrong, the worst first."""
        rows, ids, *entries = take(self.audit.order, *self._of_rows)
        return as_columns(self.work.data.id, rows, ids.tolist(), *entries)

    def write_suspects(self, path: str, rows: Rows) -> str:
        """Write all rows, in their order, a file for each piece that has any."""
        from csvor._parts.graph import Parts, computed, layer

        busy = np.flatnonzero(self.rows.sizes).tolist()
        with progress(f"Writing {path}"), folder_written_whole(Path(path)) as folder:
            work = partial(_write_part, self.work.data.id, str(folder))
            columns = [parts.take(busy) for parts in Parts.of_all(*self._of_rows)]
            computed(layer(work, columns, busy))
            refuse_files_unseen(folder, len(busy), path, "--suspects")
        return f"all {plural(sum(self.rows.sizes), 'row')} in {plural(len(busy), 'file')}: {path}"

    def write_page(self, path: str, facts: Sequence[Fact], notes: Sequence[str]) -> None:
        """Write the page of the listed rows, with counts of all."""
        import dask.dataframe as dd

        numbers, ids = self._names
        empty = self.work.frame.iloc[:0]
        frames = dd.from_map(self.rows.reader.features_of, self.rows.pieces, meta=empty)
        named = None if self.work.data.id is None else ids
        # Only some rows were compared with each other.
        known = {"X": frames, "rows": numbers + 1, "ids": named, "conflicts": ()}
        with progress(f"Writing {path}"):
            write_page(path, self.work, self.audit, facts, notes, **known)

    @cached_property
    def _names(self) -> list[Any]:
        """The number of each row, from 0, and what it is called."""
        return self.rows.made(self.rows.reader.named, (np.int64, None), (object, None))

    @property
    def _of_rows(self) -> list[Any]:
        return [*self._names, *(getattr(self.audit, name) for name in ENTRIES)]


def _write_part(id_name: str | None, folder: str, number: int, *of_rows: Any) -> None:
    path = Path(folder, f"part-{number:05}.parquet")
    write_table(str(path), as_columns(id_name, *of_rows))


def _was_here(audit: LabelAudit) -> bool:
    """Whether the rows were few, and were audited in memory."""
    return not is_lazy(final_of(audit.model).outliers_)


def audited_in_parts(
    rows: InParts, options: ModelOptions, notes: Notes, fdr: float | None
) -> LabelAudit:
    """An audit, entries of rows in pieces."""
    work = rows.work
    told = notes.of_warnings(EmptyIntervalWarning)  # by `notes_on_classes`
    with progress("Auditing the labels", 1) as update, told:
        # Rows are encoded by what is known of all.
        models = [
            model[-1]
            for model in candidate_models(
                rows.columns.transform(work.frame),
                before="passthrough",
                n_parts=options.folds,
                fixed=work.options.parameters,
            )
        ]
        audit = audit_labels(
            estimator=models,
            classes=work.target.coded.labels.classes,
            cv=options.folds,
            fdr=fdr,
            random_state=options.seed,
            progress=update,
            **rows.encoded(),
        )
        found = {name: getattr(audit, name) for name in (*ENTRIES, "predicted", "score")}
        if not _was_here(audit):
            found = dict(zip(found, rows.kept(list(found.values()), share=0.25), strict=True))
    steps = audit.model.steps if isinstance(audit.model, Pipeline) else [("model", audit.model)]
    model = Pipeline([("columns", rows.columns), *steps])
    return replace(audit, model=model, **found)
