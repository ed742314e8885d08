"""What does the page that `csvor audit --report` writes say of a file?"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

from csvor import LabelAudit
from csvor._decisions.decision import KINDS, as_saved, id_column
from csvor._utils.words import plural
from csvor.cli._follow_up import audit_command, digest
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._render import Fact
from csvor.cli.commands._command_options import AuditOutput
from csvor.cli.input._prepare import Prepared
from csvor.report import write_audit_report
from csvor.report.audit._follow_up import commands


def write_page(
    path: str,
    work: Prepared,
    audit: LabelAudit,
    facts: Sequence[Fact],
    notes: Sequence[str],
    command: str,
    **of_rows: Any,
) -> None:
    """Write the page: rows and labels are called as in the file.

    `of_rows` are by, X, rows, ids, cells, conflicts and with_rows of `write_audit_report`.
    """
    id_name = id_column(work.data.id)
    write_audit_report(
        audit,
        path=path,
        source="" if work.data.data == "-" else work.table.source,
        target=work.target.name,
        first_line=work.table.first_line,
        id_name=id_name,
        facts=dict(facts),
        notes=notes,
        command=command,
        provenance=_provenance(work, command),
        decided=_decided(work, id_name),
        **of_rows,
    )


def _provenance(work: Prepared, command: str) -> dict[str, str]:
    """The file by its size and its bytes, and the whole command, that of a review as well."""
    data, size = work.data, f"{work.table.n_rows} rows, {plural(work.n_columns, 'column')}"
    file = "standard input" if data.data == "-" else work.table.source
    if Path(data.data).exists():
        size += f", SHA-256 {digest(data.data)[:16]}"
    return {"Command": f"{command}{_reviewed(data)}", "File": f"{file}: {size}"}


def _reviewed(data: DataOptions) -> str:
    return "" if data.reviewed is None else f" --reviewed {quote(data.reviewed)}"


def next_step(data: DataOptions, options: ModelOptions, output: AuditOutput) -> str:
    """The command to go on with: it reviews rows on a page, or applies what was decided there."""
    if output.report is not None and not output.no_rows:
        return f", when the decisions are saved: {commands(data.data)[0]}"
    page = replace(output, report="review.html", no_rows=False)
    return f": {audit_command(data, options, page)}{_reviewed(data)} --open"


def _decided(work: Prepared, id_name: str) -> list[dict[str, Any]]:
    """The decisions that the audit went by, as a page saves them."""
    if work.review is None:
        return []
    rows = work.review.positions(*KINDS)
    return as_saved(work.review, id_name, work.uses.ids(work.table, rows))
