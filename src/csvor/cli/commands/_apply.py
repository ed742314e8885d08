"""`csvor apply`: a file with the labels that were decided."""

import json
from functools import reduce
from operator import add
from pathlib import Path

from csvor._utils.file_kinds import EDITED, PARQUET, READ
from csvor._utils.words import plural, some_of
from csvor.cli._edit import write_edited, write_edited_folder
from csvor.cli._errors import UsageError
from csvor.cli._notes import Notes
from csvor.cli._paths import check_new_folder, check_output, refuse_delimiter
from csvor.cli._progress import progress
from csvor.cli._render import console, print_facts
from csvor.cli._spelling import normal
from csvor.cli.commands._outputs import ApplyOptions
from csvor.cli.input._decisions import Review, decided_on, read_review
from csvor.cli.input._pieces import pieces_of
from csvor.cli.input._read import ReadOptions, read_table
from csvor.cli.input._sample import Wanted, sample_of
from csvor.cli.input._table import Table

MOST_CHANGES = 20


def run_apply(options: ApplyOptions, notes: Notes) -> None:
    """Check the decisions against the data and write what follows."""
    decisions, data, out = options.decisions, options.data, options.out
    _check_places(decisions, data, out, options.json)
    target = None if options.target is None else normal(options.target)
    edit = _edited_folder if Path(data).is_dir() else _edited_file
    table, review, n_rows = edit(
        decisions, data, out, target, options.classes, options.delimiter, notes
    )
    if options.json:
        document = {
            "command": "apply",
            "data": {"file": table.source, "rows": table.n_rows},
            "target": review.target,
            "decisions": {"file": review.source, **review.counts},
            "changes": [
                {"from": old, "to": new, "rows": count}
                for (old, new), count in review.changes.items()
            ],
            "out": {"file": out, "rows": n_rows},
            "notes": notes.texts(),
        }
        print(json.dumps(document, allow_nan=False))
        return
    facts = [("Data", f"{table.source}: {plural(table.n_rows, 'row')}")]
    facts.append(("Decisions", review.summary()))
    if review.changes:
        facts.append(("Labels", f"{review.target}: {_changes(review)}"))
    facts.append(("Written", f"{plural(n_rows, 'row')}: {out}"))
    print_facts(console(error=out == "-"), facts)


def _edited_file(
    decisions: str, data: str, out: str, target: str | None, classes: str | None,
    delimiter: str | None, notes: Notes,
) -> tuple[Table, Review, int]:  # fmt: skip
    """What was edited, by which decisions, and how many rows were written."""
    with progress(f"Reading {data}"):
        table = read_table(data, notes, ReadOptions(delimiter))
        review = read_review(decisions, table, target, classes, notes)
    with progress("Writing"):
        return table, review, write_edited(data, table.dialect, review, out)


def _edited_folder(
    decisions: str, data: str, out: str, target: str | None, classes: str | None,
    delimiter: str | None, notes: Notes,
) -> tuple[Table, Review, int]:  # fmt: skip
    """The same of a folder of Parquet files, of which no two are in memory together."""
    refuse_delimiter(delimiter, data)
    with progress(f"Reading {data}"):
        pieces = pieces_of(data)
        target, rows = decided_on(decisions, target)
        n_rows = sum(piece.n_rows for piece in pieces)
        wanted = Wanted(n_rows, target, also=rows)
        some = reduce(add, (sample_of(piece, wanted) for piece in pieces))
        table = some.table(data, n_rows)
        review = read_review(decisions, table, target, classes, notes)
    with progress("Writing"):
        return table, review, write_edited_folder(data, review, out)


def _check_places(decisions: str, data: str, out: str, as_json: bool) -> None:
    if data == "-":
        raise UsageError("apply reads the data from a file, which it takes as it is written there")
    if Path(data).is_dir():
        if decisions == "-" or out == "-":
            raise UsageError(
                f"{data} is a folder: name a file of decisions, and a new folder with --out"
            )
        check_new_folder(out, "--out", data)
        return
    suffix = Path(data).suffix.lower()
    if suffix in READ and suffix not in EDITED:
        raise UsageError(f"{data}: apply edits {', '.join(EDITED)} files; save it as one of these")
    if out == "-":
        if as_json:
            raise UsageError("--json and --out - both need standard output; name a file with --out")
        if suffix in PARQUET:
            raise UsageError("--out -: Parquet is not written to standard output; name a file")
        return
    same_kind = [end for end in EDITED if end == suffix or {end, suffix} <= {*PARQUET}]
    check_output(out, "--out", same_kind, data if Path(data).exists() else "")
    if Path(out).exists() and decisions != "-" and Path(out).samefile(decisions):
        raise UsageError(f"--out {out}: these are the decisions; name another file")


def _changes(review: Review) -> str:
    changes = [f"{old} to {new} ({count})" for (old, new), count in review.changes.items()]
    return some_of(changes, MOST_CHANGES)
