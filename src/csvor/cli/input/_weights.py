"""What does each row count?"""

import numpy as np
from numpy.typing import NDArray

from csvor.cli._errors import ColumnError
from csvor.cli._fault import fault
from csvor.cli.input._column_checks import refuse_unclear_sign
from csvor.cli.input._number_column import NumberColumn
from csvor.cli.input._table import Table, TableColumn


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
        raise ColumnError(fault("zero-weights", name, option="--weight"))
    return values / values.mean()


def weights_as_given(
    table: Table, name: str, rows: NDArray[np.int64], decimal: str | None = None
) -> NDArray[np.float64]:
    """The weights themselves."""
    column = table.column(name, "--weight").take(rows)
    if column.kind not in {"text", "number"}:
        raise ColumnError(fault("no-weights", name, option="--weight", what=column.kind))
    values = _numbers(column, rows, decimal)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        codes, texts = column.coded
        raise ColumnError(
            fault(
                "no-weight",
                name,
                option="--weight",
                rows=rows[wrong],
                total=len(values),
                text=texts[codes[wrong[0]]],
            )
        )
    return values


def _numbers(
    column: TableColumn, rows: NDArray[np.int64], decimal: str | None
) -> NDArray[np.float64]:
    """The numbers of a column, NaN where there is none."""
    if column.kind == "text":
        codes, texts = column.coded
        numbers = NumberColumn(texts, np.bincount(codes, minlength=len(texts)))
        if numbers.are_numbers:
            reading = numbers.reading(decimal)
            if reading is None:
                one, other = (reading.values for reading in numbers.readings[:2])
                refuse_unclear_sign(column, one, other, rows)
            return reading.values[codes]
    return column.numbers[0]
