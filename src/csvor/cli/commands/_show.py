"""`csvor show`: what a model file says of itself."""

import json
from typing import Any

from csvor.cli._notes import Notes
from csvor.cli._record import read_record


def run_show(path: str, as_json: bool, notes: Notes) -> None:
    """Print what is in a model file, of which nothing is run."""
    record = read_record(path)
    record.note_versions(path, notes)
    document = record.document
    if as_json:
        head: dict[str, Any] = {"command": "show", "model": path, "written": record.written}
        head |= {"versions": record.versions, "preparation": record.features}
        all_notes = {"notes": [*document["notes"], *notes.texts()]}
        print(json.dumps({**head, **document, **all_notes}, allow_nan=False))
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
