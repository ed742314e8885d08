"""What does the page of an audit hold?

The table sorts, searches and pages by DataTables (MIT). It works on a table that stands in the
page: so templates escape what comes from files, and the page can be read and printed without
scripts. The wheel of itables, which needs no other package, brings it in one file that it keeps up
to date; Tabulator and Grid.js draw their cells by script, and no light package brings them.
"""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from csvor._utils.atomic_files import write_whole
from csvor._utils.words import are, plural
from csvor.audit import LabelAudit, SharesByValue, WrongLabels
from csvor.audit._candidate import n_models, trees_in_words
from csvor.audit._expected_errors import after_review
from csvor.report._templates import rendered, static
from csvor.report.audit._comparison import comparison_of
from csvor.report.audit._distributions import confusion_of, probability_groups, score_chart
from csvor.report.audit._follow_up import commands, decisions_file, editable
from csvor.report.audit._page_rows import PageRows, rows_for_page
from csvor.report.audit._raters import drawn_raters
from csvor.report.audit._suspects import Suspects, suspects_of, text_of

MOST_CONFLICTS, MOST_ALIKE, MOST_MODELS = 50, 12, 20


def write_audit_report(
    audit: WrongLabels,
    X: Any,
    path: str | os.PathLike[str],
    *,
    source: str = "",
    target: str = "label",
    rows: ArrayLike | None = None,
    ids: Sequence[Any] | None = None,
    id_name: str = "id",
    facts: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    conflicts: Sequence[Sequence[int] | NDArray[np.integer]] = (),
    decided: Sequence[Mapping[str, Any]] = (),
    command: str = "",
    cells: Any = None,
    by: Mapping[str, SharesByValue] | None = None,
) -> Path:
    r"""Write what an audit found as one page, on which its suspects are reviewed.

    The page is a file that needs no other and loads nothing: open it in a browser. It holds the
    answer, given against suggested labels, the suspects (the flagged rows and the 300 that follow,
    1 000 in all) with their features, the scores by class, how sure it is, and the models compared.
    Of a line, a feature j pulls the score of row i by

    .. math:: f(x_i) - f(x_i \text{ with the typical value of } j),

    the weight times the standardised value where features are standardised; of a kernel, the
    nearest rows of the suggested class that are probably right stand beside it. Decisions are
    kept by the browser and saved as CSV with the columns row, ``id_name``, target, given, decision
    ("keep", "relabel" or "drop") and label.

    Parameters
    ----------
    audit : LabelAudit or WrongLabels
        From `csvor.audit_labels`, or from `csvor.audit_scores`, which knows no model: there are
        no scores and no reasons then.
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features), or None
        What was audited, as it was given there; None shows no features. Of more than 30 features
        those are shown that pull most.
    path : path-like
        The file to write, whole or not at all.
    source : str, default=""
        Name of the data, for titles and file names.
    target : str, default="label"
        Name of the label column.
    rows : array-like of int of shape (n_samples,), default=None
        Row numbers to show and to save; by default they count from 1.
    ids : sequence of length n_samples, default=None
        What the rows are called.
    id_name : str, default="id"
        What `ids` are.
    facts : mapping of str to str, default=None
        What was read and how, by name.
    notes : sequence of str, default=()
        What should be known beside it.
    conflicts : sequence of sequences of int, default=()
        Positions of rows that are alike and have different labels, for each such group.
    decided : sequence of mappings, default=()
        Decisions made before, as in the CSV: their rows are not listed, they are saved with the new
        ones, and the page says how many errors to expect if one goes on.
    command : str, default=""
        The command that audited, such as "csvor audit data.csv --target grade": it is saved with
        the decisions, in a column audit, and `csvor apply` prints the one that comes next.
    cells : dataframe, default=None
        Columns of X as they were written, under their names, where X holds what was read in them:
        dates, percentages, numbers with units.
    by : mapping of str to SharesByValue, default=None
        What the audit's `by` gives, under the names of columns: their values are compared.

    Returns
    -------
    page : Path

    Raises
    ------
    ValueError
        If `X`, `rows`, `ids` or `cells` have another number of rows than the audit.

    Notes
    -----
    Where the rows of the audit lie in partitions of dask, counts are those of all rows; the 1 000
    most suspect ones, and up to 20 000 random ones among which neighbours are sought, come here. X,
    rows, ids and cells are collections of dask then, cut as what was audited, or lie in memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from csvor import audit_labels
    >>> from csvor.report import write_audit_report
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.digitize(X[:, 0] + 0.1 * rng.normal(size=300), [-0.5, 0.5])
    >>> y[:15] = (y[:15] + rng.integers(1, 3, 15)) % 3
    >>> audit = audit_labels(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_audit_report(audit, X, Path(folder) / "audit.html")
    ...     "of 300 labels are wrong" in page.read_text(encoding="utf-8")
    True
    """
    alike = [[int(i) for i in group[:MOST_ALIKE]] for group in conflicts[:MOST_CONFLICTS]]
    shown = rows_for_page(audit, X, rows, ids, [i for group in alike for i in group], cells)
    names = None if shown.ids is None else [text_of(name) for name in shown.ids]
    numbers, earlier = shown.numbers.tolist(), {int(decision["row"]) for decision in decided}
    suspects = suspects_of(shown.audit, shown.X, numbers, names, earlier, shown.cells)
    classes = [text_of(label) for label in audit.classes]
    name_of_ids = id_name if names is not None else None
    config = {
        "store": _fingerprint(shown, target),
        "target": target,
        "id": name_of_ids,
        "classes": classes,
        "earlier": [dict(decision) for decision in decided],
        "command": command,
        "file": decisions_file(source),
    }
    page = rendered(
        "audit.html",
        title=f"{source}: {target}" if source else target,
        **_answer(audit, classes),
        **_review(audit, suspects, source),
        id_name=name_of_ids,
        by={name: comparison_of(shares) for name, shares in (by or {}).items()},
        facts=dict(facts or {}),
        notes=(*audit.notes, *notes),
        conflicts=[
            (_labelled(shown, some), len(group) - len(some))
            for some, group in zip(alike, conflicts, strict=False)
        ],
        n_conflicts=len(conflicts),
        config=config,
        command=command,
        expected=after_review(audit, len(decided)),
        **_scripts(),
    )
    write_whole(Path(path), page.encode())
    return Path(path)


