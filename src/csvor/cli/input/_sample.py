"""Which rows tell how all of them are to be read?

Some evenly among all, and those that have what only few have: each distinct word, the least and the
greatest number, a blank. So what is refused, and which values there are, is that of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from csvor._faults.errors import CommandError, listed
from csvor._tables.column_checks import MOST_CATEGORIES
from csvor._tables.table import Table, TableColumn, as_column
from csvor._tables.target import no_labels
from csvor._utils.spelling import as_number
from csvor.cli.input._pieces import Piece, table_of

MOST_ROWS = 20_000


@dataclass(frozen=True)
class Wanted:
    """Rows out of so many, those in `also` among them.

    Columns in `words` are such, `marks` may be among numbers, and `missing` among labels.
    """

    n_rows: int
    target: str
    words: frozenset[str] = frozenset()
    marks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    also: tuple[int, ...] = ()

    def are_drawn(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows are drawn whatever they hold."""
        even = rows % -(-self.n_rows // MOST_ROWS) == 0
        return even | np.isin(rows, np.array(self.also, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of pieces that are added up; the orders are those that the pieces have of the labels."""

    wanted: Wanted
    arrays: pa.Table
    rows: NDArray[np.int64]
    orders: tuple[tuple[tuple[Any, ...] | None, str], ...]

    def __add__(self, other: Sample) -> Sample:
        some = set(self.arrays.column_names) ^ set(other.arrays.column_names)
        if some:
            raise CommandError(
                f"column '{min(some)}' is in some of the files only; add it to the others"
            )
        both = [self.arrays, other.arrays]
        try:
            arrays = pa.concat_tables(both, promote_options="permissive").combine_chunks()
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            one, two = (table.schema for table in both)
            names = [n for n in one.names if one.field(n).type != two.field(n).type]
            raise CommandError(
                f"the files hold {listed(names)} in types that do not go together ({error}); write "
                "a column in the same type into all files"
            ) from None
        orders = tuple(dict.fromkeys([*self.orders, *other.orders]))
        rows = np.concatenate([self.rows, other.rows])
        return Sample(self.wanted, arrays, rows, orders)._reduced()

    def _reduced(self) -> Sample:
        wanted, chosen = self.wanted, self.wanted.are_drawn(self.rows)
        if not chosen.all():
            # Decided rows, which are drawn, may be dropped, and not all others have a label.
            left = ~np.isin(self.rows, wanted.also)
            labelled = left & self._are_labelled()
            for name in self.arrays.column_names:
                among = np.flatnonzero(left if name == wanted.target else labelled)
                column = as_column(name, self.arrays[name].take(pa.array(among)))
                is_word = name in wanted.words or name == wanted.target
                chosen[among[_first_of_each(column, is_word, wanted.marks)]] = True
        kept = np.flatnonzero(chosen)
        kept = kept[np.argsort(self.rows[kept])]
        return replace(self, arrays=self.arrays.take(pa.array(kept)), rows=self.rows[kept])

    def _are_labelled(self) -> NDArray[np.bool_]:
        wanted = self.wanted
        if wanted.target not in self.arrays.column_names:
            return np.ones(len(self.rows), dtype=bool)
        column = as_column(wanted.target, self.arrays[wanted.target])
        blank, hits = no_labels(column, wanted.missing)
        return ~np.isin(column.coded[0], list(blank.union(*hits.values())))

    def table(self, source: str, n_rows: int) -> Table:
        """As a table of some rows; with the order of the labels, if all pieces have the same."""
        table = table_of(self.arrays, self.rows, source, n_rows)
        if self.orders == ((None, ""),) or self.wanted.target not in table.columns:
            return table
        why = next((why for _, why in self.orders if why), "")
        if not why and len(self.orders) > 1:
            why = "parts of the data list its values differently"
        levels = None if why else self.orders[0][0]
        target = replace(table.columns[self.wanted.target], levels=levels, no_order=why)
        return replace(table, columns={**table.columns, target.name: target})


def sample_of(piece: Piece, wanted: Wanted) -> Sample:
    """The rows of a piece that show how all are read."""
    arrays = piece.plain()
    orders = (piece.order_of(wanted.target),)
    return Sample(wanted, arrays, piece.rows, orders)._reduced()


def _first_of_each(column: TableColumn, is_word: bool, marks: tuple[str, ...]) -> list[int]:
    """Where a column has a distinct word for the first time, or an end of its numbers, a blank."""
    values = column.values
    if column.kind == "lists":
        return []
    if is_word or column.kind in {"text", "bool"}:
        codes = values.dictionary_encode(null_encoding="encode").indices.to_numpy()
        before = np.maximum.accumulate(np.concatenate([[-1], codes[:-1]]))
        first: list[int] = np.flatnonzero(codes > before)[: MOST_CATEGORIES + 1].tolist()
        return first
    chosen = [pc.index(values, end).as_py() for end in pc.min_max(values).values()]
    chosen.append(pc.index(pc.is_null(values, nan_is_null=True), True).as_py())
    if column.kind == "number":
        numbers = column.numbers
        hits = [np.flatnonzero(numbers == as_number(mark))[:1] for mark in marks]
        chosen += np.concatenate([np.empty(0, int), *hits]).tolist()
    return [position for position in chosen if position >= 0]
