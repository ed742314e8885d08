"""What does the page of an audit hold of single rows, and how are they reviewed there?

The rows are a table that stands in the page: templates escape what comes from files, and the page
can be read and printed without scripts.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from csvor.audit import WrongLabels
from csvor.report._templates import static
from csvor.report.audit._answer import listed_in_words, rows_to_look_at
from csvor.report.audit._follow_up import calls, commands, decisions_file, editable
from csvor.report.audit._page_rows import PageRows, rows_for_page
from csvor.report.audit._suspects import suspects_of, text_of

MOST_CONFLICTS, MOST_ALIKE = 50, 12


def review_of(
    audit: WrongLabels,
    X: Any,
    source: str,
    target: str,
    *,
    rows: Any,
    ids: Any,
    id_name: str,
    conflicts: Sequence[Any],
    earlier: list[dict[str, Any]],
    command: str,
    cells: Any,
    first_line: int,
    row_checks: Callable[[Sequence[int]], Sequence[str]] | None,
) -> dict[str, Any]:
    """The rows to review, what the script knows of them, and what comes after the review."""
    alike = [[int(i) for i in group[:MOST_ALIKE]] for group in conflicts[:MOST_CONFLICTS]]
    shown = rows_for_page(audit, X, rows, ids, [i for group in alike for i in group], cells)
    names = None if shown.ids is None else [text_of(name) for name in shown.ids]
    numbers, decided = shown.numbers.tolist(), {int(decision["row"]) for decision in earlier}
    n_next = rows_to_look_at(audit, len(earlier))
    suspects = suspects_of(shown.audit, shown.X, numbers, names, decided, shown.cells, n_next)
    listed = [row.row for row in suspects.rows]
    of_file = bool(source or command)
    checks = {} if row_checks is None else dict(zip(listed, row_checks(listed), strict=True))
    config = {
        "store": _fingerprint(shown, target),
        "target": target,
        "id": None if names is None else id_name,
        "classes": [text_of(label) for label in audit.classes],
        "earlier": earlier,
        "command": command,
        "file": decisions_file(source),
    }
    groups = zip(alike, conflicts, strict=False)
    script = Markup("".join(map(static, ("rows.js", "decisions.js", "audit.js"))))
    return {
        "suspects": suspects,
        "listing": listed_in_words(audit, len(suspects.rows), suspects.named),
        "first_line": first_line,
        "checks": checks,
        "config": config,
        "n_next": min(n_next, len(listed)) if n_next != suspects.named else 0,
        "of_file": of_file,
        "follow_up": commands(source) if of_file else calls(audit, X, target),
        "to_save": Path(source).name if editable(source) != source else "",
        "conflicts": [(_labelled(shown, some), len(group) - len(some)) for some, group in groups],
        "script": script,
        # The page may run nothing else, such as a text in it would slip in.
        "script_hash": b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }


def _fingerprint(shown: PageRows, target: str) -> str:
    """What the browser keeps decisions under: the same for the same rows and labels."""
    columns = shown.audit.classes, shown.audit.given
    labels = [[text_of(label) for label in array] for array in columns]
    text = json.dumps([target, shown.numbers.tolist(), *labels])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _labelled(shown: PageRows, group: Sequence[int]) -> list[tuple[int, str]]:
    """The rows of a conflict, each with its label."""
    places = shown.places(group)
    return [(int(shown.numbers[i]), text_of(shown.audit.given[i])) for i in places]
