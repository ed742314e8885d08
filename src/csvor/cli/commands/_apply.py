"""`csvor apply`: a file with the labels that were decided."""

from functools import partial, reduce
from io import FileIO
from operator import add
from pathlib import Path

from csvor._decisions.decision import DROP, RELABEL
from csvor._faults.errors import CommandError, refuse
from csvor._faults.notes import Notes
from csvor._tables.review import Review
from csvor._tables.table import Table
from csvor._utils.file_kinds import EDITED, PACKED, PARQUET, READ, SURVEY, TEXT, WORKBOOK, WRITTEN
from csvor._utils.spelling import normal
from csvor._utils.words import plural, some_of
from csvor.cli._edit import write_edited, write_edited_folder
from csvor.cli._follow_up import AS_BEFORE, next_audit, read_command, write_record
from csvor.cli._paths import check_new_folder, check_output, refuse_layout
from csvor.cli._progress import progress
from csvor.cli._render import console, print_facts
from csvor.cli._streams import print_json
from csvor.cli.commands._command_options import ApplyOptions
from csvor.cli.input._decisions import decided_on, has_decisions, read_review
from csvor.cli.input._packed import packed_by
from csvor.cli.input._pieces import pieces_of
from csvor.cli.input._read import ReadOptions, read_table
from csvor.cli.input._sample import Wanted, sample_of

MOST_CHANGES = 20


def run_apply(options: ApplyOptions, notes: Notes) -> None:
    """Check the decisions against the data and write what follows."""
    target = None if options.target is None else normal(options.target)
    edit = _edited_folder if Path(options.data).is_dir() else _edited_file
    try:
        _check_paths(options.decisions, options.data, options.out, options.json)
        table, review, n_rows = edit(options, target, notes)
    except CommandError:
        if has_decisions(options.data) and not has_decisions(options.decisions):
            refuse("apply-swapped", data=options.data, decisions=options.decisions)
        raise
    again = None if options.decisions == "-" else _next_audit(options, review)
    n_changed, record = len(review.of(RELABEL, DROP)), None
    if n_changed and options.out != "-":
        record = write_record(options.out, review.target, n_changed, again)
    if options.json:
        changes = [
            {"from": old, "to": new, "rows": count} for (old, new), count in review.changes.items()
        ]
        document = {
            "data": {"file": table.source, "rows": table.n_rows},
            "target": review.target,
            "decisions": {"file": review.source, **review.counts},
            "changes": changes,
            "out": {"file": options.out, "rows": n_rows, "record": record},
            "next": again if read_command(review.audit) else None,
            "notes": notes.texts(),
        }
        print_json("apply", document)
        return
    facts = [("Data", f"{table.source}: {plural(table.n_rows, 'row')}")]
    facts.append(("Decisions", review.summary()))
    if review.changes:
        texts = [f"{old} to {new} ({count})" for (old, new), count in review.changes.items()]
        facts.append(("Labels", f"{review.target}: {some_of(texts, MOST_CHANGES)}"))
    beside = "" if record is None else f"; beside it {record}, a record of it"
    facts.append(("Written", f"{plural(n_rows, 'row')}: {options.out}{beside}"))
    screen = console(error=options.out == "-")
    print_facts(screen, facts)
    if again is not None:  # not wrapped: it is copied
        screen.print(f"\nNext, of the file as it was: {again}", soft_wrap=True)


def _next_audit(options: ApplyOptions, review: Review) -> str:
    """The command that audits what the review has left; where that is unknown, its beginning."""
    known = read_command(review.audit)
    words = list(known) or ["csvor", "audit", options.data, "--target", review.target]
    for name in ("classes", "delimiter", "sheet"):
        value = getattr(options, name)
        words += [f"--{name}", value] if value and f"--{name}" not in words else []
    command = next_audit(words, options.data, options.decisions)
    return command if known else f"{command}{AS_BEFORE}"


def _edited_file(
    options: ApplyOptions, target: str | None, notes: Notes
) -> tuple[Table, Review, int]:
    """What was edited, by which decisions, and how many rows were written."""
    with progress(f"Reading {options.data}"):
        table = read_table(options.data, notes, ReadOptions(options.delimiter, sheet=options.sheet))
        review = read_review(options.decisions, table, target, options.classes, notes)
    with progress("Writing"):
        return (
            table,
            review,
            write_edited(options.data, table.dialect, review, options.out, options.sheet),
        )


def _edited_folder(
    options: ApplyOptions, target: str | None, notes: Notes
) -> tuple[Table, Review, int]:
    """The same of a folder of Parquet files, of which no two are in memory together."""
    refuse_layout(options.data, options.delimiter, options.sheet)
    with progress(f"Reading {options.data}"):
        pieces = pieces_of(options.data, notes)
        target, rows = decided_on(options.decisions, target)
        n_rows = sum(piece.n_rows for piece in pieces)
        wanted = Wanted(n_rows, target, also=rows)
        sample = reduce(add, (sample_of(piece, wanted) for piece in pieces))
        table = sample.table(options.data, n_rows)
        review = read_review(options.decisions, table, target, options.classes, notes)
    with progress("Writing"):
        return table, review, write_edited_folder(options.data, review, options.out)


def _check_paths(decisions: str, data: str, out: str, as_json: bool) -> None:
    if data == "-":
        refuse("apply-from-stdin")
    if Path(data).is_dir():
        if decisions == "-" or out == "-":
            refuse("apply-to-folder", data=data)
        check_new_folder(out, "--out", data)
        return
    suffix = Path(data).suffix.lower()
    if suffix in (*PACKED, *TEXT) and Path(data).is_file() and packed_by(partial(FileIO, data)):
        refuse("apply-packed", data=data)
    if suffix in READ and suffix not in (*EDITED, *SURVEY):
        refuse("apply-other-kind", data=data, kinds=", ".join(EDITED))
    if out == "-":
        if as_json:
            refuse("two-to-stdout", name="--out", remedy="name a file with --out")
        if suffix in (*PARQUET, *WORKBOOK):
            refuse("not-to-stdout", what="Parquet" if suffix in PARQUET else "a workbook")
        return
    if suffix in SURVEY and Path(out).suffix.lower() in SURVEY:
        refuse("apply-to-survey", out=out)
    same_kind = [end for end in EDITED if end == suffix or {end, suffix} <= {*PARQUET}]
    kinds = WRITTEN if suffix in SURVEY else same_kind
    check_output(out, "--out", kinds)
