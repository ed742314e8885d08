"""Which columns of another table does a model take, and do they fit?"""

from typing import Any

import numpy as np
import pandas as pd

from csvor._faults.errors import ColumnError, Faults, refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._faults.spelling import folded
from csvor._tables.categories import known_words
from csvor._tables.column_checks import Rows, refuse_bad_range, refuse_blanks, refuse_lists
from csvor._tables.column_parser import ColumnParser, ParsedColumn, Rules
from csvor._tables.feature_columns import frame_of
from csvor._tables.features import FeatureColumns
from csvor._tables.number_text import FACTORS
from csvor._tables.table import Table, TableColumn
from csvor._utils.spelling import closest

_TRUTH = {"true": 1.0, "false": 0.0}


def features_frame(
    table: Table,
    features: FeatureColumns,
    *,
    impute: bool,
    notes: Notes,
    decimal: str | None = None,
) -> pd.DataFrame:
    """Take the columns that a model was fitted with from another table, read as they were there.

    `decimal` is the decimal sign of the table, if the user names it. A table of some rows of the
    data alone may lack all values that the model knows.
    """
    check_there(table, features)
    rows = table.rows
    data: dict[str, Any] = {}
    blanks: dict[str, Rows] = {}
    faults = Faults()
    rules = Rules(decimal, tuple(features.missing))
    columns = [table.columns[name] for name in features.numeric]
    reader = ColumnParser(
        columns, rows, rules, {n: features.readings.get(n, {}) for n in features.numeric}
    )
    for column in columns:
        name = column.name
        with faults.collected():
            values = _numbers(column, reader, features.readings.get(name, {}), rows)
            refuse_bad_range(name, values, rows)
            if np.isnan(values).any():
                blanks[name] = rows[np.isnan(values)]
            data[name] = values
    reader.notes.report(notes)
    if not impute:
        with faults.collected():
            refuse_blanks(blanks, fitted=True)
    for name, known in features.categorical.items():
        column = table.columns[name]
        with faults.collected():
            refuse_lists(column, fitted=True)
            some_rows = column.row_numbers is not None
            data[name] = known_words(column, known, features.missing, notes, some_rows)
    faults.refuse()
    return frame_of(data, features.used)


def check_there(table: Table, features: FeatureColumns) -> None:
    """Refuse a table that lacks columns of a model."""
    missing = [name for name in features.used if name not in table.columns]
    if not missing:
        return
    others = [name for name in table.columns if name not in features.used]
    pairs = [(name, closest(name, others)) for name in missing]
    renames = [f"'{close}' to '{name}'" for name, close in pairs if close is not None]
    refuse(
        "lacking-columns", remedies=["rename" if renames else "add-columns"], n=len(missing),
        source=table.source, names=missing, others=list(table.columns),
        renames=" and ".join(renames),
    )  # fmt: skip


def _numbers(column: TableColumn, reader: ColumnParser, fitted: dict[str, str], rows: Rows) -> Any:
    """The numbers of a column that a model takes as such."""
    if column.kind == "bool":
        return column.numbers
    if column.kind == "text":
        codes, texts = column.coded
        if any(texts) and {folded(text) for text in texts if text} <= _TRUTH.keys():
            return np.array([_TRUTH.get(folded(text), np.nan) for text in texts])[codes]
        if reader.is_blank(column.name):
            return np.full(len(codes), np.nan)
    read = reader.numbers(column)
    if read is None:
        reader.refuse_words(column)
    _check_same(column, read, fitted)
    return read.values


def _check_same(column: TableColumn, read: ParsedColumn, fitted: dict[str, str]) -> None:
    """Refuse dates in the place of numbers, and numbers of another unit."""
    now, then = read.how.get("as", "numbers"), fitted.get("as", "numbers")
    if now != then:
        raise ColumnError(fault("unlike-fit", column.name, now=now, then=then))
    unit, wanted = read.how.get("unit", ""), fitted.get("unit", "")
    # 72 and 72 kg are one number, 0.72 and 72 % may be, and 5000 and 5k.
    if unit != wanted and ((unit and wanted) or FACTORS & {unit, wanted}):
        raise ColumnError(
            fault("unit-unlike-fit", column.name, now=_with(unit), then=_with(wanted))
        )


def _with(unit: str) -> str:
    return f"with '{unit}'" if unit else "without a unit"
