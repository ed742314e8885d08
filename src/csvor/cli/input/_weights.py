"""What does each row count?"""

import numpy as np
from numpy.typing import NDArray

from csvor.cli._errors import ColumnError, are, rows_text
from csvor.cli.input._column_checks import refuse_unclear_sign
from csvor.cli.input._number_column import NumberColumn
from csvor.cli.input._table import Column, Table


def read_weights(
    table: Table, name: str | None, rows: NDArray[np.int64], decimal: str | None = None
) -> NDArray[np.float64] | None:
    """The weights of the `rows`, divided by their mean: so they do not make rows of the rows.

    A weight that is not a number from 0 on is refused.
    """
    if name is None:
        return None
    values = weights_as_given(table, name, rows, decimal)
    if not values.any():
        raise ColumnError(f"column '{name}' (--weight): all weights are 0, so no row counts")
    return values / values.mean()


def weights_as_given(
    table: Table, name: str, rows: NDArray[np.int64], decimal: str | None = None
) -> NDArray[np.float64]:
    """The weights themselves."""
    column = table.column(name, "--weight").take(rows)
    if column.kind not in {"text", "number"}:
        raise ColumnError(f"column '{name}' (--weight) holds {column.kind}, which are no weights")
    values = _numbers(column, rows, decimal)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        n, codes, texts = len(wrong), *column.coded
        raise ColumnError(
            f"column '{name}' (--weight): {n} of {len(values)} values {are(n)} no weight, a finite "
            f"number from 0 on ({rows_text(rows[wrong])}: '{texts[codes[wrong[0]]]}'); correct "
            f"{'it' if n == 1 else 'them'}, or give the weight 0 to rows that are not to count"
        )
    return values


def _numbers(column: Column, rows: NDArray[np.int64], decimal: str | None) -> NDArray[np.float64]:
    """The numbers of a column, NaN where there is none."""
    if column.kind == "text":
        codes, texts = column.coded
        found = NumberColumn(texts, np.bincount(codes, minlength=len(texts)))
        if found.are_numbers:
            reading = found.reading(decimal)
            if reading is None:
                one, other = (reading.values for reading in found.readings[:2])
                refuse_unclear_sign(column, one, other, rows)
            return reading.values[codes]
    return column.numbers[0]
