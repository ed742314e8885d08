"""What is known of labels beside the data, and is it fit for an audit?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from csvor._data.groups import group_names
from csvor._data.tables import masked_as_nan
from csvor._mixture.mixture import Mixture, fit_mixture
from csvor._parts.engine import take
from csvor._utils.warn import warn
from csvor.audit._panel import Panel

Mask = NDArray[np.bool_]


class Labelling(NamedTuple):
    """What is known of labels, in arrays of NumPy or dask.

    Attributes
    ----------
    codes : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
    confirmed : ndarray of shape (n,) or None
        True for labels that are known to be right.
    original : ndarray of shape (n,) or None
        Codes of what these were before.
    raters : ndarray of shape (n,) or None
        Who gave each label, as positions in the names of `panel`.
    panel : Panel or None
    """

    codes: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None
    confirmed: Mask | None = None
    original: NDArray[np.int64] | None = None
    raters: NDArray[np.int64] | None = None
    panel: Panel | None = None

    def take(self, rows: NDArray[np.intp]) -> Labelling:
        """The same of some rows."""
        known = self.columns
        taken: dict[str, Any] = dict(zip(known, take(rows, *known.values()), strict=True))
        return self._replace(**taken)

    @property
    def columns(self) -> dict[str, Any]:
        """What is known, an array of all rows each."""
        known = self._asdict()
        del known["panel"]
        return {name: column for name, column in known.items() if column is not None}

    def by_raters(self, raters: Any, reference: Any) -> Labelling:
        """The same of rows in memory, and who gave each label."""
        names = group_names(raters, self.codes.size, "raters")
        panel = Panel.of([names], reference, self.codes.size)
        return self._replace(raters=panel.codes(names), panel=panel)

    @property
    def for_mixture(self) -> tuple[Any, ...]:
        """As a mixture takes it, beside margins."""
        return (*self[:5], None if self.panel is None else self.panel.reference)

    @property
    def judged(self) -> Mask:
        """The labels that are not known to be right."""
        known = self.confirmed
        return np.ones_like(self.codes, dtype=bool) if known is None else ~known

    @property
    def mass(self) -> Any:
        """The weight of each label that is not known to be right, 0 of others."""
        return self.judged * (1.0 if self.weights is None else self.weights)

    @property
    def total(self) -> float:
        """The weight of all labels, in memory: so many rows they are to a likelihood."""
        return float(self.codes.size if self.weights is None else self.weights.sum())

    @property
    def are_counts(self) -> bool:
        """Whether weights, in memory, are counts of rows: all are whole."""
        return self.weights is None or np.array_equal(self.weights, np.rint(self.weights))

    @property
    def independent(self) -> float:
        """How many rows that count alike tell as much, in memory.

        Of weights that are no counts it is Kish's effective size.
        """
        if self.weights is None or self.are_counts:
            return self.total
        return float(self.total**2 / (self.weights @ self.weights))

    def information(self, n_independent: float | None = None, n: int = 0) -> float:
        """What each row, by its weight, tells beside one that is independent of the others.

        ``n_independent`` rows tell as much as all n where those of a group are alike.
        """
        of_weight = min(self.independent / self.total, 1.0)
        return of_weight * (1.0 if n_independent is None else min(n_independent / n, 1.0))

    def mixture(
        self, margins: NDArray[np.float64], n_independent: float | None = None, n: int = 0
    ) -> Mixture:
        """That of these labels, where each row has so much `information`."""
        return fit_mixture(
            margins, *self.for_mixture, information=self.information(n_independent, n)
        )

    def share_left(self, before: float) -> float:
        """The share of all labels that are wrong, where that was so before some were set right."""
        if self.confirmed is None or self.original is None:
            return before
        righted = self.confirmed & (self.original != self.codes)
        return max(0.0, before - float(np.average(righted, weights=self.weights)))

    def share_judged(self, before: float) -> float:
        """The same of those judged: what is confirmed is right."""
        judged = float(np.average(self.judged, weights=self.weights))
        return min(1.0, self.share_left(before) / judged) if judged > 0.0 else 0.0


def check_seen(
    seen: Sequence[NDArray[Any]], classes: NDArray[Any], counts: NDArray[np.integer]
) -> None:
    """``seen``: of each part the rows by class that its model is fitted to; of all, `counts`."""
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
            "they are judged by models fitted without it and look wrong: leave the class out, "
            "or part it."
        )


def check_weighed(masses: NDArray[Any], classes: NDArray[Any], counts: NDArray[np.integer]) -> None:
    """``masses``: the weight of the rows of each class, which are `counts`."""
    unknown = classes[(masses == 0.0) & (counts > 0)]
    if unknown.size:
        raise ValueError(
            f"All rows of class {', '.join(map(str, unknown))} have weight 0: no other row says "
            "what such rows are like, and all would look wrong. Leave them out, or give some of "
            "them a weight."
        )
    if np.count_nonzero(counts) < 2:
        raise ValueError(
            f"y holds a single class with rows, {classes[counts > 0].tolist()[0]!r}: without rows "
            "of another one nothing says which are wrong."
        )


def check_confirmed(confirmed: Any, n: int) -> Mask:
    """True or False for each of n rows."""
    confirmed = np.asarray(masked_as_nan(confirmed))
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
