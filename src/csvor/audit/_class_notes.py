"""Classes that an audit cuts as a whole, or predicts for no row."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._faults.fault import fault, lacking
from csvor._faults.notes import Notes
from csvor._mixture.channels import MANY_CLASSES
from csvor._parts.engine import sums
from csvor._utils.spelling import format_value
from csvor.audit._label_audit import LabelAudit


def notes_on_classes(audit: LabelAudit, weighted: bool, notes: Notes) -> None:
    """Name the classes of which more than half is flagged, and others that no row is given.

    Where they are `weighted`, by weights of a user, other weights are no remedy.
    """
    work = partial(_of_classes, audit.classes)
    (counts,) = sums(work, audit.given, audit.predicted, audit.flagged)
    cut, never = [], []
    for label, (n_rows, n_predicted, n_flagged) in zip(
        audit.classes.tolist(), counts.tolist(), strict=True
    ):
        if n_rows < 2:  # nothing to judge, or a row that a note of its own speaks of
            continue
        if 2 * n_flagged > n_rows:
            cut.append(f"'{format_value(label)}' ({n_flagged} of {n_rows} rows)")
        elif not n_predicted and audit.conclusive:
            never.append(f"'{format_value(label)}' ({n_rows} rows)")
    remedy = "compare with --class-weight balanced, which gives all labels the same weight"
    # Of marks on a scale some are always rare: they are not to count as much as the others.
    many = audit.classes.size >= MANY_CLASSES
    if weighted or many or lacking(remedy):
        remedy = "merge such a label with one beside it"
    for kind, labels in (("class-flagged", cut), ("class-never-predicted", never)):
        if labels:
            notes.add(fault(kind, n=len(labels), labels=", ".join(labels), remedy=remedy))


def _of_classes(
    classes: NDArray[Any], labels: NDArray[Any], predicted: NDArray[Any], flagged: NDArray[np.bool_]
) -> tuple[NDArray[np.int64]]:
    """Of each class the rows given, those predicted, and those given and flagged."""
    kinds = labels, predicted, labels[flagged]
    return (np.array([[np.count_nonzero(kind == k) for kind in kinds] for k in classes]),)
