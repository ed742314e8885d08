"""What share of the labels is wrong for each value of the columns that `--by` names?"""

from typing import Any

from csvor import LabelAudit
from csvor._faults.errors import UsageError
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.spelling import normal
from csvor._utils.words import plural
from csvor.audit import SharesByValue
from csvor.audit._values import check_values
from csvor.cli._render import Fact
from csvor.cli.commands._rows import Rows
from csvor.cli.input._prepare import records_of

Shares = dict[str, SharesByValue]


def check_by(rows: Rows, notes: Notes) -> None:
    """Refuse columns of too many values before the work begins."""
    data = rows.prepared.data
    for name, column in zip(data.by, rows.by_columns(), strict=True):
        if data.groups is not None and normal(name) == normal(data.groups):
            notes.add(fault("by-groups", name, option="--by"))
        try:
            check_values(column)
        except ValueError as error:
            raise UsageError(f"column '{name}' (--by): {error}") from None


def shares_of(rows: Rows, audit: LabelAudit) -> Shares:
    """The shares by the values of each column."""
    names = rows.prepared.data.by
    return {name: audit.by(column) for name, column in zip(names, rows.by_columns(), strict=True)}


def read_fact(shares: Shares) -> list[Fact]:
    """The columns, and how many values were read in each."""
    texts = []
    for name, one in shares.items():
        blank = int(one.n_rows[-1]) if one.values[-1] is None else 0
        without = f", {plural(blank, 'row')} without" if blank else ""
        texts.append(f"{name} ({plural(one.values.size - bool(blank), 'value')}{without})")
    return [("Compared by", ", ".join(texts))] if texts else []


def share_facts(shares: Shares) -> list[Fact]:
    """A sentence for each column."""
    return [("By", f"{name}: {one.summary}") for name, one in shares.items() if one.conclusive]


def by_document(shares: Shares) -> dict[str, list[dict[str, Any]]]:
    """The shares as JSON has them, values in their order."""
    return {name: _entries(one) for name, one in shares.items()}


def _entries(shares: SharesByValue) -> list[dict[str, Any]]:
    table = shares.to_frame().reset_index().rename(columns={"n_rows": "rows"})
    entries = records_of(table)
    for entry, value in zip(entries, shares.values.tolist(), strict=True):
        entry |= {"value": value, "differs": entry["differs"] or None}
        if not shares.conclusive:
            entry["share"] = None
    return entries
