"""`csvor show`: what a model file says of itself."""

from typing import Any

from csvor._faults.notes import Notes
from csvor.cli._record import read_record
from csvor.cli._streams import print_json


def run_show(path: str, as_json: bool, notes: Notes) -> None:
    """Print what is in a model file, of which nothing is run."""
    record = read_record(path)
    record.note_versions(path, notes)
    document = record.document
    if as_json:
        head: dict[str, Any] = {"model": path, "written": record.written}
        head |= {"versions": record.versions, "preparation": record.features}
        all_notes = [*document["notes"], *notes.texts()]
        print_json("show", {**head, **document, "notes": all_notes})
        return
    # Here: JSON needs neither.
    from csvor.cli._render import console, print_facts
    from csvor.cli._score import print_coefficients, score_facts

    made = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    written = f"{record.written[:16].replace('T', ' ')} UTC by {made}"
    facts = [("Model file", path), ("Written", written), *record.facts, *score_facts(document)]
    out = console()
    print_facts(out, facts)
    print_coefficients(out, document["coefficients"])
