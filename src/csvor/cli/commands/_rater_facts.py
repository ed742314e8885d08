"""What does `csvor audit --rater` say of raters, and may they be compared?"""

from typing import Any

from rich.console import Console
from rich.text import Text

from csvor import LabelAudit
from csvor._faults.spelling import visible
from csvor._utils.words import plural
from csvor.audit import RaterTable
from csvor.cli._render import Fact, plain_table, print_table
from csvor.cli.input._prepare import Prepared, records_of

MOST_RATERS = 10


def read_raters(work: Prepared, audit: LabelAudit) -> list[Fact]:
    """The column of the raters, and by whom they are measured."""
    if audit.raters is None:
        return []
    count = plural(audit.raters.names.size, "rater")
    return [("Labelled by", f"{work.data.rater} ({count}), measured by {audit.raters.reference}")]


def rater_facts(audit: LabelAudit) -> list[Fact]:
    """What is said of all raters in a sentence."""
    if audit.raters is None or not audit.conclusive:
        return []
    return [("Raters", audit.raters.summary)]


def print_raters(out: Console, raters: RaterTable | None, rest: str = "--json") -> None:
    """Print the raters, those apart from the reference first; `rest` has those further down."""
    if raters is None:
        return
    table = plain_table("rater", right=["ratings"])
    for name in ("shift", "careless"):
        table.add_column(name)
    table.add_column("agreement", justify="right")
    if raters.n_gold is not None:
        table.add_column("with gold", justify="right")
    if raters.kappa is not None:
        table.add_column("kappa", justify="right")
    order = raters.order
    for i in order[:MOST_RATERS].tolist():
        cells = [
            visible(str(raters.names[i])), str(raters.n[i]), raters.shift_in_words(i),
            raters.careless_in_words(i), f"{100.0 * raters.agreement[i]:.0f} %",
        ]  # fmt: skip
        cells += [raters.gold_in_words(i, interval=False)] if raters.n_gold is not None else []
        cells += [raters.kappa_in_words(i)] if raters.kappa is not None else []
        table.add_row(*map(Text, cells), style=None if i in raters.apart else "dim")
    more = order.size - MOST_RATERS
    print_table(out, table, "\n", f"... {more} more in {rest}\n" if more > 0 else "")


def raters_document(audit: LabelAudit) -> dict[str, Any]:
    """The raters as JSON has them, in their order; no values where nothing can be said."""
    if audit.raters is None:
        return {}
    known = audit.conclusive
    return {
        "raters": rater_entries(audit.raters, known=known),
        "raters_summary": audit.raters.summary if known else None,
        "reference": audit.raters.reference,
    }


def rater_entries(raters: RaterTable, *, known: bool = True) -> list[dict[str, Any]]:
    """An object for each rater."""
    table = raters.to_frame().reset_index()
    if not known:
        table = table.astype(dict.fromkeys(table.columns[2:], object))
        table.iloc[:, 2:] = None
    table = table.astype(object).where(table.notna(), None)
    return records_of(table)
