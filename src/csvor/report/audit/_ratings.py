"""What does the page of an audit of several raters hold?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from csvor._utils.atomic_files import write_whole
from csvor._utils.words import are, plural, some_of
from csvor.audit import RatersAudit
from csvor.report._templates import rendered
from csvor.report.audit._answer import made_by, title_of
from csvor.report.audit._raters import drawn_raters
from csvor.report.audit._suspects import MOST_ROWS, NEXT_ROWS, text_of

_MOST_LABELS = 12


def write_raters_report(
    audit: RatersAudit,
    path: str | os.PathLike[str],
    *,
    source: str = "",
    target: str = "label",
    facts: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    command: str = "",
    with_rows: bool = True,
) -> Path:
    """Write what an audit of several raters found as one page.

    The page needs no other file and loads nothing. It holds the answer, the raters, the 300 items
    whose label is least sure with the labels that each got, and the ratings most probably wrong
    (those flagged and the 300 that follow, 1 000 in all).

    Parameters
    ----------
    audit : RatersAudit
        From `csvor.audit_raters`.
    path : path-like
        The file to write, whole or not at all.
    source : str, default=""
        Name of the data, for the title.
    target : str, default="label"
        What was labelled.
    facts : mapping of str to str, default=None
        What was read and how, by name.
    notes : sequence of str, default=()
        What should be known beside the notes of the audit.
    command : str, default=""
        The command that audited, for the foot of the page.
    with_rows : bool, default=True
        False leaves out items, ratings and notes: a summary to pass on.

    Returns
    -------
    page : Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from csvor import audit_raters
    >>> from csvor.report import write_raters_report
    >>> audit = audit_raters(None, [[1, 1, 2], [3, 3, 3], [2, 2, 2], [1, 2, 2], [3, 2, 3]] * 8)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_raters_report(audit, Path(folder) / "raters.html")
    ...     "120 ratings of 40 items by 3 raters" in page.read_text(encoding="utf-8")
    True
    """
    page = rendered(
        "ratings.html",
        title=title_of(source, target),
        answer=f"{audit.summary[0].upper()}{audit.summary[1:]}.",
        audit=audit,
        raters=drawn_raters(audit.raters),
        agreement=audit.agreement_in_words(),
        items=_items(audit) if with_rows else None,
        ratings=_ratings(audit) if with_rows else None,
        made=made_by(command, {}),
        facts=dict(facts or {}),
        notes=(*audit.notes, *notes) if with_rows else (),
    )
    write_whole(Path(path), page.encode())
    return Path(path)


def _items(audit: RatersAudit) -> dict[str, Any]:
    """The items whose label is least sure, and what each rater said of them."""
    n = audit.doubtful.size
    order = audit.doubtful[:NEXT_ROWS]
    bounds = np.searchsorted(audit.rating_item, [order, order + 1])
    asked = list(audit.to_frame()["ask"])
    rows = [
        (
            text_of(audit.items[i]), text_of(audit.label[i]), f"{audit.probability[i]:.3f}",
            str(audit.n_ratings[i]), str(asked[i]), _labels(audit, first, last),
        )
        for i, first, last in zip(order.tolist(), *bounds.tolist(), strict=True)
    ]  # fmt: skip
    shown = f"The {len(rows)} least sure of" if len(rows) < n else "All"
    which = " without gold" if audit.has_gold.any() else ""
    return {
        "caption": f"{shown} {plural(n, 'item')}{which}, the least sure label first. Ask says of "
        "which item one more rating tells most: 1 is the first."
        if n
        else "All items have gold.",
        "head": ("item", "label", "probability", "ratings", "ask", "labels given"),
        "rows": rows,
    }


def _labels(audit: RatersAudit, first: int, last: int) -> str:
    """The labels that an item got, each with its rater."""
    names = audit.raters.names[audit.rating_rater[first : min(last, first + _MOST_LABELS)]]
    pairs = zip(names, audit.given[first:last], strict=False)
    said = [f"{text_of(name)}: {text_of(label)}" for name, label in pairs]
    return some_of(said, _MOST_LABELS, last - first)


def _ratings(audit: RatersAudit) -> dict[str, Any]:
    """The ratings that are most probably wrong."""
    named = int(audit.flagged.sum())
    table = audit.ratings_to_frame()
    shown = table.head(min(named + NEXT_ROWS, MOST_ROWS))
    columns = [list(shown[name]) for name in ("item", "rater", "given", "label")]
    last = zip(shown["probability"], shown["flagged"], strict=True)
    rows = [
        (*map(text_of, texts), f"{probability:.3f}", "yes" if flagged else "")
        for texts, (probability, flagged) in zip(zip(*columns, strict=True), last, strict=True)
    ]
    return {
        "caption": f"{plural(named, 'rating')} {are(named)} flagged; the {len(rows)} most probably "
        f"wrong of {len(table)} are listed.",
        "head": ("item", "rater", "given", "label", "chance of error", "flagged"),
        "rows": rows,
    }
