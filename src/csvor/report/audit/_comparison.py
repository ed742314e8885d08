"""How are the shares by the values of a column drawn?"""

from __future__ import annotations

from dataclasses import dataclass

from csvor._tables.dates import dates_in_short
from csvor.audit import SharesByValue
from csvor.report.audit._suspects import text_of


@dataclass(frozen=True)
class ComparedValue:
    """A value with its share, and where its interval lies in a bar, in shares of its length."""

    name: str
    n_rows: int
    named: int
    share: float
    low: float
    high: float
    p_value: float
    differs: str
    left: float
    width: float
    mark: float


@dataclass(frozen=True)
class ComparedValues:
    """The values of a column, those that differ first; `most` is the share at the end of a bar."""

    values: tuple[ComparedValue, ...]
    most: float

    @property
    def n_differ(self) -> int:
        """How many have another share than the other rows."""
        return sum(bool(value.differs) for value in self.values)


def comparison_of(shares: SharesByValue) -> ComparedValues | None:
    """What the page draws; None where nothing can be said."""
    if not shares.conclusive:
        return None
    # A few rows, of which anything may be true, are not to make all other bars short.
    most = min(max(0.05, 2.0 * float(shares.share.max()), 1.2 * float(shares.low.max())), 1.0)
    names = dates_in_short(["" if name is None else text_of(name) for name in shares.values])
    return ComparedValues(
        tuple(_value(shares, i, names[i], most) for i in shares.order.tolist()), most
    )


def _value(shares: SharesByValue, i: int, name: str, most: float) -> ComparedValue:
    share, low, high = (float(part[i]) for part in (shares.share, shares.low, shares.high))
    left = min(low / most, 1.0)
    return ComparedValue(
        name=name or "(no value)",
        n_rows=int(shares.n_rows[i]),
        named=int(shares.named[i]),
        share=share,
        low=low,
        high=high,
        p_value=float(shares.adjusted_p_value[i]),
        differs=str(shares.differs[i]),
        left=left,
        width=min(high / most, 1.0) - left,
        mark=share / most,
    )
