"""`csvor audit`: how many labels are wrong, and which."""

from dataclasses import asdict, replace
from typing import Any

from csvor import LabelAudit, audit_labels
from csvor._estimators.intervals import EmptyIntervalWarning
from csvor._estimators.steps import final_of
from csvor._faults.errors import refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._tables.prepare import check_for_audit
from csvor._utils.words import plural
from csvor.audit._candidate import n_models, trees_in_words
from csvor.audit._class_notes import notes_on_classes
from csvor.audit._expected_errors import ExpectedErrors, after_review
from csvor.cli._browser import open_report
from csvor.cli._files import check_table_output, safe_cells
from csvor.cli._follow_up import audit_command, how_to_go_on, read_record
from csvor.cli._notes import in_options, warnings_as_notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._paths import check_new_folder, check_output, refuse_layout
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
from csvor.cli._streams import print_json
from csvor.cli.commands._audit_ratings import audit_ratings
from csvor.cli.commands._audit_report import next_step, write_page
from csvor.cli.commands._by import by_document, check_by, read_fact, share_facts, shares_of
from csvor.cli.commands._command_options import AuditOutput
from csvor.cli.commands._in_memory import ENTRIES, RowsInMemory
from csvor.cli.commands._rater_facts import print_raters, rater_facts, raters_document, read_raters
from csvor.cli.commands._rows import Rows, rows_of
from csvor.cli.input._prepare import Prepared, prepare
from csvor.cli.input._ratings import has_ratings, read_several

_OF_WRONG_LABELS = (
    "share", "low", "high", "named", "expected_right", "conclusive", "rank_correlation",
    "named_share",
)  # fmt: skip
_OF_CANDIDATES = ("share", "log_likelihood", "weight")


def run_audit(data: DataOptions, options: ModelOptions, output: AuditOutput, notes: Notes) -> None:
    """Audit a file or pieces and print, or write, the result."""
    _check_outputs(output, data)
    table = read_several(data, notes)
    if table is not None and has_ratings(table, data):
        audit_ratings(table, data, options, output, notes)
        return
    if data.gold is not None:
        refuse("gold-of-one")
    written: list[str | None] = []
    is_reviewed_later = output.report is not None and not output.no_rows
    with rows_of(data, options, notes, table, keeps_cells=is_reviewed_later) as rows:
        check_by(rows, notes)
        audit = audit_of(rows, notes, output)
        with rows.reading(audit):
            notes_on_classes(audit, options.class_weight is not None, notes)
            prepared = rows.prepared
            doubts, expected = _doubts(prepared, notes), after_review(audit, prepared.n_reviewed)
            listed_rows = rows.listed(audit)
            shares = shares_of(rows, audit)
            facts = [*data_facts(prepared), *read_raters(prepared, audit), *read_fact(shares)]
            facts.append(chosen_fact(prepared, audit))
            if output.suspects is not None:
                columns = safe_cells(listed_rows, output.safe_cells)
                written.append(rows.write_suspects(audit, output.suspects, columns))
            if output.report is not None:
                with progress(f"Writing {output.report}"):
                    texts = notes.texts()
                    command = audit_command(data, options, output)
                    more = rows.page_data() | {"by": shares, "with_rows": not output.no_rows}
                    write_page(output.report, prepared, audit, facts, texts, command, **more)
                kind = "a summary to pass on" if output.no_rows else "a page to review them on"
                written.append(f"{kind}: {output.report}")
    for note in audit.notes:  # the page has them of the audit
        notes.add(note)
    if output.json:
        open_report(output, console(error=True))
        document = _document(prepared, audit, listed_rows, expected, notes)
        document |= {"by": by_document(shares)} if shares else {}
        print_json("audit", document | raters_document(audit))
        return
    out = console(error=output.suspects == "-")
    answers = [("Answer", audit.summary), *rater_facts(audit), *share_facts(shares), *doubts]
    if expected is not None:
        answers.append(("Go on?", expected.summary))
    print_facts(out, [*facts, *answers])
    if audit.conclusive:
        print_raters(out, audit.raters)
        print_suspects(out, listed_rows, output.top, audit.ordered_by)
    more = audit.named - sum(listed_rows["flagged"][: output.top])
    if more and output.suspects is None:
        remedy = rows.option_for_all if output.report is None else f"see {output.report}"
        print_facts(out, [("More", f"{plural(more, 'flagged row')} further down: {remedy}")])
    for path in filter(None, written):
        print_facts(out, [("Written", path)])
    open_report(output, out)
    if audit.named and data.data != "-":  # not wrapped: it is copied
        out.print(f"\nNext{next_step(data, options, output)}", soft_wrap=True)