def _answer(audit: WrongLabels, classes: list[str]) -> dict[str, Any]:
    """What the page says of all rows."""
    return {
        "answer": f"{audit.summary[0].upper()}{audit.summary[1:]}.",
        "audit": audit,
        "classes": classes,
        "confusion": confusion_of(audit, classes),
        "groups": probability_groups(audit),
        "raters": drawn_raters(audit.raters) if audit.conclusive else None,
        "chart": score_chart(audit, classes) if isinstance(audit, LabelAudit) else None,
        **(_models(audit) if isinstance(audit, LabelAudit) else {"candidates": ()}),
    }


def _models(audit: LabelAudit) -> dict[str, Any]:
    """The models that were compared, how many they are, and the trees that judge beside them."""
    return {
        "candidates": audit.candidates[:MOST_MODELS],
        "n_models": n_models(audit.candidates),
        "trees": trees_in_words(audit.models),
    }


def _review(audit: WrongLabels, suspects: Suspects, source: str) -> dict[str, Any]:
    """The rows to review, and what comes after that."""
    return {
        "suspects": suspects,
        "listing": _listing(audit, suspects),
        "commands": commands(source),
        "to_save": Path(source).name if editable(source) != source else "",
    }


def _scripts() -> dict[str, Any]:
    """The script of the page, which may run nothing else, such as a text in it would slip in."""
    script, itables = Markup(static("audit.js")), distribution("itables")
    # DataTables, with its licence notes, as the wheel of itables brings it.
    library = Path(str(itables.locate_file("itables/html/dt_bundle.js")))
    return {
        "script": script,
        "script_hash": b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "library": library.read_text(encoding="utf-8"),
        "itables": itables.version,
    }


def _listing(audit: WrongLabels, suspects: Suspects) -> str:
    """Which rows are on the page, and which are not."""
    n, shown, named = audit.probability.size, len(suspects.rows), suspects.named
    if not audit.conclusive:
        return f"{shown} of {n} rows are on this page; their order means nothing"
    if named < audit.named:
        return f"The first {shown} of {audit.named} named rows, of {n} in all, are on this page"
    if not named:
        return f"No row is named; the {shown} most suspect of {n} {are(shown)} on this page"
    rest = f" and the {shown - named} that follow" if shown > named else ""
    return f"{plural(named, 'named row')}{rest}, of {n} in all, {are(shown)} on this page"


def _fingerprint(shown: PageRows, target: str) -> str:
    """What the browser keeps decisions under: the same for the same rows and labels."""
    columns = shown.audit.classes, shown.audit.given
    labels = [[text_of(label) for label in array] for array in columns]
    text = json.dumps([target, shown.numbers.tolist(), *labels])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _labelled(shown: PageRows, group: Sequence[int]) -> list[tuple[int, str]]:
    """The rows of a conflict, each with its label."""
    numbers, labels = shown.numbers, shown.audit.given
    return [(int(numbers[i]), text_of(labels[i])) for i in shown.places(group)]
