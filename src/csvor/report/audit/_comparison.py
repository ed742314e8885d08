"""How are the shares by the values of a column drawn?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from csvor._tables.dates import dates_in_short
from csvor.audit import SharesByValue
from csvor.report.audit._suspects import text_of


@dataclass(frozen=True)
class ComparedValues:
    """The values of a column, those that differ first; `most` is the share at the end of a bar.

    Each has the entries of `SharesByValue.to_frame`, its name, and where its interval and its share
    (`mark`) lie in a bar, in shares of its length.
    """

    values: list[dict[Any, Any]]
    most: float


def comparison_of(shares: SharesByValue) -> ComparedValues | None:
    """What the page draws; None where nothing can be said."""
    if not shares.conclusive:
        return None
    # A few rows, of which anything may be true, are not to make all other bars short.
    most = min(max(0.05, 2.0 * float(shares.share.max()), 1.2 * float(shares.low.max())), 1.0)
    names = dates_in_short(["" if name is None else text_of(name) for name in shares.values])
    left, right = (np.minimum(end / most, 1.0) for end in (shares.low, shares.high))
    table = shares.to_frame().assign(
        name=[name or "(no value)" for name in names],
        left=left,
        width=right - left,
        mark=shares.share / most,
    )
    return ComparedValues(table.iloc[shares.order].to_dict("records"), most)
