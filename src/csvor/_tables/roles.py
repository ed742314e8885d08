"""Which column of a table has which part in an audit, and how are its cells to be read?"""

from __future__ import annotations

from dataclasses import dataclass

from csvor._faults.errors import refuse
from csvor._utils.spelling import normal

_NAMES = ("target", "id", "groups", "rater", "item", "reference", "gold", "weight", "counts")
_LISTS = ("by", "drop", "keep", "categorical")


@dataclass(frozen=True)
class Roles:
    """What a user says of columns and cells, by the names of the options of `csvor audit`.

    Names are in the form of Unicode in which those of a table are.
    """

    target: str
    id: str | None = None
    groups: str | None = None
    by: tuple[str, ...] = ()
    rater: str | None = None
    item: str | None = None
    reference: str | None = None
    gold: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    weight: str | None = None
    counts: str | None = None
    missing_label: tuple[str, ...] = ()
    fold_labels: bool = False
    missing: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    dates: bool = False
    decimal: str | None = None

    def __post_init__(self) -> None:
        for name in _NAMES:
            column = getattr(self, name)
            object.__setattr__(self, name, None if column is None else normal(column))
        for name in _LISTS:
            object.__setattr__(self, name, tuple(map(normal, getattr(self, name))))
        if self.weight is not None and self.counts is not None:
            refuse("both", one="--weight", other="--counts", what="what a row counts")
        if self.reference is not None and self.rater is None and "," not in self.target:
            refuse("reference-alone", name=self.reference)

    @property
    def weighing(self) -> tuple[str, str] | None:
        """The option that names the column of what each row counts, and that column."""
        if self.counts is not None:
            return "--counts", self.counts
        return None if self.weight is None else ("--weight", self.weight)
