"""`csvor audit`: how many labels are wrong, and which."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from csvor import LabelAudit, audit_labels
from csvor._estimators.intervals import EmptyIntervalWarning
from csvor._estimators.steps import final_of
from csvor._utils.words import plural
from csvor.audit import candidate_models
from csvor.cli._errors import UsageError, listed
from csvor.cli._files import check_table_output, write_table
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli._render import (
    Fact,
    console,
    data_facts,
    fitted_parameters,
    model_fact,
    print_facts,
    print_suspects,
)
from csvor.cli._spelling import format_value
from csvor.cli.commands._audit_report import check_report, write_page
from csvor.cli.commands._class_notes import notes_on_classes
from csvor.cli.commands._outputs import AuditOutput
from csvor.cli.input._prepare import Prepared, plain, prepare
from csvor.cli.input._related_rows import refuse_few_groups

# What is told of each row of an audit, beside its number and name.
ENTRIES = ("given", "suggested", "probability", "residual", "direction", "flagged")
FIXED = ("row", *ENTRIES)

Rows = dict[str, list[Any]]


@dataclass(frozen=True, eq=False)
class Audited:
    """What was audited, and what was found."""

    work: Prepared
    audit: LabelAudit

    where_all_are: ClassVar[str] = "--suspects FILE has all"

    @staticmethod
    def check(output: AuditOutput, data: DataOptions) -> None:
        """Refuse what cannot be written before the work begins."""
        check_table_output(output.suspects, "--suspects", data.data)

    @classmethod
    @contextmanager
    def of(
        cls, data: DataOptions, options: ModelOptions, notes: Notes, fdr: float | None
    ) -> Iterator[Self]:
        """Audit what the options name; ended where nothing more is asked of it."""
        yield cls(*audit_file(data, options, notes, fdr))

    def listed(self) -> Rows:
        """All rows as columns, worst first."""
        return suspect_rows(self.work, self.audit)

    def write_suspects(self, path: str, rows: Rows) -> str:
        """Write all rows, and say where."""
        write_table(path, rows)
        return "" if path == "-" else f"all {plural(len(self.audit.order), 'row')}: {path}"

    def write_page(self, path: str, facts: Sequence[Fact], notes: Sequence[str]) -> None:
        """Write the page on which suspects are reviewed."""
        work = self.work
        known = {"X": work.frame, "rows": work.row_numbers, "ids": work.ids}
        conflicts = work.repeats.conflicts
        write_page(path, work, self.audit, facts, notes, **known, conflicts=conflicts)


def run_audit(data: DataOptions, options: ModelOptions, output: AuditOutput, notes: Notes) -> None:
    """Audit a file and print, or write, what was found."""
    if output.json and output.suspects == "-":
        raise UsageError("--json and --suspects - both need standard output; give one of them")
    kind: type[Audited] = Audited
    written: list[str] = []
    if data.dask is not None:
        from csvor.cli.commands._audit_parts import AuditedParts

        kind = AuditedParts
    kind.check(output, data)
    check_report(output.report, data.data)
    with kind.of(data, options, notes, output.fdr) as found:
        work, audit, rows = found.work, found.audit, found.listed()
        facts = [*data_facts(work), chosen_fact(work, audit)]
        if output.suspects is not None:
            written.append(found.write_suspects(output.suspects, rows))
        if output.report is not None:
            found.write_page(output.report, facts, notes.texts())
            written.append(f"a page to review them on: {output.report}")
    if output.json:
        print(json.dumps(_document(work, audit, rows, notes), allow_nan=False))
        return
    out = console(error=output.suspects == "-")
    print_facts(out, [*facts, answer_fact(audit), *doubt_facts(work)])
    print_suspects(out, rows, output.top)
    more = audit.named - sum(rows["flagged"][: output.top])
    if more and output.suspects is None and output.report is None:
        remedy = found.where_all_are
        print_facts(out, [("More", f"{plural(more, 'flagged row')} further down: {remedy}")])
    for place in filter(None, written):
        print_facts(out, [("Written", place)])


def audit_file(
    data: DataOptions, options: ModelOptions, notes: Notes, fdr: float | None = None
) -> tuple[Prepared, LabelAudit]:
    """Read a file and audit its labels."""
    work = prepare(data, options, notes)
    refuse_many_folds(options.folds, len(work.target.rows))
    refuse_few_groups(work.groups, options.folds)
    note_lone_labels(work, notes)
    told = notes.of_warnings(EmptyIntervalWarning)  # by `notes_on_classes`
    with progress("Auditing the labels", 1) as update, told:
        models = candidate_models(
            work.frame,
            before=work.pipeline[:-1],
            n_parts=options.folds,
            fixed=work.options.parameters,
        )
        audit = audit_labels(
            work.frame,
            work.target.coded,
            models,
            cv=options.folds,
            groups=work.groups,
            sample_weight=work.weights,
            confirmed=work.confirmed,
            original=work.original,
            fdr=fdr,
            random_state=options.seed,
            progress=update,
        )
    notes_on_classes(audit, options, notes)
    return work, audit


def refuse_many_folds(folds: int, n_rows: int) -> None:
    """Refuse more parts than there are rows."""
    if folds > n_rows:
        raise UsageError(f"--folds {folds}: there are {n_rows} rows only")


def note_lone_labels(work: Prepared, notes: Notes) -> None:
    pairs = zip(work.target.classes, work.target.counts, strict=True)
    lone = [format_value(label) for label, count in pairs if count == 1]
    if lone:
        notes.add(
            f"one row only has the label {listed(lone)}: it is judged by a model that has not seen "
            "this label"
            if len(lone) == 1
            else f"the labels {listed(lone)} have one row each: these are judged by models that "
            "have not seen their label"
        )


def suspect_rows(work: Prepared, audit: LabelAudit) -> Rows:
    """All audited rows as columns, worst first."""
    order, ids = audit.order, work.ids or []
    entries = [getattr(audit, name)[order] for name in ENTRIES]
    names = [ids[i] for i in order.tolist()] if ids else []
    return as_columns(work.data.id, work.target.rows[order], names, *entries)


def as_columns(
    id_name: str | None, rows: NDArray[np.int64], ids: Sequence[str], *entries: Any
) -> Rows:
    """What is told of rows (numbered from 0), by the name of the column."""
    columns: Rows = {"row": (rows + 1).tolist()}
    if id_name is not None:
        columns["id" if id_name in FIXED else id_name] = list(ids)
    told = ([plain(value) for value in values.tolist()] for values in entries)
    return columns | dict(zip(ENTRIES, told, strict=True))


def answer_fact(audit: LabelAudit) -> Fact:
    """How many labels are wrong, and how many of them are named."""
    return ("Answer", audit.summary)


def doubt_facts(work: Prepared) -> list[Fact]:
    """What stands against the answer."""
    return [
        ("But", f"column '{name}' gives the label, and judges it: see the note")
        for name in work.copies
    ]


def chosen_fact(work: Prepared, audit: LabelAudit) -> Fact:
    """The model that explains the labels best, and beside how many others."""
    _, text = model_fact(work, audit.model[-1], final_of(audit.candidates[0].estimator))
    # With a cap and without, a model is the same one.
    compared = {
        tuple(value for name, value in candidate.settings.items() if name != "contamination")
        for candidate in audit.candidates
    }
    if len(compared) > 1:
        text += f"; the most likely of {len(compared)} compared"
    return ("Model", f"{text}; {work.options.folds} folds, seed {work.options.seed}")


def _document(
    work: Prepared, audit: LabelAudit, rows: dict[str, list[Any]], notes: Notes
) -> dict[str, Any]:
    keys = ["row", *(["id"] if work.ids is not None else []), *FIXED[1:]]
    columns = {**rows, "direction": [word or None for word in rows["direction"]]}
    return {
        "command": "audit",
        **work.described(),
        "fit": fitted_parameters(audit.model[-1]),
        "wrong_labels": {
            "share": audit.share,
            "low": audit.low,
            "high": audit.high,
            "named": audit.named,
            "expected_right": audit.expected_right,
        },
        "candidates": [
            {
                **candidate.settings,
                "share": candidate.share,
                "log_likelihood": candidate.log_likelihood,
                "weight": candidate.weight,
            }
            for candidate in audit.candidates
        ],
        "flagged": audit.named,
        "suspects": [
            dict(zip(keys, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ],
        "notes": notes.texts(),
    }
