"""Classes that an audit cuts as a whole, or predicts for no row."""

from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csvor._parts.engine import sums
from csvor._utils.words import are, nouns
from csvor.cli._notes import Notes
from csvor.cli._options import ModelOptions
from csvor.cli._spelling import format_value


class Judged(Protocol):
    """What is asked of an audit: its classes in order, and one entry a row of all else."""

    @property
    def classes(self) -> NDArray[Any]: ...
    @property
    def given(self) -> NDArray[Any]: ...
    @property
    def predicted(self) -> NDArray[Any]: ...
    @property
    def flagged(self) -> NDArray[np.bool_]: ...


def notes_on_classes(audit: Judged, options: ModelOptions, notes: Notes) -> None:
    """Name the classes of which more than half is flagged, and others that no row is given."""
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
        elif not n_predicted:
            never.append(f"'{format_value(label)}' ({n_rows} rows)")
    remedy = "compare with --class-weight balanced, which gives all labels the same weight"
    if options.class_weight is not None:
        remedy = "merge such a label with one beside it"
    for labels, why in (
        (cut, "flagged for the most part: so many are wrong, or the model passes over the label"),
        (never, "predicted for no unseen row: the features hardly set such a label apart"),
    ):
        if labels:
            names = f"{nouns(len(labels), 'label')} {', '.join(labels)} {are(len(labels))}"
            notes.add(f"{names} {why}; {remedy}")


def _of_classes(
    classes: NDArray[Any], labels: NDArray[Any], predicted: NDArray[Any], flagged: NDArray[np.bool_]
) -> tuple[NDArray[np.int64]]:
    """Of each class the rows given, those predicted, and those given and flagged."""
    kinds = labels, predicted, labels[flagged]
    return (np.array([[np.count_nonzero(kind == k) for kind in kinds] for k in classes]),)
