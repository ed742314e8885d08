"""Which labels of a table are wrong, prepared as the command prepares a file?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from csvor._estimators.intervals import EmptyIntervalWarning
from csvor._estimators.steps import last_step
from csvor._faults.notes import Notes
from csvor._faults.python import in_arguments, in_python, names_of, texts_of
from csvor._tables.frames import row_names
from csvor._tables.prepare import TableColumns, check_for_audit, columns_of
from csvor._tables.roles import Roles
from csvor._utils.spelling import format_value
from csvor.audit._candidates import candidate_models
from csvor.audit._class_notes import notes_on_classes
from csvor.audit._frame_rows import FrameRows
from csvor.audit._label_audit import LabelAudit
from csvor.audit._labels import audit_labels, without_data_warnings
from csvor.audit._progress import drawing_progress
from csvor.preprocessing import TableEncoder
from csvor.preprocessing._encoding import encoder_of

# What messages may advise: the arguments beside the frame.
_ARGUMENTS = (
    "target", "classes", "id", "groups", "rater", "reference", "weight", "counts", "drop", "keep",
    "categorical", "missing", "missing_label", "fold_labels", "dates", "decimal", "impute", "clip",
    "cv", "reviewed",
)  # fmt: skip


@drawing_progress
def audit_table(
    frame: Any,
    target: str,
    *,
    classes: Sequence[Any] | None = None,
    id: str | None = None,
    groups: str | None = None,
    rater: str | None = None,
    reference: Any = None,
    weight: str | None = None,
    counts: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    categorical: Sequence[str] = (),
    missing: Sequence[str] = (),
    missing_label: Sequence[str] = (),
    fold_labels: bool = False,
    dates: bool = False,
    decimal: str | None = None,
    impute: bool = False,
    clip: float | None = None,
    reviewed: Any = None,
    confirmed: ArrayLike | None = None,
    original: ArrayLike | None = None,
    estimator: Any = None,
    cv: int = 5,
    fdr: float | None = None,
    order: str = "auto",
    models: str | None = None,
    random_state: int = 0,
    progress: Callable[[int, int], None] | bool | None = None,
) -> LabelAudit:
    """Tell which labels of a table are wrong: `audit_labels` as ``csvor audit`` prepares a file.

    The columns of the frame are read and checked as those of a file are: numbers with units or
    decimal commas, percentages, marks for "no value", words as categories; columns of one value,
    row numbers and ids are left out; copies of the label, ids that rows share, rows that come again
    or contradict each other are noted. The answer is the command's.

    Parameters
    ----------
    frame : dataframe of shape (n_samples, n_columns)
        Of pandas, polars or Arrow, in memory; columns have names. It is not changed.
    target : str
        Column of the labels. An ordered categorical, or a polars Enum, says the order of its own.
    classes : sequence of labels, default=None
        All labels in order, lowest first; needed for words.
    id : str, default=None
        Column that names the rows; not a feature.
    groups : str, default=None
        Column of what rows share (a patient, a batch), which are judged together; not a feature.
    rater : str, default=None
        Column of who gave the label; not a feature.
    reference : str, default=None
        The rater by whom the others are measured; by default the middle.
    weight, counts : str, default=None
        Column of weights, which are divided by their mean; or of how many rows each row stands for.
    drop, keep, categorical, missing
        How columns of features are read, as in `csvor.preprocessing.TableEncoder`.
    missing_label : sequence of str, default=()
        Labels that stand for none, ``""`` for blank ones: their rows are left out.
    fold_labels : bool, default=False
        Labels that differ in case and blanks alone are one.
    dates, decimal, impute, clip
        As in `csvor.preprocessing.TableEncoder`.
    reviewed : Decisions, path-like or dataframe, default=None
        What was decided about labels of the frame, as ``csvor audit --reviewed`` takes it: from
        `read_decisions`, its CSV file, a frame with the columns of one, or `to_frame` of an audit
        with ``decision`` and ``label`` added. Rows that are kept or relabelled count as
        confirmed, with the new labels, and dropped ones are left out.
    confirmed : array-like of bool of shape (n_samples,), default=None
        True for labels of the frame that are known to be right, as in `audit_labels`.
    original : array-like of shape (n_samples,), default=None
        The labels before an earlier review, of which the frame has the result, as in
        `audit_labels`: they may differ where `confirmed`.
    estimator : estimator, sequence of such or None, default=None
        What judges the rows behind the encoding, as `audit_labels` takes it; no pipeline.
    cv : int, default=5
        Number of parts, at least 2.
    fdr, order, models, random_state, progress
        As in `audit_labels`.

    Returns
    -------
    audit : LabelAudit
        Of the rows with a label, with the frame's index; `LabelAudit.to_frame` gives polars where
        the frame is one. ``notes`` begin with what ``csvor audit`` would note of the table.
        ``model`` takes frames as this one: its first step is a `csvor.preprocessing.TableEncoder`.

    Raises
    ------
    TypeError
        If ``frame`` is no such frame, or holds no rows yet.
    ValueError
        If the table cannot be audited: all faults at once, each with its column, its rows (by the
        index, or positions from 0) and the arguments that help. If decisions do not fit it.

    See Also
    --------
    audit_labels : The same of features and labels that are ready.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from csvor import audit_table
    >>> rng = np.random.default_rng(0)
    >>> size = rng.normal(30, 8, 300)
    >>> grade = np.array(["mild", "moderate", "severe"])[np.digitize(size, [26, 34])]
    >>> wrong = np.flatnonzero(grade == "mild")[:8]
    >>> grade[wrong] = "severe"
    >>> frame = pd.DataFrame({"size": [f"{s:.3f} mm" for s in size], "grade": grade})
    >>> frame.index = [f"P{i}" for i in range(300)]
    >>> audit = audit_table(frame, "grade", classes=["mild", "moderate", "severe"])
    >>> audit.named, frame.join(audit.to_frame())["flagged"].sum()
    (8, np.int64(8))
    >>> audit.notes[0]
    "'mm' beside the numbers is passed over: column 'size' (row P0: '31.006 mm' is 31.006)"
    >>> audit.model.predict(frame.loc[["P100"]]).tolist()
    ['severe']

    After a review, here of two rows (files of decisions count them from 1):

    >>> kinds = {"decision": ["relabel", "drop"], "given": "severe", "label": ["mild", ""]}
    >>> decided = pd.DataFrame({"row": wrong[:2] + 1, **kinds})
    >>> again = audit_table(
    ...     frame, "grade", classes=["mild", "moderate", "severe"], models="own", reviewed=decided
    ... )
    >>> len(again.given), again.named
    (299, 6)
    """
    notes, names = Notes(), row_names(frame, "frame")
    with in_python(_ARGUMENTS, names):
        roles = Roles(
            target=target, id=id, groups=groups, rater=rater,
            reference=None if reference is None else format_value(reference),
            weight=weight, counts=counts, drop=names_of("drop", drop), keep=names_of("keep", keep),
            categorical=names_of("categorical", categorical), missing=texts_of("missing", missing),
            missing_label=texts_of("missing_label", missing_label), fold_labels=fold_labels,
            dates=dates, decimal=decimal,
        )  # fmt: skip
        declared = None if classes is None else [format_value(one) for one in classes]
        rows = FrameRows.of(frame, roles, declared or (), reviewed, confirmed, original)
        work = columns_of(
            rows.table, roles, notes, declared=declared, impute=impute, clip=clip is not None,
            review=rows.review,
        )  # fmt: skip
        check_for_audit(work, work.raters, cv, notes)
        encoder = encoder_of(work.features, impute=impute, clip=clip)
        compared = _candidates(work, encoder, estimator, cv, random_state)
        with without_data_warnings(), warnings.catch_warnings():
            # Notes speak of these, with columns and rows.
            warnings.simplefilter("ignore", EmptyIntervalWarning)
            audit = audit_labels(
                estimator=compared, cv=cv, fdr=fdr, order=order,
                models=models or ("all" if estimator is None else "own"),
                random_state=random_state, progress=progress, **work.audit_data(),
            )  # fmt: skip
        notes_on_classes(audit, False, notes)
        texts = [in_arguments(text) for text in notes.texts()]
    reader = TableEncoder(
        drop=drop, keep=keep, categorical=categorical, missing=missing, dates=dates,
        decimal=decimal, impute=impute, clip=clip,
    )._with(work.features, audit.model[0], work.features.used)  # fmt: skip
    reader.notes_ = tuple(texts)
    return replace(
        audit,
        notes=(*texts, *audit.notes),
        model=Pipeline([("table", reader), ("model", last_step(audit.model))]),
        **rows.kept(work, original),
    )


def _candidates(
    work: TableColumns, encoder: Any, estimator: Any, cv: int, random_state: Any
) -> list[Any]:
    """What is compared, each behind the encoding."""
    before = Pipeline([("columns", encoder)])
    if estimator is None:
        fixed = {"random_state": random_state}
        return candidate_models(work.frame, before=before, n_parts=cv, fixed=fixed)
    several = list(estimator) if isinstance(estimator, list | tuple) else [estimator]
    return [Pipeline([*before.steps, ("model", one)]) for one in several]


# The name that users import is not where the code lies.
audit_table.__module__ = "csvor"
