"""Dense rows, centred and scaled inside so that units do not matter to the solver."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import lift_cap
from csvor._loss.row_terms import add_slopes
from csvor._rows.dense_pass import Line, Rows, add_rows, begin_line, find_losses
from csvor._rows.labelled import LabelledRows
from csvor._rows.matrix import ScaledMatrix
from csvor._rows.products import Products
from csvor._rows.trim import find_cap, moved_rows
from csvor._utils.threads import RowThreads

Array = NDArray[np.float64]
Codes = NDArray[np.integer]
Sums = tuple[Array, Array]

# Whole minimisations over up to so many numbers are one compiled call, which takes one thread.
_SMALL = 400_000


class DenseMatrix(ScaledMatrix):
    """The scaled features of an array, on the fly."""

    def rows(self, codes: Codes, costs: Array, pair: Any) -> DenseRows:
        return DenseRows(self, codes, costs, pair)

    @property
    def products(self) -> Products:
        return Products(self.values)

    @cached_property
    def values(self) -> Array:
        """The features, as an array of their own."""
        return (self.X - self.center) * self.factor


class DenseRows(LabelledRows):
    """Labelled rows of an array: all that the objective asks of them, in one pass each."""

    # What the model of Newton's step is told by.
    holds_hessian = True

    def __init__(self, matrix: DenseMatrix, codes: Codes, costs: Array, pair: Any) -> None:
        super().__init__(matrix, codes, costs, pair)
        self._threads = RowThreads(*matrix.X.shape)

    @cached_property
    def _line(self) -> Line:
        """Room for a line, which fits on many rows hardly ever search."""
        return Line(*np.empty((3, self.n_samples)))

    @property
    def is_small(self) -> bool:
        return self.matrix.X.size <= _SMALL

    def whole(self) -> tuple[Rows, Line]:
        """All rows for compiled code, of one memory layout, so that one compilation serves all."""
        X = np.require(self.matrix.X, requirements=["C", "W"])
        matrix = self.matrix
        rows = Rows(X, matrix.center, matrix.factor, self.codes, self.costs, self._losses)
        return rows, self._line

    def sums(self, w: Array, b: Array, loss: Any, keep: bool = False) -> Sums:
        """Sums and upper triangle of the curvature, as `add_rows` states them."""
        losses = self._losses if keep else None

        def add(rows: slice) -> Sums:
            return self._add(self._part(rows, losses), w, b, loss)

        return self._sum(add)

    def trim(self, w: Array, b: Array, loss: Any, share: float) -> tuple[Array, Array, Array]:
        """The same with ``share`` of the weight cut, and the cap that does it.

        A pass under the cap given tells all losses, and so the cap; rows that lie between the two
        are then counted anew.
        """
        sums, curvature = self.sums(w, b, loss, keep=True)
        cap = np.array([loss["below"][0], loss["cap"][0], loss["tied"][0]])
        find_cap(self._losses, self.costs, share, cap)
        part = moved_rows(self._part(slice(None), self._losses), loss, cap, sums)
        if part.codes.size:
            loss = loss.copy()
            lift_cap(loss)
            add_rows(part, w, b, self.pair, loss, sums, curvature)
        return sums, curvature, cap

    def begin_line(self, w: Array, b: Array, dw: Array, loss: Any) -> None:
        """Set off along a step of w; `slopes` are those of the surrogate here."""

        def begin(rows: slice) -> None:
            line = Line(*(of_rows[rows] for of_rows in self._line))
            begin_line(self._part(rows), w, b, dw, self.pair, loss, line)

        self._threads.map(begin)

    def slopes(self, b: Array, db: Array, t: float) -> Array:
        """First and second derivative of the surrogate at t on the line, as `add_slopes` does."""

        def add(rows: slice) -> tuple[Array]:
            found = np.zeros(2)
            line = Line(*(of_rows[rows] for of_rows in self._line))
            add_slopes(line, self.codes[rows], b, db, t, self.pair, found)
            return (found,)

        return self._sum(add)[0]

    def scores_and_losses(self, w: Array, b: Array) -> tuple[Array, Array]:
        """The score and the losses g of each row."""
        f, g = np.empty((2, self.codes.size))
        self._threads.map(
            lambda rows: find_losses(self._part(rows), w, b, self.pair, f[rows], g[rows])
        )
        return f, g

    def _part(self, rows: slice, losses: Array | None = None) -> Rows:
        matrix = self.matrix
        kept = np.empty(0) if losses is None else losses[rows]
        codes, costs = self.codes[rows], self.costs[rows]
        return Rows(matrix.X[rows], matrix.center, matrix.factor, codes, costs, kept)

    def _add(self, rows: Rows, w: Array, b: Array, loss: Any) -> Sums:
        size = w.size + b.size
        sums, curvature = np.zeros(size + 3), np.zeros((size, size))
        add_rows(rows, w, b, self.pair, loss, sums, curvature)
        return sums, curvature

    def _sum(self, work: Callable[[slice], Any]) -> Any:
        """The sums of what ``work`` gives, always in the order of the chunks."""
        first, *others = self._threads.map(work)
        for other in others:
            for total, part in zip(first, other, strict=True):
                total += part
        return first
