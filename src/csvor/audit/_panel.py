"""Who gave the labels, one of them a row?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from csvor._parts.engine import each


@dataclass(frozen=True, eq=False)
class Panel:
    """The raters of a data set.

    Attributes
    ----------
    names : list
        In their order.
    reference : int or None
        The position of the one by whom the others are measured; None is the middle of them.
    """

    names: list[Any]
    reference: int | None

    @classmethod
    def of(cls, parts: Iterable[Sequence[Any]], reference: Any, n_rows: int) -> Self:
        """From the names in each part of the rows."""
        distinct = {name: None for part in parts for name in part}
        names = sorted(
            distinct, key=lambda name: (isinstance(name, str), type(name).__name__, name)
        )
        if 2 * len(names) > n_rows:
            raise ValueError(
                f"raters has {len(names)} names in {n_rows} rows, hardly two labels of each: that "
                "is a number of the row. Give the column that says who labelled it."
            )
        if len(names) == 1:
            raise ValueError(
                f"raters has one name, {names[0]}: raters are measured by each other. Leave "
                "raters= out."
            )
        if reference is None:
            return cls(names, None)
        if reference not in distinct:
            few = ", ".join(map(str, names[:10])) + (", ..." if len(names) > 10 else "")
            raise ValueError(f"reference={reference!r} is none of the raters: {few}.")
        return cls(names, names.index(reference))

    def of_rows(self, codes: Any) -> Any:
        """The name of the rater of each row."""
        names = np.array(self.names)
        return each(partial(np.take, names), names.dtype, codes)

    def codes(self, names: Sequence[Any]) -> NDArray[np.int64]:
        """The position of the rater of each row."""
        positions = {name: i for i, name in enumerate(self.names)}
        return np.array([positions[name] for name in names], dtype=np.int64)


def check_reference(raters: Any, reference: Any) -> None:
    """Refuse a reference where no raters are known, and one that is no name."""
    if np.ndim(reference):
        raise ValueError(f"reference must be the name of one rater, got {reference!r}.")
    if raters is None and reference is not None:
        raise ValueError(f"reference={reference!r} names a rater: give raters= as well.")
