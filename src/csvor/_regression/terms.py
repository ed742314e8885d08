"""Which parameters has a cumulative link model, and which columns does each belong to?

In order: thresholds, nominal effects (of each column one a threshold), coefficients, scale effects,
shares of labels that are wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._utils.cached import cached_property

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Terms:
    """The parameters of a model.

    Attributes
    ----------
    names : tuple of str
        Of the columns of X.
    classes : tuple of str
        The labels in their order.
    location, nominal, scale : tuples of int
        The columns that move all thresholds alike, each by its own, and the spread.
    channels : tuple of str
        The ways in which labels go wrong, each with a share: "any", "beside".
    """

    names: tuple[str, ...]
    classes: tuple[str, ...]
    location: tuple[int, ...]
    nominal: tuple[int, ...] = ()
    scale: tuple[int, ...] = ()
    channels: tuple[str, ...] = ()

    def with_channels(self, *channels: str) -> Terms:
        """The same model, with labels that go wrong in these ways."""
        return replace(self, channels=channels)

    @property
    def n_cuts(self) -> int:
        """Thresholds: one fewer than classes."""
        return len(self.classes) - 1

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where the parameters of each kind stand."""
        sizes = {
            "thresholds": self.n_cuts,
            "nominal": self.n_cuts * len(self.nominal),
            "location": len(self.location),
            "scale": len(self.scale),
            "wrong": len(self.channels),
        }
        ends = np.cumsum(list(sizes.values())).tolist()
        starts = [0, *ends]
        return {
            kind: slice(first, end) for kind, first, end in zip(sizes, starts, ends, strict=False)
        }

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return self.slices["wrong"].stop

    def part(self, theta: Array, kind: str) -> Array:
        """The parameters of one kind."""
        return theta[self.slices[kind]]

    @cached_property
    def labels(self) -> list[str]:
        """Names as R's ``clm`` has them: "1|2", "1|2.age", "age", "scale.age", "wrong.any"."""
        cuts = [f"{low}|{high}" for low, high in zip(self.classes, self.classes[1:], strict=False)]
        return [
            *cuts,
            *(f"{cut}.{self.names[j]}" for j in self.nominal for cut in cuts),
            *(self.names[j] for j in self.location),
            *(f"scale.{self.names[j]}" for j in self.scale),
            *(f"wrong.{channel}" for channel in self.channels),
        ]

    @property
    def columns(self) -> list[int | None]:
        """The column that each parameter is of; None of thresholds and shares."""
        of_cuts: list[int | None] = [None] * self.n_cuts
        nominal = [j for j in self.nominal for _ in range(self.n_cuts)]
        return [*of_cuts, *nominal, *self.location, *self.scale, *(None for _ in self.channels)]

    def in_given_units(self, center: Array, factor: Array) -> Array:
        """The matrix from parameters of ``(x - center) factor`` to those of x.

        Columns of the scale are not centred: their sum must stay the logarithm of a spread.
        """
        change = np.eye(self.size)
        q, slices = self.n_cuts, self.slices
        for first, j in zip(
            range(slices["nominal"].start, slices["nominal"].stop, q), self.nominal, strict=False
        ):
            at = np.arange(first, first + q)
            change[at, at] = factor[j]
            change[np.arange(q), at] = -factor[j] * center[j]
        at = np.arange(slices["location"].start, slices["location"].stop)
        columns = list(self.location)
        change[at, at] = factor[columns]
        change[:q, at] = factor[columns] * center[columns]
        at = np.arange(slices["scale"].start, slices["scale"].stop)
        change[at, at] = factor[list(self.scale)]
        return change


def _is_position(column: Any) -> bool:
    return isinstance(column, Integral) and not isinstance(column, bool | np.bool_)


def column_positions(which: str, columns: Any, names: Sequence[str]) -> tuple[int, ...]:
    """The positions of the columns that an argument names, each once.

    Raises
    ------
    ValueError
        If one is neither a name nor a position.
    """
    positions = []
    for column in np.asarray(columns, dtype=object).ravel().tolist():
        if column in names:
            positions.append(list(names).index(column))
        elif _is_position(column) and 0 <= column < len(names):
            positions.append(int(column))
        else:
            raise ValueError(
                f"{which} names {column!r}, which is no column of X: give names of columns, "
                f"or positions from 0 to {len(names) - 1}."
            )
    return tuple(dict.fromkeys(positions))
