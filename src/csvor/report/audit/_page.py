"""What does the page of an audit hold?"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csvor._utils.atomic_files import write_whole
from csvor.audit import LabelAudit, SharesByValue, WrongLabels
from csvor.audit._candidate import n_models, trees_in_words
from csvor.report._templates import rendered
from csvor.report.audit._answer import answer_of, made_by, title_of
from csvor.report.audit._comparison import comparison_of
from csvor.report.audit._distributions import confusion_of, probability_groups, score_chart
from csvor.report.audit._known import known_of
from csvor.report.audit._raters import drawn_raters
from csvor.report.audit._review import review_of
from csvor.report.audit._suspects import text_of

MOST_MODELS = 20


def write_audit_report(
    audit: WrongLabels,
    X: Any,
    path: str | os.PathLike[str],
    *,
    source: str = "",
    target: str | None = None,
    rows: ArrayLike | None = None,
    ids: Sequence[Any] | None = None,
    id_name: str | None = None,
    facts: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    conflicts: Sequence[Sequence[int] | NDArray[np.integer]] = (),
    decided: Sequence[Mapping[str, Any]] = (),
    command: str = "",
    cells: Any = None,
    by: Mapping[str, SharesByValue] | None = None,
    first_line: int = 0,
    provenance: Mapping[str, str] | None = None,
    row_checks: Callable[[Sequence[int]], Sequence[str]] | None = None,
    with_rows: bool = True,
) -> Path:
    r"""Write what an audit found as one page, on which its suspects are reviewed.

    The page needs no other file and loads nothing: open it in a browser. It holds the answer, given
    against suggested labels, the flagged rows and 300 or more that follow (1 000 in all) with their
    features, the scores by class, and the models compared. Of a line, a feature j pulls row i by

    .. math:: f(x_i) - f(x_i \text{ with the typical value of } j),

    the weight times the standardised value where features are standardised, and nothing where it is
    blank; of a kernel, the nearest rows of the suggested class that are probably right stand beside
    it. Decisions are kept by the browser and saved as CSV, which can be opened again, with columns
    row, ``id_name``, target, given, decision (keep, relabel or drop), label, comment and reviewer.

    Parameters
    ----------
    audit : LabelAudit or WrongLabels
        From `csvor.audit_labels`, or from `csvor.audit_scores`, which knows no model: there are
        no scores and no reasons then.
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features), or None
        What was audited, as it was given there (of `audit_table` the frame); None shows no
        features. Of more than 30 features those are shown that pull most.
    path : path-like
        The file to write, whole or not at all.
    source : str, default=""
        Name of the data, for titles and file names.
    target : str, default=None
        Name of the label column; None is that of `audit_table`, else "label".
    rows : array-like of int of shape (n_samples,), default=None
        Row numbers to show and to save; by default they count from 1.
    ids : sequence of length n_samples, default=None
        What the rows are called; None is the ``id`` of `audit_table`, else the index of the data.
    id_name : str, default=None
        What `ids` are; None is the name of that column or index, else "id".
    facts : mapping of str to str, default=None
        What was read and how, by name.
    notes : sequence of str, default=()
        What should be known beside it.
    conflicts : sequence of sequences of int, default=()
        Positions of rows that are alike and have different labels, for each such group; by default
        those of `audit_table`, and likewise `decided`.
    decided : sequence of mappings, default=()
        Decisions made before, as in the CSV: their rows are not listed, but saved with new ones.
    command : str, default=""
        The command that audited, saved with the decisions for `csvor apply`. Without it and
        `source`, the page says in Python what comes next.
    cells : dataframe, default=None
        Columns of X as they were written, where X holds what was read in them, such as dates.
    by : mapping of str to SharesByValue, default=None
        What the audit's `by` gives, under the names of columns: their values are compared.
    first_line : int, default=0
        The line of a sheet in which row 1 stands; 0 shows no lines beside rows.
    provenance : mapping of str to str, default=None
        How data and answer came about, by name, beside `command`, time and versions.
    row_checks : callable, default=None
        Of numbers of rows, as `rows` has them, a text for each that changes with its cells: it is
        saved with the decisions, as row_check, and `csvor apply` compares it.
    with_rows : bool, default=True
        False leaves out rows, models, and notes, which may name rows: a summary to pass on.

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
    >>> from csvor import CSVOR, audit_labels
    >>> from csvor.report import write_audit_report
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.digitize(X[:, 0] + 0.1 * rng.normal(size=300), [-0.5, 0.5])
    >>> y[:15] = (y[:15] + rng.integers(1, 3, 15)) % 3
    >>> audit = audit_labels(X, y, CSVOR())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_audit_report(audit, X, Path(folder) / "audit.html")
    ...     "% of the 300 labels in" in page.read_text(encoding="utf-8")
    True
    """
    audit, X, known = known_of(
        audit, X, target=target, rows=rows, ids=ids, id_name=id_name, conflicts=conflicts,
        decided=decided, cells=cells,
    )  # fmt: skip
    target, earlier = known.pop("target"), [dict(decision) for decision in known.pop("decided")]
    page = rendered(
        "audit.html",
        title=title_of(source, target),
        **_answer(audit, target, earlier, with_rows),
        by={name: comparison_of(shares) for name, shares in (by or {}).items()},
        facts={name: text for name, text in (facts or {}).items() if with_rows or name != "Model"},
        notes=(*audit.notes, *notes) if with_rows else (),
        n_conflicts=len(known["conflicts"]),
        n_decided=len(earlier),
        made=made_by(command, provenance or {}),
        review=review_of(
            audit, X, source, target, **known, earlier=earlier, command=command,
            first_line=first_line, row_checks=row_checks,
        ) if with_rows else None,
    )  # fmt: skip
    write_whole(Path(path), page.encode())
    return Path(path)


def _answer(
    audit: WrongLabels, target: str, earlier: list[dict[str, Any]], with_rows: bool
) -> dict[str, Any]:
    """What the page says of all rows; models are of no use to readers of a summary."""
    classes = [text_of(label) for label in audit.classes]
    confusion, groups = confusion_of(audit, classes), probability_groups(audit)
    of_labels = audit if isinstance(audit, LabelAudit) else None
    return {
        "answer": answer_of(audit, target, confusion, earlier, with_rows),
        "audit": audit,
        "classes": classes,
        "confusion": confusion,
        "groups": groups,
        # And not by `fdr`.
        "by_half": audit.named == sum(group.n_rows for group in groups if group.low >= 0.5),
        "raters": drawn_raters(audit.raters) if audit.conclusive else None,
        "chart": score_chart(of_labels, classes) if of_labels else None,
        **(_models(of_labels) if of_labels and with_rows else {"candidates": ()}),
    }


def _models(audit: LabelAudit) -> dict[str, Any]:
    """The models that were compared, how many they are, and the trees that judge beside them."""
    return {
        "candidates": audit.candidates[:MOST_MODELS],
        "n_models": n_models(audit.candidates),
        "trees": trees_in_words(audit.models),
    }
