"""What does `csvor audit` say where several raters labelled each item?"""

from dataclasses import replace
from typing import Any

import numpy as np
from rich.text import Text

from csvor import RatersAudit
from csvor._faults.errors import CommandError, refuse
from csvor._faults.notes import Notes
from csvor._tables.table import Table
from csvor._utils.spelling import format_value
from csvor._utils.words import plural
from csvor.cli._browser import open_report
from csvor.cli._files import safe_cells, write_table
from csvor.cli._follow_up import audit_command
from csvor.cli._notes import in_options, warnings_as_notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli._render import (
    Fact,
    console,
    feature_facts,
    label_facts,
    plain_table,
    print_facts,
    print_table,
    unused_facts,
)
from csvor.cli._streams import print_json
from csvor.cli.commands._command_options import AuditOutput
from csvor.cli.commands._rater_facts import print_raters, rater_entries
from csvor.cli.input._prepare import plain
from csvor.cli.input._ratings import RatedItems, rated_items
from csvor.report import write_raters_report

Columns = dict[str, list[Any]]


def audit_ratings(
    table: Table, data: DataOptions, options: ModelOptions, output: AuditOutput, notes: Notes
) -> None:
    """Audit the ratings of a file and print, or write, the result."""
    _refuse_other_options(data, output)
    rated = rated_items(table, data, options, notes)
    audit = audit_of(rated, notes)
    items, ratings = item_columns(audit), rating_columns(audit)
    facts, written = rating_facts(rated), []
    if output.suspects is not None:
        write_table(output.suspects, safe_cells(ratings, output.safe_cells))
        if output.suspects != "-":
            written.append(f"all {plural(len(ratings['row']), 'rating')}: {output.suspects}")
    if output.report is not None:
        source = "" if data.data == "-" else table.source
        write_raters_report(
            audit, output.report, source=source, target=rated.target.name, facts=dict(facts),
            notes=[text for text in notes.texts() if text not in audit.notes],
            command=audit_command(data, options, output), with_rows=not output.no_rows,
        )  # fmt: skip
        written.append(f"a page to read: {output.report}")
    if output.json:
        open_report(output, console(error=True))
        print_json("audit", _document(rated, audit, items, ratings, notes))
        return
    out = console(error=output.suspects == "-")
    print_facts(out, [*facts, *agreement_facts(audit), ("Answer", audit.summary)])
    print_raters(out, audit.raters)
    doubtful = audit.doubtful[: output.top].tolist()
    if doubtful:
        _print(out, {name: [column[i] for i in doubtful] for name, column in items.items()}, "item")
    _print(out, {name: column[: output.top] for name, column in ratings.items()}, "flagged")
    for path in written:
        print_facts(out, [("Written", path)])
    open_report(output, out)


def _refuse_other_options(data: DataOptions, output: AuditOutput) -> None:
    """Refuse what says nothing of several labels an item."""
    no_order, named = output.order != "auto", {"groups", "weight", "counts", "reviewed"}
    others = [name for name in sorted(named) if getattr(data, name) is not None]
    others += ["by"] * bool(data.by) + ["order"] * no_order
    others += [name for name in ("fdr", "models") if getattr(output, name) is not None]
    for name in others:
        refuse("not-of-ratings", name=f"--{name}")


def audit_of(rated: RatedItems, notes: Notes) -> RatersAudit:
    """The audit of the ratings; what it notes is among the notes."""
    try:
        with progress("Auditing the ratings", 1) as update, warnings_as_notes(notes):
            audit = rated.audit(update)
    except ValueError as error:
        raise CommandError(in_options(str(error))) from error
    audit = replace(audit, notes=tuple(map(in_options, audit.notes)))
    for note in audit.notes:
        notes.add(note)
    return audit


def rating_facts(rated: RatedItems) -> list[Fact]:
    """The file, the labels and the columns."""
    n, target, raters = len(rated.names), rated.target, len(set(rated.raters.tolist()))
    data = f"{rated.table.source}: {plural(target.n_rows, 'rating')} of {plural(n, 'item')} by "
    data += plural(raters, "rater")
    if target.left_out:
        data += f"; {plural(sum(target.left_out.values()), 'rating')} not made"
    features, data_options = rated.features, rated.data
    facts = [("Data", data), *label_facts(target), *feature_facts(features, rated.options)]
    return [*facts, *unused_facts(features, data_options)]


def agreement_facts(audit: RatersAudit) -> list[Fact]:
    """How far raters agree, in a number for all."""
    text = audit.agreement_in_words()
    return [("Agreement", text)] if text else []


def item_columns(audit: RatersAudit) -> Columns:
    """The items in the order of the file."""
    table = audit.to_frame()
    columns: Columns = {"item": [plain(name) for name in audit.items]}
    for name, key in (("label", "label"), ("probability", "probability"), ("n_ratings", "ratings")):
        columns[key] = table[name].tolist()
    asked = table["ask"].astype(object).where(table["ask"].notna(), None)
    return columns | {"ask": asked.tolist()}


def rating_columns(audit: RatersAudit) -> Columns:
    """The ratings, most probably wrong first."""
    table = audit.ratings_to_frame()
    return {
        "row": (table.index + 1).tolist(),
        "item": [plain(name) for name in table["item"]],
        **{name: table[name].tolist() for name in ("rater", "given", "label")},
        **{name: table[name].tolist() for name in ("probability", "flagged")},
    }


def _print(out: Any, columns: Columns, last: str) -> None:
    """Print rows as a table, with a blank line above it."""
    table = plain_table()
    for name in columns:
        table.add_column(name, justify="left" if name in ("rater", "given", "label") else "right")
    for row in zip(*columns.values(), strict=True):
        named = dict(zip(columns, row, strict=True))
        table.add_row(*(Text(_cell(name, value)) for name, value in named.items()))
    print_table(out, table, "\n")


def _cell(name: str, value: Any) -> str:
    if name == "probability":
        return f"{value:.3f}"
    return ("yes" if value else "") if name == "flagged" else format_value(value)


def _document(
    rated: RatedItems, audit: RatersAudit, items: Columns, ratings: Columns, notes: Notes
) -> dict[str, Any]:
    target, features, data = rated.target, rated.features, rated.data
    raters, probabilities = audit.raters, audit.class_probabilities.tolist()
    return {
        "data": {
            "file": rated.table.source,
            "rows": rated.table.n_rows,
            "ratings": target.n_rows,
            "items": len(rated.names),
            "left_out": target.left_out,
        },
        "target": target.name,
        "classes": [
            {"label": label, "count": count}
            for label, count in zip(target.classes, target.counts, strict=True)
        ],
        "order": target.order,
        "columns": {
            "numeric": features.numeric,
            "categorical": features.categorical,
            "constant": features.constant,
            "dropped": list(data.drop),
            "item": data.item,
            "rater": data.rater,
            "gold": data.gold,
        },
        "agreement": {
            "alpha": None if np.isnan(audit.alpha) else audit.alpha,
            "kappa": audit.kappa,
        },
        "summary": audit.summary,
        "conclusive": audit.conclusive,
        "flagged": int(audit.flagged.sum()),
        "raters": rater_entries(raters),
        "raters_summary": raters.summary,
        "reference": raters.reference,
        "items": [
            dict(zip([*items, "class_probabilities"], row, strict=True))
            for row in zip(*items.values(), probabilities, strict=True)
        ],
        "ratings": [
            dict(zip(ratings, row, strict=True)) for row in zip(*ratings.values(), strict=True)
        ],
        "notes": notes.texts(),
    }
