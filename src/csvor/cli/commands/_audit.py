"""`csvor audit`: how many labels are wrong, and which."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from csvor import LabelAudit, audit_labels
from csvor._estimators.intervals import EmptyIntervalWarning
from csvor.audit import candidate_models
from csvor.cli._errors import UsageError, listed, plural
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
from csvor.cli.commands._audit_report import check_report, write_page
from csvor.cli.commands._class_notes import notes_on_classes
from csvor.cli.input._prepare import Prepared, plain, prepare
from csvor.cli.input._related import refuse_few_groups
from csvor.cli.input._table import shown

FIXED = ("row", "given", "suggested", "probability", "residual", "direction", "flagged")


@dataclass(frozen=True)
class AuditOutput:
    """Where the result goes."""

    top: int = 20
    fdr: float | None = None
    suspects: str | None = None
    report: str | None = None
    json: bool = False


def run_audit(data: DataOptions, options: ModelOptions, output: AuditOutput, notes: Notes) -> None:
    """Audit a file and print, or write, what was found."""
    if output.json and output.suspects == "-":
        raise UsageError("--json and --suspects - both need standard output; give one of them")
    check_table_output(output.suspects, "--suspects", data.data)
    check_report(output.report, data.data)
    work, audit = audit_file(data, options, notes, output.fdr)
    rows = suspect_rows(work, audit)
    facts = [*data_facts(work), chosen_fact(work, audit)]
    if output.suspects is not None:
        write_table(output.suspects, rows)
    if output.report is not None:
        write_page(output.report, work, audit, facts, notes.texts())
    if output.json:
        print(json.dumps(_document(work, audit, rows, notes), allow_nan=False))
        return
    out = console(error=output.suspects == "-")
    print_facts(out, [*facts, answer_fact(audit), *doubt_facts(work)])
    print_suspects(out, rows, output.top)
    more = sum(rows["flagged"][output.top :])
    if more and output.suspects is None and output.report is None:
        print_facts(
            out, [("More", f"{plural(more, 'flagged row')} further down: --suspects FILE has all")]
        )
    if output.suspects not in {None, "-"}:
        print_facts(out, [("Written", f"all {len(audit.order)} rows: {output.suspects}")])
    if output.report is not None:
        print_facts(out, [("Written", f"a page to review them on: {output.report}")])


def audit_file(
    data: DataOptions, options: ModelOptions, notes: Notes, fdr: float | None = None
) -> tuple[Prepared, LabelAudit]:
    """Read a file and audit its labels."""
    if data.dask is not None:
        raise UsageError(
            f"--dask {data.dask}: csvor audit takes rows in memory; audit a part of them (one file "
            "of the folder) without --dask"
        )
    work = prepare(data, options, notes)
    if options.folds > len(work.target.rows):
        raise UsageError(f"--folds {options.folds}: there are {len(work.target.rows)} rows only")
    refuse_few_groups(work.groups, options.folds)
    _note_lone_labels(work, notes)
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


def _note_lone_labels(work: Prepared, notes: Notes) -> None:
    pairs = zip(work.target.classes, work.target.counts, strict=True)
    lone = [shown(label) for label, count in pairs if count == 1]
    if lone:
        notes.add(
            f"one row only has the label {listed(lone)}: it is judged by a model that has not seen "
            "this label"
            if len(lone) == 1
            else f"the labels {listed(lone)} have one row each: these are judged by models that "
            "have not seen their label"
        )


def suspect_rows(work: Prepared, audit: LabelAudit) -> dict[str, list[Any]]:
    """All audited rows as columns, worst first."""
    order = audit.order
    rows: dict[str, list[Any]] = {"row": (work.target.rows[order] + 1).tolist()}
    ids = work.ids
    if ids is not None:
        name = "id" if work.data.id in FIXED else str(work.data.id)
        rows[name] = [ids[i] for i in order.tolist()]
    rows["given"] = [plain(label) for label in work.target.labels[order]]
    rows["suggested"] = [plain(label) for label in np.asarray(audit.suggested)[order]]
    rows["probability"] = audit.probability[order].tolist()
    rows["residual"] = audit.residual[order].tolist()
    rows["direction"] = audit.direction[order].tolist()
    rows["flagged"] = audit.flagged[order].tolist()
    return rows


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
    _, text = model_fact(work, audit.model[-1])
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
