"""Which rows does the page of an audit list, and what does it say of each?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from csvor._tables.dates import dates_in_short
from csvor.audit import WrongLabels
from csvor.audit._reported import reported
from csvor.report.audit._why import Evidence, evidence_of

# A page holds the flagged rows and so many next ones at least, as many as the answer sends to, and
# of wide data the features that pull most.
NEXT_ROWS, MOST_ROWS, MOST_FEATURES = 300, 1000, 30
_SHORT = 3
# Of less strength beside the strongest, whichever way that pulls, a feature explains nothing.
_FAINT = 0.2
_SLIGHT = 0.005
# Numbers that people type have no more digits; of computed ones four are shown.
_TYPED = 8


@dataclass(frozen=True)
class Feature:
    """A value, what it adds to the score of the row, and the values of the rows nearest to it."""

    name: str
    value: str
    pull: float | None = None
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Neighbour:
    """A good row of the suggested class."""

    row: int
    id: str | None


@dataclass(frozen=True)
class Suspect:
    """A row of the page.

    Where nothing can be said there is no probability, and there are no chances.
    """

    row: int
    id: str | None
    given: str
    suggested: str
    direction: str
    probability: float | None
    named: bool
    rater: str | None
    chances: tuple[tuple[str, float], ...]
    features: tuple[Feature, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()

    @property
    def moved(self) -> bool:
        """Whether another label is suggested."""
        return self.given != self.suggested

    @property
    def other(self) -> str:
        """The label suggested, or the likeliest other one where the one given is likelier."""
        others = [pair for pair in self.chances if pair[0] != self.given]
        likeliest = max(others, key=lambda pair: pair[1], default=("", 0.0))[0]
        return self.suggested if self.moved else likeliest

    @property
    def strongest(self) -> list[Feature]:
        """The features that pull most, towards the suggested label where there is another."""
        side = {"too low": 1.0, "too high": -1.0}.get(self.direction)
        pulls = [(f.pull, f) for f in self.features if f.pull]
        least = _FAINT * max((abs(pull) for pull, _ in pulls), default=0.0)
        force = [(abs(pull) if side is None else side * pull, f) for pull, f in pulls]
        ranked = sorted(force, key=lambda pair: -pair[0])[:_SHORT]
        return [f for strength, f in ranked if strength >= least]


@dataclass(frozen=True)
class Suspects:
    """The rows listed, what was left out, and what `features` tell: "pulls", "neighbours" or ""."""

    rows: tuple[Suspect, ...]
    n_features: int
    n_features_shown: int
    kind: str

    @property
    def named(self) -> int:
        """How many of the rows are flagged."""
        return sum(row.named for row in self.rows)


def suspects_of(
    audit: WrongLabels,
    X: Any,
    row_numbers: Sequence[int],
    ids: Sequence[str] | None,
    decided: Collection[int] = (),
    cells: pd.DataFrame | None = None,
    n_next: int = 0,
) -> Suspects:
    """The flagged rows and those that follow, but for those `decided`, and why each is one.

    `cells` are columns of X as they were written; `n_next` rows at least are there.
    """
    audit = reported(audit)
    left = [i for i in audit.order.tolist() if row_numbers[i] not in decided]
    # With `fdr`, too, the flagged rows are the first ones.
    shown = np.array(left[: min(max(audit.named + NEXT_ROWS, n_next), MOST_ROWS)], dtype=np.intp)
    evidence = _as_written(evidence_of(audit, X, shown, MOST_FEATURES), cells)
    classes = [text_of(label) for label in audit.classes]
    rows = []
    for i, position in enumerate(shown.tolist()):
        label, other = (text_of(labels[position]) for labels in (audit.given, audit.suggested))
        near = evidence.near[i].tolist() if evidence.near else []
        rows.append(
            Suspect(
                row=row_numbers[position],
                id=ids[position] if ids is not None else None,
                given=label,
                suggested=other,
                direction=str(audit.direction[position]),
                probability=float(audit.probability[position]) if audit.conclusive else None,
                named=bool(audit.flagged[position]),
                rater=None if audit.rater is None else text_of(audit.rater[position]),
                chances=_chances(audit, position, classes),
                features=_features(evidence, i, [position, *near]),
                neighbours=tuple(
                    Neighbour(row_numbers[j], ids[j] if ids is not None else None) for j in near
                ),
            )
        )
    return Suspects(tuple(rows), len(evidence.names), len(evidence.columns), evidence.kind)


def _as_written(evidence: Evidence, cells: pd.DataFrame | None) -> Evidence:
    """With cells in place of what was read in them, such as numbers of units; dates in short."""
    written: Any = {} if cells is None else cells
    read = zip(evidence.columns.tolist(), evidence.values, strict=True)
    columns = (np.asarray(written.get(evidence.names[j], values)) for j, values in read)
    return replace(evidence, values=[_in_short(column) for column in columns])


def _in_short(column: NDArray[Any]) -> NDArray[Any]:
    """A column with its dates in short, if it has dates alone."""
    if column.dtype.kind in "biuf":
        return column
    codes, distinct = pd.factorize(column, use_na_sentinel=False)
    texts = ["" if pd.isna(value) else str(value) for value in distinct]
    short = dates_in_short(texts)
    return column if short == texts else np.array(short, dtype=object)[codes]


def _chances(audit: WrongLabels, position: int, classes: Sequence[str]) -> tuple[Any, ...]:
    """The classes that the features leave possible, with their probabilities."""
    pairs = zip(classes, audit.class_probabilities[position].tolist(), strict=True)
    return tuple((label, p) for label, p in pairs if p >= _SLIGHT and audit.conclusive)


def _features(evidence: Evidence, listed: int, positions: Sequence[int]) -> tuple[Feature, ...]:
    """Of the row `listed` there; `positions` are that of the row and of those beside it."""
    features = []
    for k, j in enumerate(evidence.columns.tolist()):
        value, *beside = (value_text(evidence.values[k][i]) for i in positions)
        pull = None if evidence.pulls is None else float(evidence.pulls[listed, k])
        features.append(Feature(evidence.names[j], value, pull, tuple(beside)))
    return tuple(features)


def text_of(label: Any) -> str:
    """A label as text: whole numbers without a point."""
    value = label.item() if isinstance(label, np.generic) else label
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def value_text(value: Any) -> str:
    """A value of a feature, a number as it was typed, or if it was computed, to four digits."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return "–" if value is None or value == "" else str(value)
    number = float(value)
    if not isfinite(number):
        return "–"
    if number.is_integer() and abs(number) < 1e15:
        text = str(int(number))
    elif len(repr(number).strip("-0.").replace(".", "")) <= _TYPED and 1e-4 < abs(number) < 1e15:
        text = repr(number)
    else:
        text = f"{number:.1f}" if 1e3 <= abs(number) < 1e7 else f"{number:.4g}"
    return text.replace("-", "−")
