"""The one error that labels raise, and how labels are shown in messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from csvor._utils.warn import Remedy, alternatives
from csvor._utils.words import rows_text

_MAX_SHOWN = 10
_MAX_WIDTH = 40
_MAX_ROWS = 5
_ARGUMENTS = ("problem", "positions", "count", "fault", "place")


class LabelError(ValueError):
    """Labels that cannot be used, and what to do about it.

    Parameters
    ----------
    problem : str
        What is wrong, without the rows and without a final full stop.
    remedy : str or sequence of Remedy
        What to do, as one or more full sentences, or as remedies of which each would do.
    positions : tuple of int, default=()
        The first few rows concerned, counted from 0; empty when no row is to blame.
    count : int, default=0
        Number of rows concerned.
    fault : str, default=""
        A short name of the problem, for callers with words of their own.
    place : str, default=""
        Of which rows these are a part, as a full sentence.

    Attributes
    ----------
    problem, positions, count, fault, place
        As given.
    remedy : str
        What to do in Python code.
    remedies : tuple of Remedy
        The same, for callers with another spelling.

    Examples
    --------
    >>> from csvor._labels import LabelError
    >>> print(LabelError("2 labels are missing", "Drop these rows.", positions=(1, 6), count=2))
    2 labels are missing (rows 1, 6, counted from 0). Drop these rows.
    """

    def __init__(
        self,
        problem: str,
        remedy: str | Sequence[Remedy],
        *,
        positions: tuple[int, ...] = (),
        count: int = 0,
        fault: str = "",
        place: str = "",
    ) -> None:
        self.problem = problem
        self._given_remedy = remedy
        self.remedies = (Remedy(remedy),) if isinstance(remedy, str) else tuple(remedy)
        self.remedy = remedy if isinstance(remedy, str) else sentence(alternatives(remedy))
        self.positions = positions
        self.count = count
        self.fault = fault
        self.place = place
        text = f"{problem}{_rows(positions, count)}. {self.remedy}"
        super().__init__(f"{text} ({place})" if place else text)

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes send errors back pickled; the default would call __init__ with the
        # finished sentence alone.
        return partial(LabelError, **self._arguments), ()

    def at(self, place: str) -> Self:
        """The same of rows that are a part of all."""
        return type(self)(**{**self._arguments, "place": place})

    @property
    def _arguments(self) -> dict[str, Any]:
        return {"remedy": self._given_remedy, **{name: getattr(self, name) for name in _ARGUMENTS}}


def _rows(positions: tuple[int, ...], count: int) -> str:
    if not positions:
        return ""
    return f" ({rows_text(positions, count, first=0)}, counted from 0)"


def error_at(
    problem: str,
    remedy: str | Sequence[Remedy],
    where: NDArray[np.bool_],
    *,
    fault: str = "",
) -> LabelError:
    """Return a `LabelError` that points at the rows where the mask is true."""
    rows = np.flatnonzero(where)
    first = tuple(int(row) for row in rows[:_MAX_ROWS])
    return LabelError(problem, remedy, positions=first, count=int(rows.size), fault=fault)


class ClassList(tuple[Any, ...]):
    """Labels as they are typed in ``classes``; none stand for those that the user has to list."""

    def __repr__(self) -> str:
        labels = [repr(label) if isinstance(label, str) else str(label) for label in self]
        return f"[{', '.join(labels) or '...'}]"


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def show(labels: Iterable[Any]) -> str:
    """Return labels as they are typed, the first ten of them and long ones cut."""
    typed = [repr(label.item() if isinstance(label, np.generic) else label) for label in labels]
    cut = [text if len(text) <= _MAX_WIDTH else f"{text[:_MAX_WIDTH]}..." for text in typed]
    more = f", ... ({len(typed)} in all)" if len(typed) > _MAX_SHOWN else ""
    return ", ".join(cut[:_MAX_SHOWN]) + more


def wrong_shape(name: str, what: str) -> LabelError:
    """The error for what is not one label for each row or class."""
    return LabelError(
        f"{name} should be a 1d array, a list or a tuple of labels, got {what}",
        f"Pass one label per {'class' if name == 'classes' else 'row'}, in one dimension.",
    )


def no_label(what: str, name: str = "y") -> LabelError:
    """Return the error for values that are neither numbers nor text."""
    extra = "Complex data not supported: " if "complex" in what else ""
    return LabelError(
        f"{extra}{name} holds values of {what}, which are no labels",
        "Decode them, as by numpy.char.decode(y), for bytes are no text."
        if "|S" in what or "bytes" in what
        else "Use numbers, text, or an ordered pandas Categorical or polars Enum.",
    )
