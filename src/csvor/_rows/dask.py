"""How do rows in partitions answer what the objective asks of them?

Each partition answers as its own array or CSR matrix would; what is here adds up the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from csvor._parts.engine import rows_where
from csvor._parts.graph import Parts, persisted
from csvor._parts.partitions import Partitions, by_part, gather, memory_limit, run
from csvor._rows.dask_evaluation import PartitionedEvaluation
from csvor._rows.evaluation import subsample_stride
from csvor._rows.labelled import LabelledRows
from csvor._rows.matrix import ScaledMatrix
from csvor._rows.spans import Spans
from csvor._rows.storage import matrix_of
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]
Sums = tuple[Array, Array]

# The share of the room that rows near a kink may take: their number is an estimate.
_OF_ROOM = 0.9


class RowsElsewhereError(ValueError):
    """Something was asked that only rows in memory can tell."""


class DaskMatrix(ScaledMatrix):
    """The scaled features of rows in partitions."""

    X: Partitions

    def __init__(self, X: Partitions, spans: Spans) -> None:
        super().__init__(X, np.empty(0), spans)
        self.spans = spans

    def rows(self, codes: da.Array, costs: da.Array, pair: Any) -> DaskRows:
        return DaskRows(self, codes, costs, pair)

    @property
    def products(self) -> NoReturn:
        raise RowsElsewhereError(
            "This fit needs all rows at once, and X lies in partitions. Fit CSVOR, SVOREX, SVORIM "
            "or REDSVM; or let all rows come to this process: "
            f"dask.config.set({{'csvor.memory-limit': {self.X.n_bytes}}})."
        )

    values = products

    def wanted_room(self, share: float) -> int | None:
        """Bytes that have room for this share of the rows; None where it has that already."""
        X = self.X
        wanted = int(np.ceil(share * X.shape[0] + 1.0) * X.row_bytes / _OF_ROOM) + 1
        return wanted if wanted > memory_limit() else None

    def take(self, rows: NDArray[np.intp]) -> Any:
        """Some of the rows, brought here."""
        (X,) = gather([self.X.parts], self.X.sizes, rows, self.X.traffic)
        return matrix_of(X, np.empty(0), self.spans)


class DaskRows(LabelledRows):
    """Labelled rows in partitions."""

    holds_hessian, is_small, has_products = True, False, False

    def __init__(self, matrix: DaskMatrix, codes: da.Array, costs: da.Array, pair: Any) -> None:
        super().__init__(matrix, codes, costs, pair)
        # A byte for each row, which stays beside the rows as long as this does.
        self._persisted_codes = persisted(codes)
        self._columns = Parts.of(self._persisted_codes), Parts.of(costs)

    @property
    def n_samples(self) -> int:
        return self.matrix.X.shape[0]

    @property
    def tells_kinks(self) -> bool:
        return not self.matrix.X.is_sparse

    @property
    def room(self) -> int:
        """Bytes that can be brought here."""
        return memory_limit()

    @property
    def most(self) -> int:
        return max(memory_limit() // self.matrix.X.row_bytes, 1)

    @property
    def most_near(self) -> float:
        return min(_OF_ROOM * self.most / self.n_samples, 1.0)

    def ask(self, func: Callable[..., Any], *args: Any, of_parts: Any = ()) -> tuple[Any, Any]:
        """Sums and rows that ``func(rows of a partition, its item of of_parts, *args)`` gives."""
        args = (self.matrix.spans, self.pair, *args)
        func = partial(_ask_part, func, int(len(of_parts) > 0))
        return self.matrix.X.ask(func, *self._columns, shared=args, of_parts=of_parts)

    @cached_property
    def subsampled(self) -> list[NDArray[np.intp]]:
        """Where in each part the rows lie that quantiles are estimated from, as in memory."""
        places = self.matrix.places
        rows = np.arange(self.n_samples) if places is None else places
        return by_part(np.sort(rows[:: subsample_stride(rows.size)]), self.matrix.X.sizes)

    def sums(self, w: Array, b: Array, loss: Any, keep: bool = False) -> Sums:
        return self.ask(_sums, w, b, loss)[0]

    def trim(self, w: Array, b: Array, loss: Any, share: float) -> tuple[Array, Array, Array]:
        loss = loss.copy()
        _, cap = self.evaluate(w, b).totals(loss, share)
        return *self.sums(w, b, loss), cap

    def begin_line(self, w: Array, b: Array, dw: Array, loss: Any, keep: bool = True) -> None:
        self._line = w.copy(), b.copy(), dw.copy(), loss.copy()

    def slopes(self, b: Array, db: Array, t: float) -> Array:
        return self.ask(_slopes, *self._line, b, db, t)[0][0]

    def evaluate(self, w: Array, b: Array) -> PartitionedEvaluation:
        return PartitionedEvaluation(self, w, b)

    def loss(self, w: Array, b: Array) -> float:
        return float(self.ask(_loss, w, b)[0][0])

    def scores_and_losses(self, w: Array, b: Array) -> tuple[da.Array, da.Array]:
        """The score and the losses g of each row, where the rows are."""
        func = partial(_ask_part, _scores_and_losses, 0)
        args = (self.matrix.spans, self.pair.copy(), w, b)
        columns = Parts.of(self.codes), Parts.of(self.costs)
        both = self.matrix.X.each(func, *columns, shared=args, width=2)
        return both[:, 0], both[:, 1]

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        """Of each partition the weight, and least and greatest cost of all."""
        _, (of_parts,) = run(_weights, [self._columns[1]])
        return of_parts[:, 0], np.array([of_parts[:, 1].min(), of_parts[:, 2].max()])

    @property
    def weight(self) -> float:
        return float(self._weights[0].sum())

    def take(self, rows: NDArray[np.intp]) -> Any:
        X = self.matrix.X
        return self.in_memory(*gather([X.parts, *self._columns], X.sizes, rows, X.traffic))

    def quantile(self, level: float) -> NoReturn:
        raise RowsElsewhereError("A quantile of all losses needs the rows in memory.")

    def _costs_are_equal(self) -> bool:
        return bool(self._weights[1][0] == self._weights[1][1])

    def _codes_of(self, rows: NDArray[np.intp]) -> NDArray[np.integer]:
        (codes,) = gather(self._columns[:1], self.matrix.X.sizes, rows)
        return codes

    def _rows_of(self, code: int) -> NDArray[np.intp]:
        return rows_where(self.codes == code)

    def _rows_at(self, levels: Array) -> NDArray[np.intp]:
        order, ends = np.argsort(levels), np.cumsum(self._weights[0])
        levels = ends[-1] * levels[order]
        cuts = np.searchsorted(levels, ends[:-1])
        of_parts = [
            (start, part - before)
            for start, part, before in zip(
                self.matrix.X.starts, np.split(levels, cuts), [0.0, *ends[:-1]],
                strict=True,
            )
        ]  # fmt: skip
        rows = np.empty(order.size, dtype=np.intp)
        rows[order] = run(_rows_up_to, self._columns[1:], of_parts=of_parts)[1][0]
        return rows

    def in_memory(self, X: Any, codes: NDArray[np.integer], costs: Array) -> Any:
        """Rows in memory."""
        return matrix_of(X, costs, self.matrix.spans).rows(codes.astype(np.int32), costs, self.pair)


def _ask_part(func: Callable[..., Any], n_of_part: int, *args: Any) -> Any:
    """``func(rows of the part, its item of of_parts, *shared)``, the part made rows in memory."""
    of_part, (block, codes, costs, spans, pair, *shared) = args[:n_of_part], args[n_of_part:]
    costs = np.ascontiguousarray(costs)  # those of dask may be one number
    rows = matrix_of(block, costs, spans).rows(codes.astype(np.int32, copy=False), costs, pair)
    return func(rows, *of_part, *shared)


def _sums(rows: Any, w: Array, b: Array, loss: Any) -> tuple[Sums, tuple[()]]:
    sums, curvature = rows.sums(w, b, loss)
    return (sums, curvature if rows.holds_hessian else rows.hessian(curvature)), ()


def _slopes(rows: Any, *args: Any) -> tuple[tuple[Array], tuple[()]]:
    *line, b, db, t = args
    rows.begin_line(*line, keep=False)
    return (rows.slopes(b, db, t),), ()


def _loss(rows: Any, w: Array, b: Array) -> tuple[tuple[float], tuple[()]]:
    return (rows.loss(w, b),), ()


def _scores_and_losses(rows: Any, w: Array, b: Array) -> Array:
    return np.stack(rows.scores_and_losses(w, b), axis=1)


def _weights(costs: Array) -> tuple[tuple[()], tuple[Array]]:
    """Sum, least and greatest; of no rows what changes nothing."""
    of_part = costs.sum(), costs.min(initial=np.inf), costs.max(initial=0.0)
    return (), (np.array([of_part]),)


def _rows_up_to(of_part: tuple[int, Array], costs: Array) -> tuple[tuple[()], tuple[Any]]:
    start, levels = of_part
    if levels.size == 0:
        return (), (np.empty(0, dtype=np.intp),)
    rows = np.searchsorted(np.cumsum(costs), levels, side="right")
    return (), (start + np.minimum(rows, costs.size - 1),)
