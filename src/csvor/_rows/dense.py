"""Dense rows, centred and scaled inside so that units do not matter to the solver."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csvor._loss.capped import cap_of, lift_cap
from csvor._loss.row_terms import add_slopes
from csvor._rows.dense_pass import Line, Rows, add_rows, begin_line, find_losses
from csvor._rows.evaluation import Evaluation
from csvor._rows.kinks import add_totals, find_distances
from csvor._rows.labelled import LabelledRows
from csvor._rows.matrix import ScaledMatrix
from csvor._rows.products import Products
from csvor._rows.trim import find_cap, moved_rows
from csvor._utils.cached import cached_property
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
        return Products(self)

    @cached_property
    def values(self) -> Array:
        """The features, as an array of their own."""
        return self.scaled(slice(None))

    def _taken(self, rows: NDArray[np.intp]) -> Any:
        # A row at a time, if rows lie together: by an index it is a number at a time.
        return self.X.take(rows, axis=0) if self.X.flags.c_contiguous else self.X[rows]

    def scaled(self, rows: slice | NDArray[np.intp]) -> Array:
        """The features of some rows, as an array of their own."""
        part = self.X[rows] - self.center
        part *= self.factor
        return part


class DenseRows(LabelledRows):
    """Labelled rows of an array: all that the objective asks of them, in one pass each."""

    # Whether a pass gives the Hessian, and whether `evaluate` tells which rows are near a kink.
    holds_hessian = tells_kinks = True

    def __init__(self, matrix: DenseMatrix, codes: Codes, costs: Array, pair: Any) -> None:
        super().__init__(matrix, codes, costs, pair)
        self._threads = RowThreads(*matrix.X.shape)

    @cached_property
    def _on_line(self) -> Array:
        """Room for scores on a line and their changes: fits on many rows hardly ever search one."""
        return np.empty((2, self.n_samples))

    @cached_property
    def _line(self) -> Line:
        """Room for a line of few rows; of many, the one that was begun last."""
        return Line(*np.empty((3, self.n_samples)))

    @property
    def is_small(self) -> bool:
        return self.matrix.X.size <= _SMALL

    def whole(self) -> tuple[Rows, Line]:
        """All rows for compiled code, of one type and layout: one compilation serves all."""
        X = np.require(self.matrix.X, np.float64, ["C", "W"])
        matrix = self.matrix
        rows = Rows(X, matrix.center, matrix.factor, self.codes, self.costs, self._losses)
        return rows, self._line

    def sums(self, w: Array, b: Array, loss: Any, keep: bool = False) -> Sums:
        """Sums and upper triangle of the curvature, as `add_rows` states them."""
        losses = self._losses if keep else None

        def add(rows: slice) -> Sums:
            return self._add(self._part(rows, losses), w, b, loss)

        return self._threads.sum(add)

    def trim(self, w: Array, b: Array, loss: Any, share: float) -> tuple[Array, Array, Array]:
        """The same with ``share`` of the weight cut, and the cap that does it.

        A pass under the cap given tells all losses, and so the cap; rows that lie between the two
        are then counted anew.
        """
        sums, curvature = self.sums(w, b, loss, keep=True)
        cap = cap_of(loss)
        find_cap(self._losses, self.costs, share, cap)
        lifted = loss.copy()
        lift_cap(lifted)

        def recount(rows: slice) -> Sums:
            cut = np.zeros(w.size + b.size + 3)
            part = moved_rows(self._part(rows, self._losses), loss, cap, cut)
            of_part, curvature_of_part = self._add(part, w, b, lifted)
            return of_part + cut, curvature_of_part

        for total, change in zip((sums, curvature), self._threads.sum(recount), strict=True):
            total += change
        return sums, curvature, cap

    def begin_line(self, w: Array, b: Array, dw: Array, loss: Any, keep: bool = True) -> None:
        """Set off along a step of w; `slopes` are those of the surrogate here.

        Where nobody will ask for the losses of the last pass, not to ``keep`` them saves room.
        """
        scores, changes = self._on_line
        self._line = Line(scores, changes, np.empty(self.n_samples) if keep else self._losses)

        def begin(rows: slice) -> None:
            line = Line(*(of_rows[rows] for of_rows in self._line))
            begin_line(self._part(rows), w, b, dw, self.pair, loss, line)

        self._threads.map(begin)

    def slopes(self, b: Array, db: Array, t: float) -> Array:
        """First and second derivative of the surrogate at t on the line, as `add_slopes` does."""

        def add(rows: slice) -> tuple[Array]:
            slopes = np.zeros(2)
            line = Line(*(of_rows[rows] for of_rows in self._line))
            add_slopes(line, self.codes[rows], b, db, t, self.pair, slopes)
            return (slopes,)

        return self._threads.sum(add)[0]

    def scores_and_losses(self, w: Array, b: Array) -> tuple[Array, Array]:
        """The score and the losses g of each row."""
        f, g = np.empty(self.n_samples), self._losses
        del self._losses  # the caller has them now; a pass that keeps losses makes room anew
        self._threads.map(
            lambda rows: find_losses(self._part(rows), w, b, self.pair, f[rows], g[rows])
        )
        return f, g

    def evaluate(self, w: Array, b: Array) -> Evaluation:
        """What the rows say at a point."""
        return Evaluation(self, w, b)

    def totals(self, losses: Array, loss: Any) -> Array:
        """What the rows of these losses g add: `row_weights`' totals."""

        def add(rows: slice) -> tuple[Array]:
            totals = np.zeros(3)
            add_totals(losses[rows], self.costs[rows], loss, totals)
            return (totals,)

        return self._threads.sum(add)[0]

    def beyond(
        self, radius: float, f: Array, g: Array, b: Array, cap: float, nearer: float, w: Array,
        loss: Any,
    ) -> tuple[NDArray[np.bool_], Array, Array]:  # fmt: skip
        """Which rows lie within a distance of a kink, and `sums` of the others."""
        near = np.empty(self.n_samples, dtype=np.bool_)

        def add(rows: slice) -> Sums:
            distances = np.empty(f[rows].size)
            find_distances(f[rows], self.codes[rows], b, self.pair, g[rows], cap, nearer, distances)
            near[rows] = distances <= radius
            part = self._part(rows)
            return self._add(part._replace(costs=part.costs * ~near[rows]), w, b, loss)

        return near, *self._threads.sum(add)

    def _part(self, rows: slice, losses: Array | None = None) -> Rows:
        matrix = self.matrix
        kept = np.empty(0) if losses is None else losses[rows]
        codes, costs = self.codes[rows], self.costs[rows]
        return Rows(_read_only(matrix.X[rows]), matrix.center, matrix.factor, codes, costs, kept)

    def _add(self, rows: Rows, w: Array, b: Array, loss: Any) -> Sums:
        size = w.size + b.size
        _read_only(rows.X)
        sums, curvature = np.zeros(size + 3), np.zeros((size, size))
        add_rows(rows, w, b, self.pair, loss, sums, curvature)
        return sums, curvature


def _read_only(part: Array) -> Array:
    """A view as all loops take it: what is compiled for frames, which are read-only, serves all."""
    part.flags.writeable = False
    return part
