"""Is what is known of labels beside the data fit for an audit?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._utils.warn import warn

Mask = NDArray[np.bool_]


def check_seen(seen: Sequence[NDArray[Any]], coded: Any) -> None:
    """``seen``: of each part the rows of each class that its model is fitted to.

    ``coded`` has the classes, and ``counts`` of all rows.
    """
    classes, counts = coded.labels.classes, coded.counts
    if any(np.count_nonzero(of_part) < 2 for of_part in seen):
        raise ValueError(
            "Each row is judged by a model of other rows, and without some of them a single class "
            f"is left: the classes {classes.tolist()} have {counts.tolist()} "
            "rows. At least two classes need rows in two parts or more."
        )
    # A single row cannot be helped.
    unseen = (counts > 1) & (np.array(seen) == 0).any(axis=0)
    if unseen.any():
        warn(
            f"All rows of class {', '.join(map(str, classes[unseen]))} are held out together, so "
            "they are judged by models that have not seen it and look wrong: leave the class out, "
            "or part it."
        )


def check_confirmed(confirmed: Any, n: int) -> Mask:
    """True or False for each of n rows."""
    confirmed = np.asarray(confirmed)
    if confirmed.dtype != bool or confirmed.shape != (n,):
        raise ValueError(
            f"confirmed must be True or False for each of the {n} rows, got "
            f"{confirmed.dtype} of shape {confirmed.shape}."
        )
    return confirmed


def check_original(
    original: NDArray[np.integer], codes: NDArray[np.integer], confirmed: Mask | None
) -> None:
    """A review may have set what it confirmed, and nothing else."""
    moved = original != codes
    if confirmed is not None:
        moved &= ~confirmed
    if moved.any():
        row = int(np.argmax(moved))
        raise ValueError(
            f"original has another label than y for {moved.sum()} rows that are not confirmed "
            f"(first for row {row}): what a review has set counts as confirmed."
        )