def _check_outputs(output: AuditOutput, data: DataOptions) -> None:
    """Refuse what cannot be written before the work begins."""
    if output.json and output.suspects == "-":
        refuse("two-to-stdout", name="--suspects", remedy="give one of them")
    if data.dask is None:
        check_table_output(output.suspects, "--suspects")
    else:
        refuse_layout(data.data, data.delimiter, data.sheet)
        if data.reviewed == "-":
            refuse("dask-reviewed")
        if output.suspects == "-":
            refuse("dask-to-stdout", by="(--suspects)")
        if output.suspects is not None:
            check_new_folder(output.suspects, "--suspects", data.data)
        if output.safe_cells:
            refuse("dask-safe-cells")
    if output.safe_cells and output.suspects is None:
        refuse("safe-cells-of-none")
    if output.no_rows and output.report is None:
        refuse("rows-of-no-page")
    if output.open and output.report is None:
        refuse("open-of-no-page")
    if output.report is not None:
        check_output(output.report, "--report", [".html", ".htm"])


def audit_of(rows: Rows, notes: Notes, output: AuditOutput) -> LabelAudit:
    """An audit of the labels of rows."""
    prepared, options = rows.prepared, rows.prepared.options
    warnings = warnings_as_notes(notes, EmptyIntervalWarning)  # `notes_on_classes` says it
    with progress("Auditing the labels", 1) as update, warnings:
        candidates, columns = rows.models(), rows.audit_data()
        check_for_audit(prepared, columns.get("raters"), options.folds, notes)
        audit = audit_labels(
            estimator=candidates,
            cv=options.folds,
            fdr=output.fdr,
            order=output.order,
            models=output.models or ("all" if len(candidates) > 1 else "own"),
            random_state=options.seed,
            progress=update,
            **columns,
        )
        return rows.completed(replace(audit, notes=tuple(map(in_options, audit.notes))))


def audit_file(
    data: DataOptions, options: ModelOptions, notes: Notes
) -> tuple[RowsInMemory, LabelAudit]:
    """The rows of a file and an audit of their labels."""
    rows = RowsInMemory(prepare(data, options, notes))
    audit = audit_of(rows, notes, AuditOutput())
    notes_on_classes(audit, options.class_weight is not None, notes)
    return rows, audit


def chosen_fact(prepared: Prepared, audit: LabelAudit) -> Fact:
    """The model that explains the labels best, and beside how many others."""
    _, text = model_fact(prepared, audit.model[-1], final_of(audit.candidates[0].estimator))
    n_compared = n_models(audit.candidates)
    if n_compared > 1:
        text += f"; the most likely of {n_compared} compared"
    text += f"; {prepared.options.folds} folds, seed {prepared.options.seed}"
    trees = trees_in_words(audit.models)
    if trees:
        text += f"; with {trees} of the weight"
    return ("Model", text)


def _doubts(prepared: Prepared, notes: Notes) -> list[Fact]:
    """Why the answer may be too good; what to do is said in notes."""
    doubts = [
        ("But", f"column '{name}' gives the label, and judges it: see the note")
        for name in prepared.copies
    ]
    record = read_record(prepared.data.data, prepared.target.name)
    if record is not None:
        about = {"n": record["changed"], "source": prepared.table.source}
        about["again"] = how_to_go_on(record)
        notes.add(fault("applied-before", **about))
        doubts.append(("But", "errors found before are gone, so it looks too clean: see the note"))
    return doubts


def _document(
    prepared: Prepared,
    audit: LabelAudit,
    listed: dict[str, list[Any]],
    expected: ExpectedErrors | None,
    notes: Notes,
) -> dict[str, Any]:
    keys = ["row"] + ["id"] * (prepared.ids is not None) + ["rater"] * (audit.rater is not None)
    keys += ENTRIES
    columns = {**listed, "direction": [word or None for word in listed["direction"]]}
    if not audit.conclusive:
        columns["probability"] = [None] * len(listed["row"])
    rows = zip(*columns.values(), strict=True)
    return {
        **prepared.described(),
        "fit": fitted_parameters(audit.model[-1]),
        "wrong_labels": {name: getattr(audit, name) for name in _OF_WRONG_LABELS},
        "candidates": [
            one.settings | {name: getattr(one, name) for name in _OF_CANDIDATES}
            for one in audit.candidates
        ],
        "models": audit.models,
        "ordered_by": audit.ordered_by,
        "next_rows": None if expected is None else asdict(expected),
        "flagged": audit.named,
        "suspects": [dict(zip(keys, row, strict=True)) for row in rows],
        "notes": notes.texts(),
    }
