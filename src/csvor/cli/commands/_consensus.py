"""What does `csvor consensus` do?"""

from csvor._faults.errors import refuse
from csvor._faults.notes import Notes
from csvor._utils.words import plural
from csvor.cli._files import check_table_output, write_table
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._render import console, print_facts
from csvor.cli._streams import print_json
from csvor.cli.commands._audit_ratings import agreement_facts, audit_of, item_columns, rating_facts
from csvor.cli.commands._rater_facts import print_raters, rater_entries
from csvor.cli.input._ratings import has_ratings, rated_items, read_several

_DIGITS = 4
_OWN = ("label", "probability", "ratings", "ask")


def run_consensus(
    data: DataOptions, options: ModelOptions, out: str, as_json: bool, notes: Notes
) -> None:
    """Write the label of each item, with its probability, and in which order to ask for more."""
    check_table_output(out, "--out")
    if out == "-" and as_json:
        refuse("two-to-stdout", name="--out", remedy="name a file with --out")
    table = read_several(data, notes)
    if table is None or not has_ratings(table, data):
        refuse("one-label-an-item")
    rated = rated_items(table, data, options, notes)
    audit = audit_of(rated, notes)
    columns, raters = item_columns(audit), audit.raters
    name = data.item or data.id or "item"
    items = columns.pop("item")
    columns["probability"] = [round(one, _DIGITS) for one in columns["probability"]]
    write_table(out, {"item" if name in _OWN else name: items, **columns})
    if as_json:
        print_json("consensus", {
            "data": {"file": rated.table.source, "ratings": rated.target.n_rows},
            "out": {"file": out, "items": len(items)},
            "raters": rater_entries(raters),
            "raters_summary": raters.summary,
            "reference": raters.reference,
            "notes": notes.texts(),
        })  # fmt: skip
        return
    screen = console(error=out == "-")
    print_facts(screen, [*rating_facts(rated), *agreement_facts(audit), ("Answer", audit.summary)])
    print_raters(screen, raters)
    if out != "-":
        screen.file.write("\n")
        print_facts(screen, [("Written", f"{plural(len(items), 'item')}: {out}")])
