"""The one error that labels raise, and how labels are shown in messages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_MAX_SHOWN = 10
_MAX_WIDTH = 40
_MAX_ROWS = 5
_GIVEN = ("problem", "remedy", "positions", "count", "fault", "labels", "place")


class LabelError(ValueError):
    """Labels that cannot be used, and what to do about it.

    Parameters
    ----------
    problem : str
        What is wrong, without the rows and without a final full stop.
    remedy : str
        What to do, as one or more full sentences.
    positions : tuple of int, default=()
        The first few rows concerned, counted from 0; empty when no row is to blame.
    count : int, default=0
        Number of rows concerned.
    fault : str, default=""
        A short name of the problem, for callers with a remedy of their own.
    labels : tuple, default=()
        The labels that such a remedy would name.
    place : str, default=""
        Of which rows these are a part, as a full sentence.

    Attributes
    ----------
    problem, remedy, positions, count, fault, labels, place
        As given.

    Examples
    --------
    >>> from csvor._labels import LabelError
    >>> print(LabelError("2 labels are missing", "Drop these rows.", positions=(1, 6), count=2))
    2 labels are missing (rows 1, 6, counted from 0). Drop these rows.
    """

    def __init__(
        self,
        problem: str,
        remedy: str,
        *,
        positions: tuple[int, ...] = (),
        count: int = 0,
        fault: str = "",
        labels: tuple[Any, ...] = (),
        place: str = "",
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.positions = positions
        self.count = count
        self.fault = fault
        self.labels = labels
        self.place = place
        told = f"{problem}{_rows(positions, count)}. {remedy}"
        super().__init__(f"{told} ({place})" if place else told)

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes send errors back pickled; the default would call __init__ with the
        # finished sentence alone.
        return partial(LabelError, **self._given), ()

    def at(self, place: str) -> Self:
        """The same of rows that are a part of all."""
        return type(self)(**{**self._given, "place": place})

    @property
    def _given(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _GIVEN}


def _rows(positions: tuple[int, ...], count: int) -> str:
    if not positions:
        return ""
    listed = ", ".join(map(str, positions))
    more = f" and {count - len(positions)} more" if count > len(positions) else ""
    return f" (row{'s' if count > 1 else ''} {listed}{more}, counted from 0)"


def error_at(
    problem: str,
    remedy: str,
    where: NDArray[np.bool_],
    *,
    fault: str = "",
    labels: Iterable[Any] = (),
) -> LabelError:
    """Return a `LabelError` that points at the rows where the mask is true."""
    rows = np.flatnonzero(where)
    first = tuple(int(row) for row in rows[:_MAX_ROWS])
    return LabelError(
        problem, remedy, positions=first, count=int(rows.size), fault=fault, labels=tuple(labels)
    )


def show(labels: Iterable[Any]) -> str:
    """Return labels as they are typed, the first ten of them and long ones cut."""
    typed = [repr(label.item() if isinstance(label, np.generic) else label) for label in labels]
    cut = [text if len(text) <= _MAX_WIDTH else f"{text[:_MAX_WIDTH]}..." for text in typed]
    more = f", ... ({len(typed)} in all)" if len(typed) > _MAX_SHOWN else ""
    return ", ".join(cut[:_MAX_SHOWN]) + more
